package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/llm"
)

// What a source reads of a list: enough to say what is in it and why it failed,
// however long it is.
const (
	lookedAt     = 100
	countedMost  = 1000
	requeuedMost = 1000
)

// modelKinds are the ways in which a language model fails, as they stand in the
// texts of errors.
var modelKinds = []llm.Kind{
	llm.Unpriced, llm.BudgetExceeded, llm.CircuitOpen, llm.RateLimited, llm.Unauthenticated, llm.TooLong, llm.Overloaded, llm.Disconnected,
	llm.Timeout, llm.Malformed, llm.Refused, llm.Filtered, llm.CutOff, llm.InvalidOutput, llm.BadRequest,
}

// reasonOf is the kind of a failure that is only known by its text. Kinds are few:
// the text itself is shown as an example.
func reasonOf(text string) string {
	lower := strings.ToLower(text)
	for _, known := range []struct{ text, reason string }{
		{"its consumer died", "its consumer died"}, {"no speeches", "no speeches"}, {"connection refused", "connection refused"}, {"no such host", "no such host"},
		{"robots.txt", "robots.txt"}, {"status 4", "answered with 4xx"}, {"status 5", "answered with 5xx"}, {"too short", "too short"}, {"too large", "too large"},
	} {
		if strings.Contains(lower, known.text) {
			return known.reason
		}
	}
	for _, kind := range modelKinds {
		if strings.Contains(text, string(kind)) {
			return string(kind)
		}
	}
	if strings.Contains(lower, "timeout") || strings.Contains(lower, "deadline exceeded") {
		return string(llm.Timeout)
	}
	return "other"
}

// reasons counts failures by their kinds, with the latest of each.
type reasons struct {
	queue, path string
	found       []ops.Failure
}

func (r *reasons) add(text string, at time.Time) {
	reason := reasonOf(text)
	i := slices.IndexFunc(r.found, func(f ops.Failure) bool { return f.Reason == reason })
	if i < 0 {
		i = len(r.found)
		r.found = append(r.found, ops.Failure{Queue: r.queue, Reason: reason, Path: r.path})
	}
	f := &r.found[i]
	f.Count++
	if f.Example == "" || at.After(f.Last) {
		f.Example, f.Last = text, at
	}
}

// storedTime reads a time as desks keep it; zero if there is none.
func storedTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// minutesSource tells of the desk's tasks.
func minutesSource(desk *minutes.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		var r ops.Readings
		counts, err := desk.Counts(ctx, countedMost)
		if err != nil {
			return r, err
		}
		tasks := ops.Queue{Name: "minutes tasks", Most: countedMost, Patience: 6 * time.Hour, Path: "/office/minutes", Items: map[string]int{"failed": counts[minutes.Failed]}}
		pending, err := desk.Tasks(ctx, minutes.Pending, lookedAt, "")
		if err != nil {
			return r, err
		}
		// The oldest say who works on them, and what is tried again.
		now := time.Now()
		for i, t := range pending.Items {
			if i == 0 {
				tasks.Oldest = storedTime(t.CreatedAt)
			}
			switch {
			case storedTime(t.LeaseUntil).After(now):
				tasks.Items["running"]++
			case storedTime(t.NextAttemptAt).After(now):
				tasks.Items["retrying"]++
			}
		}
		tasks.Items["waiting"] = max(counts[minutes.Pending]-tasks.Items["running"]-tasks.Items["retrying"], 0)
		review := ops.Queue{Name: "minutes review", Most: countedMost, Patience: 72 * time.Hour, Path: "/office/minutes?status=review", Items: map[string]int{"waiting": counts[minutes.Review]}}
		oldest, err := desk.Tasks(ctx, minutes.Review, 1, "")
		if err != nil {
			return r, err
		}
		for _, t := range oldest.Items {
			review.Oldest = storedTime(t.UpdatedAt)
		}
		failed, err := desk.Tasks(ctx, minutes.Failed, lookedAt, "")
		why := reasons{queue: tasks.Name, path: "/office/minutes?status=failed"}
		for _, t := range failed.Items {
			why.add(t.LastError, storedTime(t.UpdatedAt))
		}
		r.Queues, r.Failures = []ops.Queue{tasks, review}, why.found
		return r, err
	})
}

// requeueMinutes puts failed tasks back.
func requeueMinutes(desk *minutes.Desk) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		n := 0
		for n < requeuedMost {
			page, err := desk.Tasks(ctx, minutes.Failed, lookedAt, "")
			if err != nil || len(page.Items) == 0 {
				return n, err
			}
			for _, t := range page.Items {
				if err := desk.Requeue(ctx, t.ID(), false); err != nil && !errors.Is(err, errs.Conflict) {
					return n, err
				}
				n++
			}
		}
		return n, nil
	}
}

// shownCrawls is how many crawls the dashboard shows.
const shownCrawls = 6

