package auth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"

	"pressroom/internal/errs"
)

// member is someone whom the provider knows. Its claims are what the provider
// signs, so that a test can have it sign what it should not.
type member struct {
	subject string
	claims  map[string]any
}

func (m member) ID() string { return m.subject }

func (m member) Userinfo([]string) ([]byte, error) { return []byte("{}"), nil }

func (m member) Claims(_ []string, base *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	all := jwt.MapClaims{
		"iss": base.Issuer, "sub": base.Subject, "aud": base.Audience, "nonce": base.Nonce,
		"exp": base.ExpiresAt.Unix(), "iat": base.IssuedAt.Unix(),
	}
	for name, value := range m.claims {
		all[name] = value
	}
	return all, nil
}

// cognito is a member as Amazon Cognito describes one.
func cognito(subject, name string, groups ...string) member {
	return member{subject, map[string]any{
		"cognito:username": name, "cognito:groups": groups, "email": name + "@example.org", "email_verified": true,
	}}
}

const callback = "https://news.example/sign-in/callback"

func withProvider(t *testing.T, change func(*OIDC)) (*house, *mockoidc.MockOIDC) {
	t.Helper()
	m, err := mockoidc.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Shutdown() }) // a test may have stopped it
	o := &OIDC{Issuer: m.Issuer(), ClientID: m.ClientID, ClientSecret: m.ClientSecret, RedirectURL: callback, Scopes: []string{"profile", "email"}}
	if change != nil {
		change(o)
	}
	return open(t, Options{OIDC: o}), m
}

// visit begins a sign-in and lets the provider answer: it returns the address
// that the browser is sent back to.
func (b *browser) visit(m *mockoidc.MockOIDC, who mockoidc.User) *url.URL {
	b.t.Helper()
	w := httptest.NewRecorder()
	there, err := b.h.StartOIDC(w, b.request(), "/blog?tag=a")
	if err != nil {
		b.t.Fatal(err)
	}
	b.keep(w)
	q, _ := url.Parse(there)
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Query().Get(name)) != secretLen {
			b.t.Errorf("%s is %q", name, q.Query().Get(name))
		}
	}
	if q.Query().Get("code_challenge_method") != "S256" || q.Query().Get("redirect_uri") != callback {
		b.t.Errorf("asked for %s", there)
	}
	m.QueueUser(who)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(there)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = res.Body.Close()
	back, err := res.Location()
	if err != nil {
		b.t.Fatalf("the provider answers %s: %v", res.Status, err)
	}
	return back
}

func (b *browser) comeBack(u *url.URL) (*Account, string, error) {
	r := b.request()
	r.URL = u
	w := httptest.NewRecorder()
	a, to, err := b.h.FinishOIDC(w, r)
	b.keep(w)
	return a, to, err
}

func TestOIDC(t *testing.T) {
	h, m := withProvider(t, nil)
	h.add(t, "mika", Reader) // has the name first
	b := h.browser(t)
	b.secure = true
	first, to, err := b.comeBack(b.visit(m, cognito("s-1", "Mika", "staff", "author")))
	if err != nil {
		t.Fatal(err)
	}
	if to != "/blog?tag=a" || first.Role != Author || first.Local || first.Email != "Mika@example.org" || first.Name == "mika" {
		t.Errorf("%+v, back to %s", first, to)
	}
	if _, kept := b.cookies["__Host-pressroom-flow"]; kept {
		t.Error("the cookie of the flow is kept")
	}
	if who := b.who(); who == nil || who.ID != first.ID {
		t.Errorf("%+v with %v", who, b.cookies)
	}
	_, err = b.signIn(first.Name, "")
	is(t, "a password for an account that has none", err, errs.Unauthenticated)

	// The provider's groups count at every sign-in, up and down.
	for _, tt := range []struct {
		groups []string
		want   Role
	}{{[]string{"operator"}, Operator}, {[]string{"moderator", "reader"}, Moderator}, {nil, Reader}, {[]string{"everyone", "root"}, Reader}} {
		again, _, err := b.comeBack(b.visit(m, cognito("s-1", "Mika", tt.groups...)))
		if err != nil || again.ID != first.ID || again.Role != tt.want {
			t.Errorf("%v: %+v, %v", tt.groups, again, err)
		}
	}
	is(t, "disable", h.SetDisabled(t.Context(), first.ID, true), nil)
	_, _, err = b.comeBack(b.visit(m, cognito("s-1", "Mika")))
	is(t, "a disabled account", err, errs.Unauthenticated)

	other, _, err := b.comeBack(b.visit(m, cognito("s-2", "Mika")))
	if err != nil || other.ID == first.ID || other.Name == first.Name {
		t.Errorf("another subject: %+v, %v", other, err)
	}
	is(t, "delete", h.Delete(t.Context(), other.ID), nil)
	anew, _, err := b.comeBack(b.visit(m, cognito("s-2", "Mika")))
	if err != nil || anew.ID == other.ID {
		t.Errorf("after its deletion: %+v, %v", anew, err)
	}
}

