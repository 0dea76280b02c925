package story

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// toySchema is a desk with one table: toys that are visible or not.
var toySchema = model.Schema{Name: "toy", Tables: []model.Table{{
	Name: "Toys", PK: model.Key{Name: "pk"}, Stream: "NEW_AND_OLD_IMAGES",
	Entities: []model.Entity{{Name: "Toy", PK: "TOY#{desk}#{id}", Version: "version", Fields: []model.Field{
		{Name: "desk"}, {Name: "id"}, {Name: "title"}, {Name: "visible", Kind: model.Bool}, {Name: "version", Kind: model.Number},
	}}},
}}}

type toy struct {
	Ref
	Title   string `dynamodbav:"title"`
	Visible bool   `dynamodbav:"visible"`
	Version int    `dynamodbav:"version"`
}

// process is a desk, a relay and consumers on one store, until the store lets it die.
type process struct {
	*Stories
	toys *model.Repo[toy]
}

func newProcess(t testing.TB, db model.DB, o Options) *process {
	t.Helper()
	s, err := New(db, &o)
	if err != nil {
		t.Fatal(err)
	}
	toys, err := model.NewRepo[toy](db, &toySchema.Tables[0], "Toy", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &process{s, toys}
}

// card makes a card that differs with its title.
func card(ref Ref, title string) Story {
	return Story{
		Ref: ref, Kind: "toy", Path: "/toys/" + ref.ID, Title: title, Summary: "About " + title, Language: "en",
		Published: "2026-11-01T09:00:00.000Z", People: []string{"Mika", "Jun"}, Topics: []string{"toys"},
		Source:  Source{Name: "Toy Times", URL: "https://toys.example/" + ref.ID, Basis: "excerpt", Licence: "CC BY 4.0"},
		Picture: Picture{Path: "/toys/1.png", Text: "a toy"}, Provenance: Provenance{Model: "builtin", Prompt: "3", Reviewer: "mika"},
	}
}

// show makes a toy visible, or changes it, with its story.
func (p *process) show(ctx context.Context, st Story, how func(context.Context, Story, string) ([]model.Piece, error)) error {
	return p.write(ctx, st.Ref, func(v *toy) ([]model.Piece, error) {
		v.Title, v.Visible = st.Title, true
		return how(ctx, st, "because of "+st.Title)
	})
}

// correct is Correct by somebody.
func (p *process) correct(ctx context.Context, st Story, reason string) ([]model.Piece, error) {
	return p.Correct(ctx, st, Word{By: "mika", Reason: reason})
}

// hide takes a toy back, with its story.
func (p *process) hide(ctx context.Context, ref Ref) error {
	return p.write(ctx, ref, func(v *toy) ([]model.Piece, error) {
		v.Visible = false
		return p.Withdraw(ctx, ref, "asked for")
	})
}

// retract is hide by a person.
func (p *process) retract(ctx context.Context, ref Ref) error {
	return p.write(ctx, ref, func(v *toy) ([]model.Piece, error) {
		v.Visible = false
		return p.Retract(ctx, ref, Word{By: "mika", Reason: "it is false"})
	})
}

// write changes a toy and its story in one transaction, again if others were faster.
func (p *process) write(ctx context.Context, ref Ref, change func(*toy) ([]model.Piece, error)) error {
	for {
		v, err := p.toys.Get(ctx, model.Values{"desk": ref.Desk, "id": ref.ID})
		if errors.Is(err, model.ErrNotFound) {
			v, err = toy{Ref: ref}, nil
		}
		if err != nil {
			return err
		}
		pieces, err := change(&v)
		if err != nil {
			return err
		}
		err = model.Transact(ctx, p.db, append(pieces, p.toys.PutPiece(&v).Means(ErrChanged))...)
		if !errors.Is(err, ErrChanged) && !errors.Is(err, model.ErrConflict) {
			return err
		}
	}
}

// open makes a process on the embedded tables, or with -endpoint on those of any
// DynamoDB, and the clock by which it goes.
func open(t testing.TB) (*process, *modeltest.Clock) {
	t.Helper()
	db := modeltest.OpenStores(t, nil, Schema, toySchema).Tables
	c := modeltest.NewClock(time.Now()) // items expire by the store's own
	return newProcess(t, db, Options{Now: c.Now}), c
}

// openTables opens tables in memory for a bubble of synctest.
func openTables(t *testing.T) *dynamo.DB {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: time.Hour, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, Schema, toySchema); err != nil {
		t.Fatal(err)
	}
	return db
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reader is a consumer that keeps what it was told, and a copy of all cards. What it
// keeps outlives the processes that follow for it.
type reader struct {
	name  string
	desks []string

	mu      sync.Mutex
	seen    int64 // the last number without a gap before it
	told    int
	rebuilt int
	cards   map[Ref]Story
	wrong   error
}

// follow is the consumer in one process.
func (r *reader) follow(p *process) Consumer {
	return Consumer{Name: r.name, Handle: func(ctx context.Context, entries []Entry) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		var refs []Ref
		seen := r.seen
		for _, e := range entries {
			if e.Sequence > seen+1 {
				r.wrong = errors.Join(r.wrong, fmt.Errorf("%s is told of %d after %d", r.name, e.Sequence, seen))
			}
			seen = max(seen, e.Sequence)
			r.told++
			refs = append(refs, e.Ref)
		}
		found, err := p.Get(ctx, refs...)
		if err != nil {
			return err
		}
		for _, ref := range refs {
			delete(r.cards, ref)
		}
		for _, st := range found {
			r.cards[st.Ref] = st
		}
		r.seen = seen
		return nil
	}, Rebuild: func(ctx context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		end, err := p.End(ctx)
		if err != nil {
			return err
		}
		cards := map[Ref]Story{}
		for _, desk := range r.desks {
			for st, err := range p.All(ctx, desk) {
				if err != nil {
					return err
				}
				cards[st.Ref] = st
			}
		}
		r.cards, r.seen = cards, max(r.seen, end)
		r.rebuilt++
		return nil
	}}
}

