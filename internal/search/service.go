package search

import (
	"context"
	"slices"

	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/internal/story"
)

// Service is search as pages and handlers see it: an index, and the cards of what it
// finds as they are now.
type Service struct {
	index   Index
	stories *story.Stories
	desks   []string
	current func(context.Context) bool
}

// NewService returns search over an index of the stories of some desks.
func NewService(index Index, stories *story.Stories, desks ...string) *Service {
	return &Service{index: index, stories: stories, desks: slices.Sorted(slices.Values(desks)), current: func(context.Context) bool { return false }}
}

// Desks returns the names of the desks that can be searched.
func (s *Service) Desks() []string { return s.desks }

// Follow makes every search ask first whether the index has all that happened, as
// [Feed.Current] tells. Without it, or while it says no, what the index says is doubted:
// a label that no hit has is left out.
func (s *Service) Follow(current func(context.Context) bool) { s.current = current }

// Search finds a page. It may hold fewer hits than asked for, also when there are more
// pages: a story that is no longer to be seen, or no longer as it was indexed, has
// been taken out.
func (s *Service) Search(ctx context.Context, q Query) (*Results, error) {
	current := s.current(ctx)
	res, err := s.found(ctx, q)
	if err != nil || current {
		return res, err
	}
	kept.Unsure(ctx)
	return res, s.doubt(ctx, q, res)
}

// found asks the index, and reads the cards of what it found.
func (s *Service) found(ctx context.Context, q Query) (*Results, error) {
	res, err := s.index.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	keys := make([]Key, len(res.Hits))
	for i := range res.Hits {
		keys[i] = res.Hits[i].Key
	}
	cards, err := s.cards(ctx, keys)
	if err != nil {
		return nil, err
	}
	hits := res.Hits[:0]
	for _, h := range res.Hits {
		if card, ok := cards[h.Key]; ok && card.Revision == h.Revision {
			h.Story = card
			hits = append(hits, h)
		}
	}
	res.Hits = hits
	return res, nil
}

// cards reads the cards of documents that are in this search and can be seen now.
func (s *Service) cards(ctx context.Context, keys []Key) (map[Key]story.Story, error) {
	var refs []story.Ref
	for _, k := range keys {
		if slices.Contains(s.desks, k.Desk) {
			refs = append(refs, k.ref())
		}
	}
	cards := map[Key]story.Story{}
	if len(refs) == 0 {
		return cards, nil
	}
	list, err := s.stories.Get(ctx, refs...)
	for _, card := range list {
		cards[Key{card.Desk, card.ID}] = card
	}
	return cards, err
}

// doubt takes out of the results of an index that may be behind what no hit bears
// out: a tag that none of them has, a word that finds nothing any more.
func (s *Service) doubt(ctx context.Context, q Query, res *Results) error {
	res.Facets.Tags = slices.DeleteFunc(res.Facets.Tags, func(c Count) bool {
		return !slices.ContainsFunc(res.Hits, func(h Hit) bool { return slices.Contains(h.Tags, c.Value) })
	})
	if res.DidYouMean == "" {
		return nil
	}
	q.Text, q.Cursor = res.DidYouMean, ""
	meant, err := s.found(ctx, q)
	if err == nil && len(meant.Hits) == 0 {
		res.DidYouMean = ""
	}
	return err
}

// Suggest completes a prefix with at most limit titles.
func (s *Service) Suggest(ctx context.Context, prefix string, level Level, limit int) ([]Suggestion, error) {
	if limit < 1 || limit > MaxLimit {
		return nil, errs.Validation(errs.Field{Name: "limit", Message: "must be from 1 to 100"})
	}
	if !s.current(ctx) {
		kept.Unsure(ctx)
	}
	found, err := s.index.Suggest(ctx, prefix, level, limit)
	if err != nil {
		return nil, err
	}
	keys := make([]Key, len(found))
	for i := range found {
		keys[i] = found[i].Key
	}
	cards, err := s.cards(ctx, keys)
	return slices.DeleteFunc(found, func(f Suggestion) bool {
		card, ok := cards[f.Key]
		return !ok || card.Revision != f.Revision
	}), err
}
