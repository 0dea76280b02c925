package newswire

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"pressroom/internal/desk/newswire/feed"
	"pressroom/internal/desk/newswire/page"
	"pressroom/internal/rights"
)

// Preview is what a crawl of a site would find, seen before the site is saved.
type Preview struct {
	Robots   PreviewRobots   `json:"robots"`
	Feeds    []PreviewSource `json:"feeds"`    // configured ones and those that the site's page announces
	Sitemaps []PreviewSource `json:"sitemaps"` // that robots.txt names
	Links    []string        `json:"links"`    // of the site's page, within the allowed paths; at most 20
	Title    string          `json:"title"`    // of the site's page
	Language string          `json:"language"`
	Article  *PreviewArticle `json:"article"`  // one article as it would be kept; nil if none was found
	Problems []string        `json:"problems"` // what went wrong, in words
	Signals  []rights.Said   `json:"signals"`  // what the site says about the use of its pages
	Rulings  []Ruling        `json:"rulings"`  // what may be done with the article, or else with the site's page
}

// PreviewRobots is what robots.txt says about the site's paths.
type PreviewRobots struct {
	Reachable  bool            `json:"reachable"`
	Paths      map[string]bool `json:"paths"` // allowed paths, and whether robots.txt allows them too
	CrawlDelay time.Duration   `json:"crawlDelay"`
}

// PreviewSource is a feed or a sitemap.
type PreviewSource struct {
	URL     string `json:"url"`
	Entries int    `json:"entries"`
	Newest  string `json:"newest,omitempty"` // when its newest entry is from
	Problem string `json:"problem,omitempty"`
}

// PreviewArticle is an article as it would be kept.
type PreviewArticle struct {
	URL         string `json:"url"`
	Title       string `json:"title"`
	Author      string `json:"author,omitempty"`
	PublishedAt string `json:"publishedAt,omitempty"`
	WordCount   int    `json:"wordCount"`
	Encoding    string `json:"encoding"`
	Excerpt     string `json:"excerpt"`
}

// Limits of a preview: it asks a site only a few times.
const (
	previewFeeds = 3
	previewTries = 3
	previewLinks = 20
	previewTime  = time.Minute
)

// previewing is a preview in the making.
type previewing struct {
	*crawl
	out   Preview
	found []candidate
}

