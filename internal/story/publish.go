package story

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Publish returns the pieces that make a story visible, or change it. A desk adds them
// to the transaction that does so to its own items. There are two pieces, or none if
// the card is the one that is there: then nothing happened. If another change of the
// story is faster, the transaction answers [ErrChanged]; see [Transact]. Nil Stories
// have no pieces: a desk may be tried without them.
//
// A title over 1 KB and a summary over 8 KB are cut.
func (s *Stories) Publish(ctx context.Context, st Story, reason string) ([]model.Piece, error) {
	return s.change(ctx, st, Changed, reason)
}

// Correct is Publish for a story that said something wrong, by a person, whose word
// becomes a [Note]. It also brings back what a person withdrew.
func (s *Stories) Correct(ctx context.Context, st Story, w Word) ([]model.Piece, error) {
	if s == nil {
		return nil, nil
	}
	was, err := s.head(ctx, st.Ref)
	if err != nil {
		return nil, fmt.Errorf("correct story %s: %w", st.Ref, err)
	}
	restored := was.HeldBy != ""
	was.HeldBy, was.HeldFor = "", ""
	pieces, err := s.changed(was, st, Corrected, w.Reason)
	if err != nil || len(pieces) == 0 || !was.visible() && !restored {
		return pieces, err
	}
	what := Corrected
	if restored {
		what = Published
	}
	return append(pieces, s.note(&was, st.Kind, what, w)), nil
}

// Withdraw returns the pieces that take a story back, as Publish does. There are none
// if it is not visible. Only kind and revision are kept of the card.
func (s *Stories) Withdraw(ctx context.Context, ref Ref, reason string) ([]model.Piece, error) {
	if s == nil {
		return nil, nil
	}
	was, err := s.head(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("withdraw story %s: %w", ref, err)
	}
	return s.withdrawn(was, reason, Word{}), nil
}

// Retract is Withdraw by a person, whose word becomes a [Note]. Nothing but
// [Stories.Correct] makes the story visible again: Publish answers [ErrWithdrawn].
func (s *Stories) Retract(ctx context.Context, ref Ref, w Word) ([]model.Piece, error) {
	if s == nil {
		return nil, nil
	}
	was, err := s.head(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("withdraw story %s: %w", ref, err)
	}
	pieces := s.withdrawn(was, w.Reason, w)
	if len(pieces) == 0 {
		return nil, nil
	}
	return append(pieces, s.note(&was, was.Kind, Withdrawn, w)), nil
}

// Renew tells of a story once more, as its desk has it now, also if its card is the same:
// its text was changed beside it, and whoever follows stories must read it again.
func (s *Stories) Renew(ctx context.Context, shelf *Shelf, id string) error {
	ref := Ref{shelf.Desk, id}
	if shelf.Adopt != nil {
		if err := shelf.Adopt(ctx, id); err != nil {
			return fmt.Errorf("renew story %s: %w", ref, err)
		}
	}
	for try := 1; ; try++ {
		was, err := s.head(ctx, ref)
		if err != nil {
			return fmt.Errorf("renew story %s: %w", ref, err)
		}
		if was.HeldBy != "" {
			return nil // a person withdrew it, and a person brings it back
		}
		text, err := shelf.Load(ctx, id)
		var pieces []model.Piece
		switch {
		case err == nil:
			text.Ref = ref
			var next head
			if next, err = newHead(text.Story); err == nil {
				next.Revision = was.Revision
				pieces = s.pieces(next, Changed, "")
				if !was.visible() {
					pieces = s.pieces(next, Published, "")
				}
			}
		case errors.Is(err, errs.NotFound):
			pieces, err = s.withdrawn(was, "", Word{}), nil
		}
		if errors.Is(err, ErrUnreadable) {
			return nil // nobody reads it
		}
		if err != nil || len(pieces) == 0 {
			return err
		}
		err = model.Transact(ctx, s.db, pieces...)
		if !errors.Is(err, ErrChanged) || try == tries {
			return err
		}
	}
}

// MaxPieces is how many pieces a change of a story has at most.
const MaxPieces = 3

// Transact does a desk's pieces together with those that tell of them, which are asked
// for again while others change the story. Nil tells nothing.
func Transact(ctx context.Context, db model.DB, pieces []model.Piece, tell func() ([]model.Piece, error)) error {
	if tell == nil {
		return model.Transact(ctx, db, pieces...)
	}
	for try := 1; ; try++ {
		told, err := tell()
		if err != nil {
			return err
		}
		err = model.Transact(ctx, db, slices.Concat(pieces, told)...)
		if !errors.Is(err, ErrChanged) || try == tries {
			return err
		}
	}
}

