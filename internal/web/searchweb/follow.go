package searchweb

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"pressroom/internal/search"
	"pressroom/internal/web"
)

// follow is a search as a feed: the newest first, whatever the page is sorted by.
func (p *pages) follow(w http.ResponseWriter, r *http.Request) error {
	a := read(r)
	a.Sort = string(search.Newest)
	lang := p.site.Lang(r)
	results, err := p.search(r.Context(), a, lang, r.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	a.Sort = ""
	title := p.site.T(r, "search.title")
	if a.Text != "" {
		title = p.site.T(r, "search.title.for", a.Text)
	}
	own, err := url.ParseQuery(a.address("", ""))
	if err != nil {
		return err
	}
	f := web.StoryFeed{Title: title, Description: p.site.T(r, "search.description"), Home: a.path("", ""), Query: own, Next: results.Next}
	for i := range results.Hits {
		f.Stories = append(f.Stories, results.Hits[i].Story)
	}
	return p.site.ServeFeed(w, r, f)
}

// Suggestions while one types: from so many letters on, so many.
const (
	suggestions = 8
	leastTyped  = 1
)

// suggestion is a title that begins so.
type suggestion struct {
	Title, Path, Desk string
}

// suggest completes what is typed, as a part of a page.
func (p *pages) suggest(w http.ResponseWriter, r *http.Request) error {
	typed := strings.TrimSpace(r.URL.Query().Get("q"))
	var list []suggestion
	if n := utf8.RuneCountInString(typed); n >= leastTyped && n <= search.MaxText {
		all, err := p.service.Suggest(r.Context(), typed, search.Public, suggestions)
		if err != nil {
			return err
		}
		names := map[string]string{}
		for _, d := range p.site.Desks(p.site.Lang(r)) {
			names[d.Name] = d.Title
		}
		for _, s := range all {
			list = append(list, suggestion{s.Title, s.URL, names[s.Desk]})
		}
	}
	return p.site.Render(w, r, p.views, "suggest", web.Page{
		Title: p.site.T(r, "search.suggest.title"), NoIndex: true, Block: "suggestions", Data: list,
	})
}
