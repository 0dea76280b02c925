// Package orders is tested as a program of another module would be: with a DynamoDB of
// each test's own, in process, and with the program that has S3 too.
package orders

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/dynamo/dynamotest"
)

func TestInProcess(t *testing.T) {
	s := dynamotest.Start(t)
	if _, err := s.Client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("test-orders"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
	use(t, s, 0)
}

func TestOutOfProcess(t *testing.T) {
	program := os.Getenv("PRESSROOM_PROGRAM")
	if program == "" {
		t.Skip("SKIPPED: set PRESSROOM_PROGRAM to the path of pressroom-local")
	}
	s := dynamotest.StartProgram(t, program, "--template="+filepath.Join("..", "orders.yaml"), "--seed="+filepath.Join("..", "seeds"))
	for range 2 { // each begins with what the seeds hold
		use(t, s, 1)
		s.Reset(t)
	}
	objects := s3.NewFromConfig(s.Config, func(o *s3.Options) { o.UsePathStyle = true })
	if _, err := objects.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("media"), Key: aws.String("new.txt"), Body: strings.NewReader("new")}); err != nil {
		t.Fatal(err)
	}
	out, err := objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("media"), Key: aws.String("new.txt")})
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(out.Body); err != nil || string(body) != "new" {
		t.Errorf("%q, %v", body, err)
	}
}

// use puts an order into a table that has some.
func use(t *testing.T, s *dynamotest.Server, there int32) {
	t.Helper()
	table := aws.String("test-orders")
	if _, err := s.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}}}); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Client.Scan(t.Context(), &dynamodb.ScanInput{TableName: table}); err != nil || out.Count != there+1 {
		t.Errorf("%v, %v", out, err)
	}
}