func TestOIDCClaims(t *testing.T) {
	h, m := withProvider(t, func(o *OIDC) {
		o.RolesClaim, o.Roles, o.Default = "teams", map[string]Role{"desk": Author, "chiefs": Operator}, Reader
	})
	b := h.browser(t)
	for _, tt := range []struct {
		claim any
		want  Role
	}{{[]string{"desk"}, Author}, {"desk chiefs", Operator}, {"desk,unknown", Author}, {[]string{"operator"}, Reader}, {42, Reader}, {[]any{1, nil, "desk"}, Author}} {
		a, _, err := b.comeBack(b.visit(m, member{"s", map[string]any{"teams": tt.claim, "preferred_username": "kei", "email": "kei@example.org", "email_verified": false}}))
		if err != nil || a.Role != tt.want || a.Email != "" || a.Name != "kei" {
			t.Errorf("%v: %+v, %v", tt.claim, a, err)
		}
	}
}

func TestOIDCRefuses(t *testing.T) {
	h, m := withProvider(t, nil)
	good := cognito("s-1", "mika")
	refused := func(what string, b *browser, u *url.URL) {
		t.Helper()
		a, _, err := b.comeBack(u)
		is(t, what, err, errs.Unauthenticated)
		if a != nil || b.who() != nil {
			t.Errorf("%s: signed in", what)
		}
	}
	with := func(u *url.URL, name, value string) *url.URL {
		changed, q := *u, u.Query()
		q.Set(name, value)
		changed.RawQuery = q.Encode()
		return &changed
	}
	b := h.browser(t)
	back := b.visit(m, good)
	refused("another browser", h.browser(t), back)
	stranger := h.browser(t)
	stranger.visit(m, good)
	refused("a browser with a sign-in of its own", stranger, back)
	refused("no state", b, with(back, "state", ""))
	refused("a made-up state", b, with(back, "state", newSecret()))
	if _, _, err := b.comeBack(back); err != nil {
		t.Fatal("none of that may spoil the real answer: ", err)
	}
	b.cookies["pressroom"] = ""
	refused("the same answer again", b, back)

	b = h.browser(t)
	evil := h.browser(t).visit(m, cognito("s-evil", "eve"))
	refused("a code of another's sign-in", b, with(b.visit(m, good), "code", evil.Query().Get("code")))
	refused("a made-up code", b, with(b.visit(m, good), "code", "guess"))
	refused("an error", b, with(b.visit(m, good), "error", "access_denied"))
	late := b.visit(m, good)
	h.pass(11 * time.Minute)
	refused("too late", b, late)

	for what, claims := range map[string]map[string]any{
		"another nonce":    {"nonce": newSecret()},
		"no nonce":         {"nonce": ""},
		"another audience": {"aud": "other-client"},
		"another issuer":   {"iss": "https://evil.example"},
		"an old token":     {"exp": time.Now().Add(-time.Hour).Unix()},
	} {
		refused(what, b, b.visit(m, member{"s-1", claims}))
	}
	back = b.visit(m, good)
	// Providers change their keys while sign-ins are under way.
	fresh, err := mockoidc.NewKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Keypair = fresh
	if _, _, err := b.comeBack(back); err != nil {
		t.Errorf("a new key that the provider publishes: %v", err)
	}
}

func TestOIDCDown(t *testing.T) {
	h, m := withProvider(t, nil)
	if err := m.Shutdown(); err != nil {
		t.Fatal(err)
	}
	_, err := h.StartOIDC(httptest.NewRecorder(), h.browser(t).request(), "/")
	is(t, "a provider that is down", err, errs.Unavailable)
	none := open(t, Options{})
	_, err = none.StartOIDC(httptest.NewRecorder(), none.browser(t).request(), "/")
	is(t, "no provider", err, errs.NotFound)
	_, _, err = none.FinishOIDC(httptest.NewRecorder(), none.browser(t).request())
	is(t, "no provider", err, errs.NotFound)
	if none.HasOIDC() || !h.HasOIDC() {
		t.Error("HasOIDC")
	}
}

func TestLocalPath(t *testing.T) {
	for text, want := range map[string]string{
		"/": "/", "/blog?a=b#c": "/blog?a=b#c", "": "/", "blog": "/", "//evil.example": "/", "https://evil.example/": "/",
		"/\\evil.example": "/", "/a\nb": "/", "/\t/evil.example": "/", "javascript:alert(1)": "/", "///evil.example": "/",
	} {
		if got := LocalPath(text); got != want {
			t.Errorf("%q leads to %q", text, got)
		}
	}
}
