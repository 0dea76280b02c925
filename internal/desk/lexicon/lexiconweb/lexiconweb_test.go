package lexiconweb_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconweb"
	"pressroom/internal/errs"
	"pressroom/internal/front/fronttest"
	"pressroom/internal/web/webtest"
)

// paper is a site with the lexicon in it.
type paper struct {
	*webtest.Site
	t    *testing.T
	desk *lexicon.Desk
	mu   sync.Mutex
	now  time.Time
}

func (p *paper) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *paper) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// empty opens a site whose lexicon has no terms.
func empty(t *testing.T) *paper {
	t.Helper()
	p := &paper{Site: webtest.Open(t, lexicon.Schema), t: t, now: webtest.Now}
	var err error
	p.desk, err = lexicon.New(p.DB, nil, &lexicon.Options{Stories: p.Stories.Stories, Now: p.clock, Log: slog.New(slog.DiscardHandler)})
	check(t, err)
	check(t, lexiconweb.Register(p.Site.Site, p.desk, p.Auth))
	return p
}

// open opens a site with the starter lexicon, where readers may propose.
func open(t *testing.T) *paper {
	t.Helper()
	p := empty(t)
	_, _, err := p.desk.Init(t.Context(), lexicon.ImportOptions{})
	check(t, err)
	p.premium(id(auth.Reader))
	return p
}

func id(role auth.Role) string { return webtest.As(role).ID }

