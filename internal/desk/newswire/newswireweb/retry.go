package newswireweb

import (
	"context"
	"net/http"
	"net/url"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// retriesPage is what is to be tried again.
type retriesPage struct {
	Retries []retryRow
	Next    string
	Tabs    []web.Tab
	Filters []web.Tab
	Counts  newswire.Counts
}

type retryRow struct {
	newswire.Retry
	SiteName string
	Article  string // the path of its page, if it has one
	Path     string // of what can be done with it
	Due      bool
	GivenUp  bool
}

func (p *pages) showRetries(w http.ResponseWriter, r *http.Request) error {
	kind := r.URL.Query().Get("kind")
	found, err := p.desk.RetryBacklog(r.Context(), kind, pageOf(r))
	if err != nil {
		return err
	}
	var places []newswire.Article
	for _, t := range found.Items {
		places = append(places, newswire.Article{SiteID: t.SiteID})
	}
	names, err := p.desk.SiteNames(r.Context(), places)
	if err != nil {
		return err
	}
	data := retriesPage{Next: found.Next, Tabs: p.officeTabs(r, "retries")}
	for _, t := range found.Items {
		row := retryRow{
			Retry: t, SiteName: nameOr(names, t.SiteID), GivenUp: t.State == newswire.GivenUp, Due: !timeOf(t.NextRetryAt).After(p.now()),
			Path: "/office/newswire/retries/" + url.PathEscape(t.FailureType) + "/" + url.PathEscape(t.ArticleID),
		}
		if t.FailureType == newswire.FailedSummary {
			row.Article = articlePath(t.ArticleID)
		}
		data.Retries = append(data.Retries, row)
	}
	if data.Counts, err = p.desk.Counts(r.Context()); err != nil {
		return err
	}
	data.Filters = []web.Tab{{Title: p.site.T(r, "newswire.retries.all"), Path: "/office/newswire/retries", Current: kind == ""}}
	for _, k := range []string{newswire.FailedFetch, newswire.FailedSummary} {
		data.Filters = append(data.Filters, web.Tab{Title: p.site.T(r, "newswire.kind."+k), Path: "/office/newswire/retries?kind=" + k, Current: kind == k})
	}
	return p.site.Render(w, r, p.views, "retries", web.Page{Title: p.site.T(r, "newswire.retries.title"), NoIndex: true, Private: true, Data: data})
}

func (p *pages) requeue(w http.ResponseWriter, r *http.Request) error {
	return p.changeRetry(w, r, "requeue", "newswire.requeued", p.desk.Requeue)
}

func (p *pages) drop(w http.ResponseWriter, r *http.Request) error {
	return p.changeRetry(w, r, "drop", "newswire.dropped", p.desk.Drop)
}

// changeRetry does one thing to a retry and leads back to the list. That a retry
// is gone is no error to whoever wanted to be rid of it, or to have it done.
func (p *pages) changeRetry(w http.ResponseWriter, r *http.Request, what, key string, change func(ctx context.Context, kind, article string) error) error {
	kind, id := r.PathValue("kind"), r.PathValue("id")
	if err := p.record(r, what, kind+" "+id); err != nil {
		return err
	}
	switch err := change(r.Context(), kind, id); {
	case err == nil:
		p.site.Flash(w, r, web.Good, key)
	case errs.KindOf(err) == errs.NotFound:
		p.site.Flash(w, r, web.Note, "newswire.retry.gone")
	default:
		return err
	}
	return p.site.Redirect(w, r, "/office/newswire/retries")
}
