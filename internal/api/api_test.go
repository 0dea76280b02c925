package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/ops/replay"
	"pressroom/model/deploy"
)

// The shelf is a small desk with one of everything that an operation can be.

type book struct {
	ID      string            `json:"id"`
	Title   string            `json:"title"`
	Tags    []string          `json:"tags"`
	Notes   map[string]string `json:"notes,omitempty"`
	Version int               `json:"version"`
}

func (b *book) Tag() string { return strconv.Itoa(b.Version) }

type bookInput struct {
	Title  string    `json:"title" min:"1" max:"20"`
	Tags   []string  `json:"tags,omitempty" max:"3"`
	State  string    `json:"state,omitempty" enum:"draft,published"`
	Pages  int32     `json:"pages,omitempty" min:"1"`
	Weight float64   `json:"weight,omitempty"`
	Link   string    `json:"link,omitempty" format:"uri"`
	Parts  []part    `json:"parts,omitempty"`
	Good   *bool     `json:"good,omitempty"`
	Sub    *string   `json:"sub,omitempty"`
	Any    any       `json:"any,omitempty"`
	Names  namedBook `json:"names,omitzero"`
}

type namedBook map[string]string

type part struct {
	Name string `json:"name"`
	Subs []part `json:"subs,omitempty"`
}

type shelf struct {
	mu    sync.Mutex
	books []book
	made  int
	gate  chan struct{} // if not nil, making waits for it
}

type listBooks struct {
	Page
	Tag    []string `query:"tag" max:"2"`
	Good   *bool    `query:"good"`
	Weight float64  `query:"weight"`
}

type putBook struct {
	Edit
	ID   string `path:"id"`
	Body bookInput
}

func (s *shelf) register(a *API) {
	Get(a, "/shelf/books", auth.Everyone, Op{ID: "listBooks", Summary: "Books"}, s.list)
	Get(a, "/shelf/books/{id}", auth.Everyone, Op{ID: "getBook", Summary: "A book"}, s.get)
	Post(a, "/shelf/books", auth.Everyone, Op{ID: "createBook", Summary: "Make a book"}, s.create)
	Put(a, "/shelf/books/{id}", auth.Everyone, Op{ID: "putBook", Summary: "Change a book"}, s.put)
	Delete(a, "/shelf/books/{id}", auth.Everyone, Op{ID: "deleteBook", Summary: "Remove a book"},
		func(context.Context, *byID) (*None, error) { return &None{}, nil })
	Post(a, "/shelf/scans", auth.Everyone, Op{ID: "scanBook", Summary: "Scan a cover", Takes: []string{"image/png"}, MaxBody: 16},
		func(_ context.Context, in *struct{ Cover Upload }) (*Accepted[book], error) {
			return &Accepted[book]{Location: "/shelf/books/1", Body: book{Title: in.Cover.Type + string(in.Cover.Data)}}, nil
		})
	Post(a, "/shelf/keys", auth.Everyone, Op{ID: "createKey", Summary: "Make a key", Once: true},
		func(context.Context, *struct{}) (*book, error) { return &book{Title: "secret"}, nil })
	Get(a, "/shelf/fail", auth.Everyone, Op{ID: "fail", Summary: "Fail"},
		func(context.Context, *struct{}) (*book, error) { return nil, io.ErrUnexpectedEOF })
	Get(a, "/shelf/cellar", auth.Author, Op{ID: "cellar", Summary: "What readers do not see"},
		func(context.Context, *struct{}) (*book, error) { return &book{Title: "cellar"}, nil })
}

func (s *shelf) list(_ context.Context, in *listBooks) (*List[book], error) {
	from := 0
	if in.Cursor != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(in.Cursor, "c"))
		if err != nil {
			return nil, &errs.Error{Kind: errs.Malformed, Fields: []errs.Field{{Name: "cursor", Message: "is none of this list"}}}
		}
		from = n
	}
	to := min(from+in.Limit, len(s.books))
	next := ""
	if to < len(s.books) {
		next = "c" + strconv.Itoa(to)
	}
	return ListOf(s.books[from:to], next, func(b book) book { return b }), nil
}

func (s *shelf) get(_ context.Context, in *byID) (*book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.books {
		if b.ID == in.ID {
			return &b, nil
		}
	}
	return nil, errs.NotFound
}

func (s *shelf) create(_ context.Context, in *struct{ Body bookInput }) (*Created[book], error) {
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Body.Title == "taken" {
		return nil, errs.Duplicate
	}
	if in.Body.Title == "panic" {
		panic("a book falls down")
	}
	s.made++
	b := book{ID: strconv.Itoa(s.made), Title: in.Body.Title, Tags: in.Body.Tags, Version: 1}
	return &Created[book]{Location: "/shelf/books/" + b.ID, Body: b}, nil
}

