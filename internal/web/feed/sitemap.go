package feed

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"time"
)

// Limits of one sitemap. The protocol allows 50,000 addresses of up to 2,048
// bytes, and 50 MB; so many of the longest stay below that too.
const (
	SitemapMax = 20_000
	LocMax     = 2048
)

// URL is a page in a sitemap, or a sitemap in an index of them.
type URL struct {
	Loc     string    // absolute
	Changed time.Time // unknown if zero
}

// Sitemap writes a sitemap, or an index of sitemaps, address by address: what is
// written is not kept.
type Sitemap struct {
	w     *bufio.Writer
	item  string // the element of one address
	root  string
	count int
}

const sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// NewSitemap begins a sitemap.
func NewSitemap(w io.Writer) *Sitemap { return newSitemap(w, "urlset", "url") }

// NewSitemapIndex begins an index of sitemaps.
func NewSitemapIndex(w io.Writer) *Sitemap { return newSitemap(w, "sitemapindex", "sitemap") }

func newSitemap(w io.Writer, root, item string) *Sitemap {
	s := &Sitemap{w: bufio.NewWriter(w), root: root, item: item}
	s.text(xml.Header, "<", root, ` xmlns="`, sitemapSpace, `">`)
	return s
}

// text writes; an error stays with the writer until Close.
func (s *Sitemap) text(parts ...string) {
	for _, part := range parts {
		_, _ = s.w.WriteString(part)
	}
}

// Add writes an address; one that the protocol does not take is left out. It
// reports whether there is room for more.
func (s *Sitemap) Add(u URL) (more bool) {
	var loc bytes.Buffer
	_ = xml.EscapeText(&loc, []byte(clean(u.Loc))) // a buffer takes all
	if loc.Len() > 0 && loc.Len() <= LocMax && s.count < SitemapMax {
		s.count++
		s.text("<", s.item, "><loc>", loc.String(), "</loc>")
		if !u.Changed.IsZero() {
			s.text("<lastmod>", moment(u.Changed), "</lastmod>")
		}
		s.text("</", s.item, ">")
	}
	return s.count < SitemapMax
}

// Close writes the end.
func (s *Sitemap) Close() error {
	s.text("</", s.root, ">\n")
	return s.w.Flush()
}
