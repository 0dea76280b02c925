// Package blobbench measures a blob store through the SDK's client: durable
// puts with few and many clients, gets, and listings. The same run works on
// the embedded store and on any other S3, so that the two can be compared.
//
// Start reading at [Run]. The printed table is [Report.WriteTo].
package blobbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Options say what to measure.
type Options struct {
	// Client reaches the store. Required.
	Client *s3.Client

	// Bucket is made for the run and removed after it; "" means
	// "pressroom-bench".
	Bucket string

	// Size is that of the objects in bytes; 0 means 20,000.
	Size int

	// Clients are the numbers of concurrent clients to measure with; nil
	// means 1 and 64.
	Clients []int

	// For is how long each measurement takes; 0 means 3 seconds.
	For time.Duration

	// Keys is how many keys the listed bucket has; 0 means 10,000, negative
	// skips the listing.
	Keys int

	// Dir, if set, is on the disk of the store: how long that takes to sync a
	// file of an object's size is measured first, as what no put can be below.
	Dir string

	// Progress, if set, is told what is being measured.
	Progress func(what string)
}

func (o *Options) fill() error {
	if o.Client == nil {
		return errors.New("bench: no client")
	}
	if o.Bucket == "" {
		o.Bucket = "pressroom-bench"
	}
	if o.Size == 0 {
		o.Size = 20_000
	}
	if o.Clients == nil {
		o.Clients = []int{1, 64}
	}
	if o.For == 0 {
		o.For = 3 * time.Second
	}
	if o.Keys == 0 {
		o.Keys = 10_000
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return nil
}

// A Row is one measurement.
type Row struct {
	Name    string        `json:"name"`
	Clients int           `json:"clients"`
	Ops     int           `json:"ops"`
	Rate    float64       `json:"ops_per_second"`
	MBps    float64       `json:"mb_per_second,omitempty"`
	Median  time.Duration `json:"median_ns"`
	P99     time.Duration `json:"p99_ns"`
}

// A Report holds the measurements in the order in which they were made.
type Report struct {
	Size int   `json:"object_size"`
	Rows []Row `json:"rows"`
}

// Run measures and returns a report. It makes the bucket, which must not
// exist, and removes it and its objects in the end, whether it fails or not.
func Run(ctx context.Context, o Options) (report Report, err error) {
	if err := o.fill(); err != nil {
		return report, err
	}
	b := &bench{Options: o, body: make([]byte, o.Size)}
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b.body) // never fails
	if _, err := o.Client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &o.Bucket}); err != nil {
		return report, fmt.Errorf("bench: make bucket %s: %w", o.Bucket, err)
	}
	defer func() { err = errors.Join(err, b.clear(context.WithoutCancel(ctx))) }()
	report.Size = o.Size
	for _, step := range b.steps() {
		o.Progress(step.name)
		row, err := b.measure(ctx, step)
		if err != nil {
			return report, fmt.Errorf("bench: %s: %w", step.name, err)
		}
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}

type bench struct {
	Options
	body   []byte
	stored atomic.Int64 // objects "put/<n>" that exist
	filled bool
}

// step is one thing to measure; op does it once.
type step struct {
	name    string
	clients int
	bytes   int // that one op moves
	op      func(ctx context.Context, n int64) error
	before  func(ctx context.Context) error
}

func (b *bench) steps() (steps []step) {
	if b.Dir != "" {
		steps = append(steps, step{name: "sync a file", clients: 1, bytes: b.Size, op: b.sync})
	}
	for _, c := range b.Clients {
		steps = append(steps, step{name: "put", clients: c, bytes: b.Size, op: b.put})
	}
	for _, c := range b.Clients {
		steps = append(steps, step{name: "get", clients: c, bytes: b.Size, op: b.get})
	}
	if b.Keys > 0 {
		steps = append(steps, step{name: fmt.Sprintf("list %d keys", b.Keys), clients: 1, op: b.list, before: b.fillKeys})
		steps = append(steps, step{name: "list a page by delimiter", clients: 1, op: b.listPrefixes})
	}
	return steps
}

func (b *bench) sync(context.Context, int64) (err error) {
	f, err := os.CreateTemp(b.Dir, "sync-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if _, err := f.Write(b.body); err != nil {
		return err
	}
	return f.Sync()
}

func (b *bench) put(ctx context.Context, _ int64) error {
	key := fmt.Sprintf("put/%d", b.stored.Add(1))
	return b.putKey(ctx, key, b.body)
}

func (b *bench) putKey(ctx context.Context, key string, body []byte) error {
	_, err := b.Client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.Bucket, Key: &key, Body: bytes.NewReader(body)})
	return err
}

