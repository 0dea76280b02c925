package story

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/model"
	"pressroom/model/modeltest"
)

var robot = Ref{"toys", "robot"}

func TestPublish(t *testing.T) {
	p, _ := open(t)
	ctx := t.Context()
	st := card(robot, "Robot")
	must(t, p.show(ctx, st, p.Publish))
	got, err := p.Get(ctx, robot)
	must(t, err)
	st.Revision, st.Listed = 1, st.Published
	if diff := cmp.Diff([]Story{st}, got); diff != "" {
		t.Error(diff)
	}

	// The same card again is no news, in whatever form it is given.
	st.Published, st.Topics = "2026-11-01T18:00:00+09:00", []string{"toys"}
	for _, how := range []func(context.Context, Story, string) ([]model.Piece, error){p.Publish, p.correct} {
		if pieces, err := how(ctx, st, "again"); err != nil || pieces != nil {
			t.Errorf("the same card has %d pieces, %v", len(pieces), err)
		}
	}
	bare := Story{Ref: Ref{"toys", "bare"}, Kind: "toy", Path: "/", Title: "Bare", Published: st.Published, People: []string{}}
	must(t, p.show(ctx, bare, p.Publish))
	if pieces, err := p.Publish(ctx, bare, ""); err != nil || pieces != nil {
		t.Errorf("the same bare card has %d pieces, %v", len(pieces), err)
	}

	// The text is not in the card; its digest is.
	st.Digest = "2"
	must(t, p.show(ctx, st, p.correct))
	must(t, p.hide(ctx, robot))
	if pieces, err := p.Withdraw(ctx, robot, "again"); err != nil || pieces != nil {
		t.Errorf("a withdrawn story can be withdrawn: %d pieces, %v", len(pieces), err)
	}
	if got, err := p.Get(ctx, robot); err != nil || len(got) > 0 {
		t.Errorf("a withdrawn story is shown: %v, %v", got, err)
	}
	gone, err := p.heads.Get(ctx, robot.key())
	must(t, err)
	want := head{Story: Story{Ref: robot, Kind: "toy", Revision: 3}, Shard: robot.shard(), Withdrawn: p.now()}
	if diff := cmp.Diff(want, gone); diff != "" {
		t.Errorf("a withdrawn story leaves more than its revision: %s", diff)
	}
	must(t, p.show(ctx, st, p.correct))
	must(t, p.RelayOnce(ctx))
	var told []string
	for _, e := range p.logged(t, 0) {
		if e.Ref == robot {
			told = append(told, fmt.Sprintf("%d %s: %s", e.Revision, e.What, e.Reason))
		}
	}
	if diff := cmp.Diff([]string{"1 published: because of Robot", "2 corrected: because of Robot", "3 withdrawn: asked for", "4 published: because of Robot"}, told); diff != "" {
		t.Error(diff)
	}
	if waiting := p.audit(t, []Ref{robot, bare.Ref}); waiting != 0 {
		t.Errorf("%d events wait", waiting)
	}
}

// Of two who change a story at once, one is told so, and nothing of its change happens.
func TestPublishAtOnce(t *testing.T) {
	p, _ := open(t)
	ctx := t.Context()
	for round, change := range []func() ([]model.Piece, error){
		func() ([]model.Piece, error) { return p.Publish(ctx, card(robot, "Mine"), "") },
		func() ([]model.Piece, error) { return p.Withdraw(ctx, robot, "") },
	} {
		pieces, err := change()
		must(t, err)
		must(t, p.show(ctx, card(robot, fmt.Sprint("Theirs ", round)), p.Publish))
		other := toy{Ref: Ref{"toys", "other"}}
		if err := model.Transact(ctx, p.db, append(pieces, p.toys.PutPiece(&other))...); !errors.Is(err, ErrChanged) {
			t.Errorf("round %d: %v", round, err)
		}
		if _, err := p.toys.Get(ctx, model.Values{"desk": "toys", "id": "other"}); !errors.Is(err, model.ErrNotFound) {
			t.Errorf("round %d: the rest of the transaction happened: %v", round, err)
		}
	}
	p.audit(t, []Ref{robot})
}

func TestPublishRefuses(t *testing.T) {
	p, _ := open(t)
	for name, spoil := range map[string]func(*Story){
		"no desk": func(s *Story) { s.Desk = "" }, "no id": func(s *Story) { s.ID = "" },
		"no path": func(s *Story) { s.Path = "" }, "no kind": func(s *Story) { s.Kind = "" },
	} {
		st := card(robot, "Robot")
		spoil(&st)
		if pieces, err := p.Publish(t.Context(), st, ""); err == nil {
			t.Errorf("%s: %d pieces", name, len(pieces))
		}
	}
	long := card(robot, strings.Repeat("長", 1000))
	long.Summary = strings.Repeat("い", 10000)
	must(t, p.show(t.Context(), long, func(ctx context.Context, st Story, _ string) ([]model.Piece, error) {
		return p.Publish(ctx, st, strings.Repeat("な", 10000))
	}))
	got, err := p.Get(t.Context(), robot)
	must(t, err)
	if got[0].Title != strings.Repeat("長", titleMax/3) || got[0].Summary != strings.Repeat("い", summaryMax/3) {
		t.Errorf("title of %d bytes, summary of %d", len(got[0].Title), len(got[0].Summary))
	}
}

