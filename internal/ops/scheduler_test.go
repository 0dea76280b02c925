package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/model"
	"pressroom/model/deploy"
)

var cursorKey = []byte("0123456789abcdef0123456789abcdef")

// openTables opens tables in memory; within a bubble of synctest they are closed
// before it ends.
func openTables(t *testing.T, schemas ...model.Schema) *dynamo.DB {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, schemas...); err != nil {
		t.Fatal(err)
	}
	return db
}

func newScheduler(t *testing.T, db model.DB, owner string, jobs ...Job) *Scheduler {
	t.Helper()
	s, err := New(db, &Options{Owner: owner, CursorKey: cursorKey, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(jobs...); err != nil {
		t.Fatal(err)
	}
	return s
}

// bubble runs a test with a clock of its own and tables in memory.
func bubble(t *testing.T, test func(t *testing.T, db *dynamo.DB)) {
	synctest.Test(t, func(t *testing.T) { test(t, openTables(t, Schema)) })
}

// start runs a scheduler until the returned function is called.
func start(s *Scheduler) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func TestEvery(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		began := time.Now()
		var at []time.Duration
		s := newScheduler(t, db, "one", Job{Name: "tick", Every: time.Minute, Run: func(_ context.Context, p *Progress) error {
			at = append(at, time.Since(began).Truncate(10*time.Second))
			p.Of(2)
			p.Add(2)
			p.Count("fetched", 3)
			p.Note("%d done", 2)
			if len(at) == 2 {
				return errors.New("the source is away")
			}
			return nil
		}})
		stop := start(s)
		time.Sleep(150 * time.Second)
		stop()
		if diff := cmp.Diff([]time.Duration{0, time.Minute, 2 * time.Minute}, at); diff != "" {
			t.Errorf("it ran at other times (-want +got):\n%s", diff)
		}
		page, err := s.Runs(t.Context(), "tick", model.PageOptions{Limit: 2})
		if err != nil || len(page.Items) != 2 || page.Next == "" {
			t.Fatalf("%+v, %v", page, err)
		}
		last := page.Items[0]
		if last.State != Done || last.Done != 2 || last.Total != 2 || last.Counts["fetched"] != 3 || last.Note != "2 done" || last.Ended == "" || last.Owner != "one" {
			t.Errorf("the last run is %+v", last)
		}
		if page.Items[1].State != Failed || page.Items[1].Error != "the source is away" {
			t.Errorf("the failed run is %+v", page.Items[1])
		}
		page, err = s.Runs(t.Context(), "tick", model.PageOptions{Limit: 2, Cursor: page.Next})
		if err != nil || len(page.Items) != 1 || page.Next != "" {
			t.Errorf("the second page is %+v, %v", page, err)
		}
		failed, err := s.RunsByState(t.Context(), Failed, model.PageOptions{})
		if err != nil || len(failed.Items) != 1 {
			t.Errorf("failed runs: %+v, %v", failed, err)
		}
		if _, err := s.Runs(t.Context(), "tick", model.PageOptions{Cursor: "forged"}); !errors.Is(err, errs.Malformed) || errs.Fields(err)[0].Name != "cursor" {
			t.Errorf("a forged cursor: %v", err)
		}
		jobs, err := s.Jobs(t.Context())
		if err != nil || len(jobs) != 1 || jobs[0].Owner != "" || jobs[0].Last == nil || jobs[0].Last.State != Done || jobs[0].Failures != 0 || jobs[0].Next.IsZero() || jobs[0].Schedule != "every 1m0s" {
			t.Errorf("jobs: %+v, %v", jobs, err)
		}
	})
}

