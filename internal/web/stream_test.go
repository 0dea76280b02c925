package web_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pressroom/internal/auth"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/internal/web"
	"pressroom/internal/web/feed"
	"pressroom/internal/web/webtest"
	"pressroom/model"
)

// testDesk is a desk with stories on a site.
type testDesk struct {
	*storytest.Desk
	t    testing.TB
	name string
	n    int
}

func mount(t testing.TB, s *webtest.Site, name string, order int) *testDesk {
	t.Helper()
	s.Front(web.FrontSection{Desk: name, Key: "styleguide.kicker." + strconv.Itoa(order), Path: "/" + name, Order: order})
	return &testDesk{Desk: s.Stories.Desk(name), t: t, name: name}
}

// add publishes one more story, and returns its title.
func (d *testDesk) add(at time.Time, lang string, pictures ...string) string {
	d.t.Helper()
	st := story.Story{
		Ref: story.Ref{Desk: d.name, ID: strconv.Itoa(d.n)}, Title: fmt.Sprint(d.name, d.n), Path: fmt.Sprintf("/%s/%d", d.name, d.n), Summary: "s",
		Published: model.FormatTime(at), Source: story.Source{Name: "src", URL: "https://example.org/"}, Language: lang,
	}
	for _, path := range pictures {
		st.Picture.Path = path
	}
	d.n++
	d.Put(d.t, story.Text{Story: st})
	return st.Title
}

// titles are the stories of a page, top to bottom.
func titles(r *webtest.Reply) []string {
	var all []string
	for _, n := range r.Doc.Find(".story h2, .story h3").EachIter() {
		all = append(all, n.Text())
	}
	return all
}

func TestFrontPage(t *testing.T) {
	s := webtest.Open(t)
	if text := s.Get(t, auth.Everyone, "/?empty").Text(".empty h2"); text != "Nothing is published yet" {
		t.Errorf("empty front page says %q", text)
	}
	a, b := mount(t, s, "a", 1), mount(t, s, "b", 2)
	b.add(webtest.Now.Add(-time.Hour), "ja", "/picture")
	for i := range 20 {
		a.add(webtest.Now.Add(-time.Duration(2*i)*time.Hour), "en")
		if i > 0 {
			b.add(webtest.Now.Add(-time.Duration(2*i+1)*time.Hour), "ja")
		}
	}
	s.Trending(web.Words{Path: "/words", Load: func(_ context.Context, lang string, most int) ([]web.Word, error) {
		return []web.Word{{Term: "word-" + lang, Path: "/words/1", Gloss: "its gloss"}}, nil
	}})
	// Each page leads with its own language.
	for lang, want := range map[string][3]string{"en": {"a0", "a1a2b0", "b1b2"}, "ja": {"b0", "b1b2a0", "a1a2"}} {
		got := s.Get(t, auth.Everyone, "/?lang="+lang).Want(200)
		if at := [3]string{got.Text(".lead > .story h2"), got.Text(".lead .rest h3"), got.Text(".lead .under h3")}; at != want {
			t.Errorf("the page in %s leads with %q, want %q", lang, at, want)
		}
	}
	got := s.Get(t, auth.Everyone, "/").Want(200)
	if all := titles(got); len(all) != 24 || all[6] != "a3" || all[7] != "b3" || all[23] != "b11" {
		t.Errorf("the page has %v", all)
	}
	if got.Attr("meta[property='og:image']", "content") != "http://example.com/picture" {
		t.Error("the lead's picture is not the page's")
	}
	if got.Text(".words ol a") != "word-en" {
		t.Errorf("beside the stream: %q", got.Text(".words"))
	}
	if text := got.Text(".day:first-of-type .when"); !strings.HasPrefix(text, "Today") {
		t.Errorf("the first day is %q", text)
	}
	// Dates and sources are visible on every article.
	if n := got.Count(".story"); n != 24 || n != got.Count(".story time[datetime]") || n != got.Count(".story a[href='https://example.org/']") {
		t.Error("a story lacks its date or source")
	}
	more := s.Get(t, auth.Everyone, got.Attr("a[rel=next]", "href")).Want(200)
	if all := titles(more); len(all) != 16 || all[0] != "a12" || all[15] != "b19" || more.Count(".lead") != 0 || more.Count("a[rel=next]") != 0 {
		t.Errorf("the second page has %v", all)
	}
	only := s.Get(t, auth.Everyone, "/?desk=a&language=en").Want(200)
	if all := titles(only); len(all) != 20 || only.Text("h1") == "" || only.Attr("link[type='application/atom+xml']", "href") != "/feed.atom?desk=a&language=en" {
		t.Errorf("desk a has %v", all)
	}
	if all := titles(s.Get(t, auth.Everyone, "/?language=ja").Want(200)); len(all) != 20 || all[0] != "b0" {
		t.Errorf("in Japanese there are %v", all)
	}
	if none := s.Get(t, auth.Everyone, "/?desk=a&language=ja").Want(200); none.Text(".empty h2") == "" || none.Attr("meta[name=robots]", "content") != "noindex" {
		t.Error("an empty list does not say so")
	}
	for path, status := range map[string]int{"/?desk=x": 404, "/?language=xx": 404, "/?cursor=%3F": 400, "/feed.atom?desk=x": 404, "/feed.json?cursor=eyJmIjp7IkRlc2siOiJ4In19": 400} {
		s.Get(t, auth.Everyone, path).Want(status)
	}
	forged := base64.RawURLEncoding.EncodeToString([]byte(`{"f":{"Desk":"","Language":""},"m":{"a":{"c":"b x"}}}`))
	s.Get(t, auth.Everyone, "/?cursor="+url.QueryEscape(forged)).Want(400)
}

