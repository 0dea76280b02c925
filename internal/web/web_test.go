package web_test

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
)

// ask is a GET with headers.
func ask(t *testing.T, s *webtest.Site, role auth.Role, path string, header ...string) *webtest.Reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return s.Do(t, role, r)
}

func TestLanguage(t *testing.T) {
	s := webtest.Open(t)
	tests := []struct {
		name, path string
		header     []string
		want       string
	}{
		{"nothing said", "/", nil, "en"},
		{"accepted", "/", []string{"Accept-Language", "ja,en;q=0.5"}, "ja"},
		{"a region", "/", []string{"Accept-Language", "ja-JP"}, "ja"},
		{"by weight", "/", []string{"Accept-Language", "ja;q=0.3,en;q=0.9"}, "en"},
		{"none of ours", "/", []string{"Accept-Language", "fr"}, "en"},
		{"nonsense", "/", []string{"Accept-Language", ";;;"}, "en"},
		{"chosen", "/", []string{"Accept-Language", "en", "Cookie", "pressroom_lang=ja"}, "ja"},
		{"chosen nonsense", "/", []string{"Accept-Language", "ja", "Cookie", "pressroom_lang=xx"}, "ja"},
		{"in the address", "/?lang=ja", []string{"Cookie", "pressroom_lang=en"}, "ja"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, s, auth.Everyone, tt.path, tt.header...).Want(200)
			if got.Attr("html", "lang") != tt.want || got.Header.Get("Content-Language") != tt.want {
				t.Errorf("html lang=%s, want %s", got.Attr("html", "lang"), tt.want)
			}
		})
	}
}

func TestHead(t *testing.T) {
	s := webtest.Open(t)
	got := s.Get(t, auth.Everyone, "/?lang=ja&utm=x").Want(200)
	if href := got.Attr("link[rel=canonical]", "href"); href != "http://example.com/" {
		t.Errorf("canonical is %s", href)
	}
	for lang, want := range map[string]string{"en": "http://example.com/?lang=en", "ja": "http://example.com/?lang=ja", "x-default": "http://example.com/"} {
		if href := got.Attr("link[hreflang="+lang+"]", "href"); href != want {
			t.Errorf("hreflang %s is %s", lang, href)
		}
	}
	if got.Attr("link[type='application/atom+xml']", "href") != "/feed.atom" || got.Attr("link[type='application/feed+json']", "href") != "/feed.json" {
		t.Error("the front page does not offer its feeds")
	}
	if got.Attr("meta[property='og:url']", "content") != "http://example.com/" || got.Attr("meta[property='og:locale']", "content") != "ja_JP" {
		t.Error("no OpenGraph")
	}
	if want := "2026年11月15日(日)"; got.Text(".today") != want {
		t.Errorf("today is %s", got.Text(".today"))
	}
}

func TestCaching(t *testing.T) {
	s := webtest.Open(t)
	first := s.Get(t, auth.Everyone, "/").Want(200)
	tag := first.Header.Get("ETag")
	if tag == "" || !strings.HasPrefix(first.Header.Get("Cache-Control"), "public") || !strings.Contains(first.Header.Get("Vary"), "Cookie") {
		t.Errorf("headers %v", first.Header)
	}
	if again := ask(t, s, auth.Everyone, "/", "If-None-Match", `"x", `+tag); again.StatusCode != 304 || again.Body != "" {
		t.Errorf("known page answers %d", again.StatusCode)
	}
	if other := ask(t, s, auth.Everyone, "/?lang=ja", "If-None-Match", tag); other.StatusCode != 200 {
		t.Errorf("another language answers %d", other.StatusCode)
	}
	packed := ask(t, s, auth.Everyone, "/", "Accept-Encoding", "br, gzip")
	if packed.Header.Get("Content-Encoding") != "gzip" || packed.Body != first.Body {
		t.Error("gzip differs")
	}
	if plain := ask(t, s, auth.Everyone, "/", "Accept-Encoding", "gzip;q=0"); plain.Header.Get("Content-Encoding") != "" {
		t.Error("gzip although refused")
	}
	mine := s.Get(t, auth.Reader, "/").Want(200)
	if mine.Header.Get("Cache-Control") != "private, no-store" || mine.Header.Get("ETag") != "" {
		t.Errorf("signed in: %v", mine.Header)
	}
}

