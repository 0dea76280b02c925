package newswire

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

func zipText(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// theInternet fills a world with well-behaved and hostile hosts.
func theInternet(t *testing.T, w *world) {
	t.Helper()
	yesterday := time.Now().Add(-20 * time.Hour).UTC().Format(time.RFC3339)
	w.host("paper.example", map[string]any{
		"/robots.txt":     "User-agent: *\nDisallow: /news/private/\nCrawl-delay: 0.03\nSitemap: http://paper.example/maps/index.xml\n",
		"/":               list("/news/1?utm_source=home#top", "/news/2", "/news/private/x", "/news/list", "/elsewhere/3", "http://other.example/4", "/news/%2e%2e/secret"),
		"/news/list":      list("/news/5", "/news/old"),
		"/news/1":         newsPage("One", yesterday),
		"/news/2":         newsPage("Two", "not a date"),
		"/news/5":         newsPage("Five", yesterday, `<link rel="canonical" href="http://paper.example/news/5">`),
		"/news/5?print=1": newsPage("Five", yesterday, `<link rel="canonical" href="http://paper.example/news/5">`),
		"/news/6":         newsPage("Six", yesterday, `<link rel="canonical" href="http://stranger.example/6">`),
		"/news/7":         newsPage("Seven", ""),
		"/news/8":         newsPage("Eight", ""),
		"/news/hidden":    newsPage("Hidden", yesterday, `<meta name="robots" content="noindex">`),
		"/news/file.pdf": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write([]byte("%PDF"))
		},
		"/news/old":       redirect("/news/7"),
		"/maps/index.xml": `<sitemapindex><sitemap><loc>/maps/a.xml</loc></sitemap><sitemap><loc>/maps/b.xml.gz</loc></sitemap><sitemap><loc>http://other.example/c.xml</loc></sitemap></sitemapindex>`,
		"/maps/a.xml":     `<urlset><url><loc>/news/5?print=1</loc></url><url><loc>/news/6</loc></url><url><loc>/news/private/y</loc></url><url><loc>/away/z</loc></url></urlset>`,
		"/maps/b.xml.gz": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write(zipText(t, `<urlset><url><loc>http://paper.example/news/8</loc><lastmod>nonsense</lastmod></url><url><loc>/news/hidden</loc></url><url><loc>/news/file.pdf</loc></url></urlset>`))
		},
		"/feed.xml":           rss(item("/news/1?utm_medium=rss", "One", "yesterday-ish"), item("http://paper.example/news/9", "Nine in the feed", "Sat, 14 Nov 2020 09:30:00 +0900"), item("", "Broken", "")),
		"/news/9":             newsPage("Nine", ""),
		"/news/private/x":     newsPage("Private", yesterday),
		"/elsewhere/3":        newsPage("Elsewhere", yesterday),
		"/secret":             newsPage("Secret", yesterday),
		"/news/%2e%2e/secret": newsPage("Secret", yesterday),
	})
	w.host("zoo.example", charsetZoo(t))
	w.host("trap.example", traps(t))
	w.host("down.example", map[string]any{"/robots.txt": status(500), "/": list("/a")})
	w.host("closed.example", map[string]any{"/robots.txt": "User-agent: PressroomBot\nDisallow: /\n", "/": list("/a"), "/a": newsPage("Closed", "")})
	w.host("other.example", map[string]any{})
	w.host("stranger.example", map[string]any{})
}

func charsetZoo(t *testing.T) map[string]any {
	t.Helper()
	encode := func(e encoding.Encoding, header, title string) http.HandlerFunc {
		body, err := e.NewEncoder().String(newsPage(title, "2026-11-10T09:00:00") + strings.Repeat("<p>市議会は予算案を可決しました。道路と学校のための支出が認められました。</p>", 5))
		if err != nil {
			t.Fatal(err)
		}
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", header)
			_, _ = io.WriteString(w, body)
		}
	}
	return map[string]any{
		"/":      list("/sjis", "/euc", "/jis", "/wrong", "/utf8"),
		"/sjis":  encode(japanese.ShiftJIS, "text/html; charset=Shift_JIS", "シフト記事"),
		"/euc":   encode(japanese.EUCJP, "text/html", "イーユーシー記事"),
		"/jis":   encode(japanese.ISO2022JP, "text/html", "ジス記事"),
		"/wrong": encode(japanese.ShiftJIS, "text/html; charset=utf-8", "嘘の宣言"),
		"/utf8":  encode(encoding.Nop, "text/html; charset=utf-8", "ユニコード記事"),
	}
}

