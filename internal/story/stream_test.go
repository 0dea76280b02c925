package story

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/dynamo"
	"pressroom/model"
	"pressroom/model/modeltest"
)

var (
	streamEvents = flag.Int("events", 1500, "how many changes the desks make in the test of the whole stream")
	streamSeed   = flag.Uint64("seed", 0, "the seed of that test; 0 for another one each time")
)

// A process that dies with any of its calls, before or after that has happened in the
// store, leaves nothing that the next one cannot go on from.
func TestKilled(t *testing.T) {
	p, c := open(t)
	db, ctx := p.db, t.Context()
	r := newReader("reader", "toys")
	var refs []Ref
	for n := range 5 {
		refs = append(refs, Ref{"toys", fmt.Sprint(n)})
	}
	title := 0
	change := func(p *process) error {
		title++
		ref := refs[title%len(refs)]
		switch {
		case title%11 == 0:
			return p.hide(ctx, ref)
		case title%13 == 0:
			return p.retract(ctx, ref)
		case title%2 == 0: // also what a person withdrew
			return p.show(ctx, card(ref, fmt.Sprint("Title ", title)), p.correct)
		}
		err := p.show(ctx, card(ref, fmt.Sprint("Title ", title)), p.Publish)
		if errors.Is(err, ErrWithdrawn) {
			return nil
		}
		return err
	}
	a := &auditor{p: p, last: map[Ref]Event{}, all: map[Ref]map[int]Event{}}
	deaths := 0
	for n, died := 0, true; died; n++ {
		for _, happened := range []bool{false, true} {
			for range perMove + 10 { // more than one step moves
				must(t, change(p))
			}
			m := newMortal(db, n, happened)
			mortal := newProcess(t, m, Options{Now: c.Now})
			err := change(mortal)
			if err == nil {
				err = mortal.RelayOnce(ctx)
			}
			if err == nil {
				err = mortal.CatchUp(ctx, r.follow(mortal))
			}
			if died = m.died(); died != (err != nil) {
				t.Fatalf("after %d calls: %v", n, err)
			}
			if died {
				deaths++
			}
			a.audit(t, refs)
			c.Advance(time.Minute) // the leases of the dead run out
			must(t, p.RelayOnce(ctx))
			must(t, p.CatchUp(ctx, r.follow(p)))
			if waiting := a.audit(t, refs); waiting != 0 {
				t.Fatalf("after %d calls: %d events wait", n, waiting)
			}
			r.agrees(t, p)
		}
	}
	if deaths < 40 || r.rebuilt > 0 {
		t.Errorf("%d deaths, rebuilt %d times", deaths, r.rebuilt)
	}
	p.audit(t, refs)
}

// An outbox index that misses events and shows those that are long in the log changes
// nothing about the log.
func TestRelayLate(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	behind := newLate(p.db, 3)
	relay := newProcess(t, behind, Options{Now: c.Now})
	var refs []Ref
	for n := range 400 {
		ref := Ref{"toys", fmt.Sprint(n * n % 13)}
		refs = append(refs, ref)
		must(t, p.show(ctx, card(ref, fmt.Sprint("Toy ", n)), p.Publish))
		if n%5 == 0 {
			must(t, relay.RelayOnce(ctx))
			p.audit(t, refs)
		}
	}
	for range 100 { // the index knows of everything in the end
		if p.audit(t, refs) == 0 {
			break
		}
		must(t, relay.RelayOnce(ctx))
	}
	if waiting := p.audit(t, refs); waiting != 0 || behind.lied < 100 {
		t.Errorf("%d events wait; the index was behind %d times", waiting, behind.lied)
	}
}

