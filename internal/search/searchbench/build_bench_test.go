package searchbench

import (
	"testing"
	"time"

	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
)

func BenchmarkBuild(b *testing.B) {
	x, err := embedded.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	c := newCorpus(time.Now())
	at := 0
	for b.Loop() {
		var batch search.Batch
		for range 1000 {
			batch.Put = append(batch.Put, c.document(at))
			at++
		}
		if err := x.Apply(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(at)/b.Elapsed().Seconds(), "docs/s")
}
