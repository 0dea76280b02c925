package newswire

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Progress is how far a run is.
type Progress struct {
	Run    CrawlRun // the counts so far
	URL    string   // what was handled last
	Done   int      // pages handled by this process
	Queued int      // pages that it queued
}

// CrawlOptions say how a site is crawled.
type CrawlOptions struct {
	// Trigger is Manual or Scheduled; default Manual.
	Trigger string
	// Until is when the run must stop; default the desk's MaxRun from now.
	Until time.Time
	// Progress is told after every page, one call at a time; may be nil.
	Progress func(Progress)
}

// crawl is a run in this process.
type crawl struct {
	desk     *Desk
	site     Site
	scope    scope
	loc      *time.Location
	robots   *robotsFor
	seats    seats
	log      *runLog
	progress func(Progress)
	guessed  string  // a sitemap that nobody named
	signals  Signals // of the site
	licences licences

	mu          sync.Mutex
	run         CrawlRun
	seen        map[pageID]bool // addresses that were met; true if also by the time of a change
	queuedPages int
	fresh       []pageItem // queued lately, and not yet given to workers
	unread      bool       // the queue in the table has more than those
	donePages   int
	full        bool // MaxPages was reached
	problems    []string
	failures    int // pages that were not fetched
	seedsFailed int // of depth 0
	seedsDone   int //

	handled map[pageID]struct{} // pages that were given to workers; the dispatcher's own
	at      string              // the place in the queue up to which it has read
}

// Crawl runs over a site until its frontier is empty or its time is up, and
// returns the run as it ended. A run that a killed process left is gone on with.
// It is errs.Conflict if the site is being crawled, errs.NotFound if there is no
// such site. That pages fail is no error of Crawl: the run says so.
func (d *Desk) Crawl(ctx context.Context, site string, o CrawlOptions) (CrawlRun, error) {
	c, held, release, err := d.begin(ctx, site, o)
	if err != nil {
		return CrawlRun{}, err
	}
	defer release()
	return c.toEnd(held)
}

// Start is Crawl in the background: it returns the run as it begins. The run ends
// with the desk, at the latest.
func (d *Desk) Start(_ context.Context, site string, o CrawlOptions) (CrawlRun, error) {
	c, held, release, err := d.begin(d.ctx, site, o)
	if err != nil {
		return CrawlRun{}, err
	}
	run := c.run
	d.running.Go(func() {
		defer release()
		if _, err := c.toEnd(held); err != nil && d.ctx.Err() == nil {
			d.opt.Log.Error("newswire: a run failed", "site", site, "run", run.RunID, "error", err)
		}
	})
	return run, nil
}

// begin claims the site and begins a run, or takes one up.
func (d *Desk) begin(ctx context.Context, id string, o CrawlOptions) (c *crawl, held context.Context, release func(), err error) {
	site, err := d.GetSite(ctx, id)
	if err != nil {
		return nil, nil, nil, err
	}
	if held, release, err = d.claimSite(ctx, id); err != nil {
		return nil, nil, nil, err
	}
	if c, err = d.newCrawl(held, site, o); err != nil {
		release()
		return nil, nil, nil, err
	}
	return c, held, release, nil
}

func (d *Desk) newCrawl(ctx context.Context, site Site, o CrawlOptions) (*crawl, error) {
	c := &crawl{
		desk: d, site: site, scope: site.scope(), loc: site.zone(), robots: newRobots(d), progress: o.Progress,
		seats: make(seats, d.opt.Workers), seen: map[pageID]bool{}, unread: true, handled: map[pageID]struct{}{},
	}
	run, left, err := d.unfinished(ctx, site.SiteID)
	if err != nil {
		return nil, err
	}
	if left {
		err = d.recount(ctx, &run)
	} else {
		run, err = d.newRun(ctx, &site, orElse(o.Trigger, Manual), until(d, o))
	}
	if err != nil {
		return nil, err
	}
	c.run = run
	if c.log, err = d.openLog(ctx, &run, site.BaseURL); err != nil {
		return nil, err
	}
	event := "begin"
	if left {
		event = "go on"
	}
	c.log.info(event, LogLine{URL: site.BaseURL, Detail: run.TriggerType})
	return c, nil
}

func until(d *Desk, o CrawlOptions) time.Time {
	if o.Until.IsZero() {
		return d.now().Add(d.opt.MaxRun)
	}
	return o.Until
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// errTime is a run whose time is up.
var errTime = errors.New("the time of the run is up")

// toEnd works until the frontier is empty, and writes how the run ended. If ctx
// ends, the run stays as it is, to be gone on with.
func (c *crawl) toEnd(ctx context.Context) (CrawlRun, error) {
	left := timeOf(c.run.EndsAt).Sub(c.desk.now())
	timed, cancel := context.WithTimeoutCause(ctx, max(left, 0), errTime)
	defer cancel()
	flushing, stop := context.WithCancel(ctx)
	var flusher sync.WaitGroup
	flusher.Go(func() { c.keepFlushing(flushing) })
	err := c.listen(timed)
	if err == nil {
		err = c.work(timed)
	}
	stop()
	flusher.Wait()
	switch {
	case errors.Is(context.Cause(ctx), model.ErrLost): // the run is another's, with its counts and its log
		return c.snapshot(), model.ErrLost
	case ctx.Err() != nil:
		return c.pausedRun(ctx)
	}
	if err != nil && !errors.Is(context.Cause(timed), errTime) {
		c.problem("stop", LogLine{Detail: err.Error()})
	}
	return c.end(ctx, err, errors.Is(context.Cause(timed), errTime))
}

// pausedRun leaves the run as running: whoever takes it up finds its counts and
// its log.
func (c *crawl) pausedRun(ctx context.Context) (CrawlRun, error) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	c.log.info("pause", LogLine{Detail: "the process is stopping"})
	run := c.snapshot()
	return run, errors.Join(ctx.Err(), c.desk.saveCounts(last, run), c.log.flush(last))
}

