package newswireweb_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/desk/newswire/newswireweb"
	"pressroom/internal/front/fronttest"
	"pressroom/internal/rights"
	"pressroom/internal/web/webtest"
	"pressroom/llm/builtin"
	"pressroom/model/deploy"
)

// room is a site with the newswire on it, and a paper on loopback to crawl.
type room struct {
	*webtest.Site
	desk  *newswire.Desk
	paper *paper
	notes []string // what was put on record
	full  error    // why nothing more can be
}

// paper is a site of the outside world.
type paper struct {
	*httptest.Server
	titles []string      // of its articles
	body   string        // of each
	gate   chan struct{} // articles wait for it, if it is there
	asked  atomic.Int32
	said   string // in robots.txt
}

func (p *paper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.asked.Add(1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var n int
	switch _, err := fmt.Sscanf(r.URL.Path, "/news/%d", &n); {
	case r.URL.Path == "/":
		_, _ = io.WriteString(w, `<html lang="en"><title>The Harbour Paper</title><h1>The Harbour Paper</h1>`)
		for i := range p.titles {
			fmt.Fprintf(w, `<a href="/news/%d">Story %d</a> `, i, i)
		}
		_, _ = io.WriteString(w, `<a href="/news/999">Broken</a> <a href="/secret/plan">Secret</a>`)
	case r.URL.Path == "/robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /secret\n"+p.said)
	case r.URL.Path == "/news/999":
		http.Error(w, "broken", http.StatusInternalServerError)
	case err == nil && n < len(p.titles):
		if p.gate != nil {
			select {
			case <-p.gate:
			case <-r.Context().Done():
			}
		}
		title := html.EscapeString(p.titles[n])
		fmt.Fprintf(w, `<html><head><title>%[1]s</title><meta property="og:type" content="article"><meta property="og:title" content="%[1]s"><meta property="article:published_time" content="2026-11-%02[2]dT08:00:00Z"><meta name="author" content="%[4]s"></head><body><article><h1>%[1]s</h1>%[3]s</article></body></html>`,
			title, n%14+1, p.body, html.EscapeString("Ann "+p.titles[n]))
	default:
		http.NotFound(w, r)
	}
}

const prose = "<p>The council agreed on a budget for roads, schools and the harbour after a debate of six hours. The mayor said that the tram to the hospital comes first, and that the library stays open on Sundays.</p>" +
	"<p>Members of all groups spoke about the bridge over the river, which has been closed since spring. An engineer told them that the repair takes until March and costs four million.</p>" +
	"<p>The next session is in December. Until then a committee looks at the fees for ferries, which residents had complained about in a petition with nine hundred names.</p>"

