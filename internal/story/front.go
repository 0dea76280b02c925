package story

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Front is what editors put at the top of the front page in one language, in its order:
// the first place leads. What follows is automatic.
type Front struct {
	Language string  `dynamodbav:"language"`
	Places   []Place `dynamodbav:"places"`
	Version  int     `dynamodbav:"version"` // counts the changes; 0 if there was none
}

// Place is a story that has a place by hand, from a time and until another; "" for no
// limit.
type Place struct {
	Ref
	From  string `dynamodbav:"from,omitempty"`
	Until string `dynamodbav:"until,omitempty"`
}

// Holds reports whether the story has its place at a time.
func (p *Place) Holds(at time.Time) bool {
	return (p.From == "" || !at.Before(Time(p.From))) && !p.Over(at)
}

// Over reports whether the place has ended by a time.
func (p *Place) Over(at time.Time) bool { return p.Until != "" && !at.Before(Time(p.Until)) }

// Set gives the place its limits; the zero time is none.
func (p *Place) Set(from, until time.Time) {
	p.From, p.Until = "", ""
	if !from.IsZero() {
		p.From = model.FormatTime(from)
	}
	if !until.IsZero() {
		p.Until = model.FormatTime(until)
	}
}

// MaxPlaces is how many places a front page has by hand, those of other times with
// them.
const MaxPlaces = 24

// Front returns the places of a language's front page.
func (s *Stories) Front(ctx context.Context, language string) (Front, error) {
	f, err := s.fronts.Get(ctx, model.Values{"language": language})
	if errors.Is(err, model.ErrNotFound) {
		return Front{Language: language}, nil
	}
	if err != nil {
		return f, fmt.Errorf("read the front page in %s: %w", language, err)
	}
	return f, nil
}

// SetFront replaces the version that f was made of. If another one is there by now, the
// answer is errs.Stale; too many places, or a story in two of them, are errs.Invalid.
func (s *Stories) SetFront(ctx context.Context, f *Front) error {
	if len(f.Places) > MaxPlaces {
		return errs.New(errs.Invalid, "The front page has all the places that it can have. Remove one first.")
	}
	met := map[Ref]bool{}
	for _, p := range f.Places {
		if met[p.Ref] {
			return errs.New(errs.Invalid, "This story has a place already.")
		}
		met[p.Ref] = true
	}
	err := s.fronts.Put(ctx, f)
	if errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrExists) {
		err = errs.Stale
	}
	if err != nil {
		return fmt.Errorf("set the front page in %s: %w", f.Language, err)
	}
	return nil
}
