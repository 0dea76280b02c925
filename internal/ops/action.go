package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Action is something that an operator did.
type Action struct {
	ID      string `dynamodbav:"action"`
	At      string `dynamodbav:"at"`
	Who     string `dynamodbav:"who"`
	What    string `dynamodbav:"what"`    // a verb: "pause", "retry"
	Subject string `dynamodbav:"subject"` // "job newswire-crawl", "minutes task 12ab"
	Why     string `dynamodbav:"why,omitempty"`
}

// Record puts an action on record, which whoever carries one out does first: if
// it cannot be recorded it must not be done. Who, What and Subject are required.
func (s *Scheduler) Record(ctx context.Context, a Action) error {
	if err := s.complete(&a); err != nil {
		return err
	}
	return s.acts.Create(ctx, &a)
}

// complete checks an action and gives it an id and a time.
func (s *Scheduler) complete(a *Action) error {
	var wrong []errs.Field
	for _, f := range []struct {
		name, value string
		max         int
		required    bool
	}{{"who", a.Who, whoMax, true}, {"what", a.What, nameMax, true}, {"subject", a.Subject, 512, true}, {"why", a.Why, textMax, false}} {
		switch {
		case f.required && f.value == "":
			wrong = append(wrong, errs.Field{Name: f.name, Message: "is required"})
		case len(f.value) > f.max:
			wrong = append(wrong, errs.Field{Name: f.name, Message: fmt.Sprintf("must be at most %d bytes", f.max)})
		}
	}
	if wrong != nil {
		return errs.Validation(wrong...)
	}
	a.ID, a.At = s.ids.New(), model.FormatTime(s.o.Now())
	return nil
}

// Pause keeps a job from being begun until Resume. A run under way goes on.
func (s *Scheduler) Pause(ctx context.Context, job, who, why string) error {
	return s.act(ctx, job, Action{Who: who, What: "pause", Why: why}, func(_ *Job, st *jobState) error {
		if st.Paused {
			return errs.New(errs.Conflict, "The job is paused already.")
		}
		st.Paused = true
		return nil
	})
}

// Resume lets a paused job be begun again, at its next time.
func (s *Scheduler) Resume(ctx context.Context, job, who, why string) error {
	return s.act(ctx, job, Action{Who: who, What: "resume", Why: why}, func(j *Job, st *jobState) error {
		if !st.Paused {
			return errs.New(errs.Conflict, "The job is not paused.")
		}
		st.Paused = false
		if reached(st.Next, s.o.Now()) {
			st.Next = formatTime(j.first(s.o.Now()))
		}
		return nil
	})
}

// RunNow has the job begun at once, by whichever process looks first, even if it
// is paused. It is Conflict while the job runs.
func (s *Scheduler) RunNow(ctx context.Context, job, who, why string) error {
	return s.act(ctx, job, Action{Who: who, What: "run now", Why: why}, func(_ *Job, st *jobState) error {
		if st.held(s.o.Now()) {
			return errs.New(errs.Conflict, "The job is running. Wait until it has ended.")
		}
		st.Asked = who
		return nil
	})
}

// act changes a job and records who did it, together or not at all.
func (s *Scheduler) act(ctx context.Context, name string, a Action, change func(*Job, *jobState) error) error {
	j, err := s.find(name)
	if err != nil {
		return err
	}
	a.Subject = "job " + name
	if err := s.complete(&a); err != nil {
		return err
	}
	for range actTries {
		st, err := s.load(ctx, j)
		if err != nil {
			return err
		}
		if err := change(j, &st); err != nil {
			return err
		}
		err = model.Transact(ctx, s.db, s.state.PutPiece(&st), s.acts.CreatePiece(&a))
		if errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrExists) {
			continue // a lease was renewed meanwhile
		}
		if err != nil {
			return fmt.Errorf("%s job %s: %w", a.What, name, err)
		}
		return nil
	}
	return fmt.Errorf("%s job %s: %w", a.What, name, errs.Conflict)
}