func TestAssets(t *testing.T) {
	s := webtest.Open(t)
	page := s.Get(t, auth.Everyone, "/").Want(200)
	for _, path := range []string{page.Attr("link[rel=stylesheet]", "href"), page.Attr("script", "src"), page.Attr("link[rel=icon]", "href")} {
		got := s.Get(t, auth.Everyone, path).Want(200)
		if got.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %v", path, got.Header)
		}
		packed := ask(t, s, auth.Everyone, path, "Accept-Encoding", "gzip")
		if packed.Header.Get("Content-Encoding") != "gzip" || packed.Body != got.Body {
			t.Errorf("%s: gzip differs", path)
		}
		if again := ask(t, s, auth.Everyone, path, "If-None-Match", got.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("%s: known asset answers %d", path, again.StatusCode)
		}
	}
	s.Get(t, auth.Everyone, "/assets/site.000000000000.css").Want(404)
}

func TestFailures(t *testing.T) {
	s := webtest.Open(t)
	var fail error
	s.Site.Get("/fail", auth.Everyone, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("ETag", "x")
		return fail
	})
	for kind := range errs.Kinds() {
		if kind == errs.Unauthenticated {
			continue
		}
		fail = fmt.Errorf("secret detail: %w", kind)
		for _, lang := range []string{"en", "ja"} {
			got := s.Get(t, auth.Everyone, "/fail?lang="+lang).Want(kind.Status())
			if strings.Contains(got.Body, "secret") || got.Header.Get("Cache-Control") != "private, no-store" || got.Header.Get("ETag") != "" {
				t.Errorf("%v: %v", kind, got.Header)
			}
			if lang == "en" && got.Text("[role=alert]") != kind.Message() {
				t.Errorf("%v says %q", kind, got.Text("[role=alert]"))
			}
			if lang == "ja" && kind != errs.Usage && got.Text("[role=alert]") == kind.Message() {
				t.Errorf("%v is not translated", kind)
			}
		}
	}
	fail = errs.Validation(errs.Field{Name: "title", Message: "must be at most 200 characters"})
	got := s.Get(t, auth.Everyone, "/fail?lang=ja").Want(422)
	if text := got.Text("main li"); text != "title 200文字以内で入力してください" {
		t.Errorf("fields are %q", text)
	}
	fail = errs.RateLimit(90 * time.Second)
	if got := s.Get(t, auth.Everyone, "/fail").Want(429); got.Header.Get("Retry-After") != "90" {
		t.Errorf("Retry-After %s", got.Header.Get("Retry-After"))
	}
	s.Get(t, auth.Everyone, "/nowhere").Want(404)
	s.Get(t, auth.Reader, "/office/users").Want(403)
}

func TestAskedToSignIn(t *testing.T) {
	s := webtest.Open(t)
	tests := []struct{ name, path, want string }{
		{"a page", "/account?cursor=a", "/sign-in?return=%2Faccount%3Fcursor%3Da"},
		{"an office", "/office/users", "/sign-in?return=%2Foffice%2Fusers"},
	}
	for _, tt := range tests {
		got := s.Get(t, auth.Everyone, tt.path).Want(303)
		if got.Header.Get("Location") != tt.want {
			t.Errorf("%s leads to %s", tt.path, got.Header.Get("Location"))
		}
	}
	got := ask(t, s, auth.Everyone, "/account", "HX-Request", "true").Want(401)
	if got.Header.Get("HX-Redirect") != "/sign-in?return=%2Faccount" {
		t.Errorf("htmx gets %v", got.Header)
	}
	for _, back := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/%0d%0aX: y", ""} {
		page := s.Get(t, auth.Everyone, "/sign-in?return="+template.URLQueryEscaper(back)).Want(200)
		if value := page.Attr("input[name=return]", "value"); !strings.HasPrefix(value, "/") || strings.HasPrefix(value, "//") || strings.Contains(value, "\\") {
			t.Errorf("return=%q leads to %q", back, value)
		}
	}
}

