package web_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"pressroom/internal/auth"
	"pressroom/internal/web/webtest"
)

const (
	secret  = "correct horse battery staple"
	another = "another horse battery staple"
)

// browser is a client with cookies, without JavaScript.
type browser struct {
	t      *testing.T
	http   *http.Client
	base   string
	doc    *goquery.Document
	path   string
	code   int
	header http.Header
}

func newBrowser(t *testing.T, s *webtest.Site) *browser {
	t.Helper()
	server := httptest.NewServer(s.Mux)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, http: &http.Client{Jar: jar}, base: server.URL}
}

func (b *browser) get(path string) *browser {
	b.t.Helper()
	resp, err := b.http.Get(b.base + path)
	return b.read(resp, err)
}

// post sends the form at a path with its hidden fields as the page has them.
func (b *browser) post(action string, pairs ...string) *browser {
	b.t.Helper()
	form := url.Values{}
	if b.doc != nil {
		b.doc.Find("form[action='" + action + "'] input[type=hidden]").Each(func(_ int, e *goquery.Selection) {
			form.Set(e.AttrOr("name", ""), e.AttrOr("value", ""))
		})
	}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	resp, err := b.http.PostForm(b.base+action, form)
	return b.read(resp, err)
}

func (b *browser) read(resp *http.Response, err error) *browser {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	if b.doc, err = goquery.NewDocumentFromReader(resp.Body); err != nil {
		b.t.Fatal(err)
	}
	b.path, b.code, b.header = resp.Request.URL.RequestURI(), resp.StatusCode, resp.Header
	return b
}

func (b *browser) text(selector string) string {
	return strings.Join(strings.Fields(b.doc.Find(selector).Text()), " ")
}

func (b *browser) at(path string, code int) *browser {
	b.t.Helper()
	if b.path != path || b.code != code {
		b.t.Fatalf("at %s with %d, want %s with %d: %s", b.path, b.code, path, code, b.text("main"))
	}
	return b
}

// setUp makes the first operator through the pages.
func setUp(t *testing.T, s *webtest.Site) *browser {
	t.Helper()
	token, needed, err := s.Auth.SetupToken(t.Context())
	if err != nil || !needed {
		t.Fatalf("SetupToken: %v, needed %v", err, needed)
	}
	b := newBrowser(t, s)
	b.get("/setup?token="+url.QueryEscape(token)).at("/setup?token="+url.QueryEscape(token), 200)
	b.post("/setup", "name", "ann", "password", secret, "again", secret).at("/office", 200)
	return b
}

func TestSetup(t *testing.T) {
	s := webtest.Open(t)
	token, _, err := s.Auth.SetupToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s)
	b.get("/setup").at("/setup", 404)
	b.get("/setup?token=wrong").at("/setup?token=wrong", 404)
	b.get("/setup?token=" + url.QueryEscape(token))
	b.post("/setup", "name", "ann", "password", secret, "again", another).at("/setup", 422)
	if b.text("#again-error") != "is not the same password" || b.doc.Find("#name").AttrOr("value", "") != "ann" {
		t.Errorf("the form says %q", b.text("main"))
	}
	b.post("/setup", "name", "ann", "password", "short", "again", "short").at("/setup", 422)
	if b.text("#password-error") == "" || b.doc.Find("#password").AttrOr("value", "") != "" {
		t.Errorf("the form says %q", b.text("main"))
	}
	b.post("/setup", "name", "ann", "password", secret, "again", secret).at("/office", 200)
	if b.text(".flash") != "Welcome, ann. The newsroom is yours." || !strings.Contains(b.text(".facts"), "ann") {
		t.Errorf("after set-up: %q", b.text(".facts"))
	}
	b.get("/setup?token="+url.QueryEscape(token)).at("/setup?token="+url.QueryEscape(token), 404)
}

