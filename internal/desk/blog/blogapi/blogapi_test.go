package blogapi_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"pressroom/internal/api"
	"pressroom/internal/api/apitest"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogapi"
)

// house is an API with the blog in it.
type house struct {
	*apitest.House
	desk *blog.Desk
}

func open(t *testing.T) house {
	t.Helper()
	h := house{House: apitest.Open(t, "/api/v1/blog", blog.Schema)}
	var err error
	h.desk, err = blog.New(h.DB, h.Objects, &blog.Options{Log: h.Log, Profile: blog.Profile{Name: "Ann"}})
	apitest.Check(t, err)
	blogapi.Register(h.API, h.desk)
	return h
}

const draft = `{"title":"One","summary":"About one","tags":["go"],"blocks":[{"type":"text","content":"# Hello\n\nwords"},{"type":"code","content":"x","language":"go","layout":"half_left"}]}`

func TestLife(t *testing.T) {
	h := open(t)
	author := h.Role(auth.Author)
	w := author.Ask(201, "POST", "/posts", draft)
	p := apitest.Read[blog.Post](t, w)
	if w.Header().Get("ETag") != `"1"` || !strings.HasSuffix(w.Header().Get("Location"), "/blog/sources/"+p.ID) || p.Author != "author" {
		t.Errorf("created: %v, by %q", w.Header(), p.Author)
	}
	h.Ask(404, "GET", "/posts/"+p.ID, "")
	h.Ask(404, "GET", "/sources/"+p.ID, "")
	author.Ask(428, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`)
	author.Ask(412, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, `If-Match: "7"`)
	author.Ask(200, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, `If-Match: "1"`)

	w = h.Ask(200, "GET", "/posts/"+p.ID, "")
	a := apitest.Read[blog.Article](t, w)
	if w.Header().Get("ETag") != `"2"` || len(a.Rows) != 2 || !strings.Contains(string(a.Rows[0].Cells[0].HTML), `<h2 id="s-hello">`) || len(a.Contents) != 1 {
		t.Errorf("article: %s", w.Body)
	}
	h.Ask(304, "GET", "/posts/"+p.ID, "", `If-None-Match: "2"`)
	for _, path := range []string{"/posts", "/posts?tag=go", "/posts?month=" + a.PublishedAt.Format("2006-01")} {
		if list := apitest.Read[api.List[blog.Card]](t, h.Ask(200, "GET", path, "")); len(list.Items) != 1 || list.Items[0].Title != "One" {
			t.Errorf("%s: %+v", path, list)
		}
	}
	h.Ask(422, "GET", "/posts?tag=go&month=2026-11", "")
	h.Ask(400, "GET", "/posts?cursor=x", "")

	// Of two editors with the same version, the second is told.
	edited := strings.Replace(draft, `"One"`, `"Two"`, 1)
	w = author.Ask(200, "PUT", "/posts/"+p.ID, edited, `If-Match: "2"`)
	if w.Header().Get("ETag") != `"3"` {
		t.Errorf("after the edit: %v", w.Header())
	}
	author.Ask(412, "PUT", "/posts/"+p.ID, draft, `If-Match: "2"`)
	if a := apitest.Read[blog.Article](t, h.Ask(200, "GET", "/posts/"+p.ID, "")); a.Title != "Two" {
		t.Errorf("readers see %q", a.Title)
	}
	if list := apitest.Read[api.List[blog.Card]](t, author.Ask(200, "GET", "/sources", "")); len(list.Items) != 1 {
		t.Errorf("sources: %+v", list)
	}
	copied := apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts/"+p.ID+"/copies", ""))
	if list := apitest.Read[api.List[blog.Card]](t, author.Ask(200, "GET", "/sources?status=draft", "")); len(list.Items) != 1 || list.Items[0].ID != copied.ID {
		t.Errorf("drafts: %+v", list)
	}
	author.Ask(204, "DELETE", "/posts/"+p.ID, "", `If-Match: "3"`)
	h.Ask(404, "GET", "/posts/"+p.ID, "")
	author.Ask(404, "GET", "/sources/"+p.ID, "")
}

func TestProblems(t *testing.T) {
	h := open(t)
	author := h.Role(auth.Author)
	w := author.Ask(422, "POST", "/posts", `{"title":"","summary":"","blocks":[{"type":"text","content":""}]}`)
	for _, field := range []string{`"title"`, `"summary"`, `"blocks[0].content"`} {
		if !strings.Contains(w.Body.String(), field) {
			t.Errorf("no %s in %s", field, w.Body)
		}
	}
	p := apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts", `{"title":"Empty","summary":"x"}`))
	author.Ask(422, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, "If-Match: *")
	w = author.Ask(200, "POST", "/bulk", fmt.Sprintf(`{"action":"publish","ids":[%q,"nobody"]}`, p.ID))
	if results := apitest.Read[blogapi.BulkResults](t, w).Items; len(results) != 2 || results[0].Code != "invalid" || results[1].Code != "not_found" {
		t.Errorf("bulk: %s", w.Body)
	}
}

func TestPreviewAndAutosave(t *testing.T) {
	h := open(t)
	author := h.Role(auth.Author)
	p := apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts", draft))
	link := apitest.Read[blogapi.PreviewLink](t, author.Ask(201, "POST", "/posts/"+p.ID+"/previews", `{"hours":1}`))
	w := h.Ask(200, "POST", "/previews", fmt.Sprintf(`{"token":%q}`, link.Token))
	if a := apitest.Read[blogapi.Preview](t, w); a.Title != "One" || w.Header().Get("Cache-Control") != "private, no-store" {
		t.Errorf("preview: %v %s", w.Header(), w.Body)
	}
	h.Ask(404, "POST", "/previews", `{"token":"x.y"}`)

	author.Ask(404, "GET", "/autosaves/new", "")
	author.Ask(200, "PUT", "/autosaves/new", `{"content":{"title":"","summary":""}}`)
	author.Ask(200, "GET", "/autosaves/new", "")
	h.Role(auth.Moderator).Ask(404, "GET", "/autosaves/new", "")
	author.Ask(204, "DELETE", "/autosaves/new", "")
	author.Ask(404, "GET", "/autosaves/new", "")
	if a := apitest.Read[blog.Article](t, author.Ask(200, "POST", "/renderings", draft)); len(a.Rows) != 2 {
		t.Errorf("rendering: %+v", a)
	}
}

func TestMedia(t *testing.T) {
	h := open(t)
	author := h.Role(auth.Author)
	var file bytes.Buffer
	apitest.Check(t, png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 400, 300))))
	m := apitest.Read[blog.Media](t, author.Ask(201, "POST", "/media?name=a.png&alt=x", file.String(), "Content-Type: image/png"))
	if m.Width != 400 || m.Uploader != "author" || len(m.Sizes) != 2 {
		t.Errorf("%+v", m)
	}
	author.Ask(422, "POST", "/media", "<svg>", "Content-Type: image/png")
	author.Ask(415, "POST", "/media", "<svg>", "Content-Type: image/svg+xml")
	if list := apitest.Read[api.List[blog.Media]](t, author.Ask(200, "GET", "/media?unused=true", "")); len(list.Items) != 1 {
		t.Errorf("unused: %+v", list)
	}
	author.Ask(201, "POST", "/posts", fmt.Sprintf(`{"title":"T","summary":"S","thumbnail":%q}`, m.Ref))
	if uses := apitest.Read[blogapi.Uses](t, author.Ask(200, "GET", "/media/"+m.ID+"/uses", "")); len(uses.Items) != 1 {
		t.Errorf("uses: %+v", uses)
	}
	author.Ask(409, "DELETE", "/media/"+m.ID, "")
	if m := apitest.Read[blog.Media](t, author.Ask(200, "PATCH", "/media/"+m.ID, `{"alt":"Another"}`)); m.Alt != "Another" {
		t.Errorf("%+v", m)
	}
	u := apitest.Read[blog.Upload](t, author.Ask(201, "POST", "/uploads", `{"name":"b.png","size":10}`))
	author.Ask(409, "POST", "/uploads/"+u.ID, "")
}

func TestMessages(t *testing.T) {
	h := open(t)
	letter := `{"name":"A","email":"a@example.org","subject":"S","body":"B"}`
	for range 5 {
		h.Ask(204, "POST", "/messages", letter)
	}
	if w := h.Ask(429, "POST", "/messages", letter); w.Header().Get("Retry-After") == "" {
		t.Errorf("limited: %v", w.Header())
	}
	h.Role(auth.Author).Ask(404, "GET", "/messages", "")
	operator := h.Role(auth.Operator)
	list := apitest.Read[api.List[blog.Message]](t, operator.Ask(200, "GET", "/messages", ""))
	if len(list.Items) != 5 {
		t.Fatalf("inbox: %+v", list)
	}
	operator.Ask(204, "DELETE", "/messages/"+list.Items[0].ID, "")
	if about := apitest.Read[blog.About](t, h.Ask(200, "GET", "/profile", "")); about.Name != "Ann" {
		t.Errorf("profile: %+v", about)
	}
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	open(t).Doors(map[auth.Role]string{
		auth.Everyone: `GET /posts|GET /posts/{id}|GET /posts/{id}/neighbours|GET /tags|GET /months|GET /profile|POST /previews|POST /messages`,
		auth.Author: `GET /sources|GET /sources/{id}|POST /posts|PUT /posts/{id}|PUT /posts/{id}/status|DELETE /posts/{id}|POST /posts/{id}/copies|POST /posts/{id}/previews|POST /bulk|POST /renderings|` +
			`GET /autosaves/{id}|PUT /autosaves/{id}|DELETE /autosaves/{id}|GET /media|GET /media/{id}|GET /media/{id}/uses|POST /media|PATCH /media/{id}|DELETE /media/{id}|POST /uploads|POST /uploads/{id}`,
		auth.Operator: `GET /messages|DELETE /messages/{id}`,
	})
}

// TestDraftsAreSafe asks everything that everyone may ask, with posts that are not
// published, and looks for a word that only they have.
func TestDraftsAreSafe(t *testing.T) {
	h := open(t)
	author := h.Role(auth.Author)
	const secret = "hidden"
	var ids []string
	for _, status := range []string{"", "draft", "archived"} {
		body := strings.NewReplacer("One", secret, "About one", secret, `["go"]`, `["go","`+secret+`"]`, "words", secret).Replace(draft)
		p := apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts", body))
		ids = append(ids, p.ID)
		if status != "" { // it was seen before
			author.Ask(200, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, "If-Match: *")
			h.Ask(200, "GET", "/posts/"+p.ID, "")
			author.Ask(200, "PUT", "/posts/"+p.ID+"/status", fmt.Sprintf(`{"status":%q}`, status), "If-Match: *")
		}
	}
	for _, who := range []*apitest.House{h.House, h.Role(auth.Reader)} {
		for _, path := range []string{"/posts", "/posts?tag=go", "/posts?tag=" + secret, "/tags", "/months", "/profile"} {
			if w := who.Ask(200, "GET", path, ""); strings.Contains(w.Body.String(), secret) {
				t.Errorf("%s: %s", path, w.Body)
			}
		}
		for _, id := range ids {
			for _, path := range []string{"/posts/" + id, "/posts/" + id + "/neighbours", "/sources/" + id, "/autosaves/" + id} {
				if w := who.Ask(404, "GET", path, ""); strings.Contains(w.Body.String(), secret) {
					t.Errorf("%s: %s", path, w.Body)
				}
			}
		}
		who.Ask(404, "GET", "/sources", "")
	}
}
