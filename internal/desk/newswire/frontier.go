package newswire

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"pressroom/internal/desk/newswire/feed"
	"pressroom/model"
)

// The kinds of pages, by what they were found as.
const (
	kindFeed    = "feed"
	kindSitemap = "sitemap"
	kindLinks   = "links"   // found as a link: a list or an article
	kindArticle = "article" // named by a feed or a sitemap
)

// pageItem is what is known of an address of a site. The queued ones are the
// frontier of the crawl.
type pageItem struct {
	SiteID       string `dynamodbav:"siteId"`
	URLHash      string `dynamodbav:"urlHash"`
	URL          string `dynamodbav:"url"`
	ArticleID    string `dynamodbav:"articleId"` // what it will be if it is one
	Kind         string `dynamodbav:"kind"`
	State        string `dynamodbav:"state"`
	Place        string `dynamodbav:"place"`
	Depth        int    `dynamodbav:"depth"`
	Hops         int    `dynamodbav:"hops"` // redirects on the way
	RunID        string `dynamodbav:"runId"`
	ETag         string `dynamodbav:"etag"`
	LastModified string `dynamodbav:"lastModified"`
	FetchedAt    string `dynamodbav:"fetchedAt"`
	PublishedAt  string `dynamodbav:"publishedAt"` // as a feed or a sitemap says, or as it was kept
	Title        string `dynamodbav:"title"`
	Author       string `dynamodbav:"author"`
	Kept         bool   `dynamodbav:"kept"`     // it is an article
	Failures     int    `dynamodbav:"failures"` // times in a row that it was not fetched
}

// pageID tells the pages of a run apart: the head of their hash.
type pageID uint64

// idOf reads the head of a hash in hexadecimal.
func idOf(hash string) pageID {
	id, err := strconv.ParseUint(hash[:min(len(hash), 16)], 16, 64)
	if err != nil {
		return 0 // what sum makes can be read
	}
	return pageID(id)
}

func (p *pageItem) key() model.Values {
	return model.Values{"siteId": p.SiteID, "urlHash": p.URLHash}
}

// candidate is an address that was found.
type candidate struct {
	url   string
	kind  string
	depth int
	hops  int
	entry feed.Entry // what a feed or a sitemap says about it

	second bool // it was met before, without the time of its change
}

// batch is how many addresses are looked up at once.
const batch = 100

// errEnough ends the reading of a list when a run has queued all it may.
var errEnough = fmt.Errorf("the run has queued as many pages as it may")

// queue adds addresses to the frontier: those that are new, and those known ones
// that are due to be looked at again. It is called before the page that they were
// found on is done, so that a crash repeats it and loses nothing.
func (c *crawl) queue(ctx context.Context, found []candidate) error {
	for len(found) > 0 {
		n := min(batch, len(found))
		if err := c.queueBatch(ctx, found[:n]); err != nil {
			return err
		}
		found = found[n:]
	}
	return nil
}

func (c *crawl) queueBatch(ctx context.Context, found []candidate) error {
	var fresh []candidate
	var keys []model.Values
	var hashes []string
	for _, f := range found {
		u, ok := c.admit(f)
		if !ok {
			continue
		}
		f.url = u
		hash := sum(u)
		first, again := c.meet(idOf(hash), !f.entry.Updated.IsZero())
		if !first && !again {
			continue
		}
		f.second = again
		fresh, hashes = append(fresh, f), append(hashes, hash)
		keys = append(keys, model.Values{"siteId": c.site.SiteID, "urlHash": hash})
	}
	if len(fresh) == 0 {
		return nil
	}
	old, err := c.desk.pages.BatchGet(ctx, keys)
	if err != nil {
		return told(err, "look up pages of %s", c.site.SiteID)
	}
	known := make(map[string]*pageItem, len(old))
	for i := range old {
		known[old[i].URLHash] = &old[i]
	}
	var puts []pageItem
	for i, f := range fresh {
		if p, ok := c.queued(f, hashes[i], known[hashes[i]]); ok {
			puts = append(puts, p)
		}
	}
	return c.add(ctx, puts)
}