func TestPreferences(t *testing.T) {
	s := webtest.Open(t)
	got := s.Post(t, auth.Everyone, "/preferences", map[string][]string{"lang": {"ja"}, "theme": {"dark"}, "return": {"/styleguide?lang=en&x=1"}}).Want(303)
	if got.Header.Get("Location") != "/styleguide?x=1" {
		t.Errorf("leads to %s", got.Header.Get("Location"))
	}
	cookies := map[string]string{}
	for _, c := range got.Cookies() {
		cookies[c.Name] = c.Value
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("cookie %v", c)
		}
	}
	if diff := cmp.Diff(map[string]string{"pressroom_lang": "ja", "pressroom_theme": "dark"}, cookies); diff != "" {
		t.Error(diff)
	}
	page := ask(t, s, auth.Everyone, "/", "Cookie", "pressroom_theme=dark")
	if page.Attr("html", "data-theme") != "dark" || page.Attr("button[value=dark]", "aria-pressed") != "true" {
		t.Error("the theme does not show")
	}
	s.Post(t, auth.Everyone, "/preferences", map[string][]string{"lang": {"xx"}}).Want(422)
	s.Post(t, auth.Everyone, "/preferences", map[string][]string{"theme": {"<"}}).Want(422)
}

func TestFlash(t *testing.T) {
	s := webtest.Open(t)
	s.Site.Post("/say", auth.Everyone, func(w http.ResponseWriter, r *http.Request) error {
		s.Flash(w, r, web.Good, "setup.done", "<b>Ann</b>")
		return s.Redirect(w, r, "https://evil.example")
	})
	got := s.Post(t, auth.Everyone, "/say", nil).Want(303)
	if got.Header.Get("Location") != "/" {
		t.Errorf("leads to %s", got.Header.Get("Location"))
	}
	cookie := got.Cookies()[0]
	page := ask(t, s, auth.Everyone, "/", "Cookie", cookie.Name+"="+cookie.Value)
	if page.Text(".flash") != "Welcome, <b>Ann</b>. The newsroom is yours." || page.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("flash says %q", page.Text(".flash"))
	}
	if gone := page.Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 {
		t.Errorf("the message stays: %v", gone)
	}
	for _, forged := range []string{"x", "e30", "eyJ0IjoiZ29vZCIsImsiOiJzYXkgdGhpcyJ9"} {
		if page := ask(t, s, auth.Everyone, "/", "Cookie", "pressroom_flash="+forged); page.Count(".flash") != 0 {
			t.Errorf("%s says %q", forged, page.Text(".flash"))
		}
	}
}

func TestTemplates(t *testing.T) {
	words := func(en, ja string) fstest.MapFS {
		return fstest.MapFS{
			"locales/en.json": {Data: []byte(en)}, "locales/ja.json": {Data: []byte(ja)},
		}
	}
	with := func(fsys fstest.MapFS, name, text string) fstest.MapFS {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
		return fsys
	}
	tests := []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"a language lacks a key", words(`{"x.a": "a"}`, `{}`), "locales/ja.json lacks x.a"},
		{"a template names what no language has", with(words(`{}`, `{}`), "a.html", `{{if .Data}}{{t "x.b"}}{{end}}`), "no en text for x.b"},
		{"also inside another call", with(words(`{}`, `{}`), "a.html", `{{template "empty" (dict "title" (t "x.c"))}}`), "no ja text for x.c"},
		{"a key of the shell", words(`{"home.title": "a"}`, `{"home.title": "a"}`), "given a second time"},
		{"syntax", with(words(`{}`, `{}`), "a.html", `{{if}}`), "a.html"},
		{"an asset of the shell", with(words(`{}`, `{}`), "static/site.css", `a{}`), "asset site.css is given a second time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := webtest.Open(t)
			if _, err := s.Templates(tt.files); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Templates: %v, want %s", err, tt.want)
			}
		})
	}
}

