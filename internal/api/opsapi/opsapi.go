// Package opsapi is the operators' JSON: jobs and their runs under /api/v1/jobs,
// what operators did under /api/v1/actions, and what language models cost under
// /api/v1/llm. All of it is for operators.
//
// It promises that whatever is told to a job is on record, with who told it and
// why, in the transaction in which it takes effect. Start with [Register].
package opsapi

import (
	"context"
	"slices"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
)

// service is what the operations are about.
type service struct {
	jobs   *ops.Scheduler
	ledger *ops.Ledger
}

// Register puts the operators' operations on the API.
func Register(a *api.API, jobs *ops.Scheduler, ledger *ops.Ledger) {
	s := &service{jobs, ledger}
	tags := []string{"operations"}
	conflict := []errs.Kind{errs.Conflict}
	api.Get(a, "/jobs", auth.Operator, api.Op{ID: "listJobs", Summary: "All jobs: what each does now, and next", Tags: tags}, s.list)
	api.Get(a, "/jobs/{job}", auth.Operator, api.Op{ID: "getJob", Summary: "A job", Tags: tags}, s.get)
	api.Get(a, "/jobs/{job}/runs", auth.Operator, api.Op{ID: "listJobRuns", Summary: "The runs of a job, the newest first", Tags: tags, Doc: "They are kept for 90 days."}, s.runs)
	api.Post(a, "/jobs/{job}/run", auth.Operator, api.Op{ID: "runJob", Summary: "Run a job now, even if it is paused", Tags: tags, Fails: conflict,
		Doc: "It is begun within seconds, by one of the processes that know it; Location is the job, which shows how it goes. While it runs that is a conflict."}, s.run)
	api.Post(a, "/jobs/{job}/pause", auth.Operator, api.Op{ID: "pauseJob", Summary: "Keep a job from being begun; a run under way goes on", Tags: tags, Fails: conflict}, s.pause)
	api.Post(a, "/jobs/{job}/resume", auth.Operator, api.Op{ID: "resumeJob", Summary: "Let a paused job be begun again, at its next time", Tags: tags, Fails: conflict}, s.resume)
	api.Get(a, "/actions", auth.Operator, api.Op{ID: "listActions", Summary: "What operators did, the newest first", Tags: tags}, s.actions)
	api.Get(a, "/llm/spending", auth.Operator, api.Op{ID: "listSpending", Summary: "What each desk spent on language models, by day", Tags: tags}, s.spending)
	api.Get(a, "/llm/calls", auth.Operator, api.Op{ID: "listModelCalls", Summary: "The calls of a desk on a day, the newest first", Tags: tags,
		Doc: "With failed, those of all days that failed, and the day does not matter."}, s.calls)
}

// Job is a job as operators see it.
type Job struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Schedule string `json:"schedule,omitempty" doc:"in words; none for a job that only operators run"`
	Paused   bool   `json:"paused"`
	Asked    string `json:"asked_by,omitempty" doc:"who asked for a run that has not begun"`
	Owner    string `json:"owner,omitempty" doc:"the process that runs it now"`
	Next     string `json:"next,omitempty" doc:"when it is begun next"`
	Failures int    `json:"failures" doc:"in a row"`
	Now      *Run   `json:"now,omitempty" doc:"the run under way"`
	Last     *Run   `json:"last,omitempty" doc:"the run before"`
}

// Run is one run of a job.
type Run struct {
	ID      string         `json:"id"`
	State   string         `json:"state" enum:"running,done,failed,lost"`
	Owner   string         `json:"owner"`
	Asked   string         `json:"asked_by,omitempty"`
	Started string         `json:"started"`
	Ended   string         `json:"ended,omitempty"`
	Done    int            `json:"done"`
	Total   int            `json:"total,omitempty"`
	Note    string         `json:"note,omitempty"`
	Counts  map[string]int `json:"counts,omitempty"`
	Error   string         `json:"error,omitempty"`
}

func runOf(r ops.Run) Run {
	return Run{ID: r.ID, State: r.State, Owner: r.Owner, Asked: r.Asked, Started: r.Started, Ended: r.Ended,
		Done: r.Done, Total: r.Total, Note: r.Note, Counts: r.Counts, Error: r.Error}
}

func jobOf(j ops.JobStatus) Job {
	out := Job{Name: j.Name, Doc: j.Doc, Schedule: j.Schedule, Paused: j.Paused, Asked: j.Asked, Owner: j.Owner, Failures: j.Failures}
	if !j.Next.IsZero() {
		out.Next = j.Next.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if j.Now != nil {
		run := runOf(*j.Now)
		out.Now = &run
	}
	if j.Last != nil {
		run := runOf(*j.Last)
		out.Last = &run
	}
	return out
}

// Jobs is all jobs.
type Jobs struct {
	Items []Job `json:"items"`
}

func (s *service) list(ctx context.Context, _ *struct{}) (*Jobs, error) {
	jobs, err := s.jobs.Jobs(ctx)
	out := &Jobs{Items: []Job{}}
	for _, j := range jobs {
		out.Items = append(out.Items, jobOf(j))
	}
	return out, err
}

type byName struct {
	Job string `path:"job" min:"1" max:"64"`
}

func (s *service) get(ctx context.Context, in *byName) (*Job, error) {
	jobs, err := s.jobs.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(jobs, func(j ops.JobStatus) bool { return j.Name == in.Job })
	if i < 0 {
		return nil, errs.New(errs.NotFound, "There is no such job.")
	}
	job := jobOf(jobs[i])
	return &job, nil
}

func options(p api.Page) ops.PageOptions { return ops.PageOptions{Limit: p.Limit, Cursor: p.Cursor} }

func (s *service) runs(ctx context.Context, in *struct {
	byName
	api.Page
}) (*api.List[Run], error) {
	page, err := s.jobs.Runs(ctx, in.Job, options(in.Page))
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, runOf), nil
}

