package blogapi_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

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
	blogapi.Register(h.API, h.desk, nil)
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

func TestRevisions(t *testing.T) {
	h := open(t)
	author := h.Role(auth.Author)
	p := apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts", draft))
	author.Ask(200, "PUT", "/posts/"+p.ID, strings.Replace(draft, "words", "other words", 1), `If-Match: "1"`)
	list := apitest.Read[api.List[blog.Revision]](t, author.Ask(200, "GET", "/sources/"+p.ID+"/revisions", ""))
	if len(list.Items) != 2 || list.Items[0].What != blog.Saved || list.Items[1].Of != 1 {
		t.Fatalf("revisions: %+v", list)
	}
	one := apitest.Read[blogapi.RevisionView](t, author.Ask(200, "GET", "/sources/"+p.ID+"/revisions/"+list.Items[0].ID, ""))
	if one.Difference.Blocks[0].Mark != blog.Changed || one.Content.Blocks[0].Content != "# Hello\n\nother words" {
		t.Errorf("revision: %+v", one)
	}
	if since := apitest.Read[blogapi.RevisionView](t, author.Ask(200, "GET", "/sources/"+p.ID+"/revisions/"+list.Items[0].ID+"?with=now", "")); !since.Difference.Unchanged() {
		t.Errorf("since then: %+v", since.Difference)
	}
	body := fmt.Sprintf(`{"revision":%q}`, list.Items[1].ID)
	author.Ask(412, "POST", "/posts/"+p.ID+"/restorations", body, `If-Match: "1"`)
	if back := apitest.Read[blog.Post](t, author.Ask(200, "POST", "/posts/"+p.ID+"/restorations", body, `If-Match: "2"`)); back.Blocks[0].Content != "# Hello\n\nwords" {
		t.Errorf("restored: %+v", back)
	}
	h.Ask(404, "GET", "/sources/"+p.ID+"/revisions", "")
	author.Ask(404, "GET", "/sources/"+p.ID+"/revisions/01ARZ3NDEKTSV4RRFFQ69G5FAV", "")
}

func TestPlanAndReview(t *testing.T) {
	h := open(t)
	author := h.Role(auth.Author)
	p := apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts", draft))
	author.Ask(422, "PUT", "/posts/"+p.ID+"/plan", `{"publish_at":"2001-01-01T00:00:00Z"}`)
	at := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	if plan := apitest.Read[blog.Plan](t, author.Ask(200, "PUT", "/posts/"+p.ID+"/plan", `{"publish_at":"`+at.Format(time.RFC3339)+`"}`)); !plan.PublishAt.Equal(at) {
		t.Errorf("planned: %+v", plan)
	}
	author.Ask(200, "PUT", "/posts/"+p.ID+"/plan", `{}`)
	if plan := apitest.Read[blog.Plan](t, author.Ask(200, "GET", "/sources/"+p.ID+"/plan", "")); !plan.PublishAt.IsZero() {
		t.Errorf("called off: %+v", plan)
	}
	author.Ask(204, "PUT", "/posts/"+p.ID+"/proposal", `{"note":"Please."}`)
	author.Ask(204, "DELETE", "/posts/"+p.ID+"/proposal", "")
	c := apitest.Read[blog.Comment](t, author.Ask(201, "POST", "/posts/"+p.ID+"/comments", `{"text":"Really?","block":2}`))
	author.Ask(204, "PUT", "/posts/"+p.ID+"/comments/"+c.ID+"/done", "")
	if list := apitest.Read[api.List[blog.Comment]](t, author.Ask(200, "GET", "/sources/"+p.ID+"/comments", "")); len(list.Items) != 1 || list.Items[0].Done == "" || list.Items[0].Block != 2 {
		t.Errorf("comments: %+v", list)
	}
}

