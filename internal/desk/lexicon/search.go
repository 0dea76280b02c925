package lexicon

import (
	"context"
	"iter"

	"pressroom/model"
)

// AllTerms yields all terms, to build a search index. After an error nothing
// follows.
func (d *Desk) AllTerms(ctx context.Context) iter.Seq2[Term, error] {
	return func(yield func(Term, error) bool) {
		for _, origin := range []string{OriginLexicon, OriginSubmission} {
			for t, err := range d.terms.All(ctx, "ExportBySource", model.Values{"origin": origin}) {
				if !yield(t, failure(err)) || err != nil {
					return
				}
			}
		}
	}
}

// GetTerms returns the terms of these slugs, as they are now, by slug. Those that
// are not there are not in it.
func (d *Desk) GetTerms(ctx context.Context, slugs []string) (map[string]Term, error) {
	var keys []model.Values
	for _, slug := range slugs {
		if slug != "" {
			keys = append(keys, model.Values{"slug": slug})
		}
	}
	found := map[string]Term{}
	if len(keys) == 0 {
		return found, nil
	}
	terms, err := d.terms.BatchGet(ctx, keys)
	if err != nil {
		return nil, failure(err)
	}
	for _, t := range terms {
		found[t.Slug] = t
	}
	return found, nil
}

// ChangedTerm returns the slug of the term that an item of the terms' table is, for
// whoever follows the table's stream. Its names and places in lists never change
// without it.
func (d *Desk) ChangedTerm(keys model.Raw) (slug string, ok bool) {
	found, ok := terms.Identify(keys)
	if !ok || found.Entity.Name != "Term" {
		return "", false
	}
	return found.Values["slug"], true
}
