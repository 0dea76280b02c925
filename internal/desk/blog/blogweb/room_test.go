package blogweb_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogweb"
	"pressroom/internal/web/webtest"
	"pressroom/model/deploy"
)

// room is the blog with its pages, on stores in memory.
type room struct {
	*webtest.Site
	desk *blog.Desk
	mu   sync.Mutex
	now  time.Time
}

// Now goes on by a millisecond each time it is asked.
func (r *room) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(time.Millisecond)
	return r.now
}

func open(t testing.TB, change ...func(*blog.Options)) *room {
	t.Helper()
	return openWith(t, func(*webtest.Site) *blogweb.Options { return nil }, change...)
}

// openWith is open with options for the pages.
func openWith(t testing.TB, options func(*webtest.Site) *blogweb.Options, change ...func(*blog.Options)) *room {
	t.Helper()
	r := &room{Site: webtest.Open(t, blog.Schema), now: webtest.Now.AddDate(0, 0, -30)}
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	objects := blob.Client(store)
	buckets := blog.Schema
	buckets.Tables = nil
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: r.DB, Objects: objects}, nil, buckets); err != nil {
		t.Fatal(err)
	}
	o := &blog.Options{
		Now: r.Now, Secret: []byte("0123456789abcdef"), Stories: r.Stories.Stories, Log: slog.New(slog.DiscardHandler),
		Who: func(ctx context.Context) string {
			if account := auth.From(ctx); account != nil {
				return account.Name
			}
			return ""
		},
		Profile: blog.Profile{Name: "The editors", Role: "Who writes here", Bio: "We make *this* paper.", Links: []blog.Link{{Label: "Code", URL: "https://example.org/code"}}},
	}
	for _, c := range change {
		c(o)
	}
	if r.desk, err = blog.New(r.DB, objects, o); err != nil {
		t.Fatal(err)
	}
	if err := blogweb.Register(r.Site.Site, r.desk, options(r.Site)); err != nil {
		t.Fatal(err)
	}
	return r
}

// content makes a post of one block for each text.
func content(title string, tags []string, texts ...string) blog.Content {
	c := blog.Content{Facts: blog.Facts{Title: title, Summary: "About " + title, Author: "Ann"}, Tags: tags, Blocks: []blog.Block{}}
	for _, text := range texts {
		c.Blocks = append(c.Blocks, blog.Block{Type: blog.Text, Layout: blog.Full, Content: text})
	}
	return c
}

// put creates a post and moves it into a state.
func (r *room) put(t testing.TB, c blog.Content, s blog.Status) blog.Post {
	t.Helper()
	p, err := r.desk.Create(t.Context(), c)
	if err == nil {
		p, err = r.desk.SetStatus(t.Context(), p.ID, p.Version, s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sendJSON posts as the editor's script does.
func (r *room) sendJSON(t testing.TB, role auth.Role, path string, v any) *webtest.Reply {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader(data))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("HX-Request", "true")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return r.Do(t, role, req)
}

// picture is a PNG with a gradient.
func picture(t testing.TB, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.RGBA{uint8(60 + x*120/width), uint8(90 + y*100/height), 140, 255})
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, m); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// uploadForm sends a file as the library's form does.
func (r *room) uploadForm(t testing.TB, role auth.Role, name string, file []byte, script bool) *webtest.Reply {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = part.Write(file)
	if err := errors.Join(err, w.WriteField("alt", "A gradient"), w.Close()); err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/office/blog/media", &body)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if script {
		req.Header.Set("HX-Request", "true")
	}
	return r.Do(t, role, req)
}

// form is a post as a browser without the script sends it.
func form(do string, version string, c blog.Content) url.Values {
	f := url.Values{"do": {do}, "version": {version}, "title": {c.Title}, "summary": {c.Summary}, "author": {c.Author}, "tags": {strings.Join(c.Tags, ", ")}}
	for _, b := range c.Blocks {
		f.Add("b.type", string(b.Type))
		f.Add("b.layout", string(b.Layout))
		f.Add("b.content", b.Content)
		f.Add("b.alt", b.Alt)
		f.Add("b.caption", b.Caption)
		f.Add("b.language", b.Language)
	}
	return f
}