// What another program left out, or wrote in a way of its own, keeps nobody from
// publishing: the story is listed last, under its id.
func TestPublishForeign(t *testing.T) {
	p, _ := open(t)
	st := card(robot, " ")
	st.Published, st.Updated, st.Listed = "", "yesterday", "soon"
	must(t, p.show(t.Context(), st, p.Publish))
	got, err := p.Get(t.Context(), robot)
	must(t, err)
	if g := got[0]; g.Title != robot.ID || g.Published != undated || g.Listed != undated || g.Updated != "" {
		t.Errorf("%+v", g)
	}
	again, err := p.Publish(t.Context(), st, "")
	must(t, err)
	if len(again) > 0 {
		t.Error("it is published again, although nothing changed")
	}
}

func TestRelay(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	if lag, err := p.Lag(ctx); err != nil || lag != 0 {
		t.Errorf("a lag of %v, %v, and nothing waits", lag, err)
	}
	must(t, p.RelayOnce(ctx))
	if end, err := p.End(ctx); err != nil || end != 0 {
		t.Errorf("the empty log ends at %d, %v", end, err)
	}
	// More events of one story than a step takes, and others around them.
	var refs []Ref
	for n := range 3 * perMove {
		ref := Ref{"toys", fmt.Sprint("toy ", n%(perMove+5)*(n%2))}
		refs = append(refs, ref)
		must(t, p.show(ctx, card(ref, fmt.Sprint("Toy ", n)), p.Publish))
		c.Advance(time.Second)
	}
	if lag, err := p.Lag(ctx); err != nil || lag.Round(time.Second) != 3*perMove*time.Second {
		t.Errorf("a lag of %v, %v", lag, err)
	}
	if waiting := p.audit(t, refs); waiting != 3*perMove {
		t.Errorf("%d events wait", waiting)
	}
	must(t, p.RelayOnce(ctx))
	if waiting := p.audit(t, refs); waiting != 0 {
		t.Errorf("%d events wait", waiting)
	}
	if end, err := p.End(ctx); err != nil || end != 3*perMove {
		t.Errorf("the log ends at %d, %v", end, err)
	}
	if lag, err := p.Lag(ctx); err != nil || lag != 0 {
		t.Errorf("a lag of %v, %v, and nothing waits", lag, err)
	}
}

// What the relay reads grows with the events, however many of them one story has.
func TestRelayBacklog(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	const events = 20 * perMove
	for n := range events {
		must(t, p.show(ctx, card(robot, fmt.Sprint("Robot ", n)), p.Publish))
	}
	counter := &modeltest.Counter{API: p.db}
	must(t, newProcess(t, counter, Options{Now: c.Now}).RelayOnce(ctx))
	if waiting := p.audit(t, []Ref{robot}); waiting != 0 || counter.Returned > 4*events {
		t.Errorf("%d items were read for %d events, and %d wait", counter.Returned, events, waiting)
	}
}

// A relay that lost its lease without noticing cannot write any more, and one that
// comes while another has the lease waits.
func TestFence(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	other := newProcess(t, p.db, Options{Now: c.Now})
	must(t, p.show(ctx, card(robot, "Robot"), p.Publish))
	err := p.hold(ctx, relayName, func(ctx context.Context, at *cursor) error {
		if err := other.RelayOnce(ctx); !errors.Is(err, ErrHeld) {
			t.Errorf("two relays: %v", err)
		}
		c.Advance(time.Minute)
		if err := other.hold(ctx, relayName, func(ctx context.Context, at *cursor) error {
			_, err := p.move(ctx, at)
			return err
		}); err != nil {
			t.Errorf("the lease of a silent relay is not taken over: %v", err)
		}
		must(t, p.show(ctx, card(robot, "Robot 2"), p.Publish))
		moved, err := p.move(ctx, at)
		if moved != 0 || !errors.Is(err, model.ErrLost) {
			t.Errorf("a relay without its lease moved %d events: %v", moved, err)
		}
		at.Sequence = 1 // had it read the log again
		if moved, err := p.move(ctx, at); moved != 0 || !errors.Is(err, model.ErrLost) {
			t.Errorf("a relay without its lease moved %d events: %v", moved, err)
		}
		return nil
	})
	must(t, err)
	if waiting := p.audit(t, []Ref{robot}); waiting != 1 {
		t.Errorf("%d events wait", waiting)
	}
	must(t, other.RelayOnce(ctx))
	p.audit(t, []Ref{robot})
}

