package cli

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// singles are the public pages that are no lists of articles, posts or terms: they
// show one thing, or lead to lists.
var singles = []string{
	"/blog/about", "/blog/archive", "/blog/contact", "/blog/posts/{id}", "/blog/preview/{token}", "/blog/tags",
	"/lexicon/quiz", "/lexicon/quiz/{id}", "/lexicon/quiz/{id}/result", "/lexicon/terms", "/lexicon/terms/{slug}", "/lexicon/translate",
	"/minutes/articles/{id}", "/minutes/articles/{id}/speeches/{order}", "/minutes/issues", "/minutes/people",
	"/invited", "/newswire/articles/{id}", "/register", "/register/confirm", "/reset", "/reset/confirm", "/follow", "/follow/confirm", "/follows", "/follows/leave", "/newsletters", "/newsletters/{id}", "/report", "/rights", "/rights/confirm", "/search/suggest", "/setup", "/sign-in", "/sign-in/passkey",
	"/assemblies/{assembly}/meetings/{value}", "/assemblies/{assembly}/sessions/{value}", // of which the demo has none
	"/assemblies", "/assemblies/{assembly}/calendar", "/assemblies/{assembly}/issues", "/assemblies/{assembly}/members", "/assemblies/{assembly}/people", "/assemblies/{assembly}/votes",
}

// noPage is what is no page.
var noPage = regexp.MustCompile(`^/(api|assets|paper|sitemaps|styleguide)\b|\.(xml|txt|ico|atom|json|png|js)$|/(media|pictures)/|^/minutes/assets/`)

// listedItem is the addresses of what lists list.
var listedItem = regexp.MustCompile(`^/(minutes/articles|newswire/articles|blog/posts|lexicon/terms)/[^/?#]+$`)

// walker looks at the public pages of a newsroom, a few of each kind.
type walker struct {
	*demoRun
	t        *testing.T
	patterns map[string]*regexp.Regexp // of public pages
	seen     map[string]bool
	met      map[string]int // how many pages of a pattern
}

func newWalker(t *testing.T, d *demoRun) *walker {
	t.Helper()
	text, err := os.ReadFile("testdata/access.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{demoRun: d, t: t, patterns: map[string]*regexp.Regexp{}, seen: map[string]bool{}, met: map[string]int{}}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "everyone" && f[1] == http.MethodGet && !noPage.MatchString(f[2]) {
			path := strings.TrimSuffix(f[2], "{$}")
			w.patterns[path] = regexp.MustCompile("^" + regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
		}
	}
	return w
}

// patternOf is the route that answers for a path; "" for none that is looked at.
func (w *walker) patternOf(path string) string {
	best := ""
	for pattern, form := range w.patterns {
		if form.MatchString(path) && (best == "" || strings.Count(pattern, "{") < strings.Count(best, "{")) {
			best = pattern
		}
	}
	return best
}

// get asks slowly enough to be answered.
func (w *walker) get(path string) (string, *http.Response) {
	w.t.Helper()
	time.Sleep(10 * time.Millisecond)
	resp, err := http.Get(w.url + path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Errorf("%s answers %d, %v", path, resp.StatusCode, err)
	}
	return string(body), resp
}

// pagesOfAKind is how many pages of one route are looked at.
const pagesOfAKind = 3

// walk looks at pages, and at those that they lead to.
func (w *walker) walk(queue ...string) {
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		u, err := url.Parse(path)
		if err != nil || u.Host != "" || !strings.HasPrefix(path, "/") || u.Query().Has("cursor") || w.seen[path] {
			continue
		}
		u.Fragment = ""
		kind := w.patternOf(u.Path)
		if u.RawQuery != "" {
			kind += "?"
		}
		if w.seen[path] = true; strings.Trim(kind, "?") == "" || w.met[kind] == pagesOfAKind {
			continue
		}
		w.met[kind]++
		queue = append(queue, w.look(u.String(), strings.Trim(kind, "?"))...)
	}
}

// look checks a page and returns where it leads.
func (w *walker) look(path, pattern string) []string {
	w.t.Helper()
	body, resp := w.get(path)
	if resp.Request.URL.RequestURI() != path && !strings.HasPrefix(pattern, "/lexicon/terms") {
		return nil // it led to another page
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	w.preview(path, doc)
	if !slices.Contains(singles, pattern) && (pattern != "/search" && pattern != "/blog/search" || strings.Contains(path, "?")) {
		w.followed(path, doc)
	}
	var links []string
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) { links = append(links, a.AttrOr("href", "")) })
	return links
}