func open(t testing.TB, titles ...string) *room {
	t.Helper()
	p := &paper{titles: titles, body: prose}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	s := webtest.Open(t, newswire.Schema)
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	check(t, err)
	t.Cleanup(func() { check(t, store.Close()) })
	objects := blob.Client(store)
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: s.DB, Objects: objects}, nil, newswire.Schema))
	desk, err := newswire.New(s.DB, objects, &newswire.Options{
		Stories: s.Stories.Stories,
		Log:     slog.New(slog.DiscardHandler), Model: builtin.New(), CursorKey: []byte("0123456789abcdef"), Recheck: 1e6 * time.Hour,
		Outbound: &newswire.Outbound{Allow: []string{strings.TrimPrefix(p.URL, "http://")}},
	})
	check(t, err)
	t.Cleanup(desk.Close)
	r := &room{Site: s, desk: desk, paper: p}
	check(t, newswireweb.Register(s.Site, desk, &newswireweb.Options{Record: func(_ context.Context, what, subject, _ string) error {
		r.notes = append(r.notes, what+" "+subject)
		return r.full
	}}))
	return r
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *room) form(more ...string) url.Values {
	v := url.Values{
		"siteId": {"harbour"}, "name": {"The Harbour Paper"}, "category": {"news"}, "baseUrl": {r.paper.URL + "/"}, "allowedPaths": {"/\n/secret"},
		"requestIntervalMs": {"0"}, "timezone": {"Asia/Tokyo"}, "crawlWindows": {"06:30-07:15\n22:00〜23:00"},
	}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// crawl adds the paper, crawls it to the end and summarises.
func (r *room) crawl(t testing.TB) newswire.CrawlRun {
	t.Helper()
	s := newswire.Site{SiteID: "harbour", Name: "The Harbour Paper", Category: "news", BaseURL: r.paper.URL + "/", Timezone: "Asia/Tokyo"}
	check(t, r.desk.CreateSite(t.Context(), &s))
	run, err := r.desk.Crawl(t.Context(), "harbour", newswire.CrawlOptions{})
	check(t, err)
	_, err = r.desk.Summarise(context.WithoutCancel(t.Context()), 50)
	check(t, err)
	return run
}

func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

func TestReaders(t *testing.T) {
	r := open(t, "Tram to the hospital", "Bridge repair", "Ferry fees")
	for _, lang := range []string{"en", "ja"} {
		if n := r.Get(t, auth.Everyone, "/newswire?lang="+lang).Want(200).Count(".empty"); n != 1 {
			t.Errorf("%s: %d empty states", lang, n)
		}
	}
	r.crawl(t)
	feed, err := r.desk.Feed(t.Context(), newswire.PageOptions{})
	check(t, err)
	a := feed.Items[0]
	_, err = r.desk.SetTopics(t.Context(), a.ArticleID, 0, []string{"a/b c"})
	check(t, err)

	r.Followed(t, "newswire", "/newswire/sites/harbour", "site")
	r.Followed(t, "newswire", "/newswire/categories/news", "topic")
	r.Followed(t, "newswire", "/newswire/topics/a%2Fb%20c", "topic")
	for _, path := range []string{"/newswire", "/newswire/sites/harbour", "/newswire/categories/news", "/newswire/topics/a%2Fb%20c"} {
		want := 3
		if strings.Contains(path, "topics") {
			want = 1
		}
		for _, lang := range []string{"en", "ja"} {
			page := r.Get(t, auth.Everyone, path+"?lang="+lang).Want(200)
			if n := page.Count(".stories .story"); n != want {
				t.Errorf("%s has %d stories, want %d", path, n, want)
			}
			if got := page.Attr(".story .byline a", "href"); !strings.HasPrefix(got, r.paper.URL) {
				t.Errorf("%s: source is %q", path, got)
			}
			if page.Attr("link[type='application/atom+xml']", "href") != path+"/feed.atom" {
				t.Errorf("%s names the feed %q", path, page.Attr("link[type='application/atom+xml']", "href"))
			}
		}
		etag := r.Get(t, auth.Everyone, path).Header.Get("ETag")
		again := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		again.Header.Set("If-None-Match", etag)
		r.Do(t, auth.Everyone, again).Want(304)
		for _, ending := range []string{"/feed.atom", "/feed.json"} {
			f := r.Get(t, auth.Everyone, path+ending).Want(200)
			if strings.Count(f.Body, r.paper.URL+"/news/") < want || !strings.Contains(f.Body, "/newswire/articles/") {
				t.Errorf("%s%s: %s", path, ending, f.Body)
			}
		}
	}
	r.Get(t, auth.Everyone, "/newswire/categories/sports").Want(404)
	r.Get(t, auth.Everyone, "/newswire/sites/nobody").Want(404)
	r.Get(t, auth.Everyone, "/newswire/sites/nobody/feed.atom").Want(404)
	r.Get(t, auth.Everyone, "/newswire?cursor=x").Want(400)
	if n := r.Get(t, auth.Everyone, "/newswire/topics/none").Want(200).Count(".empty a"); n != 1 {
		t.Errorf("an empty topic has %d ways on", n)
	}
	if home := r.Get(t, auth.Everyone, "/").Want(200); !strings.Contains(home.Text("main"), a.Title) {
		t.Errorf("the front page lacks %q: %s", a.Title, home.Text("main"))
	}
	if m := r.Mapped(t); !strings.Contains(m, "/newswire/articles/"+a.ArticleID) {
		t.Error("the sitemap lacks the article")
	}

	// What a site that is gone published stays.
	check(t, r.desk.DeleteSite(t.Context(), "harbour"))
	if n := r.Get(t, auth.Everyone, "/newswire/sites/harbour").Want(200).Count(".story"); n != 3 {
		t.Errorf("%d stories of a site that is gone", n)
	}
	r.Get(t, auth.Everyone, "/newswire/articles/"+a.ArticleID).Want(200)
}

func TestArticle(t *testing.T) {
	r := open(t, "Tram to the hospital", "Bridge repair")
	r.crawl(t)
	feed, err := r.desk.Feed(t.Context(), newswire.PageOptions{})
	check(t, err)
	a := feed.Items[0]
	path := "/newswire/articles/" + a.ArticleID
	page := r.Get(t, auth.Everyone, path).Want(200)
	if page.Text("h1") != a.Title || page.Attr(".wire-source a", "href") != a.URL || page.Attr("meta[property='og:type']", "content") != "article" {
		t.Errorf("%q from %q", page.Text("h1"), page.Attr(".wire-source a", "href"))
	}
	// Readers get an excerpt within the cap, which says that it is one, and the way to the whole.
	lead := strings.TrimSuffix(page.Text("#h-summary + div"), "…")
	if n := utf8.RuneCountInString(lead); n < 20 || n > rights.Cap(utf8.RuneCountInString(a.BodyPlain)) || page.Text("#h-summary") != "Excerpt" {
		t.Errorf("%s of %d characters: %q", page.Text("#h-summary"), n, lead)
	}
	if page.Count(".prose") != 0 || page.Attr("p.source a", "href") != a.URL || !strings.Contains(page.Text("p.source"), "The whole article is at The Harbour Paper") {
		t.Errorf("readers see %s", page.Text(".wire-article"))
	}
	if said := page.Attr("meta[property='og:description']", "content"); strings.TrimSuffix(said, "…") != lead {
		t.Errorf("the share card says %q", said)
	}
	if trust := page.Text(".wire-trust"); trust != newswire.Disclaimer(newswire.DisclaimerExtractive, "en") {
		t.Errorf("trust: %s", trust)
	}
	// Who works on it sees it whole, below the whole summary.
	for _, role := range []auth.Role{auth.Author, auth.Moderator, auth.Operator} {
		whole := r.Get(t, role, path).Want(200)
		if at := strings.Index(whole.Body, "wire-summary"); at < 0 || at > strings.Index(whole.Body, `class="prose"`) {
			t.Errorf("for %s the summary is not above the text", role)
		}
		if !strings.Contains(whole.Text(".prose"), "a petition with nine hundred names") || len(whole.Text("#h-summary + div")) <= len(lead) || !strings.Contains(whole.Text(".notice"), "Only the newsroom") {
			t.Errorf("%s sees %s", role, whole.Text(".wire-article"))
		}
		if whole.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("what %s sees may be kept: %s", role, whole.Header.Get("Cache-Control"))
		}
	}
	if r.Get(t, auth.Reader, path).Want(200).Count(".prose") != 0 {
		t.Error("a reader with an account sees the text")
	}
	if ja := r.Get(t, auth.Everyone, path+"?lang=ja"); !strings.Contains(ja.Text(".wire-trust"), newswire.Disclaimer(newswire.DisclaimerExtractive, "ja")) {
		t.Errorf("trust: %s", ja.Text(".wire-trust"))
	}
	if page.Count("form[action$='/topics']") != 0 {
		t.Error("readers see the form for topics")
	}

	moderated := r.Get(t, auth.Moderator, path).Want(200)
	version := moderated.Attr("input[name=version]", "value")
	r.Post(t, auth.Moderator, path+"/topics", url.Values{"version": {version}, "topics": {"Trams、 Health,trams"}}).Want(303)
	if got := r.Get(t, auth.Everyone, path).Text(".tags"); got != "trams health" {
		t.Errorf("topics: %q", got)
	}
	stale := r.Post(t, auth.Moderator, path+"/topics", url.Values{"version": {version}, "topics": {"mine"}}).Want(412)
	if stale.Attr("input[name=topics]", "value") != "mine" {
		t.Error("what was typed is lost")
	}
	r.Post(t, auth.Moderator, path+"/topics", url.Values{"version": {""}, "topics": {"x"}}).Want(400)
	r.Get(t, auth.Everyone, "/newswire/articles/nobody").Want(404)
}

