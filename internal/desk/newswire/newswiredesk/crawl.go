package newswiredesk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"pressroom/internal/desk"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
)

const crawlHelp = `Fetches what is new on the sites, keeps it, tries again what failed, and summarises. What
robots.txt forbids is not asked for. Interrupted or killed, the same command goes on where
it was. To run beside a server that has the data directory open, use --store aws with
AWS_ENDPOINT_URL set to the server's --aws-addr.`

// with opens the desk for fn and closes it.
func with(t *desk.Terminal, fn func(*newswire.Desk) error) error {
	room, err := t.Open()
	if err != nil {
		return err
	}
	d, err := build(t.Context, room)
	if err != nil {
		return err
	}
	defer d.Close()
	var said *errs.Error
	if err = fn(d); errors.Is(err, errs.NotFound) && !errors.As(err, &said) {
		err = errs.Wrap(err, errs.NotFound, "there is nothing of that name; see \"pressroom site list\" and \"pressroom site retries\"")
	}
	return err
}

// crawlCmd crawls sites and summarises what they published.
type crawlCmd struct {
	Site        []string      `setting:"-" placeholder:"ID" help:"Crawl this site now, whatever its windows say; may be repeated. Default: the sites whose window is open, and runs that were cut off."`
	Loop        bool          `setting:"-" help:"Go on for ever: look every minute what is due."`
	Every       time.Duration `setting:"-" default:"1m" hidden:"" help:"How often the loop looks."`
	NoSummaries bool          `setting:"-" help:"Only crawl; leave the summaries to another process."`
	JSON        bool          `setting:"-" name:"json" help:"Print JSON, one run a line."`
}

// Run crawls once, or until interrupted.
func (c *crawlCmd) Run(t *desk.Terminal) error {
	if c.Loop && len(c.Site) > 0 {
		return errs.New(errs.Usage, "--loop looks at all sites; leave out --site")
	}
	return with(t, func(d *newswire.Desk) error {
		for {
			err := c.round(t, d)
			if !c.Loop || t.Context.Err() != nil {
				return interrupted(t, err)
			}
			if err != nil {
				t.Log.Error("crawl", "error", err)
			}
			select {
			case <-t.Context.Done():
				return nil
			case <-time.After(c.Every):
			}
		}
	})
}

func interrupted(t *desk.Terminal, err error) error {
	if err != nil && t.Context.Err() != nil {
		return errs.Wrap(err, errs.Canceled, "interrupted; the same command goes on from there")
	}
	return err
}

// round crawls, retries and summarises once. What fails does not keep the rest
// from being done.
func (c *crawlCmd) round(t *desk.Terminal, d *newswire.Desk) error {
	bar := &crawlProgress{show: t.Progress(), sites: map[string]newswire.Progress{}}
	runs, failed := c.crawl(t, d, bar)
	bar.show("")
	for _, run := range runs {
		failed = errors.Join(failed, c.print(t, run))
	}
	if t.Context.Err() != nil {
		return failed
	}
	if len(c.Site) == 0 {
		n, err := d.RetryFetches(t.Context, summaryBatch)
		failed = errors.Join(failed, err)
		if n > 0 {
			fmt.Fprintf(t.Err, "%d pages tried again\n", n)
		}
		_, _, err = d.ReadSignalsDue(t.Context)
		failed = errors.Join(failed, err)
		_, err = d.ExportDue(t.Context)
		failed = errors.Join(failed, err)
	}
	if c.NoSummaries {
		return failed
	}
	return errors.Join(failed, c.summarise(t, d))
}

func (c *crawlCmd) crawl(t *desk.Terminal, d *newswire.Desk, bar *crawlProgress) (runs []newswire.CrawlRun, failed error) {
	if len(c.Site) == 0 {
		return d.CrawlDue(t.Context, bar.step)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, id := range c.Site {
		all.Go(func() {
			run, err := d.Crawl(t.Context, id, newswire.CrawlOptions{Progress: bar.step})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				runs = append(runs, run)
			case errors.Is(err, errs.NotFound):
				failed = errors.Join(failed, errs.Wrap(err, errs.NotFound, "there is no site %s; see \"pressroom site list\"", id))
			default:
				failed = errors.Join(failed, err)
			}
		})
	}
	all.Wait()
	slices.SortFunc(runs, func(a, b newswire.CrawlRun) int { return strings.Compare(a.SiteID, b.SiteID) })
	return runs, failed
}

// print tells how a run ended. A run that failed as a whole is an error of the
// command.
func (c *crawlCmd) print(t *desk.Terminal, run newswire.CrawlRun) error {
	if c.JSON {
		if err := t.JSONLine(run); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(t.Out, "%s: %s, %d articles, %d new, %d updated, %d failed, %d requests (run %s)\n", run.SiteID, run.Status,
			run.ProcessedCount, run.NewArticles, run.UpdatedArticles, run.FailedArticles, run.Requests, run.RunID)
		if run.ErrorSummary != "" {
			fmt.Fprintf(t.Out, "  %s\n", run.ErrorSummary)
		}
	}
	if run.Status == newswire.Failed {
		return errs.New(errs.Unavailable, "%s could not be crawled: %s", run.SiteID, run.ErrorSummary)
	}
	return nil
}

// summaryBatch is how many summaries are written between two lines of progress.
const summaryBatch = 20

func (c *crawlCmd) summarise(t *desk.Terminal, d *newswire.Desk) error {
	show := t.Progress()
	total := 0
	for {
		n, err := d.Summarise(t.Context, summaryBatch)
		total += n
		if total > 0 {
			show(fmt.Sprintf("%d articles summarised or tried", total))
		}
		if err != nil || n == 0 {
			show("")
			return err
		}
	}
}

// crawlProgress is one line over all sites that are being crawled.
type crawlProgress struct {
	mu    sync.Mutex
	show  func(string)
	last  time.Time
	sites map[string]newswire.Progress
}

// step takes one site's progress. A terminal need not be written to for every
// page.
func (b *crawlProgress) step(p newswire.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sites[p.Run.SiteID] = p
	if time.Since(b.last) < 100*time.Millisecond {
		return
	}
	b.last = time.Now()
	var done, queued, fresh, failed int
	for _, s := range b.sites {
		done, queued, fresh, failed = done+s.Done, queued+s.Queued, fresh+s.Run.NewArticles, failed+s.Run.FailedArticles
	}
	b.show(fmt.Sprintf("%d sites: %d of %d pages, %d new articles, %d failed; %.60s", len(b.sites), done, max(done, queued), fresh, failed, p.URL))
}