func traps(t *testing.T) map[string]any {
	t.Helper()
	bomb := zipText(t, strings.Repeat("0", 32<<20))
	return map[string]any{
		"/":       list("/good", "/loop1", "/long0", "/bomb", "/loris", "/missing", "/gone", "/error", "/busy", "/endless?page=1", "/inside", "/cut"),
		"/good":   newsPage("Good", ""),
		"/loop1":  redirect("/loop2"),
		"/loop2":  redirect("/loop1"),
		"/long0":  redirect("/long1"),
		"/long1":  redirect("/long2"),
		"/long2":  redirect("/long3"),
		"/long3":  redirect("/long4"),
		"/long4":  redirect("/long5"),
		"/long5":  redirect("/long6"),
		"/long6":  newsPage("Too far", ""),
		"/gone":   status(410),
		"/error":  status(500),
		"/busy":   func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "1"); w.WriteHeader(429) },
		"/inside": redirect("http://169.254.169.254/latest/meta-data"),
		"/cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
		},
		"/bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		},
		"/loris": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		},
		"/endless": func(w http.ResponseWriter, r *http.Request) {
			var n int
			_, _ = fmt.Sscanf(r.URL.Query().Get("page"), "%d", &n)
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, list(fmt.Sprintf("/endless?page=%d", n+1), fmt.Sprintf("/endless?page=%d", n+2), fmt.Sprintf("/endless?page=%d&x=%d", n+1, n)))
		},
	}
}

// TestSmallInternet crawls all of it at once and looks at everything afterwards.
func TestSmallInternet(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		theInternet(t, w)
		d := newStores(t).desk(t, w, func(o *Options) {
			o.MaxPages = 60
			o.MaxWait = 3 * time.Second
			o.Outbound.Timeout = 1500 * time.Millisecond
		})
		whole := []Window{{"00:00", "00:00"}}
		addSite(t, d, "paper", "paper.example", func(s *Site) {
			s.AllowedPaths = []string{"/news/"}
			s.FeedURLs = []string{"/feed.xml"}
			s.RequestIntervalMs = 20
			s.CrawlWindows = whole
		})
		for _, id := range []string{"zoo", "trap", "down", "closed"} {
			addSite(t, d, id, id+".example", func(s *Site) { s.CrawlWindows = whole })
		}
		runs, err := d.CrawlDue(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		logs := map[string]string{}
		for _, r := range runs {
			got[r.SiteID] = r.Status
			logs[r.SiteID] = logOf(t, d, r)
		}
		if diff := cmp.Diff(map[string]string{"paper": Success, "zoo": Success, "trap": Partial, "down": Failed, "closed": Success}, got); diff != "" {
			t.Error(diff)
		}
		titles := map[string][]string{}
		for _, id := range []string{"paper", "zoo", "trap", "down", "closed"} {
			for path, a := range articlesOf(t, d, id) {
				titles[id] = append(titles[id], path+" "+a.Title)
			}
			slices.Sort(titles[id])
		}
		if diff := cmp.Diff(map[string][]string{
			"paper": {"/news/1 One", "/news/2 Two", "/news/5 Five", "/news/6 Six", "/news/7 Seven", "/news/8 Eight", "/news/9 Nine"},
			"zoo":   {"/euc イーユーシー記事", "/jis ジス記事", "/sjis シフト記事", "/utf8 ユニコード記事", "/wrong 嘘の宣言"},
			"trap":  {"/good Good"},
		}, titles); diff != "" {
			t.Error(diff)
		}
		if at := articlesOf(t, d, "paper")["/news/9"].PublishedAt; at != "2020-11-14T00:30:00.000Z" {
			t.Errorf("the date of the feed is %s", at)
		}
		checkPolite(t, w)
		checkObjects(t, d)
		checkTrapLog(t, logs["trap"])
		if !strings.Contains(logs["down"], "robots.txt cannot be reached") || w.count("down.example", "/") != 0 {
			t.Errorf("down: %s", logs["down"])
		}
		if n := len(w.seen("closed.example")); n != 1 {
			t.Errorf("%d requests to a host that forbids all", n)
		}
		if n := len(w.seen("other.example")) + len(w.seen("stranger.example")); n != 0 {
			t.Errorf("%d requests to hosts that belong to no site", n)
		}
		if n := len(w.seen("trap.example")); n > 80 {
			t.Errorf("%d requests to an endless site", n)
		}
	})
}

