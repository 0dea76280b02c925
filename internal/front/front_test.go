package front_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/front/fronttest"
)

// fail answers so that a test sees the kind and that it came this way.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("Failed-By", "route")
	http.Error(w, front.RequestID(r.Context())+" "+errs.KindOf(err).Code(), errs.KindOf(err).Status())
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

func route(pattern string, access auth.Role) front.Route {
	return front.Route{Pattern: pattern, Access: access, Handler: http.HandlerFunc(ok), Fail: fail}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// door returns a door with these routes.
func door(o front.Options, routes ...front.Route) *front.Mux {
	if o.Log == nil {
		o.Log = quiet()
	}
	m := front.New(&o)
	for _, r := range routes {
		m.Handle(r)
	}
	return m
}

func get(m http.Handler, method, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, http.NoBody)
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	return w
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func TestMatrix(t *testing.T) {
	hidden := route("GET /drafts/{id}", auth.Author)
	hidden.Hidden = true
	m := door(front.Options{},
		route("GET /{$}", auth.Everyone), route("GET /me", auth.Reader), hidden, route("POST /posts/{path...}", auth.Author),
		route("DELETE /lexicon/{id}", auth.Moderator), route("PUT /users/{id}/role", auth.Operator))
	fronttest.Matrix(t, m, map[string]auth.Role{
		"GET /{$}": auth.Everyone, "GET /me": auth.Reader, "GET /drafts/{id}": auth.Author, "POST /posts/{path...}": auth.Author,
		"DELETE /lexicon/{id}": auth.Moderator, "PUT /users/{id}/role": auth.Operator,
	})
}

func TestRefusals(t *testing.T) {
	m := door(front.Options{Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, "nowhere", errs.KindOf(err).Status())
	}}, route("GET /a", auth.Everyone), route("POST /a", auth.Everyone), route("GET /b", auth.Reader))
	tests := []struct {
		name           string
		method, target string
		status         int
		body           string
	}{
		{"known", "GET", "/a", 200, "ok"},
		{"head", "HEAD", "/a", 200, ""},
		{"unknown", "GET", "/c", 404, "nowhere"},
		{"method", "DELETE", "/a", 405, "nowhere"},
		{"strange method", "BREW", "/a", 405, "nowhere"},
		{"signed out", "GET", "/b", 401, "unauthenticated"},
	}
	for _, tt := range tests {
		w := get(m, tt.method, tt.target)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.body) {
			t.Errorf("%s: %d %s", tt.name, w.Code, w.Body)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy", "X-Request-Id"} {
			if w.Header().Get(name) == "" {
				t.Errorf("%s: no %s", tt.name, name)
			}
		}
	}
	if allow := get(m, "DELETE", "/a").Header().Get("Allow"); allow != "GET, HEAD, POST" {
		t.Errorf("Allow is %q", allow)
	}
}

func TestHandleRefusesMistakes(t *testing.T) {
	bare := route("GET /x", auth.Everyone)
	bare.Fail = nil
	for name, r := range map[string]front.Route{
		"twice": route("GET /a/{b}", auth.Reader), "no method": route("/x", auth.Reader), "all": route("GET /", auth.Reader),
		"no role": route("GET /x", 9), "no fail": bare,
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: was taken", name)
				}
			}()
			door(front.Options{}, route("GET /a/{b}", auth.Everyone), r)
		}()
	}
}

