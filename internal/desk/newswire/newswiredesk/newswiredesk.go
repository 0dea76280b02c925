// Package newswiredesk declares the newswire as a desk of the newsroom: its settings,
// pages, JSON, jobs, queues, documents and commands, put together.
//
// Start with [Desk]; crawl.go and site.go are the commands, queue.go tells of articles,
// retries and crawls.
package newswiredesk

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/desk"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/desk/newswire/newswireapi"
	"pressroom/internal/desk/newswire/newswireweb"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/outbound"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// Desk is the newswire.
var Desk = desk.Desk{
	Schema:   newswire.Schema,
	Models:   true,
	Outside:  true,
	Settings: func() any { return new(Settings) },
	Open:     open,
	Commands: []desk.Command{
		{Name: "crawl", Help: "Crawl news sites and summarise what they published.", Detail: crawlHelp, Models: true, Run: func() desk.Runner { return new(crawlCmd) }},
		sites, imports,
		desk.Eval("news", "Score the excerpts of news.", evalHelp, "texts", evaluate),
	},
}

// Settings say how sites are asked, and what the server itself does for the desk.
type Settings struct {
	Contact      string        `name:"crawl-contact" placeholder:"URL" help:"Where the owner of a crawled site reaches you: a URL or a mailto: address. It is sent with every request; default operator@ this machine."`
	CrawlAllow   []string      `name:"crawl-allow" hidden:"" placeholder:"HOST" help:"Hosts, addresses and networks that may be crawled although they are inside, such as 127.0.0.1:8081."`
	CrawlPages   int           `name:"crawl-max-pages" default:"2000" hidden:"" placeholder:"N" help:"The most pages that one run queues."`
	CrawlTimeout time.Duration `name:"crawl-timeout" default:"30s" hidden:"" placeholder:"TIME" help:"How long a page may take."`

	CrawlSchedule bool `name:"crawl-schedule" hidden:"" default:"true" negatable:"" help:"Let the server crawl sites in their windows, retry and summarise; otherwise that is left to \"pressroom crawl --loop\"."`
	CrawlSites    int  `name:"crawl-sites" hidden:"" default:"32" placeholder:"N" help:"How many sites the server crawls at once on schedule."`
}

// contact is the address that sites are told.
func (s *Settings) contact() string {
	if s.Contact != "" {
		return s.Contact
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return "mailto:operator@" + host
}

func build(ctx context.Context, room *desk.Room) (*newswire.Desk, error) {
	set := room.Settings.(*Settings)
	if set.CrawlSites < 1 {
		return nil, errs.New(errs.Usage, "--crawl-sites must be at least 1; --no-crawl-schedule leaves crawling to others")
	}
	provider, err := room.Provider(ctx)
	if err != nil {
		return nil, err
	}
	return newswire.New(room.Tables, room.Objects, &newswire.Options{
		Table: room.Table("SUMMANOW_TABLE"), Bucket: room.Bucket("SUMMANOW_BUCKET"), CursorKey: room.Key, Stories: room.Stories, Erased: room.Erased, Log: room.Log,
		Model: provider, ReviewUnproved: room.ReviewUnproved, Sites: set.CrawlSites, Contact: set.contact(), MaxPages: set.CrawlPages,
		Outbound: &outbound.Options{Allow: set.CrawlAllow, Timeout: set.CrawlTimeout},
	})
}

// open builds the newswire with its pages, its JSON and its jobs. Runs that were
// begun by hand end with it, and go on at the next start.
func open(ctx context.Context, room *desk.Room) (*desk.Parts, error) {
	d, err := build(ctx, room)
	if err != nil {
		return nil, err
	}
	set := room.Settings.(*Settings)
	record := room.On("newswire ")
	parts := &desk.Parts{
		Pages: func(site *web.Site, _ *search.Service) error {
			return newswireweb.Register(site, d, &newswireweb.Options{Record: record})
		},
		JSON:  func(a *api.API) { newswireapi.Register(a, d, record) },
		Shelf: d.Shelf(), Traces: d.Traces(),
		Editor: editor(d),
		Watch:  queues(d),
		Requeue: map[string]func(context.Context) (int, error){
			summaryQueue: requeue(d, newswire.FailedSummary), fetchQueue: requeue(d, newswire.FailedFetch),
		},
		Check: d.Check,
		Close: d.Close,
	}
	if room.Demo || !set.CrawlSchedule {
		return parts, nil
	}
	crawls := &scheduledCrawls{desk: d, log: room.Log, slots: make(chan struct{}, set.CrawlSites)}
	crawls.ctx, crawls.stop = context.WithCancel(context.Background())
	parts.Jobs = jobs(d, crawls)
	parts.Close = func() {
		crawls.close()
		d.Close()
	}
	return parts, nil
}

// jobs are the desk's jobs: one process at a time looks what is due. What
// is kept only for a time needs no job: the table and the bucket let it go, and
// the export is before that.
func jobs(d *newswire.Desk, crawls *scheduledCrawls) []ops.Job {
	return []ops.Job{
		{
			Name: "newswire-crawl", Doc: "Begins crawls of the sites whose window is open, and goes on with those that were cut off.",
			Every: 30 * time.Second, Outside: true, Run: crawls.begin,
		},
		{
			Name: "newswire-retry", Doc: "Fetches again the pages that failed and are due.",
			Every: time.Minute, Timeout: 30 * time.Minute, Outside: true,
			Run: func(ctx context.Context, p *ops.Progress) error {
				n, err := d.RetryFetches(ctx, retryBatch)
				p.Add(n)
				p.Count("tried", n)
				return err
			},
		},
		{
			Name: "newswire-summarise", Doc: "Has the language model summarise the articles that wait.",
			Every: 20 * time.Second,
			Run:   func(ctx context.Context, p *ops.Progress) error { return summariseJob(ctx, d, p) },
		},
		{
			Name: "newswire-signals", Doc: "Asks each site once a day what it says about the use of its pages, and brings its articles in line.",
			Every: time.Hour, Timeout: 6 * time.Hour, Outside: true,
			Run: func(ctx context.Context, p *ops.Progress) error {
				asked, silent, err := d.ReadSignalsDue(ctx)
				p.Add(asked)
				p.Count("asked", asked)
				p.Count("silent", silent)
				return err
			},
		},
		{
			Name: "newswire-export", Doc: "Exports the runs of months that are over, before they expire after 90 days.",
			Cron: "15 3 * * *",
			Run: func(ctx context.Context, p *ops.Progress) error {
				keys, err := d.ExportDue(ctx)
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
func summariseJob(ctx context.Context, d *newswire.Desk, p *ops.Progress) error {
	for {
		n, err := d.Summarise(ctx, summaryBatch)
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
