package blogapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogapi"
	"pressroom/internal/front"
	"pressroom/internal/front/fronttest"
	"pressroom/model/deploy"
)

// house is an API with the blog in it.
type house struct {
	t    *testing.T
	mux  *front.Mux
	desk *blog.Desk
	as   *auth.Account
}

func open(t *testing.T) *house {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	check(t, err)
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	check(t, err)
	t.Cleanup(func() { check(t, errors.Join(store.Close(), db.Close())) })
	objects := blob.Client(store)
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: db, Objects: objects}, nil, blog.Schema))
	log := slog.New(slog.DiscardHandler)
	desk, err := blog.New(db, objects, &blog.Options{Log: log, Profile: blog.Profile{Name: "Ann"}})
	check(t, err)
	unlimited := front.Rate{PerSecond: -1}
	h := &house{t: t, desk: desk, mux: front.New(&front.Options{Log: log, PerAddress: unlimited, PerAccount: unlimited})}
	blogapi.Register(api.New(h.mux, &api.Options{Log: log}), desk)
	return h
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask sends a request as whoever the house stands for, and wants the status;
// headers are "Name: value".
func (h *house) ask(status int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	r := httptest.NewRequest(method, "/api/v1/blog"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	if h.as != nil {
		r = r.WithContext(auth.With(r.Context(), h.as))
	}
	w := httptest.NewRecorder()
	h.mux.ServeHTTP(w, r)
	if w.Code != status {
		h.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	return w
}

func (h *house) role(r auth.Role) *house {
	as := *h
	as.as = &auth.Account{ID: "id-" + r.String(), Name: r.String(), Role: r}
	return &as
}

func read[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	check(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

const draft = `{"title":"One","summary":"About one","tags":["go"],"blocks":[{"type":"text","content":"# Hello\n\nwords"},{"type":"code","content":"x","language":"go","layout":"half_left"}]}`

func TestLife(t *testing.T) {
	h := open(t)
	author := h.role(auth.Author)
	w := author.ask(201, "POST", "/posts", draft)
	p := read[blog.Post](t, w)
	if w.Header().Get("ETag") != `"1"` || !strings.HasSuffix(w.Header().Get("Location"), "/blog/sources/"+p.ID) || p.Author != "author" {
		t.Errorf("created: %v, by %q", w.Header(), p.Author)
	}
	h.ask(404, "GET", "/posts/"+p.ID, "")
	h.ask(404, "GET", "/sources/"+p.ID, "")
	author.ask(428, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`)
	author.ask(412, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, `If-Match: "7"`)
	author.ask(200, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, `If-Match: "1"`)

	w = h.ask(200, "GET", "/posts/"+p.ID, "")
	a := read[blog.Article](t, w)
	if w.Header().Get("ETag") != `"2"` || len(a.Rows) != 2 || !strings.Contains(string(a.Rows[0].Cells[0].HTML), `<h2 id="s-hello">`) || len(a.Contents) != 1 {
		t.Errorf("article: %s", w.Body)
	}
	h.ask(304, "GET", "/posts/"+p.ID, "", `If-None-Match: "2"`)
	for _, path := range []string{"/posts", "/posts?tag=go", "/posts?month=" + a.PublishedAt.Format("2006-01")} {
		if list := read[api.List[blog.Card]](t, h.ask(200, "GET", path, "")); len(list.Items) != 1 || list.Items[0].Title != "One" {
			t.Errorf("%s: %+v", path, list)
		}
	}
	h.ask(422, "GET", "/posts?tag=go&month=2026-11", "")
	h.ask(400, "GET", "/posts?cursor=x", "")

	// Of two editors with the same version, the second is told.
	edited := strings.Replace(draft, `"One"`, `"Two"`, 1)
	w = author.ask(200, "PUT", "/posts/"+p.ID, edited, `If-Match: "2"`)
	if w.Header().Get("ETag") != `"3"` {
		t.Errorf("after the edit: %v", w.Header())
	}
	author.ask(412, "PUT", "/posts/"+p.ID, draft, `If-Match: "2"`)
	if a := read[blog.Article](t, h.ask(200, "GET", "/posts/"+p.ID, "")); a.Title != "Two" {
		t.Errorf("readers see %q", a.Title)
	}
	if list := read[api.List[blog.Card]](t, author.ask(200, "GET", "/sources", "")); len(list.Items) != 1 {
		t.Errorf("sources: %+v", list)
	}
	copied := read[blog.Post](t, author.ask(201, "POST", "/posts/"+p.ID+"/copies", ""))
	if list := read[api.List[blog.Card]](t, author.ask(200, "GET", "/sources?status=draft", "")); len(list.Items) != 1 || list.Items[0].ID != copied.ID {
		t.Errorf("drafts: %+v", list)
	}
	author.ask(204, "DELETE", "/posts/"+p.ID, "", `If-Match: "3"`)
	h.ask(404, "GET", "/posts/"+p.ID, "")
	author.ask(404, "GET", "/sources/"+p.ID, "")
}

func TestProblems(t *testing.T) {
	h := open(t)
	author := h.role(auth.Author)
	w := author.ask(422, "POST", "/posts", `{"title":"","summary":"","blocks":[{"type":"text","content":""}]}`)
	for _, field := range []string{`"title"`, `"summary"`, `"blocks[0].content"`} {
		if !strings.Contains(w.Body.String(), field) {
			t.Errorf("no %s in %s", field, w.Body)
		}
	}
	p := read[blog.Post](t, author.ask(201, "POST", "/posts", `{"title":"Empty","summary":"x"}`))
	author.ask(422, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, "If-Match: *")
	w = author.ask(200, "POST", "/bulk", fmt.Sprintf(`{"action":"publish","ids":[%q,"nobody"]}`, p.ID))
	if results := read[blogapi.BulkResults](t, w).Items; len(results) != 2 || results[0].Code != "invalid" || results[1].Code != "not_found" {
		t.Errorf("bulk: %s", w.Body)
	}
}

func TestPreviewAndAutosave(t *testing.T) {
	h := open(t)
	author := h.role(auth.Author)
	p := read[blog.Post](t, author.ask(201, "POST", "/posts", draft))
	link := read[blogapi.PreviewLink](t, author.ask(201, "POST", "/posts/"+p.ID+"/previews", `{"hours":1}`))
	w := h.ask(200, "POST", "/previews", fmt.Sprintf(`{"token":%q}`, link.Token))
	if a := read[blogapi.Preview](t, w); a.Title != "One" || w.Header().Get("Cache-Control") != "private, no-store" {
		t.Errorf("preview: %v %s", w.Header(), w.Body)
	}
	h.ask(404, "POST", "/previews", `{"token":"x.y"}`)

	author.ask(404, "GET", "/autosaves/new", "")
	author.ask(200, "PUT", "/autosaves/new", `{"content":{"title":"","summary":""}}`)
	author.ask(200, "GET", "/autosaves/new", "")
	h.role(auth.Moderator).ask(404, "GET", "/autosaves/new", "")
	author.ask(204, "DELETE", "/autosaves/new", "")
	author.ask(404, "GET", "/autosaves/new", "")
	if a := read[blog.Article](t, author.ask(200, "POST", "/renderings", draft)); len(a.Rows) != 2 {
		t.Errorf("rendering: %+v", a)
	}
}

func TestMedia(t *testing.T) {
	h := open(t)
	author := h.role(auth.Author)
	var file bytes.Buffer
	check(t, png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 400, 300))))
	m := read[blog.Media](t, author.ask(201, "POST", "/media?name=a.png&alt=x", file.String(), "Content-Type: image/png"))
	if m.Width != 400 || m.Uploader != "author" || len(m.Sizes) != 2 {
		t.Errorf("%+v", m)
	}
	author.ask(422, "POST", "/media", "<svg>", "Content-Type: image/png")
	author.ask(415, "POST", "/media", "<svg>", "Content-Type: image/svg+xml")
	if list := read[api.List[blog.Media]](t, author.ask(200, "GET", "/media?unused=true", "")); len(list.Items) != 1 {
		t.Errorf("unused: %+v", list)
	}
	author.ask(201, "POST", "/posts", fmt.Sprintf(`{"title":"T","summary":"S","thumbnail":%q}`, m.Ref))
	if uses := read[blogapi.Uses](t, author.ask(200, "GET", "/media/"+m.ID+"/uses", "")); len(uses.Items) != 1 {
		t.Errorf("uses: %+v", uses)
	}
	author.ask(409, "DELETE", "/media/"+m.ID, "")
	if m := read[blog.Media](t, author.ask(200, "PATCH", "/media/"+m.ID, `{"alt":"Another"}`)); m.Alt != "Another" {
		t.Errorf("%+v", m)
	}
	u := read[blog.Upload](t, author.ask(201, "POST", "/uploads", `{"name":"b.png","size":10}`))
	author.ask(409, "POST", "/uploads/"+u.ID, "")
}

func TestMessages(t *testing.T) {
	h := open(t)
	letter := `{"name":"A","email":"a@example.org","subject":"S","body":"B"}`
	for range 5 {
		h.ask(204, "POST", "/messages", letter)
	}
	if w := h.ask(429, "POST", "/messages", letter); w.Header().Get("Retry-After") == "" {
		t.Errorf("limited: %v", w.Header())
	}
	h.role(auth.Author).ask(404, "GET", "/messages", "")
	operator := h.role(auth.Operator)
	list := read[api.List[blog.Message]](t, operator.ask(200, "GET", "/messages", ""))
	if len(list.Items) != 5 {
		t.Fatalf("inbox: %+v", list)
	}
	operator.ask(204, "DELETE", "/messages/"+list.Items[0].ID, "")
	if about := read[blog.About](t, h.ask(200, "GET", "/profile", "")); about.Name != "Ann" {
		t.Errorf("profile: %+v", about)
	}
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	h := open(t)
	table := map[string]auth.Role{}
	for _, r := range h.mux.Routes() {
		if !strings.Contains(r.Pattern, "/blog/") {
			table[r.Pattern] = r.Access // the shell's own
		}
	}
	for role, patterns := range map[auth.Role]string{
		auth.Everyone: `GET posts|GET posts/{id}|GET posts/{id}/neighbours|GET tags|GET months|GET profile|POST previews|POST messages`,
		auth.Author: `GET sources|GET sources/{id}|POST posts|PUT posts/{id}|PUT posts/{id}/status|DELETE posts/{id}|POST posts/{id}/copies|POST posts/{id}/previews|POST bulk|POST renderings|` +
			`GET autosaves/{id}|PUT autosaves/{id}|DELETE autosaves/{id}|GET media|GET media/{id}|GET media/{id}/uses|POST media|PATCH media/{id}|DELETE media/{id}|POST uploads|POST uploads/{id}`,
		auth.Operator: `GET messages|DELETE messages/{id}`,
	} {
		for pattern := range strings.SplitSeq(patterns, "|") {
			method, path, _ := strings.Cut(pattern, " ")
			table[method+" /api/v1/blog/"+path] = role
		}
	}
	fronttest.Matrix(t, h.mux, table)
}

// TestDraftsAreSafe asks everything that everyone may ask, with posts that are not
// published, and looks for a word that only they have.
func TestDraftsAreSafe(t *testing.T) {
	h := open(t)
	author := h.role(auth.Author)
	const secret = "hidden"
	var ids []string
	for _, status := range []string{"", "draft", "archived"} {
		body := strings.NewReplacer("One", secret, "About one", secret, `["go"]`, `["go","`+secret+`"]`, "words", secret).Replace(draft)
		p := read[blog.Post](t, author.ask(201, "POST", "/posts", body))
		ids = append(ids, p.ID)
		if status != "" { // it was seen before
			author.ask(200, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, "If-Match: *")
			h.ask(200, "GET", "/posts/"+p.ID, "")
			author.ask(200, "PUT", "/posts/"+p.ID+"/status", fmt.Sprintf(`{"status":%q}`, status), "If-Match: *")
		}
	}
	for _, who := range []*house{h, h.role(auth.Reader)} {
		for _, path := range []string{"/posts", "/posts?tag=go", "/posts?tag=" + secret, "/tags", "/months", "/profile"} {
			if w := who.ask(200, "GET", path, ""); strings.Contains(w.Body.String(), secret) {
				t.Errorf("%s: %s", path, w.Body)
			}
		}
		for _, id := range ids {
			for _, path := range []string{"/posts/" + id, "/posts/" + id + "/neighbours", "/sources/" + id, "/autosaves/" + id} {
				if w := who.ask(404, "GET", path, ""); strings.Contains(w.Body.String(), secret) {
					t.Errorf("%s: %s", path, w.Body)
				}
			}
		}
		who.ask(404, "GET", "/sources", "")
	}
}
