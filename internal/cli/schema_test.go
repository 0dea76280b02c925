package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

func TestSchemaPrintAndCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	tests := []struct {
		args []string
		has  string
	}{
		{[]string{"schema", "print"}, "pattern  NextPending"},
		{[]string{"schema", "print", "--desk=blog"}, "BLOCK#{order:05}"},
		{[]string{"schema", "print", "--cost"}, "LatestPublished"},
		{[]string{"schema", "print", "--json"}, `"kind": "table"`},
		{[]string{"schema", "print", "--cost", "--json"}, `"pattern": "GetTask"`},
		{[]string{"schema", "check"}, "no findings"},
		{[]string{"schema", "check", "--json"}, "[]"},
	}
	for _, tt := range tests {
		got := runIn(t, nil, tt.args...)
		if got.Code != 0 || !strings.Contains(got.Stdout, tt.has) {
			t.Errorf("%v: %d, %s%s", tt.args, got.Code, got.Stdout, got.Stderr)
		}
	}
	if got := runIn(t, nil, "schema", "print", "--desk=sports"); got.Code != 2 || !strings.Contains(got.Stderr, "minutes, newswire, blog, lexicon") {
		t.Errorf("an unknown desk: %+v", got)
	}
}

func TestSchemaNames(t *testing.T) {
	t.Chdir(t.TempDir())
	got := runIn(t, []string{"BLOG_TABLE=my-blog", "SUMMANOW_BUCKET=my-bucket"}, "schema", "cloudformation")
	var template struct {
		Resources map[string]struct{ Type string }
	}
	if err := json.Unmarshal([]byte(got.Stdout), &template); err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	counts := map[string]int{}
	for _, r := range template.Resources {
		counts[r.Type]++
	}
	if counts["AWS::DynamoDB::Table"] != 16 || counts["AWS::S3::Bucket"] != 4 {
		t.Errorf("the template has %v", counts)
	}
	for _, want := range []string{"MyBlogTable", "MyBucket"} {
		if _, ok := template.Resources[want]; !ok {
			t.Errorf("no %s", want)
		}
	}
}

// TestSchemaEveryNameIsASetting: each table's and bucket's variable is known to
// the settings, with the same default.
func TestSchemaEveryNameIsASetting(t *testing.T) {
	schemas, err := tableNames(nil).schemas()
	if err != nil {
		t.Fatal(err)
	}
	shown := runIn(t, nil, "config", "--json").Stdout
	for _, s := range schemas {
		for _, table := range s.Tables {
			if !strings.Contains(shown, `"value": "`+table.Name+`"`) {
				t.Errorf("no setting has the default %s", table.Name)
			}
		}
		for _, b := range s.Buckets {
			if !strings.Contains(shown, `"value": "`+b.Name+`"`) {
				t.Errorf("no setting has the default %s", b.Name)
			}
		}
	}
}

func TestSchemaApplyAndMigrate(t *testing.T) {
	t.Chdir(t.TempDir())
	dry := runIn(t, nil, "schema", "apply", "--dry-run")
	if dry.Code != 0 || strings.Count(dry.Stdout, "+ create table") != 16 || strings.Count(dry.Stdout, "+ create bucket") != 4 {
		t.Fatalf("dry run: %+v", dry)
	}
	first := runIn(t, nil, "schema", "apply")
	if first.Code != 0 || first.Stdout != dry.Stdout {
		t.Fatalf("the plan was\n%s and then\n%+v", dry.Stdout, first)
	}
	if again := runIn(t, nil, "schema", "apply"); again.Code != 0 || again.Stdout != "nothing to do\n" {
		t.Errorf("a second run: %+v", again)
	}
	oldTask(t)
	if counted := runIn(t, nil, "schema", "migrate", "--desk=minutes"); counted.Code != 0 || !strings.Contains(counted.Stdout, "PoliTopics-llm-tasks: 1 items, 1 to change") {
		t.Errorf("dry run of a migration: %+v", counted)
	}
	if done := runIn(t, nil, "schema", "migrate", "--desk=minutes", "--yes"); done.Code != 0 || !strings.Contains(done.Stdout, "PoliTopics-llm-tasks: 1 items, 1 changed") {
		t.Errorf("migration: %+v", done)
	}
	if again := runIn(t, nil, "schema", "migrate", "--desk=minutes", "--yes"); again.Code != 0 || !strings.Contains(again.Stdout, "PoliTopics-llm-tasks: 1 items, 0 changed") {
		t.Errorf("a second migration: %+v", again)
	}
	if _, err := os.Stat(filepath.Join("pressroom-data", "migrate.json")); !os.IsNotExist(err) {
		t.Errorf("the state of a finished migration is still there: %v", err)
	}
	if err := os.WriteFile("state.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if broken := runIn(t, nil, "schema", "migrate", "--yes", "--state=state.json"); broken.Code != 2 || !strings.Contains(broken.Stderr, "delete the file") {
		t.Errorf("a broken state: %+v", broken)
	}
}

// oldTask writes a task as the consumers' specification has it.
func oldTask(t *testing.T) {
	t.Helper()
	db, err := dynamo.Open(filepath.Join("pressroom-data", "tables"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := func(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
	_, err = db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("PoliTopics-llm-tasks"), Item: map[string]types.AttributeValue{
		"pk": s("121805261X00320250919"), "status": s("pending"), "createdAt": s("2025-09-19T00:00:00Z"), "processingMode": s("direct"),
		"meeting": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"issueID": s("121805261X00320250919")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
}
