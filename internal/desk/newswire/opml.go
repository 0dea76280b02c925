package newswire

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"

	"pressroom/internal/errs"
)

// OPMLEntry is what became of one site of a list of feeds.
type OPMLEntry struct {
	SiteID  string   `json:"siteId,omitempty"`
	Name    string   `json:"name"`
	BaseURL string   `json:"baseUrl,omitempty"`
	Feeds   []string `json:"feedUrls"`
	What    string   `json:"what"` // made, changed, same, left out
	Why     string   `json:"why,omitempty"`
}

// OPMLReport is what came of a list of feeds, or would come of it.
type OPMLReport struct {
	Preview bool        `json:"preview"`
	Made    int         `json:"made"`
	Changed int         `json:"changed"`
	Same    int         `json:"same"`
	LeftOut int         `json:"left_out"`
	Entries []OPMLEntry `json:"entries"`
}

// Limits of a list of feeds.
const (
	maxOPML  = 64 << 20
	maxSites = 10_000
)

// ImportOPML makes a site of each host in a list of feeds, which is then crawled by hand
// until somebody gives it a window. A site that is there gets the feeds that it has not.
// With preview it only says what would happen.
func (d *Desk) ImportOPML(ctx context.Context, r io.Reader, preview bool) (OPMLReport, error) {
	report := OPMLReport{Preview: preview, Entries: []OPMLEntry{}}
	sites, err := readOPML(r)
	if err != nil {
		return report, err
	}
	for _, e := range sites {
		if err := d.importSite(ctx, e, preview); err != nil {
			return report, err
		}
		for what, n := range map[string]*int{"made": &report.Made, "changed": &report.Changed, "same": &report.Same, "left out": &report.LeftOut} {
			if e.What == what {
				*n++
			}
		}
		report.Entries = append(report.Entries, *e)
	}
	return report, nil
}

// readOPML reads the feeds of a list, by host, in its order.
func readOPML(r io.Reader) ([]*OPMLEntry, error) {
	dec := xml.NewDecoder(io.LimitReader(r, maxOPML))
	dec.Strict, dec.Entity, dec.CharsetReader = false, xml.HTMLEntity, charset.NewReaderLabel
	var all []*OPMLEntry
	byHost := map[string]*OPMLEntry{}
	seen := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errs.Wrap(err, errs.Invalid, "The file is not well-formed: %v.", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		seen = seen || strings.EqualFold(e.Name.Local, "opml")
		if !strings.EqualFold(e.Name.Local, "outline") {
			continue
		}
		at := map[string]string{}
		for _, a := range e.Attr {
			at[strings.ToLower(a.Name.Local)] = strings.TrimSpace(a.Value)
		}
		if at["xmlurl"] == "" {
			continue // a folder
		}
		entry := entryOf(at)
		if there := byHost[entry.SiteID]; there != nil && entry.What == "" {
			if !slices.Contains(there.Feeds, entry.Feeds[0]) {
				there.Feeds = append(there.Feeds, entry.Feeds[0])
			}
			continue
		}
		if len(all) == maxSites {
			return nil, errs.New(errs.Invalid, "The file has more than %d sites.", maxSites)
		}
		all = append(all, entry)
		if entry.What == "" {
			byHost[entry.SiteID] = entry
		}
	}
	if !seen {
		return nil, errs.New(errs.Invalid, "The file is not OPML.")
	}
	return all, nil
}

var notID = regexp.MustCompile(`[^a-z0-9]+`)

func entryOf(at map[string]string) *OPMLEntry {
	e := &OPMLEntry{Name: at["title"], Feeds: []string{at["xmlurl"]}}
	if e.Name == "" {
		e.Name = at["text"]
	}
	feed, err := webURL(at["xmlurl"])
	if err != nil {
		e.What, e.Why = "left out", "its feed "+err.Error()
		return e
	}
	base := feed
	if home, err := webURL(at["htmlurl"]); err == nil {
		base = home
	}
	e.BaseURL = (&url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/"}).String()
	host := strings.TrimPrefix(strings.ToLower(base.Host), "www.")
	e.SiteID = strings.Trim(notID.ReplaceAllString(host, "-"), "-")
	if len(e.SiteID) > 63 {
		e.SiteID = strings.Trim(e.SiteID[:63], "-")
	}
	if e.Name == "" {
		e.Name = host
	}
	return e
}

// importSite makes a site, or adds feeds to it. What is wrong with it is in the entry.
func (d *Desk) importSite(ctx context.Context, e *OPMLEntry, preview bool) error {
	if e.What != "" {
		return nil
	}
	s, err := d.GetSite(ctx, e.SiteID)
	switch {
	case errors.Is(err, errs.NotFound):
		e.What = "made"
		s = Site{SiteID: e.SiteID, Name: e.Name, Category: "news", BaseURL: e.BaseURL, RequestIntervalMs: 1000, FeedURLs: e.Feeds}
	case err != nil:
		return err
	default:
		e.What = "same"
		for _, f := range e.Feeds {
			if !slices.Contains(s.FeedURLs, f) {
				e.What = "changed"
				s.FeedURLs = append(s.FeedURLs, f)
			}
		}
	}
	switch {
	case e.What == "same":
		return nil
	case preview:
		if err = s.Validate(); err == nil {
			err = d.reachable(&s)
		}
		if err == nil {
			err = d.wanted(ctx, &s)
		}
	case e.What == "made":
		err = d.CreateSite(ctx, &s)
	default:
		err = d.UpdateSite(ctx, &s)
	}
	if err != nil && errs.KindOf(err).Status() < 500 {
		e.What, e.Why = "left out", errs.Message(err)
		if fields := errs.Fields(err); len(fields) > 0 {
			e.Why = fmt.Sprint(fields[0].Name, " ", fields[0].Message)
		}
		return nil
	}
	return err
}