func TestSignInAndOut(t *testing.T) {
	s := webtest.Open(t)
	setUp(t, s)
	b := newBrowser(t, s)
	b.get("/account").at("/sign-in?return=%2Faccount", 200)
	b.post("/sign-in", "name", "ann", "password", another).at("/sign-in", 401)
	wrong := b.text("[role=alert]")
	b.post("/sign-in", "name", "nobody", "password", another).at("/sign-in", 401)
	if b.text("[role=alert]") != wrong || wrong == "" {
		t.Errorf("a wrong name says %q, a wrong password %q", b.text("[role=alert]"), wrong)
	}
	b.post("/sign-in", "name", "ann", "password", secret, "return", "/account").at("/account", 200)
	if b.text(".badge.good") != "this one" {
		t.Errorf("sessions: %q", b.text("table"))
	}
	b.get("/sign-in?return=/styleguide").at("/styleguide", 200)
	// Language and theme are the account's: they come along to another browser.
	b.post("/preferences", "lang", "ja", "return", "/account").at("/account", 200)
	b.post("/preferences", "theme", "dark", "return", "/account").at("/account", 200)
	other := newBrowser(t, s)
	other.get("/sign-in").post("/sign-in", "name", "ann", "password", secret).at("/", 200)
	if lang := other.doc.Find("html").AttrOr("lang", ""); lang != "ja" {
		t.Errorf("the other browser reads %s", lang)
	}
	if theme := other.doc.Find("html").AttrOr("data-theme", ""); theme != "dark" {
		t.Errorf("the other browser shows %q", theme)
	}
	other.post("/preferences", "theme", "light", "return", "/account").at("/account", 200)
	if b.get("/account"); b.doc.Find("html").AttrOr("data-theme", "") != "light" {
		t.Error("the first browser does not follow the account's theme")
	}
	b.post("/preferences", "lang", "en", "return", "/account").at("/account", 200)
	b.post("/sign-out").at("/", 200)
	if b.text(".flash") != "You are signed out." {
		t.Errorf("after sign-out: %q", b.text("main"))
	}
	b.get("/account").at("/sign-in?return=%2Faccount", 200)
}

// A guesser at the owner's own address is told how long to wait, in both
// languages, and does not keep the owner's browser out.
func TestGuessing(t *testing.T) {
	s := webtest.Open(t)
	owner := setUp(t, s)
	owner.get("/").post("/sign-out").at("/", 200)
	guesser := newBrowser(t, s)
	for tries := 0; guesser.code != http.StatusTooManyRequests; tries++ {
		if tries > 40 {
			t.Fatal("nobody stops the guesser")
		}
		guesser.post("/sign-in", "name", "ann", "password", another)
	}
	if after, err := strconv.Atoi(guesser.header.Get("Retry-After")); err != nil || after < 1 {
		t.Errorf("Retry-After is %q", guesser.header.Get("Retry-After"))
	}
	for lang, want := range map[string]string{"en": "You can try again in", "ja": "もう一度お試しいただけます。"} {
		guesser.post("/sign-in?lang="+lang, "name", "ann", "password", another).at("/sign-in?lang="+lang, 429)
		if text := guesser.text("[role=alert]"); !strings.Contains(text, want) || lang == "ja" && strings.Contains(text, "Too many") {
			t.Errorf("the guesser reads %q", text)
		}
	}
	for tries := 0; tries < 40; tries++ {
		guesser.post("/sign-in", "name", "name"+strconv.Itoa(tries), "password", another)
	}
	owner.get("/sign-in").post("/sign-in", "name", "ann", "password", secret).at("/", 200)
}

func TestAccount(t *testing.T) {
	s := webtest.Open(t)
	b := setUp(t, s)
	b.get("/account")
	b.post("/account/tokens", "token_name", "robot", "scope", "read", "lasting", "30").at("/account/tokens", 200)
	token := b.text(".notice code")
	if !strings.HasPrefix(token, "prt_") {
		t.Fatalf("token is %q", token)
	}
	b.get("/account")
	if strings.Contains(b.text("main"), token) || !strings.Contains(b.text("main"), "robot") {
		t.Error("the token is shown again, or not listed")
	}
	b.post("/account/tokens", "token_name", "", "scope", "read").at("/account/tokens", 422)
	if b.text("#token_name-error") == "" {
		t.Errorf("an empty name says %q", b.text("main"))
	}
	b.get("/account")
	b.post("/account/tokens/revoke").at("/account", 200)
	if strings.Contains(b.text("#h-tokens ~ form strong"), "robot") {
		t.Error("the token is still there")
	}
	b.post("/account/password", "old", another, "password", another, "again", another).at("/account/password", 422)
	if b.text("#old-error") == "" {
		t.Errorf("a wrong password says %q", b.text("main"))
	}
	b.get("/account")
	b.post("/account/tokens", "token_name", "reader", "scope", "read", "lasting", "30").at("/account/tokens", 200)
	b.post("/account/password", "old", secret, "password", another, "again", another)
	if b.code != 200 {
		t.Fatalf("changing the password answers %d: %s", b.code, b.text("main"))
	}
	fresh := newBrowser(t, s)
	fresh.get("/sign-in").post("/sign-in", "name", "ann", "password", another).at("/", 200)
	if fresh.get("/account"); strings.Contains(fresh.text("#h-tokens ~ form strong"), "reader") {
		t.Error("a token outlives the password")
	}
	fresh.post("/account/sessions/revoke", "session", "all").at("/sign-in?return=%2Faccount", 200)
}

