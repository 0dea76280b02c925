package newswire

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/model"
)

// Site is a site to crawl.
type Site struct {
	SiteID            string   `dynamodbav:"siteId" json:"siteId"`
	Name              string   `dynamodbav:"name" json:"name"`
	Category          string   `dynamodbav:"category" json:"category"` // press_release or news
	BaseURL           string   `dynamodbav:"baseUrl" json:"baseUrl"`
	CrawlWindows      []Window `dynamodbav:"crawlWindows" json:"crawlWindows"`
	AllowedPaths      []string `dynamodbav:"allowedPaths" json:"allowedPaths"`
	RequestIntervalMs int      `dynamodbav:"requestIntervalMs" json:"requestIntervalMs"`
	Timezone          string   `dynamodbav:"timezone" json:"timezone"`
	CreatedAt         string   `dynamodbav:"createdAt" json:"createdAt"`
	UpdatedAt         string   `dynamodbav:"updatedAt" json:"updatedAt"`
	FeedURLs          []string `dynamodbav:"feedUrls" json:"feedUrls"`
	Paused            bool     `dynamodbav:"paused" json:"paused"`
	// Basis is what allows us to show its articles; a quotation if nothing is said.
	Basis rights.Basis `dynamodbav:"basis" json:"basis"`
	// Version counts changes; an edit is of the version that was read.
	Version int `dynamodbav:"version" json:"version"`
}

// Limits on sites.
const (
	maxWindows  = 24
	maxPaths    = 50
	maxFeeds    = 20
	maxInterval = 10 * 60 * 1000
)

var siteID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Categories returns the categories that sites can have.
func Categories() []string { return append([]string(nil), categories...) }

// key is where a site is kept.
func siteKey(id string) model.Values { return model.Values{"siteId": id} }

// zone returns the site's time zone.
func (s *Site) zone() *time.Location {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return time.UTC // validated when it was saved
	}
	return loc
}

func (s *Site) interval() time.Duration {
	return time.Duration(s.RequestIntervalMs) * time.Millisecond
}

// Validate reports every field that is wrong, as an errs.Invalid error. It fills
// in what may be left out: allowed paths (all), the time zone (UTC).
func (s *Site) Validate() error {
	var wrong []errs.Field
	say := func(field, format string, args ...any) {
		wrong = append(wrong, errs.Field{Name: field, Message: fmt.Sprintf(format, args...)})
	}
	s.Name = strings.TrimSpace(s.Name)
	if !siteID.MatchString(s.SiteID) {
		say("siteId", "must be 1 to 63 lower-case letters, digits and hyphens, and begin with none of the latter")
	}
	if n := utf8.RuneCountInString(s.Name); n < 1 || n > 200 {
		say("name", "must have 1 to 200 characters")
	}
	if s.Category != categories[0] && s.Category != categories[1] {
		say("category", "must be %s", strings.Join(categories, " or "))
	}
	base, err := webURL(s.BaseURL)
	if err != nil {
		say("baseUrl", "%v", err)
	}
	s.validatePaths(say)
	s.validateFeeds(base, say)
	if s.RequestIntervalMs < 0 || s.RequestIntervalMs > maxInterval {
		say("requestIntervalMs", "must be 0 to %d", maxInterval)
	}
	if s.Timezone == "" {
		s.Timezone = "UTC"
	}
	if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "Local" {
		say("timezone", "must be an IANA zone such as Asia/Tokyo")
	}
	if s.CrawlWindows == nil {
		s.CrawlWindows = []Window{} // the item has the list, also if it is empty
	}
	if len(s.CrawlWindows) > maxWindows {
		say("crawlWindows", "must be at most %d", maxWindows)
	}
	for i, w := range s.CrawlWindows {
		if err := w.validate(); err != nil {
			say(fmt.Sprintf("crawlWindows[%d]", i), "%v", err)
		}
	}
	for field, message := range s.Basis.Validate() {
		say("basis."+field, "%s", message)
	}
	if len(wrong) > 0 {
		return errs.Validation(wrong...)
	}
	return nil
}

