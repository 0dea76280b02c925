package searchbench

import (
	"math/rand/v2"
	"testing"
	"time"

	"pressroom/internal/search/embedded"
)

func TestRun(t *testing.T) {
	x, err := embedded.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := Run(t.Context(), x, Options{Docs: 300, Queries: 5, Batch: 100})
	if err != nil {
		t.Fatal(err)
	}
	if r.Docs != 300 || r.Bytes == 0 || len(r.Rows) == 0 {
		t.Errorf("report %+v", r)
	}
	for _, row := range r.Rows {
		if row.Found == 0 && row.Name == "the most frequent words" || row.P50 <= 0 || row.P99 < row.P50 || row.Max < row.P99 {
			t.Errorf("row %+v", row)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	x, err := embedded.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	c := newCorpus(time.Now())
	if err := fill(b.Context(), x, c, 0, Options{Docs: 20_000, Batch: 2000, Progress: b.Logf}); err != nil {
		b.Fatal(err)
	}
	for _, k := range c.kinds() {
		b.Run(k.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same queries every time
			for b.Loop() {
				if _, err := k.ask(b.Context(), x, k.query(r)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
