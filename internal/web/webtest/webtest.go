// Package webtest opens a whole site for tests: the real door, the real accounts
// and the real tables, in memory. Pages are asked for as one of the roles and read
// through CSS selectors.
//
// It promises that a text which a language lacks fails the test, that every page
// is well enough formed to have exactly one main and one h1, and that nothing is
// rate-limited.
//
// Start with [Open].
package webtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"pressroom/dynamo"
	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/internal/thread"
	"pressroom/internal/web"
	"pressroom/model"
	"pressroom/model/deploy"
)

// Now is the clock of the site in tests.
var Now = time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)

// Site is a site in memory.
type Site struct {
	*web.Site
	Mux  *front.Mux
	Auth *auth.Auth
	DB   *dynamo.DB
	// Stories are what the front page, feeds and sitemaps show.
	Stories *storytest.Stories
	// Threads are which of them belong together.
	Threads *thread.Threads

	clock atomic.Pointer[time.Time]
}

// Now is the site's clock: the variable of that name, until Clock sets it.
func (s *Site) Now() time.Time {
	if t := s.clock.Load(); t != nil {
		return *t
	}
	return Now
}

// Clock sets the site's clock.
func (s *Site) Clock(t time.Time) { s.clock.Store(&t) }

// Open returns a demo site whose tables are those of the schemas, besides those
// of accounts, stories and threads. It is closed when the test ends.
func Open(t testing.TB, schemas ...model.Schema) *Site {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	merged, err := model.Merge(append(schemas, auth.Schema, story.Schema, thread.Schema)...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range merged {
		merged[i].Buckets = nil
	}
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, merged...); err != nil {
		t.Fatal(err)
	}
	s := &Site{DB: db, Stories: storytest.On(t, db)}
	if s.Threads, err = thread.New(db, s.Stories.Stories, nil); err != nil {
		t.Fatal(err)
	}
	cheap := auth.PasswordCost{Memory: 19 << 10, Time: 2, Threads: 1}
	if s.Auth, err = auth.New(db, &auth.Options{Password: cheap}); err != nil {
		t.Fatal(err)
	}
	s.Mux = front.New(&front.Options{
		Authenticate: s.who,
		Timeout:      time.Hour, // how fast the machine is is no matter of the tests
		Fail:         func(w http.ResponseWriter, r *http.Request, err error) { s.Fail(w, r, err) },
		PerAddress:   front.Rate{PerSecond: -1},
		PerAccount:   front.Rate{PerSecond: -1},
		Log:          slog.New(slog.DiscardHandler),
	})
	s.Site, err = web.New(s.Mux, &web.Options{
		Auth: s.Auth, Demo: true, Version: "test", Track: s.DB.Track, Stories: s.Stories.Stories, Threads: s.Threads,
		Now:     s.Now,
		Missing: func(lang, key string) { t.Errorf("no %s text for %s", lang, key) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// who believes a request that was made by Do, and asks the accounts otherwise.
func (s *Site) who(w http.ResponseWriter, r *http.Request) (*auth.Account, error) {
	if account := auth.From(r.Context()); account != nil {
		return account, nil
	}
	return s.Auth.Authenticate(w, r)
}

// As returns an account of a role that was never stored; nil for Everyone.
func As(role auth.Role) *auth.Account {
	if role == auth.Everyone {
		return nil
	}
	return &auth.Account{ID: "01TEST" + strings.ToUpper(role.String()), Name: role.String(), Role: role, Local: true, Via: auth.Via{Session: "test"}}
}

// Reply is an answer, read to its end.
type Reply struct {
	*http.Response
	Body string
	Doc  *goquery.Document

	t testing.TB
}

// Get asks for a page as a role, in English unless the path says ?lang=ja.
func (s *Site) Get(t testing.TB, role auth.Role, path string) *Reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	return s.Do(t, role, r)
}

// Post sends a form from the site itself.
func (s *Site) Post(t testing.TB, role auth.Role, path string, form url.Values) *Reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return s.Do(t, role, r)
}

// Do answers a request as a role and checks what holds for every page.
func (s *Site) Do(t testing.TB, role auth.Role, r *http.Request) *Reply {
	t.Helper()
	if account := As(role); account != nil {
		r = r.WithContext(auth.With(r.Context(), account))
	}
	rec := httptest.NewRecorder()
	s.Mux.ServeHTTP(rec, r)
	reply := &Reply{Response: rec.Result(), t: t}
	body := rec.Body.Bytes()
	if reply.Header.Get("Content-Encoding") == "gzip" {
		body = unpack(t, body)
	}
	reply.Body = string(body)
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	reply.Doc = doc
	reply.check(r)
	return reply
}

func unpack(t testing.TB, body []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// check holds for every whole page.
func (r *Reply) check(req *http.Request) {
	r.t.Helper()
	if !strings.HasPrefix(r.Body, "<!doctype html>") {
		return
	}
	for _, one := range []string{"main", "h1", "title"} {
		if n := r.Count(one); n != 1 {
			r.t.Errorf("%s %s has %d %s", req.Method, req.URL, n, one)
		}
	}
	seen := map[string]bool{}
	r.Doc.Find("[id]").Each(func(_ int, e *goquery.Selection) {
		id, _ := e.Attr("id")
		if seen[id] {
			r.t.Errorf("%s %s has two elements with id %s", req.Method, req.URL, id)
		}
		seen[id] = true
	})
	// Linked data are read, not run; no policy forbids them.
	if n := r.Count("[style], style, script:not([src]):not([type='application/ld+json']), [onclick], [href^='javascript:']"); n != 0 {
		r.t.Errorf("%s %s has %d inline styles or scripts", req.Method, req.URL, n)
	}
}

// Want fails the test if the status is another.
func (r *Reply) Want(status int) *Reply {
	r.t.Helper()
	if r.StatusCode != status {
		r.t.Fatalf("%s %d, want %d\n%s", r.Header.Get("Location"), r.StatusCode, status, r.Text("main"))
	}
	return r
}

// Text returns the text of what a selector finds, spaces joined.
func (r *Reply) Text(selector string) string {
	return strings.Join(strings.Fields(r.Doc.Find(selector).Text()), " ")
}

// Count returns how many elements a selector finds.
func (r *Reply) Count(selector string) int { return r.Doc.Find(selector).Length() }

// Attr returns an attribute of the first element that a selector finds.
func (r *Reply) Attr(selector, name string) string {
	value, _ := r.Doc.Find(selector).First().Attr(name)
	return value
}

// Mapped returns what search engines are told: all sitemaps that the index names.
func (s *Site) Mapped(t testing.TB) string {
	t.Helper()
	index := s.Get(t, auth.Everyone, "/sitemap.xml").Want(http.StatusOK).Body
	var all strings.Builder
	for _, found := range strings.Split(index, "<loc>")[1:] {
		address, _, _ := strings.Cut(found, "</loc>")
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(s.Get(t, auth.Everyone, u.EscapedPath()).Want(http.StatusOK).Body)
	}
	return all.String()
}

// Followed checks that a page has a button to follow something of a kind, and that the
// card of a story of the desk says just that, so that whoever follows it is told.
func (s *Site) Followed(t testing.TB, desk, path, kind string) {
	t.Helper()
	s.Site.Follow("/follow")
	at := s.Get(t, auth.Everyone, path).Want(http.StatusOK).Attr(`a.button[href^="/follow?kind=`+kind+`&"]`, "href")
	u, err := url.Parse(at)
	if err != nil || at == "" {
		t.Errorf("%s has no button to follow a %s", path, kind)
		return
	}
	want := story.Subject{Kind: kind, Name: u.Query().Get("name")}
	for st, err := range s.Stories.All(t.Context(), desk) {
		if err != nil {
			t.Fatal(err)
		}
		all := st.Subjects
		for kind, names := range map[string][]string{"person": st.People, "topic": st.Topics, "author": {st.Provenance.Author}} {
			for _, name := range names {
				all = append(all, story.Subject{Kind: kind, Name: name})
			}
		}
		for _, one := range all {
			if one == want {
				return
			}
		}
	}
	t.Errorf("%s lets readers follow %q, which no story is about", path, want)
}
