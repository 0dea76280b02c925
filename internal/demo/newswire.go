package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
)

// site is how the desk knows a site of the world outside.
func (d *Demo) site(s *newsSite) *newswire.Site {
	site := &newswire.Site{
		SiteID: s.ID, Name: s.Name, Category: s.Category, BaseURL: d.outside.URL(s.ID), CrawlWindows: s.Windows, RequestIntervalMs: 20, Timezone: s.Timezone,
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
	if err := d.summarise(ctx); err != nil {
		return err
	}
	return d.file(ctx)
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

func (d *Demo) summarise(ctx context.Context) error {
	for {
		n, err := d.newswire.Summarise(ctx, 20)
		if err != nil || n == 0 {
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
	return d.summarise(ctx)
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