// Times of day are those of the zone, also over a change of its clocks: in New
// York, 2:30 does not exist on 2026-03-08 and 1:30 comes twice on 2026-11-01.
func TestCronInZone(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	run := func(context.Context, *Progress) error { return nil }
	for _, tt := range []struct {
		cron  string
		after time.Time
		want  []string
	}{
		{"30 4 * * *", time.Date(2026, 3, 7, 12, 0, 0, 0, zone), []string{"2026-03-08T08:30:00Z", "2026-03-09T08:30:00Z"}},
		{"30 1 * * *", time.Date(2026, 10, 31, 12, 0, 0, 0, zone), []string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"}},
		{"@weekly", time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC), []string{"2026-11-15T05:00:00Z", "2026-11-22T05:00:00Z"}},
	} {
		j := Job{Name: "cron", Cron: tt.cron, Zone: "America/New_York", Run: run}
		if err := j.prepare(); err != nil {
			t.Fatal(err)
		}
		var got []string
		at := tt.after
		for range tt.want {
			at = j.next(at)
			got = append(got, at.UTC().Format(time.RFC3339))
		}
		if tt.cron == "30 1 * * *" && len(got) == 2 && got[1] == "2026-11-01T06:30:00Z" {
			t.Errorf("%s ran twice in the hour that comes twice: %v", tt.cron, got)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.cron, diff)
		}
	}
	for _, bad := range []Job{
		{Run: run}, {Name: "x"}, {Name: "x", Run: run, Every: 1, Cron: "@daily"}, {Name: "x", Run: run, Every: -1},
		{Name: "x", Run: run, Cron: "61 * * * *"}, {Name: "x", Run: run, Cron: "* * * * *", Zone: "Mars/Olympus"},
		{Name: strings.Repeat("x", 65), Run: run},
	} {
		if err := bad.prepare(); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// Of five processes one runs the job at a time, and all see the same runs.
func TestOneOfMany(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		var now, most, runs atomic.Int32
		var stops []func()
		for i := range 5 {
			s := newScheduler(t, db, fmt.Sprint("process", i), Job{Name: "alone", Every: 10 * time.Second, Run: func(ctx context.Context, _ *Progress) error {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				runs.Add(1)
				select {
				case <-time.After(2 * time.Minute): // longer than the lease, which is renewed
				case <-ctx.Done():
				}
				return ctx.Err()
			}})
			stops = append(stops, start(s))
		}
		time.Sleep(10 * time.Minute)
		ran := runs.Load() // what one that stops gives back, another may begin before it stops too
		for _, stop := range stops {
			stop()
		}
		if most.Load() != 1 {
			t.Errorf("%d ran it at once", most.Load())
		}
		if ran < 4 || ran > 5 {
			t.Errorf("it ran %d times in ten minutes", ran)
		}
	})
}

// A process that dies in the middle of a run holds the job until its lease is
// over; then another goes on, and the run is marked as lost.
func TestTakeover(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		job := func(run func(context.Context, *Progress) error) Job {
			return Job{Name: "work", Every: time.Hour, Lease: 30 * time.Second, Run: run}
		}
		dead := newScheduler(t, db, "dead", job(func(context.Context, *Progress) error { return nil }))
		// It claims, and is never heard of again.
		c, err := dead.claim(t.Context(), dead.jobs[0])
		if c == nil || err != nil {
			t.Fatalf("%+v, %v", c, err)
		}
		began := time.Now()
		var took time.Duration
		s := newScheduler(t, db, "next", job(func(context.Context, *Progress) error {
			took = time.Since(began)
			return nil
		}))
		stop := start(s)
		time.Sleep(time.Minute)
		stop()
		if took < 30*time.Second || took > 35*time.Second {
			t.Errorf("it was taken over after %s", took)
		}
		lost, err := s.RunsByState(t.Context(), Lost, model.PageOptions{})
		if err != nil || len(lost.Items) != 1 || lost.Items[0].Owner != "dead" || lost.Items[0].Ended == "" {
			t.Errorf("lost runs: %+v, %v", lost, err)
		}
		// The dead comes back: it does not end what is not its own any more.
		if err := dead.end(dead.jobs[0], c, &Progress{}, nil, false); !errors.Is(err, model.ErrLost) {
			t.Errorf("the dead came back: %v", err)
		}
	})
}

// cutOff are tables that can be made unreachable.
type cutOff struct {
	*dynamo.DB
	away atomic.Bool
}

var errAway = errors.New("the network is away")

// A process that cannot renew its lease stops its run before another may begin.
func TestCutOffFromTheStore(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		gone := &cutOff{DB: db}
		var first, second time.Time
		ended := make(chan time.Time, 1)
		slow := newScheduler(t, gone, "slow", Job{Name: "work", Every: time.Hour, Lease: 30 * time.Second, Run: func(ctx context.Context, _ *Progress) error {
			first = time.Now()
			gone.away.Store(true)
			<-ctx.Done()
			ended <- time.Now()
			return ctx.Err()
		}})
		stopSlow := start(slow)
		time.Sleep(time.Second)
		other := newScheduler(t, db, "other", Job{Name: "work", Every: time.Hour, Lease: 30 * time.Second, Run: func(context.Context, *Progress) error {
			second = time.Now()
			return nil
		}})
		stopOther := start(other)
		time.Sleep(2 * time.Minute)
		stopSlow()
		stopOther()
		end := <-ended
		if first.IsZero() || second.IsZero() || !end.Before(second) {
			t.Errorf("the first began at %v and ended at %v, the second began at %v", first, end, second)
		}
	})
}

