package newswire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// TestRetention lets months go by on the clock of the stores: runs are exported and
// then expire with what they met, retries expire after a week, articles stay.
func TestRetention(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		clock := &clockwork{}
		// In the middle of a month, so that it is over within the 90 days.
		clock.ahead = time.Until(time.Date(2026, 5, 15, 12, 0, 0, 0, time.UTC))
		d := deskOfTime(t, clock)
		ctx := t.Context()
		run := crawlNow(t, d, "site")
		articles := articlesOf(t, d, "site")
		if run.NewArticles != 1 || run.FailedArticles != 1 || len(articles) != 1 {
			t.Fatalf("%+v", run)
		}
		waiting := func() int {
			p, err := d.RetryBacklog(ctx, FailedFetch, PageOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return len(p.Items)
		}
		clock.forward(6 * 24 * time.Hour)
		if n := waiting(); n != 1 {
			t.Errorf("%d retries after six days", n)
		}
		clock.forward(25 * time.Hour)
		within(t, "the retry expires", func() bool { return waiting() == 0 })

		clock.forward(20 * 24 * time.Hour) // into June
		if keys, err := d.ExportDue(ctx); err != nil || len(keys) != 2 || keys[1] != "exports/crawl-runs/2026-05.ndjson.gz" {
			t.Fatal(keys, err)
		}
		clock.forward(62 * 24 * time.Hour) // the 89th day
		time.Sleep(50 * time.Millisecond)  // several sweeps
		if _, err := d.GetRun(ctx, run.RunID); err != nil {
			t.Errorf("before 90 days: %v", err)
		}
		clock.forward(2 * 24 * time.Hour)
		within(t, "the run expires", func() bool {
			_, err := d.GetRun(ctx, run.RunID)
			met, listed := d.ArticlesOfRun(ctx, run.RunID, PageOptions{})
			return errors.Is(err, errs.NotFound) && listed == nil && len(met.Items) == 0
		})
		if _, err := d.ExportDue(ctx); err != nil {
			t.Fatal(err)
		}
		if got := exported(t, d, "2026-05"); len(got) != 1 || got[0].RunID != run.RunID || got[0].NewArticles != 1 {
			t.Errorf("exported %+v", got)
		}
		if left := articlesOf(t, d, "site"); len(left) != len(articles) {
			t.Errorf("%d articles are left of %d", len(left), len(articles))
		}
	})
}

// A month is exported when the last of its runs is over.
func TestExportWaits(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		clock := &clockwork{}
		clock.ahead = time.Until(time.Date(2026, 5, 31, 23, 0, 0, 0, time.UTC))
		d := deskOfTime(t, clock)
		site, err := d.GetSite(t.Context(), "site")
		if err != nil {
			t.Fatal(err)
		}
		run, err := d.newRun(t.Context(), &site, Manual, clock.now().Add(4*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		clock.forward(3 * time.Hour) // in June
		if keys, err := d.ExportDue(t.Context()); err != nil || len(keys) != 1 || keys[0] != "exports/crawl-runs/2026-04.ndjson.gz" {
			t.Errorf("while it runs: %v, %v", keys, err)
		}
		if err := d.finishRun(t.Context(), &run, Success); err != nil {
			t.Fatal(err)
		}
		if keys, err := d.ExportDue(t.Context()); err != nil || len(keys) != 1 {
			t.Errorf("after it: %v, %v", keys, err)
		}
		if got := exported(t, d, "2026-05"); len(got) != 1 || got[0].Status != Success {
			t.Errorf("exported %+v", got)
		}
	})
}

// deskOfTime is a desk on stores that have the clock, with a site of one article and
// a page that cannot be fetched.
func deskOfTime(t *testing.T, clock *clockwork) *Desk {
	t.Helper()
	if modeltest.Foreign() {
		t.Skip("only on the embedded stores: another store's clock cannot be moved")
	}
	log := slog.New(slog.DiscardHandler)
	db, err := dynamo.Open("", &dynamo.Options{Memory: true, Now: clock.now, SweepEvery: 5 * time.Millisecond, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Now: clock.now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), objects.Close()); err != nil {
			t.Error(err)
		}
	})
	client := blob.Client(objects)
	if err := deploy.Apply(context.Background(), deploy.Store{Tables: db, Objects: client}, nil, Schema); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.host("site.example", map[string]any{"/": list("/a", "/b"), "/a": newsPage("A", "2026-05-10T09:00:00Z"), "/b": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", http.StatusInternalServerError) }})
	d, err := New(db, client, &Options{Outbound: w.outbound(), Now: clock.now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	addSite(t, d, "site", "site.example", nil)
	return d
}

func exported(t *testing.T, d *Desk, month string) (runs []CrawlRun) {
	t.Helper()
	zipped, err := d.get(t.Context(), "exports/crawl-runs/"+month+".ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	text, err := unzip(zipped)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var run CrawlRun
		if err := json.Unmarshal(line, &run); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	return runs
}

// within waits for what happens in the background.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("not in five minutes: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
