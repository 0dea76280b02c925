package newswireweb

import (
	"html"
	"net/http"
	"net/url"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/rights"
	"pressroom/internal/web/feed"
)

// serveFeed answers with a list of articles: each with what readers may see of it
// and its source.
func (p *pages) serveFeed(w http.ResponseWriter, r *http.Request, from source) error {
	found, err := from.find(r.Context(), pageOf(r))
	if err != nil {
		return err
	}
	shown, err := p.desk.Show(r.Context(), found.Items, rights.Readers)
	if err != nil {
		return err
	}
	f := feed.Feed{
		Title: from.Title, Description: p.site.T(r, "newswire.description"), Lang: p.site.Lang(r),
		Home: p.site.Absolute(r, from.Path), Self: p.site.Absolute(r, r.URL.EscapedPath()),
	}
	if found.Next != "" {
		f.Next = f.Self + "?" + url.Values{"cursor": {found.Next}}.Encode()
	}
	for i := range shown {
		f.Items = append(f.Items, p.feedItem(r, &shown[i]))
	}
	return feed.Serve(w, r, f)
}

func (p *pages) feedItem(r *http.Request, shown *newswire.Shown) feed.Item {
	a, site := &shown.Article, orElse(shown.SiteName, shown.Article.SiteID)
	item := feed.Item{
		URL: p.site.Absolute(r, articlePath(a.ArticleID)), Title: a.Title, Summary: shown.Lead(), Author: site,
		Published: timeOf(a.PublishedAt), Updated: timeOf(a.UpdatedAt), Tags: a.Topics, Lang: languageOf(a.Title + shown.Lead()), External: a.URL,
	}
	item.ID = item.URL
	note := p.site.T(r, "newswire.excerpt.note")
	if !shown.Decision.May(rights.Summarise) {
		note = p.site.T(r, "newswire.excerpt.only")
	}
	if shown.Summary != nil {
		note = newswire.Disclaimer(shown.Summary.Disclaimer, p.site.Lang(r))
	}
	if item.Summary != "" {
		item.HTML = string(paragraphs(item.Summary)) + "<p><em>" + html.EscapeString(note) + "</em></p>"
	}
	item.HTML += `<p><a href="` + html.EscapeString(a.URL) + `">` + html.EscapeString(p.site.T(r, "newswire.source", site)) + "</a></p>"
	return item
}