// tries is how often a change is tried that others are faster with.
const tries = 20

func (s *Stories) change(ctx context.Context, st Story, what What, reason string) ([]model.Piece, error) {
	if s == nil {
		return nil, nil
	}
	was, err := s.head(ctx, st.Ref)
	if err != nil {
		return nil, fmt.Errorf("publish story %s: %w", st.Ref, err)
	}
	return s.changed(was, st, what, reason)
}

// head returns what is stored of a story; without a revision if that is nothing.
func (s *Stories) head(ctx context.Context, ref Ref) (head, error) {
	h, err := s.heads.Get(ctx, ref.key())
	if errors.Is(err, model.ErrNotFound) {
		h, err = head{Story: Story{Ref: ref}}, nil
	}
	return h, err
}

func (h *head) visible() bool { return h.Revision > 0 && h.Withdrawn == "" }

// changed returns the pieces that put a card in the place of what was there.
func (s *Stories) changed(was head, st Story, what What, reason string) ([]model.Piece, error) {
	next, err := newHead(st)
	if err != nil {
		return nil, fmt.Errorf("publish story %s: %w", st.Ref, err)
	}
	next.Revision = was.Revision
	switch {
	case was.HeldBy != "":
		return nil, fmt.Errorf("publish story %s: %w", st.Ref, ErrWithdrawn)
	case !was.visible():
		what = Published
	case reflect.DeepEqual(was, next):
		return nil, nil
	}
	return s.pieces(next, what, reason), nil
}

// withdrawn returns the pieces that take back what was there.
func (s *Stories) withdrawn(was head, reason string, w Word) []model.Piece {
	if !was.visible() {
		return nil
	}
	gone := head{Shard: was.shard(), Withdrawn: s.now(), HeldBy: clip(w.By, nameMax), HeldFor: clip(w.Reason, reasonMax)}
	gone.Ref, gone.Kind, gone.Revision = was.Ref, was.Kind, was.Revision
	return s.pieces(gone, Withdrawn, reason)
}

// pieces writes a head over the revision that it has, and the event of the next one.
func (s *Stories) pieces(h head, what What, reason string) []model.Piece {
	now := s.now()
	e := event{Shard: h.Shard, Waiting: now, Event: Event{
		Ref: h.Ref, Kind: h.Kind, Revision: h.Revision + 1, What: what, Reason: clip(reason, reasonMax), At: now,
	}}
	return []model.Piece{s.heads.PutPiece(&h).Means(ErrChanged), s.events.CreatePiece(&e).Means(ErrChanged)}
}

func (s *Stories) now() string { return model.FormatTime(s.o.Now()) }

// newHead checks a card and brings it into the form in which it is read back. What is
// missing of a card that a desk made is a mistake of the desk. What may come from
// another program's item, a title and dates, never fails: its own desk must be able to
// save and mend such an item.
func newHead(st Story) (head, error) {
	for name, value := range map[string]string{"desk": st.Desk, "id": st.ID, "kind": st.Kind, "path": st.Path} {
		if value == "" {
			return head{}, fmt.Errorf("%w: it has no %s", ErrUnreadable, name)
		}
	}
	if strings.TrimSpace(st.Title) == "" {
		st.Title = st.ID
	}
	for _, text := range []*string{&st.Published, &st.Updated, &st.Listed} {
		t, err := model.ParseTime(*text)
		if *text = ""; err == nil {
			*text = model.FormatTime(t)
		}
	}
	if st.Published == "" {
		st.Published = undated
	}
	if st.Listed == "" {
		st.Listed = st.Published
	}
	if len(st.People) == 0 {
		st.People = nil
	}
	if len(st.Topics) == 0 {
		st.Topics = nil
	}
	if len(st.Subjects) == 0 {
		st.Subjects = nil
	}
	if len(st.Summaries) == 0 {
		st.Summaries = nil
	}
	st.Title, st.Summary = clip(st.Title, titleMax), clip(st.Summary, summaryMax)
	return head{Story: st, Shard: st.shard(), Order: st.order()}, nil
}

// undated is when a story was published that does not say so: after all others.
var undated = model.FormatTime(time.Unix(0, 0))

// Normal is the card as it is stored and read back, without a revision. A card that
// lacks something is [ErrUnreadable].
func (st *Story) Normal() (Story, error) {
	h, err := newHead(*st)
	h.Revision = 0
	return h.Story, err
}

// order is the story's place among those of its desk, as text that sorts.
func (st *Story) order() string { return st.Listed + "#" + st.ID }

// clip cuts a text to so many bytes, between two characters.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