func (s *Site) validatePaths(say func(field, format string, args ...any)) {
	if len(s.AllowedPaths) == 0 {
		s.AllowedPaths = []string{"/"}
	}
	if len(s.AllowedPaths) > maxPaths {
		say("allowedPaths", "must be at most %d", maxPaths)
	}
	for i, p := range s.AllowedPaths {
		if !strings.HasPrefix(p, "/") || len(p) > 500 || strings.ContainsAny(p, "?# \t\n") {
			say(fmt.Sprintf("allowedPaths[%d]", i), "must be a path that begins with / and has no query")
		}
	}
}

func (s *Site) validateFeeds(base *url.URL, say func(field, format string, args ...any)) {
	if len(s.FeedURLs) > maxFeeds {
		say("feedUrls", "must be at most %d", maxFeeds)
	}
	for i, f := range s.FeedURLs {
		u, err := url.Parse(strings.TrimSpace(f))
		if err == nil && base != nil {
			u = base.ResolveReference(u)
		}
		if err == nil {
			u, err = webURL(u.String())
		}
		if err != nil {
			say(fmt.Sprintf("feedUrls[%d]", i), "%v", err)
			continue
		}
		s.FeedURLs[i] = u.String()
	}
}

var errWebURL = errors.New("must be an http or https address without a user name, at most 2,048 bytes long")

func webURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || len(text) > urlMax {
		return nil, errWebURL
	}
	return u, nil
}

// CreateSite saves a new site. A taken id is errs.Duplicate, a wrong field
// errs.Invalid.
func (d *Desk) CreateSite(ctx context.Context, s *Site) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if err := d.reachable(s); err != nil {
		return err
	}
	if err := d.wanted(ctx, s); err != nil {
		return err
	}
	s.CreatedAt = stamp(d.now())
	s.UpdatedAt = s.CreatedAt
	s.Version = 0
	return told(d.sites.Create(ctx, s), "create site %s", s.SiteID)
}

// wanted refuses a site that was erased: it asked to be left alone.
func (d *Desk) wanted(ctx context.Context, s *Site) error {
	gone, err := d.opt.Erased.Gone(ctx, s.scope().host)
	if err == nil && gone {
		err = errs.New(errs.Conflict, "%s was erased on request and is not crawled again", s.scope().host)
	}
	return err
}

// reachable refuses addresses that no request may go to, as far as they show it.
func (d *Desk) reachable(s *Site) error {
	var wrong []errs.Field
	check := func(field, address string) {
		u, err := url.Parse(address)
		if err == nil {
			err = d.client.CheckURL(u)
		}
		if err != nil {
			wrong = append(wrong, errs.Field{Name: field, Message: "cannot be crawled: " + err.Error()})
		}
	}
	check("baseUrl", s.BaseURL)
	for i, f := range s.FeedURLs {
		check(fmt.Sprintf("feedUrls[%d]", i), f)
	}
	if wrong != nil {
		return errs.Validation(wrong...)
	}
	return nil
}

// UpdateSite saves an edit of the version in s; errs.Stale if that is no longer
// the present one. If the category or the basis changes, the site's articles follow.
func (d *Desk) UpdateSite(ctx context.Context, s *Site) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if err := d.reachable(s); err != nil {
		return err
	}
	old, err := d.GetSite(ctx, s.SiteID)
	if err != nil {
		return err
	}
	if s.Version != old.Version {
		return fmt.Errorf("update site %s: %w", s.SiteID, errs.Stale)
	}
	s.CreatedAt, s.UpdatedAt = old.CreatedAt, stamp(d.now())
	if err := d.sites.Put(ctx, s); err != nil {
		return told(err, "update site %s", s.SiteID)
	}
	if s.Category != old.Category || !reflect.DeepEqual(s.Basis, old.Basis) {
		return d.bringAlong(ctx, s)
	}
	return nil
}

