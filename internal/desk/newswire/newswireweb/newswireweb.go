// Package newswireweb is the newswire in the browser: what readers see under
// /newswire, and where operators work under /office/newswire.
//
// It promises that readers see of an article what package rights lets them, with
// what it is (a summary and how far to trust it, or an excerpt) and its source one
// click away; that whatever sites publish is shown as text, never as markup; and
// that every page works without JavaScript: a run's page renews itself with htmx,
// and by reloading.
//
// Start with [Register]; each page has a Go file and an HTML file of the same
// name. list.go and article.go are for readers, site.go, run.go, retry.go and
// backlog.go for operators.
package newswireweb

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/front"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

// Options adjust the pages. The zero value, and nil, are usable.
type Options struct {
	// Record puts an operator's action on record before it takes effect; if it
	// fails, the action is not done. Nobody keeps a record by default.
	Record func(ctx context.Context, what, subject, why string) error
	// Now is the clock; time.Now by default.
	Now func() time.Time
}

// pages are the handlers.
type pages struct {
	site  *web.Site
	views *web.Templates
	desk  *newswire.Desk
	now   func() time.Time
	note  func(ctx context.Context, what, subject, why string) error
}

// Register puts the newswire's pages on the site: in the navigation, on the front
// page, in the sitemap and under their paths. Its errors are mistakes in the
// embedded files.
func Register(site *web.Site, desk *newswire.Desk, o *Options) error {
	views, err := site.Templates(files)
	if err != nil {
		return err
	}
	p := &pages{site: site, views: views, desk: desk, now: time.Now}
	if o != nil && o.Now != nil {
		p.now = o.Now
	}
	if o != nil {
		p.note = o.Record
	}
	p.readers()
	p.operators()
	return nil
}

func (p *pages) readers() {
	p.site.Nav(web.NavItem{Path: "/newswire", Key: "newswire.nav", Order: 20})
	p.site.Front(web.FrontSection{Desk: newswire.Schema.Name, Key: "newswire.nav", Path: "/newswire", Order: 20, Lists: p.lists})
	p.list("/newswire", p.latest)
	p.list("/newswire/sites/{site}", p.ofSite)
	p.list("/newswire/categories/{category}", p.ofCategory)
	p.list("/newswire/topics/{topic}", p.ofTopic)
	p.site.Get("/newswire/articles/{id}", auth.Everyone, p.showArticle)
	p.site.Get("/newswire/articles/{id}/pictures/{width}", auth.Everyone, p.showPicture)
	p.site.Get("/newswire/articles/{id}/versions", auth.Author, p.showVersions)
	p.site.Post("/newswire/articles/{id}/topics", auth.Moderator, p.setTopics)
}

// A look at a site takes as long as the site lets it.
const (
	previewTime  = 45 * time.Second
	previewLimit = 55 * time.Second
)

func (p *pages) operators() {
	p.site.Step(web.Step{Key: "site", Path: "/office/newswire/add", Order: 30, Done: func(ctx context.Context) (bool, error) {
		page, err := p.desk.ListSites(ctx, "", newswire.PageOptions{Limit: 1})
		return len(page.Items) > 0, err
	}})
	p.site.Nav(web.NavItem{Path: "/office/newswire", Key: "newswire.office.nav", Order: 20, Access: auth.Operator, Office: true})
	get := func(pattern string, h web.Handler) { p.site.Get("/office/newswire"+pattern, auth.Operator, h) }
	post := func(pattern string, h web.Handler) {
		p.site.Route(front.Route{Pattern: "POST /office/newswire" + pattern, Access: auth.Operator, Timeout: previewLimit}, h)
	}
	get("", p.showSites)
	get("/add", p.showAdd)
	post("/add", p.addSite)
	get("/sites/{site}", p.showEdit)
	post("/sites/{site}", p.editSite)
	post("/sites/{site}/pause", p.pauseSite)
	post("/sites/{site}/delete", p.deleteSite)
	post("/sites/{site}/crawl", p.crawlSite)
	get("/runs", p.showRuns)
	get("/runs/{run}", p.showRun)
	get("/runs/{run}/log", p.downloadLog)
	get("/retries", p.showRetries)
	post("/retries/{kind}/{id}/requeue", p.requeue)
	post("/retries/{kind}/{id}/drop", p.drop)
	get("/backlog", p.showBacklog)
	post("/backlog/{id}/requeue", p.requeueArticle)
}

func articlePath(id string) string    { return "/newswire/articles/" + url.PathEscape(id) }
func sitePath(id string) string       { return "/newswire/sites/" + url.PathEscape(id) }
func topicPath(topic string) string   { return "/newswire/topics/" + url.PathEscape(topic) }
func categoryPath(name string) string { return "/newswire/categories/" + url.PathEscape(name) }
func officePath(id string) string     { return "/office/newswire/sites/" + url.PathEscape(id) }
func runPath(id string) string        { return "/office/newswire/runs/" + url.PathEscape(id) }

// record puts what an operator is about to do on record.
func (p *pages) record(r *http.Request, what, subject string) error {
	if p.note == nil {
		return nil
	}
	return p.note(r.Context(), what, subject, "")
}

// pageSize is how many entries a list shows.
const pageSize = 20

func pageOf(r *http.Request) newswire.PageOptions {
	return newswire.PageOptions{Limit: pageSize, Cursor: r.URL.Query().Get("cursor")}
}

// timeOf reads a time as the desk keeps it; zero if there is none.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
