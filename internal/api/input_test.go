package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBadBodies(t *testing.T) {
	h := open(t)
	deep := `{"title":"x","any":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}"
	tests := []struct {
		name, body string
		status     int
		field      string
		message    string // a part of it
	}{
		{"empty", "", 400, "body", "is missing"},
		{"spaces", " \n ", 400, "body", "is missing"},
		{"cut", `{"title":"x`, 400, "title", "ends too early"},
		{"cut after colon", `{"title":`, 400, "title", "ends too early"},
		{"no JSON", `title`, 400, "body", "is no JSON"},
		{"bad word", `{"title":"x","good":trve}`, 400, "good", "is no JSON"},
		{"bad number", `{"title":"x","pages":01}`, 400, "pages", "is no JSON"},
		{"trailing", `{"title":"x"} {}`, 400, "body", "goes on"},
		{"trailing comma", `{"title":"x",}`, 400, "body", "member's name"},
		{"no comma", `{"title":"x" "tags":[]}`, 400, "body", "comma or a closing brace"},
		{"no comma in list", `{"title":"x","tags":["a" "b"]}`, 400, "tags", "comma or a closing bracket"},
		{"comma in list", `{"title":"x","tags":["a",]}`, 400, "tags[1]", "is no JSON"},
		{"BOM", "\ufeff{}", 400, "body", "is no JSON"},
		{"twice", `{"title":"x","title":"y"}`, 400, "title", "is there twice"},
		{"twice by escape", `{"title":"x","titl\u0065":"y"}`, 400, "title", "is there twice"},
		{"twice deep", `{"title":"x","any":{"a":1,"a":2}}`, 400, "any.a", "is there twice"},
		{"deep", deep, 400, "any" + indexes(63), "deeper than 64"},
		{"UTF-8", "{\"title\":\"a\xff\"}", 400, "title", "UTF-8"},
		{"UTF-8 in a name", "{\"\xff\":1}", 400, "body", "UTF-8"},
		{"control", "{\"title\":\"a\nb\"}", 400, "title", "control character"},
		{"surrogate", `{"title":"\ud800"}`, 400, "title", "stands for no character"},
		{"two high surrogates", `{"title":"\ud800\ud800"}`, 400, "title", "stands for no character"},
		{"escape", `{"title":"\x"}`, 400, "title", "stands for no character"},
		{"NUL", `{"title":"a\u0000"}`, 422, "title", "NUL"},
		{"NUL in any", `{"title":"a","any":["\u0000"]}`, 422, "any[0]", "NUL"},
		{"a list", `[]`, 422, "body", "must be an object"},
		{"null", `null`, 422, "body", "not null"},
		{"unknown", `{"title":"x","titel":"y"}`, 422, "titel", "not known"},
		{"other case", `{"Title":"x"}`, 422, "Title", "not known"},
		{"missing", `{}`, 422, "title", "is missing"},
		{"type", `{"title":7}`, 422, "title", "must be text"},
		{"null text", `{"title":null}`, 422, "title", "must be text, not null"},
		{"null optional", `{"title":"x","sub":null}`, 422, "sub", "not null"},
		{"text for number", `{"title":"x","pages":"7"}`, 422, "pages", "whole number"},
		{"fraction", `{"title":"x","pages":1.5}`, 422, "pages", "whole number"},
		{"exponent", `{"title":"x","pages":1e2}`, 422, "pages", "whole number"},
		{"too large for its type", `{"title":"x","pages":2147483648}`, 422, "pages", "from 1 to 2147483647"},
		{"enormous", `{"title":"x","pages":99999999999999999999}`, 422, "pages", "from 1 to"},
		{"huge number", `{"title":"x","weight":1e999}`, 422, "weight", "larger than a number"},
		{"huge number in any", `{"title":"x","any":1e999}`, 422, "any", "larger than a number"},
		{"too small", `{"title":"x","pages":0}`, 422, "pages", "from 1 to"},
		{"too short", `{"title":""}`, 422, "title", "must not be empty"},
		{"too long", `{"title":"あいうえおあいうえおあいうえおあいうえおか"}`, 422, "title", "at most 20 characters"},
		{"too many", `{"title":"x","tags":["a","b","c","d"]}`, 422, "tags", "at most 3 elements"},
		{"element", `{"title":"x","tags":["a",2]}`, 422, "tags[1]", "must be text"},
		{"enum", `{"title":"x","state":"gone"}`, 422, "state", "one of draft, published"},
		{"format", `{"title":"x","link":"/here"}`, 422, "link", "address"},
		{"deep member", `{"title":"x","parts":[{"name":"a","subs":[{"name":"b"},{"nome":"c"}]}]}`, 422, "parts[0].subs[1].nome", "not known"},
		{"map value", `{"title":"x","names":{"a":1}}`, 422, "names.a", "must be text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := h.ask("POST", "/api/v1/shelf/books", tt.body, "Content-Type: application/json")
			p := problem(t, w)
			if w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			if len(p.Errors) == 0 || p.Errors[0].Name != tt.field || !strings.Contains(p.Errors[0].Message, tt.message) {
				t.Errorf("errors %v, want %s … %s", p.Errors, tt.field, tt.message)
			}
		})
	}
	if h.made > 0 {
		t.Errorf("%d of them were made", h.made)
	}
}

