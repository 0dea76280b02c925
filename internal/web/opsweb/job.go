package opsweb

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/web"
)

// jobRow is a job as it is shown.
type jobRow struct {
	ops.JobStatus
	Path      string
	State     string // running, paused, asked, failing, waiting
	StateTone web.Tone
	Ran       string // how long ago it last ended
	Due       string
	When      string // its schedule, in words
	Percent   int    // of the run under way; -1 if nobody knows
}

func (p *pages) jobRow(r *http.Request, j ops.JobStatus, now time.Time) jobRow {
	row := jobRow{JobStatus: j, Path: jobPath(j.Name), State: "waiting", Due: p.until(r, j.Next, now), When: j.Schedule, Percent: -1}
	if j.Every > 0 {
		row.When = p.site.T(r, "ops.every", p.span(r, j.Every))
	}
	if j.Last != nil {
		row.Ran = p.ago(r, timeOf(j.Last.Ended), now)
	}
	if j.Now != nil && j.Now.Total > 0 {
		row.Percent = min(100*j.Now.Done/j.Now.Total, 100)
	}
	switch {
	case j.Owner != "":
		row.State, row.StateTone = "running", web.Note
	case j.Asked != "":
		row.State, row.StateTone = "asked", web.Note
	case j.Paused:
		row.State, row.StateTone = "paused", web.Warn
	case j.Failures > 0:
		row.State, row.StateTone = "failing", web.Bad
	case j.Last != nil:
		row.State, row.StateTone = "done", web.Good
	}
	return row
}

// runRow is a run in a list.
type runRow struct {
	ops.Run
	Path, Tone, When, Took string
}

func (p *pages) runRows(r *http.Request, runs []ops.Run) []runRow {
	var rows []runRow
	now := p.Now()
	for _, run := range runs {
		end := timeOf(run.Ended)
		if end.IsZero() {
			end = now
		}
		rows = append(rows, runRow{Run: run, Path: jobPath(run.Job), Tone: tone(run.State),
			When: p.ago(r, timeOf(run.Started), now), Took: p.span(r, max(end.Sub(timeOf(run.Started)), 0))})
	}
	return rows
}

// jobPage is a job and its runs.
type jobPage struct {
	Tabs    []web.Tab
	Job     jobRow
	Runs    []runRow
	Next    string
	Actions []ops.Action
	Live    bool // on the first page, which renews itself
}

// shownActions is how many of the trail are on a job's page.
const shownActions = 5

func (p *pages) showJob(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("job")
	jobs, err := p.Scheduler.Jobs(r.Context())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(jobs, func(j ops.JobStatus) bool { return j.Name == name })
	if i < 0 {
		return errs.New(errs.NotFound, "There is no such job.")
	}
	runs, err := p.Scheduler.Runs(r.Context(), name, ops.PageOptions{Limit: 20, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	done, err := p.Scheduler.Actions(r.Context(), "job "+name, ops.PageOptions{Limit: shownActions})
	if err != nil {
		return err
	}
	data := jobPage{
		Tabs: p.tabs(r, "overview"), Job: p.jobRow(r, jobs[i], p.Now()), Runs: p.runRows(r, runs.Items), Next: runs.Next,
		Actions: done.Items, Live: r.URL.Query().Get("cursor") == "",
	}
	return p.render(w, r, "job", name, "live", data)
}

// actOnJob pauses, resumes or runs a job. That it is so already is no error to
// whoever wanted it.
func (p *pages) actOnJob(w http.ResponseWriter, r *http.Request) error {
	name, action, why := r.PathValue("job"), r.PathValue("action"), r.PostFormValue("why")
	var err error
	switch action {
	case "run":
		err = p.Scheduler.RunNow(r.Context(), name, who(r), why)
	case "pause":
		err = p.Scheduler.Pause(r.Context(), name, who(r), why)
	case "resume":
		err = p.Scheduler.Resume(r.Context(), name, who(r), why)
	default:
		return errs.New(errs.NotFound, "Jobs cannot be told that.")
	}
	switch {
	case err == nil:
		p.site.Flash(w, r, web.Good, "ops.did."+action, name)
	case errors.Is(err, errs.Conflict):
		p.site.Flash(w, r, web.Note, "ops.already."+action, name)
	default:
		return err
	}
	back := root
	if r.PostFormValue("from") == "job" {
		back = jobPath(name)
	}
	return p.site.Redirect(w, r, back)
}

// runsPage is the runs in a state.
type runsPage struct {
	Tabs    []web.Tab
	Filters []web.Tab
	Runs    []runRow
	Next    string
}

func (p *pages) showRuns(w http.ResponseWriter, r *http.Request) error {
	state := r.URL.Query().Get("state")
	if state == "" {
		state = ops.Failed
	}
	found, err := p.Scheduler.RunsByState(r.Context(), state, pageOf(r))
	if err != nil {
		return err
	}
	data := runsPage{Tabs: p.tabs(r, "runs"), Runs: p.runRows(r, found.Items), Next: found.Next}
	for _, s := range []string{ops.Failed, ops.Lost, ops.Running, ops.Done} {
		data.Filters = append(data.Filters, web.Tab{Title: p.site.T(r, "ops.state."+s), Path: root + "/runs?state=" + s, Current: s == state})
	}
	return p.render(w, r, "runs", p.site.T(r, "ops.tab.runs"), "", data)
}
