package newswiredesk

import (
	"context"
	"fmt"
	"iter"
	"net/url"

	"pressroom/internal/desk"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/web"
	"pressroom/model"
)

// catalogue is the catalogue of what sites published, which is in the table. Their
// texts are found by, and shown no further than readers may see them.
func catalogue(d *newswire.Desk, table string) search.Source {
	return &desk.Catalogue{
		Name: newswire.Schema.Name, Table: table,
		Changed: func(keys model.Raw) (string, bool) {
			id, ok := d.ChangedArticle(keys)
			return string(id), ok
		},
		Documents: func(ctx context.Context) iter.Seq2[search.Document, error] {
			return desk.Documents(d.Documents(ctx), newswireDocument)
		},
		Document: func(ctx context.Context, id string) (search.Document, error) {
			doc, err := d.Document(ctx, newswire.DocumentID(id))
			return newswireDocument(&doc), err
		},
		There: func(ctx context.Context, id string) error {
			found, err := d.GetDocuments(ctx, []newswire.DocumentID{newswire.DocumentID(id)})
			if err == nil && len(found) == 0 {
				err = fmt.Errorf("document %s: %w", id, errs.NotFound)
			}
			return err
		},
	}
}

func newswireDocument(d *newswire.Document) search.Document {
	published, err := model.ParseTime(d.PublishedAt)
	if err != nil {
		published, _ = model.ParseTime(d.FetchedAt)
	}
	return search.Document{
		Key: search.Key{ID: string(d.DocumentID())}, Kind: "article", Language: web.LanguageOf(d.Title, d.Lead, d.BodyPlain),
		Title: d.Title, Summary: d.Lead, Hidden: d.BodyPlain, Tags: desk.Tags(d.Topics),
		Date: published, URL: "/newswire/articles/" + url.PathEscape(d.ArticleID),
	}
}
