package newswireweb

import (
	"context"
	"net/http"
	"sync"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/web"
)

// sitesPage is the operators' list of sites.
type sitesPage struct {
	Sites   []siteRow
	Next    string
	Tabs    []web.Tab
	Backlog newswire.Counts
}

type siteRow struct {
	newswire.Site
	Path string
	When string // when the schedule takes it
	Last *runRow
}

// Busy reports whether the site is being crawled.
func (s siteRow) Busy() bool { return s.Last != nil && s.Last.Status == newswire.Running }

// officeTabs lead through the operators' pages.
func (p *pages) officeTabs(r *http.Request, current string) []web.Tab {
	var tabs []web.Tab
	for _, t := range []struct{ name, path string }{{"sites", ""}, {"runs", "/runs"}, {"retries", "/retries"}, {"backlog", "/backlog"}} {
		tabs = append(tabs, web.Tab{Title: p.site.T(r, "newswire.tab."+t.name), Path: "/office/newswire" + t.path, Current: t.name == current})
	}
	return tabs
}

func (p *pages) showSites(w http.ResponseWriter, r *http.Request) error {
	found, err := p.desk.ListSites(r.Context(), "", pageOf(r))
	if err != nil {
		return err
	}
	data := sitesPage{Next: found.Next, Tabs: p.officeTabs(r, "sites")}
	last, err := p.lastRuns(r.Context(), found.Items)
	if err != nil {
		return err
	}
	for i, s := range found.Items {
		data.Sites = append(data.Sites, siteRow{Site: s, Path: officePath(s.SiteID), When: p.nextCrawl(r, &s), Last: last[i]})
	}
	if data.Backlog, err = p.desk.Counts(r.Context()); err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "sites", web.Page{Title: p.site.T(r, "newswire.office.title"), NoIndex: true, Private: true, Data: data})
}

// lastRuns returns the newest run of each site, nil for one without.
func (p *pages) lastRuns(ctx context.Context, sites []newswire.Site) ([]*runRow, error) {
	last := make([]*runRow, len(sites))
	failed := make([]error, len(sites))
	var all sync.WaitGroup
	for i, s := range sites {
		all.Go(func() {
			runs, err := p.desk.RunsOfSite(ctx, s.SiteID, newswire.PageOptions{Limit: 1})
			if failed[i] = err; err == nil && len(runs.Items) > 0 {
				last[i] = &rowsOf(runs.Items, map[string]string{s.SiteID: s.Name})[0]
			}
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return last, nil
}