func newReader(name string, desks ...string) *reader {
	return &reader{name: name, desks: desks, cards: map[Ref]Story{}}
}

// logged returns the log after a place.
func (p *process) logged(t testing.TB, after int64) (all []Entry) {
	t.Helper()
	end, err := p.End(t.Context())
	must(t, err)
	for after < end {
		some, err := p.read(t.Context(), after, end)
		must(t, err)
		all, after = append(all, some...), after+int64(len(some))
	}
	return all
}

// audit looks at everything that is stored. It returns how many events wait.
func (p *process) audit(t testing.TB, refs []Ref) (waiting int) {
	t.Helper()
	return (&auditor{p: p, last: map[Ref]Event{}, all: map[Ref]map[int]Event{}}).audit(t, refs)
}

// auditor looks at everything that is stored, again and again, and fails for what the
// package promises not to be: toys and heads that differ, changes without their event,
// events without their change, a log out of order.
type auditor struct {
	p    *process
	end  int64         // of the log that it has looked at
	last map[Ref]Event // in that log
	all  map[Ref]map[int]Event
}

func (a *auditor) audit(t testing.TB, refs []Ref) (waiting int) {
	t.Helper()
	ctx := t.Context()
	for _, e := range a.p.logged(t, a.end) {
		if a.end++; e.Sequence != a.end {
			t.Fatalf("event %d of the log has the number %d", a.end, e.Sequence)
		}
		follows(t, a.last[e.Ref], e.Event)
		a.last[e.Ref] = e.Event
		a.met(e.Event)
	}
	for _, ref := range distinct(refs) {
		last := a.last[ref]
		events, err := a.p.waitingOf(ctx, ref, math.MaxInt32)
		must(t, err)
		for _, e := range events {
			follows(t, last, e.Event)
			last = e.Event
			a.met(e.Event)
			waiting++
		}
		a.notes(t, ref)
		v, err := a.p.toys.Get(ctx, model.Values{"desk": ref.Desk, "id": ref.ID})
		if !errors.Is(err, model.ErrNotFound) {
			must(t, err)
		}
		h, err := a.p.heads.Get(ctx, ref.key())
		if !errors.Is(err, model.ErrNotFound) {
			must(t, err)
		}
		if h.Revision != last.Revision || v.Visible != last.visible() || v.Visible && h.Title != v.Title || (h.Revision > 0 && h.Withdrawn == "") != v.Visible {
			t.Fatalf("%s: the desk has %+v, the head is %+v, and the last event is %+v", ref, v, h, last)
		}
	}
	return waiting
}

func (a *auditor) met(e Event) {
	if a.all[e.Ref] == nil {
		a.all[e.Ref] = map[int]Event{}
	}
	a.all[e.Ref][e.Revision] = e
}

// notes fails for a correction without its note, and for a note of what did not happen.
func (a *auditor) notes(t testing.TB, ref Ref) {
	t.Helper()
	all, err := a.p.Notes(t.Context(), ref)
	must(t, err)
	of := map[int]bool{}
	for _, n := range all {
		if of[n.Revision] = true; a.all[ref][n.Revision].What != n.What || a.all[ref][n.Revision].Reason != n.Reason {
			t.Fatalf("%s: the note %+v is of the event %+v", ref, n, a.all[ref][n.Revision])
		}
	}
	for _, e := range a.all[ref] {
		if e.What == Corrected && !of[e.Revision] {
			t.Fatalf("%s: %+v has no note", ref, e)
		}
	}
	if _, held, err := a.p.Gone(t.Context(), ref); err != nil || held != (len(all) > 0 && all[len(all)-1].What == Withdrawn) {
		t.Fatalf("%s: held %t, the notes are %+v, %v", ref, held, all, err)
	}
}

func (e Event) visible() bool { return e.What != "" && e.What != Withdrawn }

// follows fails if an event cannot come after another.
func follows(t testing.TB, was, is Event) {
	t.Helper()
	if is.Revision != was.Revision+1 || (is.What == Published) == was.visible() {
		t.Fatalf("%s is %s with revision %d, after %s with %d", is.Ref, is.What, is.Revision, was.What, was.Revision)
	}
}

func distinct(refs []Ref) []Ref {
	all := map[Ref]bool{}
	for _, ref := range refs {
		all[ref] = true
	}
	return slices.Collect(maps.Keys(all))
}

// behind reports whether a reader has not seen the end of the log.
func (r *reader) behind(t testing.TB, p *process) bool {
	t.Helper()
	end, err := p.End(t.Context())
	must(t, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen < end
}

// agrees fails if a reader missed something, or has other cards than there are.
func (r *reader) agrees(t testing.TB, p *process) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	end, err := p.End(t.Context())
	must(t, errors.Join(err, r.wrong))
	if r.seen != end {
		t.Fatalf("%s has seen %d of %d events", r.name, r.seen, end)
	}
	all := 0
	for _, desk := range r.desks {
		for st, err := range p.All(t.Context(), desk) {
			must(t, err)
			if got := r.cards[st.Ref]; got.Revision != st.Revision || got.Title != st.Title {
				t.Fatalf("%s has revision %d of %s, and it is %d", r.name, got.Revision, st.Ref, st.Revision)
			}
			all++
		}
	}
	if all != len(r.cards) {
		t.Fatalf("%s has %d cards, and there are %d", r.name, len(r.cards), all)
	}
}
