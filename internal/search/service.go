package search

import (
	"context"
	"html"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
)

// Service is search as pages and handlers see it: an index, and the cards of what it
// finds as they are now.
type Service struct {
	index   Index
	stories *story.Stories
	desks   []string
	current func(context.Context) bool
	now     func() time.Time
	words   []limitWords
}

// NewService returns search over an index of the stories of some desks.
func NewService(index Index, stories *story.Stories, desks ...string) *Service {
	return &Service{index: index, stories: stories, desks: slices.Sorted(slices.Values(desks)), current: func(context.Context) bool { return false }, now: time.Now, words: slices.Clone(languageWords)}
}

// Clock makes words such as yesterday count from what now returns, in its zone. The default
// is the time of the machine.
func (s *Service) Clock(now func() time.Time) { s.now = now }

// Desks returns the names of the desks that can be searched.
func (s *Service) Desks() []string { return s.desks }

// Follow makes every search ask first whether the index has all that happened, as
// [Feed.Current] tells. Without it, or while it says no, what the index says is doubted:
// a label that no hit has is left out.
func (s *Service) Follow(current func(context.Context) bool) { s.current = current }

// Search finds a page, and the pages that the query names. Words of the query that mean a
// time, a desk, a language or a source are filters; words that find nothing are corrected if
// others nearly like them find something. A page may hold fewer hits than asked for, also
// when there are more pages: a story that is no longer to be seen, or no longer as it was
// indexed, has been taken out.
func (s *Service) Search(ctx context.Context, q Query) (*Results, error) {
	current := s.current(ctx)
	res, err := s.understood(ctx, q)
	if err != nil || current {
		return res, err
	}
	kept.Unsure(ctx)
	return res, s.doubt(ctx, q, res)
}

// understood reads the query and searches for what it means.
func (s *Service) understood(ctx context.Context, q Query) (*Results, error) {
	if strings.TrimSpace(q.Text) == "" || utf8.RuneCountInString(q.Text) > MaxText {
		return s.found(ctx, q)
	}
	limits, err := s.limits(ctx, &q)
	if err != nil {
		return nil, err
	}
	leads, synonyms, err := s.leads(ctx, &q)
	if err != nil {
		return nil, err
	}
	if limits != nil {
		leads = nil // who asks for a time or a desk wants stories
	}
	q.Synonyms = synonyms
	cursor := q.Cursor
	if cursor != "" { // which query it is of is known when that of the first page is
		q.Cursor = ""
	}
	res, corrected, err := s.forgiving(ctx, &q, len(leads) > 0)
	if err != nil {
		return nil, err
	}
	if corrected != nil {
		leads = corrected
	}
	if cursor != "" {
		q.Cursor = cursor
		said := res.Corrected
		if res, err = s.found(ctx, q); err != nil {
			return nil, err
		}
		res.Corrected, leads = said, nil // they are on the first page
	}
	res.Limits, res.Leads = limits, leads
	return res, nil
}

// apart tells of a long Japanese word of which the hits have only the parts: it may be a name
// with a slip in it.
func apart(query string, hits []Hit) bool {
	form := text.Form(query)
	if strings.ContainsAny(query, " 　") || utf8.RuneCountInString(form) < leastName || !text.IsJapanese(query) || text.IsKana(form) {
		return false
	}
	return !slices.ContainsFunc(hits, func(h Hit) bool {
		return strings.Contains(text.Form(html.UnescapeString(marks.Replace(string(h.TitleHTML+h.ExcerptHTML)))), form)
	})
}

// leastName is how many letters a name has that is compared with others as a whole.
const leastName = 5

var marks = strings.NewReplacer("<mark>", "", "</mark>", "")

// forgiving searches, and if nothing has all the words, for what was probably meant: then
// that is the query.
func (s *Service) forgiving(ctx context.Context, q *Query, named bool) (*Results, []Lead, error) {
	res, err := s.found(ctx, *q)
	if err != nil || q.Text == "" || named || res.Total > 0 && !res.Relaxed && !apart(q.Text, res.Hits) {
		return res, nil, err
	}
	leads, meant, err := s.correct(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if meant == "" {
		if meant = res.DidYouMean; meant == "" {
			return res, nil, nil
		}
	}
	other := *q
	other.Text = meant
	better, err := s.found(ctx, other)
	if err != nil {
		return nil, nil, err
	}
	if better.Relaxed || len(better.Hits) == 0 {
		if leads == nil {
			return res, nil, nil
		}
		better = &Results{}
	}
	*q = other
	better.Corrected = meant
	return better, leads, nil
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