// A consumer that was away for longer than the log is kept rebuilds from the heads, and
// agrees with them. One that slept as long, and missed nothing, goes on.
func TestAwayFor40Days(t *testing.T) {
	c := modeltest.NewClock(time.Now())
	stores := modeltest.OpenStores(t, &modeltest.StoreOptions{Tables: &dynamo.Options{Now: c.Now, SweepEvery: time.Millisecond}}, Schema, toySchema)
	stores.Embedded(t, "the clock of others cannot be moved")
	p := newProcess(t, stores.Tables, Options{Now: c.Now})
	ctx := t.Context()
	away, asleep, none := newReader("away", "toys"), newReader("asleep", "toys"), newReader("new", "toys")
	change := func(from, to int) {
		for n := from; n < to; n++ {
			ref := Ref{"toys", fmt.Sprint(n % 40)}
			if n%7 == 0 {
				must(t, p.hide(ctx, ref))
			} else {
				must(t, p.show(ctx, card(ref, fmt.Sprint("Toy ", n)), p.Publish))
			}
		}
	}
	change(0, 100)
	must(t, p.RelayOnce(ctx))
	must(t, p.CatchUp(ctx, away.follow(p)))
	change(100, 200)
	must(t, p.RelayOnce(ctx))
	must(t, p.CatchUp(ctx, asleep.follow(p)))
	// These wait for the relay all the time, and must not expire meanwhile.
	change(200, 210)

	c.Advance(40 * 24 * time.Hour)
	end, err := p.End(ctx)
	must(t, err)
	for seq := range end { // until the sweeper has been everywhere
		for err == nil {
			time.Sleep(time.Millisecond)
			_, err = p.read(ctx, seq, seq+1)
		}
		if !errors.Is(err, ErrBehind) {
			t.Fatal(err)
		}
		err = nil
	}
	for _, r := range []*reader{away, asleep, none} {
		alone := r.follow(p)
		alone.Rebuild = nil
		if err := p.CatchUp(ctx, alone); errors.Is(err, ErrBehind) != (r != asleep) {
			t.Errorf("%s: %v", r.name, err)
		}
	}
	lag, err := p.Lag(ctx)
	must(t, err)
	if lag.Round(time.Hour) != 40*24*time.Hour {
		t.Errorf("a lag of %v", lag)
	}
	// A change in the middle of a rebuild is told after it.
	late := away.follow(p)
	rebuild := late.Rebuild
	late.Rebuild = func(ctx context.Context) error {
		err := rebuild(ctx)
		change(210, 230)
		return errors.Join(err, p.RelayOnce(ctx))
	}
	must(t, p.CatchUp(ctx, late))
	must(t, p.CatchUp(ctx, away.follow(p)))
	must(t, p.CatchUp(ctx, asleep.follow(p)))
	must(t, p.CatchUp(ctx, none.follow(p)))
	for _, r := range []*reader{away, asleep, none} {
		r.agrees(t, p)
		if (r.rebuilt > 0) != (r != asleep) {
			t.Errorf("%s rebuilt %d times", r.name, r.rebuilt)
		}
	}
}

// TestStream is the whole of it: desks in several processes change stories, relays
// fight for the lease, consumers come and go, and all of them die at random, while the
// index is behind.
func TestStream(t *testing.T) {
	seed := *streamSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) { stream(t, openTables(t), rand.New(rand.NewPCG(seed, 2))) })
}

func stream(t *testing.T, db model.DB, random *rand.Rand) {
	desks := []string{"a", "b", "c"}
	const writers, perDesk = 2, 20
	var refs []Ref
	for _, desk := range desks {
		for n := range perDesk {
			refs = append(refs, Ref{desk, fmt.Sprint("story ", n)})
		}
	}
	// die starts processes, one after the other, each with fewer or more calls to live,
	// until it comes back without having died.
	var deaths int
	var mu sync.Mutex
	pick := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
	die := func(lives int, work func(*process) error) {
		for {
			m := newMortal(newLate(db, uint64(pick(1000))), pick(lives), pick(2) == 0)
			err := work(newProcess(t, m, Options{Lease: 2 * time.Second}))
			if err == nil && !m.died() {
				return
			}
			if !errors.Is(err, errDead) && err != nil {
				t.Errorf("a process ends with %v", err)
				return
			}
			mu.Lock()
			deaths++
			mu.Unlock()
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var writing, following sync.WaitGroup
	for _, desk := range desks {
		for range writers {
			writing.Go(func() {
				left := *streamEvents / len(desks) / writers
				die(200, func(p *process) error {
					for ; left > 0; left-- {
						ref := Ref{desk, fmt.Sprint("story ", pick(perDesk))}
						st := card(ref, fmt.Sprint("Title ", pick(1000)))
						var err error
						switch pick(8) {
						case 7:
							err = p.retract(ctx, ref)
						case 0:
							err = p.hide(ctx, ref)
						case 1:
							err = p.show(ctx, st, p.correct)
						default:
							err = p.show(ctx, st, p.Publish)
						}
						if err != nil && !errors.Is(err, ErrWithdrawn) {
							return err
						}
						time.Sleep(time.Duration(pick(2000)) * time.Millisecond)
					}
					return nil
				})
			})
		}
	}
	for range 3 {
		following.Go(func() { die(100, func(p *process) error { return p.Relay(ctx) }) })
	}
	readers := []*reader{newReader("search", desks...), newReader("follow", desks...), newReader("thread", desks...)}
	for _, r := range readers {
		for range 2 { // two processes under one name
			following.Go(func() { die(100, func(p *process) error { return p.Follow(ctx, r.follow(p)) }) })
		}
	}
	writing.Wait()
	p := newProcess(t, db, Options{})
	for range 1000 { // an hour, if nobody lives for long
		time.Sleep(4 * time.Second)
		if p.audit(t, refs) == 0 && !slices.ContainsFunc(readers, func(r *reader) bool { return r.behind(t, p) }) {
			break
		}
	}
	stop()
	following.Wait()
	if waiting := p.audit(t, refs); waiting != 0 {
		t.Errorf("%d events still wait", waiting)
	}
	rebuilt, told := 0, 0
	for _, r := range readers {
		r.agrees(t, p)
		rebuilt += r.rebuilt
		told += r.told
	}
	end, err := p.End(t.Context())
	must(t, err)
	t.Logf("%d events, told %d times to %d consumers; %d deaths", end, told, len(readers), deaths)
	if end < int64(*streamEvents)/2 || rebuilt > 0 || deaths < 20 {
		t.Errorf("rebuilt %d times", rebuilt)
	}
}
