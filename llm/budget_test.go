package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dollarModel costs a dollar per thousand tokens of output and nothing else, so
// that a call of ask() reserves ten cents.
var (
	dollarModel  = Info{Provider: "test", Model: "dollar"}
	dollarPrices = mustPrices(`{"version": "t", "models": [{"provider": "test", "model": "dollar", "input": 0, "output": 1000}]}`)
	cent         = Dollar / 100
)

func mustPrices(table string) *Prices {
	p, err := ParsePrices([]byte(table))
	if err != nil {
		panic(err)
	}
	return p
}

// spender uses so many output tokens a call, after a second.
func spender(tokens int) *script {
	return &script{info: dollarModel, answer: func(ctx context.Context, _ int, _ *Request) (*Response, error) {
		if err := wait(ctx, time.Second); err != nil {
			return nil, err
		}
		return &Response{Text: "x", Usage: Usage{Output: tokens}}, nil
	}}
}

func TestAccounts(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	now := time.Date(2026, 11, 15, 16, 0, 0, 0, time.UTC) // The 16th in Tokyo.
	b := Budgets{Run: 1, Day: 2, Desk: map[string]USD{"minutes": 3}, Location: tokyo}
	dayEnd := time.Date(2026, 11, 18, 0, 0, 0, 0, tokyo)
	want := []Account{
		{Name: "run/minutes/r1", Limit: 1, Expires: now.Add(runLife)},
		{Name: "desk/minutes/2026-11-16", Limit: 3, Expires: dayEnd},
		{Name: "day/2026-11-16", Limit: 2, Expires: dayEnd},
	}
	if diff := cmp.Diff(want, b.Accounts(Labels{Desk: "minutes", Run: "r1"}, now)); diff != "" {
		t.Error(diff)
	}
	if got := b.Accounts(Labels{Desk: "lexicon"}, now); len(got) != 1 {
		t.Errorf("a desk without a budget, without a run: %v", got)
	}
}

// Each of the three budgets stops the call that would pass it, before it is made.
func TestBudgetStops(t *testing.T) {
	tests := []struct {
		name    string
		budgets Budgets
		account string
	}{
		{"run", Budgets{Run: 35 * cent}, "run/d/r"},
		{"day", Budgets{Day: 35 * cent}, "day/2000-01-01"},
		{"desk", Budgets{Desk: map[string]USD{"d": 35 * cent}}, "desk/d/2000-01-01"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := spender(100)
				b := Budgeted(p, test.budgets, nil, dollarPrices, nil)
				req := ask("x")
				req.Labels = Labels{Desk: "d", Run: "r"}
				for range 3 {
					if _, err := b.Generate(t.Context(), req); err != nil {
						t.Fatal(err)
					}
				}
				_, err := b.Generate(t.Context(), req)
				var e *Error
				if !errors.As(err, &e) || e.Kind != BudgetExceeded || e.Budget != test.account {
					t.Errorf("got %v, want %s exhausted", err, test.account)
				}
				if p.count() != 3 {
					t.Errorf("%d calls were made", p.count())
				}
			})
		})
	}
}

func TestBudgetsOfOthersAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Budgeted(spender(100), Budgets{Run: 10 * cent}, nil, dollarPrices, nil)
		for _, labels := range []Labels{{Desk: "d", Run: "1"}, {Desk: "d", Run: "2"}, {Desk: "e", Run: "1"}} {
			req := ask("x")
			req.Labels = labels
			if _, err := b.Generate(t.Context(), req); err != nil {
				t.Errorf("%+v: %v", labels, err)
			}
		}
	})
}

func TestBudgetOfTomorrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Budgeted(spender(100), Budgets{Day: 10 * cent}, nil, dollarPrices, nil)
		if _, err := b.Generate(t.Context(), ask("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Generate(t.Context(), ask("x")); !errors.Is(err, BudgetExceeded) {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		if _, err := b.Generate(t.Context(), ask("x")); err != nil {
			t.Error(err)
		}
	})
}

