package story

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/model"
)

// adoptName is whose cursor says how far the streams of the tables were read.
const adoptName = "adopt"

// Adopter takes over what comes into the desks' tables by other programs, or leaves
// them by its age: it adds the index keys and additions that the desks' lists need, and
// makes stories of it.
type Adopter struct {
	Stories *Stories
	Streams model.Streams
	Shelves []*Shelf
	// Track tells whether anything was written since the streams were read; nil for a
	// store that cannot tell. See [Adopter.Current].
	Track kept.Track
	Log   *slog.Logger

	mu      sync.Mutex // of the following
	tables  *tables
	at      places // nil while this process does not adopt
	behind  bool   // there is more than a reader should wait for
	current *kept.Store[struct{}]
}

// Run adopts until ctx ends, which is no error. Any number of processes may do so: one
// has the lease, the others wait. It begins by comparing all desks with the stories,
// if nobody ever did, or if changes are gone that nobody has read. It may be called
// again after an error.
func (a *Adopter) Run(ctx context.Context) error {
	defer a.forget()
	return a.Stories.run(ctx, adoptName, a.turn)
}

// Once adopts what has come by now, and answers [ErrHeld] if another process does.
func (a *Adopter) Once(ctx context.Context) error {
	defer a.forget()
	return a.Stories.hold(ctx, adoptName, a.turn)
}

// Current adopts what was written before the call, and reports whether it could: if
// this process is the one that adopts, on a store that tells of a change at once, and
// there is not more than somebody who waits should wait for.
func (a *Adopter) Current(ctx context.Context) bool {
	a.mu.Lock()
	if a.current == nil {
		a.current = kept.New[struct{}](kept.Options{Track: a.Track, For: time.Hour})
	}
	ready := a.Track != nil && a.at != nil && !a.behind
	a.mu.Unlock()
	if !ready {
		return false
	}
	// The work is everyone's who reads, whoever leaves meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), currentLimit)
	defer cancel()
	_, _, ok, err := a.current.Get(ctx, "", func(ctx context.Context) (struct{}, bool) {
		for range currentPages {
			// If it fails, Run will meet the same, and tell of it.
			if more, err := a.page(ctx); !more || err != nil {
				return struct{}{}, err == nil
			}
		}
		return struct{}{}, false
	})
	return ok && err == nil
}

// What a reader waits for that other programs wrote.
const (
	currentLimit = 2 * time.Second
	currentPages = 4 // of the streams
)

// forget lets the next turn begin where the cursor is.
func (a *Adopter) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = nil
}

// begin goes on where the cursor is, unless this process knows better.
func (a *Adopter) begin(c *cursor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at != nil {
		return
	}
	a.at, a.behind = maps.Clone(c.Places), false
	if a.at == nil {
		a.at = places{}
	}
	a.tables = &tables{db: a.Stories.db, streams: a.Streams, now: a.Stories.o.Now}
	for _, shelf := range a.Shelves {
		a.tables.names = append(a.tables.names, shelf.Tables...)
	}
}