// What a site says, and what follows from it, is on its page before it is crawled and
// after, in both languages. Its readers and those who work on it are told why.
func TestSignals(t *testing.T) {
	r := open(t, "Tram to the hospital", "Bridge repair")
	r.paper.said = "Content-Signal: search=yes, ai-input=no\n"
	for _, c := range []struct{ lang, use, why, robots string }{
		{"en", "Summarise by machine", "robots.txt says Content-Signal: ai-input=no", "forbidden"},
		{"ja", "機械による要約", "robots.txtの指定：Content-Signal: ai-input=no", "禁止"},
	} {
		text := r.Post(t, auth.Operator, "/office/newswire/add?lang="+c.lang, r.form("do", "look")).Want(200).Text(".wire-preview")
		for _, want := range []string{c.use + " " + c.why, c.robots + " " + c.use, "Content-Signal: search=yes"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the preview lacks %q: %s", c.lang, want, text)
			}
		}
	}
	r.crawl(t)
	page := r.Get(t, auth.Operator, "/office/newswire/sites/harbour").Want(200)
	if text := page.Text("aside"); !strings.Contains(text, "Content-Signal: ai-input=no robots.txt · since") || !strings.Contains(text, "The site was last asked") {
		t.Errorf("the site's page says %s", text)
	}
	feed, err := r.desk.Feed(t.Context(), newswire.PageOptions{})
	check(t, err)
	path := "/newswire/articles/" + feed.Items[0].ArticleID
	if trust := r.Get(t, auth.Everyone, path).Want(200).Text(".wire-trust"); !strings.Contains(trust, "does not want summaries by machine") {
		t.Errorf("readers are told %q", trust)
	}
	if text := r.Get(t, auth.Author, path).Want(200).Text(".notice.warn"); !strings.Contains(text, "Summarise by machine robots.txt says Content-Signal: ai-input=no") {
		t.Errorf("staff are told %q", text)
	}

	// A basis is declared, and refused if it is half of one.
	s, err := r.desk.GetSite(t.Context(), "harbour")
	check(t, err)
	edit := func(want int, more ...string) *webtest.Reply {
		t.Helper()
		return r.Post(t, auth.Operator, "/office/newswire/sites/harbour?lang=ja", r.form(append([]string{"do", "save", "version", strconv.Itoa(s.Version)}, more...)...)).Want(want)
	}
	half := edit(422, "basis.kind", "permission", "basis.until", "soon", "basis.scope.text", "true")
	for _, field := range []string{"basis.from", "basis.until"} {
		if message := half.Text(`[id="` + field + `-error"]`); !strings.ContainsFunc(message, func(r rune) bool { return r > 0x3000 }) {
			t.Errorf("%s: %q is not said in Japanese", field, message)
		}
	}
	if half.Count(`input[name="basis.scope.text"][checked]`) != 1 {
		t.Error("what was ticked is lost")
	}
	edit(303, "basis.kind", "licence", "basis.licence", "CC-BY-4.0")
	open := r.Get(t, auth.Everyone, path).Want(200)
	if !strings.Contains(open.Text(".prose"), "a petition with nine hundred names") || !strings.Contains(open.Text(".wire-article .notice"), "CC-BY-4.0") {
		t.Errorf("of an open text readers see %s", open.Text(".wire-article"))
	}
	if page := r.Get(t, auth.Operator, "/office/newswire/sites/harbour").Want(200); page.Attr(`select[name="basis.kind"] option[selected]`, "value") != "licence" {
		t.Error("the form does not have the basis")
	}

	// The site opts out: its articles are gone, and who works on them sees why.
	r.paper.said = "Disallow: /\n"
	_, err = r.desk.ReadSignals(t.Context(), "harbour")
	check(t, err)
	r.Get(t, auth.Everyone, path).Want(404)
	for _, list := range []string{"/newswire", "/newswire/feed.atom", "/newswire/sites/harbour", "/"} {
		if body := r.Get(t, auth.Everyone, list).Body; strings.Contains(body, "Bridge repair") || strings.Contains(body, "Tram to") {
			t.Errorf("%s still has an article", list)
		}
	}
	if text := r.Get(t, auth.Author, path).Want(200).Text(".notice.warn"); !strings.Contains(text, "Disallow: /") {
		t.Errorf("staff are told %q", text)
	}
}

