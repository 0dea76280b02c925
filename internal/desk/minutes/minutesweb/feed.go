package minutesweb

import (
	"net/http"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/web"
)

func (p *pages) feedLatest(w http.ResponseWriter, r *http.Request) error {
	return p.serveFeed(w, r, filterOf(r))
}

func (p *pages) feedFiltered(one filter) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f := filterOf(r)
		*one.field(&f) = r.PathValue("value")
		return p.serveFeed(w, r, f)
	}
}

// serveFeed answers with a list of articles.
func (p *pages) serveFeed(w http.ResponseWriter, r *http.Request, f minutes.Filter) error {
	at, err := p.place(r, f.Assembly)
	if err != nil {
		return err
	}
	page, err := p.desk.Articles(r.Context(), f, minutes.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	own := r.URL.Query()
	own.Del("cursor")
	own.Del("lang")
	out := web.StoryFeed{Title: p.title(r, at, &f), Description: at.About, Home: address(&f), Query: own, Next: page.Next}
	if out.Stories, err = p.site.Stories(r.Context(), minutes.Schema.Name, idsOf(page.Items)); err != nil {
		return err
	}
	return p.site.ServeFeed(w, r, out)
}