// end writes the end of the run.
func (c *crawl) end(ctx context.Context, failed error, timeUp bool) (CrawlRun, error) {
	run := c.snapshot()
	status := c.verdict(failed, timeUp)
	run.ErrorSummary = c.errorSummary(failed, timeUp)
	if status == Success {
		run.ErrorSummary = ""
	}
	c.log.info("end", LogLine{Detail: fmt.Sprintf("%s: %d articles met, %d new, %d updated, %d failed, %d requests",
		status, run.ProcessedCount, run.NewArticles, run.UpdatedArticles, run.FailedArticles, run.Requests)})
	if err := c.log.flush(ctx); err != nil {
		return run, err
	}
	return run, c.desk.finishRun(ctx, &run, status)
}

func (c *crawl) verdict(failed error, timeUp bool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	nothing := c.run.ProcessedCount == c.run.FailedArticles
	switch {
	case nothing && !timeUp && (failed != nil && c.donePages == 0 || c.seedsDone == 0 && c.seedsFailed > 0):
		return Failed
	case failed != nil || timeUp || c.full || c.failures > 0:
		return Partial
	}
	return Success
}

func (c *crawl) errorSummary(failed error, timeUp bool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := ""
	add := func(s string) {
		if text != "" {
			text += "; "
		}
		text += s
	}
	if timeUp {
		add("the time was up; the rest is queued for the next run")
	} else if failed != nil {
		add(failed.Error())
	}
	if c.full {
		add(fmt.Sprintf("more than %d pages", c.desk.opt.MaxPages))
	}
	for _, p := range c.problems {
		add(p)
	}
	if more := c.failures - len(c.problems); more > 0 && len(c.problems) > 0 {
		add(fmt.Sprintf("and %d more", more))
	}
	return text
}

// perSeat is how many workers there are for each page that may be fetched and read
// at a time. The others wait for the store, which syncs what many of them write
// with one sync.
const perSeat = 8

// work queues the seeds and hands pages to workers until there are none.
func (c *crawl) work(ctx context.Context) error {
	if err := c.seeds(ctx); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	todo := make(chan pageItem)
	finished := make(chan error)
	for range perSeat * c.desk.opt.Workers {
		go func() {
			for p := range todo {
				finished <- c.handle(ctx, p)
			}
		}()
	}
	defer close(todo)
	return c.dispatch(ctx, todo, finished)
}

// dispatch reads the queue and feeds the workers. It returns when all of them are
// idle and the queue is empty, or, after an error, when all are idle.
func (c *crawl) dispatch(ctx context.Context, todo chan<- pageItem, finished <-chan error) error {
	var waiting []pageItem
	var failed error
	busy := 0
	took := func(err error) {
		busy--
		if err != nil && failed == nil {
			failed = err
		}
	}
	for {
		if len(waiting) == 0 && failed == nil && ctx.Err() == nil {
			var err error
			if waiting, err = c.next(ctx, busy == 0); err != nil {
				failed = err
			}
		}
		if failed != nil || ctx.Err() != nil {
			waiting = nil
		}
		switch {
		case len(waiting) > 0:
			select {
			case todo <- waiting[0]:
				waiting = waiting[1:]
				busy++
			case err := <-finished:
				took(err)
			}
		case busy > 0:
			took(<-finished)
		default:
			return errors.Join(failed, ctx.Err())
		}
	}
}

// handle works on one page. Its error ends the run: one of the store, or the end
// of the run's time. A page that was begun and not finished stays queued.
func (c *crawl) handle(ctx context.Context, p pageItem) error {
	if ctx.Err() != nil {
		return nil
	}
	err := c.visit(ctx, p)
	var later *errLater
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.As(err, &later):
		c.problem("later", LogLine{URL: p.URL, Detail: later.Error()})
		return later
	case err != nil:
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.donePages++
	c.run.PagesDone++
	if c.progress != nil {
		c.progress(Progress{Run: c.run, URL: p.URL, Done: c.donePages, Queued: c.queuedPages})
	}
	return nil
}

func (c *crawl) snapshot() CrawlRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run
}

// met counts an article.
func (c *crawl) met(outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run.count(outcome)
}

// maxProblems is how many problems a run's summary tells.
const toldProblems = 5

// problem logs what went wrong and remembers it for the run's summary.
func (c *crawl) problem(event string, line LogLine) {
	c.log.problem(event, line)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures++
	if len(c.problems) < toldProblems {
		c.problems = append(c.problems, fmt.Sprintf("%s: %s", orElse(line.URL, event), line.Detail))
	}
}

// permitted asks robots.txt about an address, and returns the interval that holds
// at its host.
func (c *crawl) permitted(ctx context.Context, u *url.URL) (interval time.Duration, because string, err error) {
	interval = c.site.interval()
	rules, err := c.robots.get(ctx, u, interval)
	if err != nil {
		return interval, "", err
	}
	group := rules.For(Agent)
	interval = max(interval, group.Delay)
	if ok, rule := group.Allowed(u.RequestURI()); !ok {
		return interval, rule, errs.Forbidden
	}
	return interval, "", nil
}
