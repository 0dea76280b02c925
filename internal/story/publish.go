package story

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"pressroom/model"
)

// Publish returns the pieces that make a story visible, or change it. A desk adds them
// to the transaction that does so to its own items. There are two pieces, or none if
// the card is the one that is there: then nothing happened. If another change of the
// story is faster, the transaction answers [ErrChanged].
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
	was, err := s.heads.Get(ctx, ref.key())
	switch {
	case errors.Is(err, model.ErrNotFound), err == nil && was.Withdrawn != "":
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("withdraw story %s: %w", ref, err)
	}
	gone := head{Shard: ref.shard(), Withdrawn: s.now()}
	gone.Ref, gone.Kind, gone.Revision = ref, was.Kind, was.Revision
	return s.pieces(gone, Withdrawn, reason), nil
}

func (s *Stories) change(ctx context.Context, st Story, what What, reason string) ([]model.Piece, error) {
	next, err := newHead(st)
	if err != nil {
		return nil, fmt.Errorf("publish story %s: %w", st.Ref, err)
	}
	was, err := s.heads.Get(ctx, st.key())
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return nil, fmt.Errorf("publish story %s: %w", st.Ref, err)
	}
	next.Revision = was.Revision
	if err != nil || was.Withdrawn != "" {
		what = Published
	} else if reflect.DeepEqual(was, next) {
		return nil, nil
	}
	return s.pieces(next, what, reason), nil
}

// pieces writes a head over the revision that it has, and the event of the next one.
func (s *Stories) pieces(h head, what What, reason string) []model.Piece {
	now := s.now()
	e := event{Shard: h.Shard, Waiting: now, Event: Event{
		Ref: h.Ref, Kind: h.Kind, Revision: h.Revision + 1, What: what, Reason: clip(reason, reasonMax), At: now,
	}}
	return []model.Piece{s.heads.PutPiece(&h).Means(ErrChanged), s.events.CreatePiece(&e)}
}

func (s *Stories) now() string { return model.FormatTime(s.o.Now()) }

// newHead checks a card and brings it into the form in which it is read back.
func newHead(st Story) (head, error) {
	for name, value := range map[string]string{"desk": st.Desk, "id": st.ID, "kind": st.Kind, "path": st.Path, "title": st.Title} {
		if value == "" {
			return head{}, fmt.Errorf("it has no %s", name)
		}
	}
	if st.Listed == "" {
		st.Listed = st.Published
	}
	if st.Published == "" {
		return head{}, errors.New("it does not say when it was published")
	}
	for _, text := range []*string{&st.Published, &st.Updated, &st.Listed} {
		if *text == "" {
			continue
		}
		t, err := model.ParseTime(*text)
		if err != nil {
			return head{}, err
		}
		*text = model.FormatTime(t)
	}
	if len(st.People) == 0 {
		st.People = nil
	}
	if len(st.Topics) == 0 {
		st.Topics = nil
	}
	st.Title, st.Summary = clip(st.Title, titleMax), clip(st.Summary, summaryMax)
	return head{Story: st, Shard: st.shard(), Order: st.order()}, nil
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
