package newswire

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"

	"pressroom/internal/desk/newswire/feed"
	"pressroom/internal/desk/newswire/page"
	"pressroom/internal/outbound"
	"pressroom/internal/rights"
)

// maxHops is how many redirects lead to a page.
const maxHops = 5

// visit asks for a page and does with the answer what its kind wants. When it
// returns nil the page is done, whatever became of it.
func (c *crawl) visit(ctx context.Context, p pageItem) error {
	u, err := url.Parse(p.URL)
	if err != nil {
		return c.finish(ctx, p, nil)
	}
	if _, ok := c.admit(candidate{url: p.URL, kind: p.Kind, depth: p.Depth}); !ok {
		c.log.info("outside", LogLine{URL: p.URL, Detail: "the site's scope has changed"})
		return c.finish(ctx, p, nil)
	}
	interval, because, err := c.permitted(ctx, u)
	var later *errLater
	switch {
	case errors.As(err, &later) || ctx.Err() != nil:
		return err
	case because != "":
		c.log.info("forbidden by robots.txt", LogLine{URL: p.URL, Detail: because})
		return c.finish(ctx, p, nil)
	case err != nil:
		return c.failed(ctx, p, failure{event: "robots", detail: err.Error(), again: true})
	}
	seat, err := c.seats.take(ctx)
	if err != nil {
		return err
	}
	defer seat.leave()
	begun := c.desk.now()
	a, err := c.desk.ask(ctx, u, interval, p.condition())
	if errors.As(err, &later) || ctx.Err() != nil {
		return err
	}
	c.mu.Lock()
	c.run.Requests++
	c.mu.Unlock()
	if err != nil {
		return c.failed(ctx, p, explain(err))
	}
	a.seat = seat
	defer a.release()
	line := LogLine{URL: p.URL, Status: a.status, Took: c.desk.now().Sub(begun).Milliseconds()}
	c.log.info("fetch", line)
	return c.answered(ctx, p, u, a)
}

// condition is what makes the request conditional. Lists are asked for whole, as
// what they lead to may have changed although they have not.
func (p *pageItem) condition() condition {
	if p.Kept || p.Kind == kindFeed || p.Kind == kindSitemap {
		return condition{p.ETag, p.LastModified}
	}
	return condition{}
}

func (c *crawl) answered(ctx context.Context, p pageItem, u *url.URL, a *answerTo) error {
	switch {
	case a.status == http.StatusNotModified:
		c.seedDone(p)
		if p.Kept {
			return c.unchanged(ctx, p, a)
		}
		return c.finish(ctx, p, a)
	case a.location != nil:
		return c.redirected(ctx, p, u, a)
	case a.status == http.StatusOK:
		c.seedDone(p)
		return c.read(ctx, p, u, a)
	case a.status == http.StatusNotFound || a.status == http.StatusGone:
		return c.gone(ctx, p, a)
	case a.status == http.StatusTooManyRequests || a.status >= 500 || a.status == http.StatusRequestTimeout:
		return c.failed(ctx, p, failure{event: "refused", status: a.status, detail: fmt.Sprintf("status %d", a.status), again: true, later: a.later})
	}
	return c.failed(ctx, p, failure{event: "refused", status: a.status, detail: fmt.Sprintf("status %d", a.status)})
}

func (c *crawl) seedDone(p pageItem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Depth == 0 {
		c.seedsDone++
	}
}

