package newswire

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"
)

// TestTurns lets several desks, as several processes would, ask one host at once.
// What counts is what the host sees.
func TestTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		w.host("polite.example", map[string]any{"/": "x"})
		s := newStores(t)
		const interval = 15 * time.Millisecond
		u := &url.URL{Scheme: "http", Host: "polite.example", Path: "/"}
		var all sync.WaitGroup
		for range 4 {
			d := s.desk(t, w, nil)
			for range 2 {
				all.Go(func() {
					for range 4 {
						if _, err := d.ask(t.Context(), u, interval, condition{}); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		all.Wait()
		hits := w.seen("polite.example")
		if len(hits) != 32 {
			t.Errorf("%d requests", len(hits))
		}
		for i := 1; i < len(hits); i++ {
			if gap := hits[i].at.Sub(hits[i-1].at); gap < interval {
				t.Errorf("two requests within %v", gap)
			}
		}
	})
}

// A process that dies in its turn does not keep the others out for ever.
func TestTurnOfTheDead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		s := newStores(t)
		dead := s.desk(t, w, nil)
		if _, err := dead.turns.take(t.Context(), "x.example", time.Millisecond); err != nil {
			t.Fatal(err)
		}
		alive := s.desk(t, w, nil)
		wait, err := alive.turns.try(t.Context(), "x.example", time.Millisecond)
		if err != nil || wait == 0 {
			t.Errorf("the turn is taken twice: %v, %v", wait, err)
		}
		s.clock.forward(turnLease(time.Millisecond) + time.Millisecond)
		if wait, err := alive.turns.try(t.Context(), "x.example", time.Millisecond); err != nil || wait != 0 {
			t.Errorf("the turn is still taken: %v, %v", wait, err)
		}
	})
}

// A host that takes longer to answer than a turn lasts keeps its turn.
func TestLongTurn(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		const interval = 10 * time.Millisecond
		long := turnLease(interval) + 300*time.Millisecond
		w := newWorld(t)
		w.host("slow.example", map[string]any{"/": func(http.ResponseWriter, *http.Request) { time.Sleep(long) }})
		s := newStores(t)
		u := &url.URL{Scheme: "http", Host: "slow.example", Path: "/"}
		var all sync.WaitGroup
		for range 2 {
			d := s.desk(t, w, nil)
			all.Go(func() {
				if _, err := d.ask(t.Context(), u, interval, condition{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		hits := w.seen("slow.example")
		if len(hits) != 2 {
			t.Fatalf("%d requests", len(hits))
		}
		if gap := hits[1].at.Sub(hits[0].at); gap < long+interval {
			t.Errorf("the second request came %v after the first", gap)
		}
	})
}
