package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// Post is what the examples keep.
type Post struct {
	Blog  string `dynamodbav:"blog"`
	ID    string `dynamodbav:"id"`
	Title string `dynamodbav:"title"`
	Views int    `dynamodbav:"views"`
}

func newPosts(ctx context.Context, api dynamo.API) error {
	_, err := api.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   aws.String("posts"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("blog"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("blog"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("id"), KeyType: types.KeyTypeRange},
		},
	})
	return err
}

// A database in memory, for a test. dynamo.Open does the same on disk.
func Example() {
	ctx := context.Background()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := newPosts(ctx, db); err != nil {
		log.Fatal(err)
	}

	item, err := attributevalue.MarshalMap(Post{Blog: "news", ID: "1", Title: "Hello", Views: 3})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("posts"), Item: item}); err != nil {
		log.Fatal(err)
	}

	key := expression.Key("blog").Equal(expression.Value("news"))
	query, err := expression.NewBuilder().WithKeyCondition(key).Build()
	if err != nil {
		log.Fatal(err)
	}
	pages := dynamodb.NewQueryPaginator(db, &dynamodb.QueryInput{
		TableName:                 aws.String("posts"),
		KeyConditionExpression:    query.KeyCondition(),
		ExpressionAttributeNames:  query.Names(),
		ExpressionAttributeValues: query.Values(),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			log.Fatal(err)
		}
		var posts []Post
		if err := attributevalue.UnmarshalListOfMaps(page.Items, &posts); err != nil {
			log.Fatal(err)
		}
		for _, p := range posts {
			fmt.Printf("%s/%s: %s, %d views\n", p.Blog, p.ID, p.Title, p.Views)
		}
	}
	// Output: news/1: Hello, 3 views
}

// A condition that is not met is the SDK's own error, as with a client.
func ExampleDB_PutItem() {
	ctx := context.Background()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := newPosts(ctx, db); err != nil {
		log.Fatal(err)
	}
	put := &dynamodb.PutItemInput{
		TableName: aws.String("posts"),
		Item: map[string]types.AttributeValue{
			"blog": &types.AttributeValueMemberS{Value: "news"},
			"id":   &types.AttributeValueMemberS{Value: "1"},
		},
		ConditionExpression: aws.String("attribute_not_exists(id)"),
	}
	for range 2 {
		_, err := db.PutItem(ctx, put)
		var there *types.ConditionalCheckFailedException
		fmt.Println(errors.As(err, &there))
	}
	// Output:
	// false
	// true
}

// Code that takes an API runs on the embedded database and on Amazon's.
func ExampleAPI() {
	count := func(ctx context.Context, api dynamo.API) (int, error) {
		out, err := api.ListTables(ctx, &dynamodb.ListTablesInput{})
		if err != nil {
			return 0, err
		}
		return len(out.TableNames), nil
	}

	ctx := context.Background()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := newPosts(ctx, db); err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(wire.New(db, nil))
	defer server.Close()
	client := dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: &server.URL,
		Credentials:  credentials.NewStaticCredentialsProvider("any", "any", ""),
	})

	for _, api := range []dynamo.API{db, client} {
		n, err := count(ctx, api)
		fmt.Println(n, err)
	}
	// Output:
	// 1 <nil>
	// 1 <nil>
}
