// Package feed writes lists for machines that follow a paper: Atom (RFC 4287),
// JSON Feed 1.1 and sitemaps.
//
// It promises well-formed documents whatever the texts contain: characters that
// XML cannot hold are dropped, the rest is escaped. [Serve] answers a request with
// either format, chosen by the path, with ETag, Last-Modified and 304.
//
// Start with [Feed]; atom.go and jsonfeed.go are the formats.
package feed

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/zeebo/xxh3"
)

// Feed is a list of items, the newest first. Addresses are absolute.
type Feed struct {
	Title       string
	Description string
	Lang        string    // BCP 47
	Home        string    // the page that the feed goes with
	Self        string    // the feed's own address, and its id
	Next        string    // the feed's next page; may be empty
	Updated     time.Time // the newest item's by default
	Items       []Item
}

// Item is one entry.
type Item struct {
	ID        string // never changes; the address by default
	URL       string
	Title     string
	Summary   string // plain text
	HTML      string // the content, sanitised by the caller; may be empty
	Authors   []string
	Published time.Time
	Updated   time.Time // Published by default
	Tags      []string
	Lang      string
	Image     string
	External  string // where the item's subject is from
}

func (i Item) id() string {
	if i.ID != "" {
		return i.ID
	}
	return i.URL
}

func (i Item) updated() time.Time {
	if i.Updated.IsZero() {
		return i.Published
	}
	return i.Updated
}

// updated is the feed's own time: a feed without items and without a time has
// the zero of Unix, so that its bytes do not change by themselves.
func (f Feed) updated() time.Time {
	newest := f.Updated
	for _, item := range f.Items {
		if t := item.updated(); t.After(newest) {
			newest = t
		}
	}
	if newest.IsZero() {
		return time.Unix(0, 0)
	}
	return newest
}

// Serve answers with the feed: as JSON if the path ends in .json, else as Atom.
func Serve(w http.ResponseWriter, r *http.Request, f Feed) error {
	var buf bytes.Buffer
	write, kind := WriteAtom, "application/atom+xml; charset=utf-8"
	if strings.HasSuffix(r.URL.Path, ".json") {
		write, kind = WriteJSON, "application/feed+json; charset=utf-8"
	}
	if err := write(&buf, f); err != nil {
		return err
	}
	return serve(w, r, kind, f.updated(), buf.Bytes())
}

// serve sends a document with its validators; http.ServeContent does the rest.
func serve(w http.ResponseWriter, r *http.Request, kind string, changed time.Time, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("ETag", fmt.Sprintf(`"%x"`, xxh3.Hash128(body).Bytes()))
	// As pages: what is taken back is gone with the next look, which costs a 304.
	if h.Get("Cache-Control") == "" { // what is for one reader says so itself
		h.Set("Cache-Control", "public, max-age=0, must-revalidate")
	}
	h.Add("Vary", "Accept-Language, Cookie")
	http.ServeContent(w, r, "", changed, bytes.NewReader(body))
	return nil
}

// moment is the form of time that all these documents share.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// WriteTo formats differ only in this signature.
var _ = []func(io.Writer, Feed) error{WriteAtom, WriteJSON}
