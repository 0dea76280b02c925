package dynamobench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// ScaleResult is what a table of one size costs.
type ScaleResult struct {
	Items  int     `json:"items"`
	DiskGB float64 `json:"disk_gb"`
	LoadPS float64 `json:"loaded_per_second"`
	OpenMS float64 `json:"open_ms"`
	IdleMB float64 `json:"idle_mb"`
	// ColdUS is a page of 20 from anywhere in the table just after it was
	// opened: in a large one, blocks are still in files.
	ColdUS float64 `json:"query20_cold_p50_us"`
	// The others are pages and items of the same number of partitions,
	// spread over the table, in every size.
	GetUS   float64 `json:"get_p50_us"`
	QueryUS float64 `json:"query20_p50_us"`
	IndexUS float64 `json:"query20_gsi_p50_us"`
}

// Scale fills tables of the given sizes in dir, in process, and measures what
// opening and reading them costs: a page should cost the same in each.
func Scale(ctx context.Context, dir string, sizes []int, progress io.Writer) ([]ScaleResult, error) {
	var out []ScaleResult
	for _, n := range sizes {
		r, err := scaleOne(ctx, filepath.Join(dir, strconv.Itoa(n)), n, progress)
		if err != nil {
			return out, fmt.Errorf("%d items: %w", n, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func scaleOne(ctx context.Context, dir string, n int, progress io.Writer) (r ScaleResult, err error) {
	r.Items = n
	if r.LoadPS, err = fill(ctx, dir, n, progress); err != nil {
		return r, err
	}
	if r.DiskGB, err = diskGB(dir); err != nil {
		return r, err
	}
	if err := settle(dir); err != nil {
		return r, err
	}
	start := time.Now()
	db, err := dynamo.Open(dir, nil)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r.OpenMS = float64(time.Since(start).Microseconds()) / 1000
	r.IdleMB = residentMB(os.Getpid())
	return r, r.read(ctx, db)
}

// settle waits until the disk is done with what was loaded, by opening the
// store once, and gives back the memory that loading took: neither is part of
// what is measured.
func settle(dir string) error {
	db, err := dynamo.Open(dir, nil)
	if err != nil {
		return err
	}
	defer debug.FreeOSMemory()
	return db.Close()
}

// read measures reads, the cold ones first.
func (r *ScaleResult) read(ctx context.Context, db *dynamo.DB) (err error) {
	partitions := max(r.Items/perPartition, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	anywhere := func(int) int { return rng.IntN(partitions) }
	spread := func(i int) int { return i % spots * partitions / spots }
	get := func(i int) error {
		_, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(Table), Key: scaleKey(spread(i)*perPartition + i%perPartition)})
		return err
	}
	if r.ColdUS, err = median(200, func(i int) error { return scaleQuery(ctx, db, "", anywhere(i)) }); err != nil {
		return err
	}
	if r.GetUS, err = median(5000, get); err != nil {
		return err
	}
	if r.QueryUS, err = median(5000, func(i int) error { return scaleQuery(ctx, db, "", spread(i)) }); err != nil {
		return err
	}
	r.IndexUS, err = median(5000, func(i int) error { return scaleQuery(ctx, db, "GSI1", spread(i)) })
	return err
}

// spots is how many partitions are read again and again.
const spots = 10

// perPartition is the number of items of a partition; a page holds 20.
const perPartition = 100

func scaleKey(i int) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "P#" + strconv.Itoa(i/perPartition)},
		"sk": &types.AttributeValueMemberS{Value: fmt.Sprintf("%012d", i)},
	}
}

func scaleItem(i int) map[string]types.AttributeValue {
	it := scaleKey(i)
	it["gsi1pk"] = &types.AttributeValueMemberS{Value: "G#" + strconv.Itoa(i/perPartition)}
	it["gsi1sk"] = &types.AttributeValueMemberS{Value: fmt.Sprintf("%012d", i*7919%1_000_003)}
	it["title"] = &types.AttributeValueMemberS{Value: "Committee hears the case for shorter sittings"}
	return it
}

// scaleQuery reads a page of the table, or of the index.
func scaleQuery(ctx context.Context, db *dynamo.DB, index string, partition int) error {
	in := &dynamodb.QueryInput{TableName: aws.String(Table), Limit: aws.Int32(20)}
	key, value := "pk", "P#"
	if index != "" {
		in.IndexName, key, value = &index, "gsi1pk", "G#"
	}
	in.KeyConditionExpression = aws.String(key + " = :p")
	in.ExpressionAttributeValues = map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: value + strconv.Itoa(partition)}}
	out, err := db.Query(ctx, in)
	if err == nil && out.Count != 20 {
		return fmt.Errorf("a page of %d items", out.Count)
	}
	return err
}

// fill loads n items from several goroutines.
func fill(ctx context.Context, dir string, n int, progress io.Writer) (rate float64, err error) {
	db, err := dynamo.Open(dir, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := createScaleTable(ctx, db); err != nil {
		return 0, err
	}
	start := time.Now()
	work := make(chan int, 64)
	errs := make(chan error, 64)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for at := range work {
				if err := fillBatch(ctx, db, at, min(at+25, n)); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for at := 0; at < n && len(errs) == 0 && ctx.Err() == nil; at += 25 {
		work <- at
		if at > 0 && at%(1_000_000) == 0 {
			fmt.Fprintf(progress, "%d of %d items loaded\n", at, n)
		}
	}
	close(work)
	wg.Wait()
	close(errs)
	return float64(n) / time.Since(start).Seconds(), errors.Join(<-errs, ctx.Err())
}

func createScaleTable(ctx context.Context, db *dynamo.DB) error {
	key := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash}, {AttributeName: aws.String(sort), KeyType: types.KeyTypeRange}}
	}
	var defs []types.AttributeDefinition
	for _, name := range []string{"pk", "sk", "gsi1pk", "gsi1sk"} {
		defs = append(defs, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS})
	}
	_, err := db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(Table), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: defs, KeySchema: key("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("GSI1"), KeySchema: key("gsi1pk", "gsi1sk"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	})
	return err
}

func fillBatch(ctx context.Context, db *dynamo.DB, from, to int) error {
	var writes []types.WriteRequest
	for i := from; i < to; i++ {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: scaleItem(i)}})
	}
	_, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{Table: writes}})
	return err
}

// median times n calls and returns the middle one in microseconds.
func median(n int, call func(i int) error) (float64, error) {
	took := make([]time.Duration, 0, n)
	for i := range n {
		start := time.Now()
		if err := call(i); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return float64(took[n/2].Nanoseconds()) / 1000, nil
}

func diskGB(dir string) (float64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return float64(total) / (1 << 30), err
}

// PrintScale writes the results as a table.
func PrintScale(w io.Writer, results []ScaleResult) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "items\tdisk GB\tloaded/s\topen ms\tidle MB\tcold query 20 µs\tget µs\tquery 20 µs\tquery 20 on GSI µs\t")
	for _, r := range results {
		fmt.Fprintf(tw, "%d\t%.2f\t%.0f\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", r.Items, r.DiskGB, r.LoadPS, r.OpenMS, r.IdleMB, r.ColdUS, r.GetUS, r.QueryUS, r.IndexUS)
	}
	return tw.Flush()
}
