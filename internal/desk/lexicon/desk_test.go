package lexicon

import (
	"errors"
	"flag"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/llm"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// clock is a time that only tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// fixture is a desk on tables of its own.
type fixture struct {
	*Desk
	t      *testing.T
	clock  *clock
	stores *modeltest.Stores
	store  model.DB
	untold bool // items are changed behind the desk's back, so that cards differ in the end
}

// begin is a moment from which a day is left.
var begin = time.Date(2026, 11, 15, 1, 0, 0, 0, time.UTC)

// open makes a desk on the embedded tables, or with -endpoint on those of any
// DynamoDB, whose items do not expire then.
func open(t *testing.T, provider llm.Provider, o Options) *fixture {
	t.Helper()
	return openOn(t, nil, provider, o)
}

// openOn makes a desk on stores with options.
func openOn(t *testing.T, so *modeltest.StoreOptions, provider llm.Provider, o Options) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: &clock{t: begin}}
	own := modeltest.StoreOptions{Tables: &dynamo.Options{Now: f.clock.now, SweepEvery: 20 * time.Millisecond}}
	if so != nil {
		own.HTTP, own.Streams = so.HTTP, so.Streams
	}
	f.stores = modeltest.OpenStores(t, &own, Schema, story.Schema)
	f.store = f.stores.Tables
	if o.Now == nil {
		o.Now = f.clock.now
	}
	o.Log = slog.New(slog.DiscardHandler)
	var err error
	if o.Stories, err = story.New(f.store, &story.Options{Now: o.Now}); err != nil {
		t.Fatal(err)
	}
	if f.Desk, err = New(f.store, provider, &o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !f.untold {
			storytest.Told(t, o.Stories, f.Shelf())
		}
	})
	return f
}

// user makes a user on a tier.
func (f *fixture) user(id, tier string) string {
	f.t.Helper()
	if _, err := f.EnsureUser(f.t.Context(), id, id+"@example.org"); err != nil {
		f.t.Fatal(err)
	}
	if tier != Free {
		if _, err := f.SetTier(f.t.Context(), id, tier); err != nil {
			f.t.Fatal(err)
		}
	}
	return id
}

// propose makes a submission by a premium user.
func (f *fixture) propose(userID, term string) Submission {
	f.t.Helper()
	s, err := f.Submit(f.t.Context(), userID, Draft{Term: term, Meaning: "what " + term + " means", Example: "so " + term, Context: "chat"})
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// term writes a term.
func (f *fixture) term(t Term) Term {
	f.t.Helper()
	if t.Gloss == "" {
		t.Gloss = "what " + t.Term + " means"
	}
	if t.Confidence == 0 {
		t.Confidence, t.Momentum = 0.9, 0.9
	}
	if err := f.SaveTerm(f.t.Context(), &t); err != nil {
		f.t.Fatal(err)
	}
	return t
}

// want fails unless the error is of the kind; nil is success.
func want(t *testing.T, err error, kind error) {
	t.Helper()
	if kind == nil && err != nil || kind != nil && !errors.Is(err, kind) {
		t.Fatalf("error %v, want %v", err, kind)
	}
}

// fields are the fields that an error complains about.
func fields(err error) []string {
	var names []string
	for _, f := range errs.Fields(err) {
		names = append(names, f.Name)
	}
	return names
}

// together runs so many goroutines at once and returns how many had no error. An
// error of none of the kinds fails the test.
func together(t *testing.T, n int, kinds []errs.Kind, do func(i int) error) int {
	t.Helper()
	start := make(chan struct{})
	var group sync.WaitGroup
	var good atomic.Int64
	for i := range n {
		group.Go(func() {
			<-start
			err := do(i)
			if err == nil {
				good.Add(1)
				return
			}
			for _, kind := range kinds {
				if errors.Is(err, kind) {
					return
				}
			}
			t.Errorf("%d: %v", i, err)
		})
	}
	close(start)
	group.Wait()
	return int(good.Load())
}

// endpointOf is the address of the DynamoDB that the tests run on; "" for the
// embedded one.
func endpointOf() string { return flag.Lookup("endpoint").Value.String() }