// preview checks what others show of a link to the page.
func (w *walker) preview(path string, doc *goquery.Document) {
	w.t.Helper()
	if strings.Contains(doc.Find(`meta[name=robots]`).AttrOr("content", ""), "noindex") {
		return
	}
	meta := func(name string) string {
		return doc.Find(`meta[property="og:`+name+`"]`).AttrOr("content", "")
	}
	own, err := url.Parse(meta("url"))
	if meta("title") == "" || meta("type") == "" || err != nil || !strings.HasPrefix(own.String(), w.url+"/") {
		w.t.Errorf("%s has the preview title %q, type %q, url %q", path, meta("title"), meta("type"), meta("url"))
	}
	image := meta("image")
	if (meta("type") == "article" || doc.Find("main .story img, main .blog-post img").Length() > 0) && image == "" {
		w.t.Errorf("%s has no picture in its preview", path)
	}
	if image != "" {
		at := strings.TrimPrefix(image, w.url)
		if _, resp := w.get(at); !strings.HasPrefix(resp.Header.Get("Content-Type"), "image/") {
			w.t.Errorf("%s: the picture %s is %s", path, image, resp.Header.Get("Content-Type"))
		}
	}
}

// followed checks the feeds of a list: both there, valid, with the same items, and
// these are the ones on the page.
func (w *walker) followed(path string, doc *goquery.Document) {
	w.t.Helper()
	link := func(kind string) string {
		return doc.Find(`link[rel=alternate][type="`+kind+`"]`).AttrOr("href", "")
	}
	atomPath, jsonPath := link("application/atom+xml"), link("application/feed+json")
	if atomPath == "" || jsonPath == "" {
		w.t.Errorf("%s cannot be followed: %q, %q", path, atomPath, jsonPath)
		return
	}
	atom, listed := w.atom(strings.TrimPrefix(atomPath, w.url)), w.jsonFeed(strings.TrimPrefix(jsonPath, w.url))
	if !slices.Equal(atom, listed) {
		w.t.Errorf("%s: Atom has %v, JSON %v", path, atom, listed)
	}
	var shown []string
	doc.Find("main a[href]").Each(func(_ int, a *goquery.Selection) {
		if href := a.AttrOr("href", ""); listedItem.MatchString(href) && !slices.Contains(shown, href) {
			shown = append(shown, href)
		}
	})
	var common int
	for _, item := range atom {
		if slices.Contains(shown, item) {
			common++
		}
	}
	if least := min(len(shown), len(atom)); common < least/2 || least == 0 && len(shown) > 0 {
		w.t.Errorf("%s shows %v, its feed has %v", path, shown, atom)
	}
}

// atom returns the addresses of a feed's entries.
func (w *walker) atom(path string) []string {
	w.t.Helper()
	body, resp := w.get(path)
	var feed struct {
		XMLName xml.Name
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
			Links   []struct {
				Rel  string `xml:"rel,attr"`
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	err := xml.Unmarshal([]byte(body), &feed)
	if err != nil || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/atom+xml") || feed.XMLName.Space != "http://www.w3.org/2005/Atom" || feed.ID == "" || feed.Title == "" || !rfc3339(feed.Updated) {
		w.t.Errorf("%s is no Atom feed: %v, %+v", path, err, feed)
	}
	var found []string
	for _, e := range feed.Entries {
		if e.ID == "" || e.Title == "" || !rfc3339(e.Updated) {
			w.t.Errorf("%s has the entry %+v", path, e)
		}
		for _, l := range e.Links {
			if l.Rel == "" || l.Rel == "alternate" {
				found = append(found, strings.TrimPrefix(l.Href, w.url))
			}
		}
	}
	return found
}

// jsonFeed returns the addresses of a feed's items.
func (w *walker) jsonFeed(path string) []string {
	w.t.Helper()
	body, resp := w.get(path)
	var feed struct {
		Version, Title string
		Items          []struct {
			ID, URL   string
			Published string `json:"date_published"`
		}
	}
	err := json.Unmarshal([]byte(body), &feed)
	if err != nil || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/feed+json") || feed.Version != "https://jsonfeed.org/version/1.1" || feed.Title == "" || feed.Items == nil {
		w.t.Errorf("%s is no JSON Feed: %v, %+v", path, err, feed)
	}
	var found []string
	for _, item := range feed.Items {
		if item.ID == "" || item.Published != "" && !rfc3339(item.Published) {
			w.t.Errorf("%s has the item %+v", path, item)
		}
		found = append(found, strings.TrimPrefix(item.URL, w.url))
	}
	return found
}

func rfc3339(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// Every public page that is a list can be followed, and every public page has a
// preview. Pages are found as a reader finds them; a route that no link leads to,
// or that is new and neither a list nor named above, fails the test.
func (d *demoRun) walkAsReader(t *testing.T) {
	t.Helper()
	w := newWalker(t, d)
	w.walk("/", "/search?q=%E5%9B%B3%E6%9B%B8%E9%A4%A8", "/search?desk=newswire&language=en", "/blog/search?q=crawler", "/minutes?category=%E6%95%99%E8%82%B2%E3%83%BB%E6%96%87%E5%8C%96&house=%E8%A1%86%E8%AD%B0%E9%99%A2")
	for pattern := range w.patterns {
		if w.met[pattern]+w.met[pattern+"?"] == 0 && !slices.Contains(singles, pattern) {
			t.Errorf("no reader finds a page of %s", pattern)
		}
	}
}
