// Package feed reads what sites publish for machines: RSS, Atom, JSON Feed,
// sitemaps and sitemaps of sitemaps.
//
// It promises that bad dates and bad entries cost only themselves, and that a
// sitemap is read as it comes, whatever its length. Start with [Read] and
// [ReadSitemap].
package feed

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"pressroom/internal/desk/newswire/page"
	"pressroom/internal/desk/newswire/when"
)

// Entry is one article that a feed or a sitemap names.
type Entry struct {
	URL       string // absolute
	Title     string
	Author    string
	Published time.Time // zero if it does not say, or nothing that makes sense
	Updated   time.Time
}

// maxEntries is how many entries of a feed are of interest.
const maxEntries = 1000

// Options say how dates are read.
type Options struct {
	// Location is the zone of dates without one; nil means UTC.
	Location *time.Location
	// Now is the time before which dates must be; zero means time.Now.
	Now time.Time
}

func (o Options) date(text string) time.Time {
	loc, now := o.Location, o.Now
	if loc == nil {
		loc = time.UTC
	}
	if now.IsZero() {
		now = time.Now()
	}
	t, _ := when.Parse(text, loc, now)
	return t
}

// Looks reports whether a body looks like a feed or a sitemap, not like a page.
func Looks(body []byte, contentType string) bool {
	head := bytes.TrimSpace(bytes.TrimPrefix(body[:min(len(body), 1024)], []byte("\ufeff")))
	for _, mark := range []string{"<rss", "<feed", "<rdf:RDF", "<urlset", "<sitemapindex", "https://jsonfeed.org/version"} {
		if bytes.Contains(head, []byte(mark)) {
			return true
		}
	}
	return strings.Contains(contentType, "feed+json") || strings.Contains(contentType, "rss+xml") || strings.Contains(contentType, "atom+xml")
}

// Read parses a feed that was found at an address.
func Read(body []byte, at *url.URL, o Options) ([]Entry, error) {
	// Feeds in other encodings declare them; the parser reads the declaration.
	parsed, err := gofeed.NewParser().Parse(bytes.NewReader(bytes.TrimLeft(body, "\ufeff \t\r\n")))
	if err != nil {
		return nil, fmt.Errorf("read feed: %w", err)
	}
	var entries []Entry
	for _, item := range parsed.Items[:min(len(parsed.Items), maxEntries)] {
		if link := linkOf(item, at); link != "" {
			entries = append(entries, Entry{
				URL: link, Title: oneLine(item.Title), Author: authorOf(item),
				Published: o.date(item.Published), Updated: o.date(item.Updated),
			})
		}
	}
	return entries, nil
}

func linkOf(item *gofeed.Item, at *url.URL) string {
	for _, link := range append([]string{item.Link}, item.Links...) {
		if u := absolute(link, at); u != "" {
			return u
		}
	}
	if strings.HasPrefix(item.GUID, "http") {
		return absolute(item.GUID, at)
	}
	return ""
}

func authorOf(item *gofeed.Item) string {
	var names []string
	for _, a := range item.Authors {
		if a != nil && a.Name != "" {
			names = append(names, oneLine(a.Name))
		}
	}
	return strings.Join(names, ", ")
}

func absolute(link string, at *url.URL) string {
	link = strings.TrimSpace(link)
	if link == "" {
		return ""
	}
	u, err := at.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.Fragment = ""
	return u.String()
}

// oneLine is a title as it is shown: feeds have markup and line breaks in them.
func oneLine(text string) string { return page.Line(text) }