// How an article changed is for those who work on it.
func TestVersions(t *testing.T) {
	r := open(t, "Tram to the hospital")
	r.crawl(t)
	feed, err := r.desk.Feed(t.Context(), newswire.PageOptions{})
	check(t, err)
	path := "/newswire/articles/" + feed.Items[0].ArticleID
	if page := r.Get(t, auth.Author, path+"/versions").Want(200); page.Count(".empty") != 1 || r.Get(t, auth.Author, path).Count("a[href$='/versions']") != 0 {
		t.Error("an article that did not change has versions")
	}
	r.paper.titles[0], r.paper.body = "Tram to the harbour", strings.Replace(prose, "costs four million", "costs <five> million", 1)
	r.paper.body = strings.Replace(r.paper.body, "<five>", "&lt;five&gt;", 1)
	_, err = r.desk.Crawl(t.Context(), "harbour", newswire.CrawlOptions{})
	check(t, err)
	if r.Get(t, auth.Author, path).Want(200).Count("a[href$='/versions']") != 1 || r.Get(t, auth.Everyone, path).Want(200).Count("a[href$='/versions']") != 0 {
		t.Error("the way to the versions is not for staff alone")
	}
	for _, lang := range []string{"en", "ja"} {
		page := r.Get(t, auth.Author, path+"/versions?lang="+lang).Want(200)
		if got := page.Text("del"); got != "Tram to the hospitalfour" {
			t.Errorf("removed: %q", got)
		}
		if got := page.Text("ins"); got != "Tram to the harbour<five>" {
			t.Errorf("added: %q", got)
		}
	}
	for _, role := range []auth.Role{auth.Everyone, auth.Reader} {
		if reply := r.Get(t, role, path+"/versions"); reply.StatusCode == 200 {
			t.Errorf("%s sees versions", role)
		}
	}
}