func indexes(n int) string { return strings.Repeat("[0]", n) }

func TestAllFaultsAtOnce(t *testing.T) {
	h := open(t)
	p := problem(t, h.ask("POST", "/api/v1/shelf/books", `{"pages":"x","state":"gone","tags":[1]}`))
	var names []string
	for _, e := range p.Errors {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"pages", "state", "tags[0]", "title"}, names); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	many := `{"title":"x","any":1`
	for i := range 100 {
		many += fmt.Sprintf(`,"x%d":1`, i)
	}
	if p := problem(t, h.ask("POST", "/api/v1/shelf/books", many+"}")); len(p.Errors) != maxFaults {
		t.Errorf("%d faults, want %d", len(p.Errors), maxFaults)
	}
}

func TestGoodBodies(t *testing.T) {
	h := open(t)
	for _, body := range []string{
		`{"title":"x"}`,
		" {\"title\" : \"\\ud83d\\ude00\\n\\u0041\" ,\t\"tags\":[ ] } ",
		`{"title":"あいうえおあいうえおあいうえおあいうえお","pages":2147483647,"weight":-1.5e-3,"good":false,"any":{"a":[null,true,{}]},"names":{"a":"b"}}`,
		`{"title":"x","link":"https://example.org/a?b","state":"draft","sub":"s","parts":[{"name":"p","subs":[]}]}`,
	} {
		if w := h.ask("POST", "/api/v1/shelf/books", body); w.Code != 201 {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

func TestMediaTypesAndSizes(t *testing.T) {
	h := open(t)
	big := `{"title":"` + strings.Repeat("x", 2<<20) + `"}`
	tests := []struct {
		name, target, body string
		headers            []string
		status             int
		field              string
	}{
		{"no type", "/books", `{"title":"x"}`, []string{"Content-Type: "}, 415, "Content-Type"},
		{"form", "/books", `title=x`, []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "Content-Type"},
		{"broken type", "/books", `{}`, []string{"Content-Type: application/json; charset"}, 415, "Content-Type"},
		{"charset", "/books", `{}`, []string{"Content-Type: application/json; charset=shift_jis"}, 415, "Content-Type"},
		{"compressed", "/books", `{}`, []string{"Content-Encoding: gzip"}, 415, "Content-Encoding"},
		{"huge", "/books", big, nil, 413, "body"},
		{"upload of another type", "/scans", "GIF", []string{"Content-Type: image/gif"}, 415, "Content-Type"},
		{"upload too large", "/scans", strings.Repeat("x", 17), []string{"Content-Type: image/png"}, 413, "body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := h.ask("POST", "/api/v1/shelf"+tt.target, tt.body, tt.headers...)
			p := problem(t, w)
			if w.Code != tt.status || len(p.Errors) != 1 || p.Errors[0].Name != tt.field {
				t.Errorf("%d %v, want %d naming %s", w.Code, p.Errors, tt.status, tt.field)
			}
		})
	}
	for _, good := range []string{"application/json; charset=UTF-8", "application/merge-patch+json"} {
		if w := h.ask("POST", "/api/v1/shelf/books", `{"title":"x"}`, "Content-Type: "+good); w.Code != 201 {
			t.Errorf("%s: %d %s", good, w.Code, w.Body)
		}
	}
	w := h.ask("POST", "/api/v1/shelf/scans", "0123456789abcdef", "Content-Type: image/png")
	if w.Code != 202 || w.Header().Get("Location") != "/api/v1/shelf/books/1" || !strings.Contains(w.Body.String(), "image/png0123") {
		t.Errorf("upload: %d %s %s", w.Code, w.Header().Get("Location"), w.Body)
	}
}

func TestBadParameters(t *testing.T) {
	h := open(t)
	tests := []struct {
		query  string
		status int
		field  string
	}{
		{"limit=0", 422, "limit"},
		{"limit=101", 422, "limit"},
		{"limit=x", 422, "limit"},
		{"limit=", 422, "limit"},
		{"limit=1e1", 422, "limit"},
		{"limit=99999999999999999999", 422, "limit"},
		{"limit=1&limit=2", 422, "limit"},
		{"limt=1", 422, "limt"},
		{"good=maybe", 422, "good"},
		{"weight=heavy", 422, "weight"},
		{"tag=a&tag=b&tag=c", 422, "tag"},
		{"tag=%00", 422, "tag"},
		{"tag=%ff", 400, "tag"},
		{"%ff=1", 400, "query"},
		{"tag=%zz", 400, "query"},
		{"a;b", 400, "query"},
		{"cursor=nonsense", 400, "cursor"},
		{"cursor=" + strings.Repeat("c", 5000), 422, "cursor"},
	}
	for _, tt := range tests {
		w := h.ask("GET", "/api/v1/shelf/books?"+tt.query, "")
		p := problem(t, w)
		if w.Code != tt.status || len(p.Errors) != 1 || p.Errors[0].Name != tt.field {
			t.Errorf("%s: %d %v, want %d naming %s", tt.query, w.Code, p.Errors, tt.status, tt.field)
		}
	}
	for _, path := range []string{"/books/%ff", "/books/%00"} {
		w := h.ask("GET", "/api/v1/shelf"+path, "")
		if p := problem(t, w); w.Code != 422 || p.Errors[0].Name != "id" {
			t.Errorf("%s: %d %v", path, w.Code, p.Errors)
		}
	}
}

// FuzzBody holds that whatever is sent is answered with 201 or with a problem of
// the caller's, and that what is let in is JSON to others as well.
func FuzzBody(f *testing.F) {
	h := open(f)
	for _, seed := range []string{
		`{"title":"x"}`, `{"title":"x","parts":[{"name":"a","subs":[{"name":"b"}]}],"any":{"a":[1,null,true]},"names":{"a":"b"}}`,
		`{"title":"\ud83d\ude00"}`, `{"title":"a","pages":1e2}`, `[`, "\xff", `{"title":"x","title":"x"}`, `{"title":`, `-`, `nul`, `"`,
	} {
		f.Add([]byte(seed))
	}
	sh := operationOf(h.api, "createBook").in.shape
	f.Fuzz(func(t *testing.T, body []byte) {
		w := h.ask("POST", "/api/v1/shelf/books", string(body), "Content-Type: application/json")
		switch {
		case w.Code == http.StatusCreated:
			if !json.Valid(body) {
				t.Errorf("%q was let in", body)
			}
		case w.Code < 400 || w.Code >= 500:
			// The shelf's own words, which the fuzzer can find.
			if !strings.Contains(string(body), "panic") {
				t.Errorf("%q: %d %s", body, w.Code, w.Body)
			}
		case w.Code != 409:
			if p := problem(t, w); len(p.Errors) == 0 {
				t.Errorf("%q: %d names no field", body, w.Code)
			}
		}
		if err := check(body, sh); err == nil && !json.Valid(body) {
			t.Errorf("%q is judged good", body)
		}
		if !json.Valid(body) && check(body, anyShape) == nil {
			t.Errorf("%q is judged to be JSON", body)
		}
	})
}

func operationOf(a *API, id string) *operation {
	i := slices.IndexFunc(a.ops, func(o *operation) bool { return o.ID == id })
	return a.ops[i]
}

// FuzzRequest does the same with paths, queries and headers.
func FuzzRequest(f *testing.F) {
	h := open(f)
	f.Add("/api/v1/shelf/books", "limit=20&cursor=c20", "*", "\"7\"")
	f.Add("/api/v1/shelf/books/7", "", "W/\"7\"", "7")
	f.Add("/api/v1/shelf/books/%00", "limit=%ff", ",,", "")
	f.Fuzz(func(t *testing.T, path, query, match, key string) {
		for _, method := range []string{"GET", "PUT", "POST"} {
			r := httptest.NewRequest(method, "/", strings.NewReader(`{"title":"x"}`))
			r.URL.Path, r.URL.RawQuery = path, query
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("If-None-Match", match)
			r.Header.Set("If-Match", match)
			r.Header["Idempotency-Key"] = []string{key}
			w := httptest.NewRecorder()
			h.mux.ServeHTTP(w, r)
			if w.Code >= 500 && path != "/api/v1/shelf/fail" {
				t.Errorf("%s %q?%q: %d %s", method, path, query, w.Code, w.Body)
			}
		}
	})
}