// Reason is why an operator does something.
type Reason struct {
	Why string `json:"why,omitempty" max:"500" doc:"for the record"`
}

type told struct {
	byName
	Body Reason
}

// tell tells a job something in the caller's name.
func (s *service) tell(ctx context.Context, in *told, do func(ctx context.Context, job, who, why string) error) (*api.Accepted[Job], error) {
	who := "unknown"
	if account := auth.From(ctx); account != nil {
		who = account.Name
	}
	if err := do(ctx, in.Job, who, in.Body.Why); err != nil {
		return nil, err
	}
	job, err := s.get(ctx, &in.byName)
	if err != nil {
		return nil, err
	}
	return &api.Accepted[Job]{Location: "/jobs/" + in.Job, Body: *job}, nil
}

func (s *service) run(ctx context.Context, in *told) (*api.Accepted[Job], error) {
	return s.tell(ctx, in, s.jobs.RunNow)
}

func (s *service) pause(ctx context.Context, in *told) (*api.Accepted[Job], error) {
	return s.tell(ctx, in, s.jobs.Pause)
}

func (s *service) resume(ctx context.Context, in *told) (*api.Accepted[Job], error) {
	return s.tell(ctx, in, s.jobs.Resume)
}

// Action is something that an operator did.
type Action struct {
	ID      string `json:"id"`
	At      string `json:"at"`
	Who     string `json:"who"`
	What    string `json:"what"`
	Subject string `json:"subject"`
	Why     string `json:"why,omitempty"`
}

func (s *service) actions(ctx context.Context, in *struct {
	api.Page
	Subject string `query:"subject" max:"512" doc:"only what was done to this, such as \"job newswire-crawl\""`
}) (*api.List[Action], error) {
	page, err := s.jobs.Actions(ctx, in.Subject, options(in.Page))
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(a ops.Action) Action { return Action(a) }), nil
}

// Spend is what the calls of a desk add up to on a day.
type Spend struct {
	Day     string  `json:"day"`
	Desk    string  `json:"desk"`
	Calls   int64   `json:"calls"`
	Failed  int64   `json:"failed"`
	Input   int64   `json:"input_tokens"`
	Cached  int64   `json:"cached_input_tokens"`
	Output  int64   `json:"output_tokens"`
	Dollars float64 `json:"dollars"`
	Millis  int64   `json:"milliseconds" doc:"that the calls took, together"`
}

// Spending is what was spent, by day and desk.
type Spending struct {
	Items []Spend `json:"items"`
}

func (s *service) spending(ctx context.Context, in *struct {
	Days int `query:"days" min:"1" max:"400" default:"30" doc:"how many days back, today included"`
}) (*Spending, error) {
	spent, err := s.ledger.Spent(ctx, in.Days)
	out := &Spending{Items: []Spend{}}
	for _, d := range spent {
		out.Items = append(out.Items, Spend{Day: d.Day, Desk: d.Desk, Calls: d.Calls, Failed: d.Failed, Input: d.Input, Cached: d.Cached,
			Output: d.Output, Dollars: d.Cost.Dollars(), Millis: d.Millis})
	}
	return out, err
}

// Call is one call of a language model, or one that was refused.
type Call struct {
	ID        string  `json:"id"`
	At        string  `json:"at"`
	Desk      string  `json:"desk"`
	Task      string  `json:"task,omitempty"`
	Purpose   string  `json:"purpose,omitempty"`
	Prompt    string  `json:"prompt_version,omitempty"`
	Provider  string  `json:"provider"`
	Model     string  `json:"model"`
	Repair    bool    `json:"repair,omitempty" doc:"asked again because the first answer broke its schema"`
	Input     int64   `json:"input_tokens"`
	Cached    int64   `json:"cached_input_tokens"`
	Output    int64   `json:"output_tokens"`
	Estimated bool    `json:"estimated,omitempty" doc:"the tokens are our own count"`
	Dollars   float64 `json:"dollars"`
	Millis    int64   `json:"milliseconds"`
	Failure   string  `json:"failure,omitempty" doc:"its kind; none if there was an answer"`
	Error     string  `json:"error,omitempty"`
}

func callOf(c ops.Call) Call {
	return Call{ID: c.ID, At: c.At, Desk: c.Desk, Task: c.Task, Purpose: c.Purpose, Prompt: c.Prompt, Provider: c.Provider, Model: c.Model, Repair: c.Repair,
		Input: c.Input, Cached: c.Cached, Output: c.Output, Estimated: c.Estimated, Dollars: c.Cost.Dollars(), Millis: c.Millis, Failure: c.Failure, Error: c.Error}
}

func (s *service) calls(ctx context.Context, in *struct {
	api.Page
	Desk   string `query:"desk" max:"64" doc:"whose calls; required"`
	Day    string `query:"day" max:"10" doc:"such as 2026-11-15; today if it is left out"`
	Failed bool   `query:"failed" doc:"only those that failed, of all days"`
}) (*api.List[Call], error) {
	var page ops.Page[ops.Call]
	var err error
	switch {
	case in.Failed:
		page, err = s.ledger.FailedCalls(ctx, in.Desk, options(in.Page))
	case in.Day == "":
		page, err = s.ledger.Calls(ctx, in.Desk, s.ledger.Today(), options(in.Page))
	default:
		page, err = s.ledger.Calls(ctx, in.Desk, in.Day, options(in.Page))
	}
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, callOf), nil
}