// A site is looked at before it is saved.
func TestAddSite(t *testing.T) {
	r := open(t, "Tram to the hospital", "Bridge repair")
	page := r.Get(t, auth.Operator, "/office/newswire/add").Want(200)
	if page.Count("button[value=save]") != 0 || page.Count("button[value=look]") != 1 {
		t.Error("a site can be saved before it was looked at")
	}
	// Saving without having looked only looks.
	page = r.Post(t, auth.Operator, "/office/newswire/add", r.form("do", "save")).Want(200)
	if sites, err := r.desk.Sites(t.Context(), ""); err != nil || len(sites) != 0 {
		t.Fatalf("saved unseen: %v, %v", sites, err)
	}
	// What was looked at can be saved where it is shown, above the long form.
	if page.Attr(".wire-preview button[value=save]", "form") != "site" || page.Count("form#site") != 1 {
		t.Error("the preview has no button that saves the site")
	}
	text := page.Text(".wire-preview")
	for _, want := range []string{"The Harbour Paper", "allowed /", "forbidden /secret", "links within the allowed paths"} {
		if !strings.Contains(text, want) {
			t.Errorf("the preview lacks %q: %s", want, text)
		}
	}
	if page.Count(".wire-sample h4") != 1 || page.Attr("textarea[name=crawlWindows]", "name") == "" {
		t.Errorf("no article: %s", text)
	}
	seen := page.Attr("input[name=seen]", "value")
	// After another address, it is looked at again.
	page = r.Post(t, auth.Operator, "/office/newswire/add", r.form("do", "save", "seen", seen, "allowedPaths", "/news")).Want(200)
	if page.Count(".notice.note") != 1 {
		t.Error("it is not said why nothing was saved")
	}
	r.Post(t, auth.Operator, "/office/newswire/add", r.form("do", "save", "seen", seen)).Want(303)
	s, err := r.desk.GetSite(t.Context(), "harbour")
	if check(t, err); len(s.CrawlWindows) != 2 || s.CrawlWindows[1].Start != "22:00" || s.Timezone != "Asia/Tokyo" {
		t.Errorf("saved: %+v", s)
	}
	r.Post(t, auth.Operator, "/office/newswire/add", r.form("do", "save", "seen", seen)).Want(409)

	wrong := r.Post(t, auth.Operator, "/office/newswire/add?lang=ja", r.form("siteId", "No", "crawlWindows", "6-7", "allowedPaths", "/\nnews", "requestIntervalMs", "soon", "timezone", "Mars")).Want(422)
	for _, field := range []string{"siteId", "crawlWindows", "allowedPaths", "requestIntervalMs", "timezone"} {
		if message := wrong.Text("#" + field + "-error"); message == "" || !strings.ContainsFunc(message, func(r rune) bool { return r > 0x3000 }) {
			t.Errorf("%s: %q is not said in Japanese", field, message)
		}
	}
	r.Post(t, auth.Operator, "/office/newswire/add", r.form("baseUrl", "http://169.254.169.254/latest")).Want(422)
}

