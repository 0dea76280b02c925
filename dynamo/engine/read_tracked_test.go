package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/dynamo"
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// shelf is a table with an index that holds only what its keys say, and a stream.
func shelf(t *testing.T, now func() time.Time) *dynamo.DB {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{Now: now, SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	key := func(names ...string) (all []types.KeySchemaElement) {
		for i := range names {
			all = append(all, types.KeySchemaElement{AttributeName: &names[i], KeyType: []types.KeyType{"HASH", "RANGE"}[i]})
		}
		return all
	}
	var attributes []types.AttributeDefinition
	for _, name := range []string{"pk", "sk", "shelf"} {
		attributes = append(attributes, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: "S"})
	}
	_, err = db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("books"), KeySchema: key("pk", "sk"), AttributeDefinitions: attributes, BillingMode: "PAY_PER_REQUEST",
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{IndexName: aws.String("ByShelf"), KeySchema: key("shelf", "sk"), Projection: &types.Projection{ProjectionType: "KEYS_ONLY"}}},
		LocalSecondaryIndexes:  []types.LocalSecondaryIndex{{IndexName: aws.String("Own"), KeySchema: key("pk", "shelf"), Projection: &types.Projection{ProjectionType: "KEYS_ONLY"}}},
		StreamSpecification:    &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: "NEW_AND_OLD_IMAGES"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: aws.String("books"), TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(true), AttributeName: aws.String("ttl")}})
	check(t, err)
	return db
}

func put(t testing.TB, db *dynamo.DB, pk, sk, shelf, title string, more ...string) {
	t.Helper()
	item := map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk), "shelf": text(shelf), "title": text(title)}
	for i := 0; i < len(more); i += 2 {
		item[more[i]] = &types.AttributeValueMemberN{Value: more[i+1]}
	}
	if _, err := db.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String("books"), Item: item}); err != nil {
		t.Fatal(err)
	}
}

