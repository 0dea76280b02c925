package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/llm/builtin"
)

// loadMeetings collects what the library has, and works on all of it but the
// last: that one is left to be seen moving.
func (d *Demo) loadMeetings(ctx context.Context) error {
	if err := d.Collect(ctx); err != nil {
		return err
	}
	counts, err := d.minutes.Counts(ctx, 1000)
	if err != nil {
		return err
	}
	for range counts[minutes.Pending] - leftPending {
		if err := d.Work(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ticking is the clock, of which no two readings are in one millisecond: tasks are
// worked on in the order of their times, which is then that of the library. Of tasks of
// one time, which are left pending would depend on how fast the machine is.
func ticking(now func() time.Time) func() time.Time {
	var mu sync.Mutex
	var last time.Time
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		last = last.Add(time.Millisecond)
		if t := now().Truncate(time.Millisecond); t.After(last) {
			last = t
		}
		return last
	}
}

// leftPending is how many tasks the loading leaves for the jobs.
const leftPending = 2

// Collect asks the library for what is new.
func (d *Demo) Collect(ctx context.Context) error {
	_, err := d.minutes.CollectDaily(ctx, nil)
	return err
}

// Work works on one task, the oldest that is due, if there is one. That its answer
// is false, or that it has to be tried again, is no error.
func (d *Demo) Work(ctx context.Context) error {
	t, err := d.minutes.Claim(ctx)
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	desk := d.minutes
	if name := d.outside.mistake(t.ID()); name != "" {
		if desk, err = d.minutesBy(&mistaken{builtin.New(), name}); err != nil {
			return err
		}
	}
	outcome, err := desk.Consume(ctx, &t)
	switch outcome {
	case minutes.OutcomeCompleted, minutes.OutcomeReview, minutes.OutcomeRetry:
		return nil
	}
	return fmt.Errorf("meeting %s: %s: %w", t.ID(), outcome, err)
}
