package api

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/front/fronttest"
)

// token makes an account of the role and a token for it.
func (h *house) token(t testing.TB, role auth.Role, scopes ...auth.Scope) (id, bearer string) {
	t.Helper()
	name := role.String() + "-" + string(scopes[0])
	account, err := h.accounts.Add(t.Context(), auth.NewAccount{Name: strings.ReplaceAll(name, ":", "-"), Password: "correct horse battery", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := h.accounts.AddToken(t.Context(), account.ID, auth.NewToken{Name: "test", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return account.ID, "Authorization: Bearer " + secret
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder, status int) T {
	t.Helper()
	var v T
	if w.Code != status {
		t.Fatalf("%d %s, want %d", w.Code, w.Body, status)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return v
}

func TestMeAndTokens(t *testing.T) {
	h := open(t)
	if p := problem(t, h.ask("GET", "/api/v1/me", "")); p.Code != "unauthenticated" || p.RequestID == "" {
		t.Errorf("signed out: %+v", p)
	}
	id, bearer := h.token(t, auth.Author, "admin")
	w := h.ask("GET", "/api/v1/me", "", bearer)
	if me := decode[Me](t, w, 200); me.ID != id || me.Role != auth.Author || me.Via != "token" || len(me.Scopes) != 1 {
		t.Errorf("%+v", me)
	}
	if got := w.Header().Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("Cache-Control %q", got)
	}
	if w := h.ask("POST", "/api/v1/tokens", `{"name":"import","scopes":["blog:write"]}`, bearer); w.Code != 403 {
		t.Errorf("a token makes another: %d %s", w.Code, w.Body)
	}
	account, err := h.accounts.Account(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	account.Via.Session = "browser"
	h.as = account
	made := h.ask("POST", "/api/v1/tokens", `{"name":"import","scopes":["blog:write"]}`, "Idempotency-Key: k")
	token := decode[SecretToken](t, made, 201)
	if !strings.HasPrefix(token.Secret, "prt_") || token.Name != "import" {
		t.Errorf("%+v", token)
	}
	if again := h.ask("POST", "/api/v1/tokens", `{"name":"import","scopes":["blog:write"]}`, "Idempotency-Key: k"); again.Code != 409 {
		t.Errorf("again: %d %s", again.Code, again.Body)
	}
	list := h.ask("GET", "/api/v1/tokens", "")
	if page := decode[List[Token]](t, list, 200); len(page.Items) != 2 || strings.Contains(list.Body.String(), "prt_") {
		t.Errorf("%s", list.Body)
	}
	if w := h.ask("POST", "/api/v1/tokens", `{"name":"x","scopes":["everything"]}`); w.Code != 422 {
		t.Errorf("an unknown scope: %d %s", w.Code, w.Body)
	}
	if w := h.ask("DELETE", "/api/v1/tokens/"+token.ID, ""); w.Code != 204 {
		t.Errorf("revoke: %d %s", w.Code, w.Body)
	}
	h.as = nil
	if w := h.ask("GET", "/api/v1/me", "", "Authorization: Bearer "+token.Secret); w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("a revoked token: %d", w.Code)
	}
}

func TestUsers(t *testing.T) {
	h := open(t)
	_, operator := h.token(t, auth.Operator, "admin")
	_, author := h.token(t, auth.Author, "admin")
	if w := h.ask("GET", "/api/v1/users", "", author); w.Code != 403 {
		t.Errorf("an author: %d", w.Code)
	}
	made := h.ask("POST", "/api/v1/users", `{"name":"ann","role":"reader","password":"correct horse battery"}`, operator)
	user := decode[User](t, made, 201)
	at := made.Header().Get("Location")
	if at != "/api/v1/users/"+user.ID || user.Role != auth.Reader {
		t.Errorf("%s %+v", at, user)
	}
	if w := h.ask("POST", "/api/v1/users", `{"name":"ann","role":"reader"}`, operator); w.Code != 409 {
		t.Errorf("a name twice: %d %s", w.Code, w.Body)
	}
	if p := problem(t, h.ask("POST", "/api/v1/users", `{"name":"bob","role":"king"}`, operator)); len(p.Errors) != 1 || p.Errors[0].Name != "role" {
		t.Errorf("a role that is none: %+v", p)
	}
	tag := h.ask("GET", at, "", operator).Header().Get("ETag")
	if w := h.ask("PATCH", at, `{"role":"author"}`, operator); w.Code != 428 {
		t.Errorf("without If-Match: %d", w.Code)
	}
	changed := decode[User](t, h.ask("PATCH", at, `{"role":"author"}`, operator, "If-Match: "+tag), 200)
	if changed.Role != auth.Author {
		t.Errorf("%+v", changed)
	}
	if w := h.ask("PATCH", at, `{"disabled":true}`, operator, "If-Match: "+tag); w.Code != 412 {
		t.Errorf("stale: %d %s", w.Code, w.Body)
	}
	page := decode[List[User]](t, h.ask("GET", "/api/v1/users?limit=2", "", operator), 200)
	if len(page.Items) != 2 || page.NextCursor == "" {
		t.Errorf("%+v", page)
	}
	if p := problem(t, h.ask("GET", "/api/v1/users?cursor=forged", "", operator)); p.Status >= 500 || p.Errors[0].Name != "cursor" {
		t.Errorf("a forged cursor: %+v", p)
	}
	if w := h.ask("DELETE", at, "", operator, "If-Match: *"); w.Code != 204 {
		t.Errorf("delete: %d %s", w.Code, w.Body)
	}
	if w := h.ask("GET", at, "", operator); w.Code != 404 {
		t.Errorf("after that: %d", w.Code)
	}
}

// Everyone gets in exactly where this table says.
func TestMatrix(t *testing.T) {
	h := open(t)
	table := map[string]auth.Role{
		"GET /api/v1/me": auth.Reader, "GET /api/v1/tokens": auth.Reader, "POST /api/v1/tokens": auth.Reader, "DELETE /api/v1/tokens/{id}": auth.Reader,
		"GET /api/v1/users": auth.Operator, "GET /api/v1/users/{id}": auth.Operator, "POST /api/v1/users": auth.Operator,
		"PATCH /api/v1/users/{id}": auth.Operator, "DELETE /api/v1/users/{id}": auth.Operator, "GET /api/v1/shelf/cellar": auth.Author,
	}
	public := []string{
		"GET /api", "GET /api/v1", "GET /api/openapi.json", "GET /api/docs", "GET /api/docs.css",
		"GET /api/", "POST /api/", "PUT /api/", "PATCH /api/", "DELETE /api/", "OPTIONS /api/",
		"GET /api/v1/shelf/books", "GET /api/v1/shelf/books/{id}", "POST /api/v1/shelf/books", "PUT /api/v1/shelf/books/{id}",
		"DELETE /api/v1/shelf/books/{id}", "POST /api/v1/shelf/scans", "POST /api/v1/shelf/keys", "GET /api/v1/shelf/fail",
	}
	for _, pattern := range public {
		table[pattern] = auth.Everyone
	}
	fronttest.Matrix(t, h.mux, table)
}

func TestTooMany(t *testing.T) {
	mux := front.New(&front.Options{Log: slog.New(slog.DiscardHandler), PerAddress: front.Rate{PerSecond: 0.5, Burst: 2}})
	a := New(mux, nil)
	(&shelf{}).register(a)
	h := &house{mux: mux}
	h.ask("GET", "/api/v1", "")
	h.ask("GET", "/api/v1", "")
	w := h.ask("GET", "/api/v1", "")
	if p := problem(t, w); p.Code != "rate_limited" || w.Header().Get("Retry-After") != "2" {
		t.Errorf("%+v, Retry-After %q", p, w.Header().Get("Retry-After"))
	}
}
