package ops

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"pressroom/blob"
	"pressroom/dynamo"
)

func TestDashboard(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		var asked atomic.Int32
		var fails atomic.Bool
		desk := SourceFunc(func(context.Context) (Readings, error) {
			asked.Add(1)
			if fails.Load() {
				return Readings{}, errors.New("the table is away")
			}
			return Readings{
				Queues:   []Queue{{Name: "minutes tasks", Items: map[string]int{"waiting": 3, "failed": 1}, Oldest: time.Now().Add(-time.Minute)}},
				Failures: []Failure{{Queue: "minutes tasks", Reason: "citation", Count: 1, Example: "12ab"}},
				Spending: []Spending{
					{Name: "minutes", Calls: 3, FailedCalls: 1, InputTokens: 10, OutputTokens: 5, Dollars: 0.5, Committed: 0.7, Budget: 2},
					{Name: AllDesks, Calls: 3, FailedCalls: 1, InputTokens: 10, OutputTokens: 5, Dollars: 0.5, Committed: 0.7, Budget: 3},
				},
				Capacity: []Capacity{{Table: "blog", Index: "GSI1", Read: 1.5, Written: 4}},
			}, nil
		})
		s := newScheduler(t, db, "one", Job{Name: "tick", Every: time.Hour, Run: func(context.Context, *Progress) error { return errors.New("no") }})
		stop := start(s)
		synctest.Wait()
		stop()
		d := NewDashboard(nil, NamedSource{Name: "minutes", Source: desk})
		d.Add(
			NamedSource{Name: "jobs", Source: s.Source()},
			NamedSource{Name: "tables", Source: TableSizes(db, Schema)},
			NamedSource{Name: "bad", Source: SourceFunc(func(context.Context) (Readings, error) { panic("oh") })})
		for range 10 {
			d.Read(t.Context())
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("ten looks asked the desk %d times", n)
		}
		time.Sleep(10 * time.Second)
		fails.Store(true)
		snap := d.Read(t.Context())
		want := map[string]string{"minutes": "read minutes: the table is away", "bad": "read bad: panic: oh"}
		if diff := cmp.Diff(want, snap.Failed); diff != "" {
			t.Error(diff)
		}
		if len(snap.Queues) != 1 || len(snap.Tables) != 2 || snap.Tables[0].Items != 2 || len(snap.Jobs) != 1 {
			t.Errorf("the snapshot is %+v", snap)
		}
		text := exposition(t, d)
		for _, line := range []string{
			`pressroom_queue_items{queue="minutes tasks",state="waiting"} 3`,
			`pressroom_queue_oldest_age_seconds{queue="minutes tasks"} 70`,
			`pressroom_failures{queue="minutes tasks",reason="citation"} 1`,
			`pressroom_failures{queue="jobs",reason="tick"} 1`,
			`pressroom_llm_tokens_total{desk="minutes",direction="input"} 10`,
			`pressroom_llm_calls_total{desk="minutes",outcome="answered"} 2`,
			`pressroom_llm_calls_total{desk="minutes",outcome="failed"} 1`,
			`pressroom_llm_cost_dollars_total{desk="minutes"} 0.5`,
			`pressroom_llm_committed_dollars{desk="minutes"} 0.7`,
			`pressroom_llm_budget_dollars{desk="minutes"} 2`,
			`pressroom_llm_budget_dollars{desk="all"} 3`,
			`pressroom_capacity_units_total{direction="read",index="GSI1",table="blog"} 1.5`,
			`pressroom_capacity_units_total{direction="write",index="GSI1",table="blog"} 4`,
			`pressroom_table_items{index="",table="Operations"} 2`,
			`pressroom_job_consecutive_failures{job="tick"} 1`,
			`pressroom_source_up{source="minutes"} 0`,
			`pressroom_source_up{source="jobs"} 1`,
		} {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("%s is not among\n%s", line, text)
			}
		}
		if strings.Contains(text, `pressroom_llm_cost_dollars_total{desk="all"}`) {
			t.Error("a sum is told beside its parts")
		}
		if strings.Contains(text, "12ab") {
			t.Error("an id is a label")
		}
	})
}

// exposition renders what Prometheus would read, name, labels and value only.
func exposition(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range families {
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName()+`="`+l.GetValue()+`"`)
			}
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue()
			b.WriteString(f.GetName() + "{" + strings.Join(labels, ",") + "} " + strings.TrimSuffix(strings.TrimRight(formatFloat(value), "0"), ".") + "\n")
		}
	}
	return b.String()
}

// A queue that fails for a thousand reasons has a bounded number of series.
func TestReasonsAreBounded(t *testing.T) {
	d := NewDashboard(nil, NamedSource{Name: "desk", Source: SourceFunc(func(context.Context) (Readings, error) {
		var r Readings
		for i := range 1000 {
			r.Failures = append(r.Failures, Failure{Queue: "q", Reason: formatFloat(float64(i)), Count: 1})
		}
		return r, nil
	})})
	text := exposition(t, d)
	if n := strings.Count(text, "pressroom_failures{"); n != maxReasons+1 || !strings.Contains(text, `reason="other"} 97`) {
		t.Errorf("%d series:\n%s", n, text)
	}
}

// fullDisk is a store on a disk with so much room.
type fullDisk int64

func (fullDisk) Usage(context.Context) ([]blob.Usage, error) { return nil, nil }
func (f fullDisk) Free() (int64, bool)                       { return int64(f), true }
func (fullDisk) Damages() int64                              { return 0 }

func TestReadiness(t *testing.T) {
	bubble(t, func(t *testing.T, db *dynamo.DB) {
		gone := &cutOff{DB: db}
		s := newScheduler(t, gone, strings.Repeat("long name ", 12))
		ready := s.LeasesReady()
		for range 2 {
			if err := ready.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		gone.away.Store(true)
		if err := ready.Run(t.Context()); !errors.Is(err, errAway) {
			t.Errorf("without the store: %v", err)
		}
		gone.away.Store(false)
		if err := ready.Run(t.Context()); !errors.Is(err, errAway) {
			t.Errorf("a moment later it asked again: %v", err)
		}
		time.Sleep(freshness)
		if err := ready.Run(t.Context()); err != nil {
			t.Errorf("with the store back: %v", err)
		}
		if err := DiskReady(fullDisk(10), 100, nil).Run(t.Context()); err == nil {
			t.Error("ten bytes are enough")
		}
		if err := DiskReady(fullDisk(100), 100, nil).Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Nobody waits for a slow source, and it is asked once at a time.
func TestSlowSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		d := NewDashboard(nil, NamedSource{Name: "slow", Slow: true, Fresh: time.Hour, Source: SourceFunc(func(context.Context) (Readings, error) {
			asked.Add(1)
			time.Sleep(time.Minute)
			return Readings{Buckets: []BucketSize{{Bucket: "b", Objects: 1}}}, nil
		})})
		began := time.Now()
		for range 3 {
			if snap := d.Read(t.Context()); len(snap.Buckets) != 0 || len(snap.Failed) != 0 {
				t.Errorf("before it answered: %+v", snap)
			}
		}
		if time.Since(began) != 0 {
			t.Errorf("somebody waited %s", time.Since(began))
		}
		time.Sleep(2 * time.Minute)
		if snap := d.Read(t.Context()); len(snap.Buckets) != 1 || asked.Load() != 1 {
			t.Errorf("afterwards, asked %d times: %+v", asked.Load(), snap)
		}
	})
}
