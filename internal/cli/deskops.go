package cli

import (
	"context"

	"pressroom/internal/api/opsapi"
	"pressroom/internal/ops"
	"pressroom/internal/web"
	"pressroom/internal/web/opsweb"
)

// watch lets the dashboard tell a desk's numbers, and operators put back what
// failed in its queues; requeue is by the queues' names, and may be nil.
func (o *operations) watch(name string, source ops.Source, requeue map[string]func(context.Context) (int, error)) {
	o.dashboard.Add(ops.NamedSource{Name: name, Source: source})
	for queue, again := range requeue {
		o.requeue[queue] = again
	}
}

// mountOperations puts the operators' pages and their JSON behind the door. It comes
// after the desks, which have said by then what there is to watch.
func mountOperations(_ context.Context, w *wiring) error {
	opsapi.Register(w.api, w.ops.scheduler, w.ops.ledger)
	browser := ops.NewBrowser(w.tables, ops.BrowserOptions{CursorKey: w.ops.cursorKey}, w.ops.schemas...)
	return opsweb.Register(w.pages, opsweb.Options{
		Scheduler: w.ops.scheduler, Dashboard: w.ops.dashboard, Ledger: w.ops.ledger, Browser: browser,
		Desks: deskNames(asksModels), Requeue: w.ops.requeue, Ready: w.store.parts,
	})
}

// copying is the subject of backups on the operators' trail.
const copying = "store"

// mountSteps adds what the first operator does outside of the pages.
func mountSteps(_ context.Context, w *wiring) error {
	w.pages.Step(web.Step{Key: "model", Path: "/office/operations/models", Order: 60, Optional: true, Done: func(context.Context) (bool, error) {
		return w.set.LLM != "builtin", nil
	}})
	w.pages.Step(web.Step{Key: "mail", Order: 70, Optional: true, Done: func(context.Context) (bool, error) {
		return w.set.mailServer() != nil, nil
	}})
	if w.store.remote() { // which keeps what it had by itself
		return nil
	}
	w.pages.Step(web.Step{Key: "backup", Path: "/office/operations/storage", Order: 80, Done: func(ctx context.Context) (bool, error) {
		page, err := w.ops.scheduler.Actions(ctx, copying, ops.PageOptions{Limit: 1})
		return len(page.Items) > 0, err
	}})
	told := func() {
		if err := w.ops.scheduler.Record(context.Background(), ops.Action{Who: "command line", What: "backup", Subject: copying}); err != nil {
			w.log.Error("a backup is not on the trail", "error", err)
		}
	}
	w.store.backedUp.Store(&told)
	return nil
}

// parts asks what /readyz asks.
func (s *store) parts(ctx context.Context) []opsweb.Part {
	parts := make([]opsweb.Part, len(s.checks))
	for i, c := range s.checks {
		parts[i] = opsweb.Part{Name: c.name, Err: c.run(ctx)}
	}
	return parts
}
