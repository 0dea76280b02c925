package opsweb

import (
	"net/http"
	"net/url"

	"pressroom/internal/ops"
	"pressroom/internal/web"
)

// auditPage is the trail of what operators did.
type auditPage struct {
	Tabs    []web.Tab
	Subject string // of which all are, if it is one
	Actions []actionRow
	Next    string
}

type actionRow struct {
	ops.Action
	When, Path string
}

func (p *pages) showAudit(w http.ResponseWriter, r *http.Request) error {
	subject := r.URL.Query().Get("subject")
	found, err := p.Scheduler.Actions(r.Context(), subject, pageOf(r))
	if err != nil {
		return err
	}
	data := auditPage{Tabs: p.tabs(r, "audit"), Subject: subject, Next: found.Next}
	now := p.Now()
	for _, a := range found.Items {
		data.Actions = append(data.Actions, actionRow{a, p.ago(r, timeOf(a.At), now), root + "/audit?" + url.Values{"subject": {a.Subject}}.Encode()})
	}
	return p.render(w, r, "audit", p.site.T(r, "ops.tab.audit"), "", data)
}