// A thousand callers at once: never over, and not one call less than fits although
// each sets aside five times what it spends.
func TestBudgetUnderConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &watched{MemoryLedger: NewMemoryLedger(nil)}
		p := spender(20)
		b := Budgeted(p, Budgets{Day: 100 * cent}, ledger, dollarPrices, nil)
		var ok, refused atomic.Int32
		var group sync.WaitGroup
		for range 1000 {
			group.Go(func() {
				_, err := b.Generate(t.Context(), ask("x"))
				switch {
				case err == nil:
					ok.Add(1)
				case errors.Is(err, BudgetExceeded):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		// After 46 calls 92 cents are spent, and a call may cost ten.
		if ok.Load() != 46 || refused.Load() != 954 {
			t.Errorf("%d calls were made, %d refused; want 46 and 954", ok.Load(), refused.Load())
		}
		if ledger.most > 100*cent {
			t.Errorf("%s of $1.00 were committed", ledger.most)
		}
		if left, _ := ledger.Committed(t.Context(), "day/2000-01-01"); left != 92*cent {
			t.Errorf("%s settled, want $0.92", left)
		}
	})
}

// watched remembers the most that was ever committed.
type watched struct {
	*MemoryLedger
	mu   sync.Mutex
	most USD
}

func (w *watched) Reserve(ctx context.Context, r Reservation) error {
	err := w.MemoryLedger.Reserve(ctx, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	c, _ := w.Committed(ctx, "day/2000-01-01")
	w.most = max(w.most, c)
	return err
}

// What a failed call is settled at depends on whether it may have been billed.
func TestSettleFailures(t *testing.T) {
	tests := []struct {
		err  error
		want USD
	}{
		{&Error{Kind: RateLimited}, 0},
		{&Error{Kind: Overloaded}, 0},
		{&Error{Kind: Unauthenticated}, 0},
		{&Error{Kind: Timeout}, 10 * cent},
		{&Error{Kind: Disconnected}, 10 * cent},
		{&Error{Kind: Disconnected, Unsent: true}, 0},
		{&Error{Kind: Refused, Usage: Usage{Output: 7}}, Dollars(0.007)},
		{&Error{Kind: CutOff, Usage: Usage{Output: 100}}, 10 * cent},
		{fmt.Errorf("stopped: %w", context.Canceled), 10 * cent},
	}
	for _, test := range tests {
		t.Run(test.err.Error(), func(t *testing.T) {
			ledger := NewMemoryLedger(func() time.Time { return time.Unix(0, 0) })
			p := &script{info: dollarModel, answer: func(context.Context, int, *Request) (*Response, error) { return nil, test.err }}
			b := Budgeted(p, Budgets{Day: Dollar}, ledger, dollarPrices, func() time.Time { return time.Unix(0, 0) })
			if _, err := b.Generate(t.Context(), ask("x")); !errors.Is(err, test.err) {
				t.Fatal(err)
			}
			if got, _ := ledger.Committed(t.Context(), "day/1970-01-01"); got != test.want {
				t.Errorf("settled at %s, want %s", got, test.want)
			}
		})
	}
}

func TestBudgetNeedsAPrice(t *testing.T) {
	p := texts("x", "x")
	if _, err := Budgeted(p, Budgets{Day: Dollar}, nil, dollarPrices, nil).Generate(t.Context(), ask("x")); !errors.Is(err, Unpriced) {
		t.Errorf("got %v", err)
	}
	if _, err := Budgeted(p, Budgets{}, nil, dollarPrices, nil).Generate(t.Context(), ask("x")); err != nil {
		t.Errorf("without a budget no price is needed: %v", err)
	}
}

// A caller who gives up while waiting for others' money leaves nothing behind.
func TestBudgetWaitIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := NewMemoryLedger(nil)
		b := Budgeted(spender(10), Budgets{Day: 10 * cent}, ledger, dollarPrices, nil)
		go func() { _, _ = b.Generate(t.Context(), ask("x")) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := b.Generate(ctx, ask("x")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Minute)
		if got, _ := ledger.Committed(t.Context(), "day/2000-01-01"); got != cent {
			t.Errorf("%s committed, want $0.01", got)
		}
	})
}

// A caller who gives up while waiting for a turn has spent nothing.
func TestNothingSentNothingSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := NewMemoryLedger(nil)
		p := New(spender(10), Options{Prices: dollarPrices, Budgets: Budgets{Day: Dollar}, Ledger: ledger, Limits: Limits{RequestsPerMinute: 1, Concurrent: 2}})
		if _, err := p.Generate(t.Context(), ask("x")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		var group sync.WaitGroup
		for range 5 { // One waits for the minute, others for a seat.
			group.Go(func() {
				if _, err := p.Generate(ctx, ask("x")); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
		}
		group.Wait()
		if got, _ := ledger.Committed(t.Context(), "day/2000-01-01"); got != cent {
			t.Errorf("%s committed, want $0.01", got)
		}
	})
}

func TestLedgerCountsOnce(t *testing.T) {
	ctx := t.Context()
	now := time.Unix(1000, 0)
	l := NewMemoryLedger(func() time.Time { return now })
	r := Reservation{ID: "1", Amount: 5, Accounts: []Account{{Name: "a", Limit: 10, Expires: now.Add(time.Hour)}, {Name: "b", Limit: 7}}}
	for range 2 {
		if err := l.Reserve(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	// All accounts or none.
	var full *Exhausted
	if err := l.Reserve(ctx, Reservation{ID: "2", Amount: 5, Accounts: r.Accounts}); !errors.As(err, &full) || full.Account != "b" {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Settle(ctx, r, 2); err != nil {
			t.Fatal(err)
		}
	}
	for _, account := range []string{"a", "b"} {
		if got, _ := l.Committed(ctx, account); got != 2 {
			t.Errorf("%s: %d committed, want 2", account, got)
		}
	}
	now = now.Add(2 * time.Hour)
	if err := l.Reserve(ctx, Reservation{ID: "3", Amount: 1, Accounts: r.Accounts[1:]}); err != nil {
		t.Fatal(err)
	}
	if got, _ := l.Committed(ctx, "a"); got != 0 {
		t.Error("an expired account is still there")
	}
}
