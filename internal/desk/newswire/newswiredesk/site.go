package newswiredesk

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"pressroom/internal/desk"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/model"
)

// sites is everything about the sites of the newswire.
var sites = desk.Command{
	Name: "site", Help: "Add, change and look at the sites that are crawled.",
	Commands: []desk.Command{
		{Name: "list", Help: "List the sites.", Run: func() desk.Runner { return new(siteListCmd) }},
		{Name: "show", Help: "Print a site as JSON.", Run: func() desk.Runner { return new(siteShowCmd) }},
		{Name: "add", Help: "Add a site.", Run: func() desk.Runner { return new(siteAddCmd) }},
		{Name: "edit", Help: "Change a site.", Run: func() desk.Runner { return new(siteEditCmd) }},
		{Name: "preview", Help: "Look at a site without adding it: robots.txt, what it says about the use of its pages, feeds, an article.", Run: func() desk.Runner { return new(sitePreviewCmd) }},
		{Name: "signals", Help: "Print what a site says about the use of its pages, and what follows from it.", Run: func() desk.Runner { return new(siteSignalsCmd) }},
		{Name: "pause", Help: "Stop the schedule for a site.", Run: func() desk.Runner { return new(sitePauseCmd) }},
		{Name: "resume", Help: "Let the schedule go on for a site.", Run: func() desk.Runner { return new(siteResumeCmd) }},
		{Name: "delete", Help: "Forget a site; its articles stay.", Run: func() desk.Runner { return new(siteDeleteCmd) }},
		{Name: "runs", Help: "List the latest runs over a site.", Run: func() desk.Runner { return new(siteRunsCmd) }},
		{Name: "log", Help: "Print the log of a run, NDJSON.", Run: func() desk.Runner { return new(siteLogCmd) }},
		{Name: "retries", Help: "List what is to be tried again.", Run: func() desk.Runner { return new(siteRetriesCmd) }},
		{Name: "requeue", Help: "Try something again now, also if it was given up.", Run: func() desk.Runner { return new(siteRequeueCmd) }},
		{Name: "drop", Help: "Do not try something again.", Run: func() desk.Runner { return new(siteDropCmd) }},
	},
}

type siteListCmd struct {
	Category string `setting:"-" placeholder:"NAME" help:"Only press_release or news."`
	JSON     bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run lists the sites and when they are crawled next.
func (c *siteListCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		sites, err := d.Sites(t.Context, c.Category)
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(append([]newswire.Site{}, sites...))
		}
		w := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
		for _, s := range sites {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.SiteID, s.Category, s.Name, s.BaseURL, nextCrawl(&s, time.Now()))
		}
		return w.Flush()
	})
}

func nextCrawl(s *newswire.Site, now time.Time) string {
	if s.Paused {
		return "paused"
	}
	if _, _, open := s.OpenWindow(now); open {
		return "now"
	}
	if next, ok := s.NextWindow(now); ok {
		return next.Format("2006-01-02 15:04 MST")
	}
	return "by hand"
}

type siteShowCmd struct {
	ID string `arg:"" help:"The site."`
}

// Run prints the site.
func (c *siteShowCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		s, err := d.GetSite(t.Context, c.ID)
		if err != nil {
			return err
		}
		return t.JSON(s)
	})
}

// siteFields are what can be said about a site on the command line.
type siteFields struct {
	Name     *string  `setting:"-" help:"Its name; default its id."`
	Category *string  `setting:"-" placeholder:"NAME" help:"press_release or news; default news."`
	URL      *string  `setting:"-" name:"url" help:"The address of its front page."`
	Feed     []string `setting:"-" placeholder:"URL" help:"A feed; may be repeated."`
	Path     []string `setting:"-" placeholder:"PREFIX" help:"Only paths that begin so are crawled; may be repeated. Default all."`
	Window   []string `setting:"-" placeholder:"06:30-07:15" help:"When it is crawled each day, in its time zone; may be repeated. Without, only by hand."`
	Interval *int     `setting:"-" placeholder:"MS" help:"Milliseconds between two requests; default 1000."`
	Timezone *string  `setting:"-" placeholder:"ZONE" help:"Its time zone, such as Asia/Tokyo; default UTC."`
	Basis    *string  `setting:"-" placeholder:"KIND" help:"What allows its articles to be shown: quotation, permission, licence, public_domain or own; default quotation."`
	Licence  *string  `setting:"-" placeholder:"ID" help:"The open licence, such as CC-BY-4.0."`
	From     *string  `setting:"-" name:"permission-from" placeholder:"NAME" help:"Who gave the permission."`
	Until    *string  `setting:"-" name:"permission-until" placeholder:"DAY" help:"The last day of the permission, such as 2027-03-31; without end by default."`
	Scope    []string `setting:"-" name:"permission-for" placeholder:"USE" help:"What the permission is for: text, excerpt, summarise, search, picture, agents or copy; may be repeated."`
}

