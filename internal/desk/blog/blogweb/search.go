package blogweb

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

// Searcher finds published posts. It returns nothing that is not published at
// this moment.
type Searcher interface {
	// Search returns posts that have all words of the query, and the cursor
	// of more. A page may hold fewer than there are, or none, and still have
	// a next one.
	Search(ctx context.Context, query, cursor string) (blog.Page[blog.Card], error)
}

// maxQuery is how many characters of a query count.
const maxQuery = 200

// searchPage is what was found.
type searchPage struct {
	Query   string
	Stories []web.Story
	Next    string
}

func (p *pages) showSearch(w http.ResponseWriter, r *http.Request) error {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	data := searchPage{Query: query}
	if query != "" {
		page, err := p.search.Search(r.Context(), query, r.URL.Query().Get("cursor"))
		if err != nil {
			return err
		}
		data.Next = page.Next
		for _, c := range page.Items {
			data.Stories = append(data.Stories, storyOf(c))
		}
	}
	allowPictures(w)
	return p.site.Render(w, r, p.views, "search", web.Page{
		Title: p.site.T(r, "blog.search.title"), NoIndex: true, Block: "found", Data: data,
		Feeds: p.site.SearchFeed("blog", query, p.site.T(r, "blog.search.title")),
	})
}

// scan looks through the posts themselves, the newest first: right at every
// moment, and fit for the thousands of posts of one blog. Each page reads a
// bounded number of posts.
type scan struct{ public *blog.Public }

// scanLimit is how many posts one page of a search reads.
const scanLimit = blog.MaxLimit

// Search implements Searcher. A page is what one page of the list of all posts
// has, so that its cursor is that list's.
func (s scan) Search(ctx context.Context, query, cursor string) (blog.Page[blog.Card], error) {
	found := blog.Page[blog.Card]{Items: []blog.Card{}}
	words := strings.Fields(fold(query))
	page, err := s.public.Latest(ctx, blog.PageOptions{Limit: scanLimit, Cursor: cursor})
	if err != nil {
		return found, err
	}
	found.Next = page.Next
	for _, card := range page.Items {
		a, err := s.public.Post(ctx, card.ID)
		if errors.Is(err, errs.NotFound) {
			continue // unpublished in between
		}
		if err != nil {
			return found, err
		}
		if containsAll(fold(strings.Join([]string{a.Title, a.Summary, a.Author, strings.Join(a.Tags, "\n"), a.Text}, "\n")), words) {
			found.Items = append(found.Items, card)
		}
	}
	return found, nil
}

// fold makes texts alike that readers take for the same.
func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Indexed searches the index of all desks for posts.
func Indexed(service *search.Service) Searcher { return indexed{service} }

type indexed struct{ service *search.Service }

// Search implements Searcher.
func (s indexed) Search(ctx context.Context, query, cursor string) (blog.Page[blog.Card], error) {
	found := blog.Page[blog.Card]{Items: []blog.Card{}}
	results, err := s.service.Search(ctx, search.Query{Text: query, Desks: []string{blog.Schema.Name}, Cursor: cursor})
	if err != nil {
		return found, err
	}
	found.Next = results.Next
	for i := range results.Hits {
		st := &results.Hits[i].Story
		found.Items = append(found.Items, blog.Card{
			ID: st.ID, Title: st.Title, Summary: st.Summary, Thumbnail: st.Picture.Path, Status: blog.Published, PublishedAt: story.Time(st.Published),
		})
	}
	return found, nil
}
