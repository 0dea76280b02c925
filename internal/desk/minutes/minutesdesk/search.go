package minutesdesk

import (
	"context"
	"iter"
	"net/url"
	"time"

	"pressroom/internal/desk"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// catalogue is the catalogue of the articles about meetings, which are in the table.
func catalogue(d *minutes.Desk, table string) search.Source {
	return &desk.Catalogue{
		Name: minutes.Schema.Name, Table: table, Changed: d.ChangedArticle,
		Documents: func(ctx context.Context) iter.Seq2[search.Document, error] {
			return desk.Documents(d.Documents(ctx), minutesDocument)
		},
		Document: func(ctx context.Context, id string) (search.Document, error) {
			doc, err := d.Document(ctx, id)
			return minutesDocument(&doc), err
		},
		There: func(ctx context.Context, id string) error {
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
		Title: d.Title, Summary: d.Description, Body: d.Text, Tags: desk.Tags(d.Categories, d.Keywords),
		Date: day, URL: "/minutes/articles/" + url.PathEscape(d.ID),
	}
}