func TestOffice(t *testing.T) {
	r := open(t, "Tram to the hospital", "Bridge repair")
	for _, path := range []string{"", "/runs", "/retries", "/backlog"} {
		for _, lang := range []string{"en", "ja"} {
			if n := r.Get(t, auth.Operator, "/office/newswire"+path+"?lang="+lang).Want(200).Count(".empty"); n != 1 {
				t.Errorf("%s: %d empty states", path, n)
			}
		}
	}
	run := r.crawl(t)
	for _, path := range []string{"", "/runs", "/runs?status=partial", "/runs?site=harbour", "/retries", "/retries?kind=fetch", "/backlog?status=summarized"} {
		page := r.Get(t, auth.Operator, "/office/newswire"+path).Want(200)
		if page.Count("tbody tr") == 0 || page.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %d rows, %s", path, page.Count("tbody tr"), page.Header.Get("Cache-Control"))
		}
	}
	for _, path := range []string{"/runs?status=x", "/retries?kind=x", "/backlog?status=x"} {
		r.Get(t, auth.Operator, "/office/newswire"+path).Want(422)
	}
	page := r.Get(t, auth.Operator, "/office/newswire/runs/"+run.RunID).Want(200)
	if !strings.Contains(page.Text("#progress"), "Partial") || page.Count(".wire-log tbody tr") < 5 || page.Attr("#progress", "hx-get") != "" {
		t.Errorf("run: %s", page.Text("main"))
	}
	if problems := r.Get(t, auth.Operator, "/office/newswire/runs/"+run.RunID+"?log=problems").Want(200); problems.Count(".wire-log tbody tr") != 1 {
		t.Errorf("%d problems", problems.Count(".wire-log tbody tr"))
	}
	if log := r.Get(t, auth.Operator, "/office/newswire/runs/"+run.RunID+"/log").Want(200); !strings.HasPrefix(log.Body, `{"time"`) {
		t.Errorf("log: %s", log.Body)
	}
	r.Get(t, auth.Operator, "/office/newswire/runs/nobody").Want(404)

	retries, err := r.desk.RetryBacklog(t.Context(), "", newswire.PageOptions{})
	if check(t, err); len(retries.Items) != 1 {
		t.Fatalf("retries: %+v", retries)
	}
	retry := "/office/newswire/retries/fetch/" + retries.Items[0].ArticleID
	r.Post(t, auth.Operator, retry+"/requeue", nil).Want(303)
	if due := r.Get(t, auth.Operator, "/office/newswire/retries"); !strings.Contains(due.Text("tbody"), "due now") {
		t.Errorf("requeued: %s", due.Text("tbody"))
	}
	r.Post(t, auth.Operator, retry+"/drop", nil).Want(303)
	r.Post(t, auth.Operator, retry+"/drop", nil).Want(303) // it is gone, which was wanted
	if r.Get(t, auth.Operator, "/office/newswire/retries").Count(".empty") != 1 {
		t.Error("the retry is still there")
	}

	site := "/office/newswire/sites/harbour"
	version := r.Get(t, auth.Operator, site).Want(200).Attr("input[name=version]", "value")
	r.Post(t, auth.Operator, site, r.form("do", "save", "version", version, "name", "Renamed")).Want(303)
	if stale := r.Post(t, auth.Operator, site, r.form("do", "save", "version", version, "name", "Mine")).Want(412); stale.Attr("#name", "value") != "Mine" {
		t.Error("what was typed is lost")
	}
	r.Post(t, auth.Operator, site+"/pause", url.Values{"paused": {"true"}}).Want(303)
	if list := r.Get(t, auth.Operator, "/office/newswire"); !strings.Contains(list.Text("tbody"), "Paused") || !strings.Contains(list.Text("tbody"), "Renamed") {
		t.Errorf("sites: %s", list.Text("tbody"))
	}
	r.Post(t, auth.Operator, site+"/delete", nil).Want(422)
	r.Post(t, auth.Operator, site+"/delete", url.Values{"sure": {"true"}}).Want(303)
	r.Get(t, auth.Operator, site).Want(404)
}

