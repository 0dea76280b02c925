package opsweb

import (
	"net/http"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/web"
)

// overviewPage is the state of everything.
type overviewPage struct {
	Tabs     []web.Tab
	At       time.Time
	Verdict  web.Tone // Good, Warn or Bad
	Troubles []trouble
	Parts    []Part
	Totals   totals
	Queues   []queueRow
	Jobs     []jobRow
	Works    []workRow
	Failures []failureRow
	Spending []spendingRow
	Disks    []diskRow
	Search   []searchRow
	Units    string // read and write units a second
}

// totals are the figures at the top.
type totals struct {
	Waiting, Running, Retrying, Failed int
	Oldest                             string
	Spent, Budget                      string
}

type queueRow struct {
	ops.Queue
	Title   string
	Age     string
	Slow    bool
	Requeue string // the path of the form; "" for none
}

type failureRow struct {
	ops.Failure
	Where, When string
}

type workRow struct {
	ops.Work
	Title, Tone, When, Took string
}

type spendingRow struct {
	ops.Spending
	Title, Path, Spent, Limit string
	Tone                      string
	Percent                   int
}

type diskRow struct{ Name, Used, Free string }

func (p *pages) showOverview(w http.ResponseWriter, r *http.Request) error {
	s := p.Dashboard.Read(r.Context())
	data := &overviewPage{Tabs: p.tabs(r, "overview"), At: s.At, Parts: p.ready(r.Context()), Verdict: web.Good}
	data.Troubles = p.troubles(r, s, data.Parts)
	if len(data.Troubles) > 0 {
		data.Verdict = data.Troubles[0].Tone // the worst
	}
	p.queues(r, s, data)
	for _, j := range s.Jobs {
		data.Jobs = append(data.Jobs, p.jobRow(r, j, s.At))
	}
	for _, work := range s.Works {
		data.Works = append(data.Works, p.workRow(r, work, s.At))
	}
	for _, f := range s.Failures {
		if f.Queue == "jobs" && f.Path == "" {
			f.Path = jobPath(f.Reason)
		}
		data.Failures = append(data.Failures, failureRow{f, p.queueName(r, f.Queue), p.ago(r, f.Last, s.At)})
	}
	for _, x := range s.Indexes {
		data.Search = append(data.Search, p.searchRow(r, x, s.At))
	}
	p.money(r, s, data)
	p.room(s, data)
	return p.render(w, r, "overview", p.site.T(r, "ops.title"), "live", data)
}

// queues fills in what waits, and what that adds up to.
func (p *pages) queues(r *http.Request, s ops.Snapshot, data *overviewPage) {
	var oldest time.Time
	for _, q := range s.Queues {
		row := queueRow{Queue: q, Title: p.queueName(r, q.Name), Slow: q.Late(s.At)}
		if !q.Oldest.IsZero() {
			row.Age = p.span(r, max(s.At.Sub(q.Oldest), 0))
			if oldest.IsZero() || q.Oldest.Before(oldest) {
				oldest = q.Oldest
			}
		}
		if p.Requeue[q.Name] != nil && q.Items["failed"] > 0 {
			row.Requeue = root + "/queues/" + q.Name + "/requeue"
		}
		data.Queues = append(data.Queues, row)
		t := &data.Totals
		t.Waiting, t.Running = t.Waiting+q.Items["waiting"], t.Running+q.Items["running"]
		t.Retrying, t.Failed = t.Retrying+q.Items["retrying"], t.Failed+q.Items["failed"]
	}
	if !oldest.IsZero() {
		data.Totals.Oldest = p.span(r, max(s.At.Sub(oldest), 0))
	}
}

func (p *pages) workRow(r *http.Request, work ops.Work, now time.Time) workRow {
	row := workRow{Work: work, Title: p.site.Tor(r, "ops.work."+work.Name, work.Name), Tone: tone(work.State), When: p.ago(r, work.Started, now)}
	end := work.Ended
	if end.IsZero() {
		end = now
	}
	row.Took = p.span(r, max(end.Sub(work.Started), 0))
	return row
}

// money fills in what language models cost today.
func (p *pages) money(r *http.Request, s ops.Snapshot, data *overviewPage) {
	spent, budget := 0.0, 0.0
	for _, sp := range s.Spending {
		row := spendingRow{Spending: sp, Title: p.deskName(r, sp.Name), Spent: dollars(sp.Dollars), Percent: min(int(sp.Share()*100), 100), Tone: "good"}
		switch share := sp.Share(); {
		case share >= 1:
			row.Tone = "bad"
		case share >= budgetWarn:
			row.Tone = "warn"
		}
		if sp.Budget > 0 {
			row.Limit = dollars(sp.Budget)
		}
		if sp.Name == ops.AllDesks {
			budget = sp.Budget
		} else {
			row.Path = root + "/models?desk=" + sp.Name
			spent += sp.Dollars
		}
		data.Spending = append(data.Spending, row)
	}
	data.Totals.Spent = dollars(spent)
	if budget > 0 {
		data.Totals.Budget = dollars(budget)
	}
}

// room fills in how full the disks are, and how busy the tables.
func (p *pages) room(s ops.Snapshot, data *overviewPage) {
	for _, d := range s.Disks {
		data.Disks = append(data.Disks, diskRow{d.Name, size(d.Used), size(d.Free)})
	}
	read, written := 0.0, 0.0
	for _, c := range s.Capacity {
		read, written = read+c.ReadRate, written+c.WriteRate
	}
	data.Units = digits(read) + " / " + digits(written)
}

// requeue puts back what failed in a queue, on record.
func (p *pages) requeue(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("queue")
	again := p.Requeue[name]
	if again == nil {
		return errs.New(errs.NotFound, "There is no such queue.")
	}
	err := p.Scheduler.Record(r.Context(), ops.Action{Who: who(r), What: "requeue", Subject: "queue " + name, Why: r.PostFormValue("why")})
	if err != nil {
		return err
	}
	n, err := again(r.Context())
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "ops.requeued", p.queueName(r, name), p.site.T(r, "ops.n", n))
	return p.site.Redirect(w, r, root)
}
