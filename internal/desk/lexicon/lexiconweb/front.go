package lexiconweb

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// ofDay is how many terms of one day stand in the front page's stream. A lexicon
// is imported by the hundred, and the news of the day is elsewhere.
const ofDay = 3

// front is the lexicon's part of the front page's stream: of each day a few of the
// terms that were written or changed. The cursor is the last day that was shown.
func (p *pages) front(ctx context.Context, lang, cursor string, limit int) ([]web.Story, string, error) {
	book, err := p.desk.Book(ctx)
	if err != nil {
		return nil, "", err
	}
	var stories []web.Story
	for look := 4 * limit; ; look *= 4 {
		latest := book.Latest(look)
		whole := len(latest) == book.Len()
		var next string
		stories, next = p.days(lang, latest, cursor, limit, whole)
		if whole || next != "" {
			return stories, next, nil
		}
	}
}

// days picks stories out of terms, the last changed first, from the days before a
// day. It returns the last of its days if there are more than fit. Unless the terms
// are all there are, the last day of them may not be whole, and does not count.
func (p *pages) days(lang string, latest []lexicon.Term, before string, limit int, whole bool) ([]web.Story, string) {
	var stories []web.Story
	last := ""
	for len(latest) > 0 {
		day := dayOf(&latest[0])
		n := slices.IndexFunc(latest, func(t lexicon.Term) bool { return dayOf(&t) != day })
		if n < 0 {
			if !whole {
				return stories, ""
			}
			n = len(latest)
		}
		if before == "" || day < before {
			picked := pick(latest[:n])
			if len(stories) > 0 && len(stories)+len(picked) > limit {
				return stories, last
			}
			for i := range picked {
				stories = append(stories, storyOf(lang, &picked[i]))
			}
			last = day
		}
		latest = latest[n:]
	}
	return stories, ""
}

func dayOf(t *lexicon.Term) string { return t.LastUpdated.Time().UTC().Format(time.DateOnly) }

// pick returns the terms of a day that matter most, the last changed first.
func pick(day []lexicon.Term) []lexicon.Term {
	picked := slices.Clone(day)
	slices.SortStableFunc(picked, func(a, b lexicon.Term) int {
		return cmp.Or(cmp.Compare(b.Momentum, a.Momentum), cmp.Compare(b.LastUpdated, a.LastUpdated))
	})
	picked = picked[:min(ofDay, len(picked))]
	slices.SortStableFunc(picked, func(a, b lexicon.Term) int { return cmp.Compare(b.LastUpdated, a.LastUpdated) })
	return picked
}

// find is the terms that search found.
func (p *pages) find(ctx context.Context, lang string, slugs []string) (map[string]web.Story, error) {
	terms, err := p.desk.GetTerms(ctx, slugs)
	stories := map[string]web.Story{}
	for slug, t := range terms {
		stories[slug] = storyOf(lang, &t)
	}
	return stories, err
}

// storyOf is a term among the stories of other desks.
func storyOf(lang string, t *lexicon.Term) web.Story {
	story := web.Story{
		Title: t.Term, Path: termPath(t.Slug), Summary: t.GlossIn(lang), Date: t.LastUpdated.Time(),
		Source: strings.Join(t.Sources, ", "), Lang: t.Language,
	}
	if t.Glosses[lang] != "" {
		story.Lang = "" // the gloss is longer than the term
	}
	if len(t.Categories) > 0 {
		story.Kicker = t.Categories[0]
	}
	return story
}

// mostUsed are the terms that are used most or, while none is, the newest.
func (p *pages) mostUsed(ctx context.Context, lang string, most int) ([]web.Word, error) {
	book, err := p.desk.Book(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := p.desk.Trending(ctx, lexicon.PageOptions{Limit: most})
	if err != nil {
		return nil, err
	}
	terms := termsOf(book, rows.Items)
	if len(terms) == 0 {
		terms = book.Latest(most)
	}
	words := make([]web.Word, len(terms))
	for i, c := range termCards(lang, terms) {
		words[i] = web.Word{Term: c.Term, Path: c.Path, Gloss: c.Gloss, Lang: c.Lang, GlossLang: c.GlossLang}
	}
	return words, nil
}
