package replay_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/ops/replay"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/lint"
)

// clock is a time that tests move.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time          { return time.UnixMilli(c.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.Add(d.Milliseconds()) }

func open(t *testing.T) (*replay.Store, model.DB, *clock) {
	t.Helper()
	c := &clock{}
	c.Store(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC).UnixMilli())
	db, err := dynamo.OpenMemory(&dynamo.Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, replay.Schema); err != nil {
		t.Fatal(err)
	}
	return newStore(t, db, c), db, c
}

func newStore(t *testing.T, db model.DB, c *clock) *replay.Store {
	t.Helper()
	s, err := replay.New(db, &replay.Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchema(t *testing.T) {
	if err := replay.Schema.Validate(); err != nil {
		t.Error(err)
	}
	for _, f := range lint.Check(replay.Schema) {
		t.Errorf("%+v", f)
	}
}

func TestLife(t *testing.T) {
	s, db, c := open(t)
	ctx := t.Context()
	begin := func(s *replay.Store, print, owner string) (string, error) {
		answer, err := s.Begin(ctx, "key", print, owner)
		return string(answer), err
	}
	expect := func(what, answer string, err error, wantAnswer string, wantErr error) {
		t.Helper()
		if answer != wantAnswer || !errors.Is(err, wantErr) {
			t.Fatalf("%s: %q, %v; want %q, %v", what, answer, err, wantAnswer, wantErr)
		}
	}
	answer, err := begin(s, "p", "ann")
	expect("the first", answer, err, "", nil)
	answer, err = begin(s, "p", "bob")
	expect("the second while it is done", answer, err, "", errs.Conflict)
	if after, ok := errs.RetryAfter(err); !ok || after != 2*time.Minute {
		t.Errorf("it says to come back after %v", after)
	}
	answer, err = begin(s, "q", "bob")
	expect("another request", answer, err, "", errs.Invalid)
	if err := s.Abandon(ctx, "key", "bob"); err != nil {
		t.Fatal(err)
	}
	answer, err = begin(s, "p", "bob")
	expect("after someone else gave it up", answer, err, "", errs.Conflict)
	if err := s.Abandon(ctx, "key", "ann"); err != nil {
		t.Fatal(err)
	}
	answer, err = begin(s, "q", "bob")
	expect("after its owner gave it up, also for another request", answer, err, "", nil)
	if err := s.Finish(ctx, "key", "bob", []byte("done")); err != nil {
		t.Fatal(err)
	}
	answer, err = begin(newStore(t, db, c), "q", "cid")
	expect("after a restart", answer, err, "done", nil)
	c.advance(24*time.Hour - time.Second)
	answer, err = begin(s, "q", "cid")
	expect("at the end of the day", answer, err, "done", nil)
	c.advance(time.Second)
	answer, err = begin(s, "other", "cid")
	expect("a day later", answer, err, "", nil)
}

func TestClaimOfTheDeadEnds(t *testing.T) {
	s, _, c := open(t)
	ctx := t.Context()
	if _, err := s.Begin(ctx, "key", "p", "dead"); err != nil {
		t.Fatal(err)
	}
	c.advance(2 * time.Minute)
	if answer, err := s.Begin(ctx, "key", "p", "next"); answer != nil || err != nil {
		t.Fatalf("%q, %v", answer, err)
	}
	if err := s.Finish(ctx, "key", "dead", []byte("late")); !errors.Is(err, errs.Conflict) {
		t.Errorf("the dead came back: %v", err)
	}
	if err := s.Finish(ctx, "key", "next", []byte("done")); err != nil {
		t.Fatal(err)
	}
	if answer, err := s.Begin(ctx, "key", "p", "third"); string(answer) != "done" || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestOneOfMany(t *testing.T) {
	s, db, c := open(t)
	second := newStore(t, db, c)
	var claimed atomic.Int32
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			store := s
			if i%2 == 1 {
				store = second
			}
			answer, err := store.Begin(t.Context(), "key", "p", fmt.Sprint("owner", i))
			switch {
			case err == nil && answer == nil:
				claimed.Add(1)
			case !errors.Is(err, errs.Conflict):
				t.Errorf("%q, %v", answer, err)
			}
		})
	}
	all.Wait()
	if n := claimed.Load(); n != 1 {
		t.Errorf("%d hold the claim", n)
	}
}
