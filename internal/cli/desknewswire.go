package cli

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"pressroom/internal/cli/catalogue"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/desk/newswire/newswireapi"
	"pressroom/internal/desk/newswire/newswireweb"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
)

// newswireDeskSettings say what the server itself does for the newswire. The
// crawler's own have a name, because other desks have a contact too.
type newswireDeskSettings struct {
	Crawler       crawlerSettings `embed:""`
	CrawlSchedule bool            `name:"crawl-schedule" hidden:"" default:"true" negatable:"" help:"Let the server crawl sites in their windows, retry and summarise; otherwise that is left to \"pressroom crawl --loop\"."`
	CrawlSites    int             `name:"crawl-sites" hidden:"" default:"32" placeholder:"N" help:"How many sites the server crawls at once on schedule."`
}

// mountNewswire builds the newswire with its pages, its JSON and its jobs.
func mountNewswire(ctx context.Context, w *wiring) error {
	if w.set.CrawlSites < 1 {
		return errs.New(errs.Usage, "--crawl-sites must be at least 1; --no-crawl-schedule leaves crawling to others")
	}
	provider, err := w.model(ctx)
	if err != nil {
		return err
	}
	o := w.set.Crawler.options(w.log)
	o.Table, o.Bucket, o.Model, o.Sites = w.set.SummanowTable, w.set.SummanowBucket, provider, w.set.CrawlSites
	if o.CursorKey, err = w.secret("newswire"); err != nil {
		return err
	}
	desk, err := newswire.New(w.tables, w.objects, o)
	if err != nil {
		return err
	}
	// Runs that were begun by hand end with the store, and go on at the next start.
	w.store.add("newswire", func() error { desk.Close(); return nil })
	w.finding.add(catalogue.Newswire(desk, w.set.SummanowTable))
	record := w.onRecord("newswire ")
	if err := newswireweb.Register(w.pages, desk, &newswireweb.Options{Record: record}); err != nil {
		return err
	}
	newswireapi.Register(w.api, desk, record)
	w.ops.watch("newswire", newswireSource(desk), map[string]func(context.Context) (int, error){
		"newswire summaries": requeueNewswire(desk, newswire.FailedSummary), "newswire fetches": requeueNewswire(desk, newswire.FailedFetch),
	})
	if w.demo || !w.set.CrawlSchedule {
		return nil
	}
	crawls := &scheduledCrawls{desk: desk, log: w.log, slots: make(chan struct{}, w.set.CrawlSites)}
	crawls.ctx, crawls.stop = context.WithCancel(context.Background())
	w.store.add("crawls", func() error { crawls.close(); return nil })
	return w.ops.scheduler.Add(newswireJobs(desk, crawls)...)
}

// newswireJobs are the desk's jobs: one process at a time looks what is due. What
// is kept only for a time needs no job: the table and the bucket let it go, and
// the export is before that.
func newswireJobs(desk *newswire.Desk, crawls *scheduledCrawls) []ops.Job {
	return []ops.Job{
		{
			Name: "newswire-crawl", Doc: "Begins crawls of the sites whose window is open, and goes on with those that were cut off.",
			Every: 30 * time.Second, Run: crawls.begin,
		},
		{
			Name: "newswire-retry", Doc: "Fetches again the pages that failed and are due.",
			Every: time.Minute, Timeout: 30 * time.Minute,
			Run: func(ctx context.Context, p *ops.Progress) error {
				n, err := desk.RetryFetches(ctx, retryBatch)
				p.Add(n)
				p.Count("tried", n)
				return err
			},
		},
		{
			Name: "newswire-summarise", Doc: "Has the language model summarise the articles that wait.",
			Every: 20 * time.Second,
			Run:   func(ctx context.Context, p *ops.Progress) error { return summariseJob(ctx, desk, p) },
		},
		{
			Name: "newswire-export", Doc: "Exports the runs of months that are over, before they expire after 90 days.",
			Cron: "15 3 * * *",
			Run: func(ctx context.Context, p *ops.Progress) error {
				keys, err := desk.ExportDue(ctx)
				p.Add(len(keys))
				p.Count("months", len(keys))
				return err
			},
		},
	}
}

// retryBatch is how many pages one run of the job fetches again.
const retryBatch = 200

// summariseJob works until nothing waits.
func summariseJob(ctx context.Context, desk *newswire.Desk, p *ops.Progress) error {
	for {
		n, err := desk.Summarise(ctx, summaryBatch)
		p.Add(n)
		p.Count("tried", n)
		if err != nil || n == 0 {
			return err
		}
	}
}

// scheduledCrawls are the crawls that this process began on schedule. They go on
// after the job that began them, so that a slow site keeps no other waiting.
type scheduledCrawls struct {
	desk  *newswire.Desk
	log   *slog.Logger
	slots chan struct{}

	ctx     context.Context // of the crawls
	stop    context.CancelFunc
	running sync.WaitGroup
}

// begin begins what is due, as far as there are slots; the rest stays due.
func (c *scheduledCrawls) begin(ctx context.Context, p *ops.Progress) error {
	due, err := c.desk.Due(ctx, time.Now())
	if err != nil {
		return err
	}
	p.Of(len(due))
	for _, d := range due {
		select {
		case c.slots <- struct{}{}:
		default:
			p.Note("all slots are taken; the others are begun later")
			return nil
		}
		p.Add(1)
		p.Count("begun", 1)
		c.running.Go(func() {
			defer func() { <-c.slots }()
			c.crawl(d)
		})
	}
	return nil
}

func (c *scheduledCrawls) crawl(d newswire.Due) {
	run, err := c.desk.Crawl(c.ctx, d.Site.SiteID, newswire.CrawlOptions{Trigger: newswire.Scheduled, Until: d.Until})
	switch {
	case c.ctx.Err() != nil:
		// It goes on at the next start.
	case err == nil:
		c.log.Info("crawled", "site", run.SiteID, "run", run.RunID, "status", run.Status, "new", run.NewArticles, "failed", run.FailedArticles)
	case errs.KindOf(err) != errs.Conflict && errs.KindOf(err) != errs.NotFound: // another was faster, or the site is gone
		c.log.Error("crawl", "site", d.Site.SiteID, "error", err)
	}
}

// close cuts the crawls off and waits for them.
func (c *scheduledCrawls) close() {
	c.stop()
	c.running.Wait()
}
