package kept_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
	"pressroom/internal/kept"
)

// board is a table with one item, and a store of what it says.
type board struct {
	t     *testing.T
	db    *dynamo.DB
	store *kept.Store[string]
	made  int
}

func openBoard(t *testing.T, o kept.Options) *board {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	_, err = db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("board"), BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
	})
	check(t, err)
	if o.Track == nil {
		o.Track = db.Track
	}
	return &board{t: t, db: db, store: kept.New[string](o)}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var key = map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}

func (b *board) write(text string) {
	b.t.Helper()
	item := map[string]types.AttributeValue{"pk": key["pk"], "text": &types.AttributeValueMemberS{Value: text}}
	_, err := b.db.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String("board"), Item: item})
	check(b.t, err)
}

func (b *board) read(ctx context.Context) (string, bool) {
	b.made++
	out, err := b.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("board"), Key: key})
	check(b.t, err)
	text, _ := out.Item["text"].(*types.AttributeValueMemberS)
	return text.Value, true
}

func (b *board) get(ctx context.Context) string {
	b.t.Helper()
	text, _, ok, err := b.store.Get(ctx, "", b.read)
	check(b.t, err)
	if !ok {
		b.t.Error("no answer")
	}
	return text
}

func (b *board) expect(text string, made int) {
	b.t.Helper()
	if got := b.get(b.t.Context()); got != text || b.made != made {
		b.t.Errorf("it says %s and was made %d times, want %s and %d", got, b.made, text, made)
	}
}

// An answer is kept as long as it may be, and as long as it is so.
func TestStore(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	b := openBoard(t, kept.Options{For: time.Minute, Now: func() time.Time { return now }})
	b.write("one")
	b.expect("one", 1)
	b.expect("one", 1)
	b.write("two")
	b.expect("two", 2)
	now = now.Add(time.Minute)
	b.expect("two", 3)
	now = now.Add(-time.Hour) // a clock that was set
	b.expect("two", 4)
}

// What is made of something kept dies with it, and what the store cannot vouch for is
// not kept; nor is anything without a store that tells.
func TestStoreOfKept(t *testing.T) {
	b := openBoard(t, kept.Options{For: time.Hour})
	outer := openBoard(t, kept.Options{For: time.Hour, Track: b.db.Track})
	shout := func(ctx context.Context) (string, bool) { return b.get(ctx) + "!", true }
	ask := func() string {
		text, _, _, err := outer.store.Get(t.Context(), "", shout)
		check(t, err)
		return text
	}
	b.write("one")
	b.get(t.Context())
	if got := ask() + ask(); got != "one!one!" || b.made != 1 {
		t.Errorf("%s, read %d times", got, b.made)
	}
	b.write("two")
	if got := ask(); got != "two!" {
		t.Errorf("after the write %s", got)
	}
	n := 0
	for range 2 {
		_, _, _, err := b.store.Get(t.Context(), "unsure", func(ctx context.Context) (string, bool) { n++; kept.Unsure(ctx); return "", true })
		check(t, err)
		_, _, _, err = kept.New[string](kept.Options{For: time.Hour}).Get(t.Context(), "", func(context.Context) (string, bool) { n++; return "", true })
		check(t, err)
	}
	if n != 4 {
		t.Errorf("made %d times, want 4: none of it may be kept", n)
	}
}

// An answer that was being made of what was there before is neither given to those
// who ask after the write, nor kept.
func TestStoreInFlight(t *testing.T) {
	b := openBoard(t, kept.Options{For: time.Hour})
	b.write("one")
	read, goOn := make(chan struct{}), make(chan struct{})
	var old, later string
	var flying sync.WaitGroup
	flying.Go(func() {
		text, _, _, err := b.store.Get(t.Context(), "", func(ctx context.Context) (string, bool) {
			text, ok := b.read(ctx)
			close(read)
			<-goOn
			return text, ok
		})
		if old = text; err != nil {
			t.Error(err)
		}
	})
	<-read
	b.write("two")
	flying.Go(func() {
		text, _, _, err := b.store.Get(t.Context(), "", b.read)
		if later = text; err != nil {
			t.Error(err)
		}
	})
	close(goOn)
	flying.Wait()
	if old != "one" || later != "two" {
		t.Errorf("who asked before got %s, who asked after %s", old, later)
	}
	if got := b.get(t.Context()); got != "two" {
		t.Errorf("%s is kept", got)
	}
}