// checkPolite looks at what the host itself saw.
func checkPolite(t *testing.T, w *world) {
	t.Helper()
	hits := w.seen("paper.example")
	for i, h := range hits {
		if h.agent != "PressroomBot/1.0 (+mailto:desk@pressroom.example)" {
			t.Errorf("User-Agent %q", h.agent)
		}
		switch p := h.path; {
		case p == "/robots.txt", p == "/.well-known/tdmrep.json", p == "/", p == "/feed.xml", strings.HasPrefix(p, "/maps/"):
		case strings.HasPrefix(p, "/news/private/"):
			t.Errorf("robots.txt forbids %s", p)
		case strings.HasPrefix(p, "/news/") && !strings.Contains(p, "%2e"):
		default:
			t.Errorf("%s is outside the allowed paths", p)
		}
		// robots.txt asks for 30 ms, more than the site's own 20; before it was
		// read, the site's own count.
		if i > 1 && h.at.Sub(hits[i-1].at) < 30*time.Millisecond {
			t.Errorf("%s came %v after %s", h.path, h.at.Sub(hits[i-1].at), hits[i-1].path)
		}
	}
	if len(hits) < 15 {
		t.Errorf("only %d requests", len(hits))
	}
}

// checkObjects looks at the tags and the metadata of every object.
func checkObjects(t *testing.T, d *Desk) {
	t.Helper()
	out, err := d.objects.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &d.bucket.Name})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, o := range out.Contents {
		kind, _, _ := strings.Cut(*o.Key, "/")
		kinds[kind]++
		tags, err := d.objects.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: &d.bucket.Name, Key: o.Key})
		if err != nil {
			t.Fatal(err)
		}
		if len(tags.TagSet) != 1 || aws.ToString(tags.TagSet[0].Key) != "project" || aws.ToString(tags.TagSet[0].Value) != "summanow" {
			t.Errorf("%s is tagged %v", *o.Key, tags.TagSet)
		}
		head, err := d.objects.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &d.bucket.Name, Key: o.Key})
		if err != nil {
			t.Fatal(err)
		}
		body, err := d.get(t.Context(), *o.Key)
		if err != nil {
			t.Fatal(err)
		}
		if head.Metadata["sha256"] != sum(string(body)) || head.Metadata["source-url"] == "" {
			t.Errorf("%s has the metadata %v", *o.Key, head.Metadata)
		}
	}
	if kinds["raw-html"] != 13 || kinds["logs"] != 5 || len(kinds) != 2 {
		t.Errorf("objects: %v", kinds)
	}
}

