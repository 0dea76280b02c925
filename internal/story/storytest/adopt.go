package storytest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"pressroom/internal/story"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// Adopt lets a desk take over what other programs wrote: by the streams of its tables
// where they can be read, and otherwise as schema migrate does.
func Adopt(t testing.TB, s *modeltest.Stores, stories *story.Stories, shelf *story.Shelf) {
	t.Helper()
	if s.Streams == nil {
		Migrate(t, s, shelf)
		return
	}
	a := &story.Adopter{Stories: stories, Streams: s.Streams, Shelves: []*story.Shelf{shelf}, Log: slog.New(slog.DiscardHandler)}
	if err := a.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Within lets the reader of the streams run as a server does, in a bubble of synctest,
// writes, and wants something to hold after so long at the latest. Time there is that
// of the reader's pauses alone, however slow the machine is.
func Within(t *testing.T, s *modeltest.Stores, stories *story.Stories, shelf *story.Shelf, limit time.Duration, write func(), holds func() bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	a := &story.Adopter{Stories: stories, Streams: s.Streams, Shelves: []*story.Shelf{shelf}, Track: s.DB.Track, Log: slog.New(slog.DiscardHandler)}
	go func() { ended <- a.Run(ctx) }()
	time.Sleep(time.Minute) // it has begun, and has nothing to do
	write()
	for begin := time.Now(); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begin) > limit {
			t.Errorf("not after %s", limit)
			break
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Migrate takes over what other programs wrote as schema migrate does, and returns how
// many items it adopted.
func Migrate(t testing.TB, s *modeltest.Stores, shelf *story.Shelf) int {
	t.Helper()
	adopted := 0
	for _, table := range shelf.Adopts {
		m := deploy.Migration{DB: s.Tables, Table: table, Adopt: func(ctx context.Context, key model.Raw) error { return shelf.AdoptAt(ctx, table.Name, key) }}
		p, err := m.Migrate(t.Context())
		if err != nil || len(p.Failed) > 0 {
			t.Fatal(err, p.Failed)
		}
		adopted += p.Adopted
	}
	return adopted
}
