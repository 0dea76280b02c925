package web

import (
	"context"
	"errors"

	"pressroom/internal/errs"
	"pressroom/internal/story"
)

// streamFilter says which stories of the stream are wanted; zero for all.
type streamFilter struct {
	Desk     string
	Language string
}

// minorOfDay is how many stories of a minor desk one day has in the stream: a lexicon
// is imported by the hundred, and the news of the day is elsewhere.
const minorOfDay = 3

// stream returns a page of what all desks published, the newest first. Only a bad
// cursor is the reader's to know.
func (s *Site) stream(ctx context.Context, f streamFilter, cursor string, limit int) (story.Page, error) {
	l := story.Listing{Language: f.Language, After: cursor, Limit: limit, OfDay: map[string]int{}}
	for _, section := range s.front {
		if f.Desk != "" && f.Desk != section.Desk {
			continue
		}
		l.Desks = append(l.Desks, section.Desk)
		if section.Minor && f.Desk == "" {
			l.OfDay[section.Desk] = minorOfDay
		}
	}
	if s.o.Stories == nil || len(l.Desks) == 0 {
		return story.Page{}, nil
	}
	page, err := s.o.Stories.List(ctx, l)
	if errors.Is(err, story.ErrCursor) {
		err = errs.Wrap(err, errs.Malformed, "The cursor cannot be read. Begin with the first page.")
	}
	return page, err
}