func (c *crawl) add(ctx context.Context, puts []pageItem) error {
	c.mu.Lock()
	room := c.desk.opt.MaxPages - c.queuedPages
	cut := len(puts) > room
	puts = puts[:max(0, min(len(puts), room))]
	c.queuedPages += len(puts)
	c.run.PagesQueued += len(puts)
	first := cut && !c.full
	c.full = c.full || cut
	c.mu.Unlock()
	if first {
		c.log.info("limit", LogLine{Detail: fmt.Sprintf("no more than %d pages are queued in a run", c.desk.opt.MaxPages)})
	}
	if err := c.desk.pages.BatchPut(ctx, puts); err != nil {
		return told(err, "queue pages of %s", c.site.SiteID)
	}
	c.mu.Lock()
	if c.unread = c.unread || len(c.fresh)+len(puts) > maxFresh; !c.unread {
		c.fresh = append(c.fresh, puts...)
	}
	c.mu.Unlock()
	if cut {
		return errEnough
	}
	return nil
}

// admit returns an address in its canonical form if the site's scope holds it.
// What the operator named, and what robots.txt names as sitemaps, is admitted by
// its kind.
func (c *crawl) admit(f candidate) (string, bool) {
	address := Canonical(f.url)
	if address == "" {
		return "", false
	}
	if f.depth == 0 {
		return address, true
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	if f.kind == kindSitemap && c.scope.sameHost(u) {
		return address, true
	}
	ok, _ := c.scope.holds(u)
	return address, ok
}

// meet reports whether this session meets the address for the first time, or again
// and for the first time with the time of its change: a list that says when a page
// changed may make an old page due.
func (c *crawl) meet(id pageID, dated bool) (first, again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wasDated, known := c.seen[id]
	if known && (wasDated || !dated) {
		return false, false
	}
	c.seen[id] = known
	return !known, known
}

// queued decides about one address, and returns it as it is queued.
func (c *crawl) queued(f candidate, hash string, known *pageItem) (pageItem, bool) {
	p := pageItem{SiteID: c.site.SiteID, URLHash: hash, URL: f.url, Kind: f.kind}
	if known != nil {
		if known.State == "queued" || known.RunID == c.run.RunID || !c.due(f, known) {
			return p, false
		}
		p = *known
		if !p.Kept && p.Kind != kindArticle {
			p.Kind = f.kind
		}
	} else if f.second {
		return p, false // whoever met it first is about to queue it
	} else {
		p.ArticleID = c.desk.ids.New()
	}
	p.State, p.Depth, p.Hops, p.RunID = "queued", f.depth, f.hops, c.run.RunID
	p.Place = fmt.Sprintf("%02d-%s", min(f.depth, 99), c.desk.ids.New())
	if !f.entry.Published.IsZero() && !p.Kept {
		p.PublishedAt = stamp(f.entry.Published)
	}
	if f.entry.Title != "" {
		p.Title = f.entry.Title
	}
	if f.entry.Author != "" {
		p.Author = f.entry.Author
	}
	return p, true
}

// due reports whether a known address is to be asked for again: lists always,
// articles if the list says that they changed, or if they are young.
func (c *crawl) due(f candidate, known *pageItem) bool {
	if !known.Kept && known.Kind != kindArticle {
		return true
	}
	fetched := timeOf(known.FetchedAt)
	if !f.entry.Updated.IsZero() && f.entry.Updated.After(fetched) {
		return true
	}
	born := timeOf(known.PublishedAt)
	if born.IsZero() {
		born = fetched
	}
	return c.desk.opt.Recheck > 0 && c.desk.now().Sub(born) < c.desk.opt.Recheck
}

// maxFresh is how many pages go from who queued them straight to the workers. The
// others are read from the table when it is their turn.
const maxFresh = 10 * batch

// next returns pages of the queue that this session has not handled, if there are
// any. The table is read if it holds more than was queued lately, and when the
// workers are idle: what others put there counts too.
func (c *crawl) next(ctx context.Context, idle bool) ([]pageItem, error) {
	c.mu.Lock()
	fresh, unread := c.fresh, c.unread
	c.fresh = nil
	c.mu.Unlock()
	fresh = slices.DeleteFunc(fresh, func(p pageItem) bool { return !c.claim(&p) })
	if len(fresh) > 0 || !unread && !idle {
		return fresh, nil
	}
	return c.nextRead(ctx)
}

// claim reports whether a page was not handed out before; now it is.
func (c *crawl) claim(p *pageItem) bool {
	id := idOf(p.URLHash)
	_, ok := c.handled[id]
	c.handled[id] = struct{}{}
	return !ok
}

// nextRead goes on where it stopped, rather than over what the workers are busy
// with, and begins again at the front when it has come to the end: none is left
// when that finds none.
func (c *crawl) nextRead(ctx context.Context) ([]pageItem, error) {
	pages, _, err := c.queuedFrom(ctx, c.at)
	if err != nil || len(pages) > 0 {
		return pages, err
	}
	c.setUnread(false) // what is queued from here on is either read now, or fresh
	pages, more, err := c.queuedFrom(ctx, "")
	if more {
		c.setUnread(true)
	}
	return pages, err
}

func (c *crawl) setUnread(to bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread = to
}

// queuedFrom reads the queue from a place on: one query's worth, unless all of it
// is being worked on.
func (c *crawl) queuedFrom(ctx context.Context, at string) (pages []pageItem, more bool, err error) {
	queue, err := c.desk.pages.View("Queue")
	if err != nil {
		return nil, false, err
	}
	read := 0
	for p, err := range queue.All(ctx, siteKey(c.site.SiteID), model.Window{From: at}) {
		if err != nil {
			return nil, false, told(err, "read queue of %s", c.site.SiteID)
		}
		c.at = p.Place
		if c.claim(&p) {
			pages = append(pages, p)
		}
		if read++; read >= 2*batch && len(pages) > 0 {
			return pages, true, nil
		}
	}
	return pages, false, nil
}

// done is the page as it is written when it was handled.
func (c *crawl) done(p pageItem, a *answerTo) pageItem {
	p.State = "done"
	if c.run.RunID != "" {
		p.RunID = c.run.RunID
	}
	p.FetchedAt = stamp(c.desk.now())
	if a != nil && a.status != 304 {
		p.ETag, p.LastModified = a.etag, a.lastModified
	}
	return p
}

// finish writes a page that is done and made no article.
func (c *crawl) finish(ctx context.Context, p pageItem, a *answerTo) error {
	p = c.done(p, a)
	return told(c.desk.pages.Put(ctx, &p), "finish page %s", p.URL)
}

// seeds are where a crawl begins.
func (c *crawl) seeds(ctx context.Context) error {
	found := []candidate{{url: c.site.BaseURL, kind: kindLinks}}
	for _, f := range c.site.FeedURLs {
		found = append(found, candidate{url: f, kind: kindFeed})
	}
	base, err := url.Parse(c.site.BaseURL)
	if err != nil {
		return err
	}
	rules, err := c.robots.get(ctx, base, c.site.interval())
	if err != nil {
		return err
	}
	maps := rules.Sitemaps
	if guess := (&url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/sitemap.xml"}); len(maps) == 0 {
		if ok, _ := c.scope.holds(guess); ok {
			maps = []string{guess.String()}
			c.guessed = Canonical(guess.String())
		}
	}
	for _, m := range maps[:min(len(maps), maxMaps)] {
		if u, err := base.Parse(m); err == nil {
			found = append(found, candidate{url: u.String(), kind: kindSitemap})
		}
	}
	return c.queue(ctx, found)
}

// maxMaps is how many sitemaps of robots.txt are read.
const maxMaps = 50
