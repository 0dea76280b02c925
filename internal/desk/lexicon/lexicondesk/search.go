package lexicondesk

import (
	"context"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/desk"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// catalogue is the catalogue of the lexicon's terms, which are in the table. What was
// proposed, waits or was rejected is in another table and not in it.
func catalogue(d *lexicon.Desk, table string) search.Source {
	return &desk.Catalogue{
		Name: lexicon.Schema.Name, Table: table, Changed: d.ChangedTerm,
		Documents: func(ctx context.Context) iter.Seq2[search.Document, error] {
			return desk.Documents(d.AllTerms(ctx), lexiconDocument)
		},
		Document: func(ctx context.Context, id string) (search.Document, error) {
			t, err := d.Term(ctx, id)
			return lexiconDocument(&t), err
		},
		There: func(ctx context.Context, id string) error {
			_, err := d.Term(ctx, id)
			return err
		},
	}
}

func lexiconDocument(t *lexicon.Term) search.Document {
	language := t.Language
	if language == "" {
		language = web.LanguageOf(t.Term, t.Gloss)
	}
	body := slices.Concat(t.Variants, []string{t.Gloss})
	for _, lang := range slices.Sorted(maps.Keys(t.Glosses)) {
		if t.Glosses[lang] != t.Gloss {
			body = append(body, t.Glosses[lang])
		}
	}
	body = append(body, t.Examples...)
	return search.Document{
		Key: search.Key{ID: t.Slug}, Kind: "term", Language: language,
		Title: t.Term, Summary: t.Gloss, Body: strings.Join(body, "\n"), Tags: desk.Tags(t.Categories, t.Tags, t.Regions),
		Date: t.LastUpdated.Time(), URL: "/lexicon/terms/" + url.PathEscape(t.Slug),
	}
}
