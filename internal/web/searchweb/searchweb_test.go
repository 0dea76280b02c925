package searchweb_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/search"
	"pressroom/internal/search/searchtest"
	"pressroom/internal/web"
	"pressroom/internal/web/searchweb"
	"pressroom/internal/web/webtest"
)

// room is a site with search over a desk in memory.
type room struct {
	*webtest.Site
	desk *searchtest.Desk
}

func doc(id, title, body string) search.Document {
	return search.Document{Key: search.Key{ID: id}, Kind: "post", Language: "en", Title: title, Body: body}
}

func open(t *testing.T) *room {
	t.Helper()
	documents := []search.Document{
		doc("kyoto", "秋の京都で", "紅葉のころに寺を訪れた。"), doc("emoi", "エモいという言葉", "心が動かされるさま。"),
		doc("river", "A walk along the <i>river</i>", "We walked <script>alert(1)</script> & talked."), doc("draft", "A walk nobody knows of", "walk"),
	}
	documents[0].Language, documents[1].Language = "ja", "ja"
	documents[2].Tags, documents[3].Level = []string{"walks & <b>"}, search.Level(auth.Author)
	for i := range 30 {
		documents = append(documents, doc(fmt.Sprintf("n%02d", i), fmt.Sprintf("Harbour number %d", i), "ships"))
	}
	r := &room{Site: webtest.Open(t), desk: searchtest.Open(t, "blog", documents...)}
	r.Front(web.FrontSection{Desk: "blog", Key: "home.all", Path: "/blog"})
	if err := searchweb.Register(r.Site.Site, r.desk.Service); err != nil {
		t.Fatal(err)
	}
	return r
}

func query(path string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + values.Encode()
}

// titles are the headlines of what a page found.
func titles(p *webtest.Reply) []string {
	var all []string
	for i := range p.Doc.Find(".story h2, .story h3").Length() {
		all = append(all, strings.TrimSpace(p.Doc.Find(".story h2, .story h3").Eq(i).Text()))
	}
	return all
}

