package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
)

// marked is a post with words of its own in every field: each begins with the mark.
type marked struct {
	id, mark string
	tags     []string
}

// words are the words that stand in the post and nowhere else.
func (m *marked) words() []string {
	var all []string
	for _, field := range []string{"title", "summary", "author", "text", "quote", "code", "caption", "alt", "thumb"} {
		all = append(all, m.mark+field)
	}
	return append(all, m.tags...)
}

// traces are the words, and the post's address.
func (m *marked) traces() []string {
	if m.id == "" {
		return m.words()
	}
	return append(m.words(), m.path())
}

// path is where the post is, as texts are compared.
func (m *marked) path() string { return strings.ToLower("/blog/posts/" + m.id) }

// body is the post as the API takes it.
func (m *marked) body() string {
	c := blog.Content{
		Facts: blog.Facts{Title: m.mark + "title", Summary: "The summary of this post has " + m.mark + "summary in it.", Author: m.mark + "author", Thumbnail: "https://example.org/" + m.mark + "thumb.png"}, Tags: append([]string{"shared"}, m.tags...),
		Blocks: []blog.Block{
			{Type: blog.Text, Layout: blog.Full, Content: "# A heading\n\nSome words of " + m.mark + "text."},
			{Type: blog.Quote, Layout: blog.Full, Content: m.mark + "quote", Caption: m.mark + "caption"},
			{Type: blog.Code, Layout: blog.Full, Content: m.mark + "code()", Language: "go"},
			{Type: blog.Image, Layout: blog.Full, Content: "https://example.org/a.png", Alt: m.mark + "alt"},
		},
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // plain data
	}
	return string(text)
}

// reader asks the whole product for everything that everyone may ask for.
type reader struct {
	*searched
	author *asker
	posts  []*marked
}

func (w *reader) create(mark string) *marked {
	w.t.Helper()
	m := &marked{mark: mark, tags: []string{mark + "tag"}}
	var made blog.Post
	if err := json.Unmarshal(w.author.ask(201, "POST", "/blog/posts", m.body()), &made); err != nil {
		w.t.Fatal(err)
	}
	m.id = made.ID
	w.posts = append(w.posts, m)
	return m
}

func (w *reader) set(m *marked, status blog.Status) {
	w.t.Helper()
	w.author.ask(200, "PUT", "/blog/posts/"+m.id+"/status", fmt.Sprintf(`{"status":%q}`, status), "If-Match", "*")
}

// reply is what a path answers.
type reply struct {
	status     int
	body, etag string
	headers    string
}

func (w *reader) ask(path string, headers ...string) reply {
	w.t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	w.asks++
	r.RemoteAddr = fmt.Sprintf("198.51.%d.%d:1", w.asks/250%250, w.asks%250+1)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.site.mux.ServeHTTP(rec, r)
	return reply{rec.Code, strings.ToLower(rec.Body.String()), rec.Header().Get("ETag"), strings.ToLower(fmt.Sprint(rec.Header()))}
}

var (
	wildcard = regexp.MustCompile(`\{[^}]+\}`)
	location = regexp.MustCompile(`<loc>https?://[^/<]+(/sitemaps?[^<]*)</loc>`)
)

// paths are all public addresses: every route of the door, with every post, tag and
// month in the place of its wildcards; every list with its filters; every search for
// every word; and what the sitemap names.
func (w *reader) paths() []string {
	w.t.Helper()
	values := map[string][]string{"{month}": {time.Now().UTC().Format("2006-01")}, "{desk}": {"blog"}}
	var words []string
	for _, m := range w.posts {
		if m.id != "" {
			values["{id}"] = append(values["{id}"], m.id)
		}
		values["{tag}"] = append(values["{tag}"], m.tags...)
		words = append(words, m.mark+"title", m.mark+"text")
	}
	values["{tag}"] = append(values["{tag}"], "shared")
	var paths []string
	for _, route := range w.site.mux.Routes() {
		if route.Access != auth.Everyone || route.Unsafe() {
			continue
		}
		places := values
		if ofStories := strings.Contains(route.Path(), "/stories/{desk}/"); !ofStories && !strings.Contains(route.Path(), "/blog/") {
			places = map[string][]string{"{id}": values["{id}"][:1]} // of other desks
		}
		for _, path := range fill(route.Path(), places) {
			paths = append(paths, path)
			for _, query := range queries(path, words, values["{tag}"]) {
				paths = append(paths, path+"?"+query)
			}
		}
	}
	for _, found := range location.FindAllStringSubmatch(w.ask("/sitemap.xml").body, -1) {
		paths = append(paths, found[1])
	}
	return paths
}

