package newswiredesk

import (
	"context"
	"errors"
	"time"

	"pressroom/internal/desk"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
)

// What operators know the queues by.
const (
	summaryQueue = "newswire summaries"
	fetchQueue   = "newswire fetches"
)

// shownCrawls is how many crawls the dashboard shows.
const shownCrawls = 6

// queues tells of the desk's articles, retries and crawls.
func queues(d *newswire.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		var r ops.Readings
		c, err := d.Counts(ctx)
		if err != nil {
			return r, err
		}
		summaries := ops.Queue{Name: summaryQueue, Most: newswire.CountMax, Path: "/office/newswire/backlog", Items: map[string]int{"waiting": c.Pending}}
		oldest, err := d.Backlog(ctx, newswire.Pending, newswire.PageOptions{Limit: 1})
		if err != nil {
			return r, err
		}
		for _, a := range oldest.Items {
			summaries.Oldest = desk.Time(a.FetchedAt)
		}
		fetches := ops.Queue{Name: fetchQueue, Most: newswire.CountMax, Patience: 12 * time.Hour, Path: "/office/newswire/retries?kind=fetch", Items: map[string]int{}}
		r.Failures, err = retries(ctx, d, c, &summaries, &fetches)
		if err != nil {
			return r, err
		}
		r.Queues = []ops.Queue{summaries, fetches}
		runs, err := d.Runs(ctx, newswire.PageOptions{Limit: shownCrawls})
		for _, run := range runs.Items {
			r.Works = append(r.Works, crawlWork(run))
		}
		return r, err
	})
}

// retries divides what failed into what is tried again and what was given
// up, as far as it looks. Those given up come last in their lists, so that of a
// long one they are not seen; but then enough is wrong to be seen.
func retries(ctx context.Context, d *newswire.Desk, c newswire.Counts, summaries, fetches *ops.Queue) ([]ops.Failure, error) {
	var all []ops.Failure
	for _, list := range []struct {
		kind  string
		count int
		queue *ops.Queue
	}{{newswire.FailedSummary, c.RetrySummary, summaries}, {newswire.FailedFetch, c.RetryFetch, fetches}} {
		page, err := d.RetryBacklog(ctx, list.kind, newswire.PageOptions{Limit: desk.LookedAt})
		if err != nil {
			return nil, err
		}
		why := desk.Failures{Queue: list.queue.Name, Path: "/office/newswire/retries?kind=" + list.kind}
		for _, t := range page.Items {
			at := desk.Time(t.CreatedAt)
			if t.State == newswire.GivenUp {
				list.queue.Items["failed"]++
			} else if list.queue.Oldest.IsZero() || at.Before(list.queue.Oldest) {
				list.queue.Oldest = at
			}
			why.Add(t.FailureKind, t.LastError, at)
		}
		list.queue.Items["retrying"] = list.count - list.queue.Items["failed"]
		all = append(all, why.Found...)
	}
	// An article without a retry has failed for good, or is too short for a summary.
	if n := c.SummaryFailed - c.RetrySummary; n > 0 {
		summaries.Items["unsummarised"] = n
	}
	return all, nil
}

var crawlStates = map[string]string{newswire.Running: ops.Running, newswire.Success: ops.Done, newswire.Partial: ops.Partial, newswire.Failed: ops.Failed}

func crawlWork(run newswire.CrawlRun) ops.Work {
	return ops.Work{
		Name: "newswire crawl", Subject: run.SiteID, State: crawlStates[run.Status], Started: desk.Time(run.StartedAt), Ended: desk.Time(run.CompletedAt),
		Done: run.PagesDone, Total: run.PagesQueued, Note: run.ErrorSummary, Path: "/office/newswire/runs/" + run.RunID,
	}
}

// requeue makes what was given up due again.
func requeue(d *newswire.Desk, kind string) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		n, o := 0, newswire.PageOptions{Limit: desk.LookedAt}
		for n < desk.RequeuedMost {
			page, err := d.RetryBacklog(ctx, kind, o)
			if err != nil {
				return n, err
			}
			for _, t := range page.Items {
				if t.State != newswire.GivenUp {
					continue
				}
				if err := d.Requeue(ctx, kind, t.ArticleID); err != nil && !errors.Is(err, errs.NotFound) && !errors.Is(err, errs.Conflict) {
					return n, err
				}
				n++
			}
			if o.Cursor = page.Next; o.Cursor == "" {
				break
			}
		}
		return n, nil
	}
}