func (b *bench) get(ctx context.Context, n int64) error {
	// The newest may still be on their way when a measurement ends.
	have := max(b.stored.Load()*9/10, 1)
	key := fmt.Sprintf("put/%d", 1+(n*7919)%have)
	out, err := b.Client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.Bucket, Key: &key})
	if err != nil {
		return err
	}
	defer out.Body.Close()
	_, err = io.Copy(io.Discard, out.Body)
	return err
}

// fillKeys makes the keys to list, in a hundred directories.
func (b *bench) fillKeys(ctx context.Context) error {
	if b.filled {
		return nil
	}
	b.filled = true
	var next atomic.Int64
	return each(32, func(int) error {
		for {
			n := next.Add(1)
			if n > int64(b.Keys) {
				return nil
			}
			if err := b.putKey(ctx, fmt.Sprintf("list/%02d/%06d", n%100, n), nil); err != nil {
				return err
			}
		}
	})
}

func (b *bench) list(ctx context.Context, _ int64) error {
	pages := s3.NewListObjectsV2Paginator(b.Client, &s3.ListObjectsV2Input{Bucket: &b.Bucket, Prefix: aws.String("list/")})
	n := 0
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		n += len(page.Contents)
	}
	if n != b.Keys {
		return fmt.Errorf("listed %d keys of %d", n, b.Keys)
	}
	return nil
}

func (b *bench) listPrefixes(ctx context.Context, _ int64) error {
	_, err := b.Client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &b.Bucket, Prefix: aws.String("list/"), Delimiter: aws.String("/")})
	return err
}

// each runs f in n goroutines and returns what they fail with.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (b *bench) measure(ctx context.Context, s step) (Row, error) {
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			return Row{}, err
		}
	}
	took := make([][]time.Duration, s.clients)
	var count atomic.Int64
	start := time.Now()
	err := each(s.clients, func(i int) error {
		for { // once at least, however little time there is
			t := time.Now()
			if err := s.op(ctx, count.Add(1)); err != nil {
				return err
			}
			took[i] = append(took[i], time.Since(t))
			if time.Since(start) >= b.For {
				return nil
			}
		}
	})
	elapsed := time.Since(start).Seconds()
	if err != nil {
		return Row{}, err
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	row := Row{Name: s.name, Clients: s.clients, Ops: len(all), Rate: float64(len(all)) / elapsed}
	row.MBps = row.Rate * float64(s.bytes) / 1e6
	row.Median, row.P99 = all[len(all)/2], all[len(all)*99/100]
	return row, nil
}

// clear removes all objects and the bucket.
func (b *bench) clear(ctx context.Context) error {
	b.Progress("clean up")
	pages := s3.NewListObjectsV2Paginator(b.Client, &s3.ListObjectsV2Input{Bucket: &b.Bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		var ids []types.ObjectIdentifier
		for _, o := range page.Contents {
			ids = append(ids, types.ObjectIdentifier{Key: o.Key})
		}
		if len(ids) == 0 {
			break
		}
		if _, err := b.Client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &b.Bucket, Delete: &types.Delete{Objects: ids, Quiet: aws.Bool(true)}}); err != nil {
			return err
		}
	}
	_, err := b.Client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &b.Bucket})
	return err
}

// Speedup returns how many times faster a measurement was with many clients
// than with few; 0 if one of the two was not made.
func (r Report) Speedup(name string, few, many int) float64 {
	var a, z float64
	for _, row := range r.Rows {
		if row.Name == name && row.Clients == few {
			a = row.Rate
		}
		if row.Name == name && row.Clients == many {
			z = row.Rate
		}
	}
	if a == 0 {
		return 0
	}
	return z / a
}

// clients returns the least and the most clients that put.
func (r Report) clients() (few, many int) {
	for _, row := range r.Rows {
		if row.Name == "put" {
			if few == 0 {
				few = row.Clients
			}
			few, many = min(few, row.Clients), max(many, row.Clients)
		}
	}
	return few, many
}

// WriteTo prints the report as a table.
func (r Report) WriteTo(w io.Writer) (int64, error) {
	var buf bytes.Buffer
	t := tabwriter.NewWriter(&buf, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "operation\tclients\tops\tops/s\tMB/s\tmedian\tp99\t\n")
	for _, row := range r.Rows {
		mbps := ""
		if row.MBps > 0 {
			mbps = fmt.Sprintf("%.1f", row.MBps)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f\t%s\t%s\t%s\t\n", row.Name, row.Clients, row.Ops, row.Rate, mbps,
			row.Median.Round(time.Microsecond), row.P99.Round(time.Microsecond))
	}
	t.Flush()
	if few, many := r.clients(); few < many {
		fmt.Fprintf(&buf, "%d clients put %.1f times as much as %d.\n", many, r.Speedup("put", few, many), few)
	}
	return buf.WriteTo(w)
}
