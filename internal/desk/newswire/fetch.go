package newswire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"pressroom/internal/outbound"
	"pressroom/internal/rights"
	"pressroom/internal/rights/robots"
)

// accepted is what the crawler can read.
const accepted = "text/html,application/xhtml+xml,application/rss+xml,application/atom+xml,application/feed+json,application/xml;q=0.9,text/xml;q=0.9,*/*;q=0.1"

// maxLater bounds a Retry-After.
const maxLater = 24 * time.Hour

// answerTo is what a host answered.
type answerTo struct {
	status       int
	body         []byte        // until it is released
	buf          *bytes.Buffer // where it is
	contentType  string
	etag         string
	lastModified string
	said         []rights.Said // in its header
	licences     []string      // that its header names
	seat         *seat         // of whoever reads it
	location     *url.URL      // of a redirect
	later        time.Duration // of a Retry-After
}

// condition is what is known of a page from the last time.
type condition struct{ etag, lastModified string }

// ask makes one request, when it is the desk's turn at the host. Redirects are
// answers.
func (d *Desk) ask(ctx context.Context, u *url.URL, interval time.Duration, known condition) (*answerTo, error) {
	turn, err := d.turns.take(ctx, u.Host, interval)
	if err != nil {
		return nil, err
	}
	var a *answerTo
	err = turn.hold(ctx, interval, func(ctx context.Context) error {
		a, err = d.request(ctx, u, known)
		return err
	})
	later := time.Duration(0)
	if a != nil {
		later = a.later
	}
	turn.done(later)
	return a, err
}

func (d *Desk) request(ctx context.Context, u *url.URL, known condition) (*answerTo, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accepted)
	if known.etag != "" {
		req.Header.Set("If-None-Match", known.etag)
	}
	if known.lastModified != "" {
		req.Header.Set("If-Modified-Since", known.lastModified)
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	a := &answerTo{
		status: resp.StatusCode, contentType: resp.Header.Get("Content-Type"),
		etag: short(resp.Header.Get("ETag"), 1<<10), lastModified: short(resp.Header.Get("Last-Modified"), 128),
		said: rights.Header(resp.Header, Agent), licences: rights.LicenceLinks(resp.Header["Link"]),
	}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		a.later = retryAfter(resp.Header.Get("Retry-After"), d.now())
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "" {
		a.location, err = resp.Location()
		return a, err
	}
	if resp.StatusCode != http.StatusOK {
		return a, nil
	}
	a.buf = bodies.Get().(*bytes.Buffer)
	a.buf.Reset()
	_, err = a.buf.ReadFrom(resp.Body)
	a.body = a.buf.Bytes()
	return a, err
}

// bodies are buffers for bodies, which are large and of one use only.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the largest buffer that is kept.
const maxPooled = 1 << 20

// release gives back the body, which nobody may look at any more, and the seat. It
// need not be called, and may be called again.
func (a *answerTo) release() {
	if a.buf != nil && a.buf.Cap() <= maxPooled {
		bodies.Put(a.buf)
	}
	a.buf, a.body = nil, nil
	a.seat.leave()
}

// seats are for those who fetch and read pages. Who waits for the store has left
// his seat to the next.
type seats chan struct{}

// seat is one of them, or none; it belongs to one goroutine.
type seat struct{ of seats }

// take waits for a seat. Where there are no seats, nobody waits.
func (s seats) take(ctx context.Context) (*seat, error) {
	if s == nil {
		return nil, nil
	}
	select {
	case s <- struct{}{}:
		return &seat{s}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// leave may be called more than once.
func (s *seat) leave() {
	if s != nil && s.of != nil {
		<-s.of
		s.of = nil
	}
}

// short drops a header that is too long to be kept.
func short(value string, limit int) string {
	if len(value) > limit {
		return ""
	}
	return value
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil && seconds > 0 {
		return min(time.Duration(min(seconds, 1<<20))*time.Second, maxLater)
	}
	if t, err := http.ParseTime(value); err == nil && t.After(now) {
		return min(t.Sub(now), maxLater)
	}
	return 0
}

// robotsFor keeps what robots.txt files say, for as long as the RFC allows.
type robotsFor struct {
	desk *Desk
	mu   sync.Mutex
	byID map[string]*robotsEntry
}

type robotsEntry struct {
	once  sync.Mutex
	rules *robots.Rules
	at    time.Time
	err   error // why there are none
}

// robotsAge is how long a robots.txt is taken for true, see RFC 9309, 2.4.
const robotsAge = 24 * time.Hour

func newRobots(d *Desk) *robotsFor { return &robotsFor{desk: d, byID: map[string]*robotsEntry{}} }

// get returns the rules of the host of an address. An unreachable file is an
// error together with rules that forbid everything.
func (r *robotsFor) get(ctx context.Context, u *url.URL, interval time.Duration) (*robots.Rules, error) {
	id := u.Scheme + "://" + u.Host
	r.mu.Lock()
	e, ok := r.byID[id]
	if !ok {
		e = &robotsEntry{}
		r.byID[id] = e
	}
	r.mu.Unlock()
	e.once.Lock()
	defer e.once.Unlock()
	if e.rules != nil && r.desk.now().Sub(e.at) < robotsAge {
		return e.rules, e.err
	}
	rules, err := r.desk.fetchRobots(ctx, u, interval)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var later *errLater
	if errors.As(err, &later) {
		return nil, err
	}
	e.rules, e.err, e.at = rules, err, r.desk.now()
	return rules, err
}

// fetchRobots asks for robots.txt, and follows five redirects as the RFC says.
func (d *Desk) fetchRobots(ctx context.Context, of *url.URL, interval time.Duration) (*robots.Rules, error) {
	u := &url.URL{Scheme: of.Scheme, Host: of.Host, Path: "/robots.txt"}
	for range 6 {
		a, err := d.ask(ctx, u, interval, condition{})
		switch {
		case errors.Is(err, outbound.ErrTooLarge):
			return robots.DenyAll(), fmt.Errorf("robots.txt: %w", err)
		case err != nil:
			return robots.DenyAll(), fmt.Errorf("robots.txt cannot be reached: %w", err)
		case a.location != nil:
			u = a.location
			continue
		}
		return robots.Answered(a.status, a.body)
	}
	return robots.AllowAll(), nil // too many redirects count as none
}
