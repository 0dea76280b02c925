package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"pressroom/internal/api/rightsapi"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/outbound"
	"pressroom/internal/rights/erase"
	"pressroom/internal/rights/request"
	"pressroom/internal/web/rightsweb"
	"pressroom/model"
)

// mountRequests takes what people and sites ask for about themselves, and tells
// operators before the time for an answer ends.
func mountRequests(_ context.Context, w *wiring) error {
	key, err := w.set.key("rights")
	if err != nil {
		return err
	}
	client, err := outbound.New(&outbound.Options{Timeout: 20 * time.Second, MaxBody: 64 << 10})
	if err != nil {
		return err
	}
	write, err := w.set.write()
	if err != nil {
		return err
	}
	requests, err := request.From(w.tables, request.Options{
		Table: w.set.names().table(request.Schema), Key: key, Erasures: w.erasures, Mail: write, Address: w.set.address(), Log: w.log,
		Fetch: fetchFile(client), Lookup: net.DefaultResolver.LookupTXT,
	})
	if err != nil {
		return err
	}
	rightsapi.Register(w.api, requests, w.erasures, w.onRecord)
	w.ops.dashboard.Add(ops.NamedSource{Name: "rights", Source: requestSource(requests), Fresh: time.Minute})
	return rightsweb.Register(w.pages, rightsweb.Options{Requests: requests, Erasures: w.erasures, Record: w.onRecord})
}

// fetchFile reads a small file of somebody's site.
func fetchFile(client *outbound.Client) func(context.Context, string) (string, error) {
	return func(ctx context.Context, address string) (string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return "", err
		}
		res, err := client.HTTP().Do(req)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return "", errs.NotFound
		}
		text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		return string(text), err
	}
}

// nearlyDue is how long before its end a request is a trouble.
const nearlyDue = 3 * 24 * time.Hour

// requestSource tells of requests that wait, and of those whose time is nearly over.
func requestSource(requests *request.Requests) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		page, err := requests.List(ctx, request.Open, model.PageOptions{Limit: 50})
		q := ops.Queue{Name: "requests", Items: map[string]int{"waiting": len(page.Items)}, Most: 50, Path: "/office/rights", Patience: 30 * 24 * time.Hour}
		r := ops.Readings{}
		late := ops.Failure{Queue: q.Name, Reason: "due", Path: q.Path}
		soon := model.FormatTime(time.Now().Add(nearlyDue))
		for _, one := range page.Items {
			if at, err := model.ParseTime(one.Proven); err == nil && (q.Oldest.IsZero() || at.Before(q.Oldest)) {
				q.Oldest = at
			}
			if one.Due < soon {
				late.Count++
				late.Last, late.Example = time.Now(), "the answer to request "+one.ID+" is due on "+one.Due[:10]
			}
		}
		r.Queues = []ops.Queue{q}
		if late.Count > 0 {
			r.Failures = []ops.Failure{late}
		}
		return r, err
	})
}

// exportCmd writes what is held: about something, or what the desks have for others.
type exportCmd struct {
	Story        exportOneCmd `cmd:"" help:"Write all that is held about a story, such as blog/01J8Z3."`
	Page         exportOneCmd `cmd:"" help:"Write all that is held about a page of another site."`
	Site         exportOneCmd `cmd:"" help:"Write all that is held about a site."`
	Person       exportOneCmd `cmd:"" help:"Write all that is held about a person."`
	kong.Plugins              // what the desks export
}

// exportOneCmd writes all that is held about one thing. Which command it is says what.
type exportOneCmd struct {
	What string `arg:"" help:"Which: desk/id, an address, a host, or a name."`
	To   string `arg:"" name:"file" help:"A new file, in tar form."`
	targetSettings
	nameSettings
	commonSettings
}

// Help is the text under the command's usage line.
func (exportOneCmd) Help() string {
	return `The archive has items.jsonl, a line for each item with its table, and the objects.`
}

// Run writes the archive.
func (c *exportOneCmd) Run(r *run) (err error) {
	log := r.logger(c.commonSettings)
	st, err := c.open(r.ctx, endpointSettings{}, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	e, err := openErasures(r.ctx, st, c.names(), erase.Options{Log: log})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.To, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot make %s: %v", c.To, err)
	}
	err = errors.Join(e.Export(r.ctx, erase.Subject{Kind: erase.Kind(r.parsed.Selected().Name), Text: c.What}, f), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(c.To))
	}
	return err
}