// Preview looks at a site without saving anything: what robots.txt allows, what
// feeds and links there are, and what an article looks like. A site with wrong
// fields is errs.Invalid; what goes wrong at the site is in the problems.
func (d *Desk) Preview(ctx context.Context, s Site) (Preview, error) {
	if err := s.Validate(); err != nil {
		return Preview{}, err
	}
	if err := d.reachable(&s); err != nil {
		return Preview{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	p := &previewing{crawl: &crawl{
		desk: d, site: s, scope: s.scope(), loc: s.zone(), robots: newRobots(d), log: &runLog{desk: d}, seen: map[pageID]bool{},
	}}
	p.look(ctx)
	return p.out, nil
}

func (p *previewing) look(ctx context.Context) {
	base, err := url.Parse(p.site.BaseURL)
	if err != nil {
		p.say("%v", err)
		return
	}
	rules, err := p.robots.get(ctx, base, p.site.interval())
	if err != nil {
		p.say("%v; until it can be, nothing is crawled", err)
		return
	}
	p.out.Robots.Reachable = true
	group := rules.For(Agent)
	p.out.Robots.CrawlDelay = group.Delay
	p.out.Robots.Paths = map[string]bool{}
	for _, path := range p.site.AllowedPaths {
		p.out.Robots.Paths[path], _ = group.Allowed(path)
	}
	said, _, err := p.desk.readWords(ctx, p.robots, &p.site, nil)
	if err != nil {
		p.say("%v", err)
	}
	p.signals.Said, _ = rights.Renew(nil, said, "")
	p.out.Signals = p.signals.Said
	p.out.Rulings = RulingsOf(rights.Decide(p.site.Basis, about(p.signals.Said, group, base), p.desk.now()))
	feeds := slices.Clone(p.site.FeedURLs)
	if doc := p.page(ctx, base); doc != nil {
		p.out.Title, p.out.Language = doc.Title, doc.Language
		p.links(doc)
		for _, f := range doc.Feeds {
			if !slices.Contains(feeds, f) {
				feeds = append(feeds, f)
			}
		}
	}
	for _, f := range feeds[:min(len(feeds), previewFeeds)] {
		p.out.Feeds = append(p.out.Feeds, p.source(ctx, f, p.readFeed))
	}
	for _, m := range rules.Sitemaps[:min(len(rules.Sitemaps), previewFeeds)] {
		p.out.Sitemaps = append(p.out.Sitemaps, p.source(ctx, m, p.readSitemap))
	}
	p.article(ctx)
}

func (p *previewing) say(format string, args ...any) {
	p.out.Problems = append(p.out.Problems, fmt.Sprintf(format, args...))
}

// fetch asks for an address, following a few redirects within the site.
func (p *previewing) fetch(ctx context.Context, u *url.URL) (*answerTo, *url.URL, error) {
	for range maxHops {
		interval, because, err := p.permitted(ctx, u)
		if because != "" {
			return nil, u, fmt.Errorf("robots.txt forbids it (%s)", because)
		}
		if err != nil {
			return nil, u, err
		}
		a, err := p.desk.ask(ctx, u, interval, condition{})
		if err != nil {
			return nil, u, fmt.Errorf("%s", cause(err))
		}
		if a.location == nil {
			if a.status != http.StatusOK {
				return nil, u, fmt.Errorf("it answers with status %d", a.status)
			}
			return a, u, nil
		}
		if !p.scope.sameHost(must(url.Parse(Canonical(a.location.String())))) {
			return nil, u, fmt.Errorf("it redirects to another host, %s", a.location.Host)
		}
		u = a.location
	}
	return nil, u, fmt.Errorf("it redirects too often")
}

func (p *previewing) page(ctx context.Context, u *url.URL) *page.Page {
	a, at, err := p.fetch(ctx, u)
	if err != nil {
		p.say("%s cannot be read: %v", u, err)
		return nil
	}
	doc := page.Read(a.body, at, page.Options{ContentType: a.contentType, Location: p.loc, Now: p.desk.now()})
	return doc
}

func (p *previewing) links(doc *page.Page) {
	for _, l := range doc.Links {
		address, ok := p.admit(candidate{url: l, kind: kindLinks, depth: 1})
		if ok && len(p.out.Links) < previewLinks && !slices.Contains(p.out.Links, address) {
			p.out.Links = append(p.out.Links, address)
			p.found = append(p.found, candidate{url: address, kind: kindLinks})
		}
	}
}

func (p *previewing) source(ctx context.Context, address string, read func(*answerTo, *url.URL) ([]feed.Entry, error)) PreviewSource {
	s := PreviewSource{URL: address}
	u, err := url.Parse(p.site.BaseURL)
	if err == nil {
		u, err = u.Parse(address)
	}
	var a *answerTo
	if err == nil {
		a, u, err = p.fetch(ctx, u)
	}
	var entries []feed.Entry
	if err == nil {
		entries, err = read(a, u)
	}
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	s.Entries = len(entries)
	var listed []candidate
	for _, e := range entries {
		if e.Published.IsZero() {
			e.Published = e.Updated
		}
		if t := stamp(e.Published); !e.Published.IsZero() && t > s.Newest {
			s.Newest = t
		}
		if address, ok := p.admit(candidate{url: e.URL, kind: kindArticle, depth: 1}); ok && len(listed) < previewTries {
			listed = append(listed, candidate{url: address, kind: kindArticle, entry: e})
		}
	}
	p.found = append(listed, p.found...)
	return s
}

func (p *previewing) readFeed(a *answerTo, u *url.URL) ([]feed.Entry, error) {
	return feed.Read(a.body, u, feed.Options{Location: p.loc, Now: p.desk.now()})
}

func (p *previewing) readSitemap(a *answerTo, u *url.URL) ([]feed.Entry, error) {
	var entries []feed.Entry
	err := feed.ReadSitemap(a.body, u, feed.Options{Location: p.loc, Now: p.desk.now()}, feed.Sitemap{
		Page: func(e feed.Entry) error { entries = append(entries, e); return nil },
		Map:  func(string) error { return nil },
	})
	return entries, err
}

// article shows the first thing found that turns out to be one.
func (p *previewing) article(ctx context.Context) {
	for _, f := range p.found[:min(len(p.found), previewTries)] {
		u, err := url.Parse(f.url)
		if err != nil {
			continue
		}
		a, at, err := p.fetch(ctx, u)
		if err != nil {
			p.say("%s: %v", f.url, err)
			continue
		}
		doc := page.Read(a.body, at, page.Options{ContentType: a.contentType, Location: p.loc, Now: p.desk.now()})
		text := doc.Text(f.kind == kindArticle)
		if text == "" {
			continue
		}
		said, _, err := p.said(ctx, at, a, doc)
		if err != nil {
			p.say("%s: %v", f.url, err)
			continue
		}
		p.out.Rulings = RulingsOf(rights.Decide(p.site.Basis, said, p.desk.now()))
		kept := p.crawl.article(pageItem{URL: f.url, PublishedAt: stampOr(f.entry.Published), Title: f.entry.Title, Author: f.entry.Author}, at, doc, text)
		p.out.Article = &PreviewArticle{
			URL: kept.URL, Title: kept.Title, Author: kept.Author, PublishedAt: kept.PublishedAt, WordCount: kept.WordCount,
			Encoding: doc.Encoding, Excerpt: page.Cut(kept.BodyPlain, 400),
		}
		return
	}
	p.say("no article was found in the first %d pages", previewTries)
}

func stampOr(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}
