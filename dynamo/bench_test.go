package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"pressroom/dynamo"
	"pressroom/dynamo/attr"
)

// Each benchmark runs the same work on a DB and on Pebble alone, both on disk
// and with sync, by 64 goroutines, so that one run shows what the database
// adds to its storage engine:
//
//	go test -run - -bench . ./dynamo

const (
	benchItems = 100_000 // more than the memory table holds
	benchPage  = 20
	clients    = 64
)

// benchItem is an item of about 1 KB.
func benchItem(pk, sk string) item {
	return item{
		"pk": s(pk), "sk": s(sk),
		"title":     s("What the committee decided on Tuesday"),
		"status":    s("published"),
		"createdAt": s("2026-11-15T09:30:00.000Z"),
		"views":     n("1234567"),
		"pinned":    &types.AttributeValueMemberBOOL{Value: false},
		"tags":      &types.AttributeValueMemberSS{Value: []string{"budget", "diet", "tax"}},
		"body":      s(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 18)),
	}
}

func benchKey(i int) (pk, sk string) {
	return fmt.Sprintf("p%05d", i/benchPage), fmt.Sprintf("s%02d", i%benchPage)
}

func openBench(b *testing.B) *dynamo.DB {
	b.Helper()
	db, err := dynamo.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	createTable(b, db, "posts")
	ctx := context.Background()
	for i := 0; i < benchItems; i += 25 {
		var batch []types.WriteRequest
		for j := i; j < i+25; j++ {
			pk, sk := benchKey(j)
			batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: benchItem(pk, sk)}})
		}
		_, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"posts": batch}})
		if err != nil {
			b.Fatal(err)
		}
	}
	return db
}

// openPebble is a store with the engine's own settings and the same items.
func openPebble(b *testing.B) *pebble.DB {
	b.Helper()
	cache := pebble.NewCache(64 << 20)
	defer cache.Unref()
	o := &pebble.Options{
		Cache: cache, MemTableSize: 32 << 20, MemTableStopWritesThreshold: 4, L0CompactionThreshold: 4,
		FormatMajorVersion: pebble.FormatNewest, Logger: quiet{},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(b.TempDir(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	for _, i := range rand.Perm(benchItems) { // the engine orders partitions by hash
		if err := db.Set(rawKey(i), rawItem(b, i), pebble.NoSync); err != nil {
			b.Fatal(err)
		}
	}
	return db
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func rawKey(i int) []byte {
	pk, sk := benchKey(i)
	return []byte("t1" + pk + "\x00" + sk)
}

func rawItem(b *testing.B, i int) []byte {
	b.Helper()
	it, err := attr.ItemFromSDK(benchItem(benchKey(i)))
	if err != nil {
		b.Fatal(err)
	}
	return it
}

// prepare makes one of something for each item, before the clock runs.
func prepare[T any](of func(i int) T) []T {
	list := make([]T, benchItems)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

// parallel runs do from 64 goroutines.
func parallel(b *testing.B, do func(i int) error) {
	b.Helper()
	b.ReportAllocs()
	b.SetParallelism(max(1, clients/runtime.GOMAXPROCS(0)))
	settle(b)
	b.ResetTimer()
	before := cpuTime(b)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := do(rand.IntN(benchItems)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// settle waits until compactions have ended.
func settle(b *testing.B) {
	b.Helper()
	for range 100 {
		before := cpuTime(b)
		time.Sleep(100 * time.Millisecond)
		if cpuTime(b)-before < int64(5*time.Millisecond) {
			return
		}
	}
}

// cpuTime is what the process has used. Unlike the time on the clock it tells
// little of what else the machine does.
func cpuTime(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func BenchmarkGetItem(b *testing.B) {
	raw, db, ctx := openPebble(b), openBench(b), context.Background()
	keys := prepare(rawKey)
	inputs := prepare(func(i int) *dynamodb.GetItemInput {
		pk, sk := benchKey(i)
		return &dynamodb.GetItemInput{TableName: aws.String("posts"), Key: item{"pk": s(pk), "sk": s(sk)}}
	})
	b.Run("pebble", func(b *testing.B) {
		parallel(b, func(i int) error {
			v, closer, err := raw.Get(keys[i])
			if err != nil {
				return err
			}
			if len(bytes.Clone(v)) < 800 { // it is Pebble's until Close
				return errors.New("no item")
			}
			return closer.Close()
		})
	})
	b.Run("dynamo", func(b *testing.B) {
		parallel(b, func(i int) error {
			out, err := db.GetItem(ctx, inputs[i])
			if err == nil && len(out.Item) == 0 {
				return errors.New("no item")
			}
			return err
		})
	})
}

func BenchmarkPutItem(b *testing.B) {
	raw, db, ctx := openPebble(b), openBench(b), context.Background()
	keys := prepare(rawKey)
	items := prepare(func(i int) []byte { return rawItem(b, i) })
	inputs := prepare(func(i int) *dynamodb.PutItemInput {
		return &dynamodb.PutItemInput{TableName: aws.String("posts"), Item: benchItem(benchKey(i))}
	})
	b.Run("pebble", func(b *testing.B) {
		parallel(b, func(i int) error {
			if _, closer, err := raw.Get(keys[i]); err != nil {
				return err
			} else if err := closer.Close(); err != nil {
				return err
			}
			return raw.Set(keys[i], items[i], pebble.Sync)
		})
	})
	b.Run("dynamo", func(b *testing.B) {
		parallel(b, func(i int) error {
			_, err := db.PutItem(ctx, inputs[i])
			return err
		})
	})
}

func BenchmarkQuery20(b *testing.B) {
	raw, db, ctx := openPebble(b), openBench(b), context.Background()
	keys := prepare(rawKey)
	inputs := prepare(func(i int) *dynamodb.QueryInput {
		pk, _ := benchKey(i)
		return &dynamodb.QueryInput{
			TableName: aws.String("posts"), KeyConditionExpression: aws.String("pk = :pk"),
			ExpressionAttributeValues: item{":pk": s(pk)},
		}
	})
	b.Run("pebble", func(b *testing.B) {
		parallel(b, func(i int) error { return rawQuery(raw, keys[i]) })
	})
	b.Run("dynamo", func(b *testing.B) {
		parallel(b, func(i int) error {
			out, err := db.Query(ctx, inputs[i])
			if err == nil && out.Count != benchPage {
				return fmt.Errorf("%d items", out.Count)
			}
			return err
		})
	})
}

// rawQuery reads the rows that share all but the sort key with key.
func rawQuery(db *pebble.DB, key []byte) error {
	lower := key[:len(key)-3]
	upper := append(lower[:len(lower)-1:len(lower)-1], 1)
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return err
	}
	var rows [][]byte
	for ok := it.First(); ok; ok = it.Next() {
		rows = append(rows, bytes.Clone(it.Value()))
	}
	if len(rows) != benchPage {
		return fmt.Errorf("%d rows", len(rows))
	}
	return it.Close()
}
