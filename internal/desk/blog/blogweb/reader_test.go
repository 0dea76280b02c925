package blogweb_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
)

func TestEmpty(t *testing.T) {
	r := open(t)
	for _, path := range []string{"/blog", "/blog/tags", "/blog/archive", "/blog/tags/nothing", "/blog/archive/2020-01", "/blog/search?q=nothing"} {
		page := r.Get(t, auth.Everyone, path).Want(http.StatusOK)
		if page.Count(".empty h2") != 1 {
			t.Errorf("%s does not say that it is empty", path)
		}
	}
	if got := r.Get(t, auth.Author, "/blog").Attr(".empty a", "href"); got != "/office/blog/new" {
		t.Errorf("an author's empty blog leads to %q", got)
	}
	r.Get(t, auth.Everyone, "/blog/archive/nothing").Want(http.StatusUnprocessableEntity)
	r.Get(t, auth.Everyone, "/blog?cursor=forged").Want(http.StatusBadRequest)
}

func TestReading(t *testing.T) {
	r := open(t)
	first := r.put(t, content("The first", []string{"news", "a/b?c"}, "Some words."), blog.Published)
	c := content("The second", []string{"news"}, "# One\n\ntext", "# Two\n\n## Two and a half", "# Three")
	c.Blocks = append(c.Blocks,
		blog.Block{Type: blog.Text, Layout: blog.HalfLeft, Content: "left column"},
		blog.Block{Type: blog.Code, Layout: blog.HalfRight, Content: "package main", Language: "go", Caption: "main.go"},
		blog.Block{Type: blog.Quote, Layout: blog.HalfRight, Content: "alone", Caption: "Bo"},
		blog.Block{Type: blog.Video, Layout: blog.Full, Content: "https://youtu.be/dQw4w9WgXcQ"},
	)
	second := r.put(t, c, blog.Published)
	third := r.put(t, content("The third", nil, "Words."), blog.Published)

	list := r.Get(t, auth.Everyone, "/blog").Want(http.StatusOK)
	if got := list.Text(".story h2"); got != "The thirdThe secondThe first" && got != "The third The second The first" {
		t.Errorf("the list is %q", got)
	}
	if list.Attr(`link[type="application/atom+xml"]`, "href") != "/blog/feed.atom" {
		t.Error("the list offers no feed")
	}

	page := r.Get(t, auth.Everyone, "/blog/posts/"+second.ID).Want(http.StatusOK)
	for selector, want := range map[string]string{
		"h1": "The second", ".standfirst": "About The second", ".contents li": "OneTwoTwo and a halfThree",
		".art-row.pair .cell.text": "left column", ".art-row.pair .cell.code figcaption": "main.go", ".art-row.right blockquote": "alone",
		".beside a[rel=prev] strong": "The first", ".beside a[rel=next] strong": "The third", ".tags a": "news",
	} {
		if got := page.Text(selector); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	if got := page.Attr(`meta[property="og:type"]`, "content"); got != "article" {
		t.Errorf("og:type is %q", got)
	}
	if got := page.Attr(`meta[property="og:image"]`, "content"); got != "http://example.com/stories/blog/"+second.ID+"/card.png" {
		t.Errorf("og:image is %q", got)
	}
	if csp := page.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src https://www.youtube-nocookie.com") || strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q", csp)
	}
	if page.Count(`.art-foot a[href^="/office"]`) != 0 || r.Get(t, auth.Author, "/blog/posts/"+second.ID).Count(`a[href="/office/blog/posts/`+second.ID+`"]`) != 1 {
		t.Error("authors alone are offered to edit")
	}
	// The second time the browser has it already.
	again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/blog/posts/"+second.ID, nil)
	again.Header.Set("If-None-Match", page.Header.Get("ETag"))
	r.Do(t, auth.Everyone, again).Want(http.StatusNotModified)

	// A tag is found under its own name, whatever it is made of.
	tag := r.Get(t, auth.Everyone, r.Get(t, auth.Everyone, "/blog/posts/"+first.ID).Attr(`.tags a[href*="%"]`, "href")).Want(http.StatusOK)
	if tag.Text(".story h2") != "The first" || !strings.Contains(tag.Text("h1"), "a/b?c") {
		t.Errorf("the tag's page shows %q", tag.Text("h1, h2"))
	}
	feed := r.Get(t, auth.Everyone, tag.Attr(`link[type="application/feed+json"]`, "href")).Want(http.StatusOK)
	if !strings.Contains(feed.Body, "The first") || strings.Contains(feed.Body, "The second") {
		t.Errorf("the tag's feed is %s", feed.Body)
	}
	month := r.Get(t, auth.Everyone, r.Get(t, auth.Everyone, "/blog/archive").Attr(".blog-months a", "href")).Want(http.StatusOK)
	if month.Count(".story") != 3 || month.Text("h1") != "Posts of October 2026" {
		t.Errorf("the month shows %q", month.Text("h1, h2"))
	}
	if got := r.Get(t, auth.Everyone, "/blog/search?q=LEFT+second").Text("#found h2"); got != "The second" {
		t.Errorf("search finds %q", got)
	}
	if got := r.Get(t, auth.Everyone, "/").Text(".lead, .river"); !strings.Contains(got, "The third") {
		t.Errorf("the front page shows %q", got)
	}
	r.Followed(t, "blog", "/blog/posts/"+third.ID, "author")
	if sitemap := r.Mapped(t); !strings.Contains(sitemap, third.ID) || !strings.Contains(sitemap, "/blog/tags/a%2Fb%3Fc") {
		t.Errorf("sitemap %s", sitemap)
	}
	if about := r.Get(t, auth.Everyone, "/blog/about"); about.Text("h1") != "The editors" || about.Attr(`a[rel~=me]`, "href") != "https://example.org/code" {
		t.Errorf("about %s", about.Text("main"))
	}
}