// newswireSource tells of the desk's articles, retries and crawls.
func newswireSource(desk *newswire.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		var r ops.Readings
		c, err := desk.Counts(ctx)
		if err != nil {
			return r, err
		}
		summaries := ops.Queue{Name: "newswire summaries", Most: newswire.CountMax, Path: "/office/newswire/backlog", Items: map[string]int{"waiting": c.Pending}}
		oldest, err := desk.Backlog(ctx, newswire.Pending, newswire.PageOptions{Limit: 1})
		if err != nil {
			return r, err
		}
		for _, a := range oldest.Items {
			summaries.Oldest = storedTime(a.FetchedAt)
		}
		fetches := ops.Queue{Name: "newswire fetches", Most: newswire.CountMax, Patience: 12 * time.Hour, Path: "/office/newswire/retries?kind=fetch", Items: map[string]int{}}
		r.Failures, err = newswireRetries(ctx, desk, c, &summaries, &fetches)
		if err != nil {
			return r, err
		}
		r.Queues = []ops.Queue{summaries, fetches}
		runs, err := desk.Runs(ctx, newswire.PageOptions{Limit: shownCrawls})
		for _, run := range runs.Items {
			r.Works = append(r.Works, crawlWork(run))
		}
		return r, err
	})
}

// newswireRetries divides what failed into what is tried again and what was given
// up, as far as it looks. Those given up come last in their lists, so that of a
// long one they are not seen; but then enough is wrong to be seen.
func newswireRetries(ctx context.Context, desk *newswire.Desk, c newswire.Counts, summaries, fetches *ops.Queue) ([]ops.Failure, error) {
	var all []ops.Failure
	for _, list := range []struct {
		kind  string
		count int
		queue *ops.Queue
	}{{newswire.FailedSummary, c.RetrySummary, summaries}, {newswire.FailedFetch, c.RetryFetch, fetches}} {
		page, err := desk.RetryBacklog(ctx, list.kind, newswire.PageOptions{Limit: lookedAt})
		if err != nil {
			return nil, err
		}
		why := reasons{queue: list.queue.Name, path: "/office/newswire/retries?kind=" + list.kind}
		for _, t := range page.Items {
			at := storedTime(t.CreatedAt)
			if t.State == newswire.GivenUp {
				list.queue.Items["failed"]++
			} else if list.queue.Oldest.IsZero() || at.Before(list.queue.Oldest) {
				list.queue.Oldest = at
			}
			why.add(t.LastError, at)
		}
		list.queue.Items["retrying"] = list.count - list.queue.Items["failed"]
		all = append(all, why.found...)
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
		Name: "newswire crawl", Subject: run.SiteID, State: crawlStates[run.Status], Started: storedTime(run.StartedAt), Ended: storedTime(run.CompletedAt),
		Done: run.PagesDone, Total: run.PagesQueued, Note: run.ErrorSummary, Path: "/office/newswire/runs/" + run.RunID,
	}
}

// requeueNewswire makes what was given up due again.
func requeueNewswire(desk *newswire.Desk, kind string) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		n, o := 0, newswire.PageOptions{Limit: lookedAt}
		for n < requeuedMost {
			page, err := desk.RetryBacklog(ctx, kind, o)
			if err != nil {
				return n, err
			}
			for _, t := range page.Items {
				if t.State != newswire.GivenUp {
					continue
				}
				if err := desk.Requeue(ctx, kind, t.ArticleID); err != nil && !errors.Is(err, errs.NotFound) && !errors.Is(err, errs.Conflict) {
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

// lexiconSource tells of the submissions that wait for the validator and for
// moderators.
func lexiconSource(desk *lexicon.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		var r ops.Readings
		for _, list := range []struct {
			name, status string
			patience     time.Duration
		}{{"lexicon validation", lexicon.Pending, time.Hour}, {"lexicon moderation", lexicon.Validated, 72 * time.Hour}} {
			page, err := desk.Submissions(ctx, list.status, lexicon.PageRequest{Limit: lookedAt})
			if err != nil {
				return r, err
			}
			q := ops.Queue{Name: list.name, Most: lookedAt, Patience: list.patience, Path: "/lexicon/moderation", Items: map[string]int{"waiting": len(page.Items)}}
			if len(page.Items) > 0 {
				q.Oldest = storedTime(string(page.Items[0].CreatedAt))
			}
			r.Queues = append(r.Queues, q)
		}
		return r, nil
	})
}

// blogSource tells of readers' messages, and of those that no mail server took.
func blogSource(desk *blog.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		page, err := desk.Inbox(ctx, blog.ListOptions{Limit: lookedAt})
		q := ops.Queue{Name: "blog inbox", Most: lookedAt, Patience: 7 * 24 * time.Hour, Path: "/office/blog/inbox", Items: map[string]int{}}
		why := reasons{queue: q.Name, path: q.Path}
		for _, m := range page.Items { // the newest first
			q.Items["waiting"]++
			q.Oldest = m.CreatedAt
			if m.Reason != "" {
				why.add(m.Reason, m.CreatedAt)
			}
		}
		return ops.Readings{Queues: []ops.Queue{q}, Failures: why.found}, err
	})
}
