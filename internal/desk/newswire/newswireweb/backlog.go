package newswireweb

import (
	"net/http"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// backlogPage is the articles in a state.
type backlogPage struct {
	Status   string
	Articles []backlogRow
	Next     string
	Tabs     []web.Tab
	Filters  []web.Tab
	Counts   newswire.Counts
}

type backlogRow struct {
	newswire.Article
	SiteName, Path string
}

func (p *pages) showBacklog(w http.ResponseWriter, r *http.Request) error {
	status := r.URL.Query().Get("status")
	if status == "" {
		status = newswire.Pending
	}
	found, err := p.desk.Backlog(r.Context(), status, pageOf(r))
	if err != nil {
		return err
	}
	names, err := p.desk.SiteNames(r.Context(), found.Items)
	if err != nil {
		return err
	}
	data := backlogPage{Status: status, Next: found.Next, Tabs: p.officeTabs(r, "backlog")}
	for _, a := range found.Items {
		data.Articles = append(data.Articles, backlogRow{a, nameOr(names, a.SiteID), articlePath(a.ArticleID)})
	}
	if data.Counts, err = p.desk.Counts(r.Context()); err != nil {
		return err
	}
	for _, s := range []string{newswire.Pending, newswire.SummaryFailed, newswire.Summarized} {
		data.Filters = append(data.Filters, web.Tab{Title: p.site.T(r, "newswire.status."+s), Path: "/office/newswire/backlog?status=" + s, Current: s == status})
	}
	return p.site.Render(w, r, p.views, "backlog", web.Page{Title: p.site.T(r, "newswire.backlog.title"), NoIndex: true, Private: true, Data: data})
}

// requeueArticle lets an article be summarised again.
func (p *pages) requeueArticle(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if err := p.record(r, "requeue", newswire.FailedSummary+" "+id); err != nil {
		return err
	}
	switch err := p.desk.Requeue(r.Context(), newswire.FailedSummary, id); {
	case err == nil:
		p.site.Flash(w, r, web.Good, "newswire.requeued")
	case errs.KindOf(err) == errs.Conflict:
		p.site.Flash(w, r, web.Warn, "newswire.nosummary")
	default:
		return err
	}
	return p.site.Redirect(w, r, "/office/newswire/backlog?status="+newswire.SummaryFailed)
}
