package minutesdesk

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pressroom/internal/desk/desktest"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/llm"
	"pressroom/model/modeltest"
)

var quiet = slog.New(slog.DiscardHandler)

// What the server does by itself: it collects, and consumes what it collected.
func TestJobs(t *testing.T) {
	st := modeltest.OpenStores(t, nil, minutes.Schema, ops.Schema)
	set := &Settings{MinutesCollect: "30 4 * * *", MinutesConsumers: 2}
	library := httptest.NewServer(minutestest.Library(minutestest.Sitting(1, "2026-11-10"), minutestest.Sitting(2, "2026-11-12")))
	defer library.Close()
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	d, err := minutes.New(st.Tables, st.Objects, llm.Validated(&minutestest.Writer{}), &minutes.Options{
		SourceURL: library.URL, Pause: -1, Log: quiet, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	scheduler, err := ops.New(st.Tables, &ops.Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	jobs := set.jobs(d)
	if err := scheduler.Add(jobs...); err != nil || len(jobs) != 4 {
		t.Fatalf("%d jobs: %v", len(jobs), err)
	}
	for _, job := range jobs {
		if err := job.Run(t.Context(), &ops.Progress{}); err != nil {
			t.Fatalf("%s: %v", job.Name, err)
		}
	}
	if page, err := d.Articles(t.Context(), minutes.Filter{}, minutes.PageOptions{}); err != nil || len(page.Items) != 2 {
		t.Errorf("%d articles: %v", len(page.Items), err)
	}
	library.Close()
	if err := jobs[0].Run(t.Context(), &ops.Progress{}); err == nil {
		t.Error("a library that does not answer is no failure")
	}

	only := (&Settings{MinutesCollect: "off"}).jobs(d)
	if len(only) != 3 || only[0].Cron != "" {
		t.Errorf("jobs that are off: %+v", only)
	}
	if _, err := (&Settings{MinutesURL: "nowhere"}).client(); err == nil || errs.KindOf(err) != errs.Usage {
		t.Errorf("an address that is none: %v", err)
	}
}

// deny is a model that never answers.
type deny struct{}

func (deny) Info() llm.Info { return llm.Info{Provider: "openai", Model: "gpt-5"} }

func (deny) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, &llm.Error{Kind: llm.Refused, Provider: "openai", Model: "gpt-5", Message: "it will not"}
}

// What fails is told with its kind and its own words, and put back.
func TestTasks(t *testing.T) {
	s := modeltest.OpenStores(t, nil, minutes.Schema)
	library := httptest.NewServer(minutestest.Library(minutestest.Sitting(1, "2026-11-10"), minutestest.Sitting(2, "2026-11-12")))
	defer library.Close()
	d, err := minutes.New(desktest.NoScans{DB: s.Tables}, s.Objects, deny{}, &minutes.Options{SourceURL: library.URL, Pause: -1, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	source := tasks(d)
	if _, q := desktest.Queue(t, source, "minutes tasks"); q.Items["waiting"] != 0 || !q.Oldest.IsZero() {
		t.Errorf("with nothing to do: %+v", q)
	}
	if _, err := d.Collect(t.Context(), "2026-11-01", "2026-11-15", nil); err != nil {
		t.Fatal(err)
	}
	task, err := d.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, q := desktest.Queue(t, source, "minutes tasks"); q.Items["waiting"] != 1 || q.Items["running"] != 1 || q.Oldest.IsZero() {
		t.Errorf("one of two is worked on: %+v", q)
	}
	if err := d.Fail(t.Context(), &task, &llm.Error{Kind: llm.Overloaded, Provider: "openai", Model: "gpt-5", Message: "later"}, false); err != nil {
		t.Fatal(err)
	}
	if _, q := desktest.Queue(t, source, "minutes tasks"); q.Items["waiting"] != 1 || q.Items["retrying"] != 1 {
		t.Errorf("one of two is tried again: %+v", q)
	}
	if task, err = d.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Fail(t.Context(), &task, &llm.Error{Kind: llm.Refused, Provider: "openai", Model: "gpt-5", Message: "it will not"}, true); err != nil {
		t.Fatal(err)
	}
	r, q := desktest.Queue(t, source, "minutes tasks")
	if q.Items["failed"] != 1 || len(r.Failures) != 1 || r.Failures[0].Reason != "refused" || r.Failures[0].Count != 1 || !strings.Contains(r.Failures[0].Example, "it will not") || r.Failures[0].Last.IsZero() {
		t.Errorf("one has failed: %+v, %+v", q, r.Failures)
	}
	if n, err := requeue(d)(t.Context()); err != nil || n != 1 {
		t.Errorf("%d put back, %v", n, err)
	}
	if r, q := desktest.Queue(t, source, "minutes tasks"); q.Items["failed"] != 0 || q.Items["waiting"]+q.Items["retrying"] != 2 || len(r.Failures) != 0 {
		t.Errorf("put back: %+v, %+v", q, r.Failures)
	}
}