func TestFinds(t *testing.T) {
	r := open(t)
	tests := []struct {
		name  string
		query []string
		want  []string
	}{
		{"slang", []string{"q", "エモい"}, []string{"エモいという言葉"}},
		{"another form of a verb", []string{"q", "訪れる"}, []string{"秋の京都で"}},
		{"a word", []string{"q", "talked"}, []string{"A walk along the <i>river</i>"}},
		{"language alone", []string{"language", "ja"}, []string{"秋の京都で", "エモいという言葉"}},
		{"tag", []string{"tag", "walks & <b>"}, []string{"A walk along the <i>river</i>"}},
		{"days", []string{"q", "walk", "to", "2026-11-14"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := r.Get(t, auth.Everyone, query("/search", tt.query...)).Want(200)
			if got := titles(page); !slices.Equal(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// What is shown of a text is text, whatever it contains; what was looked for is
// marked, also in the other language.
func TestMarksAreSafe(t *testing.T) {
	r := open(t)
	page := r.Get(t, auth.Everyone, query("/search", "q", "talked")).Want(200)
	if page.Text(".story mark") != "talked" || page.Count("main script, main i") != 0 || !strings.Contains(page.Text(".story .excerpt"), "<script>alert(1)</script>") {
		t.Errorf("it shows %s", page.Body)
	}
	page = r.Get(t, auth.Everyone, query("/search", "q", `"><img src=x onerror=alert(1)>`)).Want(200)
	if page.Count("main img") != 0 || page.Attr("#q", "value") != `"><img src=x onerror=alert(1)>` {
		t.Errorf("what was typed is %s", page.Attr("#q", "value"))
	}
	if page := r.Get(t, auth.Everyone, query("/search", "q", "訪れる", "lang", "ja")).Want(200); !strings.HasPrefix(page.Text(".story mark"), "訪れ") {
		t.Errorf("marked is %q", page.Text(".story mark"))
	}
}

// Nothing asked shows how to ask; what cannot be asked says which field is wrong;
// a cursor that is none is refused.
func TestRefusals(t *testing.T) {
	r := open(t)
	if page := r.Get(t, auth.Everyone, "/search").Want(200); page.Count(".search-help") != 1 || page.Count(".story") != 0 {
		t.Errorf("an empty search shows %s", page.Text("main"))
	}
	for _, pairs := range [][]string{
		{"q", strings.Repeat("x", 501)}, {"desk", "sports"}, {"language", "fr"}, {"from", "yesterday"}, {"from", "2026-11-15", "to", "2026-11-01"}, {"q", "a", "sort", "oldest"},
	} {
		if page := r.Get(t, auth.Everyone, query("/search", pairs...)).Want(422); page.Count(".story") != 0 {
			t.Errorf("%v finds something", pairs)
		}
	}
	r.Get(t, auth.Everyone, query("/search", "q", "harbour", "cursor", "nonsense")).Want(400)
	next := nextOf(r.Get(t, auth.Everyone, query("/search", "q", "harbour")).Want(200))
	r.Get(t, auth.Everyone, strings.Replace(next, "harbour", "ships", 1)).Want(400)
}

// nextOf is where the next page is; "" on the last.
func nextOf(p *webtest.Reply) string {
	for i := range p.Doc.Find("main a[href*='cursor=']").Length() {
		if href, ok := p.Doc.Find("main a[href*='cursor=']").Eq(i).Attr("href"); ok {
			return href
		}
	}
	return ""
}

func TestPages(t *testing.T) {
	r := open(t)
	seen := map[string]bool{}
	for path, pages := query("/search", "q", "harbour"), 0; path != ""; pages++ {
		if pages == 5 {
			t.Fatal("there is no end")
		}
		page := r.Get(t, auth.Everyone, path).Want(200)
		for _, title := range titles(page) {
			if seen[title] {
				t.Errorf("%s is there twice", title)
			}
			seen[title] = true
		}
		path = nextOf(page)
	}
	if len(seen) != 30 {
		t.Errorf("%d of 30 on all pages", len(seen))
	}
}

// What the search is read as is said: pages that it names, filters that can be taken off,
// other spellings, and how a hit fits.
func TestReads(t *testing.T) {
	documents := []search.Document{doc("lib", "夜も開く図書館", "本を借りる。"), doc("walk", "Harrowmere walks", "river")}
	documents[0].Names = []search.Name{{Kind: "person", Name: "久遠寺剛", Path: "/minutes/people/x", Offices: []string{"<b>大臣"}}}
	r := &room{Site: webtest.Open(t), desk: searchtest.Open(t, "blog", documents...)}
	r.Front(web.FrontSection{Desk: "blog", Key: "home.all", Path: "/blog"})
	r.desk.Clock(func() time.Time { return searchtest.Date })
	if err := searchweb.Register(r.Site.Site, r.desk.Service); err != nil {
		t.Fatal(err)
	}
	page := r.Get(t, auth.Everyone, query("/search", "q", "久遠寺剛", "lang", "ja")).Want(200)
	if page.Attr(".lead a", "href") != "/minutes/people/x" || page.Text(".lead .kicker") != "人物" || page.Text(".lead .fine") != "<b>大臣" || page.Count(".empty") != 0 {
		t.Errorf("leads to %s", page.Text("#results"))
	}
	page = r.Get(t, auth.Everyone, query("/search", "q", "今日 としょかん", "lang", "ja")).Want(200)
	if got := page.Text(".limits li"); !strings.Contains(got, "2026-11-15") {
		t.Errorf("the filters are %q", got)
	}
	if at, err := url.Parse(page.Attr(".limits a", "href")); err != nil || at.Query().Get("q") != "としょかん" {
		t.Errorf("without the filter it is %v: %v", at, err)
	}
	if got := page.Text(".story .why"); got != "「としょかん」の読みが一致：図書館" {
		t.Errorf("it fits because %q", got)
	}
	page = r.Get(t, auth.Everyone, query("/search", "q", "harowmere walks", "lang", "en")).Want(200)
	if got := page.Text(".notice"); !strings.Contains(got, "Showing results for “harrowmere walks”") || !slices.Equal(titles(page), []string{"Harrowmere walks"}) {
		t.Errorf("it says %q", got)
	}
	at, err := url.Parse(page.Attr(".notice a", "href"))
	if err != nil || at.Query().Get("q") != `"harowmere" "walks"` {
		t.Fatalf("as typed it is %v: %v", at, err)
	}
	if page := r.Get(t, auth.Everyone, at.String()).Want(200); strings.Contains(page.Text(".notice"), "Showing") {
		t.Errorf("as typed it says %q", page.Text(".notice"))
	}
}

// The pages are the same for all: also who may see a draft elsewhere does not find
// it here, nor what was taken back a moment ago.
func TestNobodyFindsDrafts(t *testing.T) {
	r := open(t)
	r.desk.TakeBack("emoi")
	for _, role := range []auth.Role{auth.Everyone, auth.Operator} {
		for _, path := range []string{"/search", "/search/feed.atom", "/search/feed.json", "/search/suggest"} {
			for q, hidden := range map[string]string{"walk": "nobody knows", "A wa": "nobody knows", "エモい": "という言葉"} {
				if page := r.Get(t, role, query(path, "q", q)).Want(200); strings.Contains(page.Body, hidden) {
					t.Errorf("%v finds %s on %s", role, hidden, path)
				}
			}
		}
	}
}

func TestSuggests(t *testing.T) {
	r := open(t)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, query("/search/suggest", "q", "エモ"), nil)
	req.Header.Set("HX-Request", "true")
	part := r.Do(t, auth.Everyone, req).Want(200)
	if strings.Contains(part.Body, "<html") || !strings.Contains(part.Text("a"), "エモいという言葉") {
		t.Errorf("it is %s", part.Body)
	}
	if page := r.Get(t, auth.Everyone, query("/search/suggest", "q", "harbour")).Want(200); page.Count("main a[href^='/blog/posts/']") != 8 {
		t.Errorf("%d suggestions", page.Count("main a[href^='/blog/posts/']"))
	}
	for _, q := range []string{"", "   ", strings.Repeat("x", 501), "zzz"} {
		if page := r.Get(t, auth.Everyone, query("/search/suggest", "q", q)).Want(200); page.Count("main a[href^='/blog']") != 0 {
			t.Errorf("%q is completed", q)
		}
	}
}

// A search is a feed, the newest first, with pages.
func TestFollow(t *testing.T) {
	r := open(t)
	page := r.Get(t, auth.Everyone, query("/search", "q", "harbour", "language", "en")).Want(200)
	path := page.Attr(`link[type="application/atom+xml"]`, "href")
	feed := r.Get(t, auth.Everyone, path).Want(200)
	if first := strings.Index(feed.Body, "Harbour number 0<"); first < 0 || first > strings.Index(feed.Body, "Harbour number 1<") || !strings.Contains(feed.Body, `rel="next"`) {
		t.Errorf("the feed is %.600s", feed.Body)
	}
	r.Get(t, auth.Everyone, query("/search/feed.json", "q", "harbour", "cursor", "nonsense")).Want(400)
	r.Get(t, auth.Everyone, query("/search/feed.json", "desk", "sports")).Want(422)
}

// A search can be followed by mail where the newsroom sends letters.
func TestFollowByMail(t *testing.T) {
	r := open(t)
	const link = `a[href^="/follow?"]`
	if p := r.Get(t, auth.Everyone, query("/search", "q", "walk")); p.Count(link) != 0 {
		t.Error("offers letters that nobody sends")
	}
	r.Site.Follow("/follow")
	p := r.Get(t, auth.Everyone, query("/search", "q", `"walk" & river`, "desk", "blog"))
	at, err := url.Parse(p.Attr(link, "href"))
	if err != nil || at.Query().Get("q") != `"walk" & river` || at.Query().Get("desk") != "blog" {
		t.Errorf("the link is %v: %v", at, err)
	}
	if p := r.Get(t, auth.Everyone, query("/search", "desk", "blog")); p.Count(link) != 0 {
		t.Error("offers to follow a search without words")
	}
}
