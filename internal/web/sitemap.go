package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/story"
	"pressroom/internal/web/feed"
)

// Sitemap is the public pages of a desk for search engines, in parts that are
// walked one by one: its months, and what belongs to none.
type Sitemap struct {
	// Desk is the desk's name in addresses.
	Desk string
	// Parts yields the names of the parts, letters, digits and dashes; it stops when
	// yield returns false.
	Parts func(ctx context.Context, yield func(part string) bool) error
	// Pages yields the pages of a part, with when each was last changed; zero if
	// nobody knows. It stops when yield returns false. A part that there is not has
	// none, or is errs.NotFound.
	Pages func(ctx context.Context, part string, yield func(path string, changed time.Time) bool) error
}

// Sitemap adds a desk's pages to /sitemap.xml.
func (s *Site) Sitemap(m Sitemap) { s.sitemaps = append(s.sitemaps, m) }

// listsPart is the part of a desk's sitemap that is not a month.
const listsPart = "lists"

// storyMap is the stories of a desk, month by month, and its lists.
func (s *Site) storyMap(section FrontSection) Sitemap {
	m := Sitemap{Desk: section.Desk}
	m.Parts = func(ctx context.Context, yield func(string) bool) error {
		if section.Lists != nil && !yield(listsPart) || s.o.Stories == nil {
			return nil
		}
		for month, err := range s.o.Stories.Months(ctx, section.Desk) {
			if err != nil || !yield(month) {
				return err
			}
		}
		return nil
	}
	m.Pages = func(ctx context.Context, part string, yield func(string, time.Time) bool) error {
		if part == listsPart && section.Lists != nil {
			return section.Lists(ctx, func(path string) bool { return yield(path, time.Time{}) })
		}
		if _, err := time.Parse("2006-01", part); err != nil || s.o.Stories == nil {
			return errs.New(errs.NotFound, "There is no such month.")
		}
		for st, err := range s.o.Stories.OfMonth(ctx, section.Desk, part) {
			if err != nil || !yield(st.Path, story.Time(cmp.Or(st.Updated, st.Published))) {
				return err
			}
		}
		return nil
	}
	return m
}

// OnePart is the parts of a desk that has only one.
func OnePart(name string) func(context.Context, func(string) bool) error {
	return func(_ context.Context, yield func(string) bool) error {
		yield(name)
		return nil
	}
}

// mapping limits who walks through whole desks.
var mapping = front.Rate{PerSecond: 2, Burst: 60}

func (s *Site) sitemapRoutes() {
	s.Route(front.Route{Pattern: "GET /sitemap.xml", Access: auth.Everyone, Rate: mapping}, s.serveSitemapIndex)
	s.Route(front.Route{Pattern: "GET /sitemaps/{desk}/{file}", Access: auth.Everyone, Rate: mapping}, s.serveSitemap)
	s.Get("/robots.txt", auth.Everyone, s.serveRobots)
	s.Sitemap(Sitemap{Desk: "paper", Parts: OnePart("desks"), Pages: s.ownPages})
}

// ownPages are the front page and those that the navigation leads to.
func (s *Site) ownPages(_ context.Context, _ string, yield func(string, time.Time) bool) error {
	if !yield("/", time.Time{}) {
		return nil
	}
	for _, item := range s.nav {
		if item.Access == auth.Everyone && !item.Office && !yield(item.Path, time.Time{}) {
			return nil
		}
	}
	return nil
}

// mapped is what the index says of a part: how many pages it has, and when one of
// them was last changed.
type mapped struct {
	desk, part string
	pages      int
	changed    time.Time
}

// outline is the parts of all desks. Finding them means to walk through all pages,
// so that it is kept: for an hour, or longer if it took long.
type outline struct {
	mu      sync.Mutex
	parts   []mapped
	until   time.Time     // it is as good as new
	walking chan struct{} // closed when the walk under way ends; nil without one
	err     error         // of the last walk
}

// Limits of the walk through all pages.
const (
	outlineKept = time.Hour
	outlineRest = 100 // times what the walk took
	outlineTime = 10 * time.Minute
	outlineWait = 20 * time.Second // for the first one
)

// outlined returns the parts of all desks: at once if it knows them, while it looks
// again if they are old. The first one waits.
func (s *Site) outlined(ctx context.Context) ([]mapped, error) {
	o := &s.outline
	o.mu.Lock()
	if o.walking == nil && !s.o.Now().Before(o.until) {
		o.walking = make(chan struct{})
		go s.walk(context.WithoutCancel(ctx))
	}
	parts, walking := o.parts, o.walking
	o.mu.Unlock()
	if parts != nil {
		return parts, nil
	}
	select {
	case <-walking:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(outlineWait):
		return nil, errs.New(errs.Unavailable, "The sitemap is being made. Try again in a minute.")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.parts, o.err
}

// walk goes through all pages of all desks, and keeps of each part only two numbers.
func (s *Site) walk(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, outlineTime)
	defer cancel()
	began := s.o.Now()
	parts, err := s.outlineOf(ctx)
	now := s.o.Now()
	o := &s.outline
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err = err; err == nil {
		o.parts, o.until = parts, now.Add(max(outlineKept, outlineRest*now.Sub(began)))
	} else {
		s.o.Log.ErrorContext(ctx, "the sitemap is not complete", "error", err)
		o.until = now.Add(time.Second)
	}
	close(o.walking)
	o.walking = nil
}

