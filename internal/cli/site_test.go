package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/front/fronttest"
)

func openTestSite(t *testing.T) *site {
	t.Helper()
	set, st := openTestStore(t)
	s, err := openSite(t.Context(), set, true, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openTestStore opens a store in a directory of its own, with the settings of a
// server by default. It is closed with the test.
func openTestStore(t *testing.T) (serverSettings, *store) {
	t.Helper()
	set := testSettings(t)
	set.Data = t.TempDir()
	st, err := openStore(set.storeSettings, set.endpointSettings, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return set, st
}

// openPreparedStore is openTestStore with all tables and buckets.
func openPreparedStore(t *testing.T) (serverSettings, *store) {
	t.Helper()
	set, st := openTestStore(t)
	if err := prepareStore(t.Context(), set, st); err != nil {
		t.Fatal(err)
	}
	return set, st
}

// testSettings are the settings of a server by default.
func testSettings(t *testing.T) serverSettings {
	t.Helper()
	var g grammar
	src := newSources(nil)
	parser, err := newParser(&g, Process{}, src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"serve"}); err != nil {
		t.Fatal(err)
	}
	return g.Serve.serverSettings
}

func TestSite(t *testing.T) {
	s := openTestSite(t)
	get := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w
	}
	tests := []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/", 200, "text/html"},
		{"GET", "/styleguide", 200, "text/html"},
		{"GET", s.setup, 200, "text/html"},
		{"GET", "/feed.atom", 200, "application/atom+xml"},
		{"GET", "/nothing", 404, "text/html"},
		{"POST", "/", 405, "text/html"},
		{"GET", "/api/openapi.json", 200, "application/"},
		{"GET", "/api/v1/nothing", 404, "application/problem+json"},
		{"GET", "/metrics", 404, "text/html"},
	}
	for _, tt := range tests {
		w := get(tt.method, tt.path)
		if w.Code != tt.status || !strings.HasPrefix(w.Header().Get("Content-Type"), tt.kind) {
			t.Errorf("%s %s answers %d %s, want %d %s", tt.method, tt.path, w.Code, w.Header().Get("Content-Type"), tt.status, tt.kind)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s %s has the policy %q", tt.method, tt.path, csp)
		}
	}
}

// Every route of the product, for every role, signed out, and from other sites.
func TestAccess(t *testing.T) {
	text, err := os.ReadFile("testdata/access.txt")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]auth.Role{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "#") || len(fields) == 0 {
			continue
		}
		role, err := auth.ParseRole(fields[0])
		if err != nil || len(fields) != 3 {
			t.Fatalf("%q is not a role, a method and a path", line)
		}
		table[fields[1]+" "+fields[2]] = role
	}
	set, st := openTestStore(t)
	set.SMTPAddr, set.LettersFrom = "127.0.0.1:1", "news@example.org" // with all that needs letters
	s, err := openSite(t.Context(), set, true, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	fronttest.Matrix(t, s.mux, table)
}

// Where people sign in through a provider alone, there are no local forms.
func TestProviderOnly(t *testing.T) {
	set, st := openTestStore(t)
	set.PublicURL, set.OIDCIssuer, set.OIDCClientID, set.OIDCOnly = "https://news.example", "https://id.example", "us", true
	set.SMTPAddr, set.LettersFrom = "127.0.0.1:1", "news@example.org"
	s, err := openSite(t.Context(), set, true, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if s.setup != "" {
		t.Errorf("a link %s to make an operator with a password", s.setup)
	}
	for path, methods := range map[string][]string{
		"/register": {"GET", "POST"}, "/register/confirm": {"GET", "POST"}, "/reset": {"GET", "POST"}, "/reset/confirm": {"GET", "POST"},
		"/setup": {"GET", "POST"}, "/sign-in": {"POST"}, "/account/password": {"POST"}, "/account/address": {"GET", "POST"},
		"/office/users": {"POST"}, "/office/users/x/password": {"POST"}, "/sign-in/passkey": {"POST"},
	} {
		for _, method := range methods {
			w := httptest.NewRecorder()
			s.mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if w.Code != 404 && w.Code != 405 {
				t.Errorf("%s %s answers %d", method, path, w.Code)
			}
		}
	}
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, httptest.NewRequest("GET", "/sign-in", nil))
	if body := w.Body.String(); w.Code != 200 || strings.Contains(body, `type="password"`) || !strings.Contains(body, "/sign-in/provider") {
		t.Errorf("the sign-in page: %d %s", w.Code, body)
	}
}

// Once there is an operator, no link is printed; metrics are for operators.
func TestSiteWithOperator(t *testing.T) {
	s := openTestSite(t)
	if _, err := s.auth.Add(t.Context(), auth.NewAccount{Name: "ann", Password: "correct horse battery", Role: auth.Operator}); err != nil {
		t.Fatal(err)
	}
	s.setup = ""
	if err := s.checkFirstRun(t.Context()); err != nil || s.setup != "" {
		t.Errorf("set-up link %q, %v", s.setup, err)
	}
	ann, err := s.auth.Named(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := s.auth.AddToken(t.Context(), ann.ID, auth.NewToken{Name: "prometheus", Scopes: []auth.Scope{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	if w.Code != 200 || !strings.Contains(w.Body.String(), "pressroom_http") {
		t.Errorf("metrics answer %d", w.Code)
	}
}

func TestSiteSettings(t *testing.T) {
	var base publicURL
	for text, want := range map[string]string{"https://news.example": "https://news.example", "http://localhost:80/": "http://localhost:80"} {
		if err := base.UnmarshalText([]byte(text)); err != nil || string(base) != want {
			t.Errorf("%s is %s, %v", text, base, err)
		}
	}
	for _, text := range []string{"news.example", "ftp://a", "https://a/b", "https://a?b", ""} {
		if err := base.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	var n network
	for text, want := range map[string]string{"10.1.0.0/8": "10.0.0.0/8", "127.0.0.1": "127.0.0.1/32", "::1": "::1/128"} {
		if err := n.UnmarshalText([]byte(text)); err != nil || n.String() != want {
			t.Errorf("%s is %s, %v", text, n, err)
		}
	}
	if err := n.UnmarshalText([]byte("ten")); err == nil {
		t.Error("a word is a network")
	}
	if _, err := (siteSettings{OIDCIssuer: "https://id.example"}).oidc(); err == nil {
		t.Error("a provider without a way back is taken")
	}
}
