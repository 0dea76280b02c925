package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"pressroom/internal/web/feed"
)

// Story is an article as lists and the front page show it.
type Story struct {
	Title   string
	Path    string // of the article's page
	Kicker  string // a category, a desk, a committee; may be empty
	Summary string // plain text
	Date    time.Time
	// Source is who said it first, and SourceURL where; both empty for the
	// paper's own.
	Source, SourceURL string
	Image, ImageText  string
	Lang              string // of the title and summary; the page's if empty
	Author            string
	Level             int // of the headline; 3 by default
}

// Heading is the headline's level.
func (s Story) Heading() int {
	if s.Level == 2 {
		return 2
	}
	return 3
}

// FrontSection is a desk's band on the front page.
type FrontSection struct {
	// Order is the place on the page; the first section with stories leads.
	Order int
	// Load returns the section for a language: title, path of the desk, newest
	// stories, eight at best. It sees only what everyone may see.
	Load func(ctx context.Context, lang string) (Band, error)
}

// Band is what a desk has for the front page. One without stories shows what its
// Empty says, a sentence about what to do next.
type Band struct {
	Title   string
	Path    string
	Stories []Story
	Empty   string
	Broken  bool // set by the shell when Load failed
}

// Front adds a section to the front page and to the site's feed.
func (s *Site) Front(section FrontSection) {
	s.front = append(s.front, section)
	slices.SortStableFunc(s.front, func(a, b FrontSection) int { return cmp.Compare(a.Order, b.Order) })
}

// frontTimeout is what one section may take before the page goes out without it.
const frontTimeout = 3 * time.Second

// bands loads all sections side by side. A section that fails is logged and
// leaves a note in its place: one desk's trouble is not the whole paper's.
func (s *Site) bands(r *http.Request) []Band {
	lang := s.Lang(r)
	bands := make([]Band, len(s.front))
	var wg sync.WaitGroup
	for i, section := range s.front {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(r.Context(), frontTimeout)
			defer cancel()
			band, err := section.Load(ctx, lang)
			if err != nil {
				s.o.Log.ErrorContext(ctx, "front page section failed", "section", i, "error", err)
				band.Broken, band.Stories = true, nil
			}
			bands[i] = band
		})
	}
	wg.Wait()
	return bands
}

// home is what the front page shows.
type home struct {
	Lead  *Story
	Rest  []Story // beside the lead
	Under []Story // below it
	Bands []Band
}

// bandStories is how many stories a band shows: two rows of three.
const bandStories = 6

// compose takes the lead, what stands beside it and what stands below it out of
// the first band that has stories, two each.
func compose(bands []Band) home {
	h := home{Bands: slices.Clone(bands)}
	for i, band := range bands {
		if len(band.Stories) == 0 {
			continue
		}
		lead := band.Stories[0]
		lead.Level = 2
		rest := band.Stories[1:]
		h.Lead, h.Rest = &lead, rest[:min(2, len(rest))]
		rest = rest[len(h.Rest):]
		h.Under = rest[:min(2, len(rest))]
		h.Bands[i].Stories = rest[len(h.Under):]
		if len(h.Bands[i].Stories) == 0 {
			h.Bands = slices.Delete(h.Bands, i, i+1)
		}
		break
	}
	for i, band := range h.Bands {
		h.Bands[i].Stories = band.Stories[:min(bandStories, len(band.Stories))]
	}
	return h
}

func (s *Site) showHome(w http.ResponseWriter, r *http.Request) error {
	return s.Render(w, r, s.shell, "home", Page{
		Description: s.T(r, "home.description"),
		Feeds:       []FeedLink{{Path: "/feed", Title: s.o.Name}},
		Data:        compose(s.bands(r)),
	})
}

// serveFeed answers with the newest stories of all desks.
func (s *Site) serveFeed(w http.ResponseWriter, r *http.Request) error {
	lang := s.Lang(r)
	f := feed.Feed{
		Title: s.o.Name, Description: s.text(lang, "home.description"), Lang: lang,
		Home: s.Absolute(r, "/"), Self: s.Absolute(r, r.URL.Path),
	}
	for _, band := range s.bands(r) {
		for _, story := range band.Stories {
			f.Items = append(f.Items, s.feedItem(r, story))
		}
	}
	slices.SortStableFunc(f.Items, func(a, b feed.Item) int { return b.Published.Compare(a.Published) })
	return feed.Serve(w, r, f)
}

func (s *Site) feedItem(r *http.Request, story Story) feed.Item {
	item := feed.Item{
		ID: s.Absolute(r, story.Path), URL: s.Absolute(r, story.Path), Title: story.Title, Summary: story.Summary,
		Published: story.Date, Updated: story.Date, Author: story.Author, External: story.SourceURL, Lang: story.Lang,
	}
	if item.Author == "" {
		item.Author = story.Source
	}
	if story.Kicker != "" {
		item.Tags = []string{story.Kicker}
	}
	return item
}

// Sitemap yields the public pages of a desk; it stops when yield returns false.
type Sitemap func(ctx context.Context, yield func(path string, changed time.Time) bool) error

// Sitemap adds a desk's pages to /sitemap.xml.
func (s *Site) Sitemap(m Sitemap) { s.sitemaps = append(s.sitemaps, m) }

func (s *Site) serveSitemap(w http.ResponseWriter, r *http.Request) error {
	urls := []feed.URL{{Loc: s.Absolute(r, "/")}}
	for _, item := range s.nav {
		if item.Access == 0 && !item.Office {
			urls = append(urls, feed.URL{Loc: s.Absolute(r, item.Path)})
		}
	}
	for _, list := range s.sitemaps {
		err := list(r.Context(), func(path string, changed time.Time) bool {
			urls = append(urls, feed.URL{Loc: s.Absolute(r, path), Changed: changed})
			return len(urls) < feed.SitemapMax
		})
		if err != nil {
			return err
		}
	}
	return feed.ServeSitemap(w, r, urls)
}

func (s *Site) serveRobots(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	lines := []string{"User-agent: *", "Disallow: /sign-in", "Disallow: /account", "Disallow: /setup", "Disallow: /office", "Disallow: /search", "Sitemap: " + s.Absolute(r, "/sitemap.xml")}
	return send(w, r, http.StatusOK, []byte(strings.Join(lines, "\n")+"\n"))
}
