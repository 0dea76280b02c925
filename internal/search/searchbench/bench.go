package searchbench

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"pressroom/internal/search"
)

// Options of a measurement.
type Options struct {
	Docs     int
	Queries  int                              // of each kind; default 200
	Batch    int                              // documents at once; default 2000
	Now      func() time.Time                 // default time.Now
	Progress func(format string, args ...any) // default none
}

// Row is how long one kind of query took.
type Row struct {
	Name          string
	P50, P99, Max time.Duration
	Found         int // on average
}

// Report is what was measured.
type Report struct {
	Docs   int
	Build  time.Duration
	Rate   float64 // documents a second
	Bytes  int64   // of the index, on disk
	Heap   uint64  // in use after the queries
	System uint64  // that the Go runtime has of the system
	Rows   []Row
}

// Run fills the index, which is empty, and measures searches in it.
func Run(ctx context.Context, x search.Index, o Options) (*Report, error) {
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
	c := newCorpus(o.Now())
	begun := time.Now()
	if err := fill(ctx, x, c, o); err != nil {
		return nil, err
	}
	r := &Report{Docs: o.Docs, Build: time.Since(begun)}
	r.Rate = float64(o.Docs) / r.Build.Seconds()
	for _, k := range c.kinds() {
		row, err := measure(ctx, x, k, o.Queries)
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, row)
		o.Progress("%s: p99 %v", row.Name, row.P99)
	}
	counts, err := x.Counts(ctx)
	if err != nil {
		return nil, err
	}
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	r.Bytes, r.Heap, r.System = counts.Bytes, mem.HeapInuse, mem.Sys
	return r, nil
}

func fill(ctx context.Context, x search.Index, c *corpus, o Options) error {
	begun := time.Now()
	for at := 0; at < o.Docs; {
		var b search.Batch
		for ; len(b.Put) < o.Batch && at < o.Docs; at++ {
			b.Put = append(b.Put, c.document(at))
		}
		if err := x.Apply(ctx, b); err != nil {
			return err
		}
		if at%(25*o.Batch) == 0 {
			o.Progress("%d documents, %.0f a second", at, float64(at)/time.Since(begun).Seconds())
		}
	}
	return nil
}

// asked is a kind of query: each call makes another one.
type asked struct {
	name    string
	query   func(r *rand.Rand) search.Query
	suggest bool // the text is a prefix
}

// kinds are the usual queries. Readers ask for what there is: words are drawn as
// they are written, down to the rare ones.
func (c *corpus) kinds() []asked {
	word := func(list []string) func(*rand.Rand) string {
		return func(r *rand.Rand) string { return list[rand.NewZipf(r, 1.1, 40, vocabulary-1).Uint64()] }
	}
	ja, en := word(c.japanese), word(c.english[len(frequent):])
	text := func(make func(r *rand.Rand) string) func(*rand.Rand) search.Query {
		return func(r *rand.Rand) search.Query { return search.Query{Text: make(r)} }
	}
	return []asked{
		{name: "Japanese word", query: text(ja)},
		{name: "Japanese, two words", query: text(func(r *rand.Rand) string { return ja(r) + " " + ja(r) })},
		{name: "Japanese, three words joined", query: text(func(r *rand.Rand) string { return ja(r) + "の" + ja(r) + "と" + ja(r) })},
		{name: "Japanese verb", query: text(func(r *rand.Rand) string {
			return []string{"訪れる", "決める", "増やす", "調べた"}[r.IntN(4)]
		})},
		{name: "Japanese letter", query: text(func(r *rand.Rand) string { return string([]rune(ja(r))[:1]) })},
		{name: "English word", query: text(en)},
		{name: "English, two words", query: text(func(r *rand.Rand) string { return en(r) + " " + en(r) })},
		{name: "the most frequent words", query: text(func(r *rand.Rand) string {
			return []string{"国会", "予算", "the", "government", "of", "消費税"}[r.IntN(6)]
		})},
		{name: "phrase", query: text(func(r *rand.Rand) string { return `"` + en(r) + " " + c.english[r.IntN(30)] + `"` })},
		{name: "without a word", query: text(func(r *rand.Rand) string { return ja(r) + " -" + ja(r) })},
		{name: "misspelt", query: text(func(r *rand.Rand) string { return "x" + en(r)[1:] + "q" })},
		{name: "word in a desk and year", query: func(r *rand.Rand) search.Query {
			return search.Query{Text: ja(r), Desks: []string{"blog"}, From: c.now.AddDate(-1, 0, 0), To: c.now, Level: 4}
		}},
		{name: "word, newest first", query: func(r *rand.Rand) search.Query { return search.Query{Text: ja(r), Sort: search.Newest} }},
		{name: "everything, newest first", query: func(*rand.Rand) search.Query { return search.Query{} }},
		{name: "a tag, newest first", query: func(r *rand.Rand) search.Query { return search.Query{Tags: []string{ja(r)}} }},
		{name: "suggestion", suggest: true, query: text(func(r *rand.Rand) string {
			w := []rune(ja(r))
			return string(w[:1+r.IntN(len(w))])
		})},
	}
}

func measure(ctx context.Context, x search.Index, k asked, n int) (Row, error) {
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same queries every time
	took := make([]time.Duration, n)
	found := 0
	for i := range took {
		q := k.query(r)
		begun := time.Now()
		if k.suggest {
			list, err := x.Suggest(ctx, q.Text, q.Level, 8)
			if err != nil {
				return Row{}, err
			}
			found += len(list)
		} else {
			res, err := x.Search(ctx, q)
			if err != nil {
				return Row{}, err
			}
			found += res.Total
		}
		took[i] = time.Since(begun)
	}
	slices.Sort(took)
	return Row{Name: k.name, P50: took[n/2], P99: took[n*99/100], Max: took[n-1], Found: found / n}, nil
}

// Print writes the report as a table.
func (r *Report) Print(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%d documents in %v, %.0f a second; %d MB on disk; heap %d MB, of the system %d MB\n\n",
		r.Docs, r.Build.Round(time.Second/10), r.Rate, r.Bytes>>20, r.Heap>>20, r.System>>20); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "p50\tp99\tmax\tfound\t  query\t")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%v\t%v\t%v\t%d\t  %s\t\n", short(row.P50), short(row.P99), short(row.Max), row.Found, row.Name)
	}
	return t.Flush()
}

func short(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
