package blogweb

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/web/feed"
)

func (p *pages) feedLatest(w http.ResponseWriter, r *http.Request) error {
	return p.serveFeed(w, r, "/blog", p.site.T(r, "blog.title"), p.public.Latest)
}

func (p *pages) feedTag(w http.ResponseWriter, r *http.Request) error {
	tag := r.PathValue("tag")
	return p.serveFeed(w, r, tagPath(tag), p.site.T(r, "blog.tag.title", tag), p.byTag(tag))
}

func (p *pages) feedMonth(w http.ResponseWriter, r *http.Request) error {
	month := r.PathValue("month")
	title := p.site.T(r, "blog.month.title", monthName(p.site.Lang(r), month))
	return p.serveFeed(w, r, monthPath(month), title, p.byMonth(month))
}

// serveFeed answers with a list of whole posts.
func (p *pages) serveFeed(w http.ResponseWriter, r *http.Request, home, title string, from source) error {
	page, err := from(r.Context(), blog.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	f := feed.Feed{
		Title: title, Description: p.site.T(r, "blog.description"), Lang: p.site.Lang(r),
		Home: p.site.Absolute(r, home), Self: p.site.Absolute(r, r.URL.EscapedPath()),
	}
	if page.Next != "" {
		f.Next = f.Self + "?" + url.Values{"cursor": {page.Next}}.Encode()
	}
	for _, card := range page.Items {
		a, err := p.public.Post(r.Context(), card.ID)
		if errors.Is(err, errs.NotFound) {
			continue // unpublished in between
		}
		if err != nil {
			return err
		}
		f.Items = append(f.Items, p.feedItem(r, a))
	}
	return feed.Serve(w, r, f)
}

func (p *pages) feedItem(r *http.Request, a *blog.Article) feed.Item {
	item := feed.Item{
		URL: p.site.Absolute(r, postPath(a.ID)), Title: a.Title, Summary: a.Summary, Author: a.Author,
		Published: a.PublishedAt, Updated: a.UpdatedAt, Tags: a.Tags, HTML: p.absolute(r, string(body(a))),
	}
	if a.Image != "" {
		item.Image = p.site.Absolute(r, a.Image)
	}
	return item
}

// mediaPath begins the addresses of our own pictures.
const mediaPath = "/blog/media/"

// absolute makes the pictures of a post load wherever the feed is read. Only
// attributes hold a bare quotation mark.
func (p *pages) absolute(r *http.Request, html string) string {
	root := p.site.Absolute(r, mediaPath)
	return strings.NewReplacer(`="`+mediaPath, `="`+root, "w, "+mediaPath, "w, "+root).Replace(html)
}