// fill puts each value into the place of the wildcards; those without values are x.
func fill(path string, values map[string][]string) []string {
	path = strings.TrimSuffix(path, "{$}")
	name := wildcard.FindString(path)
	if name == "" {
		return []string{path}
	}
	all := values[name]
	if all == nil {
		all = []string{"x"}
	}
	var filled []string
	for _, value := range all {
		filled = append(filled, fill(strings.Replace(path, name, url.PathEscape(value), 1), values)...)
	}
	return filled
}

// queries are what a path can be asked besides.
func queries(path string, words, tags []string) []string {
	var all []string
	switch path {
	case "/", "/feed.atom", "/feed.json":
		return []string{"desk=blog", "desk=lexicon", "language=en", "language=ja", "desk=blog&language=en"}
	case "/api/v1/blog/posts":
		for _, tag := range tags {
			all = append(all, "tag="+url.QueryEscape(tag))
		}
		return append(all, "month="+time.Now().UTC().Format("2006-01"), "limit=1")
	case "/search", "/search/feed.atom", "/search/feed.json", "/search/suggest", "/api/v1/search", "/api/v1/search/suggestions", "/blog/search":
		for _, word := range append([]string{"words", "summary", "zx"}, words...) {
			all = append(all, "q="+word)
		}
		for _, tag := range tags {
			all = append(all, "q=words&tag="+url.QueryEscape(tag))
		}
		return append(all, "desk=blog", "q=words&language=en", "q=words&kind=post", "q=words&desk=blog&sort=newest")
	}
	return nil
}

// look asks every path, as a reader and as the page's script does, and returns where
// each post shows: as a word of its own that the path does not have.
func (w *reader) look() map[string]map[string]reply {
	w.t.Helper()
	where := map[string]map[string]reply{}
	for _, m := range w.posts {
		where[m.mark] = map[string]reply{}
	}
	for _, path := range w.paths() {
		plain, err := url.QueryUnescape(path)
		if err != nil {
			w.t.Fatal(err)
		}
		plain = strings.ToLower(plain)
		for _, answer := range []reply{w.ask(path), w.ask(path, "HX-Request", "true")} {
			for _, m := range w.posts {
				shown := m.id != "" && strings.HasSuffix(path, m.id+"/card.png") && answer.status < 400
				for _, word := range m.traces() {
					shown = shown || !strings.Contains(plain, word) && strings.Contains(answer.body+answer.headers, word)
				}
				if shown {
					where[m.mark][path] = answer
				}
			}
		}
	}
	return where
}

// everywhere are the addresses where a published post shows. %[1]s is its id, %[2]s
// its mark, %[3]s a tag of it.
var everywhere = strings.Fields(`
	/ /?desk=blog /?language=en /?desk=blog&language=en
	/feed.atom /feed.json /feed.atom?desk=blog /feed.json?language=en
	/blog /blog/feed.atom /blog/feed.json /blog/posts/%[1]s /stories/blog/%[1]s/card.png
	/blog/tags /blog/tags/shared /blog/tags/%[3]s /blog/tags/%[3]s/feed.atom /blog/tags/%[3]s/feed.json
	/blog/archive/MONTH /blog/archive/MONTH/feed.atom /blog/archive/MONTH/feed.json
	/sitemaps/blog/MONTH.xml
	/api/v1/blog/posts /api/v1/blog/posts?tag=%[3]s /api/v1/blog/posts?month=MONTH /api/v1/blog/posts/%[1]s /api/v1/blog/tags
	/search?q=%[2]stitle /search?q=%[2]stext /search?q=words&tag=%[3]s /search?q=words /search?desk=blog
	/search/feed.atom?q=%[2]stext /search/feed.json?q=%[2]stext /search/suggest?q=%[2]stitle /blog/search?q=%[2]stext
	/api/v1/search?q=%[2]stext /api/v1/search?q=words&tag=%[3]s /api/v1/search/suggestions?q=%[2]stitle`)

