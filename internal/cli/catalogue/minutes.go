package catalogue

import (
	"context"
	"iter"
	"net/url"
	"time"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// Minutes is the catalogue of the articles about meetings, which are in the table.
func Minutes(d *minutes.Desk, table string) search.Source {
	return &desk{
		name: minutes.Schema.Name, table: table, changed: d.ChangedArticle,
		all: func(ctx context.Context) iter.Seq2[search.Document, error] {
			return documents(d.Documents(ctx), minutesDocument)
		},
		load: func(ctx context.Context, id string) (search.Document, error) {
			doc, err := d.Document(ctx, id)
			return minutesDocument(&doc), err
		},
		there: func(ctx context.Context, id string) error {
			_, err := d.GetArticle(ctx, id)
			return err
		},
	}
}

// minutesDocument dates an article by its meeting's day, as lists do.
func minutesDocument(d *minutes.Document) search.Document {
	day, err := time.Parse(time.DateOnly, d.Date)
	if err != nil {
		day = time.Time{}
	}
	return search.Document{
		Key: search.Key{ID: d.ID}, Kind: "article", Language: web.LanguageOf(d.Title, d.Description, d.Text),
		Title: d.Title, Summary: d.Description, Body: d.Text, Tags: tags(d.Categories, d.Keywords),
		Date: day, URL: "/minutes/articles/" + url.PathEscape(d.ID),
	}
}

// tags are the labels of a document, each once.
func tags(lists ...[]string) []string {
	var all []string
	met := map[string]bool{}
	for _, list := range lists {
		for _, tag := range list {
			if tag != "" && !met[tag] {
				met[tag] = true
				all = append(all, tag)
			}
		}
	}
	return all
}
