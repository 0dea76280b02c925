package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

func encode[T any](v *T) ([]byte, error) {
	return encoderOf(reflect.TypeFor[T]())(nil, reflect.ValueOf(v).Elem())
}

// openValidator reads the specification with a library that is not ours.
func openValidator(t *testing.T, h *house) validator.Validator {
	t.Helper()
	doc, err := libopenapi.NewDocument(h.ask("GET", "/api/openapi.json", "").Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	v, problems := validator.NewValidator(doc)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return v
}

// The specification is what OpenAPI's own schema allows.
func TestSpecificationIsValid(t *testing.T) {
	ok, problems := openValidator(t, open(t)).ValidateDocument()
	for _, p := range problems {
		t.Errorf("%s: %s", p.Message, p.Reason)
		for _, s := range p.SchemaValidationErrors {
			t.Errorf("  %s: %s", s.FieldPath, s.Reason)
		}
	}
	if !ok {
		t.Error("not valid")
	}
}

// Every route under /api/v1 is an operation of the specification, and every
// operation a route.
func TestRoutesAreOperations(t *testing.T) {
	h := open(t)
	var routes, operations []string
	for _, r := range h.mux.Routes() {
		if strings.HasPrefix(r.Path(), Base) {
			routes = append(routes, r.Method()+" "+documentPath(r.Path()))
		}
	}
	var spec struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(h.ask("GET", "/api/openapi.json", "").Body.Bytes(), &spec); err != nil {
		t.Fatal(err)
	}
	for path, methods := range spec.Paths {
		for method := range methods {
			operations = append(operations, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(routes)
	slices.Sort(operations)
	if diff := cmp.Diff(routes, operations); diff != "" {
		t.Errorf("routes and operations (-routes +operations):\n%s", diff)
	}
	if len(routes) < 10 {
		t.Errorf("only %d routes", len(routes))
	}
}

// What is answered is what the specification says.
func TestAnswersAreAsSpecified(t *testing.T) {
	h := open(t)
	v := openValidator(t, h)
	asks := []struct {
		method, target, body string
		headers              []string
		status               int
	}{
		{"GET", "/api/v1", "", nil, 200},
		{"GET", "/api/v1/shelf/books", "", nil, 200},
		{"GET", "/api/v1/shelf/books?limit=100", "", nil, 200},
		{"GET", "/api/v1/shelf/books?limit=0", "", nil, 422},
		{"GET", "/api/v1/shelf/books/7", "", nil, 200},
		{"GET", "/api/v1/shelf/books/none", "", nil, 404},
		{"GET", "/api/v1/shelf/fail", "", nil, 500},
		{"POST", "/api/v1/shelf/books", `{"title":"x","tags":["a"]}`, nil, 201},
		{"POST", "/api/v1/shelf/books", `{"title":"x"`, nil, 400},
		{"POST", "/api/v1/shelf/books", `{"title":"taken"}`, nil, 409},
		{"PUT", "/api/v1/shelf/books/7", `{"title":"x"}`, []string{`If-Match: "7"`}, 200},
		{"PUT", "/api/v1/shelf/books/7", `{"title":"x"}`, []string{`If-Match: "6"`}, 412},
		{"PUT", "/api/v1/shelf/books/7", `{"title":"x"}`, nil, 428},
		{"DELETE", "/api/v1/shelf/books/7", "", nil, 204},
		{"POST", "/api/v1/shelf/scans", "x", []string{"Content-Type: image/png"}, 202},
		{"POST", "/api/v1/shelf/scans", "x", []string{"Content-Type: image/gif"}, 415},
	}
	for _, ask := range asks {
		w := h.ask(ask.method, ask.target, ask.body, ask.headers...)
		if w.Code != ask.status {
			t.Errorf("%s %s: %d %s, want %d", ask.method, ask.target, w.Code, w.Body, ask.status)
			continue
		}
		r := httptest.NewRequest(ask.method, ask.target, http.NoBody)
		ok, problems := v.ValidateHttpResponse(r, w.Result())
		if ok {
			continue
		}
		for _, p := range problems {
			t.Errorf("%s %s: %s: %s %v", ask.method, ask.target, p.Message, p.Reason, p.SchemaValidationErrors)
		}
	}
	// The judge judges: an answer with a member too many is refused.
	r := httptest.NewRequest(http.MethodGet, "/api/v1/shelf/books/7", http.NoBody)
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.WriteString(`{"id":"7","title":"x","tags":[],"version":1,"more":1}`)
	if ok, _ := v.ValidateHttpResponse(r, w.Result()); ok {
		t.Error("the validator lets everything through")
	}
}

func TestDocumentationPage(t *testing.T) {
	h := open(t)
	w := h.ask("GET", "/api/docs", "")
	page := w.Body.String()
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", w.Code, w.Header().Get("Content-Type"))
	}
	for _, o := range h.api.ops {
		if !strings.Contains(page, `<article id="`+o.ID+`">`) {
			t.Errorf("%s is not on the page", o.ID)
		}
	}
	for _, bad := range []string{"<script", "style=", "onclick", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	loads := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	ids := regexp.MustCompile(` id="([^"]*)"`)
	known := map[string]bool{}
	for _, m := range ids.FindAllStringSubmatch(page, -1) {
		if known[m[1]] {
			t.Errorf("the id %s is there twice", m[1])
		}
		known[m[1]] = true
	}
	for _, m := range loads.FindAllStringSubmatch(page, -1) {
		switch to := m[1]; {
		case strings.HasPrefix(to, "#"):
			if !known[to[1:]] {
				t.Errorf("a link leads nowhere: %s", to)
			}
		case !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//"):
			t.Errorf("the page leads outside: %s", to)
		}
	}
	if css := h.ask("GET", "/api/docs.css", ""); css.Code != 200 || strings.Contains(css.Body.String(), "url(") {
		t.Errorf("style: %d", css.Code)
	}
}
