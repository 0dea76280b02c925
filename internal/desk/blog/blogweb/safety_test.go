package blogweb_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/front/fronttest"
)

// secretPost has a word of its own in every field.
func secretPost(word string) blog.Content {
	c := blog.Content{
		Facts: blog.Facts{Title: word + "title", Summary: word + "summary", Author: word + "author", Thumbnail: "https://example.org/" + word + "thumbnail.png"}, Tags: []string{word + "tag", "shared"},
	}
	for _, kind := range []blog.Kind{blog.Text, blog.Quote, blog.Code} {
		c.Blocks = append(c.Blocks, blog.Block{Type: kind, Layout: blog.Full, Content: "# " + word + string(kind), Caption: word + "caption"})
	}
	c.Blocks = append(c.Blocks,
		blog.Block{Type: blog.Image, Layout: blog.Full, Content: "https://example.org/" + word + ".png", Alt: word + "alt"},
		blog.Block{Type: blog.Video, Layout: blog.Full, Content: "https://example.org/" + word + ".mp4"})
	return c
}

// publicPaths are all pages that everyone may ask for, with every post and tag in
// the place of the wildcards.
func (r *room) publicPaths(ids, tags []string) []string {
	var paths []string
	for _, route := range r.Mux.Routes() {
		if route.Access != auth.Everyone || route.Unsafe() {
			continue
		}
		path := strings.ReplaceAll(route.Path(), "{month}", "2026-10")
		switch {
		case strings.Contains(path, "{id}"):
			for _, id := range ids {
				paths = append(paths, fronttest.Path("GET "+strings.ReplaceAll(path, "{id}", id)))
			}
		case strings.Contains(path, "{tag}"):
			for _, tag := range tags {
				paths = append(paths, strings.ReplaceAll(path, "{tag}", url.PathEscape(tag)))
			}
		default:
			paths = append(paths, fronttest.Path("GET "+path))
		}
	}
	for _, tag := range tags {
		paths = append(paths, "/blog/search?q="+url.QueryEscape(tag))
	}
	return paths
}

