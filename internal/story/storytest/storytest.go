// Package storytest is a desk in memory for the tests of those who read stories: what
// is put there is published, and what is taken back is withdrawn, on real tables.
//
// Start with [Open]; a desk's own tests with [Told].
package storytest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
	"pressroom/model/deploy"
)

// Date is when stories were published, if they do not say.
var Date = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// Stories are the tables, and desks on them.
type Stories struct {
	*story.Stories
	DB *dynamo.DB
	t  testing.TB
}

// Open returns stories in memory, of which none expires: those who test with them
// bring clocks of their own. They are closed when the test ends.
func Open(t testing.TB) *Stories {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, story.Schema); err != nil {
		t.Fatal(err)
	}
	return On(t, db)
}

// On returns the stories in tables that have their schema.
func On(t testing.TB, db *dynamo.DB) *Stories {
	t.Helper()
	s, err := story.New(db, &story.Options{Poll: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return &Stories{Stories: s, DB: db, t: t}
}

// Desk is a desk whose texts are in memory.
type Desk struct {
	story.Shelf
	all *Stories

	mu     sync.Mutex
	texts  map[string]story.Text
	failed error // what Load answers, if it is not nil
	loads  int
}

// Desk returns a new desk with some stories.
func (s *Stories) Desk(name string, texts ...story.Text) *Desk {
	s.t.Helper()
	d := &Desk{all: s, texts: map[string]story.Text{}}
	d.Shelf = story.Shelf{Desk: name, All: d.list, Load: d.load}
	for i, text := range texts {
		if text.Published == "" {
			text.Published = model.FormatTime(Date.Add(-time.Duration(i) * time.Minute))
		}
		d.Put(s.t, text)
	}
	return d
}

// Put publishes a story or changes it. What it does not say is filled in.
func (d *Desk) Put(t interface {
	Helper()
	Fatal(args ...any)
}, text story.Text) {
	t.Helper()
	text.Desk = d.Shelf.Desk
	if text.Kind == "" {
		text.Kind = "post"
	}
	if text.Path == "" {
		text.Path = "/" + text.Desk + "/posts/" + text.ID
	}
	if text.Published == "" {
		text.Published = model.FormatTime(Date)
	}
	if text.Digest == "" {
		text.Digest = text.Body + text.Hidden
	}
	d.mu.Lock()
	d.texts[text.ID] = text
	d.mu.Unlock()
	pieces, err := d.all.Publish(context.Background(), text.Story, "")
	d.write(t, pieces, err)
}

// Correct publishes a text in the place of another, as a correction of a person.
func (d *Desk) Correct(t interface {
	Helper()
	Fatal(args ...any)
}, text story.Text, w story.Word) {
	t.Helper()
	d.mu.Lock()
	text.Story.Desk, text.Kind = d.Shelf.Desk, "post"
	if was, ok := d.texts[text.ID]; ok {
		text.Path, text.Published = was.Path, was.Published
	}
	d.texts[text.ID] = text
	d.mu.Unlock()
	pieces, err := d.all.Correct(context.Background(), text.Story, w)
	d.write(t, pieces, err)
}

// Retract withdraws a story, by a person.
func (d *Desk) Retract(t interface {
	Helper()
	Fatal(args ...any)
}, id string, w story.Word) {
	t.Helper()
	d.mu.Lock()
	delete(d.texts, id)
	d.mu.Unlock()
	pieces, err := d.all.Retract(context.Background(), story.Ref{Desk: d.Shelf.Desk, ID: id}, w)
	d.write(t, pieces, err)
}

// TakeBack withdraws a story.
func (d *Desk) TakeBack(t interface {
	Helper()
	Fatal(args ...any)
}, id string) {
	t.Helper()
	d.mu.Lock()
	delete(d.texts, id)
	d.mu.Unlock()
	pieces, err := d.all.Withdraw(context.Background(), story.Ref{Desk: d.Shelf.Desk, ID: id}, "")
	d.write(t, pieces, err)
}

func (d *Desk) write(t interface {
	Helper()
	Fatal(args ...any)
}, pieces []model.Piece, err error) {
	t.Helper()
	if err == nil && len(pieces) > 0 {
		err = model.Transact(context.Background(), d.all.DB, pieces...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Fail makes Load fail until it is given nil.
func (d *Desk) Fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed = err
}

// Loads is how many texts were read one by one.
func (d *Desk) Loads() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.loads
}

func (d *Desk) load(_ context.Context, id string) (story.Text, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loads++
	if d.failed != nil {
		return story.Text{}, d.failed
	}
	text, ok := d.texts[id]
	if !ok {
		return story.Text{}, fmt.Errorf("story %s: %w", id, errs.NotFound)
	}
	return text, nil
}

func (d *Desk) list(context.Context) iter.Seq2[story.Text, error] {
	return func(yield func(story.Text, error) bool) {
		d.mu.Lock()
		texts := maps.Clone(d.texts)
		d.mu.Unlock()
		for _, id := range slices.Sorted(maps.Keys(texts)) {
			if !yield(texts[id], nil) {
				return
			}
		}
	}
}

// Told checks that the cards of a desk are those that its own items give, and that no
// event lacks its card.
func Told(t testing.TB, stories *story.Stories, shelf *story.Shelf) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // it is asked when tests end
	cards := map[string]story.Story{}
	for st, err := range stories.All(ctx, shelf.Desk) {
		if err != nil {
			t.Fatal(err)
		}
		st.Revision = 0
		cards[st.ID] = st
	}
	for text, err := range shelf.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		want, err := text.Normal()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, cards[text.ID]); diff != "" {
			t.Errorf("the card of %s: %s", text.ID, diff)
		}
		delete(cards, text.ID)
	}
	for id := range cards {
		t.Errorf("%s has a card and is not to be seen", id)
	}
}