// apply changes what was said.
func (f siteFields) apply(s *newswire.Site) error {
	set(&s.Name, f.Name)
	set(&s.Category, f.Category)
	set(&s.BaseURL, f.URL)
	set(&s.RequestIntervalMs, f.Interval)
	set(&s.Timezone, f.Timezone)
	set((*string)(&s.Basis.Kind), f.Basis)
	set(&s.Basis.Licence, f.Licence)
	set(&s.Basis.From, f.From)
	set(&s.Basis.Until, f.Until)
	if f.Scope != nil {
		s.Basis.Scope = nil
		for _, use := range f.Scope {
			s.Basis.Scope = append(s.Basis.Scope, rights.Use(use))
		}
	}
	if f.Feed != nil {
		s.FeedURLs = f.Feed
	}
	if f.Path != nil {
		s.AllowedPaths = f.Path
	}
	if f.Window == nil {
		return nil
	}
	s.CrawlWindows = nil
	for _, text := range f.Window {
		start, end, ok := strings.Cut(text, "-")
		if !ok {
			return errs.New(errs.Usage, "--window: %q is not as 06:30-07:15", text)
		}
		s.CrawlWindows = append(s.CrawlWindows, newswire.Window{Start: start, End: end})
	}
	return nil
}

func set[T any](into, value *T) {
	if value != nil {
		*into = *value
	}
}

func newSiteOf(id string, f siteFields) (newswire.Site, error) {
	s := newswire.Site{SiteID: id, Name: id, Category: "news", RequestIntervalMs: 1000}
	return s, f.apply(&s)
}

type siteAddCmd struct {
	siteFields
	ID string `arg:"" help:"Its id: lower-case letters, digits and hyphens."`
}

// Run adds the site.
func (c *siteAddCmd) Run(t *desk.Terminal) error {
	s, err := newSiteOf(c.ID, c.siteFields)
	if err != nil {
		return err
	}
	return with(t, func(d *newswire.Desk) error {
		if err := d.CreateSite(t.Context, &s); err != nil {
			return explainSite(err, c.ID)
		}
		fmt.Fprintf(t.Out, "%s added; \"pressroom crawl --site=%s\" crawls it now\n", c.ID, c.ID)
		return nil
	})
}

// explainSite says which fields are wrong.
func explainSite(err error, id string) error {
	if fields := errs.Fields(err); len(fields) > 0 {
		var says []string
		for _, f := range fields {
			says = append(says, f.Name+" "+f.Message)
		}
		return errs.Wrap(err, errs.Invalid, "%s", strings.Join(says, "; "))
	}
	if errs.KindOf(err) == errs.Duplicate {
		return errs.Wrap(err, errs.Duplicate, "there is a site %s already; \"pressroom site edit\" changes it", id)
	}
	return err
}

type siteEditCmd struct {
	siteFields
	ID string `arg:"" help:"The site."`
}

// Run changes the site.
func (c *siteEditCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		s, err := d.GetSite(t.Context, c.ID)
		if err != nil {
			return err
		}
		if err := c.apply(&s); err != nil {
			return err
		}
		if err := d.UpdateSite(t.Context, &s); err != nil {
			return explainSite(err, c.ID)
		}
		return nil
	})
}

type sitePreviewCmd struct {
	siteFields
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
}

// Run looks at the site.
func (c *sitePreviewCmd) Run(t *desk.Terminal) error {
	s, err := newSiteOf("preview", c.siteFields)
	if err != nil {
		return err
	}
	return with(t, func(d *newswire.Desk) error {
		p, err := d.Preview(t.Context, s)
		if err != nil {
			return explainSite(err, "")
		}
		if c.JSON {
			return t.JSON(p)
		}
		printPreview(t.Out, p)
		return nil
	})
}

func printPreview(w io.Writer, p newswire.Preview) {
	fmt.Fprintf(w, "%s\n", p.Title)
	for path, ok := range p.Robots.Paths {
		verb := "allows"
		if !ok {
			verb = "forbids"
		}
		fmt.Fprintf(w, "robots.txt %s %s\n", verb, path)
	}
	if p.Robots.CrawlDelay > 0 {
		fmt.Fprintf(w, "robots.txt asks for %s between requests\n", p.Robots.CrawlDelay)
	}
	source := func(kind string, list []newswire.PreviewSource) {
		for _, s := range list {
			if s.Problem != "" {
				fmt.Fprintf(w, "%s %s: %s\n", kind, s.URL, s.Problem)
				continue
			}
			fmt.Fprintf(w, "%s %s: %d entries, the newest of %s\n", kind, s.URL, s.Entries, s.Newest)
		}
	}
	source("feed", p.Feeds)
	source("sitemap", p.Sitemaps)
	printSignals(w, p.Signals, p.Rulings)
	fmt.Fprintf(w, "%d links within the allowed paths\n", len(p.Links))
	if a := p.Article; a != nil {
		fmt.Fprintf(w, "\n%s\n%s\n%s  %s  %d words\n\n%s\n", a.Title, a.URL, a.PublishedAt, a.Author, a.WordCount, a.Excerpt)
	}
	for _, problem := range p.Problems {
		fmt.Fprintf(w, "! %s\n", problem)
	}
}

