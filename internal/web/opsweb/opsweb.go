// Package opsweb is where operators run the newsroom: a page that says whether
// something is wrong, jobs with their runs, what language models cost, storage, a
// browser of the stored data, and the trail of what operators did, all under
// /office/operations.
//
// It promises that everything is for operators alone, that whatever is wrong stands
// at the top with a link to where it is mended, that an action is on record before
// it takes effect, and that the pages renew themselves with htmx and by reloading.
//
// Start with [Register]; each page has a Go file and an HTML file of the same name.
// trouble.go decides what is wrong.
package opsweb

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/ops"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

// Options are what the pages show. Scheduler, Dashboard, Ledger and Browser are
// required.
type Options struct {
	Scheduler *ops.Scheduler
	Dashboard *ops.Dashboard
	Ledger    *ops.Ledger
	Browser   *ops.Browser
	// Desks are those that ask language models, in the order in which they are
	// shown.
	Desks []string
	// Requeue puts back what failed in a queue, by the queue's name, and tells
	// how much that was. Queues without one have no such button.
	Requeue map[string]func(ctx context.Context) (int, error)
	// Ready asks what /readyz asks; nil for nothing.
	Ready func(ctx context.Context) []Part
	// Now is the clock; time.Now by default.
	Now func() time.Time
}

// Part is one thing without which requests should go elsewhere, and what is wrong
// with it.
type Part struct {
	Name string
	Err  error
}

// pages are the handlers.
type pages struct {
	site  *web.Site
	views *web.Templates
	Options
}

const root = "/office/operations"

// Register puts the operators' pages on the site. Its errors are mistakes in the
// embedded files.
func Register(site *web.Site, o Options) error {
	views, err := site.Templates(files)
	if err != nil {
		return err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &pages{site: site, views: views, Options: o}
	site.Nav(web.NavItem{Path: root, Key: "ops.nav", Order: 5, Access: auth.Operator, Office: true})
	get := func(pattern string, h web.Handler) { site.Get(root+pattern, auth.Operator, h) }
	post := func(pattern string, h web.Handler) { site.Post(root+pattern, auth.Operator, h) }
	get("", p.showOverview)
	post("/queues/{queue}/requeue", p.requeue)
	get("/jobs/{job}", p.showJob)
	post("/jobs/{job}/{action}", p.actOnJob)
	get("/runs", p.showRuns)
	get("/models", p.showModels)
	get("/storage", p.showStorage)
	get("/data", p.showData)
	get("/data/{table}", p.showTable)
	get("/data/{table}/ask/{question}", p.showAnswer)
	get("/data/{table}/item/{entity}", p.showItem)
	get("/audit", p.showAudit)
	return nil
}

func jobPath(name string) string { return root + "/jobs/" + url.PathEscape(name) }

// who is the operator behind a request.
func who(r *http.Request) string {
	if account := auth.From(r.Context()); account != nil {
		return account.Name
	}
	return "unknown"
}

// tabs are the pages, one of which is current.
func (p *pages) tabs(r *http.Request, current string) []web.Tab {
	var tabs []web.Tab
	for _, t := range []struct{ name, path string }{
		{"overview", root}, {"runs", root + "/runs"}, {"models", root + "/models"}, {"storage", root + "/storage"}, {"data", root + "/data"}, {"audit", root + "/audit"},
	} {
		tabs = append(tabs, web.Tab{Title: p.site.T(r, "ops.tab."+t.name), Path: t.path, Current: t.name == current})
	}
	return tabs
}

// render shows a page of the office, of which htmx gets the block.
func (p *pages) render(w http.ResponseWriter, r *http.Request, name, title, block string, data any) error {
	return p.site.Render(w, r, p.views, name, web.Page{Title: title, NoIndex: true, Private: true, Block: block, Data: data})
}

// pageSize is how many entries a list shows.
const pageSize = 50

func pageOf(r *http.Request) ops.PageOptions {
	return ops.PageOptions{Limit: pageSize, Cursor: r.URL.Query().Get("cursor")}
}
