package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// Run is one run of a job.
type Run struct {
	Job     string         `dynamodbav:"job"`
	ID      string         `dynamodbav:"run"`
	State   string         `dynamodbav:"state"` // Running, Done, Failed or Lost
	Owner   string         `dynamodbav:"owner"` // the process
	Asked   string         `dynamodbav:"asked,omitempty"`
	Started string         `dynamodbav:"started"`
	Ended   string         `dynamodbav:"ended,omitempty"`
	Done    int            `dynamodbav:"done"`
	Total   int            `dynamodbav:"total"` // 0 if nobody said
	Note    string         `dynamodbav:"note,omitempty"`
	Counts  map[string]int `dynamodbav:"counts,omitempty"`
	Error   string         `dynamodbav:"error,omitempty"`
	TTL     int64          `dynamodbav:"ttl"`
	Version int            `dynamodbav:"version"`
}

// claim is a lease that this process holds, and the run that it is for.
type claim struct {
	state jobState
	run   Run
}

// claim takes the job if it is due and free, and returns nil otherwise. A run
// whose process is gone is said to be lost in the same transaction.
func (s *Scheduler) claim(ctx context.Context, j *Job) (*claim, error) {
	st, err := s.load(ctx, j)
	if err != nil {
		return nil, err
	}
	now := s.o.Now()
	if !st.due(now) {
		return nil, s.remember(ctx, j, &st)
	}
	c := &claim{state: st, run: Run{
		Job: j.Name, ID: s.ids.New(), State: Running, Owner: s.o.Owner, Asked: st.Asked,
		Started: model.FormatTime(now), TTL: now.Add(s.o.Keep).Unix(),
	}}
	pieces, err := s.lost(ctx, &st, now)
	if err != nil {
		return nil, err
	}
	c.state.Owner, c.state.Until, c.state.Run, c.state.Asked = s.o.Owner, model.FormatTime(now.Add(j.Lease)), c.run.ID, ""
	if st.Owner != "" {
		s.o.Log.Warn("taking over a job whose process is gone", "job", j.Name, "was", st.Owner)
		c.state.Failures++
	}
	pieces = append(pieces, s.state.PutPiece(&c.state), s.runs.CreatePiece(&c.run))
	err = model.Transact(ctx, s.db, pieces...)
	if errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrExists) || errors.Is(err, model.ErrConflict) {
		return nil, nil // somebody else was faster
	}
	if err != nil {
		return nil, fmt.Errorf("claim job %s: %w", j.Name, err)
	}
	return c, nil
}

// remember stores when a new job is due first, so that every process means the
// same time.
func (s *Scheduler) remember(ctx context.Context, j *Job, st *jobState) error {
	if st.Version > 0 {
		return nil
	}
	err := s.state.Put(ctx, st)
	if errors.Is(err, model.ErrExists) {
		return nil
	}
	return err
}

// lost returns the write that ends the run of a lease that lapsed.
func (s *Scheduler) lost(ctx context.Context, st *jobState, now time.Time) ([]model.Piece, error) {
	if st.Owner == "" || st.Run == "" {
		return nil, nil
	}
	run, err := s.runs.Get(ctx, model.Values{"job": st.Job, "run": st.Run})
	if errors.Is(err, model.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	run.State, run.Ended = Lost, model.FormatTime(now)
	run.Error = "the process that ran it ended, or could not renew its lease"
	return []model.Piece{s.runs.PutPiece(&run)}, nil
}

// carryOut does the work under the lease, and gives the lease back.
func (s *Scheduler) carryOut(ctx context.Context, j *Job, c *claim) error {
	progress := &Progress{}
	err := model.Hold(ctx, model.Holding{For: j.Lease, Extend: func(ctx context.Context) error { return s.prolong(ctx, j, c, progress) }},
		func(ctx context.Context) error { return s.work(ctx, j, progress) })
	if errors.Is(err, model.ErrLost) {
		s.o.Log.Error("a run lost its lease and was stopped", "job", j.Name, "run", c.run.ID)
		return fmt.Errorf("run %s: %w", c.run.ID, model.ErrLost)
	}
	return s.end(j, c, progress, err, ctx.Err() != nil)
}

func (s *Scheduler) work(ctx context.Context, j *Job, p *Progress) error {
	if j.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, j.Timeout, fmt.Errorf("it took longer than %s", j.Timeout))
		defer cancel()
	}
	err := guarded(func() error { return j.Run(ctx, p) })
	if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

// prolong moves the lease's end and stores the progress. Only the lease
// matters: progress is written again at the end.
func (s *Scheduler) prolong(ctx context.Context, j *Job, c *claim, p *Progress) error {
	_, err := s.state.Update(ctx, model.Values{"job": j.Name}, leased.Extend(s.o.Now().Add(j.Lease)), s.mine(c))
	if err != nil {
		return err
	}
	var seen Run
	p.into(&seen)
	update := expression.Set(expression.Name("done"), expression.Value(seen.Done)).Set(expression.Name("total"), expression.Value(seen.Total))
	if seen.Note != "" {
		update = update.Set(expression.Name("note"), expression.Value(seen.Note))
	}
	if _, err := s.runs.Update(ctx, model.Values{"job": j.Name, "run": c.run.ID}, update); err != nil {
		s.o.Log.Debug("progress of a run not stored", "job", j.Name, "error", err)
	}
	return nil
}

// leased are the attributes by which a process has a job.
var leased = model.Lease{Owner: "owner", Until: "until"}

// mine is the condition that the lease is still this run's.
func (s *Scheduler) mine(c *claim) expression.ConditionBuilder {
	return leased.Mine(s.o.Owner).And(expression.Name("run").Equal(expression.Value(c.run.ID)))
}

// endLimit is how long the end of a run may take to be stored, also when the
// process is stopping.
const endLimit = 5 * time.Second

// end stores how the run ended and gives the lease back. A run that ended
// because the process stops is due again at once.
func (s *Scheduler) end(j *Job, c *claim, p *Progress, failure error, stopping bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
	defer cancel()
	now := s.o.Now()
	for {
		st, err := s.state.Get(ctx, model.Values{"job": j.Name})
		if err != nil {
			return fmt.Errorf("end run of %s: %w", j.Name, err)
		}
		if st.Owner != s.o.Owner || st.Run != c.run.ID {
			return fmt.Errorf("run %s: %w", c.run.ID, model.ErrLost)
		}
		run, err := s.runs.Get(ctx, model.Values{"job": j.Name, "run": c.run.ID})
		if err != nil {
			return fmt.Errorf("end run of %s: %w", j.Name, err)
		}
		p.into(&run)
		run.State, run.Ended = Done, model.FormatTime(now)
		st.Owner, st.Until, st.Run, st.Last, st.Failures = "", "", "", c.run.ID, 0
		st.Next = formatTime(j.next(now))
		if failure != nil {
			run.State, run.Error = Failed, cutText(failure.Error(), longMax)
			st.Failures = c.state.Failures + 1
		}
		if failure != nil && stopping {
			run.State, run.Error, st.Failures = Lost, "the process was stopped; the job begins again in another", c.state.Failures
			st.Next = formatTime(now)
		}
		err = model.Transact(ctx, s.db, s.state.PutPiece(&st), s.runs.PutPiece(&run))
		if errors.Is(err, model.ErrStale) {
			continue // an operator changed the job meanwhile
		}
		if err != nil {
			return fmt.Errorf("end run of %s: %w", j.Name, err)
		}
		if run.State == Failed {
			s.o.Log.Error("a job failed", "job", j.Name, "run", run.ID, "error", failure)
		}
		return nil
	}
}