func TestFollow(t *testing.T) {
	p, _ := open(t)
	ctx := t.Context()
	for n := range perRead + 20 {
		ref := Ref{"toys", fmt.Sprint(n % 30)}
		must(t, p.show(ctx, card(ref, fmt.Sprint("Toy ", n)), p.Publish))
	}
	early, eager := newReader("early", "toys"), newReader("eager", "toys")
	must(t, p.CatchUp(ctx, early.follow(p)))
	if early.told > 0 {
		t.Errorf("told of %d events that are not in the log", early.told)
	}
	must(t, p.RelayOnce(ctx))
	for _, r := range []*reader{early, eager} {
		must(t, p.CatchUp(ctx, r.follow(p)))
		must(t, p.CatchUp(ctx, r.follow(p)))
		r.agrees(t, p)
		if r.told != perRead+20 || r.rebuilt > 0 {
			t.Errorf("%s was told %d times, and rebuilt %d times", r.name, r.told, r.rebuilt)
		}
	}

	// What a consumer could not handle, it is given again.
	must(t, p.hide(ctx, Ref{"toys", "1"}))
	must(t, p.RelayOnce(ctx))
	broken := errors.New("broken")
	refuse := Consumer{Name: "early", Handle: func(context.Context, []Entry) error { return broken }}
	if err := p.CatchUp(ctx, refuse); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	must(t, p.CatchUp(ctx, early.follow(p)))
	early.agrees(t, p)

	// One process follows under a name.
	twice := Consumer{Name: "eager", Handle: func(ctx context.Context, entries []Entry) error {
		if err := p.CatchUp(ctx, eager.follow(p)); !errors.Is(err, ErrHeld) {
			t.Errorf("two processes are %s: %v", eager.name, err)
		}
		return eager.follow(p).Handle(ctx, entries)
	}}
	must(t, p.CatchUp(ctx, twice))
	eager.agrees(t, p)
	for _, c := range []Consumer{{}, {Name: "x"}, {Name: relayName, Handle: twice.Handle}} {
		if err := p.Follow(ctx, c); err == nil {
			t.Errorf("%q can follow", c.Name)
		}
	}
}

// A consumer whose place is not in the log, because the log was restored to a moment
// before it, is behind as well.
func TestFollowAnotherLog(t *testing.T) {
	p, _ := open(t)
	ctx := t.Context()
	must(t, p.show(ctx, card(robot, "Robot"), p.Publish))
	must(t, p.RelayOnce(ctx))
	must(t, p.hold(ctx, "ahead", func(ctx context.Context, at *cursor) error {
		_, err := p.cursors.Update(ctx, at.key(), at.advance(7), at.unmoved())
		return err
	}))
	r := newReader("ahead", "toys")
	alone := r.follow(p)
	alone.Rebuild = nil
	if err := p.CatchUp(ctx, alone); !errors.Is(err, ErrBehind) {
		t.Errorf("got %v", err)
	}
	must(t, p.CatchUp(ctx, r.follow(p)))
	r.agrees(t, p)
}

// Entries expire in no order. One that is missing among others is not passed over.
func TestFollowOverGap(t *testing.T) {
	p, _ := open(t)
	ctx := t.Context()
	for n := range 5 {
		must(t, p.show(ctx, card(robot, fmt.Sprint("Robot ", n)), p.Publish))
	}
	must(t, p.RelayOnce(ctx))
	must(t, p.entries.Delete(ctx, model.Values{"sequence": "3"}))
	r := newReader("reader", "toys")
	alone := r.follow(p)
	alone.Rebuild = nil
	if err := p.CatchUp(ctx, alone); !errors.Is(err, ErrBehind) || r.told != 0 {
		t.Errorf("told of %d events, %v", r.told, err)
	}
	must(t, p.CatchUp(ctx, r.follow(p)))
	r.agrees(t, p)
}

// A consumer that is too slow for its lease loses it to another process, and cannot move
// the cursor back. The lease is free again at once if nobody took it.
func TestFollowTooSlowly(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	other := newProcess(t, p.db, Options{Now: c.Now})
	r := newReader("reader", "toys")
	for round, takenOver := range []bool{true, false} {
		must(t, p.show(ctx, card(robot, fmt.Sprint("Robot ", round)), p.Publish))
		must(t, p.RelayOnce(ctx))
		slow := Consumer{Name: "reader", Handle: func(ctx context.Context, entries []Entry) error {
			if takenOver {
				c.Advance(time.Minute)
				return other.CatchUp(ctx, r.follow(other))
			}
			must(t, r.follow(p).Handle(ctx, entries))
			return errors.Join(model.ErrLost, errors.New("as if the lease had run out"))
		}}
		if err := p.CatchUp(ctx, slow); !errors.Is(err, model.ErrLost) {
			t.Errorf("round %d: %v", round, err)
		}
		r.agrees(t, p)
		must(t, p.CatchUp(ctx, r.follow(p)))
		r.agrees(t, p)
	}
}