// reads are the ways to read, each of what put(a, 1, x) wrote.
var reads = map[string]func(context.Context, *dynamo.DB) error{
	"get": func(ctx context.Context, db *dynamo.DB) error {
		_, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("books"), Key: map[string]types.AttributeValue{"pk": text("a"), "sk": text("1")}})
		return err
	},
	"batch": func(ctx context.Context, db *dynamo.DB) error {
		_, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"books": {Keys: []map[string]types.AttributeValue{{"pk": text("a"), "sk": text("1")}}}}})
		return err
	},
	"transaction": func(ctx context.Context, db *dynamo.DB) error {
		_, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: aws.String("books"), Key: map[string]types.AttributeValue{"pk": text("a"), "sk": text("1")}}}}})
		return err
	},
	"query": func(ctx context.Context, db *dynamo.DB) error { return query(ctx, db, nil, "pk", "a") },
	"local": func(ctx context.Context, db *dynamo.DB) error { return query(ctx, db, aws.String("Own"), "pk", "a") },
	"statement": func(ctx context.Context, db *dynamo.DB) error {
		_, err := db.ExecuteStatement(ctx, &dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM books WHERE pk = 'a'`)})
		return err
	},
	"scan": func(ctx context.Context, db *dynamo.DB) error {
		_, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("books")})
		return err
	},
}

func query(ctx context.Context, db *dynamo.DB, index *string, name, value string) error {
	in := &dynamodb.QueryInput{
		TableName: aws.String("books"), IndexName: index, KeyConditionExpression: aws.String(name + " = :v"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":v": text(value)},
	}
	if aws.ToString(index) == "Own" {
		in.Select = types.SelectAllAttributes // from the items behind it
	}
	_, err := db.Query(ctx, in)
	return err
}

// A reading holds until something that it read is written, by whichever way, and no
// longer.
func TestReading(t *testing.T) {
	clock := time.Unix(1_800_000_000, 0)
	writes := map[string]func(*testing.T, *dynamo.DB){
		"put": func(t *testing.T, db *dynamo.DB) { put(t, db, "a", "1", "x", "another") },
		"delete": func(t *testing.T, db *dynamo.DB) {
			_, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("books"), Key: map[string]types.AttributeValue{"pk": text("a"), "sk": text("1")}})
			check(t, err)
		},
		"transaction": func(t *testing.T, db *dynamo.DB) {
			_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Delete: &types.Delete{TableName: aws.String("books"), Key: map[string]types.AttributeValue{"pk": text("a"), "sk": text("1")}}}}})
			check(t, err)
		},
		"batch": func(t *testing.T, db *dynamo.DB) {
			_, err := db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"books": {{DeleteRequest: &types.DeleteRequest{Key: map[string]types.AttributeValue{"pk": text("a"), "sk": text("1")}}}}}})
			check(t, err)
		},
		"statement": func(t *testing.T, db *dynamo.DB) {
			_, err := db.ExecuteStatement(t.Context(), &dynamodb.ExecuteStatementInput{Statement: aws.String(`DELETE FROM books WHERE pk = 'a' AND sk = '1'`)})
			check(t, err)
		},
		"expiry": func(t *testing.T, db *dynamo.DB) {
			clock = clock.Add(2 * time.Hour)
			check(t, db.Engine().Sweep())
		},
		"table": func(t *testing.T, db *dynamo.DB) {
			_, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("books")})
			check(t, err)
		},
	}
	for how, read := range reads {
		for what, write := range writes {
			t.Run(how+" "+what, func(t *testing.T) {
				db := shelf(t, func() time.Time { return clock })
				put(t, db, "a", "1", "x", "one", "ttl", fmt.Sprint(clock.Add(time.Hour).Unix()))
				put(t, db, "b", "1", "y", "two")
				var all, reading dynamo.Reading
				for try := 0; try < 3 && (all == nil || !reading.Holds() || !all.Holds()); try++ { // a table with a TTL is altered once more, behind the answer
					var ctx context.Context
					ctx, all = db.Track(t.Context())
					ctx, reading = db.Track(ctx)
					check(t, read(ctx, db))
					if how != "scan" {
						put(t, db, "b", "1", "y", fmt.Sprint("three", try))
					}
				}
				if !reading.Holds() || !all.Holds() {
					t.Fatal("it does not hold, and nothing was written of what was read")
				}
				joined, other := db.Track(t.Context())
				reading.Join(joined)
				write(t, db)
				if reading.Holds() || all.Holds() || other.Holds() {
					t.Errorf("it holds after the write: %v, around it %v, joined %v", reading.Holds(), all.Holds(), other.Holds())
				}
			})
		}
	}
}

// A list of an index dies with an entry that comes or goes, and not with a change
// that the index does not hold.
func TestReadingOfIndex(t *testing.T) {
	db := shelf(t, nil)
	put(t, db, "a", "1", "x", "one")
	list := func() dynamo.Reading {
		ctx, reading := db.Track(t.Context())
		check(t, query(ctx, db, aws.String("ByShelf"), "shelf", "x"))
		return reading
	}
	r := list()
	for try := 0; try < 3 && !r.Holds() || try == 0; try++ { // as above
		r = list()
		put(t, db, "a", "1", "x", fmt.Sprint("another title", try))
	}
	if !r.Holds() {
		t.Error("the list died with what it does not have")
	}
	put(t, db, "a", "1", "y", "moved away")
	if r.Holds() {
		t.Error("the list holds after its entry left")
	}
	r = list()
	put(t, db, "c", "9", "x", "moved in")
	if r.Holds() {
		t.Error("the list holds after an entry came")
	}
}

// While many write, nobody who asks after a write was answered finds a reading to
// hold that was made of what was there before; and a stream that is read with a
// tracked context has every change that was answered.
func TestReadingUnderWrites(t *testing.T) {
	db := shelf(t, nil)
	d, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("books")})
	check(t, err)
	shards, err := db.Streams().DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: d.Table.LatestStreamArn})
	check(t, err)
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			pk, own := fmt.Sprint("p", w), map[string]types.AttributeValue{"pk": text(fmt.Sprint("p", w)), "sk": text("1")}
			for i := range 60 {
				title := fmt.Sprint(i)
				ctx, before := db.Track(context.Background())
				if _, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("books"), Key: own}); err != nil {
					t.Error(err)
				}
				put(t, db, pk, "1", "x", title)
				if before.Holds() {
					t.Errorf("%s: what was read before the write holds", pk)
				}
				if i%20 == 19 && !streamHas(t, db, d.Table.LatestStreamArn, shards.StreamDescription.Shards[0].ShardId, pk, title) {
					t.Errorf("the stream lacks change %s of %s, which was answered", title, pk)
				}
			}
		})
	}
	writers.Wait()
}

func streamHas(t *testing.T, db *dynamo.DB, arn, shard *string, pk, title string) bool {
	ctx, _ := db.Track(context.Background())
	at, err := db.Streams().GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: shard, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon})
	for err == nil {
		var page *dynamodbstreams.GetRecordsOutput
		if page, err = db.Streams().GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at.ShardIterator}); err != nil {
			break
		}
		for _, r := range page.Records {
			key, _ := r.Dynamodb.Keys["pk"].(*streams.AttributeValueMemberS)
			value, _ := r.Dynamodb.NewImage["title"].(*streams.AttributeValueMemberS)
			if key.Value == pk && value.Value == title {
				return true
			}
		}
		if len(page.Records) == 0 {
			return false
		}
		at.ShardIterator = page.NextShardIterator
	}
	t.Error(err)
	return false
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