// No route that everyone may ask for shows a word that is not published, and what
// is published or taken back shows or is gone everywhere at once.
func TestNothingUnpublished(t *testing.T) {
	r := open(t)
	const word = "zxqv"
	r.put(t, content("In the open", []string{"shared", "open"}, "words"), blog.Published)
	ids, tags := []string{}, []string{"shared", word + "dtag", word + "atag", word + "utag"}
	for mark, state := range map[string]blog.Status{"d": blog.Draft, "a": blog.Archived} {
		ids = append(ids, r.put(t, secretPost(word+mark), state).ID)
	}
	was := r.put(t, secretPost(word+"u"), blog.Published)
	ids = append(ids, was.ID)
	shows := func() (where []string) {
		for _, path := range r.publicPaths(ids, tags) {
			page := r.Get(t, auth.Everyone, path)
			page.Doc.Find("input").RemoveAttr("value") // the query itself
			body, err := page.Doc.Html()
			if err != nil {
				t.Fatal(err)
			}
			echo := strings.ReplaceAll(strings.ReplaceAll(body, path, ""), html.EscapeString(path), "")
			if strings.Contains(path, word) {
				// A page may repeat the tag or the words that it was asked for.
				for _, tag := range tags {
					echo = strings.ReplaceAll(echo, tag, "")
				}
			}
			if strings.Contains(echo, word+"d") || strings.Contains(echo, word+"a") {
				t.Errorf("%s shows a draft or an archived post", path)
			}
			if strings.Contains(echo, word+"u") {
				where = append(where, path)
			}
			for name, values := range page.Header {
				if strings.Contains(strings.Join(values, " "), word) && name != "Location" {
					t.Errorf("%s tells of it in %s", path, name)
				}
			}
		}
		return where
	}
	if where := shows(); len(where) < 12 {
		t.Errorf("a published post shows on these pages alone: %v", where)
	}
	if _, err := r.desk.Unpublish(t.Context(), was.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if where := shows(); len(where) != 0 {
		t.Errorf("a post that was taken back still shows on %v", where)
	}
	// An edit of a tag moves it at once.
	p := r.put(t, content("Tagged", []string{"before"}, "x"), blog.Published)
	c := p.Content
	c.Tags = []string{"after"}
	if _, err := r.desk.Save(t.Context(), p.ID, p.Version, c); err != nil {
		t.Fatal(err)
	}
	if r.Get(t, auth.Everyone, "/blog/tags/before").Count(".story") != 0 || r.Get(t, auth.Everyone, "/blog/tags/after").Count(".story") != 1 {
		t.Error("a changed tag does not show at once")
	}
}

// A preview link shows a draft to whoever has it, to no cache, and not for ever.
func TestPreviewLink(t *testing.T) {
	r := open(t)
	p := r.put(t, content("Not yet", nil, "# One", "secret words"), blog.Draft)
	page := r.Post(t, auth.Author, "/office/blog/posts/"+p.ID+"/link", nil).Want(http.StatusOK)
	link, err := url.Parse(page.Attr("[data-link-url]", "value"))
	if err != nil || !strings.HasPrefix(link.Path, "/blog/preview/") {
		t.Fatalf("link %s, %v", link, err)
	}
	got := r.Get(t, auth.Everyone, link.Path).Want(http.StatusOK)
	if got.Text("h1") != "Not yet" || got.Header.Get("Cache-Control") != "private, no-store" || got.Header.Get("Referrer-Policy") != "no-referrer" || got.Attr("meta[name=robots]", "content") != "noindex" {
		t.Errorf("the preview is %q, %v", got.Text("h1"), got.Header)
	}
	r.Get(t, auth.Everyone, link.Path+"x").Want(http.StatusNotFound)
	r.mu.Lock()
	r.now = r.now.Add(8 * 24 * time.Hour)
	r.mu.Unlock()
	if ended := r.Get(t, auth.Everyone, link.Path).Want(http.StatusNotFound); !strings.Contains(ended.Text("main"), "ended") {
		t.Errorf("an ended link says %q", ended.Text("main"))
	}
}

// attacks are texts that have run script in one program or another.
var attacks = []string{
	`<script>window.ran=1</script>`, `"><script>window.ran=1</script>`, `'><img src=x onerror=window.ran=1>`,
	`<img src=x onerror="window.ran=1">`, `<svg onload=window.ran=1>`, `" onmouseover="window.ran=1" x="`, `' onfocus='window.ran=1' autofocus='`,
	`</title></textarea></script><script>window.ran=1</script>`, `</template><script>window.ran=1</script>`, `<iframe srcdoc="<script>parent.ran=1</script>">`,
	`[x](javascript:window.ran=1)`, `![x](javascript:window.ran=1)`, `[x](data:text/html,<script>window.ran=1</script>)`, `<a href="javascript:window.ran=1">x</a>`,
	"```html\n</code></pre><script>window.ran=1</script>\n```", `# <img src=x onerror=window.ran=1>`, `{{.Site}} {{constructor.constructor('window.ran=1')()}}`,
	`<details open ontoggle=window.ran=1>`, `<form action="javascript:window.ran=1"><button>x`, `<math><mtext></form><form><mglyph><style></math><img src onerror=window.ran=1>`,
	`<base href="https://evil.example/">`, `<meta http-equiv="refresh" content="0;url=javascript:window.ran=1">`, `data-embed="javascript:window.ran=1"`,
}

// attacked puts every attack into every field of a post that takes it.
func (r *room) attacked(t testing.TB) []blog.Post {
	t.Helper()
	var posts []blog.Post
	for _, attack := range attacks {
		c := content("x", []string{}, "x")
		for _, set := range []func(*blog.Content){
			func(c *blog.Content) { c.Title = attack }, func(c *blog.Content) { c.Summary = attack },
			func(c *blog.Content) { c.Author = attack[:min(50, len(attack))] }, func(c *blog.Content) { c.Tags = []string{attack[:min(50, len(attack))]} },
			func(c *blog.Content) { c.Thumbnail = "https://example.org/" + url.PathEscape(attack) },
		} {
			with := c
			if set(&with); with.Validate() == nil {
				c = with
			}
		}
		for _, kind := range []blog.Kind{blog.Text, blog.Quote, blog.Code, blog.Image, blog.Video} {
			for _, text := range []string{attack, "https://example.org/" + attack} {
				for _, language := range []string{"html", attack[:min(32, len(attack))]} {
					b := blog.Block{Type: kind, Layout: blog.Full, Content: text, Alt: attack, Caption: attack, Language: language}
					if (blog.Content{Facts: blog.Facts{Title: "x", Summary: "x"}, Blocks: []blog.Block{b}}).Validate() == nil {
						c.Blocks = append(c.Blocks, b)
					}
				}
			}
		}
		posts = append(posts, r.put(t, c, blog.Published))
	}
	return posts
}

// Nothing of the attacks becomes an element, a handler or an address that runs, on
// any page that shows posts; webtest itself looks for inline scripts and styles.
func TestAttacks(t *testing.T) {
	r := open(t, func(o *blog.Options) {
		o.Profile = blog.Profile{Name: attacks[0], Role: attacks[1], Bio: strings.Join(attacks, "\n\n")}
		o.Contact.PerVisitor = 1000
	})
	paths := []string{"/", "/blog", "/blog/about", "/blog/tags", "/blog/archive/2026-10", "/office/blog", "/office/blog/media", "/office/blog/inbox"}
	for _, p := range r.attacked(t) {
		paths = append(paths, "/blog/posts/"+p.ID, "/office/blog/posts/"+p.ID)
		if len(p.Tags) > 0 {
			paths = append(paths, "/blog/tags/"+url.PathEscape(p.Tags[0]), "/office/blog?tag="+url.QueryEscape(p.Tags[0]))
		}
	}
	for i, attack := range attacks {
		visitor := fmt.Sprintf("192.0.2.%d:1", i+10)
		search := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/blog/search?q="+url.QueryEscape(attack), nil)
		search.RemoteAddr = visitor
		harmless(t, "search", r.Do(t, auth.Everyone, search).Want(http.StatusOK).Body)
		for _, email := range []string{attack, "a@example.org"} {
			letter := url.Values{"name": {attack}, "email": {email}, "subject": {attack}, "body": {attack}}
			send := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/blog/contact", strings.NewReader(letter.Encode()))
			send.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			send.Header.Set("Sec-Fetch-Site", "same-origin")
			send.RemoteAddr = visitor
			harmless(t, "contact", r.Do(t, auth.Everyone, send).Body)
		}
	}
	if got := r.Get(t, auth.Operator, "/office/blog/inbox").Count(".letter"); got < 15 {
		t.Errorf("%d letters alone arrived", got)
	}
	for _, path := range paths {
		harmless(t, path, r.Get(t, auth.Operator, path).Want(http.StatusOK).Body)
	}
	draft := map[string]any{"title": attacks[1], "summary": attacks[2], "tags": attacks[3], "blocks": []blog.Block{{Type: blog.Text, Content: strings.Join(attacks, "\n\n")}}}
	harmless(t, "preview", r.sendJSON(t, auth.Author, "/office/blog/preview", draft).Want(http.StatusOK).Body)
}

// harmless reads a page as a browser does.
func harmless(t *testing.T, where, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "iframe", "object", "embed", "base", "math", "style", "frame":
			t.Errorf("%s has a %s", where, n.Data)
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			runs := strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:text") || strings.HasPrefix(value, "vbscript:")
			if strings.HasPrefix(a.Key, "on") || runs && (a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "data-embed") {
				t.Errorf("%s has %s on %s", where, fmt.Sprintf("%s=%q", a.Key, a.Val), n.Data)
			}
		}
		data := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "type" && a.Val == "application/ld+json" }) // no browser runs it
		if n.Data == "script" && !data && !strings.HasPrefix(srcOf(n), "/assets/") {
			t.Errorf("%s has a script of its own", where)
		}
	}
}

func srcOf(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Key == "src" {
			return a.Val
		}
	}
	return ""
}