func TestUsers(t *testing.T) {
	s := webtest.Open(t)
	b := setUp(t, s)
	b.get("/office/users").at("/office/users", 200)
	b.post("/office/users", "name", "bob", "password", secret, "role", "author").at("/office/users", 200)
	if b.text(".flash") != "bob is added." {
		t.Errorf("says %q", b.text(".flash"))
	}
	b.post("/office/users", "name", "bob", "password", secret, "role", "author").at("/office/users", 409)
	b.post("/office/users", "name", "eve", "password", secret, "role", "everyone").at("/office/users", 422)
	bob, err := s.Auth.Named(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	b.post("/office/users/"+bob.ID+"/role", "role", "moderator").at("/office/users", 200)
	b.post("/office/users/"+bob.ID+"/disabled", "disabled", "true").at("/office/users", 200)
	if bob, err = s.Auth.Named(t.Context(), "bob"); err != nil || bob.Role != auth.Moderator || !bob.Disabled {
		t.Errorf("bob is %+v, %v", bob, err)
	}
	set := "/office/users/" + bob.ID + "/password"
	if b.doc.Find(`form[action="`+set+`"] input[type=password]`).Length() != 1 {
		t.Error("there is no form for a new password")
	}
	b.post(set, "password", "short").at(set, 422)
	if b.text("tr #password-error") == "" || b.doc.Find("details[open] #password").Length() != 1 || b.text("aside .wrong") != "" {
		t.Errorf("a short password says %q", b.text("main"))
	}
	b.post(set, "password", another).at("/office/users", 200)
	b.post("/office/users/"+bob.ID+"/disabled", "disabled", "false").at("/office/users", 200)
	fresh := newBrowser(t, s)
	fresh.get("/sign-in").post("/sign-in", "name", "bob", "password", another).at("/", 200)
	b.post("/office/users/01NOBODY/role", "role", "author").at("/office/users/01NOBODY/role", 404)
	ann, err := s.Auth.Named(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	// The last operator stays one.
	b.post("/office/users/"+ann.ID+"/role", "role", "reader").at("/office/users/"+ann.ID+"/role", 409)
}

// An invitation makes one account of its role, and ends with the standing of who made it.
func TestInvitation(t *testing.T) {
	s := webtest.Open(t)
	b := setUp(t, s)
	invite := func(role string) string {
		t.Helper()
		b.get("/office/users").post("/office/users/invite", "role", role).at("/office/users/invite", 200)
		link, err := url.Parse(b.doc.Find(".notice input").AttrOr("value", ""))
		if err != nil || link.Path != "/invited" || link.Host == "" {
			t.Fatalf("the link is %v, %v", link, err)
		}
		return link.RequestURI()
	}
	link := invite("author")
	token := strings.TrimPrefix(link, "/invited?token=")
	guest := newBrowser(t, s)
	guest.get(link).at(link, 200)
	if text := guest.text("main"); !strings.Contains(text, "Author") {
		t.Errorf("the page says %q", text)
	}
	answer := func(g *browser, name, password string) *browser {
		return g.post("/invited", "token", token, "name", name, "email", "", "password", password, "again", password, "role", "operator")
	}
	answer(guest, "ann", secret).at("/invited", 422) // whose name is taken
	answer(guest, "bob", "short").at("/invited", 422)
	answer(guest, "bob", secret).at("/office", 200)
	if bob, err := s.Auth.Named(t.Context(), "bob"); err != nil || bob.Role != auth.Author {
		t.Errorf("bob is %+v, %v", bob, err)
	}
	guest.get(link).at(link, 404)
	answer(newBrowser(t, s), "eve", secret).at("/invited", 404)

	// Who is no operator any more has invited nobody.
	link = invite("operator")
	token = strings.TrimPrefix(link, "/invited?token=")
	other := newBrowser(t, s)
	answer(other.get(link), "cat", secret).at("/office", 200)
	link = invite("operator")
	token = strings.TrimPrefix(link, "/invited?token=")
	ann, err := s.Auth.Named(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Auth.SetRole(t.Context(), ann.ID, auth.Author); err != nil {
		t.Fatal(err)
	}
	newBrowser(t, s).get(link).at(link, 404)
	answer(newBrowser(t, s), "eve", secret).at("/invited", 404)
}