// What cannot be put on record is not done.
func TestRecord(t *testing.T) {
	r := open(t, "Tram to the hospital")
	r.crawl(t)
	retries, err := r.desk.RetryBacklog(t.Context(), "", newswire.PageOptions{})
	check(t, err)
	r.full = io.ErrShortWrite
	site, retry := "/office/newswire/sites/harbour", "/office/newswire/retries/fetch/"+retries.Items[0].ArticleID
	look := r.Post(t, auth.Operator, "/office/newswire/add", r.form("siteId", "other", "do", "look")).Want(200)
	r.Post(t, auth.Operator, "/office/newswire/add", r.form("siteId", "other", "do", "save", "seen", look.Attr("input[name=seen]", "value"))).Want(500)
	r.Post(t, auth.Operator, site, r.form("do", "save", "version", "1")).Want(500)
	r.Post(t, auth.Operator, site+"/pause", url.Values{"paused": {"true"}}).Want(500)
	r.Post(t, auth.Operator, site+"/delete", url.Values{"sure": {"true"}}).Want(500)
	r.Post(t, auth.Operator, site+"/crawl", nil).Want(500)
	r.Post(t, auth.Operator, retry+"/requeue", nil).Want(500)
	r.Post(t, auth.Operator, retry+"/drop", nil).Want(500)
	if len(r.notes) != 7 {
		t.Errorf("asked to record %q", r.notes)
	}
	sites, err := r.desk.Sites(t.Context(), "")
	if check(t, err); len(sites) != 1 || sites[0].Version != 1 {
		t.Errorf("sites: %+v", sites)
	}
	if after, err := r.desk.RetryBacklog(t.Context(), "", newswire.PageOptions{}); err != nil || len(after.Items) != 1 || after.Items[0].AttemptCount != 1 {
		t.Errorf("retries: %+v, %v", after, err)
	}
}

// A crawl by hand shows how far it is, to htmx and to those who reload.
func TestCrawlNow(t *testing.T) {
	r := open(t, "Tram to the hospital")
	r.paper.gate = make(chan struct{})
	s := newswire.Site{SiteID: "harbour", Name: "Harbour", Category: "news", BaseURL: r.paper.URL + "/"}
	check(t, r.desk.CreateSite(t.Context(), &s))
	started := r.Post(t, auth.Operator, "/office/newswire/sites/harbour/crawl", nil).Want(303)
	path := started.Header.Get("Location")
	live := r.Get(t, auth.Operator, path).Want(200)
	if live.Attr("#progress", "hx-get") != path || live.Count("progress") != 1 || live.Count("noscript") != 1 {
		t.Errorf("a run under way: %s", live.Text("#progress"))
	}
	// A second click leads to the same run.
	if again := r.Post(t, auth.Operator, "/office/newswire/sites/harbour/crawl", nil).Want(303); again.Header.Get("Location") != path {
		t.Errorf("a second run: %s", again.Header.Get("Location"))
	}
	ask := func() *webtest.Reply {
		req := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		req.Header.Set("HX-Request", "true")
		return r.Do(t, auth.Operator, req).Want(200)
	}
	if part := ask(); part.Header.Get("HX-Refresh") != "" || strings.Contains(part.Body, "<main") || part.Count("#progress") != 1 {
		t.Errorf("htmx gets %s", part.Body)
	}
	close(r.paper.gate)
	eventually(t, "htmx is told to load the page of the run that ended", func() bool { return ask().Header.Get("HX-Refresh") == "true" })
}