// A series and translations by JSON, which never tells of drafts.
func TestSeriesAndTranslations(t *testing.T) {
	h := open(t)
	author, reader := h.Role(auth.Author), h.Role(auth.Everyone)
	write := func(body string) blog.Post {
		t.Helper()
		return apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts", body))
	}
	publish := func(p blog.Post) {
		t.Helper()
		author.Ask(200, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, `If-Match: "1"`)
	}
	const blocks = `"blocks":[{"type":"text","content":"Words."}]`
	first := write(`{"title":"The first of all","summary":"This is how it was.","series":"Firsts","co_authors":"Bo","thumbnail":"https://example.org/a.png",` + blocks + `}`)
	publish(first)
	second := write(`{"title":"最初の話","summary":"これが始まりです。","series":"Firsts","translates":"` + first.ID + `",` + blocks + `}`)
	if got := apitest.Read[blogapi.Source](t, author.Ask(200, "GET", "/sources/"+first.ID, "")); strings.Join(got.Undescribed, "") != "thumbnail_alt" {
		t.Errorf("undescribed: %q", got.Undescribed)
	}
	if got := apitest.Read[blog.Article](t, reader.Ask(200, "GET", "/posts/"+first.ID, "")); len(got.Authors) == 0 || got.Authors[len(got.Authors)-1] != "Bo" || got.Cover == nil {
		t.Errorf("the post: %+v", got)
	}
	if got := apitest.Read[blogapi.Translations](t, reader.Ask(200, "GET", "/posts/"+first.ID+"/translations", "")); len(got.Items) != 0 {
		t.Errorf("a draft is told of: %+v", got)
	}
	publish(second)
	if got := apitest.Read[blogapi.Translations](t, reader.Ask(200, "GET", "/posts/"+second.ID+"/translations", "")); len(got.Items) != 2 || got.Items[0].ID != first.ID || got.Items[0].Language != "en" || got.Items[1].Language != "ja" {
		t.Errorf("translations: %+v", got)
	}
	if got := apitest.Read[blog.Part](t, reader.Ask(200, "GET", "/posts/"+second.ID+"/part", "")); got.Number != 2 || got.Of != 2 || got.Previous == nil || got.Previous.ID != first.ID {
		t.Errorf("the part: %+v", got)
	}
	if got := apitest.Read[api.List[blog.Card]](t, reader.Ask(200, "GET", "/posts?series=Firsts", "")); len(got.Items) != 2 || got.Items[0].ID != first.ID {
		t.Errorf("the series: %+v", got)
	}
	reader.Ask(422, "GET", "/posts?series=Firsts&tag=a", "")
	author.Ask(422, "POST", "/posts", `{"title":"A","summary":"B","translates":"nothing",`+blocks+`}`)
}

// Where editors publish, authors ask.
func TestApproval(t *testing.T) {
	h := house{House: apitest.Open(t, "/api/v1/blog", blog.Schema)}
	var err error
	h.desk, err = blog.New(h.DB, h.Objects, &blog.Options{Log: h.Log})
	apitest.Check(t, err)
	blogapi.Register(h.API, h.desk, &blogapi.Options{Approval: true})
	author := h.Role(auth.Author)
	p := apitest.Read[blog.Post](t, author.Ask(201, "POST", "/posts", draft))
	author.Ask(409, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, `If-Match: "1"`)
	author.Ask(409, "PUT", "/posts/"+p.ID+"/plan", `{"publish_at":"2099-01-01T00:00:00Z"}`)
	author.Ask(409, "POST", "/bulk", `{"action":"publish","ids":["`+p.ID+`"]}`)
	h.Role(auth.Moderator).Ask(200, "PUT", "/posts/"+p.ID+"/status", `{"status":"published"}`, `If-Match: "1"`)
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	open(t).Doors(map[auth.Role]string{
		auth.Everyone: `GET /posts|GET /posts/{id}|GET /posts/{id}/neighbours|GET /posts/{id}/part|GET /posts/{id}/translations|GET /tags|GET /months|GET /profile|POST /previews|POST /messages`,
		auth.Author: `GET /sources|GET /sources/{id}|POST /posts|PUT /posts/{id}|PUT /posts/{id}/status|DELETE /posts/{id}|POST /posts/{id}/copies|POST /posts/{id}/previews|POST /bulk|POST /renderings|` +
			`GET /sources/{id}/revisions|GET /sources/{id}/revisions/{revision}|POST /posts/{id}/restorations|GET /sources/{id}/plan|PUT /posts/{id}/plan|PUT /posts/{id}/proposal|DELETE /posts/{id}/proposal|` +
			`GET /sources/{id}/comments|POST /posts/{id}/comments|PUT /posts/{id}/comments/{comment}/done|` +
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
			for _, path := range []string{"/posts/" + id, "/posts/" + id + "/neighbours", "/posts/" + id + "/part", "/posts/" + id + "/translations", "/sources/" + id, "/autosaves/" + id} {
				if w := who.Ask(404, "GET", path, ""); strings.Contains(w.Body.String(), secret) {
					t.Errorf("%s: %s", path, w.Body)
				}
			}
		}
		who.Ask(404, "GET", "/sources", "")
	}
}
