package lexiconweb

import (
	"net/http"
	"net/url"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// trendingPage is what is used most.
type trendingPage struct {
	Category   string
	Path       string
	Rows       []trendRow
	Next       string
	Categories []label
}

type trendRow struct {
	card
	Category     string
	CategoryPath string
	Score        float64
}

func trendingPath(category string) string {
	if category == "" {
		return "/lexicon/trending"
	}
	return "/lexicon/trending/" + url.PathEscape(category)
}

// rows returns a page of trends, over all or of the path's category.
func (p *pages) rows(r *http.Request, page lexicon.PageOptions) (lexicon.Page[lexicon.TrendRow], error) {
	if category := r.PathValue("category"); category != "" {
		return p.desk.TrendingIn(r.Context(), category, page)
	}
	return p.desk.Trending(r.Context(), page)
}

func (p *pages) trending(w http.ResponseWriter, r *http.Request) error {
	list, err := p.rows(r, pageOf(r))
	if err != nil {
		return err
	}
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return err
	}
	category, lang := r.PathValue("category"), p.site.Lang(r)
	data := &trendingPage{Category: category, Path: trendingPath(category), Next: list.Next}
	for _, row := range list.Items {
		t, ok := book.Term(row.Slug)
		if !ok {
			continue
		}
		l := listingOf(&t)
		data.Rows = append(data.Rows, trendRow{cardOf(lang, &l), row.Category, trendingPath(row.Category), row.Score})
	}
	for _, f := range book.Facets(lexicon.ByCategory) {
		data.Categories = append(data.Categories, label{f.Value, trendingPath(f.Value), f.Terms})
	}
	title := p.trendingTitle(r)
	return p.site.Render(w, r, p.views, "trending", web.Page{
		Title: title, Description: p.site.T(r, "lexicon.trending.description"), Canonical: data.Path,
		Feeds: []web.FeedLink{{Path: data.Path + "/feed", Title: title}}, Data: data,
	})
}

func (p *pages) trendingTitle(r *http.Request) string {
	if category := r.PathValue("category"); category != "" {
		return p.site.T(r, "lexicon.trending.in", category)
	}
	return p.site.T(r, "lexicon.trending.title")
}

// trends is the feed of what is used most.
func (p *pages) trends(r *http.Request) (string, []lexicon.Term, error) {
	list, err := p.rows(r, lexicon.PageOptions{Limit: feedSize})
	if err != nil {
		return "", nil, err
	}
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return "", nil, err
	}
	return p.trendingTitle(r), termsOf(book, list.Items), nil
}
