package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/outbound"
)

// newswireSettings are what the commands of the newswire desk share.
type newswireSettings struct {
	targetSettings
	nameSettings
	llmSettings
	commonSettings
	crawlerSettings
}

// crawlerSettings say how sites are asked.
type crawlerSettings struct {
	Contact      string        `name:"crawl-contact" placeholder:"URL" help:"Where the owner of a crawled site reaches you: a URL or a mailto: address. It is sent with every request; default operator@ this machine."`
	CrawlAllow   []string      `name:"crawl-allow" hidden:"" placeholder:"HOST" help:"Hosts, addresses and networks that may be crawled although they are inside, such as 127.0.0.1:8081."`
	CrawlPages   int           `name:"crawl-max-pages" default:"2000" hidden:"" placeholder:"N" help:"The most pages that one run queues."`
	CrawlTimeout time.Duration `name:"crawl-timeout" default:"30s" hidden:"" placeholder:"TIME" help:"How long a page may take."`
}

// contact is the address that sites are told.
func (s crawlerSettings) contact() string {
	if s.Contact != "" {
		return s.Contact
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return "mailto:operator@" + host
}

// options are the desk's options, without a model.
func (s crawlerSettings) options(log *slog.Logger) *newswire.Options {
	return &newswire.Options{
		Contact: s.contact(), Log: log, MaxPages: s.CrawlPages,
		Outbound: &outbound.Options{Allow: s.CrawlAllow, Timeout: s.CrawlTimeout},
	}
}

// open returns the desk on its store, whose table and bucket are made if they are
// missing; the closer closes both.
func (s newswireSettings) open(r *run) (*newswire.Desk, func() error, error) {
	log := r.logger(s.commonSettings)
	st, err := s.targetSettings.open(r.ctx, endpointSettings{}, log)
	if err != nil {
		return nil, nil, err
	}
	provider, err := s.onStore(r.ctx, st, s.nameSettings, log, newswire.Schema.Named(s.nameOf))
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	o := s.options(log)
	o.Table, o.Bucket, o.Model = s.SummanowTable, s.SummanowBucket, provider
	d, err := newswire.New(st.db, st.client, o)
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return d, func() error { d.Close(); return st.Close() }, nil
}

// with opens the desk for fn and closes it.
func (s newswireSettings) with(r *run, fn func(*newswire.Desk) error) (err error) {
	d, closeDesk, err := s.open(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDesk()) }()
	var said *errs.Error
	if err = fn(d); errors.Is(err, errs.NotFound) && !errors.As(err, &said) {
		err = errs.Wrap(err, errs.NotFound, "there is nothing of that name; see \"pressroom site list\" and \"pressroom site retries\"")
	}
	return err
}

// crawlCmd crawls sites and summarises what they published.
type crawlCmd struct {
	newswireSettings
	Site        []string      `setting:"-" placeholder:"ID" help:"Crawl this site now, whatever its windows say; may be repeated. Default: the sites whose window is open, and runs that were cut off."`
	Loop        bool          `setting:"-" help:"Go on for ever: look every minute what is due."`
	Every       time.Duration `setting:"-" default:"1m" hidden:"" help:"How often the loop looks."`
	NoSummaries bool          `setting:"-" help:"Only crawl; leave the summaries to another process."`
	JSON        bool          `setting:"-" name:"json" help:"Print JSON, one run a line."`
}

// Help is the text under the command's usage line.
func (crawlCmd) Help() string {
	return `Fetches what is new on the sites, keeps it, tries again what failed, and summarises. What
robots.txt forbids is not asked for. Interrupted or killed, the same command goes on where
it was. To run beside a server that has the data directory open, use --store aws with
AWS_ENDPOINT_URL set to the server's --aws-addr.`
}

// Run crawls once, or until interrupted.
func (c *crawlCmd) Run(r *run) error {
	if c.Loop && len(c.Site) > 0 {
		return errs.New(errs.Usage, "--loop looks at all sites; leave out --site")
	}
	return c.with(r, func(d *newswire.Desk) error {
		for {
			err := c.round(r, d)
			if !c.Loop || r.ctx.Err() != nil {
				return interrupted(r, err)
			}
			if err != nil {
				r.logger(c.commonSettings).Error("crawl", "error", err)
			}
			select {
			case <-r.ctx.Done():
				return nil
			case <-time.After(c.Every):
			}
		}
	})
}

func interrupted(r *run, err error) error {
	if err != nil && r.ctx.Err() != nil {
		return errs.Wrap(err, errs.Canceled, "interrupted; the same command goes on from there")
	}
	return err
}

// round crawls, retries and summarises once. What fails does not keep the rest
// from being done.
func (c *crawlCmd) round(r *run, d *newswire.Desk) error {
	bar := &crawlProgress{show: progress(r.Stderr), sites: map[string]newswire.Progress{}}
	runs, failed := c.crawl(r, d, bar)
	bar.show("")
	for _, run := range runs {
		failed = errors.Join(failed, c.print(r, run))
	}
	if r.ctx.Err() != nil {
		return failed
	}
	if len(c.Site) == 0 {
		n, err := d.RetryFetches(r.ctx, summaryBatch)
		failed = errors.Join(failed, err)
		if n > 0 {
			fmt.Fprintf(r.Stderr, "%d pages tried again\n", n)
		}
		_, err = d.ExportDue(r.ctx)
		failed = errors.Join(failed, err)
	}
	if c.NoSummaries {
		return failed
	}
	return errors.Join(failed, c.summarise(r, d))
}

func (c *crawlCmd) crawl(r *run, d *newswire.Desk, bar *crawlProgress) (runs []newswire.CrawlRun, failed error) {
	if len(c.Site) == 0 {
		return d.CrawlDue(r.ctx, bar.step)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, id := range c.Site {
		all.Go(func() {
			run, err := d.Crawl(r.ctx, id, newswire.CrawlOptions{Progress: bar.step})
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
func (c *crawlCmd) print(r *run, run newswire.CrawlRun) error {
	if c.JSON {
		if err := compact(r.Stdout, run); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(r.Stdout, "%s: %s, %d articles, %d new, %d updated, %d failed, %d requests (run %s)\n", run.SiteID, run.Status,
			run.ProcessedCount, run.NewArticles, run.UpdatedArticles, run.FailedArticles, run.Requests, run.RunID)
		if run.ErrorSummary != "" {
			fmt.Fprintf(r.Stdout, "  %s\n", run.ErrorSummary)
		}
	}
	if run.Status == newswire.Failed {
		return errs.New(errs.Unavailable, "%s could not be crawled: %s", run.SiteID, run.ErrorSummary)
	}
	return nil
}

// summaryBatch is how many summaries are written between two lines of progress.
const summaryBatch = 20

func (c *crawlCmd) summarise(r *run, d *newswire.Desk) error {
	show := progress(r.Stderr)
	total := 0
	for {
		n, err := d.Summarise(r.ctx, summaryBatch)
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
