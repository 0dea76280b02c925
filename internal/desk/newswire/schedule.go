package newswire

import (
	"context"
	"errors"
	"sync"
	"time"

	"pressroom/internal/errs"
)

// Due is a site that should be crawled now.
type Due struct {
	Site   Site
	Until  time.Time // when the run must stop
	Resume bool      // a process left its run unfinished
}

// Due returns the sites to crawl at a time: those whose window is open and which
// had no run in it yet, and those whose run was left by a process that is gone.
// Paused sites are not among them, nor are those that are being crawled.
func (d *Desk) Due(ctx context.Context, now time.Time) ([]Due, error) {
	sites, err := d.Sites(ctx, "")
	if err != nil {
		return nil, err
	}
	var due []Due
	for _, s := range sites {
		if s.Paused {
			continue
		}
		entry, ok, err := d.dueSite(ctx, s, now)
		if err != nil {
			return nil, err
		}
		if ok {
			due = append(due, entry)
		}
	}
	return due, nil
}

func (d *Desk) dueSite(ctx context.Context, s Site, now time.Time) (Due, bool, error) {
	from, to, open := s.OpenWindow(now)
	last, left, err := d.unfinished(ctx, s.SiteID)
	if err != nil || !open && !left {
		return Due{}, false, err
	}
	if left {
		busy, err := d.isCrawled(ctx, s.SiteID)
		return Due{Site: s, Until: timeOf(last.EndsAt), Resume: true}, err == nil && !busy, err
	}
	if last.StartedAt >= stamp(from) {
		return Due{}, false, nil // it had its run in this window
	}
	return Due{Site: s, Until: to}, true, nil
}

// CrawlDue crawls all sites that are due, many at once, and returns their runs. A
// slow site holds up nobody but itself. An error of one site does not keep the
// others from being crawled; all are returned together. progress may be nil.
func (d *Desk) CrawlDue(ctx context.Context, progress func(Progress)) ([]CrawlRun, error) {
	due, err := d.Due(ctx, d.now())
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var runs []CrawlRun
	var failed error
	slots := make(chan struct{}, d.opt.Sites)
	var all sync.WaitGroup
	for _, s := range due {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			all.Wait()
			return runs, errors.Join(failed, ctx.Err())
		}
		all.Go(func() {
			defer func() { <-slots }()
			run, err := d.Crawl(ctx, s.Site.SiteID, CrawlOptions{Trigger: Scheduled, Until: s.Until, Progress: progress})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				runs = append(runs, run)
			case errs.KindOf(err) != errs.Conflict: // another process was faster
				failed = errors.Join(failed, err)
			}
		})
	}
	all.Wait()
	return runs, failed
}

// Report is what a round of the desk did.
type Report struct {
	Runs       []CrawlRun
	Retried    int // pages
	Summarised int // articles
	Exported   []string
}

// roundLimit is how many retries and how many summaries one round works on.
const roundLimit = 200

// RunOnce does everything that is due, once: crawls, retries, summaries and
// exports. It is what a scheduler calls every minute; any number of processes may.
// What fails does not keep the rest from being done.
func (d *Desk) RunOnce(ctx context.Context) (Report, error) {
	var r Report
	var failed [4]error
	r.Runs, failed[0] = d.CrawlDue(ctx, nil)
	r.Retried, failed[1] = d.RetryFetches(ctx, roundLimit)
	r.Summarised, failed[2] = d.Summarise(ctx, roundLimit)
	r.Exported, failed[3] = d.ExportDue(ctx)
	return r, errors.Join(failed[:]...)
}