// Whatever others write is text.
func TestHostileTexts(t *testing.T) {
	corpus := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'"><svg/onload=alert(1)>`, `{{.Data}} ${7*7}`,
		`</title><script>alert(1)</script>`, `javascript:alert(1)`, "<!--", `&lt;b&gt;`, "a\u202eb", `]]><x>`,
	}
	r := open(t, corpus...)
	r.paper.body = strings.ReplaceAll(prose, "The mayor", html.EscapeString(strings.Join(corpus, " "))+" The mayor")
	run := r.crawl(t)
	feed, err := r.desk.Feed(t.Context(), newswire.PageOptions{Limit: 50})
	check(t, err)
	if len(feed.Items) < len(corpus)-2 {
		t.Fatalf("only %d articles of %d", len(feed.Items), len(corpus))
	}
	paths := []string{
		"/newswire", "/newswire/sites/harbour", "/", "/office/newswire", "/office/newswire/runs", "/office/newswire/runs/" + run.RunID,
		"/office/newswire/retries", "/office/newswire/backlog?status=summarized", "/newswire/feed.atom", "/newswire/feed.json",
		"/newswire/topics/" + url.PathEscape(corpus[0]), "/office/newswire/runs?site=" + url.QueryEscape(corpus[1]),
	}
	for _, a := range feed.Items {
		_, err := r.desk.SetTopics(t.Context(), a.ArticleID, 0, []string{corpus[0], corpus[1]})
		check(t, err)
		paths = append(paths, "/newswire/articles/"+a.ArticleID)
	}
	harmless := func(path string, page *webtest.Reply) {
		t.Helper()
		if n := page.Count("main script, main img, main svg, main [onerror], main [onload], main a[href^='javascript']"); n != 0 {
			t.Errorf("%s holds %d hostile elements", path, n)
		}
		if strings.Contains(page.Body, "<script>alert") && !strings.HasSuffix(path, ".json") {
			t.Errorf("%s holds a script", path)
		}
	}
	for _, path := range paths {
		harmless(path, r.Get(t, auth.Operator, path).Want(200))
	}
	for _, text := range corpus {
		form := r.form("do", "look")
		for name := range form {
			if name != "do" {
				form.Set(name, text)
			}
		}
		harmless("the form", r.Post(t, auth.Operator, "/office/newswire/add", form).Want(422))
	}
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	r := open(t)
	table := map[string]auth.Role{
		"GET /newswire/articles/{id}":                       auth.Everyone,
		"GET /newswire/articles/{id}/pictures/{width}":      auth.Everyone,
		"GET /newswire/articles/{id}/versions":              auth.Author,
		"POST /newswire/articles/{id}/topics":               auth.Moderator,
		"GET /office/newswire":                              auth.Operator,
		"GET /office/newswire/add":                          auth.Operator,
		"POST /office/newswire/add":                         auth.Operator,
		"GET /office/newswire/sites/{site}":                 auth.Operator,
		"POST /office/newswire/sites/{site}":                auth.Operator,
		"POST /office/newswire/sites/{site}/pause":          auth.Operator,
		"POST /office/newswire/sites/{site}/delete":         auth.Operator,
		"POST /office/newswire/sites/{site}/crawl":          auth.Operator,
		"GET /office/newswire/runs":                         auth.Operator,
		"GET /office/newswire/runs/{run}":                   auth.Operator,
		"GET /office/newswire/runs/{run}/log":               auth.Operator,
		"GET /office/newswire/retries":                      auth.Operator,
		"POST /office/newswire/retries/{kind}/{id}/requeue": auth.Operator,
		"POST /office/newswire/retries/{kind}/{id}/drop":    auth.Operator,
		"GET /office/newswire/backlog":                      auth.Operator,
		"POST /office/newswire/backlog/{id}/requeue":        auth.Operator,
	}
	for _, list := range []string{"/newswire", "/newswire/sites/{site}", "/newswire/categories/{category}", "/newswire/topics/{topic}"} {
		for _, ending := range []string{"", "/feed.atom", "/feed.json"} {
			table["GET "+list+ending] = auth.Everyone
		}
	}
	for _, route := range r.Mux.Routes() {
		if !strings.Contains(route.Pattern, "/newswire") {
			table[route.Pattern] = route.Access // the shell's own
		}
	}
	fronttest.Matrix(t, r.Mux, table)
}
