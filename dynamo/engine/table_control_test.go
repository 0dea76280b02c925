package engine

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/dynamo/attr"
)

var ctx = context.Background()

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// openStore opens a store in memory, with a sweeper that only tests run.
func openStore(t testing.TB, fs vfs.FS, c *clock) *Engine {
	t.Helper()
	if fs == nil {
		fs = vfs.NewMem()
	}
	e, err := Open("store", &Options{FS: fs, Now: c.now, SweepEvery: -1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// simpleTable is a request for a table with partition key pk.
func simpleTable(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:            aws.String(name),
		AttributeDefinitions: definitions("pk", "S"),
		KeySchema:            keys("pk", "HASH"),
		BillingMode:          types.BillingModePayPerRequest,
	}
}

// rangeTable is one with partition key pk and sort key sk.
func rangeTable(name string) *dynamodb.CreateTableInput {
	in := simpleTable(name)
	in.AttributeDefinitions, in.KeySchema = definitions("pk", "S", "sk", "N"), keys("pk", "HASH", "sk", "RANGE")
	return in
}

func definitions(nameType ...string) []types.AttributeDefinition {
	defs := []types.AttributeDefinition{}
	for i := 0; i < len(nameType); i += 2 {
		defs = append(defs, types.AttributeDefinition{AttributeName: aws.String(nameType[i]), AttributeType: types.ScalarAttributeType(nameType[i+1])})
	}
	return defs
}

func keys(nameType ...string) []types.KeySchemaElement {
	key := []types.KeySchemaElement{}
	for i := 0; i < len(nameType); i += 2 {
		key = append(key, types.KeySchemaElement{AttributeName: aws.String(nameType[i]), KeyType: types.KeyType(nameType[i+1])})
	}
	return key
}

func projects(kind string, names ...string) *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(kind), NonKeyAttributes: names}
}

func globalIndex(name string, key []types.KeySchemaElement, p *types.Projection) types.GlobalSecondaryIndex {
	return types.GlobalSecondaryIndex{IndexName: aws.String(name), KeySchema: key, Projection: p}
}

func units(read, write int64) *types.ProvisionedThroughput {
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(read), WriteCapacityUnits: aws.Int64(write)}
}

func create(t testing.TB, e *Engine, in *dynamodb.CreateTableInput) *types.TableDescription {
	t.Helper()
	out, err := e.CreateTable(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return out.TableDescription
}

func describe(t testing.TB, e *Engine, name string) *types.TableDescription {
	t.Helper()
	out, err := e.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Table
}

func update(t testing.TB, e *Engine, in *dynamodb.UpdateTableInput) *types.TableDescription {
	t.Helper()
	out, err := e.UpdateTable(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return out.TableDescription
}

// item makes an item of names and values: strings, or ints for numbers.
func item(pairs ...any) attr.Item {
	var b attr.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.Set(pairs[i].(string), value(pairs[i+1]))
	}
	return b.Item()
}

func value(v any) attr.Value {
	switch v := v.(type) {
	case string:
		return attr.NewString(v)
	case int:
		n, err := attr.NewNumber(strconv.Itoa(v))
		if err != nil {
			panic(err)
		}
		return n
	}
	panic("no such value")
}

func put(t testing.TB, e *Engine, table string, it attr.Item) {
	t.Helper()
	if _, err := e.PutItem(ctx, &PutItem{TableName: aws.String(table), Item: it}); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, e *Engine, table string, key attr.Item) {
	t.Helper()
	if _, err := e.DeleteItem(ctx, &DeleteItem{Keyed: Keyed{TableName: aws.String(table), Key: key}}); err != nil {
		t.Fatal(err)
	}
}

// scan returns the items of a table, or of an index of it, as JSON, in any
// order.
func scan(t testing.TB, e *Engine, table, index string) map[string]int {
	t.Helper()
	items := map[string]int{}
	in := &Scan{Paged: Paged{TableName: aws.String(table), Emit: func(it attr.Item) error {
		items[string(attr.AppendItemJSON(nil, it))]++
		return nil
	}}}
	if index != "" {
		in.IndexName = aws.String(index)
	}
	for {
		out, err := e.Scan(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		if out.LastKey == nil {
			return items
		}
		in.ExclusiveStartKey = out.LastKey
	}
}

// verified fails the test if the store contradicts itself.
func verified(t testing.TB, e *Engine) {
	t.Helper()
	if err := e.Verify(ctx, func(p Problem) { t.Error(p) }); err != nil {
		t.Error(err)
	}
}

// refused checks that an error is DynamoDB's, of that type and text.
func refused(t testing.TB, err error, kind, message string) {
	t.Helper()
	var own *Error
	if !errors.As(err, &own) {
		t.Errorf("got %v, want %s: %s", err, kind, message)
		return
	}
	if own.Type != kind || own.Message != message {
		t.Errorf("got\n%s: %s\nwant\n%s: %s", own.Type, own.Message, kind, message)
	}
}

// eventually waits for background work, which only a broken engine never ends.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting for %s", what)
		}
	}
}

func active(t testing.TB, e *Engine, table string) {
	t.Helper()
	eventually(t, table+" to be active", func() bool {
		d := describe(t, e, table)
		for _, g := range d.GlobalSecondaryIndexes {
			if g.IndexStatus != types.IndexStatusActive {
				return false
			}
		}
		return d.TableStatus == types.TableStatusActive
	})
}
