package story

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

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

// Correct is Publish for a story that said something wrong; the reason says what.
func (s *Stories) Correct(ctx context.Context, st Story, reason string) ([]model.Piece, error) {
	return s.change(ctx, st, Corrected, reason)
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
	return s.withdrawn(was, reason), nil
}

// MaxPieces is how many pieces a change of a story has at most.
const MaxPieces = 2

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
	case !was.visible():
		what = Published
	case reflect.DeepEqual(was, next):
		return nil, nil
	}
	return s.pieces(next, what, reason), nil
}

// withdrawn returns the pieces that take back what was there.
func (s *Stories) withdrawn(was head, reason string) []model.Piece {
	if !was.visible() {
		return nil
	}
	gone := head{Shard: was.shard(), Withdrawn: s.now()}
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

// newHead checks a card and brings it into the form in which it is read back.
func newHead(st Story) (head, error) {
	for name, value := range map[string]string{"desk": st.Desk, "id": st.ID, "kind": st.Kind, "path": st.Path, "title": st.Title} {
		if value == "" {
			return head{}, fmt.Errorf("%w: it has no %s", ErrUnreadable, name)
		}
	}
	if st.Listed == "" {
		st.Listed = st.Published
	}
	if st.Published == "" {
		return head{}, fmt.Errorf("%w: it does not say when it was published", ErrUnreadable)
	}
	for _, text := range []*string{&st.Published, &st.Updated, &st.Listed} {
		if *text == "" {
			continue
		}
		t, err := model.ParseTime(*text)
		if err != nil {
			return head{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		*text = model.FormatTime(t)
	}
	if len(st.People) == 0 {
		st.People = nil
	}
	if len(st.Topics) == 0 {
		st.Topics = nil
	}
	if len(st.Summaries) == 0 {
		st.Summaries = nil
	}
	st.Title, st.Summary = clip(st.Title, titleMax), clip(st.Summary, summaryMax)
	return head{Story: st, Shard: st.shard(), Order: st.order()}, nil
}

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
