package blogweb_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/web/webtest"
)

// inSeries publishes a part of a series.
func (r *room) inSeries(t testing.TB, series, title string) blog.Post {
	t.Helper()
	c := content(title, nil, title+" at length.")
	c.Series = series
	return r.put(t, c, blog.Published)
}

// A series lists its parts in the order of their publication; a part says which one it is,
// and leads to those beside it. What is taken back is gone with the next request.
func TestSeries(t *testing.T) {
	r := open(t)
	const name = "C# in depth / 連載"
	path := "/blog/series/" + url.PathEscape(name)
	one, two, three := r.inSeries(t, name, "Beginnings"), r.inSeries(t, name, "Middles"), r.inSeries(t, name, "Endings")
	r.inSeries(t, "Another", "Elsewhere")
	hidden := content("Hidden", nil, "secret words")
	hidden.Series = name
	draft := r.put(t, hidden, blog.Draft)

	list := func(want string) {
		t.Helper()
		page := r.Get(t, auth.Everyone, path).Want(http.StatusOK)
		if got := page.Text(".story h2"); strings.ReplaceAll(got, " ", "") != want {
			t.Errorf("the series has %q, want %q", got, want)
		}
		feed := r.Get(t, auth.Everyone, path+"/feed.json").Want(http.StatusOK)
		var shown struct{ Items []struct{ Title string } }
		if err := json.Unmarshal([]byte(feed.Body), &shown); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, item := range shown.Items {
			got = item.Title + got // the last first
		}
		if got != want {
			t.Errorf("the feed has %q, want %q", got, want)
		}
		r.Get(t, auth.Everyone, path+"/feed.atom").Want(http.StatusOK)
	}
	part := func(p blog.Post, want string) {
		t.Helper()
		page := r.Get(t, auth.Everyone, "/blog/posts/"+p.ID).Want(http.StatusOK)
		got := page.Text(".series") + "|" + page.Text(".series-beside [rel=prev] strong") + "|" + page.Text(".series-beside [rel=next] strong")
		if got != want {
			t.Errorf("%s is %q, want %q", p.Title, got, want)
		}
	}
	list("BeginningsMiddlesEndings")
	part(one, "Part 1 of 3 · "+name+"||Middles")
	part(two, "Part 2 of 3 · "+name+"|Beginnings|Endings")
	part(three, "Part 3 of 3 · "+name+"|Middles|")
	if got := r.Get(t, auth.Everyone, "/blog/posts/"+two.ID+"?lang=ja").Text(".series"); !strings.HasPrefix(got, "全3回の第2回") {
		t.Errorf("in Japanese: %q", got)
	}
	if got := r.Get(t, auth.Everyone, "/blog/posts/"+two.ID).Attr(".series a", "href"); got != path {
		t.Errorf("the part leads to %s", got)
	}

	if _, err := r.desk.Publish(t.Context(), draft.ID, draft.Version); err != nil {
		t.Fatal(err)
	}
	list("BeginningsMiddlesEndingsHidden")
	if _, err := r.desk.Archive(t.Context(), draft.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	list("BeginningsMiddlesEndings")
	moved := two.Content
	moved.Series = "Another"
	if _, err := r.desk.Save(t.Context(), two.ID, two.Version, moved); err != nil {
		t.Fatal(err)
	}
	list("BeginningsEndings")
	part(three, "Part 2 of 2 · "+name+"|Beginnings|")
	part(two, "Part 1 of 2 · Another||Elsewhere")
	if err := r.desk.Delete(t.Context(), one.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	list("Endings")
	part(three, "Part 1 of 1 · "+name+"||")
	if err := r.desk.Delete(t.Context(), three.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if page := r.Get(t, auth.Everyone, path).Want(http.StatusOK); page.Count(".story") != 0 || page.Count(".empty") != 1 || page.Count(`meta[content=noindex]`) != 1 {
		t.Error("a series without parts is not empty")
	}
	if err := r.desk.Check(t.Context(), func(where, what string) { t.Errorf("%s: %s", where, what) }); err != nil {
		t.Fatal(err)
	}
}

// A long list of parts pages.
func TestSeriesPages(t *testing.T) {
	r := open(t)
	for range blog.DefaultLimit + 1 {
		r.inSeries(t, "Daily", "A day")
	}
	page := r.Get(t, auth.Everyone, "/blog/series/Daily").Want(http.StatusOK)
	if n := page.Count(".story"); n != blog.DefaultLimit {
		t.Errorf("the first page has %d parts", n)
	}
	next := r.Get(t, auth.Everyone, page.Attr(".pager a[rel=next]", "href")).Want(http.StatusOK)
	if n := next.Count(".story"); n != 1 {
		t.Errorf("the second page has %d parts", n)
	}
}

// All who wrote a post are named: on its page, on cards, in feeds and in linked data.
func TestCoAuthors(t *testing.T) {
	r := open(t)
	c := content("Together", nil, "text")
	c.CoAuthors = " Bo、佐藤花子,Ann ,, Bo"
	p := r.put(t, c, blog.Published)
	if p.CoAuthors != "Bo, 佐藤花子, Ann" {
		t.Errorf("they are kept as %q", p.CoAuthors)
	}
	page := r.Get(t, auth.Everyone, "/blog/posts/"+p.ID)
	if got := page.Text(".art-head .byline"); !strings.Contains(got, "Ann, Bo, 佐藤花子") {
		t.Errorf("the byline is %q", got)
	}
	if got := r.Get(t, auth.Everyone, "/blog/posts/"+p.ID+"?lang=ja").Text(".art-head .byline"); !strings.Contains(got, "Ann、Bo、佐藤花子") {
		t.Errorf("the byline in Japanese is %q", got)
	}
	if got := page.Text(`script[type="application/ld+json"]`); strings.Count(got, `"Person"`) < 3 {
		t.Errorf("the linked data are %s", got)
	}
	if got := r.Get(t, auth.Everyone, "/blog").Text(".story .byline"); !strings.Contains(got, "Ann, Bo, 佐藤花子") {
		t.Errorf("the card's byline is %q", got)
	}
	if got := strings.Join(strings.Fields(r.Get(t, auth.Everyone, "/blog/feed.json").Body), ""); !strings.Contains(got, `"authors":[{"name":"Ann"},{"name":"Bo"},{"name":"佐藤花子"}]`) {
		t.Errorf("the feed is %s", got)
	}
	if got := r.Get(t, auth.Everyone, "/blog/feed.atom").Body; strings.Count(got, "<name>Bo</name>") != 1 {
		t.Errorf("the feed is %s", got)
	}
	c.CoAuthors = strings.Repeat("a", 51)
	if err := c.Validate(); err == nil {
		t.Error("a name of 51 characters is accepted")
	}
	c.CoAuthors = "a,b,c,d,e,f,g,h"
	if err := c.Validate(); err == nil {
		t.Error("eight co-authors are accepted")
	}
}

// A series and co-authors are typed into the editor and read on the pages.
func TestBrowserSeries(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "ann", auth.Author)
	r.inSeries(t, "The budget, explained", "Where the money comes from")
	b.Go("/office/blog/new")
	b.Type("#title", "Where the money goes")
	b.Click(".edit-facts summary")
	b.Type("#series", "The budget, explained")
	b.Type("#co_authors", "Bo, 佐藤花子")
	b.Type(blockAt(1, "content"), "Most of it is spoken for.")
	eventually(t, "the preview names all who wrote it", func() bool { return strings.Contains(b.Text(".edit-read .byline"), "ann, Bo, 佐藤花子") })
	b.Axe("the editor with a series")
	b.Click(`[name="do"][value="publish"]`)
	state(t, b, "Saved")
	b.Go("/blog/series/" + url.PathEscape("The budget, explained"))
	b.Axe("a series")
	b.Shot("blog-series")
	b.Follow(".story:last-child h2 a")
	b.Axe("a part of a series")
	b.Shot("blog-series-part")
	b.Follow(".series-beside [rel=prev]")
	if got := b.Text(".series"); got != "Part 1 of 2 · The budget, explained" {
		t.Errorf("the first part says %q", got)
	}
	b.Phone()
	b.Go(b.Path() + "?lang=ja")
	b.Axe("a part in Japanese on a phone")
	b.Shot("blog-series-part-ja-phone")
}
