package newswire

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/model"
)

func TestValidateSite(t *testing.T) {
	bad := Site{
		SiteID: "Not a slug", Name: " ", Category: "blog", BaseURL: "ftp://x", AllowedPaths: []string{"news", "/a?b"}, FeedURLs: []string{"javascript:x"},
		RequestIntervalMs: -1, Timezone: "Mars/Olympus", CrawlWindows: []Window{{"6:30", "07:00"}, {"06:30", "25:00"}, {"06:30", "07:00"}},
	}
	var names []string
	for _, f := range errs.Fields(bad.Validate()) {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"siteId", "name", "category", "baseUrl", "allowedPaths[0]", "allowedPaths[1]", "feedUrls[0]", "requestIntervalMs", "timezone", "crawlWindows[0]", "crawlWindows[1]"}, names); diff != "" {
		t.Error(diff)
	}
	good := Site{SiteID: "a-1", Name: "A", Category: "press_release", BaseURL: "https://a.example/x", FeedURLs: []string{"/feed"}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	if good.Timezone != "UTC" || good.AllowedPaths[0] != "/" || good.FeedURLs[0] != "https://a.example/feed" {
		t.Errorf("%+v", good)
	}
}

func TestSites(t *testing.T) {
	w := newWorld(t)
	w.host("site.example", map[string]any{"/": list("/a"), "/a": newsPage("A", "2026-11-10T09:00:00Z")})
	stores := newStores(t)
	stores.untold = true // the cards of a site's articles follow its name later, through the table's stream
	d := stores.desk(t, w, nil)
	ctx := t.Context()
	s := addSite(t, d, "one", "site.example", nil)
	if err := d.CreateSite(ctx, &Site{SiteID: "one", Name: "X", Category: "news", BaseURL: "http://x.example/"}); errs.KindOf(err) != errs.Duplicate {
		t.Errorf("a second site of one id: %v", err)
	}
	crawlNow(t, d, "one")
	s.Name, s.Category = "Renamed", "press_release"
	stale := s
	if err := d.UpdateSite(ctx, &s); err != nil {
		t.Fatal(err)
	}
	if err := d.UpdateSite(ctx, &stale); errs.KindOf(err) != errs.Stale {
		t.Errorf("an edit of an old version: %v", err)
	}
	news, err := d.ByCategory(ctx, "news", model.PageOptions{})
	if err != nil || len(news.Items) != 0 {
		t.Errorf("%v, %v", news, err)
	}
	press, err := d.ByCategory(ctx, "press_release", model.PageOptions{})
	if err != nil || len(press.Items) != 1 {
		t.Errorf("the articles did not move with their site: %v, %v", press, err)
	}
	all, err := d.Sites(ctx, "")
	if err != nil || len(all) != 1 || all[0].Name != "Renamed" {
		t.Errorf("%v, %v", all, err)
	}
	if err := d.DeleteSite(ctx, "one"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.GetSite(ctx, "one"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("after its deletion: %v", err)
	}
	for p, err := range d.pages.All(ctx, "PagesOfSite", siteKey("one")) {
		t.Errorf("a page is left: %v, %v", p, err)
	}
	read, err := d.ReadArticle(ctx, press.Items[0].ArticleID, rights.Staff)
	if err != nil || read.SiteName != "" || !strings.Contains(read.Text, "voted on item") {
		t.Errorf("the article of a site that is gone: %+v, %v", read, err)
	}
	if err := d.DeleteSite(ctx, "one"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("a second deletion: %v", err)
	}
}

func TestPreview(t *testing.T) {
	w := newWorld(t)
	w.host("site.example", map[string]any{
		"/robots.txt": "User-agent: *\nDisallow: /b/\nCrawl-delay: 0.01\nContent-Signal: search=yes, ai-input=no\nSitemap: /map.xml",
		"/":           `<html lang="en"><title>The Paper</title><link rel="alternate" type="application/rss+xml" href="/feed.xml">` + list("/a/1", "/b/2", "/c/3"),
		"/feed.xml":   rss(item("/a/1", "One", "2026-11-14T09:00:00Z"), item("/a/2", "Two", "2026-11-10T09:00:00Z")),
		"/map.xml":    "broken",
		"/a/1":        newsPage("One", ""),
	})
	d := newStores(t).desk(t, w, nil)
	got, err := d.Preview(t.Context(), Site{SiteID: "x", Name: "X", Category: "news", BaseURL: "http://site.example/", AllowedPaths: []string{"/a/", "/b/"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Article == nil || got.Article.Title != "One" || got.Article.PublishedAt != "2026-11-14T09:00:00.000Z" || got.Article.WordCount < 100 {
		t.Errorf("article %+v", got.Article)
	}
	got.Article = nil
	var stopped []string
	for _, u := range got.Rulings {
		if !u.Allowed {
			stopped = append(stopped, string(u.Use)+" "+u.Because.String())
		}
	}
	input := "Content-Signal: ai-input=no (robots)"
	if diff := cmp.Diff([]string{"text quotation", "summarise " + input, "picture quotation", "agents " + input}, stopped); diff != "" {
		t.Error(diff)
	}
	got.Rulings = nil
	want := Preview{
		Robots:   PreviewRobots{Reachable: true, Paths: map[string]bool{"/a/": true, "/b/": false}, CrawlDelay: 10 * time.Millisecond},
		Feeds:    []PreviewSource{{URL: "http://site.example/feed.xml", Entries: 2, Newest: "2026-11-14T09:00:00.000Z"}},
		Sitemaps: []PreviewSource{{URL: "/map.xml", Problem: "read sitemap: it is none"}},
		Links:    []string{"http://site.example/a/1", "http://site.example/b/2"}, Title: "Headlines", Language: "en",
		Signals: []rights.Said{
			{Signal: rights.Disallow, Value: "/b/", Where: rights.InRobots, Path: "/b/"},
			{Signal: rights.ContentSignal, Value: "ai-input=no", Where: rights.InRobots},
			{Signal: rights.ContentSignal, Value: "search=yes", Where: rights.InRobots},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if sites, err := d.Sites(t.Context(), ""); err != nil || len(sites) != 0 {
		t.Errorf("a preview saved %v, %v", sites, err)
	}
	bad, err := d.Preview(t.Context(), Site{SiteID: "x", Name: "X", Category: "news", BaseURL: "http://nowhere.example/"})
	if err != nil || bad.Robots.Reachable || len(bad.Problems) != 1 {
		t.Errorf("%+v, %v", bad, err)
	}
}

// A run in the background ends with the desk and is gone on with by another.
func TestStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		pages := map[string]any{"/": list("/a", "/b", "/c", "/d", "/e", "/f")}
		for _, p := range []string{"/a", "/b", "/c", "/d", "/e", "/f"} {
			pages[p] = newsPage("Story "+p, "2026-11-10T09:00:00Z")
		}
		w.host("site.example", pages)
		s := newStores(t)
		first := s.desk(t, w, nil)
		addSite(t, first, "site", "site.example", func(s *Site) { s.RequestIntervalMs = 40 })
		begun := make(chan struct{}, 100)
		run, err := first.Start(t.Context(), "site", CrawlOptions{Progress: func(Progress) { begun <- struct{}{} }})
		if err != nil || run.Status != Running {
			t.Fatal(run, err)
		}
		for range 4 {
			<-begun
		}
		first.Close()
		left, err := first.GetRun(t.Context(), run.RunID)
		if err != nil || left.Status != Running {
			t.Fatalf("after its desk closed: %+v, %v", left, err)
		}
		if n := len(articlesOf(t, first, "site")); n == 0 || n == 6 {
			t.Fatalf("%d articles by then", n)
		}
		done, err := s.desk(t, w, nil).Crawl(t.Context(), "site", CrawlOptions{})
		if err != nil || done.RunID != run.RunID || done.Status != Success || done.NewArticles != 6 {
			t.Errorf("%+v, %v", done, err)
		}
		if n := w.count("site.example", "/a"); n > 2 {
			t.Errorf("%d requests for one page", n)
		}
		if log := logOf(t, first, done); !strings.Contains(log, `"begin"`) || !strings.Contains(log, `"pause"`) || !strings.Contains(log, `"go on"`) || !strings.Contains(log, `"end"`) {
			t.Error(log)
		}
	})
}

// A window that closes ends the run; the next one goes on with what was queued.
func TestTimeUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		w.host("site.example", map[string]any{"/": list("/a", "/b"), "/a": newsPage("A", ""), "/b": newsPage("B", "")})
		d := newStores(t).desk(t, w, nil)
		addSite(t, d, "site", "site.example", func(s *Site) { s.RequestIntervalMs = 60 })
		run, err := d.Crawl(t.Context(), "site", CrawlOptions{Until: d.now().Add(150 * time.Millisecond)})
		if err != nil || run.Status != Partial || !strings.Contains(run.ErrorSummary, "time was up") {
			t.Errorf("%+v, %v", run, err)
		}
		if run := crawlNow(t, d, "site"); run.Status != Success || len(articlesOf(t, d, "site")) != 2 {
			t.Errorf("%+v", run)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.Crawl(ctx, "site", CrawlOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled crawl: %v", err)
		}
	})
}
