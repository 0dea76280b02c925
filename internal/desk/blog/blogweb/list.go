package blogweb

import (
	"context"
	"net/http"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/web"
)

// listPage is a list of posts, whole or filtered.
type listPage struct {
	Kind    string // latest, tag, month or series
	Name    string // of the tag, the month or the series, as shown
	Feed    string // path without the ending
	Stories []web.Story
	Next    string
	Tags    []tagLink
	Months  []monthLink
	About   blog.About
}

type tagLink struct {
	Name, Path string
	Count      int
}

type monthLink struct {
	Name, Path string
	Count      int
}

// source is one of the lists of posts.
type source func(context.Context, blog.PageOptions) (blog.Page[blog.Card], error)

func (p *pages) byTag(tag string) source {
	return func(ctx context.Context, o blog.PageOptions) (blog.Page[blog.Card], error) {
		return p.public.ByTag(ctx, tag, o)
	}
}

func (p *pages) byMonth(month string) source {
	return func(ctx context.Context, o blog.PageOptions) (blog.Page[blog.Card], error) {
		return p.public.ByMonth(ctx, month, o)
	}
}

func (p *pages) showLatest(w http.ResponseWriter, r *http.Request) error {
	return p.showList(w, r, listPage{Kind: "latest", Feed: "/blog/feed"}, p.site.T(r, "blog.title"), p.public.Latest)
}

func (p *pages) showTag(w http.ResponseWriter, r *http.Request) error {
	tag := r.PathValue("tag")
	list := listPage{Kind: "tag", Name: tag, Feed: tagPath(tag) + "/feed"}
	return p.showList(w, r, list, p.site.T(r, "blog.tag.title", tag), p.byTag(tag))
}

func (p *pages) showMonth(w http.ResponseWriter, r *http.Request) error {
	month := r.PathValue("month")
	name := monthName(p.site.Lang(r), month)
	list := listPage{Kind: "month", Name: name, Feed: monthPath(month) + "/feed"}
	return p.showList(w, r, list, p.site.T(r, "blog.month.title", name), p.byMonth(month))
}

func (p *pages) showSeries(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("series")
	list := listPage{Kind: "series", Name: name, Feed: seriesPath(name) + "/feed"}
	return p.showList(w, r, list, p.site.T(r, "blog.series.title", name), func(ctx context.Context, o blog.PageOptions) (blog.Page[blog.Card], error) {
		return p.public.Series(ctx, name, o)
	})
}

func (p *pages) showList(w http.ResponseWriter, r *http.Request, list listPage, title string, from source) error {
	page, err := from(r.Context(), blog.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	list.Next = page.Next
	if list.Stories, err = p.site.Cards(r, blog.Schema.Name, idsOf(page.Items)); err != nil {
		return err
	}
	if err := p.besides(r, &list); err != nil {
		return err
	}
	allowPictures(w)
	return p.site.Render(w, r, p.views, "list", web.Page{
		Title: title, Description: p.site.T(r, "blog.description"), Block: "posts",
		Feeds:   []web.FeedLink{{Path: list.Feed, Title: title}},
		NoIndex: len(list.Stories) == 0 && list.Kind != "latest", Image: web.FirstImage(list.Stories), Data: list,
	})
}

func idsOf(cards []blog.Card) []string {
	ids := make([]string, len(cards))
	for i := range cards {
		ids[i] = cards[i].ID
	}
	return ids
}

// asideCounts is how many tags and months stand beside a list.
const asideCounts = 30

// besides fills in what stands beside every list.
func (p *pages) besides(r *http.Request, list *listPage) error {
	tags, err := p.public.Tags(r.Context(), blog.PageOptions{Limit: asideCounts})
	if err != nil {
		return err
	}
	for _, c := range tags.Items {
		list.Tags = append(list.Tags, tagLink{c.Name, tagPath(c.Name), c.Count})
	}
	months, err := p.public.Months(r.Context(), blog.PageOptions{Limit: 12})
	if err != nil {
		return err
	}
	lang := p.site.Lang(r)
	for _, c := range months.Items {
		list.Months = append(list.Months, monthLink{monthName(lang, c.Name), monthPath(c.Name), c.Count})
	}
	list.About = p.public.About()
	return nil
}

// monthName writes a month as readers do; what is none stays as it is.
func monthName(lang, month string) string {
	t, err := time.Parse("2006-01", month)
	switch {
	case err != nil:
		return month
	case lang == "ja":
		return t.Format("2006年1月")
	}
	return t.Format("January 2006")
}
