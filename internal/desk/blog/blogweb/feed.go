package blogweb

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/web"
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

// feedSeries has the last part first, as readers of feeds expect.
func (p *pages) feedSeries(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("series")
	return p.serveFeed(w, r, seriesPath(name), p.site.T(r, "blog.series.title", name), func(ctx context.Context, o blog.PageOptions) (blog.Page[blog.Card], error) {
		return p.public.SeriesLatest(ctx, name, o)
	})
}

// serveFeed answers with a list of whole posts.
func (p *pages) serveFeed(w http.ResponseWriter, r *http.Request, home, title string, from source) error {
	page, err := from(r.Context(), blog.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	f := web.StoryFeed{Title: title, Description: p.site.T(r, "blog.description"), Home: home, Next: page.Next}
	if f.Stories, err = p.site.Stories(r.Context(), blog.Schema.Name, idsOf(page.Items)); err != nil {
		return err
	}
	f.HTML = func(st *story.Story) (string, error) {
		a, err := p.public.Post(r.Context(), st.ID)
		if errors.Is(err, errs.NotFound) {
			return "", nil // unpublished in between
		}
		if err != nil {
			return "", err
		}
		return p.absolute(r, string(body(a))), nil
	}
	return p.site.ServeFeed(w, r, f)
}

// mediaPath begins the addresses of our own pictures.
const mediaPath = "/blog/media/"

// absolute makes the pictures of a post load wherever the feed is read. Only
// attributes hold a bare quotation mark.
func (p *pages) absolute(r *http.Request, html string) string {
	root := p.site.Absolute(r, mediaPath)
	return strings.NewReplacer(`="`+mediaPath, `="`+root, "w, "+mediaPath, "w, "+root).Replace(html)
}
