package newswireapi

import (
	"context"
	"strconv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/rights"
)

// A preview asks the site several times, and leaves out what takes longer than
// an answer may.
const (
	previewTime  = 45 * time.Second
	previewLimit = 55 * time.Second
)

func (s *service) sites(a *api.API) {
	api.Get(a, "/newswire/sites", auth.Operator, api.Op{ID: "listSites", Summary: "The sites, category by category, by name"}, s.listSites)
	api.Post(a, "/newswire/sites", auth.Operator, api.Op{ID: "createSite", Summary: "Add a site", Fails: []errs.Kind{errs.Duplicate}}, s.createSite)
	api.Get(a, "/newswire/sites/{id}", auth.Operator, api.Op{ID: "getSite", Summary: "A site"}, s.getSite)
	api.Get(a, "/newswire/sites/{id}/signals", auth.Operator, api.Op{
		ID: "getSignals", Summary: "What a site says about the use of its pages",
		Doc: "As it was read last, which is at most a day ago, with what may be done with its articles as far as they say nothing themselves.",
	}, s.signals)
	api.Put(a, "/newswire/sites/{id}", auth.Operator, api.Op{
		ID: "editSite", Summary: "Change a site",
		Doc: "If its category changes, its articles change theirs. A paused site is crawled by hand alone.",
	}, s.editSite)
	api.Delete(a, "/newswire/sites/{id}", auth.Operator, api.Op{
		ID: "deleteSite", Summary: "Forget a site", Fails: []errs.Kind{errs.Conflict},
		Doc: "Its articles, summaries and runs stay. A site that is being crawled cannot be forgotten.",
	}, s.deleteSite)
	api.Post(a, "/newswire/previews", auth.Operator, api.Op{
		ID: "previewSite", Summary: "Look at a site without adding it", Timeout: previewLimit,
		Doc: "Asks the site a few times: what robots.txt allows, what feeds and links there are, and what an article would look like. What goes wrong there is told in problems.",
	}, s.preview)
}

// Site is a site to crawl.
type Site struct{ newswire.Site }

// Tag is the site's version.
func (s *Site) Tag() string { return strconv.Itoa(s.Version) }

func (s *service) listSites(ctx context.Context, in *struct {
	api.Page
	Category string `query:"category" enum:"press_release,news"`
}) (*api.List[Site], error) {
	page, err := s.desk.ListSites(ctx, in.Category, options(in.Page))
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, shown), nil
}

// shown is the site with lists where there may be none.
func shown(s newswire.Site) Site {
	if s.CrawlWindows == nil {
		s.CrawlWindows = []newswire.Window{}
	}
	if s.FeedURLs == nil {
		s.FeedURLs = []string{}
	}
	if s.AllowedPaths == nil {
		s.AllowedPaths = []string{}
	}
	return Site{s}
}

// SiteFields are what an operator says about a site.
type SiteFields struct {
	Name     string            `json:"name" doc:"1 to 200 characters"`
	Category string            `json:"category" enum:"press_release,news"`
	BaseURL  string            `json:"baseUrl" doc:"its front page" example:"https://city.example/"`
	Feeds    []string          `json:"feedUrls,omitempty" doc:"feeds besides those that its front page names"`
	Paths    []string          `json:"allowedPaths,omitempty" doc:"only paths that begin so are crawled; all if it is not there"`
	Windows  []newswire.Window `json:"crawlWindows,omitempty" doc:"when it is crawled each day; by hand alone if it is not there"`
	Interval int               `json:"requestIntervalMs" doc:"milliseconds between two requests" example:"1000"`
	Timezone string            `json:"timezone,omitempty" doc:"of the windows, and of dates without a zone; UTC if it is not there" example:"Asia/Tokyo"`
	Paused   bool              `json:"paused,omitempty" doc:"the schedule leaves it alone"`
	Basis    *rights.Basis     `json:"basis,omitempty" doc:"what allows its articles to be shown; as it was, or a quotation, if it is not there"`
}

func (f *SiteFields) apply(s *newswire.Site) {
	s.Name, s.Category, s.BaseURL, s.FeedURLs, s.AllowedPaths = f.Name, f.Category, f.BaseURL, f.Feeds, f.Paths
	s.CrawlWindows, s.RequestIntervalMs, s.Timezone, s.Paused = f.Windows, f.Interval, f.Timezone, f.Paused
	if f.Basis != nil {
		s.Basis = *f.Basis
	}
}

// SiteInput is a site that shall be added.
type SiteInput struct {
	ID string `json:"siteId" doc:"1 to 63 lower-case letters, digits and hyphens" example:"city"`
	SiteFields
}