// A story with a picture leads, if it is the first of its desk in the page's language.
func TestPictureLeads(t *testing.T) {
	s := webtest.Open(t)
	a, b := mount(t, s, "a", 1), mount(t, s, "b", 2)
	a.add(webtest.Now.Add(-time.Hour), "en")
	a.add(webtest.Now.Add(-2*time.Hour), "en", "/second")
	b.add(webtest.Now.Add(-3*time.Hour), "ja", "/foreign")
	b.add(webtest.Now.Add(-4*time.Hour), "en", "/picture")
	if lead := s.Get(t, auth.Everyone, "/").Want(200).Text(".lead > .story h2"); lead != "b1" {
		t.Errorf("%s leads", lead)
	}
}

func TestFrontFeeds(t *testing.T) {
	s := webtest.Open(t)
	d := mount(t, s, "a", 1)
	for i := range 50 {
		d.add(webtest.Now.Add(-time.Duration(i)*time.Hour), "en")
	}
	f := s.Get(t, auth.Everyone, "/feed.atom").Want(200)
	if f.Count("entry") != 40 || f.Text("entry:first-of-type > title") != "a0" {
		t.Errorf("feed has %d entries", f.Count("entry"))
	}
	next := f.Attr("link[rel=next]", "href")
	if rest := s.Get(t, auth.Everyone, strings.TrimPrefix(next, "http://example.com")).Want(200); rest.Count("entry") != 10 {
		t.Errorf("its next page has %d", rest.Count("entry"))
	}
	if f := s.Get(t, auth.Everyone, "/feed.json?desk=a&language=en").Want(200); !strings.Contains(f.Body, `"feed_url": "http://example.com/feed.json?desk=a\u0026language=en"`) && !strings.Contains(f.Body, `feed.json?desk=a`) {
		t.Errorf("the feed of a filter is %.300s", f.Body)
	}
}

// Whatever is published while somebody reads on, every story that was there at the
// beginning is shown once, in order.
func TestStreamPages(t *testing.T) {
	s := webtest.Open(t)
	desks := []*testDesk{mount(t, s, "a", 1), mount(t, s, "b", 2), mount(t, s, "c", 3)}
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		first := map[string]bool{}
		for _, d := range desks {
			for ; d.n > 0; d.n-- {
				d.TakeBack(t, strconv.Itoa(d.n-1))
			}
			for range rapid.IntRange(0, 30).Draw(rt, "stories") {
				back := rapid.IntRange(0, 100).Draw(rt, "hours")
				first[d.add(webtest.Now.Add(-time.Duration(back)*time.Hour), "en")] = true
			}
		}
		shown := map[string]bool{}
		var last time.Time
		path := "/?language=en&run=" + strconv.Itoa(run) // none is kept
		for pages := 0; path != ""; pages++ {
			if pages > 20 {
				rt.Fatal("there is no end")
			}
			page := s.Get(t, auth.Everyone, path).Want(200)
			for _, n := range page.Doc.Find(".story").EachIter() {
				title := n.Find("h3").Text()
				at, err := time.Parse(time.RFC3339, n.Find("time").AttrOr("datetime", ""))
				if err != nil {
					rt.Fatal(err)
				}
				if shown[title] {
					rt.Fatalf("%s is shown twice", title)
				}
				if !last.IsZero() && at.After(last) {
					rt.Fatalf("%s is newer than what is above it", title)
				}
				shown[title], last = true, at
			}
			path = page.Attr("a[rel=next]", "href")
			if rapid.Bool().Draw(rt, "publishes") {
				desks[rapid.IntRange(0, 2).Draw(rt, "desk")].add(webtest.Now.Add(-time.Duration(rapid.IntRange(-1, 100).Draw(rt, "hours"))*time.Hour), "en")
			}
		}
		for title := range first {
			if !shown[title] {
				rt.Errorf("%s is not shown", title)
			}
		}
	})
}