// turn reads all that there is, and notes how far it has come.
func (a *Adopter) turn(ctx context.Context, c *cursor) error {
	a.begin(c)
	for pages := 0; ; pages++ {
		more, err := a.page(ctx)
		if errors.Is(err, errGap) {
			a.Log.InfoContext(ctx, "the stories are compared with what the desks have", "why", err)
			more, err = true, a.compareAll(ctx)
		}
		if err != nil {
			a.forget()
			return err
		}
		if !more {
			break
		}
		a.mu.Lock()
		a.behind = pages >= currentPages
		a.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.behind = false; maps.Equal(a.at, c.Places) {
		return nil
	}
	move := expression.Set(expression.Name("places"), expression.Value(a.at))
	if _, err := a.Stories.cursors.Update(ctx, c.key(), move, c.held()); err != nil {
		if errors.Is(err, model.ErrCondition) {
			err = model.ErrLost
		}
		return fmt.Errorf("%s: %w", adoptName, err)
	}
	c.Places = maps.Clone(a.at)
	return nil
}

// compareAll begins anew: with all that the desks have, and the streams from before
// that on. Nobody waits for it.
func (a *Adopter) compareAll(ctx context.Context) error {
	a.mu.Lock()
	at, err := a.tables.begin(ctx)
	a.at = nil
	a.mu.Unlock()
	if err == nil {
		err = a.Reconcile(ctx, nil)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = at
	return err
}

// page adopts what one page of each stream tells of, and reports whether there was
// anything. What was read and not adopted is read again.
func (a *Adopter) page(ctx context.Context) (more bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at == nil {
		return false, errors.New("this process no longer adopts")
	}
	at := maps.Clone(a.at)
	if err := a.read(ctx, a.tables, at); err != nil {
		a.tables.listed, a.tables.parts = time.Time{}, nil
		return false, err
	}
	more = !maps.Equal(at, a.at)
	a.at = at
	return more, nil
}

// read adopts what one page of each stream tells of.
func (a *Adopter) read(ctx context.Context, t *tables, at places) error {
	if len(at) == 0 {
		return fmt.Errorf("%w: nobody has begun", errGap)
	}
	done := map[Ref]bool{}
	for change, err := range t.changes(ctx, at) {
		if err != nil {
			return err
		}
		for _, shelf := range a.Shelves {
			if !slices.Contains(shelf.Tables, change.table) {
				continue
			}
			if err := a.renew(ctx, shelf, change); err != nil {
				return err
			}
			for id, err := range shelf.Affected(ctx, change.table, change.Record) {
				ref := Ref{shelf.Desk, id}
				if err != nil {
					return err
				}
				if done[ref] {
					continue
				}
				if _, err := a.adopt(ctx, shelf, ref); err != nil {
					return err
				}
				done[ref] = true
			}
		}
	}
	return nil
}

// renew adds to an item that another program wrote, or changed, what a desk needs to
// find it by.
func (a *Adopter) renew(ctx context.Context, shelf *Shelf, c change) error {
	at := slices.IndexFunc(shelf.Adopts, func(t *model.Table) bool { return t.Name == c.table })
	if at < 0 || c.Dynamodb == nil || c.Dynamodb.NewImage == nil {
		return nil
	}
	table := shelf.Adopts[at]
	now, err := attributevalue.FromDynamoDBStreamsMap(c.Dynamodb.NewImage)
	if err != nil {
		return nil // values of another kind are of no item of ours
	}
	old, err := attributevalue.FromDynamoDBStreamsMap(c.Dynamodb.OldImage)
	if err != nil {
		return nil
	}
	o := model.RefreshOptions{Count: table.Uncounted(old, now)}
	_, err = table.Refresh(ctx, a.Stories.db, now, o)
	switch {
	case errors.Is(err, model.ErrUnknown):
		return nil
	case errors.Is(err, model.ErrUnfit):
		a.Log.WarnContext(ctx, "an item of another program cannot be used", "item", table.Where(now), "error", err)
		return nil
	}
	return err
}

// adopt makes the card of a story equal to what its desk has, and reports whether it
// was another one. The card is read first: if it is another one when it is written,
// its desk was asked too early.
func (a *Adopter) adopt(ctx context.Context, shelf *Shelf, ref Ref) (bool, error) {
	s := a.Stories
	if shelf.Adopt != nil {
		if err := shelf.Adopt(ctx, ref.ID); err != nil {
			return false, fmt.Errorf("adopt %s: %w", ref, err)
		}
	}
	for try := 1; ; try++ {
		was, err := s.head(ctx, ref)
		if err != nil {
			return false, err
		}
		text, err := shelf.Load(ctx, ref.ID)
		var pieces []model.Piece
		switch {
		case err == nil:
			text.Ref = ref
			pieces, err = s.changed(was, text.Story, Changed, "")
		case errors.Is(err, errs.NotFound):
			pieces, err = s.withdrawn(was, "", Word{}), nil
		}
		if errors.Is(err, ErrUnreadable) || errors.Is(err, ErrWithdrawn) {
			a.Log.WarnContext(ctx, "a story cannot be adopted", "story", ref.String(), "error", err)
			return false, nil
		}
		if err != nil || len(pieces) == 0 {
			return false, err
		}
		err = model.Transact(ctx, s.db, pieces...)
		if !errors.Is(err, ErrChanged) || try == tries {
			return err == nil, err
		}
	}
}

// Reconcile compares all that the desks have with the cards, and makes the cards
// equal. It tells how many stories it has looked at, and how many were not as they
// should be.
func (a *Adopter) Reconcile(ctx context.Context, tell func(looked, mended int)) error {
	looked, mended := 0, 0
	note := func(changed bool) {
		if changed {
			mended++
		}
		if looked++; tell != nil {
			tell(looked, mended)
		}
	}
	for _, shelf := range a.Shelves {
		if err := a.reconcile(ctx, shelf, note); err != nil {
			return fmt.Errorf("compare the stories of %s: %w", shelf.Desk, err)
		}
	}
	if mended > 0 {
		a.Log.InfoContext(ctx, "stories were not as their desks have them", "stories", looked, "mended", mended)
	}
	return nil
}

func (a *Adopter) reconcile(ctx context.Context, shelf *Shelf, note func(bool)) error {
	// A number for each story that the desk has; two of the same only hide one that is
	// to be withdrawn until its table tells of it.
	seed := maphash.MakeSeed()
	met := map[uint64]struct{}{}
	var some []Story
	flush := func() error {
		err := a.compare(ctx, shelf, some, note)
		some = some[:0]
		return err
	}
	for text, err := range shelf.All(ctx) {
		if errors.Is(err, ErrUnreadable) {
			a.Log.WarnContext(ctx, "a story cannot be read", "desk", shelf.Desk, "error", err)
			continue
		}
		if err != nil {
			return err
		}
		text.Desk = shelf.Desk
		met[maphash.String(seed, text.ID)] = struct{}{}
		if some = append(some, text.Story); len(some) == perRead {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for st, err := range a.Stories.All(ctx, shelf.Desk) {
		if err != nil {
			return err
		}
		if _, ok := met[maphash.String(seed, st.ID)]; ok {
			continue
		}
		changed, err := a.adopt(ctx, shelf, st.Ref)
		if err != nil {
			return err
		}
		note(changed)
	}
	return nil
}

// compare looks at some cards at once, and at those that differ one by one.
func (a *Adopter) compare(ctx context.Context, shelf *Shelf, stories []Story, note func(bool)) error {
	if len(stories) == 0 {
		return nil
	}
	refs := make([]Ref, len(stories))
	for i := range stories {
		refs[i] = stories[i].Ref
	}
	there, err := a.Stories.Get(ctx, refs...)
	if err != nil {
		return err
	}
	cards := map[Ref]Story{}
	for _, st := range there {
		cards[st.Ref] = st
	}
	for _, st := range stories {
		was := cards[st.Ref]
		next, err := newHead(st)
		next.Revision = was.Revision
		changed := false
		if err != nil || !reflect.DeepEqual(was, next.Story) {
			if changed, err = a.adopt(ctx, shelf, st.Ref); err != nil {
				return err
			}
		}
		note(changed)
	}
	return nil
}