func (s *shelf) put(ctx context.Context, in *putBook) (*book, error) {
	b, err := s.get(ctx, &byID{in.ID})
	if err != nil {
		return nil, err
	}
	if err := in.Match(b.Tag()); err != nil {
		return nil, err
	}
	b.Title = in.Body.Title
	b.Version++
	return b, nil
}

// house is an API with the shelf in it.
type house struct {
	*shelf
	api      *API
	mux      *front.Mux
	accounts *auth.Auth
	as       *auth.Account // who asks, if not by token
	log      bytes.Buffer
}

func open(t testing.TB) *house {
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
	if err := deploy.Apply(context.Background(), deploy.Store{Tables: db}, nil, replay.Schema, auth.Schema); err != nil {
		t.Fatal(err)
	}
	replays, err := replay.New(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := auth.New(db, &auth.Options{Password: auth.PasswordCost{Memory: 8, Time: 1, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{shelf: &shelf{}, accounts: accounts}
	for i := range 45 {
		h.books = append(h.books, book{ID: strconv.Itoa(i), Title: "book " + strconv.Itoa(i), Version: i})
	}
	log := slog.New(slog.NewTextHandler(&h.log, &slog.HandlerOptions{Level: slog.LevelError}))
	unlimited := front.Rate{PerSecond: -1}
	h.mux = front.New(&front.Options{Authenticate: accounts.Authenticate, Log: log, PerAddress: unlimited, PerAccount: unlimited})
	h.api = New(h.mux, &Options{Replays: replays, Log: log, Auth: accounts})
	h.register(h.api)
	return h
}

// ask sends a request; headers are "Name: value".
func (h *house) ask(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if value == "" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, value)
	}
	if h.as != nil {
		r = r.WithContext(auth.With(r.Context(), h.as))
	}
	w := httptest.NewRecorder()
	h.mux.ServeHTTP(w, r)
	return w
}

// problem reads an answer that must be a problem document.
func problem(t testing.TB, w *httptest.ResponseRecorder) Problem {
	t.Helper()
	var p Problem
	if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("%d with Content-Type %q: %s", w.Code, got, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	if p.Status != w.Code {
		t.Errorf("status %d in an answer with %d", p.Status, w.Code)
	}
	return p
}

func TestList(t *testing.T) {
	h := open(t)
	var titles []string
	target := "/api/v1/shelf/books"
	sizes := []int{}
	for target != "" {
		w := h.ask("GET", target, "")
		if w.Code != 200 {
			t.Fatalf("GET %s: %d %s", target, w.Code, w.Body)
		}
		var page struct {
			Items []book  `json:"items"`
			Next  *string `json:"next_cursor"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		for _, b := range page.Items {
			titles = append(titles, b.Title)
		}
		sizes = append(sizes, len(page.Items))
		link := w.Header().Get("Link")
		target = ""
		if (page.Next == nil) != (link == "") {
			t.Errorf("next_cursor %v and Link %q disagree", page.Next, link)
		}
		if link != "" {
			target, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
			if !strings.HasSuffix(link, `; rel="next"`) {
				t.Errorf("Link %q", link)
			}
		}
	}
	if diff := cmp.Diff([]int{20, 20, 5}, sizes); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if len(slices.Compact(titles)) != 45 {
		t.Errorf("%d titles", len(titles))
	}
	if got := h.ask("GET", "/api/v1/shelf/books?limit=3&good=true&tag=a&tag=b&weight=1.5", ""); got.Code != 200 || !strings.Contains(got.Header().Get("Link"), "limit=3") {
		t.Errorf("%d %s: %s", got.Code, got.Header().Get("Link"), got.Body)
	}
	if got := h.ask("GET", "/api/v1/shelf/books?limit=1", "").Body.String(); !strings.Contains(got, `"tags":[]`) {
		t.Errorf("an empty list is not []: %s", got)
	}
}

func TestShortAddress(t *testing.T) {
	h := open(t)
	for _, path := range []string{"/api", "/api/"} {
		if w := h.ask("GET", path, ""); w.Code != 302 || w.Header().Get("Location") != "/api/docs" {
			t.Errorf("%s: %d to %q", path, w.Code, w.Header().Get("Location"))
		}
	}
	if w := h.ask("POST", "/api/", "{}"); w.Code != 404 {
		t.Errorf("POST: %d", w.Code)
	}
}
