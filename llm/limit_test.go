package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stamped answers at once and remembers when it was called, and with how much.
type stamped struct {
	mu    sync.Mutex
	times []time.Time
	usage Usage
	hold  time.Duration
	now   int
	most  int
}

func (s *stamped) Info() Info { return Info{Provider: "test", Model: "m"} }

func (s *stamped) Generate(ctx context.Context, _ *Request) (*Response, error) {
	s.mu.Lock()
	s.times = append(s.times, time.Now())
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	err := wait(ctx, s.hold)
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	return &Response{Usage: s.usage}, err
}

// mostIn returns the most calls in any span of that length.
func (s *stamped) mostIn(span time.Duration) int {
	most := 0
	for i, from := range s.times {
		n := 0
		for _, t := range s.times[i:] {
			if t.Sub(from) < span {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Whenever callers come, no minute has more calls than allowed, and the time is
// used.
func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stamped{}
		p := Limited(s, Limits{RequestsPerMinute: 10, MaxWait: time.Hour}, nil)
		start := time.Now()
		var group sync.WaitGroup
		random := rand.New(rand.NewPCG(1, 2))
		for range 100 {
			time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
			group.Go(func() {
				if _, err := p.Generate(t.Context(), ask("x")); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if len(s.times) != 100 || s.mostIn(time.Minute) > 10 {
			t.Errorf("%d calls, at most %d a minute", len(s.times), s.mostIn(time.Minute))
		}
		if took := time.Since(start); took > 10*time.Minute {
			t.Errorf("took %s for 100 calls at 10 a minute", took)
		}
	})
}

func TestFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		p := Limited(&script{answer: func(_ context.Context, _ int, r *Request) (*Response, error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, r.System)
			return &Response{}, nil
		}}, Limits{RequestsPerMinute: 1, MaxWait: time.Hour}, nil)
		var group sync.WaitGroup
		for _, name := range []string{"a", "b", "c", "d"} {
			group.Go(func() {
				req := ask("x")
				req.System = name
				_, _ = p.Generate(t.Context(), req)
			})
			synctest.Wait()
		}
		group.Wait()
		if got := order[0] + order[1] + order[2] + order[3]; got != "abcd" {
			t.Errorf("served %s", got)
		}
	})
}

func TestRequestsPerDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stamped{}
		p := Limited(s, Limits{RequestsPerDay: 3}, nil)
		for range 3 {
			if _, err := p.Generate(t.Context(), ask("x")); err != nil {
				t.Fatal(err)
			}
		}
		_, err := p.Generate(t.Context(), ask("x"))
		if !errors.Is(err, RateLimited) || RetryAfter(err) < 24*time.Hour || RetryAfter(err) > 24*time.Hour+5*time.Minute {
			t.Fatalf("got %v, to be retried after %s", err, RetryAfter(err))
		}
		time.Sleep(RetryAfter(err))
		if _, err := p.Generate(t.Context(), ask("x")); err != nil {
			t.Error(err)
		}
	})
}

// Calls count with their bound until they are answered, then with what they used.
func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		each := CountInput("m", ask("x")) + 100
		s := &stamped{usage: Usage{Input: 5, Output: 5}}
		p := Limited(s, Limits{TokensPerMinute: 2 * each, MaxWait: time.Hour}, nil)
		start := time.Now()
		for range 10 {
			if _, err := p.Generate(t.Context(), ask("x")); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(start) != 0 {
			t.Errorf("ten short answers had to wait %s", time.Since(start))
		}
		s.usage = Usage{Input: each}
		for range 3 {
			if _, err := p.Generate(t.Context(), ask("x")); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(start) < time.Minute {
			t.Error("three long answers did not have to wait")
		}
		long := ask("x")
		long.MaxOutputTokens = 3 * each
		if _, err := p.Generate(t.Context(), long); !errors.Is(err, TooLong) {
			t.Errorf("a call over the limit: %v", err)
		}
	})
}

func TestConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stamped{hold: time.Second}
		p := Limited(s, Limits{Concurrent: 50}, nil)
		start := time.Now()
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() { _, _ = p.Generate(t.Context(), ask("x")) })
		}
		group.Wait()
		if s.most != 50 || time.Since(start) != 2*time.Second {
			t.Errorf("%d at once, %s for a hundred calls of a second", s.most, time.Since(start))
		}
	})
}

// Who gives up makes room, and who would wait past a deadline is told at once.
func TestGivingUpMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Limited(&stamped{}, Limits{RequestsPerMinute: 1, MaxWait: time.Hour}, nil)
		_, _ = p.Generate(t.Context(), ask("x"))
		start := time.Now()
		late, cancelLate := context.WithTimeout(t.Context(), time.Second)
		defer cancelLate()
		if _, err := p.Generate(late, ask("x")); !errors.Is(err, RateLimited) || time.Since(start) != 0 {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error)
		go func() {
			_, err := p.Generate(ctx, ask("x"))
			gaveUp <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := p.Generate(t.Context(), ask("x")); err != nil || time.Since(start) > 61*time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}

// The windows agree with a plain list of times, whatever comes.
func TestWindowNeverPasses(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		w := &window{span: time.Minute, requests: 1 + random.IntN(20), tokens: 1000}
		type entry struct {
			at     time.Time
			tokens int
		}
		var all []entry
		now := time.Unix(1_000_000, 0)
		for range 300 {
			now = now.Add(time.Duration(random.IntN(4000)) * time.Millisecond)
			w.forget(now)
			tokens := random.IntN(300)
			at := now
			if last := w.last(); last.After(at) {
				at = last
			}
			at = w.earliest(at, tokens)
			w.add(at, tokens)
			all = append(all, entry{at, tokens})
		}
		for i, from := range all {
			requests, tokens := 0, 0
			for _, e := range all {
				if d := e.at.Sub(from.at); d >= 0 && d < w.span {
					requests, tokens = requests+1, tokens+e.tokens
				}
			}
			if requests > w.requests || tokens > w.tokens {
				t.Fatalf("minute from call %d: %d of %d requests, %d of %d tokens", i, requests, w.requests, tokens, w.tokens)
			}
		}
		if len(w.slots) > 1300 {
			t.Errorf("%d slots", len(w.slots))
		}
	}
}