// printSignals prints what a site says, and which uses it stops.
func printSignals(w io.Writer, said []rights.Said, rulings []newswire.Ruling) {
	for _, s := range said {
		about := ""
		if s.Path != "" {
			about = " about " + s.Path
		}
		fmt.Fprintf(w, "the site says%s: %s (%s)\n", about, s.Quote(), s.Where)
	}
	for _, r := range rulings {
		verb := "allowed"
		if !r.Allowed {
			verb = "not allowed"
		}
		fmt.Fprintf(w, "%s: %s (%s)\n", r.Use, verb, r.Because)
	}
}

type siteSignalsCmd struct {
	ID   string `arg:"" help:"The site."`
	Ask  bool   `setting:"-" help:"Ask the site now, and bring its articles in line."`
	JSON bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run prints what the site says.
func (c *siteSignalsCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		if c.Ask {
			if _, err := d.ReadSignals(t.Context, c.ID); err != nil {
				return err
			}
		}
		site, err := d.GetSite(t.Context, c.ID)
		if err != nil {
			return err
		}
		signals, err := d.SignalsOf(t.Context, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(signals)
		}
		if signals.ReadAt == "" {
			fmt.Fprintln(t.Out, "the site was not asked yet; --ask does it now")
		}
		printSignals(t.Out, signals.Said, d.Rulings(&site, &signals))
		return nil
	})
}

type sitePauseCmd struct {
	ID string `arg:"" help:"The site."`
}

// Run pauses the site.
func (c *sitePauseCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		_, err := d.PauseSite(t.Context, c.ID, true)
		return err
	})
}

type siteResumeCmd struct {
	ID string `arg:"" help:"The site."`
}

// Run lets the schedule go on.
func (c *siteResumeCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		_, err := d.PauseSite(t.Context, c.ID, false)
		return err
	})
}

type siteDeleteCmd struct {
	ID  string `arg:"" help:"The site."`
	Yes bool   `setting:"-" help:"Really do it."`
}

// Run forgets the site.
func (c *siteDeleteCmd) Run(t *desk.Terminal) error {
	if !c.Yes {
		return errs.New(errs.Usage, "this forgets the site %s and what is known of its pages; say --yes if you mean it", c.ID)
	}
	return with(t, func(d *newswire.Desk) error { return d.DeleteSite(t.Context, c.ID) })
}

type siteRunsCmd struct {
	ID   string `arg:"" help:"The site."`
	JSON bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run lists the runs, the newest first.
func (c *siteRunsCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		if _, err := d.GetSite(t.Context, c.ID); err != nil {
			return err
		}
		page, err := d.RunsOfSite(t.Context, c.ID, model.PageOptions{})
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(append([]newswire.CrawlRun{}, page.Items...))
		}
		w := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
		for _, run := range page.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d articles\t%d new\t%d failed\t%s\n", run.RunID, run.StartedAt, run.Status, run.ProcessedCount, run.NewArticles, run.FailedArticles, run.ErrorSummary)
		}
		return w.Flush()
	})
}

type siteLogCmd struct {
	ID string `arg:"" name:"run" help:"The run."`
}

// Run prints the log.
func (c *siteLogCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error {
		text, err := d.RunLog(t.Context, c.ID)
		if err != nil {
			return err
		}
		_, err = t.Out.Write(text)
		return err
	})
}

type siteRetriesCmd struct {
	Kind string `setting:"-" enum:"fetch,summary," default:"" help:"Only fetch or summary."`
	JSON bool   `setting:"-" name:"json" help:"Print JSON, one a line."`
}

// Run lists retries, the first due first.
func (c *siteRetriesCmd) Run(t *desk.Terminal) error {
	kinds := []string{newswire.FailedFetch, newswire.FailedSummary}
	if c.Kind != "" {
		kinds = []string{c.Kind}
	}
	return with(t, func(d *newswire.Desk) error {
		w := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
		for _, kind := range kinds {
			for o := (model.PageOptions{Limit: 100}); ; {
				page, err := d.RetryBacklog(t.Context, kind, o)
				if err != nil {
					return err
				}
				for _, one := range page.Items {
					if c.JSON {
						err = t.JSONLine(one)
					} else {
						_, err = fmt.Fprintf(w, "%s\t%s\t%s\t%s\tattempt %d\t%s\t%.80s\n", one.FailureType, one.ArticleID, one.State, one.NextRetryAt, one.AttemptCount, one.URL, one.LastError)
					}
					if err != nil {
						return err
					}
				}
				if o.Cursor = page.Next; o.Cursor == "" {
					break
				}
			}
		}
		return w.Flush()
	})
}

type siteRequeueCmd struct {
	Kind string `arg:"" enum:"fetch,summary" help:"fetch or summary."`
	ID   string `arg:"" help:"The article."`
}

// Run makes the retry due.
func (c *siteRequeueCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error { return d.Requeue(t.Context, c.Kind, c.ID) })
}

type siteDropCmd struct {
	Kind string `arg:"" enum:"fetch,summary" help:"fetch or summary."`
	ID   string `arg:"" help:"The article."`
}

// Run drops the retry.
func (c *siteDropCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *newswire.Desk) error { return d.Drop(t.Context, c.Kind, c.ID) })
}
