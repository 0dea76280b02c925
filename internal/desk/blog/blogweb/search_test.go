package blogweb_test

import (
	"context"
	"net/http"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogweb"
	"pressroom/internal/search"
	"pressroom/internal/web/webtest"
)

// slow is an index that has not heard of the last change yet: it knows every post, in
// whatever state.
type slow struct {
	search.Index
	posts []blog.Post
}

func (s *slow) Names(context.Context, []string, search.Nearness, search.Level) ([]search.Named, error) {
	return nil, nil
}

func (s *slow) Search(_ context.Context, q search.Query) (*search.Results, error) {
	results := &search.Results{}
	for _, p := range s.posts {
		results.Hits = append(results.Hits, search.Hit{Key: search.Key{Desk: q.Desks[0], ID: p.ID}, Title: p.Title, Revision: 1})
	}
	return results, nil
}

func TestSearchIndexed(t *testing.T) {
	index := &slow{}
	r := openWith(t, func(site *webtest.Site) *blogweb.Options {
		return &blogweb.Options{Search: blogweb.Indexed(search.NewService(index, site.Stories.Stories, "blog"))}
	})
	index.posts = []blog.Post{
		r.put(t, content("Seen", nil, "x"), blog.Published),
		r.put(t, content("Hidden", nil, "x"), blog.Draft),
	}
	page := r.Get(t, auth.Everyone, "/blog/search?q=x").Want(http.StatusOK)
	if got := page.Text("#found h2"); got != "Seen" {
		t.Errorf("found %q", got)
	}
}
