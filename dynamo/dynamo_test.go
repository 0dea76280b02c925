package dynamo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
)

func open(t testing.TB) *dynamo.DB {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// createTable makes a table with a partition key, pk, and a sort key, sk,
// both strings.
func createTable(t testing.TB, db dynamo.API, name string) {
	t.Helper()
	_, err := db.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func n(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

type item = map[string]types.AttributeValue

func TestOpenKeepsData(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	for round := range 2 {
		db, err := dynamo.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			createTable(t, db, "posts")
			_, err = db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("posts"), Item: item{"pk": s("a"), "sk": s("b")}})
			if err != nil {
				t.Fatal(err)
			}
		}
		out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("posts"), Key: item{"pk": s("a"), "sk": s("b")}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(item{"pk": s("a"), "sk": s("b")}, out.Item, ignoreSerde); diff != "" {
			t.Error(diff)
		}
		if err := db.Healthy(); err != nil {
			t.Error(err)
		}
		if _, err := dynamo.Open(dir, nil); !errors.Is(err, dynamo.ErrHeld) {
			t.Errorf("second Open: %v, want ErrHeld", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestClosed(t *testing.T) {
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ListTables(context.Background(), nil); err == nil {
		t.Error("a closed database answers")
	}
	if err := db.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}
