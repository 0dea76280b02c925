package cli

import (
	"net/http/httptest"
	"testing"
	"time"

	"pressroom/blob"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/llm"
)

// What the server does by itself: it collects, and consumes what it collected.
func TestMinutesJobs(t *testing.T) {
	set, st := openPreparedStore(t)
	library := httptest.NewServer(minutestest.Library(minutestest.Sitting(1, "2026-11-10"), minutestest.Sitting(2, "2026-11-12")))
	defer library.Close()
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	desk, err := minutes.New(st.tables, blob.Client(st.objects), llm.Validated(&minutestest.Writer{}), &minutes.Options{
		SourceURL: library.URL, Pause: -1, Log: quiet, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	scheduler, err := ops.New(st.tables, &ops.Options{Table: set.OperationsTable, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	jobs := set.minutesJobs(desk)
	if err := scheduler.Add(jobs...); err != nil || len(jobs) != 2 {
		t.Fatalf("%d jobs: %v", len(jobs), err)
	}
	for _, job := range jobs {
		if err := job.Run(t.Context(), &ops.Progress{}); err != nil {
			t.Fatalf("%s: %v", job.Name, err)
		}
	}
	if page, err := desk.Articles(t.Context(), minutes.Filter{}, minutes.PageOptions{}); err != nil || len(page.Items) != 2 {
		t.Errorf("%d articles: %v", len(page.Items), err)
	}
	library.Close()
	if err := jobs[0].Run(t.Context(), &ops.Progress{}); err == nil {
		t.Error("a library that does not answer is no failure")
	}

	only := minutesJobSettings{MinutesCollect: "off"}.minutesJobs(desk)
	if len(only) != 1 || only[0].Cron != "" {
		t.Errorf("jobs that are off: %+v", only)
	}
	if _, err := (recordSettings{MinutesURL: "nowhere"}).client(); err == nil || errs.KindOf(err) != errs.Usage {
		t.Errorf("an address that is none: %v", err)
	}
}
