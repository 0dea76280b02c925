package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/rights"
)

// site is how the desk knows a site of the world outside.
func (d *Demo) site(s *newsSite) *newswire.Site {
	site := &newswire.Site{
		SiteID: s.ID, Name: s.Name, Category: s.Category, BaseURL: d.outside.URL(s.ID), CrawlWindows: s.Windows, RequestIntervalMs: 20, Timezone: s.Timezone,
	}
	if s.Licence != "" {
		site.Basis = rights.Basis{Kind: rights.OpenLicence, Licence: s.Licence}
	}
	if s.Feed != "" {
		site.FeedURLs = []string{d.outside.URL(s.ID) + "feed"}
	}
	return site
}

// loadSites declares all sites and crawls each once.
func (d *Demo) loadSites(ctx context.Context) error {
	for _, s := range d.outside.sites {
		if err := d.newswire.CreateSite(ctx, d.site(s)); err != nil && !errors.Is(err, errs.Duplicate) {
			return err
		}
	}
	for _, s := range d.outside.sites {
		if err := d.crawl(ctx, s); err != nil {
			return err
		}
	}
	if err := d.summarise(ctx, leftUnread); err != nil {
		return err
	}
	if err := d.lastMonth(ctx); err != nil {
		return err
	}
	return d.file(ctx)
}

// leftUnread is how many articles the loading leaves for the jobs to summarise.
const leftUnread = 1

// lastMonth runs over the site that is down as it was done last month, and exports that
// month, as every month is.
func (d *Demo) lastMonth(ctx context.Context) error {
	now := d.stage.Now().UTC()
	then := time.Date(now.Year(), now.Month(), 1, 6, 45, 0, 0, time.UTC).AddDate(0, 0, -1)
	desk, err := d.newswireAt(func() time.Time { return then })
	if err != nil {
		return err
	}
	defer desk.Close()
	for _, s := range d.outside.sites {
		if !s.Down {
			continue
		}
		if _, err := desk.Crawl(ctx, s.ID, newswire.CrawlOptions{}); err != nil && !errors.Is(err, errs.Conflict) {
			return fmt.Errorf("crawl %s last month: %w", s.ID, err)
		}
	}
	_, err = d.newswire.ExportDue(ctx)
	return err
}

// file puts the articles under their topics, as a moderator does.
func (d *Demo) file(ctx context.Context) error {
	topics := map[string][]string{}
	for _, s := range d.outside.sites {
		for i := range s.stories {
			if list := s.stories[i].get("topics"); list != "" {
				topics[s.ID+s.stories[i].path()] = split(list, ", ")
			}
		}
	}
	for o := (newswire.PageOptions{Limit: 100}); ; {
		page, err := d.newswire.Feed(ctx, o)
		if err != nil {
			return err
		}
		for _, a := range page.Items {
			at := strings.Index(a.URL, "/news/")
			if at < 0 || len(a.Topics) > 0 || topics[a.SiteID+a.URL[at:]] == nil {
				continue
			}
			if _, err := d.newswire.SetTopics(ctx, a.ArticleID, a.Version, topics[a.SiteID+a.URL[at:]]); err != nil {
				return fmt.Errorf("topics of %s: %w", a.URL, err)
			}
		}
		if o.Cursor = page.Next; o.Cursor == "" {
			return nil
		}
	}
}

// crawl runs over a site. That somebody else does already is as good.
func (d *Demo) crawl(ctx context.Context, s *newsSite) error {
	_, err := d.newswire.Crawl(ctx, s.ID, newswire.CrawlOptions{})
	switch {
	case errors.Is(err, errs.Conflict), errors.Is(err, errs.NotFound): // an operator may have deleted it
		return nil
	case err != nil:
		return fmt.Errorf("crawl %s: %w", s.ID, err)
	}
	return nil
}

// summarise summarises what waits for it, but for the last few.
func (d *Demo) summarise(ctx context.Context, left int) error {
	for {
		waiting, err := d.newswire.Backlog(ctx, newswire.Pending, newswire.PageOptions{Limit: 20})
		if err != nil || len(waiting.Items) <= left {
			return err
		}
		if n, err := d.newswire.Summarise(ctx, len(waiting.Items)-left); err != nil || n == 0 {
			return err
		}
	}
}

// Crawl runs over one site, the next in turn, tries pages again that are due, and
// summarises what is new.
func (d *Demo) Crawl(ctx context.Context) error {
	s := d.outside.sites[d.turn%len(d.outside.sites)]
	d.turn++
	if err := d.crawl(ctx, s); err != nil {
		return err
	}
	if _, err := d.newswire.RetryFetches(ctx, 10); err != nil {
		return err
	}
	return d.summarise(ctx, 0)
}

// moveSites tells the desk where sites are that could not have the port they had.
func (d *Demo) moveSites(ctx context.Context) error {
	for _, s := range d.outside.sites {
		known, err := d.newswire.GetSite(ctx, s.ID)
		if errors.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		base := d.outside.URL(s.ID)
		if known.BaseURL == base {
			continue
		}
		for i, f := range known.FeedURLs {
			known.FeedURLs[i] = base + strings.TrimPrefix(f, known.BaseURL)
		}
		known.BaseURL = base
		if err := d.newswire.UpdateSite(ctx, &known); err != nil {
			return fmt.Errorf("move site %s: %w", s.ID, err)
		}
	}
	return nil
}