func (s *Site) outlineOf(ctx context.Context) ([]mapped, error) {
	parts := []mapped{}
	for _, m := range s.sitemaps {
		var names []string
		err := m.Parts(ctx, func(part string) bool { names = append(names, part); return true })
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			p := mapped{desk: m.Desk, part: name}
			err := m.Pages(ctx, name, func(_ string, changed time.Time) bool {
				p.pages++
				if changed.After(p.changed) {
					p.changed = changed
				}
				return true
			})
			if err != nil {
				return nil, err
			}
			if p.pages > 0 {
				parts = append(parts, p)
			}
		}
	}
	return parts, nil
}

// serveSitemapIndex names the sitemaps of all desks.
func (s *Site) serveSitemapIndex(w http.ResponseWriter, r *http.Request) error {
	parts, err := s.outlined(r.Context())
	if err != nil {
		return err
	}
	var there []mapped
	for _, p := range parts {
		some, err := s.mapsAny(r.Context(), p)
		if err != nil {
			return err
		}
		if some {
			there = append(there, p)
		}
	}
	sitemapHeader(w)
	out := feed.NewSitemapIndex(w)
	for _, p := range there {
		for page := 1; (page-1)*feed.SitemapMax < p.pages; page++ {
			out.Add(feed.URL{Loc: s.Absolute(r, sitemapPath(p.desk, p.part, page)), Changed: p.changed})
		}
	}
	return s.cutOff(r, out.Close())
}

// mapsAny reports whether a part still has a page: the outline is of a while ago.
func (s *Site) mapsAny(ctx context.Context, p mapped) (some bool, err error) {
	for _, m := range s.sitemaps {
		if m.Desk == p.desk {
			err = m.Pages(ctx, p.part, func(string, time.Time) bool { some = true; return false })
		}
	}
	if errors.Is(err, errs.NotFound) {
		err = nil
	}
	return some, err
}

func sitemapHeader(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=0, must-revalidate")
}

// sitemapPath is the address of a part; what does not fit into one sitemap has
// further pages.
func sitemapPath(desk, part string, page int) string {
	path := "/sitemaps/" + url.PathEscape(desk) + "/" + url.PathEscape(part)
	if page > 1 {
		path += "." + strconv.Itoa(page)
	}
	return path + ".xml"
}

// serveSitemap streams the pages of a part. It begins to answer with the first of
// them, so that a part that is not there can be told.
func (s *Site) serveSitemap(w http.ResponseWriter, r *http.Request) error {
	m, part, page, ok := s.sitemapOf(r)
	if !ok {
		return errs.New(errs.NotFound, "There is no such sitemap.")
	}
	skip := (page - 1) * feed.SitemapMax
	var out *feed.Sitemap
	err := m.Pages(r.Context(), part, func(path string, changed time.Time) bool {
		if skip > 0 {
			skip--
			return true
		}
		if out == nil {
			sitemapHeader(w)
			out = feed.NewSitemap(w)
		}
		return out.Add(feed.URL{Loc: s.Absolute(r, path), Changed: changed})
	})
	switch {
	case out == nil && err == nil:
		return errs.New(errs.NotFound, "There is no such sitemap.")
	case out == nil:
		return err
	case err == nil:
		err = out.Close()
	}
	return s.cutOff(r, err)
}

// cutOff breaks an answer off that has begun and cannot be finished: half a sitemap
// must not pass for a whole one.
func (s *Site) cutOff(r *http.Request, err error) error {
	if err == nil {
		return nil
	}
	if r.Context().Err() == nil {
		s.o.Log.ErrorContext(r.Context(), "a sitemap was broken off", "path", r.URL.Path, "error", err)
	}
	panic(http.ErrAbortHandler)
}

// sitemapOf reads the address of a part.
func (s *Site) sitemapOf(r *http.Request) (m Sitemap, part string, page int, ok bool) {
	part, ok = strings.CutSuffix(r.PathValue("file"), ".xml")
	if !ok || part == "" {
		return m, "", 0, false
	}
	page = 1
	if name, number, found := strings.Cut(part, "."); found {
		n, err := strconv.Atoi(number)
		if err != nil || n < 2 || n > 1_000_000 {
			return m, "", 0, false
		}
		part, page = name, n
	}
	for _, m := range s.sitemaps {
		if m.Desk == r.PathValue("desk") {
			return m, part, page, true
		}
	}
	return m, "", 0, false
}

func (s *Site) serveRobots(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	lines := []string{"User-agent: *", "Disallow: /sign-in", "Disallow: /account", "Disallow: /setup", "Disallow: /office", "Disallow: /search", "Sitemap: " + s.Absolute(r, "/sitemap.xml")}
	return send(w, r, http.StatusOK, []byte(strings.Join(lines, "\n")+"\n"))
}
