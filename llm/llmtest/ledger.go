package llmtest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pressroom/llm"
)

// Ledger holds an llm.Ledger to its contract. Each call of newLedger may return the
// same ledger; account names are fresh.
func Ledger(t *testing.T, newLedger func(t *testing.T) llm.Ledger) {
	t.Run("all accounts or none", func(t *testing.T) { testAllOrNone(t, newLedger(t)) })
	t.Run("twice is once", func(t *testing.T) { testTwiceIsOnce(t, newLedger(t)) })
	t.Run("never over, by a hundred at once", func(t *testing.T) { testNeverOver(t, newLedger(t)) })
}

var accounts atomic.Int64

// account returns a name that no test has used.
func account(limit llm.USD) llm.Account {
	now := time.Now()
	return llm.Account{Name: fmt.Sprintf("test/%d-%d", now.UnixNano(), accounts.Add(1)), Limit: limit, Expires: now.Add(time.Hour)}
}

func expect(t *testing.T, l llm.Ledger, a llm.Account, want llm.USD) {
	t.Helper()
	if got, err := l.Committed(t.Context(), a.Name); err != nil || got != want {
		t.Errorf("%s committed on %s, %v; want %s", got, a.Name, err, want)
	}
}

func testAllOrNone(t *testing.T, l llm.Ledger) {
	wide, narrow := account(10*llm.Dollar), account(llm.Dollar)
	expect(t, l, wide, 0)
	r := llm.Reservation{ID: wide.Name, Amount: llm.Dollar + 1, Accounts: []llm.Account{wide, narrow}}
	var full *llm.Exhausted
	if err := l.Reserve(t.Context(), r); !errors.As(err, &full) || full.Account != narrow.Name || full.Limit != narrow.Limit || full.Amount != r.Amount {
		t.Errorf("got %v, want %s exhausted", err, narrow.Name)
	}
	expect(t, l, wide, 0)
	expect(t, l, narrow, 0)
	r.Amount = llm.Dollar
	if err := l.Reserve(t.Context(), r); err != nil {
		t.Errorf("the whole limit is not over it: %v", err)
	}
	expect(t, l, wide, llm.Dollar)
	expect(t, l, narrow, llm.Dollar)
}

func testTwiceIsOnce(t *testing.T, l llm.Ledger) {
	a := account(10 * llm.Dollar)
	r := llm.Reservation{ID: a.Name, Amount: 3 * llm.Dollar, Accounts: []llm.Account{a}}
	for range 2 {
		if err := l.Reserve(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, l, a, 3*llm.Dollar)
	for range 2 {
		if err := l.Settle(t.Context(), r, llm.Dollar); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, l, a, llm.Dollar)
	// What was really spent counts, also beyond the limit.
	dear := llm.Reservation{ID: a.Name + "-dear", Amount: 9 * llm.Dollar, Accounts: []llm.Account{a}}
	if err := l.Reserve(t.Context(), dear); err != nil {
		t.Fatal(err)
	}
	if err := l.Settle(t.Context(), dear, 11*llm.Dollar); err != nil {
		t.Fatal(err)
	}
	expect(t, l, a, 12*llm.Dollar)
}

func testNeverOver(t *testing.T, l llm.Ledger) {
	shared, other := account(7*llm.Dollar), account(100*llm.Dollar)
	var made atomic.Int64
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			r := llm.Reservation{ID: fmt.Sprint(shared.Name, "-", i), Amount: llm.Dollar, Accounts: []llm.Account{shared, other}}
			var full *llm.Exhausted
			switch err := l.Reserve(t.Context(), r); {
			case err == nil:
				made.Add(1)
			case !errors.As(err, &full):
				t.Error(err)
			}
		})
	}
	group.Wait()
	if made.Load() != 7 {
		t.Errorf("%d reservations of a dollar were made of seven", made.Load())
	}
	expect(t, l, shared, 7*llm.Dollar)
	expect(t, l, other, 7*llm.Dollar)
}