func TestStoreDownKeepsOut(t *testing.T) {
	m := door(front.Options{Authenticate: func(http.ResponseWriter, *http.Request) (*auth.Account, error) {
		return nil, fmt.Errorf("get session: %w", errs.Unavailable)
	}}, route("GET /b", auth.Everyone))
	if w := get(m, "GET", "/b"); w.Code != 503 || w.Header().Get("Failed-By") != "route" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAccountReachesHandler(t *testing.T) {
	r := route("GET /me", auth.Reader)
	r.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, auth.From(r.Context()).Name, " ", front.ClientAddr(r.Context()), " ", front.RequestID(r.Context()) != "")
	})
	m := door(front.Options{Authenticate: func(_ http.ResponseWriter, r *http.Request) (*auth.Account, error) {
		if _, limited := r.Context().Deadline(); !limited {
			return nil, errors.New("no time limit")
		}
		return &auth.Account{ID: "1", Name: "mika", Role: auth.Reader}, nil
	}}, r)
	if w := get(m, "GET", "/me"); w.Body.String() != "mika 192.0.2.1 true" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPanics(t *testing.T) {
	late := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "half"); panic("late") }
	var log bytes.Buffer
	routes := map[string]http.HandlerFunc{
		"GET /early": func(http.ResponseWriter, *http.Request) { panic("early") },
		"GET /late":  late,
		"GET /abort": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	m := door(front.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for pattern, h := range routes {
		r := route(pattern, auth.Everyone)
		r.Handler = h
		m.Handle(r)
	}
	broken := route("GET /broken", auth.Everyone)
	broken.Handler, broken.Fail = routes["GET /early"], func(http.ResponseWriter, *http.Request, error) { panic("fail fails") }
	m.Handle(broken)
	if w := get(m, "GET", "/early"); w.Code != 500 || w.Header().Get("Failed-By") != "route" {
		t.Errorf("early: %d %s", w.Code, w.Body)
	}
	if w := get(m, "GET", "/broken"); w.Code != 500 {
		t.Errorf("broken: %d %s", w.Code, w.Body)
	}
	for _, path := range []string{"/late", "/abort"} {
		func() {
			defer func() {
				if p := recover(); p != http.ErrAbortHandler {
					t.Errorf("%s: the connection is not cut: %v", path, p)
				}
			}()
			get(m, "GET", path)
		}()
	}
	if !strings.Contains(log.String(), "panic=early") || !strings.Contains(log.String(), "front_test.go") {
		t.Errorf("the log does not tell where: %s", log.String())
	}
}

func TestBodyLimit(t *testing.T) {
	read := func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			fail(w, r, errs.TooLarge)
			return
		}
		_, _ = io.WriteString(w, "ok")
	}
	small, big := route("POST /small", auth.Everyone), route("POST /big", auth.Everyone)
	small.Handler, big.Handler, big.MaxBody = http.HandlerFunc(read), http.HandlerFunc(read), 1000
	m := door(front.Options{MaxBody: 10}, small, big)
	for _, tt := range []struct {
		path   string
		n      int
		told   bool
		status int
	}{{"/small", 10, true, 200}, {"/small", 11, true, 413}, {"/small", 11, false, 413}, {"/big", 11, true, 200}, {"/big", 1001, false, 413}} {
		r := httptest.NewRequest("POST", tt.path, strings.NewReader(strings.Repeat("x", tt.n)))
		if !tt.told {
			r.ContentLength = -1
		}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%+v: %d", tt, w.Code)
		}
	}
}

// TestStrangersBodies: a route that takes much takes it from those who are
// signed in.
func TestStrangersBodies(t *testing.T) {
	r := route("POST /big", auth.Everyone)
	r.MaxBody = 1 << 20
	m := door(front.Options{}, r)
	for _, tt := range []struct {
		account *auth.Account
		n       int
		status  int
	}{{nil, 64 << 10, 200}, {nil, 64<<10 + 1, 413}, {&auth.Account{ID: "ann", Role: auth.Reader}, 1 << 20, 200}} {
		req := httptest.NewRequest("POST", "/big", strings.NewReader(strings.Repeat("x", tt.n)))
		if tt.account != nil {
			req = req.WithContext(auth.With(req.Context(), tt.account))
		}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, req)
		if w.Code != tt.status {
			t.Errorf("%d bytes of %v: %d %s", tt.n, tt.account, w.Code, w.Body)
		}
	}
}

func TestTimeout(t *testing.T) {
	slow := route("GET /slow", auth.Everyone)
	slow.Timeout = time.Millisecond
	slow.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	long := route("GET /long", auth.Everyone)
	long.Timeout = -1
	long.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, limited := r.Context().Deadline()
		fmt.Fprint(w, limited)
	})
	m := door(front.Options{}, slow, long)
	if w := get(m, "GET", "/slow"); w.Code != 504 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get(m, "GET", "/long"); w.Body.String() != "false" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestProxies(t *testing.T) {
	r := route("GET /who", auth.Everyone)
	r.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, front.ClientAddr(r.Context()), " ", auth.Secure(r), " ", len(front.RequestID(r.Context())) == 10)
	})
	m := door(front.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}, r)
	for _, tt := range []struct{ remote, forwarded, want string }{
		{"203.0.113.9:5", "198.51.100.1", "203.0.113.9 false false"}, // no proxy of ours
		{"10.0.0.1:5", "", "10.0.0.1 true true"},
		{"10.0.0.1:5", "198.51.100.1", "198.51.100.1 true true"},
		{"10.0.0.1:5", "1.2.3.4, 198.51.100.1, 10.9.9.9", "198.51.100.1 true true"}, // the first was made up
		{"10.0.0.1:5", "198.51.100.1:443", "198.51.100.1 true true"},
		{"[fd00::1]:5", "[2001:db8::7]:80", "2001:db8::7 true true"},
		{"[::ffff:10.0.0.1]:5", "::ffff:198.51.100.1", "198.51.100.1 true true"},
		{"10.0.0.1:5", "198.51.100.1, nonsense", "10.0.0.1 true true"},
	} {
		w := get(m, "GET", "/who", header("X-Forwarded-For", tt.forwarded), header("X-Forwarded-Proto", "http, https"), header("X-Request-Id", "abcdef1234"),
			func(r *http.Request) { r.RemoteAddr = tt.remote })
		if w.Body.String() != tt.want {
			t.Errorf("%s behind %s: %s, want %s", tt.forwarded, tt.remote, w.Body, tt.want)
		}
	}
	if w := get(m, "GET", "/who", header("X-Request-Id", "a\nb bad id"), func(r *http.Request) { r.RemoteAddr = "10.0.0.1:5" }); strings.Contains(w.Header().Get("X-Request-Id"), "bad") {
		t.Error("a nonsensical id was taken")
	}
}

