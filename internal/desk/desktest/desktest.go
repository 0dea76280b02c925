// Package desktest helps the tests of desks' declarations: it reads their queues, and
// finds which documents a table's changes concern.
//
// Start with [Queue] and [Affected].
package desktest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/story"
	"pressroom/model"
)

// NoScans are tables that refuse to be scanned: what is read of them again and
// again must not cost more as they grow.
type NoScans struct{ model.DB }

// Scan refuses.
func (NoScans) Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return nil, errors.New("a source scans")
}

// Queue asks a source, and returns the queue of a name.
func Queue(t testing.TB, source ops.Source, name string) (ops.Readings, ops.Queue) {
	t.Helper()
	r, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range r.Queues {
		if q.Name == name {
			return r, q
		}
	}
	t.Fatalf("there is no queue %s in %+v", name, r.Queues)
	return r, ops.Queue{}
}

// changes are all changes of a table so far, as its stream has them.
func changes(t testing.TB, db *dynamo.DB, table string) []types.Record {
	t.Helper()
	ctx, streams := t.Context(), db.Streams()
	d, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	shards, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: d.Table.LatestStreamArn})
	if err != nil {
		t.Fatal(err)
	}
	var all []types.Record
	for _, shard := range shards.StreamDescription.Shards {
		at, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: d.Table.LatestStreamArn, ShardId: shard.ShardId, ShardIteratorType: types.ShardIteratorTypeTrimHorizon})
		if err != nil {
			t.Fatal(err)
		}
		for next := at.ShardIterator; next != nil; {
			page, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: aws.Int32(1000)})
			if err != nil {
				t.Fatal(err)
			}
			if all, next = append(all, page.Records...), page.NextShardIterator; len(page.Records) == 0 {
				break
			}
		}
	}
	return all
}

// Affected are the stories that the changes of a shelf's tables concern, each once.
func Affected(t testing.TB, db *dynamo.DB, shelf *story.Shelf) []string {
	t.Helper()
	var ids []string
	for _, table := range shelf.Tables {
		for _, change := range changes(t, db, table) {
			for id, err := range shelf.Affected(t.Context(), table, change) {
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// All are the ids of all stories of a shelf.
func All(t testing.TB, shelf *story.Shelf) []string {
	t.Helper()
	var ids []string
	for d, err := range shelf.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

// Hidden checks that stories are there for nobody.
func Hidden(t testing.TB, shelf *story.Shelf, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if d, err := shelf.Load(t.Context(), id); !errors.Is(err, errs.NotFound) {
			t.Errorf("%s is %+v, %v", id, d, err)
		}
	}
}

// Eventually waits until something holds; only what hangs comes near its deadline.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}
