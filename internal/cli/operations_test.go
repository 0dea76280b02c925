package cli

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pressroom/blob"
)

// A serving process has readiness checks that notice when something is gone,
// numbers of its stores, and buckets that can go back to a second; and what it
// serves passes the check.
func TestOperations(t *testing.T) {
	set, st := openPreparedStore(t)
	o, err := openOperations(t.Context(), set, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range st.checks {
		names = append(names, c.name)
		if err := c.run(t.Context()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if want := []string{"data", "tables", "objects", "leases", "buckets", "disk"}; !slices.Equal(names, want) {
		t.Errorf("the checks are %v", names)
	}
	numbers := func() string {
		rec := httptest.NewRecorder()
		promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{}).ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
		return rec.Body.String()
	}
	for _, line := range []string{`pressroom_table_items{index="",table="blog"} 0`, `pressroom_source_up{source="jobs"} 1`, "pressroom_disk_free_bytes"} {
		if !strings.Contains(numbers(), line) {
			t.Errorf("%s is not among the numbers", line)
		}
	}
	eventually(t, "buckets are counted", func() bool { return strings.Contains(numbers(), `pressroom_bucket_objects{bucket="blog-media"} 0`) })
	v, err := blob.Client(st.objects).GetBucketVersioning(context.Background(), &s3.GetBucketVersioningInput{Bucket: aws.String("blog-media")})
	if err != nil || v.Status != types.BucketVersioningStatusEnabled {
		t.Errorf("versions are not kept: %+v, %v", v, err)
	}
	if out := ok(t, "check", "--data", set.Data); out != "no findings\n" {
		t.Errorf("the check says %s", out)
	}
	// What is wrong is found, and where, while it serves.
	_, err = st.tables.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("blog"), Item: map[string]ddbtypes.AttributeValue{
		"pk": &ddbtypes.AttributeValueMemberS{Value: "NOBODY"}, "sk": &ddbtypes.AttributeValueMemberS{Value: "KNOWS"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.tables.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("Replays")}); err != nil {
		t.Fatal(err)
	}
	r := runIn(t, nil, "check", "--data", set.Data)
	for _, want := range []string{"items blog pk=NOBODY sk=KNOWS: no entity", "schema: not done yet: create table Replays"} {
		if r.Code != 1 || !strings.Contains(r.Stdout, want) {
			t.Errorf("status %d: %s%s", r.Code, r.Stdout, r.Stderr)
		}
	}
}
