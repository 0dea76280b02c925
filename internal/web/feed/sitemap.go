package feed

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"time"
)

// SitemapMax is how many addresses one sitemap may list.
const SitemapMax = 50_000

// URL is a page in a sitemap.
type URL struct {
	Loc     string    // absolute
	Changed time.Time // unknown if zero
}

type urlSet struct {
	XMLName xml.Name   `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []urlEntry `xml:"url"`
}

type urlEntry struct {
	Loc     string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

// WriteSitemap writes the first SitemapMax addresses.
func WriteSitemap(w io.Writer, urls []URL) error {
	var set urlSet
	for _, u := range urls[:min(len(urls), SitemapMax)] {
		entry := urlEntry{Loc: clean(u.Loc)}
		if !u.Changed.IsZero() {
			entry.Changed = moment(u.Changed)
		}
		set.URLs = append(set.URLs, entry)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(w).Encode(set)
}

// ServeSitemap answers with a sitemap, its validators and 304.
func ServeSitemap(w http.ResponseWriter, r *http.Request, urls []URL) error {
	var buf bytes.Buffer
	if err := WriteSitemap(&buf, urls); err != nil {
		return err
	}
	var newest time.Time
	for _, u := range urls {
		if u.Changed.After(newest) {
			newest = u.Changed
		}
	}
	return serve(w, r, "application/xml; charset=utf-8", newest, buf.Bytes())
}
