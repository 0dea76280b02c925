package minutesweb

import (
	"net/http"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/web"
	"pressroom/internal/web/feed"
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
	page, err := p.desk.Articles(r.Context(), f, minutes.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	self := r.URL.EscapedPath()
	own := r.URL.Query()
	own.Del("cursor")
	own.Del("lang")
	if len(own) > 0 {
		self += "?" + own.Encode()
	}
	out := feed.Feed{
		Title: p.title(r, &f), Description: p.site.T(r, "minutes.description"), Lang: p.site.Lang(r),
		Home: p.site.Absolute(r, address(&f)), Self: p.site.Absolute(r, self),
	}
	if page.Next != "" {
		own.Set("cursor", page.Next)
		out.Next = p.site.Absolute(r, r.URL.EscapedPath()+"?"+own.Encode())
	}
	ids := make([]string, len(page.Items))
	for i, l := range page.Items {
		ids[i] = l.ID
	}
	articles, err := p.desk.GetArticles(r.Context(), ids)
	if err != nil {
		return err
	}
	for _, a := range articles {
		link := p.site.Absolute(r, articlePath(a.ID))
		out.Items = append(out.Items, feed.Item{
			URL: link, Title: a.Title, Summary: a.Description, Author: a.House + " " + a.Meeting,
			Published: moment(a.PublishedAt), Updated: moment(a.UpdatedAt),
			Tags: append(append([]string{}, a.Categories...), a.Keywords...), Lang: langOf(a.Title),
		})
	}
	return feed.Serve(w, r, out)
}
