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
	"bytes"
	"context"
	"embed"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
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
	p.site.Front(web.FrontSection{Desk: minutes.Schema.Name, Key: "minutes.nav", Path: "/minutes", Order: 10, Lists: p.lists})

	get := func(pattern string, h web.Handler) { p.site.Get(pattern, auth.Everyone, h) }
	p.listPages("/minutes", get)
	p.listPages("/assemblies/{assembly}", get)
	p.assemblies(get)
	get("/minutes/articles/{id}", p.site.Kept(p.showArticle))
	get("/minutes/articles/{id}/speeches/{order}", p.showSpeech)
	get(minutes.AssetPath+"/{key...}", p.showAsset)
}

// listPages are the pages that the Diet and every other assembly have.
func (p *pages) listPages(base string, get func(pattern string, h web.Handler)) {
	get(base, p.site.Kept(p.showLatest))
	get(base+"/feed.atom", p.feedLatest)
	get(base+"/feed.json", p.feedLatest)
	for _, f := range filters {
		if f.folder == "" {
			continue
		}
		path := base + "/" + f.folder + "/{value}"
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
	get(base+"/people", p.showIndex(minutes.ByPerson))
	get(base+"/issues", p.showIndex(minutes.ByIssue))
}

// showAsset answers with the JSON of a published article's asset, as programs of any
// site read it.
func (p *pages) showAsset(w http.ResponseWriter, r *http.Request) error {
	key := r.PathValue("key")
	asset, err := p.desk.Asset(r.Context(), key)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Access-Control-Allow-Origin", "*")
	// The key changes with the content, but an article may go.
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", strconv.Quote(key))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(asset))
	return nil
}

func (p *pages) operators() {
	p.site.Step(web.Step{Key: "assembly", Path: "/office/assemblies", Order: 40, Done: p.collects})
	p.site.Nav(web.NavItem{Path: "/office/minutes", Key: "minutes.office.nav", Order: 10, Access: auth.Operator, Office: true})
	route := func(pattern string, h web.Handler) {
		p.site.Route(front.Route{Pattern: pattern, Access: auth.Operator, Desk: "minutes"}, h)
	}
	route("GET /office/minutes", p.showQueue)
	route("GET /office/minutes/tasks/{id}", p.showTask)
	route("POST /office/minutes/tasks/{id}", p.decideTask)
	route("GET /office/minutes/shares", p.showShares)
	p.site.Nav(web.NavItem{Path: "/office/assemblies", Key: "assemblies.title", Order: 11, Access: auth.Operator, Office: true})
	route("GET /office/assemblies", p.showDeclared)
	route("POST /office/assemblies", p.declare)
}

// collects tells whether an assembly was added, or meetings of the Diet are there.
func (p *pages) collects(ctx context.Context) (bool, error) {
	for _, err := range p.desk.Kept(ctx) {
		return err == nil, err
	}
	months, err := p.desk.Months(ctx, 1)
	return len(months) > 0, err
}

// lists are the pages of what the articles are about: people and bills of the latest.
func (p *pages) lists(ctx context.Context, yield func(string) bool) error {
	codes := []string{""}
	for kept, err := range p.desk.Kept(ctx) {
		if err != nil {
			return err
		}
		if base := home(kept.Code); !yield(base) || !yield(base+"/calendar") || !yield(base+"/members") || !yield(base+"/votes") {
			return nil
		}
		codes = append(codes, kept.Code)
	}
	if len(codes) > 1 && !yield("/assemblies") {
		return nil
	}
	for _, code := range codes {
		beside, err := p.besides(ctx, code)
		if err != nil {
			return err
		}
		for _, f := range filters {
			for _, facet := range beside.facets[f.kind] {
				if f.folder != "" && !yield(f.path(code, facet.Value)) {
					return nil
				}
			}
		}
	}
	return nil
}

func articlePath(id string) string { return "/minutes/articles/" + url.PathEscape(id) }

func taskPath(id string) string { return "/office/minutes/tasks/" + url.PathEscape(id) }

// day is a date without a time. Noon keeps it the same day in all zones where
// papers are read.
func day(date string) time.Time {
	date, _, _ = strings.Cut(date, "T") // other programs write times
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}
	}
	return t.Add(12 * time.Hour)
}

// story is an article as lists show it.
func (p *pages) story(r *http.Request, l minutes.Light) web.Story {
	if l.Title == "" { // another program's
		l.Title = strings.TrimSpace(l.Meeting + " " + l.ID)
	}
	return web.Story{
		Title: l.Title, Path: articlePath(l.ID), Kicker: l.House + " " + l.Meeting, Summary: l.Description, Date: day(l.Date),
		Source: p.site.T(r, "minutes.source"), Lang: langOf(l.Title + l.Description),
	}
}
