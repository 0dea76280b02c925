package cli

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/blog"
)

// Nobody serves the directory: the command looks at it by itself, and names each
// damage with the desk that it concerns.
func TestCheckDirectory(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	ctx := context.Background()
	st, err := openStore(storeSettings{Data: data}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := deskSettings{}.schemas()
	if err != nil {
		t.Fatal(err)
	}
	if err := st.prepare(ctx, schemas...); err != nil {
		t.Fatal(err)
	}
	desk, err := blog.New(st.db, st.client, nil)
	if err != nil {
		t.Fatal(err)
	}
	post, err := desk.Create(ctx, blog.Content{Title: "News", Summary: "About", Blocks: []blog.Block{{Type: blog.Text, Layout: blog.Full, Content: "Text."}}})
	if err != nil {
		t.Fatal(err)
	}
	if out := ok(t, "check", "--data", data); out != "no findings\n" { // by the process that has it open, which is this one
		t.Errorf("sound data: %s", out)
	}
	_, err = st.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("blog"), Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "POST#" + post.ID}, "sk": &types.AttributeValueMemberS{Value: "STATUS#draft"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = st.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("summanow"), Item: map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "NOTHING"}, "SK": &types.AttributeValueMemberS{Value: "NOTHING"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"blog blog pk=POST#" + post.ID + " sk=METADATA: Post: it is not listed under the state draft",
		"items summanow PK=NOTHING SK=NOTHING: no entity of the schema has such a key",
	}
	for _, served := range []bool{true, false} {
		if !served {
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
		}
		r := runIn(t, nil, "check", "--data", data)
		if r.Code != 1 || !strings.Contains(r.Stderr, "2 findings") {
			t.Errorf("served %t: status %d, %s", served, r.Code, r.Stderr)
		}
		for _, line := range want {
			if !strings.Contains(r.Stdout, line+"\n") {
				t.Errorf("served %t: no %q in\n%s", served, line, r.Stdout)
			}
		}
	}
	if r := runIn(t, nil, "check", "--data", data, "--json"); !strings.Contains(r.Stdout, `{"check":"blog","where":"blog pk=POST#`) {
		t.Errorf("as JSON: %s", r.Stdout)
	}
}

// What the demo shows of all desks is sound, while its jobs go on and afterwards.
func TestCheckDemo(t *testing.T) {
	dir := t.TempDir()
	d := startDemo(t, dir)
	d.complete(t)
	if out := ok(t, "check", "--data", dir); out != "no findings\n" {
		t.Errorf("the demo's data: %s", out)
	}
}
