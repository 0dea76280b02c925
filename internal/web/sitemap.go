package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"pressroom/internal/web/feed"
)

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