// missing are the addresses where a post should show and does not.
func missing(m *marked, where map[string]reply) []string {
	var none []string
	for _, path := range everywhere {
		path = strings.ReplaceAll(path, "MONTH", time.Now().UTC().Format("2006-01"))
		if strings.Contains(path, "%") {
			path = fmt.Sprintf(path+"%.0[1]s%.0[2]s%.0[3]s", m.id, m.mark, m.tags[0])
		}
		if _, ok := where[path]; !ok {
			none = append(none, path)
		}
	}
	return none
}

// No route of the product that everyone may ask for has a word that is not published,
// in whatever state its post is, and wherever it has been before. What is published,
// tagged and taken back shows, or is gone, with the answer to whoever did it.
func TestDraftsAreSafeEverywhere(t *testing.T) {
	w := &reader{searched: openSearched(t)}
	w.author = newCaller(t, w.site, "ann", auth.Author)
	w.published("The harbour", "It stays, with words.")
	w.await(query("/search", "harbour"), "It stays") // the index has been built

	w.create("zxdraft")
	archived, back, gone, edited := w.create("zxarchived"), w.create("zxback"), w.create("zxgone"), w.create("zxedited")
	for _, m := range []*marked{archived, back, gone, edited} {
		w.set(m, blog.Published)
	}
	for mark, where := range w.look() {
		if strings.HasPrefix(mark, "zxdraft") != (len(where) == 0) {
			t.Errorf("%s shows on %v", mark, slices.Sorted(maps.Keys(where)))
		}
	}
	w.set(archived, blog.Archived)
	w.set(back, blog.Draft)
	w.author.ask(204, "DELETE", "/blog/posts/"+gone.id, "", "If-Match", "*")
	w.author.ask(200, "PUT", "/blog/posts/"+edited.id, `{"title":"Plain","summary":"Nothing of before.","author":"ann","blocks":[{"type":"text","content":"Other words."}]}`, "If-Match", "*")
	// What is typed and not saved, and what a preview link shows, is nobody else's.
	typed := &marked{mark: "zxtyped", tags: []string{"zxtypedtag"}, id: edited.id}
	w.author.ask(200, "PUT", "/blog/autosaves/"+edited.id, `{"version":1,"content":`+typed.body()+`}`)
	w.author.ask(201, "POST", "/blog/posts/"+w.posts[0].id+"/previews", `{}`)
	for mark, where := range w.look() {
		for path := range where {
			if mark == "zxedited" && !anyWord(edited, where[path]) {
				continue // it is published, without the words
			}
			t.Errorf("%s shows on %s", mark, path)
		}
	}

	p := w.create("zxnew")
	w.set(p, blog.Published)
	shown := w.look()[p.mark]
	if none := missing(p, shown); len(none) > 0 {
		t.Errorf("a published post does not show at once on %v", none)
	}
	p.tags = []string{"zxothertag"}
	w.author.ask(200, "PUT", "/blog/posts/"+p.id, p.body(), "If-Match", "*")
	before := &marked{mark: "zxbefore", tags: []string{"zxnewtag"}}
	w.posts = append(w.posts, before)
	tagged := w.look()
	if none := missing(p, tagged[p.mark]); len(none) > 0 {
		t.Errorf("a new tag does not show at once on %v", none)
	}
	if where := tagged[before.mark]; len(where) > 0 {
		t.Errorf("the tag of before still shows on %v", slices.Sorted(maps.Keys(where)))
	}
	for path, answer := range tagged[p.mark] {
		if strings.Contains(path, "tag=zxnewtag") && !strings.HasPrefix(path, "/blog/search") || strings.Contains(path, "/tags/zxnewtag") {
			if strings.Contains(answer.body, p.path()) {
				t.Errorf("%s still has the post with the tag of before", path)
			}
		}
	}

	w.set(p, blog.Draft)
	if where := w.look()[p.mark]; len(where) > 0 {
		t.Errorf("what was taken back still shows on %v", slices.Sorted(maps.Keys(where)))
	}
	for path, answer := range tagged[p.mark] {
		if answer.etag != "" && w.ask(path, "If-None-Match", answer.etag).status == 304 {
			t.Errorf("%s tells a cache that what was taken back is still there", path)
		}
	}
	t.Logf("%d requests", w.asks)
}

// anyWord reports whether a word of the post is in the answer.
func anyWord(m *marked, answer reply) bool {
	return slices.ContainsFunc(m.words(), func(word string) bool { return strings.Contains(answer.body+answer.headers, word) })
}
