package lexiconweb

import (
	"errors"
	"net/http"

	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// lookupPage is what was found under a name.
type lookupPage struct {
	Q     string
	Found []card
	// Inside are terms that stand in what was typed, if none is called so.
	Inside []card
}

// lookup finds a term by its name or a variant. One that is found alone is shown
// at once.
func (p *pages) lookup(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query().Get("q")
	page := web.Page{Title: p.site.T(r, "lexicon.lookup.title"), NoIndex: true, Data: &lookupPage{Q: q}}
	if q == "" {
		return p.site.Redirect(w, r, "/lexicon")
	}
	found, err := p.desk.Lookup(r.Context(), q)
	switch {
	case errors.Is(err, errs.Invalid):
		page.Problem, page.Status = err, web.StatusOf(err)
		return p.site.Render(w, r, p.views, "lookup", page)
	case err != nil:
		return err
	case len(found) == 1:
		return p.site.Redirect(w, r, termPath(found[0].Slug))
	}
	data := lookupPage{Q: q, Found: termCards(p.site.Lang(r), found)}
	if len(found) == 0 {
		if data.Inside, err = p.inside(r, q); err != nil {
			return err
		}
	}
	page.Title, page.Data = p.site.T(r, "lexicon.lookup.for", q), &data
	return p.site.Render(w, r, p.views, "lookup", page)
}

// inside returns the terms that stand in a text, each once.
func (p *pages) inside(r *http.Request, text string) ([]card, error) {
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return nil, err
	}
	var cards []card
	seen := map[string]bool{}
	for _, s := range book.Find(text) {
		if !seen[s.Term.Slug] {
			seen[s.Term.Slug] = true
			l := listingOf(s.Term)
			cards = append(cards, cardOf(p.site.Lang(r), &l))
		}
	}
	return cards, nil
}