func (s *service) createSite(ctx context.Context, in *struct{ Body SiteInput }) (*api.Created[Site], error) {
	site := newswire.Site{SiteID: in.Body.ID}
	in.Body.apply(&site)
	if err := s.record(ctx, "add", "site "+in.Body.ID, ""); err != nil {
		return nil, err
	}
	if err := s.desk.CreateSite(ctx, &site); err != nil {
		return nil, err
	}
	return &api.Created[Site]{Location: "/newswire/sites/" + site.SiteID, Body: shown(site)}, nil
}

func (s *service) getSite(ctx context.Context, in *byID) (*Site, error) {
	site, err := s.desk.GetSite(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	one := shown(site)
	return &one, nil
}

// Signals are what a site says about the use of its pages, and what follows from it.
type Signals struct {
	Said    []rights.Said     `json:"said" doc:"what it says, where, about which paths and since when"`
	ReadAt  time.Time         `json:"readAt,omitzero" doc:"missing if it was not asked yet"`
	Rulings []newswire.Ruling `json:"rulings" doc:"what may be done with its articles, and what decided"`
}

func (s *service) signals(ctx context.Context, in *byID) (*Signals, error) {
	site, err := s.desk.GetSite(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	signals, err := s.desk.SignalsOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &Signals{Said: filled(signals.Said), ReadAt: timeOf(signals.ReadAt), Rulings: s.desk.Rulings(&site, &signals)}, nil
}

// edit is the input of what changes a site that somebody has read.
type edit struct {
	api.Edit
	byID
}

func (s *service) matched(ctx context.Context, in *edit) (newswire.Site, error) {
	site, err := s.desk.GetSite(ctx, in.ID)
	if err != nil {
		return site, err
	}
	return site, in.Match(strconv.Itoa(site.Version))
}

func (s *service) editSite(ctx context.Context, in *struct {
	edit
	Body SiteFields
}) (*Site, error) {
	site, err := s.matched(ctx, &in.edit)
	if err != nil {
		return nil, err
	}
	in.Body.apply(&site)
	if err := s.record(ctx, "edit", "site "+in.ID, ""); err != nil {
		return nil, err
	}
	if err := s.desk.UpdateSite(ctx, &site); err != nil {
		return nil, err
	}
	one := shown(site)
	return &one, nil
}

func (s *service) deleteSite(ctx context.Context, in *struct{ edit }) (*api.None, error) {
	if _, err := s.matched(ctx, &in.edit); err != nil {
		return nil, err
	}
	if err := s.record(ctx, "delete", "site "+in.ID, ""); err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.DeleteSite(ctx, in.ID)
}

// Preview is what a crawl would find.
type Preview struct {
	Title    string                   `json:"title" doc:"of the front page"`
	Language string                   `json:"language"`
	Robots   Robots                   `json:"robots"`
	Feeds    []newswire.PreviewSource `json:"feeds"`
	Sitemaps []newswire.PreviewSource `json:"sitemaps"`
	Links    []string                 `json:"links" doc:"of the front page, within the allowed paths; at most 20"`
	Article  *newswire.PreviewArticle `json:"article" doc:"one article as it would be kept; null if none was found"`
	Problems []string                 `json:"problems" doc:"what went wrong, in words"`
	Signals  []rights.Said            `json:"signals" doc:"what the site says about the use of its pages"`
	Rulings  []newswire.Ruling        `json:"rulings" doc:"what may be done with the article, or else with the front page, and what decided"`
}

// Robots is what robots.txt says.
type Robots struct {
	Reachable  bool            `json:"reachable"`
	Paths      map[string]bool `json:"paths" doc:"the allowed paths, and whether robots.txt allows them too"`
	CrawlDelay int64           `json:"crawlDelayMs" doc:"what it asks for between two requests"`
}

func (s *service) preview(ctx context.Context, in *struct{ Body SiteFields }) (*Preview, error) {
	site := newswire.Site{SiteID: "preview"}
	in.Body.apply(&site)
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	p, err := s.desk.Preview(ctx, site)
	if err != nil {
		return nil, err
	}
	return &Preview{
		Title: p.Title, Language: p.Language, Feeds: filled(p.Feeds), Sitemaps: filled(p.Sitemaps), Links: filled(p.Links),
		Article: p.Article, Problems: filled(p.Problems), Signals: filled(p.Signals), Rulings: filled(p.Rulings),
		Robots: Robots{Reachable: p.Robots.Reachable, Paths: p.Robots.Paths, CrawlDelay: p.Robots.CrawlDelay.Milliseconds()},
	}, nil
}

// filled is the list, empty instead of missing.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