const actTries = 10

// JobStatus is a job as operators see it.
type JobStatus struct {
	Name, Doc string
	Every     time.Duration // between runs; 0 if something else says when
	Schedule  string        // in words: "every 5m0s", "30 4 * * * Asia/Tokyo"; "" if only on demand
	Paused    bool
	Asked     string    // who asked for a run that has not begun
	Owner     string    // the process that runs it now; "" if none does
	Next      time.Time // zero if it is paused or only on demand
	Failures  int       // in a row
	Now       *Run      // the run under way
	Last      *Run      // the one before; nil if there was none
}

// Jobs returns all declared jobs, by name. Others may run in other processes.
func (s *Scheduler) Jobs(ctx context.Context) ([]JobStatus, error) {
	var all []JobStatus
	for _, j := range s.declared() {
		st, err := s.status(ctx, j)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", j.Name, err)
		}
		all = append(all, st)
	}
	return all, nil
}

func (s *Scheduler) status(ctx context.Context, j *Job) (JobStatus, error) {
	out := JobStatus{Name: j.Name, Doc: j.Doc, Every: j.Every, Schedule: j.words()}
	st, err := s.load(ctx, j)
	if err != nil {
		return out, err
	}
	out.Paused, out.Asked, out.Failures = st.Paused, st.Asked, st.Failures
	if next, err := model.ParseTime(st.Next); err == nil && !st.Paused {
		out.Next = next
	}
	if st.held(s.o.Now()) {
		out.Owner = st.Owner
		if out.Now, err = s.run(ctx, j.Name, st.Run); err != nil {
			return out, err
		}
	}
	out.Last, err = s.run(ctx, j.Name, st.Last)
	return out, err
}

func (s *Scheduler) run(ctx context.Context, job, id string) (*Run, error) {
	if id == "" {
		return nil, nil
	}
	r, err := s.runs.Get(ctx, model.Values{"job": job, "run": id})
	if errors.Is(err, model.ErrNotFound) {
		return nil, nil // it was kept long enough
	}
	return &r, err
}

// words says when the job runs.
func (j *Job) words() string {
	switch {
	case j.Every > 0:
		return "every " + j.Every.String()
	case j.Cron != "" && j.Zone != "":
		return j.Cron + " " + j.Zone
	}
	return j.Cron
}

// Runs lists the runs of a job, newest first.
func (s *Scheduler) Runs(ctx context.Context, job string, o PageOptions) (Page[Run], error) {
	if _, err := s.find(job); err != nil {
		return Page[Run]{}, err
	}
	page, err := s.runs.Page(ctx, "RunsOfJob", model.Values{"job": job}, o)
	return page, listError(err)
}

// RunsByState lists the runs of all jobs in a state, newest first: Running, Done,
// Failed or Lost.
func (s *Scheduler) RunsByState(ctx context.Context, state string, o PageOptions) (Page[Run], error) {
	switch state {
	case Running, Done, Failed, Lost:
	default:
		return Page[Run]{}, errs.Validation(errs.Field{Name: "state", Message: "must be running, done, failed or lost"})
	}
	page, err := s.runs.Page(ctx, "RunsByState", model.Values{"state": state}, o)
	return page, listError(err)
}

// Actions lists what operators did, newest first; if subject is not empty, only
// what they did to it.
func (s *Scheduler) Actions(ctx context.Context, subject string, o PageOptions) (Page[Action], error) {
	pattern, args := "Actions", model.Values{}
	if subject != "" {
		pattern, args = "ActionsOn", model.Values{"subject": subject}
	}
	page, err := s.acts.Page(ctx, pattern, args, o)
	return page, listError(err)
}

// listError names what is wrong with a list's cursor.
func listError(err error) error {
	if errors.Is(err, model.ErrCursor) {
		return &errs.Error{Kind: errs.Malformed, Fields: []errs.Field{{Name: "cursor", Message: "is none of this list's"}}}
	}
	return err
}