// A desk's page: layout, shared parts, its own style, and the part for htmx.
func TestDeskPage(t *testing.T) {
	s := webtest.Open(t)
	views, err := s.Templates(fstest.MapFS{
		"locales/en.json": {Data: []byte(`{"x.title": "Posts of {0}", "x.nav": "X"}`)},
		"locales/ja.json": {Data: []byte(`{"x.title": "{0}の記事", "x.nav": "X"}`)},
		"static/x.css":    {Data: []byte(`a { color: red }`)},
		"_part.html":      {Data: []byte(`{{define "part"}}<p class="part">{{.}}</p>{{end}}`)},
		"list.html":       {Data: []byte(`<h1>{{.Title}}</h1>{{define "rows"}}<ul>{{range .Data}}<li>{{template "part" .}}</li>{{end}}</ul>{{template "pager" (.Pager "c2")}}{{end}}{{template "rows" .}}`)},
		"other.html":      {Data: []byte(`<h1>other</h1>{{define "rows"}}{{end}}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Nav(web.NavItem{Path: "/x", Key: "x.nav", Order: 1})
	s.Site.Get("/x/{who}", auth.Everyone, func(w http.ResponseWriter, r *http.Request) error {
		return s.Render(w, r, views, "list", web.Page{Title: s.T(r, "x.title", r.PathValue("who")), Block: "rows", Data: []string{"<i>", "b"}})
	})
	got := s.Get(t, auth.Everyone, "/x/ann?lang=ja&tag=a&cursor=c1").Want(200)
	if got.Text("h1") != "annの記事" || got.Text("title") != "annの記事 · Pressroom" || got.Text("main .part") != "<i>b" {
		t.Errorf("page is %s", got.Text("main"))
	}
	if got.Attr(".sections a", "aria-current") != "page" || got.Count("link[href^='/assets/x.']") != 1 {
		t.Error("navigation or style sheet is missing")
	}
	if got.Attr(".pager [rel=next]", "href") != "/x/ann?cursor=c2&lang=ja&tag=a" || got.Attr(".pager a", "href") != "/x/ann?lang=ja&tag=a" {
		t.Errorf("pager is %s", got.Text(".pager"))
	}
	part := ask(t, s, auth.Everyone, "/x/ann", "HX-Request", "true").Want(200)
	if strings.Contains(part.Body, "<html") || part.Text(".part") != "<i>b" {
		t.Errorf("htmx gets %s", part.Body)
	}
	if whole := ask(t, s, auth.Everyone, "/x/ann", "HX-Request", "true", "HX-History-Restore-Request", "true"); whole.Count("main") != 1 {
		t.Error("restoring history gets a part")
	}
}

type shout struct{}

func (shout) Explain(_ context.Context, lang string, html template.HTML) template.HTML {
	return template.HTML(strings.ReplaceAll(string(html), "牛歩", string(web.TermLink(7, "牛歩", "/lexicon/"+lang, `"slow" <walk>`))))
}

func TestExplain(t *testing.T) {
	s := webtest.Open(t)
	s.Explain(shout{})
	views, err := s.Templates(fstest.MapFS{"a.html": {Data: []byte(`<h1>a</h1>{{.Explain .Data}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	s.Site.Get("/a", auth.Everyone, func(w http.ResponseWriter, r *http.Request) error {
		return s.Render(w, r, views, "a", web.Page{Title: "a", Data: template.HTML("<p>牛歩だ</p>")})
	})
	got := s.Get(t, auth.Everyone, "/a?lang=ja").Want(200)
	if got.Attr(".term a", "href") != "/lexicon/ja" || got.Text("#term-7") != `"slow" <walk>` || got.Attr(".term a", "aria-describedby") != "term-7" {
		t.Errorf("term is %s", got.Text(".term"))
	}
}

func TestStyleguide(t *testing.T) {
	s := webtest.Open(t)
	for _, lang := range []string{"en", "ja"} {
		got := s.Get(t, auth.Everyone, "/styleguide?lang="+lang).Want(200)
		if got.Attr("#headline", "aria-invalid") != "true" || got.Attr("#headline", "aria-describedby") != "headline-error" {
			t.Error("the wrong field does not say so")
		}
		if got.Attr("#title", "aria-describedby") != "title-hint" {
			t.Error("the hint is not the field's")
		}
		if n := got.Doc.Find("input:not([type=hidden]), select, textarea").Length(); n < 8 {
			t.Errorf("%d inputs", n)
		}
	}
	for code, status := range map[string]int{"not_found": 404, "invalid": 422, "rate_limited": 429, "internal": 500, "nonsense": 404} {
		s.Get(t, auth.Everyone, "/styleguide/failure/"+code).Want(status)
	}
}

// A page that is kept is the same for all who are signed out, is nobody else's,
// and is made anew after a second.
func TestKept(t *testing.T) {
	s := webtest.Open(t)
	views, err := s.Templates(fstest.MapFS{"n.html": {Data: []byte(`<h1>{{.Data}}</h1>`)}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	s.Site.Get("/n", auth.Everyone, s.Kept(func(w http.ResponseWriter, r *http.Request) error {
		n++
		if r.URL.Query().Has("fail") {
			return errs.NotFound
		}
		return s.Render(w, r, views, "n", web.Page{Title: "n", Data: n})
	}))
	first := s.Get(t, auth.Everyone, "/n").Want(200)
	again := ask(t, s, auth.Everyone, "/n", "Accept-Encoding", "gzip").Want(200)
	if first.Body != again.Body || first.Header.Get("ETag") != again.Header.Get("ETag") || again.Header.Get("Content-Language") != "en" {
		t.Error("the page is not kept")
	}
	if got := ask(t, s, auth.Everyone, "/n", "If-None-Match", first.Header.Get("ETag")); got.StatusCode != 304 {
		t.Errorf("a kept page that is known answers %d", got.StatusCode)
	}
	if got := s.Get(t, auth.Everyone, "/n?lang=ja").Text("h1"); got != "2" {
		t.Errorf("another language is page %s", got)
	}
	if got := ask(t, s, auth.Everyone, "/n", "Cookie", "pressroom_theme=dark").Text("h1"); got != "3" {
		t.Errorf("another theme is page %s", got)
	}
	if got := s.Get(t, auth.Reader, "/n"); got.Text("h1") != "4" || got.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("who is signed in gets page %s", got.Text("h1"))
	}
	if got := s.Get(t, auth.Everyone, "/n").Text("h1"); got != "1" {
		t.Errorf("what a reader got is kept for others: page %s", got)
	}
	s.Get(t, auth.Everyone, "/n?fail").Want(404)
	s.Get(t, auth.Everyone, "/n?fail").Want(404)
	if n != 6 {
		t.Errorf("%d calls, want errors not kept", n)
	}
	webtest.Now = webtest.Now.Add(time.Second)
	t.Cleanup(func() { webtest.Now = webtest.Now.Add(-time.Second) })
	if got := s.Get(t, auth.Everyone, "/n").Text("h1"); got != "7" {
		t.Errorf("after a second it is page %s", got)
	}
}
