package blogweb_test

import (
	"context"
	"iter"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogweb"
	"pressroom/internal/errs"
	"pressroom/internal/search"
)

// slow is an index, and a source, that have not heard of the last change yet:
// they know every post, in whatever state.
type slow struct {
	search.Index
	posts []blog.Post
}

func (s *slow) Search(_ context.Context, q search.Query) (*search.Results, error) {
	results := &search.Results{}
	for _, p := range s.posts {
		results.Hits = append(results.Hits, search.Hit{Key: search.Key{Desk: q.Desks[0], ID: p.ID}, Title: p.Title})
	}
	return results, nil
}

func (s *slow) Desk() string                                          { return "blog" }
func (s *slow) Tables() []string                                      { return nil }
func (s *slow) All(context.Context) iter.Seq2[search.Document, error] { return nil }
func (s *slow) Affected(string, types.Record) []string                { return nil }
func (s *slow) Load(_ context.Context, id string) (*search.Document, error) {
	for _, p := range s.posts {
		if p.ID == id {
			return &search.Document{Key: search.Key{Desk: "blog", ID: id}, Title: p.Title}, nil
		}
	}
	return nil, errs.NotFound
}

func TestSearchIndexed(t *testing.T) {
	index := &slow{}
	r := openWith(t, func(desk *blog.Desk) *blogweb.Options {
		return &blogweb.Options{Search: blogweb.Indexed(search.NewService(index, index), desk)}
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
