package lexiconweb

import (
	"context"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

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