func (p *paper) premium(userID string) {
	p.t.Helper()
	_, err := p.desk.Member(p.t.Context(), userID, "")
	check(p.t, err)
	_, err = p.desk.SetTier(p.t.Context(), userID, lexicon.Premium)
	check(p.t, err)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// propose makes a proposal that waits for a moderator.
func (p *paper) propose(userID, term string) lexicon.Submission {
	p.t.Helper()
	s, err := p.desk.Submit(p.t.Context(), userID, lexicon.Draft{Term: term, Meaning: "what " + term + " means", Example: "that is so " + term, Context: "chat"})
	check(p.t, err)
	_, err = p.desk.Validate(p.t.Context(), 10)
	check(p.t, err)
	s, err = p.desk.Submission(p.t.Context(), s.ID)
	check(p.t, err)
	return s
}

func TestEmpty(t *testing.T) {
	p := empty(t)
	for _, lang := range []string{"en", "ja"} {
		for _, path := range []string{"/lexicon", "/lexicon/quiz", "/lexicon/trending", "/lexicon/translate", "/lexicon/terms?q=rizz", "/lexicon/proposals", "/lexicon/proposals/mine", "/lexicon/translations", "/lexicon/moderation", "/lexicon/users"} {
			mark := "?"
			if strings.Contains(path, "?") {
				mark = "&"
			}
			r := p.Get(t, auth.Operator, path+mark+"lang="+lang).Want(200)
			if path != "/lexicon/users" && path != "/lexicon/translate" && r.Count(".empty") != 1 {
				t.Errorf("%s %s does not say that it is empty", lang, path)
			}
		}
	}
	// Operators fill it with a click, while it is served.
	if p.Get(t, auth.Everyone, "/lexicon").Want(200).Count(".empty form") != 0 {
		t.Error("readers are offered the starter lexicon")
	}
	action := p.Get(t, auth.Operator, "/lexicon").Want(200).Attr(".empty form", "action")
	p.Post(t, auth.Operator, action, nil).Want(303)
	if p.Get(t, auth.Everyone, "/lexicon").Want(200).Count(".empty") != 0 {
		t.Error("the starter lexicon is not there")
	}
	p.Post(t, auth.Operator, action, nil).Want(303) // does nothing
	p.Get(t, auth.Everyone, "/lexicon/feed.atom").Want(200)
}

func TestTerms(t *testing.T) {
	p := open(t)
	home := p.Get(t, auth.Everyone, "/lexicon").Want(200)
	if home.Count(".letters a") < 20 || home.Count(".glossary dt a") != 8 || home.Attr(`link[type="application/atom+xml"]`, "href") != "/lexicon/feed.atom" {
		t.Errorf("home has %d letters, %d terms", home.Count(".letters a"), home.Count(".glossary dt a"))
	}
	p.Get(t, auth.Everyone, "/lexicon?lang=ja").Want(200)

	// Case and width make no difference.
	for _, q := range []string{"rizz", "RIZZ", "ｒｉｚｚ"} {
		if r := p.Get(t, auth.Everyone, "/lexicon/terms?q="+url.QueryEscape(q)).Want(303); r.Header.Get("Location") != "/lexicon/terms/rizz" {
			t.Errorf("%s leads to %s", q, r.Header.Get("Location"))
		}
	}
	none := p.Get(t, auth.Everyone, "/lexicon/terms?q=such+rizz+words").Want(200)
	if none.Attr(".empty a", "href") != "/lexicon/propose?term=such&#43;rizz&#43;words" && none.Attr(".empty a", "href") != "/lexicon/propose?term=such+rizz+words" {
		t.Errorf("nothing found: %s", none.Attr(".empty a", "href"))
	}
	if none.Text(".glossary dt") != "rizz" {
		t.Errorf("terms inside: %q", none.Text(".glossary dt"))
	}
	p.Get(t, auth.Everyone, "/lexicon/terms?q="+strings.Repeat("x", 10000)).Want(422)

	entry := p.Get(t, auth.Everyone, "/lexicon/terms/rizz").Want(200)
	term, err := p.desk.Term(t.Context(), "rizz")
	check(t, err)
	if entry.Text("h1") != "rizz" || entry.Text(".sense") == "" || entry.Count(".examples li") != len(term.Examples) || entry.Count("aside .glossary dt") != 8 {
		t.Errorf("entry: %s", entry.Text("main"))
	}
	if entry.Attr(`meta[property="og:title"]`, "content") != "rizz" || entry.Count(`link[hreflang="ja"]`) != 1 {
		t.Error("entry has no link preview")
	}
	tag := entry.Header.Get("ETag")
	again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/lexicon/terms/rizz", nil)
	again.Header.Set("If-None-Match", tag)
	p.Do(t, auth.Everyone, again).Want(304)
	p.Get(t, auth.Everyone, "/lexicon/terms/nothing").Want(404)
}

func TestBrowse(t *testing.T) {
	p := open(t)
	book, err := p.desk.Book(t.Context())
	check(t, err)
	p.Followed(t, "lexicon", "/lexicon/terms/rizz", "term")
	p.Followed(t, "lexicon", "/lexicon/browse/category/"+url.PathEscape(book.Facets(lexicon.ByCategory)[0].Value), "topic")
	for _, facet := range []string{lexicon.ByTag, lexicon.ByCategory, lexicon.ByRegion, lexicon.ByInitial} {
		for i, f := range book.Facets(facet) {
			if i > 3 && facet != lexicon.ByInitial {
				break
			}
			path := "/lexicon/browse/" + facet + "/" + url.PathEscape(f.Value)
			if n := p.Get(t, auth.Everyone, path).Want(200).Count("#terms dt"); n != min(f.Terms, 24) {
				t.Errorf("%s has %d terms, not %d", path, n, f.Terms)
			}
			if body := p.Get(t, auth.Everyone, path+"/feed.atom").Want(200).Body; strings.Count(body, "<entry") != min(f.Terms, 50) {
				t.Errorf("the feed of %s has %d entries, not %d", path, strings.Count(body, "<entry"), f.Terms)
			}
		}
	}
	p.Get(t, auth.Everyone, "/lexicon/browse/tag/nothing").Want(200)
	p.Get(t, auth.Everyone, "/lexicon/browse/colour/red").Want(422)
	p.Get(t, auth.Everyone, "/lexicon/browse/tag/x?cursor=forged").Want(400)
	p.Get(t, auth.Everyone, "/lexicon/browse/tag/x/feed.json").Want(200)
}

// What readers look up is trending the day after, on every list and feed.
func TestTrending(t *testing.T) {
	p := open(t)
	for range 5 {
		p.Get(t, auth.Everyone, "/lexicon/terms?q=rizz")
	}
	check(t, p.desk.FlushCounts(t.Context()))
	p.pass(24 * time.Hour)
	_, err := p.desk.RunTrends(t.Context())
	check(t, err)
	list := p.Get(t, auth.Everyone, "/lexicon/trending").Want(200)
	if list.Count(".ranking li") != 1 || list.Text(".ranking li > a") != "rizz" {
		t.Fatalf("trending: %s", list.Text(".ranking"))
	}
	category := list.Attr(".ranking p a", "href")
	if p.Get(t, auth.Everyone, category).Want(200).Count(".ranking li") != 1 || p.Get(t, auth.Everyone, "/lexicon/trending/nothing").Want(200).Count(".empty") != 1 {
		t.Errorf("trending in %s", category)
	}
	for _, feed := range []string{"/lexicon/trending/feed.atom", category + "/feed.json"} {
		if !strings.Contains(p.Get(t, auth.Everyone, feed).Want(200).Body, "rizz") {
			t.Errorf("%s does not have it", feed)
		}
	}
	if !strings.Contains(p.Get(t, auth.Everyone, "/").Want(200).Text("main"), "rizz") || p.Get(t, auth.Everyone, "/lexicon/terms/rizz").Text("aside .facing dd:nth-of-type(2)") != "5" {
		t.Error("the front page or the entry do not show the trend")
	}
	if !strings.Contains(p.Get(t, auth.Everyone, "/sitemaps/lexicon/2026-11.xml").Want(200).Body, "/lexicon/terms/rizz") {
		t.Error("the sitemap does not have the term")
	}
}

// Texts of other desks explain the lexicon's terms in place.
func TestExplains(t *testing.T) {
	p := open(t)
	html := string(p.desk.Explain(t.Context(), "ja", "<p>so much rizz here</p>"))
	if !strings.Contains(html, `<a href="/lexicon/terms/rizz"`) || !strings.Contains(html, `class="gloss"`) {
		t.Errorf("explained: %s", html)
	}
}

func TestAccess(t *testing.T) {
	p := empty(t)
	table := map[string]auth.Role{}
	for _, r := range p.Mux.Routes() {
		if !strings.Contains(r.Pattern, " /lexicon") {
			table[r.Pattern] = r.Access // the shell's own
		}
	}
	for role, patterns := range map[auth.Role]string{
		auth.Everyone: `GET |GET /feed.atom|GET /feed.json|GET /terms|GET /terms/{slug}|GET /browse/{facet}/{value}|GET /browse/{facet}/{value}/feed.atom|GET /browse/{facet}/{value}/feed.json|` +
			`GET /trending|GET /trending/feed.atom|GET /trending/feed.json|GET /trending/{category}|GET /trending/{category}/feed.atom|GET /trending/{category}/feed.json|GET /quiz|POST /quiz|GET /quiz/{id}|POST /quiz/{id}|GET /quiz/{id}/result|GET /translate|POST /translate`,
		auth.Reader: `GET /propose|POST /propose|GET /proposals|GET /proposals/mine|GET /proposals/{id}|POST /proposals/{id}/vote|POST /proposals/{id}/unvote|` +
			`GET /translations|POST /translations/delete|POST /translations/{id}/delete|GET /me|POST /me/delete`,
		auth.Moderator: `GET /moderation|GET /moderation/{id}|POST /moderation/{id}/approve|POST /moderation/{id}/edit|POST /moderation/{id}/reject|POST /moderation/{id}/undo|` +
			`GET /write|POST /write|GET /terms/{slug}/edit|POST /terms/{slug}/edit|POST /terms/{slug}/delete`,
		auth.Operator: `POST /starter|GET /users|GET /users/{id}|POST /users/{id}/tier|POST /users/{id}/status|POST /users/{id}/delete`,
	} {
		for pattern := range strings.SplitSeq(patterns, "|") {
			method, path, _ := strings.Cut(pattern, " ")
			table[method+" /lexicon"+path] = role
		}
	}
	fronttest.Matrix(t, p.Mux, table)
}

// broken is a directory of people that does not answer.
type broken struct{}

func (broken) Account(context.Context, string) (*auth.Account, error) { return nil, errs.Unavailable }
func (broken) Named(context.Context, string) (*auth.Account, error)   { return nil, errs.Unavailable }

func TestPeopleUnavailable(t *testing.T) {
	s := webtest.Open(t, lexicon.Schema)
	desk, err := lexicon.New(s.DB, nil, &lexicon.Options{Stories: s.Stories.Stories, Log: slog.New(slog.DiscardHandler)})
	check(t, err)
	check(t, lexiconweb.Register(s.Site, desk, broken{}))
	_, err = desk.Member(t.Context(), "u", "")
	check(t, err)
	s.Get(t, auth.Operator, "/lexicon/users").Want(503)
	s.Get(t, auth.Operator, "/lexicon/users?name=ann").Want(503)
}