func TestOperatorsActions(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		var runs atomic.Int32
		hold := make(chan struct{})
		s := newScheduler(t, db, "one",
			Job{Name: "tick", Every: time.Minute, Run: func(context.Context, *Progress) error { runs.Add(1); return nil }},
			Job{Name: "asked", Run: func(context.Context, *Progress) error { <-hold; return nil }})
		ctx := t.Context()
		stop := start(s)
		time.Sleep(10 * time.Second)
		if err := s.Pause(ctx, "tick", "ann", "too much load"); err != nil {
			t.Fatal(err)
		}
		if err := s.Pause(ctx, "tick", "ann", ""); !errors.Is(err, errs.Conflict) {
			t.Errorf("paused twice: %v", err)
		}
		time.Sleep(10 * time.Minute)
		if n := runs.Load(); n != 1 {
			t.Errorf("it ran %d times while it was paused", n-1)
		}
		if err := s.RunNow(ctx, "tick", "bob", "just once"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := runs.Load(); n != 2 {
			t.Errorf("asked for once, it ran %d times", n-1)
		}
		if err := s.Resume(ctx, "tick", "ann", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if n := runs.Load(); n != 3 {
			t.Errorf("resumed, it ran %d times", n)
		}
		if err := s.RunNow(ctx, "asked", "bob", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if err := s.RunNow(ctx, "asked", "bob", ""); !errors.Is(err, errs.Conflict) {
			t.Errorf("asked for while it runs: %v", err)
		}
		jobs, err := s.Jobs(ctx)
		if err != nil || jobs[0].Name != "asked" || jobs[0].Owner != "one" || jobs[0].Now == nil || jobs[0].Now.Asked != "bob" || !jobs[0].Next.IsZero() {
			t.Errorf("jobs: %+v, %v", jobs, err)
		}
		close(hold)
		if err := s.RunNow(ctx, "nothing", "bob", ""); !errors.Is(err, errs.NotFound) {
			t.Errorf("an unknown job: %v", err)
		}
		if err := s.Pause(ctx, "tick", "", ""); !errors.Is(err, errs.Invalid) || errs.Fields(err)[0].Name != "who" {
			t.Errorf("by nobody: %v", err)
		}
		if err := s.Record(ctx, Action{Who: "cid", What: "retry", Subject: "minutes task 1"}); err != nil {
			t.Fatal(err)
		}
		stop()
		all, err := s.Actions(ctx, "", model.PageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range all.Items {
			got = append(got, strings.Join([]string{a.Who, a.What, a.Subject, a.Why}, "|"))
		}
		want := []string{"cid|retry|minutes task 1|", "bob|run now|job asked|", "ann|resume|job tick|", "bob|run now|job tick|just once", "ann|pause|job tick|too much load"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the trail (-want +got):\n%s", diff)
		}
		on, err := s.Actions(ctx, "job tick", model.PageOptions{Limit: 2})
		if err != nil || len(on.Items) != 2 || on.Items[0].What != "resume" || on.Next == "" {
			t.Errorf("on one job: %+v, %v", on, err)
		}
	})
}

// A run that is stopped with its process is due again at once.
func TestStopGivesTheLeaseBack(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		job := Job{Name: "long", Every: time.Hour, Run: func(ctx context.Context, _ *Progress) error { <-ctx.Done(); return ctx.Err() }}
		first := newScheduler(t, db, "first", job)
		stop := start(first)
		time.Sleep(10 * time.Second)
		stop()
		second := newScheduler(t, db, "second", job)
		c, err := second.claim(t.Context(), second.jobs[0])
		if c == nil || err != nil {
			t.Errorf("the lease was not given back: %+v, %v", c, err)
		}
	})
}

func TestPanicAndTimeout(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		s := newScheduler(t, db, "one",
			Job{Name: "panics", Every: time.Hour, Run: func(context.Context, *Progress) error { panic("oh") }},
			Job{Name: "slow", Every: time.Hour, Timeout: time.Minute, Run: func(ctx context.Context, _ *Progress) error { <-ctx.Done(); return ctx.Err() }})
		stop := start(s)
		time.Sleep(2 * time.Minute)
		stop()
		failed, err := s.RunsByState(t.Context(), Failed, model.PageOptions{})
		if err != nil || len(failed.Items) != 2 {
			t.Fatalf("%+v, %v", failed, err)
		}
		got := map[string]string{}
		for _, r := range failed.Items {
			got[r.Job] = r.Error
		}
		if got["panics"] != "panic: oh" || !strings.Contains(got["slow"], "longer than 1m0s") {
			t.Errorf("they failed with %v", got)
		}
	})
}
