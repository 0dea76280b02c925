package story

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Word is what a person says about a change of theirs: who they are, and why. Readers
// see both.
type Word struct{ By, Reason string }

// Note is a person's word on a change of a story. Notes stay, also of a story that is
// gone.
type Note struct {
	Ref
	Kind     string `dynamodbav:"kind"`     // the story's
	Revision int    `dynamodbav:"revision"` // that the change made
	What     What   `dynamodbav:"what"`     // Corrected, Withdrawn, or Published for what was brought back
	By       string `dynamodbav:"by"`
	// Reason is empty in lists if the story was withdrawn since: it may repeat what no
	// longer stands.
	Reason string `dynamodbav:"reason"`
	At     string `dynamodbav:"at"`
}

// noted is what is stored of a note.
type noted struct {
	Note
	Shard string `dynamodbav:"shard"`
	Order string `dynamodbav:"noteOrder"`
}

// listedNote is a note as the index has it.
type listedNote struct {
	Ref
	Revision int    `dynamodbav:"revision"`
	Order    string `dynamodbav:"noteOrder"`
}

// note is the piece that keeps a person's word on the change of what was there.
func (s *Stories) note(was *head, kind string, what What, w Word) model.Piece {
	n := noted{Shard: was.shard(), Note: Note{
		Ref: was.Ref, Kind: kind, Revision: was.Revision + 1, What: what, By: clip(w.By, nameMax), Reason: clip(w.Reason, reasonMax), At: s.now(),
	}}
	n.Order = fmt.Sprintf("%s#%s#%s#%010d", n.At, n.Desk, n.ID, n.Revision)
	return s.notes.CreatePiece(&n).Means(ErrChanged)
}

// GoneError is a story that a person withdrew. It is errs.Gone to those who ask for the
// story by its address, and errs.NotFound to those who look for what is there.
type GoneError struct{ Note }

func (e *GoneError) Error() string {
	return fmt.Sprintf("story %s was withdrawn by %s: %s", e.Ref, e.By, e.Reason)
}

// Unwrap gives the error its kinds.
func (e *GoneError) Unwrap() []error {
	return []error{errs.New(errs.Gone, "This was withdrawn on %.10s. The reason: %s", e.At, e.Reason), errs.NotFound}
}

// Missing returns the error of a story that is not there: a [GoneError] if a person
// withdrew it, and otherwise err.
func (s *Stories) Missing(ctx context.Context, ref Ref, err error) error {
	if err == nil || !errors.Is(err, errs.NotFound) {
		return err
	}
	note, gone, failed := s.Gone(ctx, ref)
	switch {
	case failed != nil:
		return failed
	case gone:
		return &GoneError{note}
	}
	return err
}

// Gone returns the note of a story's withdrawal by a person, and whether there is one
// that still holds.
func (s *Stories) Gone(ctx context.Context, ref Ref) (Note, bool, error) {
	if s == nil {
		return Note{}, false, nil
	}
	h, err := s.head(ctx, ref)
	if err != nil || h.HeldBy == "" {
		return Note{}, false, err
	}
	return Note{Ref: ref, Kind: h.Kind, Revision: h.Revision, What: Withdrawn, By: h.HeldBy, Reason: h.HeldFor, At: h.Withdrawn}, true, nil
}

// Notes returns the notes of a story, the first one first.
func (s *Stories) Notes(ctx context.Context, ref Ref) ([]Note, error) {
	if s == nil {
		return nil, nil
	}
	var all []Note
	for n, err := range s.notes.All(ctx, "NotesOf", ref.key()) {
		if err != nil {
			return nil, fmt.Errorf("notes of story %s: %w", ref, err)
		}
		all = append(all, n.Note)
	}
	return all, nil
}

// Noted is a note with the card of its story, as it is now; nil if that is not visible.
type Noted struct {
	Note
	Story *Story
}

// Corrections returns a page of all notes, the newest first, and the cursor of the page
// that follows. Those that the index lists for longer than the store has them are left
// out.
func (s *Stories) Corrections(ctx context.Context, after string, limit int) (model.Page[Noted], error) {
	var page model.Page[Noted]
	if limit <= 0 {
		limit = DefaultLimit
	}
	from := ""
	if after != "" {
		plain, err := base64.RawURLEncoding.DecodeString(after)
		if from = string(plain); err != nil || !utf8.ValidString(from) || strings.Count(from, "#") < 3 {
			return page, fmt.Errorf("list corrections: %w", ErrCursor)
		}
	}
	var keys []model.Values
	last := ""
	for one, err := range s.corrections.All(ctx, nil, model.Window{To: from}) {
		if err != nil {
			return page, fmt.Errorf("list corrections: %w", err)
		}
		if from != "" && one.Order >= from {
			continue
		}
		if len(keys) == limit {
			page.Next = base64.RawURLEncoding.EncodeToString([]byte(last))
			break
		}
		key := one.key()
		key["revision"] = fmt.Sprint(one.Revision)
		keys, last = append(keys, key), one.Order
	}
	if len(keys) == 0 {
		return page, nil
	}
	found, err := s.notes.BatchGet(ctx, keys)
	if err != nil {
		return page, fmt.Errorf("list corrections: %w", err)
	}
	var refs []Ref
	for _, n := range found {
		if !slices.Contains(refs, n.Ref) {
			refs = append(refs, n.Ref)
		}
	}
	cards, err := s.Get(ctx, refs...)
	if err != nil {
		return page, err
	}
	shown := map[Ref]*Story{}
	for i := range cards {
		shown[cards[i].Ref] = &cards[i]
	}
	for _, n := range found {
		one := Noted{n.Note, shown[n.Ref]}
		if one.Story == nil && one.What != Withdrawn {
			one.Reason = ""
		}
		page.Items = append(page.Items, one)
	}
	return page, nil
}
