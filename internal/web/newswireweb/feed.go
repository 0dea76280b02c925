package newswireweb

import (
	"html"
	"net/http"
	"net/url"

	"pressroom/internal/newswire"
	"pressroom/internal/web/feed"
)

// serveFeed answers with a list of articles: each with its summary and its
// source, not with the text that others wrote.
func (p *pages) serveFeed(w http.ResponseWriter, r *http.Request, from source) error {
	found, err := from.find(r.Context(), pageOf(r))
	if err != nil {
		return err
	}
	summaries, err := p.desk.PresentSummaries(r.Context(), found.Items)
	if err != nil {
		return err
	}
	names, err := p.desk.SiteNames(r.Context(), found.Items)
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
	for i := range found.Items {
		a := &found.Items[i]
		summary := summaries[a.ArticleID]
		f.Items = append(f.Items, p.feedItem(r, a, &summary, nameOr(names, a.SiteID)))
	}
	return feed.Serve(w, r, f)
}

func (p *pages) feedItem(r *http.Request, a *newswire.Article, s *newswire.Summary, site string) feed.Item {
	item := feed.Item{
		URL: p.site.Absolute(r, articlePath(a.ArticleID)), Title: a.Title, Summary: s.SummaryText, Author: site,
		Published: timeOf(a.PublishedAt), Updated: timeOf(a.UpdatedAt), Tags: a.Topics, Lang: languageOf(a.Title + s.SummaryText), External: a.URL,
	}
	item.ID = item.URL
	if item.Summary == "" {
		item.Summary = shorten(a.BodyPlain, 240)
	} else {
		note := newswire.Disclaimer(s.Disclaimer, p.site.Lang(r))
		item.HTML = string(paragraphs(s.SummaryText)) + "<p><em>" + html.EscapeString(note) + "</em></p>" +
			`<p><a href="` + html.EscapeString(a.URL) + `">` + html.EscapeString(p.site.T(r, "newswire.source", site)) + "</a></p>"
	}
	return item
}
