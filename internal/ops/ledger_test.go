package ops

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/model"
)

func newLedger(t *testing.T, db model.DB, o LedgerOptions) *Ledger {
	t.Helper()
	o.CursorKey = cursorKey
	l, err := NewLedger(db, &o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustRecord(t *testing.T, l *Ledger, at time.Time, c Call) {
	t.Helper()
	if err := l.Record(t.Context(), at, c); err != nil {
		t.Fatal(err)
	}
}

// What is recorded by many goroutines of several processes is all there, and adds
// up, whatever was written together.
func TestRecordManyAtOnce(t *testing.T) {
	db := openTables(t, Schema)
	at := time.Date(2026, 11, 15, 23, 59, 0, 0, time.UTC)
	now := func() time.Time { return at }
	var group sync.WaitGroup
	const processes, calls = 3, 120
	for range processes {
		l := newLedger(t, db, LedgerOptions{Now: now})
		for i := range calls {
			group.Go(func() {
				c := Call{Desk: []string{"minutes", "newswire"}[i%2], Provider: "openai", Model: "m", Input: 10, Cached: 1, Output: 2, Cost: 5, Millis: 7}
				if i%4 == 0 {
					c.Failure, c.Error = "overloaded", "try later"
				}
				if err := l.Record(t.Context(), at, c); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	l := newLedger(t, db, LedgerOptions{Now: now})
	got, err := l.Spent(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	const each = processes * calls / 2
	ttl := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC).Add(spendKept).Unix()
	want := []Spend{
		{Month: "2026-11", Day: "2026-11-15", Desk: "minutes", Calls: each, Failed: each / 2, Input: 10 * each, Cached: each, Output: 2 * each, Cost: 5 * each, Millis: 7 * each, TTL: ttl},
		{Month: "2026-11", Day: "2026-11-15", Desk: "newswire", Calls: each, Input: 10 * each, Cached: each, Output: 2 * each, Cost: 5 * each, Millis: 7 * each, TTL: ttl},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spent (-want +got):\n%s", diff)
	}
	seen, failed := map[string]bool{}, 0
	for cursor := ""; ; {
		page, err := l.Calls(t.Context(), "minutes", "2026-11-15", PageOptions{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Items {
			seen[c.ID] = true
			if c.Failure != "" {
				failed++
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if len(seen) != each || failed != each/2 {
		t.Errorf("%d calls are listed, %d of them failed; want %d and %d", len(seen), failed, each, each/2)
	}
	page, err := l.FailedCalls(t.Context(), "minutes", PageOptions{Limit: 100})
	if err != nil || len(page.Items) != each/2 || page.Items[0].Error != "try later" {
		t.Errorf("%d failed calls, %v", len(page.Items), err)
	}
}

// Days end where the zone says, and months are read across.
func TestSpentDays(t *testing.T) {
	db := openTables(t, Schema)
	now := time.Date(2026, 12, 2, 1, 0, 0, 0, time.UTC)
	tokyo := time.FixedZone("JST", 9*60*60)
	l := newLedger(t, db, LedgerOptions{Zone: tokyo, Now: func() time.Time { return now }})
	for _, at := range []string{"2026-11-29T16:00:00Z", "2026-11-30T14:00:00Z", "2026-12-01T16:00:00Z", "2026-11-20T00:00:00Z"} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		mustRecord(t, l, when, Call{Desk: "blog", Provider: "p", Model: "m", Cost: 1})
	}
	if got := l.Today(); got != "2026-12-02" {
		t.Errorf("today is %s", got)
	}
	all, err := l.Spent(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	var days []string
	for _, s := range all {
		days = append(days, fmt.Sprint(s.Day, " ", s.Calls))
	}
	if diff := cmp.Diff([]string{"2026-11-30 2", "2026-12-02 1"}, days); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}

func TestRecordCuts(t *testing.T) {
	l := newLedger(t, openTables(t, Schema), LedgerOptions{})
	long := string(make([]byte, 9000))
	mustRecord(t, l, time.Now(), Call{Provider: "p", Model: "m", Error: "界" + long, Task: long, Failure: "x"})
	page, err := l.Calls(t.Context(), "none", l.Today(), PageOptions{})
	if err != nil || len(page.Items) != 1 || len(page.Items[0].Error) > textMax || len(page.Items[0].Task) > whoMax {
		t.Errorf("%d calls, %v", len(page.Items), err)
	}
}

func TestCallsRefuse(t *testing.T) {
	l := newLedger(t, openTables(t, Schema), LedgerOptions{})
	for name, call := range map[string]func() error{
		"day":    func() error { _, err := l.Calls(t.Context(), "minutes", "yesterday", PageOptions{}); return err },
		"desk":   func() error { _, err := l.FailedCalls(t.Context(), "", PageOptions{}); return err },
		"cursor": func() error { _, err := l.FailedCalls(t.Context(), "a", PageOptions{Cursor: "forged"}); return err },
	} {
		fields := errs.Fields(call())
		if len(fields) != 1 || fields[0].Name != name {
			t.Errorf("%s: %v", name, call())
		}
	}
}

// A write that cannot be done is told to everyone whose call was in it.
func TestRecordFails(t *testing.T) {
	db, err := dynamo.OpenMemory(nil) // without tables
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	l := newLedger(t, db, LedgerOptions{})
	var told atomic.Int64
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			if l.Record(t.Context(), time.Now(), Call{Provider: "p", Model: "m"}) != nil {
				told.Add(1)
			}
		})
	}
	group.Wait()
	if told.Load() != 100 {
		t.Errorf("%d of 100 were told", told.Load())
	}
}

// A budget holds across processes and restarts, and settles once.
func TestBudget(t *testing.T) {
	db := openTables(t, Schema)
	desk := Budget{Account: "desk/minutes/2026-11-15", Limit: 100, Expires: time.Now().Add(time.Hour)}
	all := Budget{Account: "day/2026-11-15", Limit: 1000, Expires: time.Now().Add(time.Hour)}
	var made atomic.Int64
	var group sync.WaitGroup
	for p := range 3 {
		l := newLedger(t, db, LedgerOptions{})
		for i := range 20 {
			group.Go(func() {
				err := l.Reserve(t.Context(), fmt.Sprintf("%d-%d", p, i), 7, []Budget{desk, all})
				var full *Exhausted
				switch {
				case err == nil:
					made.Add(1)
				case !errors.As(err, &full) || full.Account != desk.Account || full.Amount != 7 || full.Limit != 100 || full.Committed+7 <= 100:
					t.Errorf("refused with %v", err)
				}
			})
		}
	}
	group.Wait()
	l := newLedger(t, db, LedgerOptions{})
	want := func(account string, amount Money) {
		t.Helper()
		if got, err := l.Committed(t.Context(), account); err != nil || got != amount {
			t.Errorf("%s has %d, %v; want %d", account, got, err, amount)
		}
	}
	if made.Load() != 14 {
		t.Errorf("%d reservations of 7 were made of 100", made.Load())
	}
	want(desk.Account, 98)
	want(all.Account, 98)
	want("day/never", 0)
	if err := l.Reserve(t.Context(), "last", 2, []Budget{desk, all}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := l.Settle(t.Context(), "last", 2, 1, []Budget{desk, all}); err != nil {
			t.Fatal(err)
		}
	}
	want(desk.Account, 99)
	want(all.Account, 99)
	// An account that has expired keeps nobody from settling the others.
	if err := l.Reserve(t.Context(), "late", 1, []Budget{all, desk}); err != nil {
		t.Fatal(err)
	}
	if err := l.accounts.Delete(t.Context(), all.key()); err != nil {
		t.Fatal(err)
	}
	if err := l.Settle(t.Context(), "late", 1, 0, []Budget{all, desk}); err != nil {
		t.Fatal(err)
	}
	want(desk.Account, 99)
	want(all.Account, 0)
}
