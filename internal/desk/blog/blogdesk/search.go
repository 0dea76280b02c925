package blogdesk

import (
	"context"
	"fmt"
	"iter"
	"net/url"

	"pressroom/internal/desk"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// catalogue is the catalogue of published posts, which are in the table among others.
func catalogue(d *blog.Desk, table string) search.Source {
	public := d.Public()
	return &desk.Catalogue{
		Name: blog.Schema.Name, Table: table, Changed: d.ChangedPost,
		Documents: func(ctx context.Context) iter.Seq2[search.Document, error] {
			return desk.Documents(public.Documents(ctx), blogDocument)
		},
		Document: func(ctx context.Context, id string) (search.Document, error) {
			doc, err := public.Document(ctx, id)
			return blogDocument(&doc), err
		},
		There: func(ctx context.Context, id string) error {
			found, err := public.Cards(ctx, []string{id})
			if err == nil && len(found) == 0 {
				err = fmt.Errorf("post %s: %w", id, errs.NotFound)
			}
			return err
		},
	}
}

func blogDocument(d *blog.Document) search.Document {
	body := d.Text
	if d.Author != "" {
		body += "\n" + d.Author
	}
	return search.Document{
		Key: search.Key{ID: d.ID}, Kind: "post", Language: web.LanguageOf(d.Title, d.Summary, d.Text),
		Title: d.Title, Summary: d.Summary, Body: body, Tags: desk.Tags(d.Tags),
		Date: d.PublishedAt, URL: "/blog/posts/" + url.PathEscape(d.ID),
	}
}