func checkTrapLog(t *testing.T, log string) {
	t.Helper()
	for _, want := range []string{
		`/bomb","detail":"the answer is a decompression bomb`,
		`/loris","detail":"no whole answer in time`,
		`/error","status":500`,
		`/busy","status":429`,
		`/gone","status":410`,
		`/missing","status":404`,
		`more than 5 in a row`,
		`http://169.254.169.254/latest/meta-data is on another host`,
		`/cut","detail":"unexpected EOF`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	if t.Failed() {
		t.Log(log)
	}
}

// TestGuard has sites whose names, feeds and robots.txt lead inside: each is
// refused, and the run's log says why.
func TestGuard(t *testing.T) {
	w := newWorld(t)
	d := newStores(t).desk(t, w, nil)
	for i, row := range []struct{ addr, reason string }{
		{"127.0.0.1", "a loopback address"},
		{"10.0.0.8", "a private network"},
		{"172.16.3.4", "a private network"},
		{"192.168.0.1", "a private network"},
		{"169.254.169.254", "a cloud's metadata service"},
		{"169.254.1.1", "a link-local address"},
		{"100.64.0.1", "a carrier's shared network (CGNAT)"},
		{"0.0.0.0", "the unspecified address"},
		{"224.0.0.5", "a multicast address"},
		{"::1", "a loopback address"},
		{"fd00::1", "a private network"},
		{"fe80::1", "a link-local address"},
		{"64:ff9b::a00:1", "an IPv4 address translated to IPv6 (NAT64)"},
		{"2002:a00:1::", "a tunnel of IPv6 in IPv4 (6to4)"},
	} {
		host := fmt.Sprintf("bad%d.example", i)
		w.dns[host] = netip.MustParseAddr(row.addr)
		addSite(t, d, fmt.Sprintf("bad%d", i), host, nil)
		run := crawlNow(t, d, fmt.Sprintf("bad%d", i))
		if run.Status != Failed || !strings.Contains(run.ErrorSummary, row.reason) || !strings.Contains(logOf(t, d, run), row.reason) {
			t.Errorf("%s: %s, %s", row.addr, run.Status, run.ErrorSummary)
		}
	}
	w.host("sly.example", map[string]any{"/robots.txt": redirect("http://127.0.0.1/robots.txt"), "/": list("/a")})
	addSite(t, d, "sly", "sly.example", nil)
	if run := crawlNow(t, d, "sly"); run.Status != Failed || !strings.Contains(logOf(t, d, run), "a loopback address") {
		t.Errorf("robots.txt that leads inside: %+v", run)
	}
	w.host("feeds.example", map[string]any{"/": list()})
	w.dns["inner.example"] = netip.MustParseAddr("10.1.2.3")
	addSite(t, d, "feeds", "feeds.example", func(s *Site) { s.FeedURLs = []string{"http://inner.example/feed"} })
	if run := crawlNow(t, d, "feeds"); run.Status != Partial || !strings.Contains(logOf(t, d, run), "a private network") {
		t.Errorf("a feed that is inside: %+v", run)
	}
	for _, h := range w.hits {
		if h.host != "sly.example" && h.host != "feeds.example" {
			t.Errorf("a request to %s came through", h.host)
		}
	}
	err := d.CreateSite(t.Context(), &Site{SiteID: "x", Name: "X", Category: "news", BaseURL: "http://[::1]/"})
	if err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("a site on loopback: %v", err)
	}
}

