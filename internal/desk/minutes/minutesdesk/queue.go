package minutesdesk

import (
	"context"
	"errors"
	"time"

	"pressroom/internal/desk"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
)

// taskQueue is what operators know the tasks by.
const taskQueue = "minutes tasks"

// tasks tells of the desk's tasks.
func tasks(d *minutes.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		var r ops.Readings
		counts, err := d.Counts(ctx, desk.CountedMost)
		if err != nil {
			return r, err
		}
		tasks := ops.Queue{Name: taskQueue, Most: desk.CountedMost, Patience: 6 * time.Hour, Path: "/office/minutes", Items: map[string]int{"failed": counts[minutes.Failed]}}
		pending, err := d.Tasks(ctx, minutes.Pending, desk.LookedAt, "")
		if err != nil {
			return r, err
		}
		// The oldest say who works on them, and what is tried again.
		now := time.Now()
		for i, t := range pending.Items {
			if i == 0 {
				tasks.Oldest = desk.Time(t.CreatedAt)
			}
			switch {
			case desk.Time(t.LeaseUntil).After(now):
				tasks.Items["running"]++
			case desk.Time(t.NextAttemptAt).After(now):
				tasks.Items["retrying"]++
			}
		}
		tasks.Items["waiting"] = max(counts[minutes.Pending]-tasks.Items["running"]-tasks.Items["retrying"], 0)
		review := ops.Queue{Name: "minutes review", Most: desk.CountedMost, Patience: 72 * time.Hour, Path: "/office/minutes?status=review", Items: map[string]int{"waiting": counts[minutes.Review]}}
		oldest, err := d.Tasks(ctx, minutes.Review, 1, "")
		if err != nil {
			return r, err
		}
		for _, t := range oldest.Items {
			review.Oldest = desk.Time(t.UpdatedAt)
		}
		failed, err := d.Tasks(ctx, minutes.Failed, desk.LookedAt, "")
		why := desk.Failures{Queue: tasks.Name, Path: "/office/minutes?status=failed"}
		for _, t := range failed.Items {
			why.Add(t.FailureKind, t.LastError, desk.Time(t.UpdatedAt))
		}
		r.Queues, r.Failures = []ops.Queue{tasks, review}, why.Found
		return r, err
	})
}

// requeue puts failed tasks back.
func requeue(d *minutes.Desk) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		n := 0
		for n < desk.RequeuedMost {
			page, err := d.Tasks(ctx, minutes.Failed, desk.LookedAt, "")
			if err != nil || len(page.Items) == 0 {
				return n, err
			}
			for _, t := range page.Items {
				if err := d.Requeue(ctx, t.ID(), false); err != nil && !errors.Is(err, errs.Conflict) {
					return n, err
				}
				n++
			}
		}
		return n, nil
	}
}