func TestHSTS(t *testing.T) {
	m := door(front.Options{}, route("GET /a", auth.Everyone))
	over := get(m, "GET", "/a", func(r *http.Request) { r.TLS = &tls.ConnectionState{} }).Header().Get("Strict-Transport-Security")
	if plain := get(m, "GET", "/a").Header().Get("Strict-Transport-Security"); plain != "" || !strings.HasPrefix(over, "max-age=63072000") {
		t.Errorf("without TLS %q, with %q", plain, over)
	}
}

func TestCookiesAreNotCached(t *testing.T) {
	r := route("GET /a", auth.Everyone)
	r.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=60")
		if r.URL.RawQuery != "" {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		}
		ok(w, r)
	})
	m := door(front.Options{}, r)
	if got := get(m, "GET", "/a?x").Header().Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("with a cookie: %q", got)
	}
	if got := get(m, "GET", "/a").Header().Get("Cache-Control"); got != "public, max-age=60" {
		t.Errorf("without: %q", got)
	}
}

func TestTrustedOrigin(t *testing.T) {
	m := door(front.Options{TrustedOrigins: []string{"https://friend.example"}}, route("POST /a", auth.Everyone))
	if w := get(m, "POST", "/a", header("Origin", "https://friend.example"), header("Sec-Fetch-Site", "cross-site")); w.Code != 200 {
		t.Errorf("a trusted origin: %d", w.Code)
	}
}

func TestLogAndMetrics(t *testing.T) {
	var log bytes.Buffer
	probe := route("GET /probe", auth.Everyone)
	probe.Quiet = true
	noted := route("GET /noted/{id}", auth.Everyone)
	noted.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		front.Note(r.Context(), errors.New("the disk is full"))
		w.WriteHeader(500)
	})
	m := door(front.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, route("GET /a/{id}", auth.Everyone), probe, noted)
	get(m, "GET", "/a/secret-id")
	get(m, "GET", "/probe")
	get(m, "GET", "/noted/1")
	get(m, "BREW", "/nowhere")
	for _, want := range []string{"path=/a/secret-id", `route="GET /a/{id}"`, "status=200", "bytes=2", "addr=192.0.2.1", "request_id=", `error="the disk is full"`, "level=ERROR"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "/probe") {
		t.Error("a quiet route is in the log")
	}
	w := httptest.NewRecorder()
	m.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", http.NoBody))
	for _, want := range []string{
		`pressroom_http_request_duration_seconds_count{method="GET",route="/a/{id}",status="2xx"} 1`,
		`pressroom_http_request_duration_seconds_count{method="GET",route="/noted/{id}",status="5xx"} 1`,
		`pressroom_http_request_duration_seconds_count{method="OTHER",route="unknown",status="4xx"} 1`,
		"pressroom_http_requests_in_flight 0", "go_goroutines",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the numbers lack %s", want)
		}
	}
	if strings.Contains(w.Body.String(), "secret-id") {
		t.Error("an id is a label")
	}
}

// What stands for a token in a path is nowhere in the log, also where the path is
// not quite that of the route.
func TestSecretPaths(t *testing.T) {
	var log bytes.Buffer
	failing := route("GET /preview/{token}", auth.Everyone)
	failing.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		front.Note(r.Context(), fmt.Errorf("show %s: the disk is full", front.Path(r.Context())))
		w.WriteHeader(500)
	})
	m := door(front.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, failing, route("GET /a/{id}", auth.Everyone))
	for _, path := range []string{"/preview/s3cr3t", "/preview/s3cr3t/", "/preview/s3cr3t.", "//preview//s3cr3t", "/a/../preview/s3cr3t", "/preview/%73%33cr3t", "/preview/s3cr3t?x=1", "/a/1?token=s3cr3t"} {
		for _, method := range []string{"GET", "HEAD", "POST", "BREW"} {
			get(m, method, path)
		}
	}
	if strings.Contains(log.String(), "s3cr3t") {
		t.Errorf("the log has the secret:\n%s", log.String())
	}
	if !strings.Contains(log.String(), "path=/preview/[secret]") || !strings.Contains(log.String(), "path=/a/1") {
		t.Errorf("the log lacks the paths:\n%s", log.String())
	}
}

func TestOutsideOfARequest(t *testing.T) {
	ctx := context.Background()
	front.Note(ctx, errs.Internal)
	if front.RequestID(ctx) != "" || front.Path(ctx) != "" || front.ClientAddr(ctx).IsValid() {
		t.Error("there is no request")
	}
}
