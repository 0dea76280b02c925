package dynamotest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/dynamotest"
)

// use makes a table with an item through the server's client, remembers it, changes it
// and goes back.
func use(t *testing.T, s *dynamotest.Server) {
	t.Helper()
	ctx := t.Context()
	table := aws.String("posts")
	make := func() {
		t.Helper()
		if _, err := s.Client.CreateTable(ctx, &dynamodb.CreateTableInput{
			TableName: table, BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	put := func(pk string) {
		t.Helper()
		if _, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: pk}}}); err != nil {
			t.Fatal(err)
		}
	}
	count := func(want int32) {
		t.Helper()
		if out, err := s.Client.Scan(ctx, &dynamodb.ScanInput{TableName: table}); err != nil || out.Count != want {
			t.Errorf("%v items, %v; want %d", out, err, want)
		}
	}
	make()
	s.Reset(t)
	make() // the table is gone with everything
	put("1")
	s.Snapshot(t)
	for range 2 {
		put("2")
		count(2)
		s.Reset(t)
		count(1)
	}
}

func TestStart(t *testing.T) {
	s := dynamotest.Start(t)
	use(t, s)
	out, err := s.DB().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("posts")})
	if err != nil || out.Count != 1 {
		t.Errorf("without HTTP: %v, %v", out, err)
	}
	if !strings.Contains(strings.Join(s.Environ(), "\n"), "AWS_ENDPOINT_URL="+s.URL) {
		t.Errorf("the environment: %v", s.Environ())
	}
	if other := dynamotest.Start(t); other.URL == s.URL {
		t.Error("two servers are one")
	}
}

func TestStartProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "pressroom-local")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "pressroom/cmd/pressroom-local")
	build.Env = os.Environ()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	use(t, dynamotest.StartProgram(t, program))
}

func ExampleStart() {
	t := new(testing.T) // that of a test

	s := dynamotest.Start(t)
	_, _ = s.Client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	cmd := exec.Command("node", "import.js") // a program that is tested too
	cmd.Env = s.Environ()
	s.Reset(t)
}
