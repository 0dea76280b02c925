package minutes

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"pressroom/internal/errs"
	"pressroom/llm"
)

// WorkOptions say how consumers run. The zero value is one consumer that goes on
// until its context ends.
type WorkOptions struct {
	// Consumers is how many tasks are worked on at once; 0 means 1.
	Consumers int
	// Once ends the work when no task is due, or when the provider can be asked no
	// more.
	Once bool
	// Poll is how often an empty queue is looked at; 0 means 5 s.
	Poll time.Duration
	// Halt is how long nobody asks after the provider refused for a reason that
	// concerns all tasks and did not say how long; 0 means 10 minutes.
	Halt time.Duration
	// Progress is told of every task whose work ended, by any number of goroutines;
	// nil for nobody.
	Progress func(Event)
}

// Event is the end of work on one task.
type Event struct {
	IssueID string
	Outcome Outcome
	Err     error // the reason, unless it is completed
	Took    time.Duration
}

// WorkReport counts outcomes.
type WorkReport struct {
	Completed int `json:"completed"`
	Review    int `json:"review"`
	Retry     int `json:"retry"`
	Failed    int `json:"failed"`
	Released  int `json:"released"`
	// Adopted counts articles published for foreign consumers.
	Adopted int `json:"adopted"`
}

// Count adds an outcome.
func (r *WorkReport) Count(o Outcome) {
	switch o {
	case OutcomeCompleted:
		r.Completed++
	case OutcomeReview:
		r.Review++
	case OutcomeRetry:
		r.Retry++
	case OutcomeFailed:
		r.Failed++
	case OutcomeReleased:
		r.Released++
	}
}

// Work runs consumers: they claim tasks, consume them, publish what foreign
// consumers completed, and end interrupted saves. It returns when ctx ends, which is
// no error, and with Once when nothing is due.
//
// With Once, a provider that can be asked no more ends the work with an error:
// errs.Budget if the budget is spent, errs.Unavailable otherwise.
func (d *Desk) Work(ctx context.Context, o WorkOptions) (WorkReport, error) {
	w := &worker{d: d, o: o}
	w.o.Consumers = or(o.Consumers, 1)
	w.o.Poll = or(o.Poll, 5*time.Second)
	w.o.Halt = or(o.Halt, 10*time.Minute)
	ctx, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	if err := w.tidy(ctx); err != nil {
		return w.report, err
	}
	var group sync.WaitGroup
	for i := range w.o.Consumers {
		group.Go(func() { w.run(ctx, i == 0) })
	}
	group.Wait()
	if w.o.Once && ctx.Err() == nil {
		w.fail(w.tidy(ctx))
	}
	return w.report, w.err
}

// worker is one run of Work.
type worker struct {
	d    *Desk
	o    WorkOptions
	stop context.CancelCauseFunc

	mu     sync.Mutex
	report WorkReport
	err    error
	halted time.Time // until when nobody asks
}

// fail ends the work with an error.
func (w *worker) fail(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.stop(err)
}

// tidy does what is left over by others.
func (w *worker) tidy(ctx context.Context) error {
	if _, err := w.d.Recover(ctx); err != nil {
		return err
	}
	adopted, err := w.d.Adopt(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.report.Adopted += adopted.Published
	w.report.Review += adopted.Review
	w.report.Failed += adopted.Failed
	return err
}

// run is one consumer; the first one tidies up when it has nothing else to do.
func (w *worker) run(ctx context.Context, first bool) {
	for ctx.Err() == nil {
		if !w.pause(ctx, w.haltedFor()) {
			return
		}
		t, err := w.d.Claim(ctx)
		switch {
		case err == nil:
			w.consume(ctx, &t)
			continue
		case ctx.Err() != nil:
			return
		case !errors.Is(err, errs.NotFound):
			if w.o.Once {
				w.fail(err)
				return
			}
			w.d.o.Log.Error("claim a task", "error", err)
		case w.o.Once:
			return
		case first:
			if err := w.tidy(ctx); err != nil && ctx.Err() == nil {
				w.d.o.Log.Error("tidy up", "error", err)
			}
		}
		if !w.pause(ctx, w.o.Poll) {
			return
		}
	}
}

func (w *worker) consume(ctx context.Context, t *Task) {
	start := time.Now()
	outcome, err := w.d.Consume(ctx, t)
	w.mu.Lock()
	w.report.Count(outcome)
	w.mu.Unlock()
	if w.o.Progress != nil {
		w.o.Progress(Event{t.ID(), outcome, err, time.Since(start)})
	}
	if outcome != OutcomeReleased || !halting(err) || ctx.Err() != nil {
		return
	}
	if w.o.Once {
		kind := errs.Unavailable
		if llm.KindOf(err) == llm.BudgetExceeded {
			kind = errs.Budget
		}
		w.fail(errs.Wrap(err, kind, "The language model can be asked no more for now: %v.", llm.KindOf(err)))
		return
	}
	w.halt(err)
}

// halt keeps all consumers from asking.
func (w *worker) halt(why error) {
	wait := llm.RetryAfter(why)
	if wait <= 0 {
		wait = w.o.Halt
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.halted = time.Now().Add(wait)
	w.d.o.Log.Warn("the language model is left alone", "for", wait, "reason", fmt.Sprint(why))
}

func (w *worker) haltedFor() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Until(w.halted)
}

// pause waits; false if the work ends in the meantime.
func (w *worker) pause(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
