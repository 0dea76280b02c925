package engine

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
)

func tags(pairs ...string) []types.Tag {
	list := []types.Tag{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, types.Tag{Key: aws.String(pairs[i]), Value: aws.String(pairs[i+1])})
	}
	return list
}

// numberedTags returns n tags whose keys are numbers from first.
func numberedTags(first, n int) []types.Tag {
	list := []types.Tag{}
	for i := first; i < first+n; i++ {
		list = append(list, tags(strconv.Itoa(i), "value")...)
	}
	return list
}

func tagsOf(t testing.TB, e *Engine, arn *string) map[string]string {
	t.Helper()
	out, err := e.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, tag := range out.Tags {
		found[*tag.Key] = *tag.Value
	}
	if len(found) != len(out.Tags) {
		t.Errorf("%d tags have %d keys", len(out.Tags), len(found))
	}
	return found
}

func tag(t testing.TB, e *Engine, arn *string, list []types.Tag) {
	t.Helper()
	if _, err := e.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: list}); err != nil {
		t.Fatal(err)
	}
}

func TestTags(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	in := simpleTable("table")
	in.Tags = tags("desk", "culture", "empty", "")
	arn := create(t, e, in).TableArn
	check := func(want map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, tagsOf(t, e, arn)); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
	}
	check(map[string]string{"desk": "culture", "empty": ""})
	tag(t, e, arn, tags("desk", "sports", "über ß_.:/=+-@", "ж 1"))
	check(map[string]string{"desk": "sports", "empty": "", "über ß_.:/=+-@": "ж 1"})
	_, err := e.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"empty", "never", "empty"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"desk": "sports", "über ß_.:/=+-@": "ж 1"}
	check(want)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	check(want)
}

func TestTagsRefused(t *testing.T) {
	e := openStore(t, nil, newClock())
	good := aws.ToString(create(t, e, simpleTable("table")).TableArn)
	const missing = "arn:aws:dynamodb:us-east-1:000000000001:table/nope"
	fault := func(value, at, constraint string) string {
		return "1 validation error detected: Value " + value + " at '" + at + "' failed to satisfy constraint: Member must " + constraint
	}
	long := strings.Repeat("ü", 129)
	for _, tt := range []struct {
		arn        string
		tags       []types.Tag
		kind, want string
	}{
		{good, nil, Validation, fault("null", "tags", "not be null")},
		{good, []types.Tag{{Value: aws.String("v")}}, Validation, fault("null", "tags.1.member.key", "not be null")},
		{good, []types.Tag{{Key: aws.String("k")}}, Validation, fault("null", "tags.1.member.value", "not be null")},
		{good, tags("", "v"), Validation, fault("''", "tags.1.member.key", "have length greater than or equal to 1")},
		{good, tags(long, "v"), Validation, fault("'"+long+"'", "tags.1.member.key", "have length less than or equal to 128")},
		{good, tags("k", long+long), Validation, fault("'"+long+long+"'", "tags.1.member.value", "have length less than or equal to 256")},
		{"table", tags(), Validation, parameters + "ARNs must start with 'arn:': table"},
		{good + "/index/some", tags("k", "v"), Validation, parameters + "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: " + good + "/index/some"},
		{"arn:aws:s3:::bucket", tags("k", "v"), Validation, parameters + "Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket"},
		{good, tags(), Validation, "Atleast one Tag needs to be provided as Input."},
		{good, tags("k", "1", "k", "2"), Validation, "Duplicate Tag Keys provided as input: Duplicate Tag Key found k"},
		{good, tags("a!", "1"), Validation, "The Tag Key provided is invalid, Key: a!"},
		{good, tags("a", "1!"), Validation, "The Tag Value provided is invalid, Value: 1!"},
		{good, tags("AWS:x", "1"), Validation, "Tag Key cannot be prefixed with aws:, Key: AWS:x"},
		{good, numberedTags(0, 51), Validation, "Number of Tags exceed the current limit for the provided ResourceArn"},
		{missing, tags("k", "v"), NotFound, "Requested resource not found: ResourceArn: " + missing + " not found"},
	} {
		_, err := e.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: aws.String(tt.arn), Tags: tt.tags})
		refused(t, err, tt.kind, tt.want)
	}
	_, err := e.TagResource(ctx, &dynamodb.TagResourceInput{Tags: tags("k", "v")})
	refused(t, err, Validation, fault("null", "resourceArn", "not be null"))

	for _, tt := range []struct {
		arn        string
		keys       []string
		kind, want string
	}{
		{good, nil, Validation, fault("null", "tagKeys", "not be null")},
		{good, []string{}, Validation, "Atleast one Tag Key needs to be provided as Input."},
		{good, []string{"a", long}, Validation, fault("'"+long+"'", "tagKeys.2.member", "have length less than or equal to 128")},
		{"x", []string{"a"}, Validation, parameters + "ARNs must start with 'arn:': x"},
		{missing, []string{"a"}, NotFound, "Requested resource not found: ResourceArn: " + missing + " not found"},
	} {
		_, err := e.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: aws.String(tt.arn), TagKeys: tt.keys})
		refused(t, err, tt.kind, tt.want)
	}

	_, err = e.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{})
	refused(t, err, Validation, fault("null", "resourceArn", "not be null"))
	_, err = e.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String("x")})
	refused(t, err, Validation, parameters+"ARNs must start with 'arn:': x")
	_, err = e.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: &good, NextToken: aws.String("2")})
	refused(t, err, Validation, "Invalid NextToken provided as input 2")
	for _, account := range []string{"000000000000", "999999999999"} {
		foreign := "arn:aws:dynamodb:us-east-1:" + account + ":table/nope"
		_, err = e.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: &foreign})
		refused(t, err, AccessDenied, "User: arn:aws:iam::000000000001:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: "+foreign)
	}
	if got := tagsOf(t, e, &good); len(got) != 0 {
		t.Errorf("refused requests have left tags %v", got)
	}
	_, err = e.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String(missing)})
	refused(t, err, NotFound, "Requested resource not found: ResourceArn: "+missing+" not found")
}

// The limit counts what a table has after the request.
func TestTagsLimit(t *testing.T) {
	e := openStore(t, nil, newClock())
	arn := create(t, e, simpleTable("table")).TableArn
	tag(t, e, arn, numberedTags(0, 50))
	tag(t, e, arn, numberedTags(40, 10))
	_, err := e.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: numberedTags(50, 1)})
	refused(t, err, Validation, "Number of Tags exceed the current limit for the provided ResourceArn")
	if n := len(tagsOf(t, e, arn)); n != 50 {
		t.Errorf("the table has %d tags, want 50", n)
	}
}

// Nobody's tags are lost when many add some at once.
func TestTagsTogether(t *testing.T) {
	e := openStore(t, nil, newClock())
	arn := create(t, e, simpleTable("table")).TableArn
	var wg sync.WaitGroup
	for i := range 25 {
		wg.Go(func() {
			if _, err := e.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: numberedTags(2*i, 2)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(tagsOf(t, e, arn)); n != 50 {
		t.Errorf("the table has %d tags, want 50", n)
	}
}