func TestPages(t *testing.T) {
	r := open(t)
	for i := range 45 {
		r.put(t, content(fmt.Sprint("Post ", i), []string{"many"}, "text"), blog.Published)
	}
	for _, start := range []string{"/blog", "/blog/tags/many", "/blog/archive/2026-10"} {
		seen := map[string]bool{}
		for path := start; path != ""; {
			page := r.Get(t, auth.Everyone, path).Want(http.StatusOK)
			for _, title := range page.Doc.Find(".story h2 a").Map(func(_ int, e *goquery.Selection) string { return e.Text() }) {
				if seen[title] {
					t.Fatalf("%s shows %s twice", start, title)
				}
				seen[title] = true
			}
			path = page.Attr("a[rel=next]", "href")
		}
		if len(seen) != 45 {
			t.Errorf("%s shows %d of 45", start, len(seen))
		}
	}
	feed := r.Get(t, auth.Everyone, "/blog/feed.atom").Want(http.StatusOK)
	if strings.Count(feed.Body, "<entry>") != 20 || !strings.Contains(feed.Body, `rel="next"`) {
		t.Error("the feed does not lead on")
	}
}

func TestContact(t *testing.T) {
	r := open(t)
	letter := url.Values{"name": {"Cy"}, "email": {"cy@example.org"}, "subject": {"Hello"}, "body": {"A <b>question</b>."}}
	bad := url.Values{"name": {"Cy"}, "email": {"cy"}, "body": {"kept text"}}
	page := r.Post(t, auth.Everyone, "/blog/contact", bad).Want(http.StatusUnprocessableEntity)
	if page.Text("textarea") != "kept text" || page.Count("[aria-invalid=true]") != 2 {
		t.Errorf("the form comes back as %q", page.Text("form"))
	}
	if got := r.Post(t, auth.Everyone, "/blog/contact", letter).Want(http.StatusSeeOther).Header.Get("Location"); got != "/blog/contact" {
		t.Errorf("sent leads to %s", got)
	}
	machine := url.Values{"website": {"https://spam.example"}}
	for name, values := range letter {
		machine[name] = values
	}
	r.Post(t, auth.Everyone, "/blog/contact", machine).Want(http.StatusSeeOther)
	r.Get(t, auth.Moderator, "/office/blog/inbox").Want(http.StatusForbidden)
	inbox := r.Get(t, auth.Operator, "/office/blog/inbox").Want(http.StatusOK)
	if inbox.Count(".letter") != 1 || inbox.Text(".letter-body") != "A <b>question</b>." {
		t.Fatalf("the inbox shows %q", inbox.Text("main"))
	}
	if got := inbox.Attr(".letter a", "href"); got != "mailto:cy@example.org?subject=Re:%20Hello" && got != "mailto:cy%40example.org?subject=Re:%20Hello" && got != "mailto:cy@example.org?subject=Re%3A%20Hello" {
		t.Errorf("the answer goes to %s", got)
	}
	r.Post(t, auth.Operator, inbox.Attr(".letter form", "action"), nil).Want(http.StatusSeeOther)
	if r.Get(t, auth.Operator, "/office/blog/inbox").Count(".letter") != 0 {
		t.Error("a deleted message is still there")
	}
}
