package api

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestETags(t *testing.T) {
	h := open(t)
	for _, target := range []string{"/api/v1/shelf/books", "/api/v1/shelf/books/7", "/api/v1", "/api/openapi.json", "/api/docs"} {
		first := h.ask("GET", target, "")
		tag := first.Header().Get("ETag")
		if first.Code != 200 || len(tag) < 3 {
			t.Fatalf("GET %s: %d, ETag %q", target, first.Code, tag)
		}
		for header, want := range map[string]int{tag: 304, `"x", W/` + tag: 304, `"x"`: 200} {
			w := h.ask("GET", target, "", "If-None-Match: "+header)
			if w.Code != want || (w.Code == 304) != (w.Body.Len() == 0) || w.Header().Get("ETag") != tag {
				t.Errorf("GET %s with %s: %d, %d bytes, ETag %q", target, header, w.Code, w.Body.Len(), w.Header().Get("ETag"))
			}
		}
	}
	if one, other := h.ask("GET", "/api/v1/shelf/books?limit=1", ""), h.ask("GET", "/api/v1/shelf/books?limit=2", ""); one.Header().Get("ETag") == other.Header().Get("ETag") {
		t.Error("two answers have one ETag")
	}
	if got := h.ask("GET", "/api/v1/shelf/books/7", "").Header().Get("ETag"); got != `"7"` {
		t.Errorf("ETag %s of version 7", got)
	}
}

func TestEdits(t *testing.T) {
	h := open(t)
	tests := []struct {
		match  string
		status int
	}{
		{"", 428}, {`"6"`, 412}, {`W/"7"`, 412}, {`7`, 412}, {`"7"`, 200}, {`"6", "7"`, 200}, {`*`, 200},
	}
	for _, tt := range tests {
		w := h.ask("PUT", "/api/v1/shelf/books/7", `{"title":"new"}`, "If-Match: "+tt.match)
		if w.Code != tt.status {
			t.Errorf("If-Match %s: %d %s, want %d", tt.match, w.Code, w.Body, tt.status)
		}
		if tt.status == 200 && w.Header().Get("ETag") != `"8"` {
			t.Errorf("ETag %s after the change", w.Header().Get("ETag"))
		}
	}
	if w := h.ask("PUT", "/api/v1/shelf/books/none", `{"title":"new"}`, "If-Match: *"); w.Code != 404 {
		t.Errorf("an edit of nothing: %d", w.Code)
	}
}

func TestOnce(t *testing.T) {
	h := open(t)
	const path, body = "/api/v1/shelf/books", `{"title":"x"}`
	first := h.ask("POST", path, body, "Idempotency-Key: k")
	second := h.ask("POST", path, body, "Idempotency-Key: k")
	if first.Code != 201 || second.Code != 201 || first.Body.String() != second.Body.String() || h.made != 1 {
		t.Fatalf("%d %s, then %d %s; made %d", first.Code, first.Body, second.Code, second.Body, h.made)
	}
	for _, header := range []string{"Location", "Content-Type", "Etag"} {
		if first.Header().Get(header) != second.Header().Get(header) {
			t.Errorf("%s: %q, then %q", header, first.Header().Get(header), second.Header().Get(header))
		}
	}
	if first.Header().Get("Idempotency-Replayed") != "" || second.Header().Get("Idempotency-Replayed") != "true" {
		t.Error("the repetition does not say so")
	}
	if w := h.ask("POST", path, `{"title":"y"}`, "Idempotency-Key: k"); w.Code != 422 || problem(t, w).Errors[0].Name != "Idempotency-Key" {
		t.Errorf("another body: %d %s", w.Code, w.Body)
	}
	if w := h.ask("POST", path, body, "Idempotency-Key: other"); w.Code != 201 || h.made != 2 {
		t.Errorf("another key: %d", w.Code)
	}
	for name, key := range map[string]string{"long": strings.Repeat("k", 256), "not ASCII": "キー"} {
		if w := h.ask("POST", path, body, "Idempotency-Key: "+key); w.Code != 422 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

func TestErrorsFreeTheKey(t *testing.T) {
	h := open(t)
	const path = "/api/v1/shelf/books"
	if w := h.ask("POST", path, `{"title":"taken"}`, "Idempotency-Key: k"); w.Code != 409 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	func() {
		defer func() { _ = recover() }() // the door's business, if there is one
		h.ask("POST", path, `{"title":"panic"}`, "Idempotency-Key: k")
	}()
	if w := h.ask("POST", path, `{"title":"x"}`, "Idempotency-Key: k"); w.Code != 201 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	h := open(t)
	if w := h.ask("POST", "/api/v1/shelf/keys", "", "Idempotency-Key: k"); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := h.ask("POST", "/api/v1/shelf/keys", "", "Idempotency-Key: k")
	if p := problem(t, w); w.Code != 409 || !strings.Contains(p.Detail, "done already") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestOnceAtOneTime(t *testing.T) {
	h := open(t)
	h.gate = make(chan struct{})
	codes := make(chan int, 8)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			codes <- h.ask("POST", "/api/v1/shelf/books", `{"title":"x"}`, "Idempotency-Key: k").Code
		})
	}
	for range 7 {
		if code := <-codes; code != 409 {
			t.Errorf("%d while the first is under way", code)
		}
	}
	close(h.gate)
	if code := <-codes; code != 201 {
		t.Errorf("the first: %d", code)
	}
	all.Wait()
	if h.made != 1 {
		t.Errorf("made %d", h.made)
	}
}

