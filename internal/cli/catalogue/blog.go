package catalogue

import (
	"context"
	"fmt"
	"iter"
	"net/url"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// Blog is the catalogue of published posts, which are in the table among others.
func Blog(d *blog.Desk, table string) search.Source {
	public := d.Public()
	return &desk{
		name: blog.Schema.Name, table: table, changed: d.ChangedPost,
		all: func(ctx context.Context) iter.Seq2[search.Document, error] {
			return documents(public.Documents(ctx), blogDocument)
		},
		load: func(ctx context.Context, id string) (search.Document, error) {
			doc, err := public.Document(ctx, id)
			return blogDocument(&doc), err
		},
		there: func(ctx context.Context, id string) error {
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
		Title: d.Title, Summary: d.Summary, Body: body, Tags: tags(d.Tags),
		Date: d.PublishedAt, URL: "/blog/posts/" + url.PathEscape(d.ID),
	}
}
