package llm

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// failing fails with the given errors, one a call, then succeeds.
func failing(errs ...error) *script {
	return &script{answer: func(_ context.Context, n int, _ *Request) (*Response, error) {
		if n <= len(errs) {
			return nil, errs[n-1]
		}
		return &Response{Text: "ok", Provider: "test", Model: "m-1", Finish: Stop, Usage: Usage{Input: 1, Output: 1}}, nil
	}}
}

func most() float64 { return 0.999999999 }

func TestRetryWaits(t *testing.T) {
	limited := func(after time.Duration) error { return &Error{Kind: RateLimited, RetryAfter: after} }
	down := &Error{Kind: Overloaded}
	tests := []struct {
		name  string
		errs  []error
		calls int
		took  time.Duration // At most jitter.
		kind  Kind
	}{
		{"backoff doubles", []error{down, down, down}, 4, 7 * time.Second, ""},
		{"attempts end", []error{down, down, down, down}, 4, 7 * time.Second, Overloaded},
		{"retry-after is kept", []error{limited(20 * time.Second)}, 2, 21 * time.Second, ""},
		{"retry-after is too long", []error{limited(2 * time.Minute)}, 1, 0, RateLimited},
		{"not retryable", []error{&Error{Kind: Refused}}, 1, 0, Refused},
		{"open circuit", []error{&Error{Kind: CircuitOpen, RetryAfter: time.Second}}, 1, 0, CircuitOpen},
		{"other kinds", []error{&Error{Kind: Timeout}, &Error{Kind: Disconnected}, &Error{Kind: Malformed}}, 4, 7 * time.Second, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := failing(test.errs...)
				start := time.Now()
				_, err := Retried(p, Retry{Rand: most}).Generate(t.Context(), ask("x"))
				if KindOf(err) != test.kind || p.count() != test.calls || time.Since(start).Round(time.Millisecond) != test.took {
					t.Errorf("%d calls in %s, %v; want %d in %s, %q", p.count(), time.Since(start), err, test.calls, test.took, test.kind)
				}
			})
		})
	}
}

// Full jitter goes down to nothing, a Retry-After does not.
func TestRetryJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		least := func() float64 { return 0 }
		start := time.Now()
		_, _ = Retried(failing(&Error{Kind: Overloaded}), Retry{Rand: least}).Generate(t.Context(), ask("x"))
		if time.Since(start) != 0 {
			t.Errorf("waited %s", time.Since(start))
		}
		_, _ = Retried(failing(&Error{Kind: RateLimited, RetryAfter: 5 * time.Second}), Retry{Rand: least}).Generate(t.Context(), ask("x"))
		if time.Since(start) != 5*time.Second {
			t.Errorf("came back after %s, not 5s", time.Since(start))
		}
	})
}

func TestRetryCapIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		for range 70 {
			errs = append(errs, &Error{Kind: Overloaded})
		}
		start := time.Now()
		if _, err := Retried(failing(errs...), Retry{Attempts: 71, Base: time.Second, Cap: time.Second, Rand: most}).Generate(t.Context(), ask("x")); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start).Round(time.Second); took != 70*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestRetryMindsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		_, err := Retried(failing(&Error{Kind: RateLimited, RetryAfter: 10 * time.Second}), Retry{}).Generate(ctx, ask("x"))
		if !errors.Is(err, RateLimited) || time.Since(start) != 0 {
			t.Errorf("past the deadline: %v after %s", err, time.Since(start))
		}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		_, err = Retried(failing(&Error{Kind: RateLimited, RetryAfter: 10 * time.Second}), Retry{}).Generate(ctx, ask("x"))
		if !errors.Is(err, RateLimited) || time.Since(start) != time.Second {
			t.Errorf("cancelled: %v after %s", err, time.Since(start))
		}
	})
}

func TestRetryCountsWhatFailuresSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := failing(&Error{Kind: Malformed, Usage: Usage{Input: 4}, Cost: 2})
		resp, err := Retried(p, Retry{}).Generate(t.Context(), ask("x"))
		if err != nil || resp.Usage != (Usage{Input: 5, Output: 1}) || resp.Cost != 2 {
			t.Errorf("got %+v, %v", resp, err)
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := false
		s := &script{answer: func(context.Context, int, *Request) (*Response, error) {
			if up {
				return &Response{}, nil
			}
			return nil, &Error{Kind: Overloaded, Message: "the cause"}
		}}
		p := Protected(s, Breaker{Failures: 3, Pause: 10 * time.Second, MaxPause: 15 * time.Second}, nil)
		call := func(kind Kind, after time.Duration) {
			t.Helper()
			_, err := p.Generate(t.Context(), ask("x"))
			if KindOf(err) != kind || RetryAfter(err) != after {
				t.Errorf("got %v after %s, want %q after %s", err, RetryAfter(err), kind, after)
			}
		}
		for range 3 {
			call(Overloaded, 0)
		}
		call(CircuitOpen, 10*time.Second)
		time.Sleep(9 * time.Second)
		call(CircuitOpen, time.Second)
		time.Sleep(time.Second)
		call(Overloaded, 0) // The trial; the pause doubles up to its bound.
		call(CircuitOpen, 15*time.Second)
		time.Sleep(15 * time.Second)
		up = true
		call("", 0)
		up = false
		for range 3 {
			call(Overloaded, 0)
		}
		call(CircuitOpen, 10*time.Second)
		if s.count() != 8 {
			t.Errorf("%d calls reached the provider, want 8", s.count())
		}
	})
}

func TestBreakerLetsOneThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: func(ctx context.Context, n int, _ *Request) (*Response, error) {
			if n == 1 {
				return nil, &Error{Kind: Timeout}
			}
			return &Response{}, wait(ctx, time.Second)
		}}
		p := Protected(s, Breaker{Failures: 1}, nil)
		_, _ = p.Generate(t.Context(), ask("x"))
		time.Sleep(time.Minute)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() { _, _ = p.Generate(t.Context(), ask("x")) })
		}
		group.Wait()
		if s.count() != 2 {
			t.Errorf("%d calls, want 2", s.count())
		}
	})
}

// What says nothing about the provider's health does not count.
func TestBreakerCountsOnlyHealth(t *testing.T) {
	for kind, opens := range map[Kind]bool{
		Overloaded: true, Disconnected: true, Timeout: true, Malformed: true, Unauthenticated: true,
		RateLimited: false, Refused: false, Filtered: false, TooLong: false, CutOff: false, BadRequest: false,
	} {
		s := &script{answer: func(context.Context, int, *Request) (*Response, error) { return nil, &Error{Kind: kind} }}
		p := Protected(s, Breaker{Failures: 2}, nil)
		for range 5 {
			_, _ = p.Generate(t.Context(), ask("x"))
		}
		if opened := s.count() == 2; opened != opens {
			t.Errorf("%s: opened %v, want %v", kind, opened, opens)
		}
	}
}

func TestRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []Call
		recorder := RecorderFunc(func(ctx context.Context, c Call) {
			if ctx.Err() != nil {
				t.Error("the recorder's context has ended")
			}
			calls = append(calls, c)
		})
		s := &script{answer: func(ctx context.Context, n int, _ *Request) (*Response, error) {
			time.Sleep(time.Second)
			switch n {
			case 1:
				return &Response{Model: "m-1", Finish: Stop, Usage: Usage{Input: 2, Output: 3}, Cost: 4}, nil
			case 2:
				return nil, &Error{Kind: CutOff, Usage: Usage{Input: 2}, Cost: 1}
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		p := Recorded(s, recorder, nil)
		req := ask("x")
		req.Labels = Labels{Desk: "minutes", Run: "r", Purpose: "chunk", PromptVersion: "v3"}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for range 3 {
			_, _ = p.Generate(ctx, req)
		}
		base := Call{Time: start, Labels: req.Labels, Key: Key(s.Info(), req), Provider: "test", Model: "m", Latency: time.Second}
		ok, cut, gone := base, base, base
		ok.Model, ok.Finish, ok.Usage, ok.Cost = "m-1", Stop, Usage{Input: 2, Output: 3}, 4
		cut.Time, cut.Kind, cut.Usage, cut.Cost = start.Add(time.Second), CutOff, Usage{Input: 2}, 1
		gone.Time, gone.Latency = start.Add(2*time.Second), 3*time.Second
		ignoreErr := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Err" }, cmp.Ignore())
		if diff := cmp.Diff([]Call{ok, cut, gone}, calls, ignoreErr); diff != "" {
			t.Error(diff)
		}
		if !errors.Is(calls[1].Err, CutOff) || !errors.Is(calls[2].Err, context.DeadlineExceeded) {
			t.Errorf("errors: %v, %v", calls[1].Err, calls[2].Err)
		}
	})
}

// All wrappers together: a bad answer, a 429 in between, the repair; each call
// recorded, both answers paid.
func TestNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{info: dollarModel, answer: func(_ context.Context, n int, _ *Request) (*Response, error) {
			usage := Usage{Input: 3, Output: 10}
			switch n {
			case 1:
				return &Response{Text: "{}", Usage: usage}, nil
			case 2:
				return nil, &Error{Kind: RateLimited, RetryAfter: 5 * time.Second}
			}
			return &Response{Text: `{"name": "Al", "age": 1}`, Usage: usage}, nil
		}}
		var kinds []Kind
		var repairs []bool
		ledger := NewMemoryLedger(nil)
		p := New(s, Options{
			Prices: dollarPrices, Budgets: Budgets{Day: Dollar}, Ledger: ledger,
			Limits: Limits{RequestsPerMinute: 60, Concurrent: 2},
			Retry:  Retry{Rand: func() float64 { return 0 }},
			Recorder: RecorderFunc(func(_ context.Context, c Call) {
				kinds, repairs = append(kinds, c.Kind), append(repairs, c.Repair)
			}),
		})
		if p.Info() != dollarModel {
			t.Error("the wrappers hide who the provider is")
		}
		req := ask("x")
		req.Schema = personSchema
		start := time.Now()
		resp, err := p.Generate(t.Context(), req)
		if err != nil || !resp.Repaired || resp.Cost != 2*cent || time.Since(start) != 5*time.Second {
			t.Errorf("got %+v, %v after %s", resp, err, time.Since(start))
		}
		if diff := cmp.Diff([]Kind{"", RateLimited, ""}, kinds); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]bool{false, true, true}, repairs); diff != "" {
			t.Error(diff)
		}
		if got, _ := ledger.Committed(t.Context(), "day/2000-01-01"); got != 2*cent {
			t.Errorf("%s settled", got)
		}
	})
}