func TestProblems(t *testing.T) {
	h := open(t)
	tests := []struct {
		method, path string
		status       int
		code         string
		allow        string
	}{
		{"GET", "/api/v1/shelf/books/none", 404, "not_found", ""},
		{"GET", "/api/v1/nothing", 404, "not_found", ""},
		{"GET", "/api/v2", 404, "not_found", ""},
		{"POST", "/api/", 404, "not_found", ""},
		{"PATCH", "/api/v1/shelf/books/7", 405, "method_not_allowed", "DELETE, GET, HEAD, OPTIONS, PUT"},
		{"DELETE", "/api/v1/shelf/books", 405, "method_not_allowed", "GET, HEAD, OPTIONS, POST"},
		{"GET", "/api/v1/shelf/fail", 500, "internal", ""},
	}
	for _, tt := range tests {
		w := h.ask(tt.method, tt.path, "")
		p := problem(t, w)
		if w.Code != tt.status || p.Code != tt.code || w.Header().Get("Allow") != tt.allow {
			t.Errorf("%s %s: %d %s, Allow %q", tt.method, tt.path, w.Code, p.Code, w.Header().Get("Allow"))
		}
		if p.Instance != tt.path || p.Type != "/api/docs#"+tt.code || p.Title == "" || p.Detail == "" {
			t.Errorf("%s %s: %+v", tt.method, tt.path, p)
		}
	}
	if !strings.Contains(h.log.String(), "unexpected EOF") {
		t.Error("the cause of the 500 is not in the log")
	}
	if w := h.ask("GET", "/api/v1/shelf/fail", ""); strings.Contains(w.Body.String(), "EOF") {
		t.Error("the cause of the 500 is in the answer")
	}
}

func TestOptionsAndHead(t *testing.T) {
	h := open(t)
	w := h.ask("OPTIONS", "/api/v1/shelf/books/7", "")
	if w.Code != 204 || w.Header().Get("Allow") != "DELETE, GET, HEAD, OPTIONS, PUT" {
		t.Errorf("OPTIONS: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
	get, head := h.ask("GET", "/api/v1/shelf/books", ""), h.ask("HEAD", "/api/v1/shelf/books", "")
	for _, name := range []string{"ETag", "Content-Length", "Content-Type", "Link", "Cache-Control"} {
		if get.Header().Get(name) != head.Header().Get(name) || get.Header().Get(name) == "" {
			t.Errorf("%s: GET %q, HEAD %q", name, get.Header().Get(name), head.Header().Get(name))
		}
	}
	if w := h.ask("DELETE", "/api/v1/shelf/books/7", ""); w.Code != 204 || w.Body.Len() > 0 {
		t.Errorf("DELETE: %d %q", w.Code, w.Body)
	}
}

// TestEncoder compares with encoding/json, where the two are meant to agree.
func TestEncoder(t *testing.T) {
	yes, word := true, "a\"\\\n\r\t\x01あ\u2028\xff"
	for _, v := range []bookInput{
		{},
		{Title: word, Tags: []string{"", word}, Pages: -7, Weight: 1e-7, Good: &yes, Sub: &word, Any: map[string]any{"b": 1.5, "a": nil},
			Parts: []part{{Name: "x", Subs: []part{{Name: "y"}}}}, Names: namedBook{"b": "2", "a": "1"}},
		{Weight: 1e21}, {Weight: 123456.789}, {Weight: -0.000001},
	} {
		got, err := encode(&v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if err := json.Unmarshal(want, &b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("(-encoding/json +ours):\n%s", diff)
		}
	}
}
