// Package minutesweb is the minutes desk in the browser: what readers see under
// /minutes, and where operators look after the queue under /office/minutes.
//
// It promises that every page works without JavaScript; that readers see only what
// stood up to the record, and the words of the record beside it; and that texts from
// the record, and from a model, are shown as text.
//
// Start with [Register]; filter.go says how lists are addressed, article.go how an
// article is put together, passage.go how its citations find their words. Each page
// has an HTML file of the name that its handler renders.
package minutesweb

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/kept"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

// Options adjust the pages. The zero value, and nil, are usable.
type Options struct {
	// Record puts on record that an operator is about to do something to a task; if
	// it fails, nothing is done. Nil keeps no record.
	Record func(ctx context.Context, what, issueID, why string) error
}

// pages are the desk's pages.
type pages struct {
	site   *web.Site
	views  *web.Templates
	desk   *minutes.Desk
	record func(ctx context.Context, what, issueID, why string) error
	aside  *kept.Store[beside]
}

// Register puts the desk's pages on the site: in the navigation, on the front page,
// in the sitemap and under their paths. Its errors are mistakes in the embedded
// files.
func Register(site *web.Site, desk *minutes.Desk, o *Options) error {
	p := &pages{site: site, desk: desk, aside: kept.New[beside](site.Keeping(asideFor)), record: func(context.Context, string, string, string) error { return nil }}
	if o != nil && o.Record != nil {
		p.record = o.Record
	}
	var err error
	if p.views, err = site.Templates(files); err != nil {
		return err
	}
	p.readers()
	p.operators()
	return nil
}

func (p *pages) readers() {
	p.site.Nav(web.NavItem{Path: "/minutes", Key: "minutes.nav", Order: 10})
	p.site.Front(web.FrontSection{Desk: minutes.Schema.Name, Key: "minutes.nav", Path: "/minutes", Order: 10, Load: p.front, Find: p.find})
	p.site.Sitemap(web.Sitemap{Desk: "minutes", Parts: p.sitemapParts, Pages: p.sitemapPages})

	get := func(pattern string, h web.Handler) { p.site.Get(pattern, auth.Everyone, h) }
	get("/minutes", p.site.Kept(p.showLatest))
	get("/minutes/feed.atom", p.feedLatest)
	get("/minutes/feed.json", p.feedLatest)
	for _, f := range filters {
		if f.folder == "" {
			continue
		}
		path := "/minutes/" + f.folder + "/{value}"
		show := p.showFiltered(f)
		switch f.name {
		case "person":
			show = p.showPerson
		case "issue":
			show = p.showIssue
		}
		get(path, show)
		get(path+"/feed.atom", p.feedFiltered(f))
		get(path+"/feed.json", p.feedFiltered(f))
	}
	get("/minutes/people", p.showIndex(minutes.ByPerson))
	get("/minutes/issues", p.showIndex(minutes.ByIssue))
	get("/minutes/articles/{id}", p.site.Kept(p.showArticle))
	get("/minutes/articles/{id}/speeches/{order}", p.showSpeech)
}

func (p *pages) operators() {
	p.site.Nav(web.NavItem{Path: "/office/minutes", Key: "minutes.office.nav", Order: 10, Access: auth.Operator, Office: true})
	route := func(pattern string, h web.Handler) {
		p.site.Route(front.Route{Pattern: pattern, Access: auth.Operator, Desk: "minutes"}, h)
	}
	route("GET /office/minutes", p.showQueue)
	route("GET /office/minutes/tasks/{id}", p.showTask)
	route("POST /office/minutes/tasks/{id}", p.decideTask)
}

// in is a request of nobody in a language, for words outside of requests.
func in(lang string) *http.Request {
	return &http.Request{URL: &url.URL{RawQuery: url.Values{"lang": {lang}}.Encode()}}
}

// front is the desk's part of the front page's stream.
func (p *pages) front(ctx context.Context, lang, cursor string, limit int) ([]web.Story, string, error) {
	r := in(lang)
	page, err := p.desk.Articles(ctx, minutes.Filter{}, minutes.PageOptions{Limit: limit, Cursor: cursor})
	stories := make([]web.Story, len(page.Items))
	for i, l := range page.Items {
		stories[i] = p.story(r, l)
	}
	return stories, page.Next, err
}

// find is the articles that search found.
func (p *pages) find(ctx context.Context, lang string, ids []string) (map[string]web.Story, error) {
	articles, err := p.desk.GetArticles(ctx, ids)
	stories := map[string]web.Story{}
	for _, a := range articles {
		stories[a.ID] = p.story(in(lang), a.Light())
	}
	return stories, err
}

// listsPart is the part of the sitemap that is not a month: what the articles are
// about.
const listsPart = "lists"

// maxMonths is for how far back the sitemap goes: to the first of all minutes.
const maxMonths = 12 * 100

// sitemapParts are the months with articles, and the lists.
func (p *pages) sitemapParts(ctx context.Context, yield func(string) bool) error {
	months, err := p.desk.Months(ctx, maxMonths)
	if err != nil || !yield(listsPart) {
		return err
	}
	for _, month := range months {
		if !yield(month) {
			return nil
		}
	}
	return nil
}

// sitemapPages lists the articles of a month, or the people and bills of the latest.
func (p *pages) sitemapPages(ctx context.Context, part string, yield func(string, time.Time) bool) error {
	if part == listsPart {
		return p.mapLists(ctx, yield)
	}
	if _, err := time.Parse("2006-01", part); err != nil {
		return errs.New(errs.NotFound, "There is no such month.")
	}
	for a, err := range p.desk.OfMonth(ctx, part) {
		if err != nil {
			return err
		}
		if !yield(articlePath(a.ID), moment(a.UpdatedAt)) {
			return nil
		}
	}
	return nil
}

func (p *pages) mapLists(ctx context.Context, yield func(string, time.Time) bool) error {
	beside, err := p.besides(ctx)
	if err != nil {
		return err
	}
	for _, f := range filters {
		for _, facet := range beside.facets[f.kind] {
			if f.folder != "" && !yield(f.path(facet.Value), time.Time{}) {
				return nil
			}
		}
	}
	return nil
}

func articlePath(id string) string { return "/minutes/articles/" + url.PathEscape(id) }

func taskPath(id string) string { return "/office/minutes/tasks/" + url.PathEscape(id) }

// moment reads a time that the desk keeps as text; zero if it is none.
func moment(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// day is a date without a time. Noon keeps it the same day in all zones where
// papers are read.
func day(date string) time.Time {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}
	}
	return t.Add(12 * time.Hour)
}

// story is an article as lists show it.
func (p *pages) story(r *http.Request, l minutes.Light) web.Story {
	return web.Story{
		Title: l.Title, Path: articlePath(l.ID), Kicker: l.House + " " + l.Meeting, Summary: l.Description, Date: day(l.Date),
		Source: p.site.T(r, "minutes.source"), Lang: langOf(l.Title + l.Description),
	}
}