// A filter that lets nothing through costs a bounded number of reads, and says how
// to read on.
func TestStreamIsBounded(t *testing.T) {
	s := webtest.Open(t)
	d := mount(t, s, "a", 1)
	for i := range 1000 {
		d.add(webtest.Now.Add(-time.Duration(i)*time.Minute), "en")
	}
	d.add(webtest.Now.AddDate(0, 0, -9), "ja")
	page := s.Get(t, auth.Everyone, "/?language=ja").Want(200)
	if page.Count(".story") != 0 || page.Attr("a[rel=next]", "href") == "" {
		t.Errorf("%d stories", page.Count(".story"))
	}
	for range 20 {
		next := page.Attr("a[rel=next]", "href")
		if next == "" {
			break
		}
		page = s.Get(t, auth.Everyone, next).Want(200)
	}
	if page.Text(".story h3") != "a1000" {
		t.Errorf("the last page shows %q", page.Text(".story h3"))
	}
}

func TestSitemap(t *testing.T) {
	s := webtest.Open(t)
	broken := errors.New("the table is away")
	var walks atomic.Int32
	s.Sitemap(web.Sitemap{
		Desk: "b",
		Parts: func(_ context.Context, yield func(string) bool) error {
			walks.Add(1)
			_ = yield("2026-11") && yield("2026-10") && yield("empty")
			return nil
		},
		Pages: func(_ context.Context, part string, yield func(string, time.Time) bool) error {
			switch part {
			case "2026-11":
				for i := range feed.SitemapMax + 2 {
					if !yield(fmt.Sprintf("/b/%d", i), webtest.Now.Add(-time.Duration(i)*time.Minute)) {
						return nil
					}
				}
			case "2026-10":
				yield("/b/old", time.Time{})
			case "half":
				yield("/b/1", time.Time{})
				return broken
			case "none":
				return broken
			}
			return nil
		},
	})
	index := s.Get(t, auth.Everyone, "/sitemap.xml").Want(200)
	const at = "http://example.com/sitemaps/"
	for _, want := range []string{
		"<sitemapindex xmlns=", "<loc>" + at + "paper/desks.xml</loc></sitemap>",
		"<loc>" + at + "b/2026-11.xml</loc><lastmod>2026-11-15T09:30:00Z</lastmod>", "<loc>" + at + "b/2026-11.2.xml</loc>", "<loc>" + at + "b/2026-10.xml</loc></sitemap>",
	} {
		if !strings.Contains(index.Body, want) {
			t.Errorf("the index lacks %s: %s", want, index.Body)
		}
	}
	if n := strings.Count(index.Body, "<sitemap>"); n != 4 {
		t.Errorf("%d sitemaps in %s", n, index.Body)
	}
	s.Get(t, auth.Everyone, "/sitemap.xml").Want(200)
	if walks.Load() != 1 {
		t.Errorf("the desk was walked through %d times", walks.Load())
	}
	for path, want := range map[string]struct {
		count int
		first string
	}{
		"b/2026-11.xml":   {feed.SitemapMax, "<loc>http://example.com/b/0</loc><lastmod>2026-11-15T09:30:00Z</lastmod>"},
		"b/2026-11.2.xml": {2, fmt.Sprintf("<loc>http://example.com/b/%d</loc>", feed.SitemapMax)},
		"b/2026-10.xml":   {1, "<loc>http://example.com/b/old</loc></url>"},
		"paper/desks.xml": {1, "<loc>http://example.com/</loc>"},
	} {
		body := s.Get(t, auth.Everyone, "/sitemaps/"+path).Want(200).Body
		if !strings.Contains(body[:min(len(body), 200)], want.first) || strings.Count(body, "<url>") != want.count {
			t.Errorf("%s has %d and begins %.300s", path, strings.Count(body, "<url>"), body)
		}
	}
	for _, path := range []string{"b/empty.xml", "b/2026-11.3.xml", "b/2026-11.1.xml", "b/2026-11.x.xml", "b/2026-11", "b/.xml", "c/2026-11.xml"} {
		s.Get(t, auth.Everyone, "/sitemaps/"+path).Want(404)
	}
	s.Get(t, auth.Everyone, "/sitemaps/b/none.xml").Want(500)
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("half a sitemap ends with %v", p)
			}
		}()
		s.Get(t, auth.Everyone, "/sitemaps/b/half.xml")
	}()
	if body := s.Get(t, auth.Everyone, "/robots.txt").Want(200).Body; !strings.Contains(body, "Sitemap: http://example.com/sitemap.xml") {
		t.Error(body)
	}
}