// redirected queues where the page leads, if that belongs to the site: it is then
// asked for in its turn, under its own host's rules.
func (c *crawl) redirected(ctx context.Context, p pageItem, from *url.URL, a *answerTo) error {
	to := candidate{url: a.location.String(), kind: p.Kind, depth: p.Depth, hops: p.Hops + 1}
	to.entry.Published, to.entry.Title, to.entry.Author = timeOf(p.PublishedAt), p.Title, p.Author
	target, err := url.Parse(Canonical(to.url))
	if err != nil {
		target = &url.URL{}
	}
	ok, because := c.scope.holds(target)
	if !ok && c.scope.sameHost(target) && (p.Kind == kindFeed || p.Kind == kindSitemap) {
		ok = true // they are named by the operator or by robots.txt
	}
	switch {
	case !ok:
		c.log.info("redirect is not followed", LogLine{URL: from.String(), Status: a.status, Detail: to.url + " is " + because})
	case to.hops > maxHops:
		c.log.info("redirect is not followed", LogLine{URL: from.String(), Status: a.status, Detail: fmt.Sprintf("more than %d in a row", maxHops)})
	default:
		c.log.info("redirect", LogLine{URL: from.String(), Status: a.status, Detail: to.url})
		if err := c.queue(ctx, []candidate{to}); err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	return c.finish(ctx, p, nil)
}

// read does what the kind of the body wants, which may be another than expected:
// feeds are found behind links.
func (c *crawl) read(ctx context.Context, p pageItem, u *url.URL, a *answerTo) error {
	if p.Kind == kindSitemap {
		return c.readSitemap(ctx, p, u, a)
	}
	if p.Kind == kindFeed || feed.Looks(a.body, a.contentType) {
		return c.readFeed(ctx, p, u, a)
	}
	if kind, _, err := mime.ParseMediaType(a.contentType); err == nil && kind != "text/html" && kind != "application/xhtml+xml" {
		c.log.info("not a page", LogLine{URL: p.URL, Detail: kind})
		return c.finish(ctx, p, nil)
	}
	return c.readPage(ctx, p, u, a)
}

func (c *crawl) readFeed(ctx context.Context, p pageItem, u *url.URL, a *answerTo) error {
	entries, err := feed.Read(a.body, u, feed.Options{Location: c.loc, Now: c.desk.now()})
	if err != nil {
		return c.failed(ctx, p, failure{event: "feed", detail: err.Error()})
	}
	var found []candidate
	for _, e := range entries {
		found = append(found, candidate{url: e.URL, kind: kindArticle, depth: c.desk.opt.MaxDepth, entry: e})
	}
	c.log.info("feed", LogLine{URL: p.URL, Detail: fmt.Sprintf("%d entries", len(found))})
	if err := c.queue(ctx, found); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return c.finish(ctx, p, a)
}

func (c *crawl) readSitemap(ctx context.Context, p pageItem, u *url.URL, a *answerTo) error {
	var found []candidate
	var stored error // of the queue, not of the sitemap
	nested, total := false, 0
	flush := func(least int) error {
		if len(found) >= least {
			stored = c.queue(ctx, found)
			found = found[:0]
		}
		return stored
	}
	err := feed.ReadSitemap(a.body, u, feed.Options{Location: c.loc, Now: c.desk.now()}, feed.Sitemap{
		Page: func(e feed.Entry) error {
			total++
			found = append(found, candidate{url: e.URL, kind: kindArticle, depth: c.desk.opt.MaxDepth, entry: e})
			return flush(batch)
		},
		Map: func(address string) error {
			nested = true
			if p.Depth < c.desk.opt.MaxDepth {
				found = append(found, candidate{url: address, kind: kindSitemap, depth: p.Depth + 1})
			}
			return flush(batch)
		},
	})
	if stored == nil {
		stored = flush(1) // what was read before the sitemap broke off counts
	}
	if stored != nil && !errors.Is(stored, errEnough) {
		return stored
	}
	if err != nil && stored == nil {
		return c.failed(ctx, p, failure{event: "sitemap", detail: err.Error()})
	}
	c.log.info("sitemap", LogLine{URL: p.URL, Detail: fmt.Sprintf("%d pages", total)})
	if nested {
		a = &answerTo{} // a child may change although the list of them does not
	}
	return c.finish(ctx, p, a)
}

func (c *crawl) readPage(ctx context.Context, p pageItem, u *url.URL, a *answerTo) error {
	doc := page.Read(a.body, u, page.Options{ContentType: a.contentType, Location: c.loc, Now: c.desk.now()})
	said, follow, err := c.said(ctx, u, a, doc)
	if err != nil {
		return err
	}
	if p.Depth < c.desk.opt.MaxDepth && follow {
		if err := c.follow(ctx, p, doc); err != nil {
			return err
		}
	}
	if decision := rights.Decide(c.site.Basis, said, c.desk.now()); !decision.May(rights.Keep) {
		c.log.info("not to be kept", LogLine{URL: p.URL, Detail: decision.Why(rights.Keep).String()})
		if err := c.hide(ctx, p, said); err != nil {
			return err
		}
		return c.finish(ctx, p, a)
	}
	if p.Depth == 0 {
		return c.finish(ctx, p, nil) // the site's own page is a list
	}
	text := doc.Text(p.Kind == kindArticle)
	if text == "" {
		if p.Kind == kindArticle {
			c.log.info("no article", LogLine{URL: p.URL, Detail: "the page has no text of its own"})
		}
		return c.finish(ctx, p, nil)
	}
	return c.keep(ctx, p, u, doc, text, said, a)
}

// follow queues the links and the announced feeds of a page.
func (c *crawl) follow(ctx context.Context, p pageItem, doc *page.Page) error {
	var found []candidate
	for _, f := range doc.Feeds {
		found = append(found, candidate{url: f, kind: kindFeed, depth: p.Depth + 1})
	}
	for _, l := range doc.Links {
		found = append(found, candidate{url: l, kind: kindLinks, depth: p.Depth + 1})
	}
	if err := c.queue(ctx, found); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// gone finishes a page that is not there. An article that was kept stays, and
// says so.
func (c *crawl) gone(ctx context.Context, p pageItem, a *answerTo) error {
	if p.Depth == 0 && p.URL != c.guessed {
		return c.failed(ctx, p, failure{event: "gone", status: a.status, detail: fmt.Sprintf("status %d", a.status)})
	}
	c.log.info("gone", LogLine{URL: p.URL, Status: a.status})
	if p.Kept {
		if err := c.noteGone(ctx, p, a.status); err != nil {
			return err
		}
	}
	return c.settled(ctx, p)
}

// failure is why a page was not fetched.
type failure struct {
	event  string
	status int
	detail string
	again  bool          // it may work later
	later  time.Duration // not before
}

// kind is what operators count failures by: one of few.
func (f failure) kind() string {
	if f.status > 0 {
		return fmt.Sprintf("answered with %dxx", f.status/100)
	}
	return f.event
}

// explain turns an error of a request into a failure.
func explain(err error) failure {
	var refused *outbound.Refused
	switch {
	case errors.As(err, &refused):
		return failure{event: "refused by the guard", detail: refused.Error()}
	case errors.Is(err, outbound.ErrTooLarge), errors.Is(err, outbound.ErrBomb):
		return failure{event: "too large", detail: cause(err)}
	}
	return failure{event: "unreachable", detail: cause(err), again: true}
}

// cause drops the method and the address that the line has anyway.
func cause(err error) string {
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return "no whole answer in time"
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}
