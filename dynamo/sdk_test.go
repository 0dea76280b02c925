package dynamo_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What the SDK builds on its client also works on a DB.

func TestPaginators(t *testing.T) {
	db, ctx := open(t), context.Background()
	createTable(t, db, "posts")
	var keys []map[string]types.AttributeValue
	for i := range 10 {
		it := item{"pk": s("a"), "sk": s(fmt.Sprint(i))}
		keys = append(keys, it)
		if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("posts"), Item: it}); err != nil {
			t.Fatal(err)
		}
	}

	found := 0
	queries := dynamodb.NewQueryPaginator(db, &dynamodb.QueryInput{
		TableName: aws.String("posts"), KeyConditionExpression: aws.String("pk = :a"),
		ExpressionAttributeValues: item{":a": s("a")}, Limit: aws.Int32(3),
	})
	for queries.HasMorePages() {
		page, err := queries.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		found += len(page.Items)
	}
	if found != 10 {
		t.Errorf("the query's pages have %d items, want 10", found)
	}

	found = 0
	scans := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: aws.String("posts"), Limit: aws.Int32(4)})
	for scans.HasMorePages() {
		page, err := scans.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		found += len(page.Items)
	}
	if found != 10 {
		t.Errorf("the scan's pages have %d items, want 10", found)
	}

	found = 0
	batches := dynamodb.NewBatchGetItemPaginator(db, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{"posts": {Keys: keys}},
	})
	for batches.HasMorePages() {
		page, err := batches.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		found += len(page.Responses["posts"])
	}
	if found != 10 {
		t.Errorf("the batch's pages have %d items, want 10", found)
	}

	createTable(t, db, "more")
	names := 0
	tables := dynamodb.NewListTablesPaginator(db, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	for tables.HasMorePages() {
		page, err := tables.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		names += len(page.TableNames)
	}
	if names != 2 {
		t.Errorf("the list's pages have %d tables, want 2", names)
	}
}

func TestWaiters(t *testing.T) {
	db, ctx := open(t), context.Background()
	createTable(t, db, "posts")
	posts := &dynamodb.DescribeTableInput{TableName: aws.String("posts")}
	if err := dynamodb.NewTableExistsWaiter(db).Wait(ctx, posts, time.Minute); err != nil {
		t.Error(err)
	}
	if _, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: posts.TableName}); err != nil {
		t.Fatal(err)
	}
	if err := dynamodb.NewTableNotExistsWaiter(db).Wait(ctx, posts, time.Minute); err != nil {
		t.Error(err)
	}
}

// TestUnprocessedKeys reads more than the 16 MB that one answer holds.
func TestUnprocessedKeys(t *testing.T) {
	db, ctx := open(t), context.Background()
	createTable(t, db, "posts")
	var keys []map[string]types.AttributeValue
	for i := range 50 {
		key := item{"pk": s("a"), "sk": s(fmt.Sprint(i))}
		keys = append(keys, key)
		large := item{"pk": key["pk"], "sk": key["sk"], "body": &types.AttributeValueMemberB{Value: make([]byte, 390_000)}}
		if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("posts"), Item: large}); err != nil {
			t.Fatal(err)
		}
	}
	pages, found := 0, 0
	batches := dynamodb.NewBatchGetItemPaginator(db, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{"posts": {
			Keys: keys, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("#b"),
			ExpressionAttributeNames: map[string]string{"#b": "body"},
		}},
	})
	for batches.HasMorePages() {
		page, err := batches.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		found += len(page.Responses["posts"])
	}
	if pages < 2 || found != 50 {
		t.Errorf("%d pages with %d items, want more than one with 50", pages, found)
	}
}

func TestResultMetadata(t *testing.T) {
	db, ctx := open(t), context.Background()
	createTable(t, db, "posts")
	scan, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("posts")})
	if err != nil {
		t.Fatal(err)
	}
	list, err := db.ListTables(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := awsmiddleware.GetRequestIDMetadata(scan.ResultMetadata)
	b, _ := awsmiddleware.GetRequestIDMetadata(list.ResultMetadata)
	if len(a) != 52 || len(b) != 52 || a == b {
		t.Errorf("request ids %q and %q", a, b)
	}
}