// TestChanges crawls a site again and again while it changes.
// A page that somebody else queues while a crawl runs, as a requeued one is, is
// handled by that crawl.
func TestQueuedByOthers(t *testing.T) {
	w := newWorld(t)
	d := newStores(t).desk(t, w, nil)
	fresh := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	w.host("site.example", map[string]any{"/": list("/a"), "/a": newsPage("A", fresh), "/hidden": newsPage("Hidden", fresh)})
	addSite(t, d, "site", "site.example", nil)
	address := Canonical("http://site.example/hidden")
	run, err := d.Crawl(t.Context(), "site", CrawlOptions{Progress: func(p Progress) {
		if !strings.HasSuffix(p.URL, "/a") {
			return
		}
		err := d.pages.Put(t.Context(), &pageItem{
			SiteID: "site", URLHash: sum(address), URL: address, ArticleID: d.ids.New(), Kind: kindArticle, State: "queued",
			Place: "01-" + d.ids.New(), Depth: 1,
		})
		if err != nil {
			t.Error(err)
		}
	}})
	if err != nil || run.NewArticles != 2 {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestChanges(t *testing.T) {
	w := newWorld(t)
	s := newStores(t)
	d := s.desk(t, w, nil)
	fresh := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	pages := map[string]any{
		"/":     list("/a", "/b"),
		"/b":    newsPage("B", fresh),
		"/feed": "", // set below
	}
	body := newsPage("A", fresh)
	etag := `"1"`
	pages["/a"] = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Type", "text/html")
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, body)
	}
	w.host("site.example", pages)
	addSite(t, d, "site", "site.example", nil)
	expect := func(what string, processed, fresh, updated, failed int) CrawlRun {
		t.Helper()
		run := crawlNow(t, d, "site")
		if run.ProcessedCount != processed || run.NewArticles != fresh || run.UpdatedArticles != updated || run.FailedArticles != failed {
			t.Errorf("%s: %+v\n%s", what, run, logOf(t, d, run))
		}
		s.clock.forward(time.Minute)
		return run
	}
	expect("first", 2, 2, 0, 0)
	first := articlesOf(t, d, "site")
	expect("nothing new", 2, 0, 0, 0)
	if hits := w.seen("site.example"); hits[len(hits)-1].condition == "" && hits[len(hits)-2].condition == "" {
		t.Error("no request was conditional")
	}
	body, etag = newsPage("A, corrected", fresh), `"2"`
	expect("a new title", 2, 0, 1, 0)
	now := articlesOf(t, d, "site")["/a"]
	if now.ArticleID != first["/a"].ArticleID || now.Title != "A, corrected" || now.PublishedAt != first["/a"].PublishedAt || now.CanonicalHash == first["/a"].CanonicalHash || now.UpdatedAt == "" {
		t.Errorf("updated to %+v", now)
	}
	pages["/c"] = newsPage("C", fresh)
	pages["/"] = list("/a", "/b", "/c")
	expect("a new article", 3, 1, 0, 0)
	pages["/c"] = status(410)
	expect("an article is gone", 2, 0, 0, 0)
	if a := articlesOf(t, d, "site")["/c"]; !strings.Contains(a.Note, "410") {
		t.Errorf("the article says %q", a.Note)
	}
	// Old articles are left alone, unless a list says that they changed.
	s.clock.forward(72 * time.Hour)
	before := w.count("site.example", "/b")
	expect("old articles", 0, 0, 0, 0)
	if w.count("site.example", "/b") != before {
		t.Error("an old article was fetched again")
	}
	pages["/b"] = newsPage("B, much later", fresh)
	pages["/sitemap.xml"] = `<urlset><url><loc>/b</loc><lastmod>` + s.clock.now().UTC().Format(time.RFC3339) + `</lastmod></url></urlset>`
	expect("changed, says the sitemap", 1, 0, 1, 0)
}

// TestCanonical is the one form of addresses.
func TestCanonical(t *testing.T) {
	got := map[string]string{}
	want := map[string]string{
		"HTTP://News.Example:80/A?b=1&utm_source=x&fbclid=y#frag": "http://news.example/A?b=1",
		"https://news.example:443":                                "https://news.example/",
		"https://news.example:8443/?utm_campaign=1":               "https://news.example:8443/",
		"https://news.example/a/../b/./c":                         "https://news.example/b/c",
		"https://日本.example/x":                                    "https://xn--wgv71a.example/x",
		"https://news.example/%E6%97%A5?a=b&c":                    "https://news.example/%E6%97%A5?a=b&c",
		"https://news.example./":                                  "https://news.example/",
		"ftp://news.example/":                                     "",
		"https://user@news.example/":                              "",
		"/relative":                                               "",
	}
	for in := range want {
		got[in] = Canonical(in)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for c := range maps.Values(got) {
		if c != "" && Canonical(c) != c {
			t.Errorf("%s is not canonical itself: %s", c, Canonical(c))
		}
	}
}