// bringAlong moves the site's articles to its category, and has them follow its
// basis: all of them are written, so that those who index them look again.
func (d *Desk) bringAlong(ctx context.Context, s *Site) error {
	for a, err := range d.articles.All(ctx, "LatestOfSite", siteKey(s.SiteID)) {
		if err != nil {
			return told(err, "move articles of %s", s.SiteID)
		}
		if err := d.addMonth(ctx, s.Category, a.PublishedAt); err != nil {
			return err
		}
		if _, err := d.amend(ctx, a.place(), func(a *Article) {
			a.Category = s.Category
			d.settle(a, s.Basis)
		}); err != nil {
			return told(err, "move article %s", a.ArticleID)
		}
	}
	return nil
}

// PauseSite stops the schedule for a site, or lets it go on. A run that is under
// way goes on.
func (d *Desk) PauseSite(ctx context.Context, id string, paused bool) (Site, error) {
	s, err := d.sites.Modify(ctx, siteKey(id), func(s *Site) error {
		s.Paused, s.UpdatedAt = paused, stamp(d.now())
		return nil
	})
	return s, told(err, "pause site %s", id)
}

// GetSite returns a site, or errs.NotFound.
func (d *Desk) GetSite(ctx context.Context, id string) (Site, error) {
	if id == "" {
		return Site{}, fmt.Errorf("get site: %w", errs.NotFound)
	}
	s, err := d.sites.Get(ctx, siteKey(id))
	return s, told(err, "get site %s", id)
}

// Sites returns the sites of a category by name; "" is all of them, category by
// category.
func (d *Desk) Sites(ctx context.Context, category string) ([]Site, error) {
	chosen := categories
	if category != "" {
		chosen = []string{category}
	}
	var all []Site
	for _, c := range chosen {
		for s, err := range d.sites.All(ctx, "SitesByCategory", model.Values{"category": c}) {
			if err != nil {
				return nil, told(err, "list sites")
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// ListSites is a page of the sites of one category by name; "" is all of them,
// category by category.
func (d *Desk) ListSites(ctx context.Context, category string, o model.PageOptions) (model.Page[Site], error) {
	if category == "" {
		return chained(categories, o, func(name string, o PageOptions) (Page[Site], error) { return d.ListSites(ctx, name, o) })
	}
	if category != categories[0] && category != categories[1] {
		return model.Page[Site]{}, errs.Validation(errs.Field{Name: "category", Message: "must be " + strings.Join(categories, " or ")})
	}
	p, err := d.sites.Page(ctx, "SitesByCategory", model.Values{"category": category}, o)
	return p, told(err, "list sites")
}

// DeleteSite forgets a site and what is known of its addresses. Its articles,
// summaries and runs stay, as long as they are kept anyway. A site that is being
// crawled is errs.Conflict.
func (d *Desk) DeleteSite(ctx context.Context, id string) error {
	if _, err := d.GetSite(ctx, id); err != nil {
		return err
	}
	ctx, release, err := d.claimSite(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	run, found, err := d.unfinished(ctx, id)
	if err != nil {
		return err
	}
	if found {
		run.ErrorSummary = "the site was deleted"
		if err := d.finishRun(ctx, &run, "failed"); err != nil {
			return err
		}
	}
	var keys []model.Values
	for p, err := range d.pages.All(ctx, "PagesOfSite", siteKey(id)) {
		if err != nil {
			return told(err, "delete pages of %s", id)
		}
		if keys = append(keys, p.key()); len(keys) == 500 {
			if err := d.pages.BatchDelete(ctx, keys); err != nil {
				return told(err, "delete pages of %s", id)
			}
			keys = keys[:0]
		}
	}
	if err := d.pages.BatchDelete(ctx, keys); err != nil {
		return told(err, "delete pages of %s", id)
	}
	if err := d.signals.Delete(ctx, siteKey(id)); err != nil {
		return told(err, "delete signals of %s", id)
	}
	// The site itself goes last, so that what was interrupted can be repeated.
	return told(d.sites.Delete(ctx, siteKey(id)), "delete site %s", id)
}
