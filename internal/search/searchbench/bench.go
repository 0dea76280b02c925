package searchbench

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// Options of a measurement.
type Options struct {
	Docs     int
	Queries  int                              // of each kind; default 200
	Batch    int                              // documents at once; default 2000
	Only     []string                         // kinds of queries by name; default all
	Now      func() time.Time                 // default time.Now
	Progress func(format string, args ...any) // default none
}

func (o *Options) defaults() {
	if o.Queries == 0 {
		o.Queries = 200
	}
	if o.Batch == 0 {
		o.Batch = 2000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
}

// Run fills the index up to its number of documents and measures searches in it.
func Run(ctx context.Context, x search.Index, o Options) (*Report, error) {
	o.defaults()
	c := newCorpus(o.Now())
	r := &Report{Docs: o.Docs}
	counts, err := x.Counts(ctx)
	if err != nil {
		return nil, err
	}
	if counts.Documents < o.Docs {
		if err := r.build(ctx, x, c, counts.Documents, o); err != nil {
			return nil, err
		}
	}
	if err := r.search(ctx, x, c, o); err != nil {
		return nil, err
	}
	if counts, err = x.Counts(ctx); err != nil {
		return nil, err
	}
	r.Bytes, r.Segments = counts.Bytes, counts.Segments
	runtime.GC()
	r.Heap, r.System = memory()
	return r, nil
}

// build makes an empty index as a feed does that begins with nothing, and adds to
// one that has documents.
func (r *Report) build(ctx context.Context, x search.Index, c *corpus, from int, o Options) error {
	begun, cpu := time.Now(), processTime()
	if from > 0 {
		if err := fill(ctx, x, c, from, o); err != nil {
			return err
		}
	} else if err := rebuild(ctx, x, c, o); err != nil {
		return err
	}
	r.Build, r.BuildCPU = time.Since(begun), processTime()-cpu
	r.Rate = float64(o.Docs-from) / r.Build.Seconds()
	_, r.BuildSystem = memory()
	return nil
}

func rebuild(ctx context.Context, x search.Index, c *corpus, o Options) error {
	b, err := x.Rebuild(ctx)
	if err != nil {
		return err
	}
	if err := fill(ctx, b, c, 0, o); err != nil {
		return errors.Join(err, b.Abort())
	}
	return b.Commit(ctx)
}

func fill(ctx context.Context, to search.Writer, c *corpus, from int, o Options) error {
	begun := time.Now()
	for at := from; at < o.Docs; {
		var b search.Batch
		for ; len(b.Put) < o.Batch && at < o.Docs; at++ {
			b.Put = append(b.Put, c.document(at))
		}
		if err := to.Apply(ctx, b); err != nil {
			return err
		}
		if at%(25*o.Batch) == 0 {
			_, system := memory()
			o.Progress("%d documents, %.0f a second, %d MB", at, float64(at-from)/time.Since(begun).Seconds(), system>>20)
		}
	}
	return nil
}

// search asks every kind once, for what an index reads into memory when it is first
// searched, and then measures.
func (r *Report) search(ctx context.Context, x search.Index, c *corpus, o Options) error {
	for _, k := range c.kinds() {
		row, err := measure(ctx, x, k, 1)
		if err != nil {
			return err
		}
		r.First = max(r.First, row.Max)
	}
	for _, k := range c.kinds() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, k.name) {
			continue
		}
		row, err := measure(ctx, x, k, o.Queries)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, row)
		o.Progress("%s: p99 %v", row.Name, short(row.P99))
	}
	return nil
}

// measure asks n queries of a kind, one after the other, on one thread.
func measure(ctx context.Context, x search.Index, k asked, n int) (Row, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same queries every time
	took, used := make([]time.Duration, n), make([]time.Duration, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	process, found := processTime(), 0
	for i := range took {
		q := k.query(r)
		begun, thread := time.Now(), threadTime()
		count, err := k.ask(ctx, x, q)
		if err != nil {
			return Row{}, err
		}
		took[i], used[i] = time.Since(begun), threadTime()-thread
		found += count
	}
	process = processTime() - process
	runtime.ReadMemStats(&after)
	slices.Sort(took)
	slices.Sort(used)
	return Row{
		Name: k.name, P50: took[n/2], P99: took[n*99/100], Max: took[n-1], CPU50: used[n/2], CPU99: used[n*99/100],
		CPU: process / time.Duration(n), Allocated: (after.TotalAlloc - before.TotalAlloc) / uint64(n), Found: found / n, //nolint:gosec // positive
	}, nil
}

// ask asks one query and returns how many it found.
func (k *asked) ask(ctx context.Context, x search.Index, q search.Query) (int, error) {
	if k.suggest {
		list, err := x.Suggest(ctx, q.Text, q.Level, 8)
		return len(list), err
	}
	if k.names {
		list, err := x.Names(ctx, []string{text.Form(q.Text)}, search.Begins, q.Level)
		return len(list), err
	}
	res, err := x.Search(ctx, q)
	if err != nil {
		return 0, err
	}
	return res.Total, nil
}

// memory returns what the heap uses and what the Go runtime ever took of the
// system, which it does not give back for good.
func memory() (heap, system uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse, m.Sys
}
