package follow

import (
	"context"
	"errors"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
)

// previewed is how many stories are looked at for a preview.
const previewed = 100

// Preview returns the stories since a time that a reader would have been told of, the
// newest first, of the last hundred that there are.
func (m *Matcher) Preview(ctx context.Context, reader string, since time.Time) ([]story.Story, error) {
	subjects, searches := map[Subject]bool{}, []Search(nil)
	for one, err := range m.Follows.Following(ctx, reader) {
		if err != nil {
			return nil, err
		}
		subjects[one.Subject] = true
		if one.Search != nil {
			searches = append(searches, *one.Search)
		}
	}
	page, err := m.Stories.List(ctx, story.Listing{Desks: m.Desks, Limit: previewed})
	if err != nil {
		return nil, err
	}
	if len(searches) > 0 {
		if err := text.Load(ctx); err != nil {
			return nil, err
		}
	}
	p := newPercolator(searches, nil)
	var found []story.Story
	for i := range page.Items {
		card := &page.Items[i]
		if story.Time(card.Listed).Before(since) {
			continue
		}
		fits, err := m.fits(ctx, p, subjects, card)
		if err != nil {
			return nil, err
		}
		if fits {
			found = append(found, *card)
		}
	}
	return found, nil
}

func (m *Matcher) fits(ctx context.Context, p *percolator, subjects map[Subject]bool, card *story.Story) (bool, error) {
	for _, s := range Subjects(card) {
		if subjects[s] {
			return true, nil
		}
	}
	if len(p.waiting)+len(p.plain) == 0 {
		return false, nil
	}
	st, err := m.Load(ctx, card.Ref)
	if errors.Is(err, errs.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	ids, err := p.fitting(&st)
	return len(ids) > 0, err
}
