package auth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

func TestSignInAndOut(t *testing.T) {
	h := open(t, Options{})
	made := h.add(t, "mika", Author)
	b := h.browser(t)
	if b.who() != nil {
		t.Fatal("someone is there before signing in")
	}
	for _, wrong := range [][2]string{{"mika", "wrong password"}, {"nobody", secretWord}, {"", ""}, {"mi ka", secretWord}, {"mika", strings.Repeat("x", 5000)}} {
		_, err := b.signIn(wrong[0], wrong[1])
		is(t, wrong[0], err, errs.Unauthenticated)
		if errs.Message(err) != "Name or password is wrong." {
			t.Errorf("%v: the answer tells more: %s", wrong, errs.Message(err))
		}
	}
	got, err := b.signIn("MIKA", secretWord)
	if err != nil || got.ID != made.ID || got.Via.Session == "" || got.SignedIn != h.now {
		t.Fatalf("%+v, %v", got, err)
	}
	first := b.cookies["pressroom"]
	if who := b.who(); who == nil || who.ID != made.ID || who.Role != Author || who.Via.Session != got.Via.Session {
		t.Fatalf("%+v", who)
	}
	// A second sign-in in the same browser is another session; the first is over.
	if _, err := b.signIn("mika", secretWord); err != nil || b.cookies["pressroom"] == first {
		t.Fatal("the session was kept", err)
	}
	thief := h.browser(t)
	thief.cookies["pressroom"] = first
	if thief.who() != nil {
		t.Error("the old session still works")
	}
	w := httptest.NewRecorder()
	is(t, "sign out", h.SignOut(w, b.request()), nil)
	stolen := b.cookies["pressroom"]
	b.keep(w)
	if _, kept := b.cookies["pressroom"]; kept || b.who() != nil {
		t.Error("still signed in")
	}
	thief.cookies["pressroom"] = stolen
	if thief.who() != nil {
		t.Error("a session works after signing out")
	}
	is(t, "sign out again", h.SignOut(httptest.NewRecorder(), b.request()), nil)
}

func TestCookie(t *testing.T) {
	for _, secure := range []bool{false, true} {
		h := open(t, Options{})
		h.add(t, "mika", Reader)
		b := h.browser(t)
		b.secure = secure
		w := httptest.NewRecorder()
		if _, err := h.SignIn(w, b.request(), Credentials{Name: "mika", Password: secretWord}); err != nil {
			t.Fatal(err)
		}
		c := w.Result().Cookies()[0]
		name := map[bool]string{false: "pressroom", true: "__Host-pressroom"}[secure]
		if c.Name != name || c.Secure != secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || len(c.Value) != 69 {
			t.Errorf("%+v", c)
		}
		// The table holds a hash, never the cookie.
		page, err := h.Sessions(t.Context(), c.Value[:idLen], List{})
		if err != nil || len(page.Items) != 1 || strings.Contains(c.Value, page.Items[0].ID) {
			t.Errorf("%+v, %v", page, err)
		}
	}
}

func TestBrokenCookies(t *testing.T) {
	h := open(t, Options{})
	h.add(t, "mika", Reader)
	b := h.browser(t)
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	good := b.cookies["pressroom"]
	last := "A"
	if strings.HasSuffix(good, "A") {
		last = "B"
	}
	for _, bad := range []string{"", "x", good[1:], good + "A", good[:len(good)-1] + last, strings.Repeat("#", 69), "1" + good[1:], strings.ToLower(good)} {
		b.cookies["pressroom"] = bad
		if b.who() != nil {
			t.Errorf("%q opens a session", bad)
		}
	}
}

func TestSessionExpires(t *testing.T) {
	h := open(t, Options{SessionIdle: time.Hour, SessionMax: 3 * time.Hour, SessionRotate: 24 * time.Hour})
	h.add(t, "mika", Reader)
	idle, busy := h.browser(t), h.browser(t)
	for _, b := range []*browser{idle, busy} {
		if _, err := b.signIn("mika", secretWord); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		h.pass(30 * time.Minute)
		if busy.who() == nil {
			t.Fatalf("the session that is used ended at %s", h.now)
		}
	}
	if idle.who() != nil {
		t.Error("the session that is not used goes on")
	}
	h.pass(30 * time.Minute)
	if busy.who() != nil {
		t.Error("a session goes on forever")
	}
}

func TestRotation(t *testing.T) {
	h := open(t, Options{SessionRotate: time.Hour})
	account := h.add(t, "mika", Reader)
	h.add(t, "boss", Operator)
	b := h.browser(t)
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	old := b.cookies["pressroom"]
	b.who()
	if b.cookies["pressroom"] != old {
		t.Fatal("rotated too early")
	}
	rotatesOnce := func(why string) {
		t.Helper()
		old := b.cookies["pressroom"]
		var wg sync.WaitGroup
		var fresh atomic.Int32
		for range 8 {
			wg.Go(func() {
				w := httptest.NewRecorder()
				who, err := h.Authenticate(w, b.request())
				if err != nil || who == nil {
					t.Errorf("%s: a request under way is turned out: %v", why, err)
				}
				fresh.Add(int32(len(w.Result().Cookies())))
			})
		}
		wg.Wait()
		if fresh.Load() != 1 {
			t.Errorf("%s: %d new cookies", why, fresh.Load())
		}
		// The browser's copy of the old cookie works for a moment, then no more.
		late := h.browser(t)
		late.cookies["pressroom"] = old
		if late.who() == nil {
			t.Errorf("%s: no grace", why)
		}
		h.pass(31 * time.Second)
		if late.who() != nil {
			t.Errorf("%s: the old cookie lives on", why)
		}
	}
	h.pass(time.Hour)
	rotatesOnce("by time")
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	h.pass(time.Minute)
	is(t, "promote", h.SetRole(t.Context(), account.ID, Author), nil)
	rotatesOnce("by role")
}

func TestRoleHoldsAtOnce(t *testing.T) {
	h := open(t, Options{})
	account := h.add(t, "mika", Author)
	b := h.browser(t)
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	h.pass(time.Minute)
	is(t, "demote", h.SetRole(t.Context(), account.ID, Reader), nil)
	old := b.cookies["pressroom"]
	if who := b.who(); who == nil || who.Role != Reader || b.cookies["pressroom"] == old {
		t.Errorf("%+v", who)
	}
	if who := b.who(); who == nil || who.Role != Reader {
		t.Errorf("the new cookie: %+v", who)
	}
}

func TestRevocation(t *testing.T) {
	h := open(t, Options{})
	ctx := t.Context()
	account := h.add(t, "mika", Author)
	h.add(t, "boss", Operator)
	browsers := make([]*browser, 3)
	signIn := func() {
		t.Helper()
		for i := range browsers {
			browsers[i] = h.browser(t)
			if _, err := browsers[i].signIn("mika", secretWord); err != nil {
				t.Fatal(err)
			}
		}
	}
	in := func() (n int) {
		for _, b := range browsers {
			if b.who() != nil {
				n++
			}
		}
		return n
	}
	signIn()
	me := browsers[0].who()
	page, err := h.Sessions(With(ctx, me), account.ID, List{})
	if err != nil || len(page.Items) != 3 {
		t.Fatalf("%+v, %v", page, err)
	}
	current, others := 0, ""
	for _, s := range page.Items {
		if s.Agent != "Netscape" || s.Addr != "192.0.2.1" || !s.Created.Equal(h.now) {
			t.Errorf("%+v", s)
		}
		if s.Current {
			current++
		} else {
			others = s.ID
		}
	}
	if current != 1 {
		t.Errorf("%d sessions are the current one", current)
	}
	is(t, "revoke one", h.RevokeSession(ctx, account.ID, others), nil)
	if in() != 2 {
		t.Errorf("%d are in after one was revoked", in())
	}
	is(t, "revoke the others", h.RevokeOtherSessions(ctx, account.ID, me.Via.Session), nil)
	if in() != 1 || browsers[0].who() == nil {
		t.Errorf("%d are in after the others were revoked", in())
	}
	signIn()
	h.pass(time.Second)
	is(t, "revoke all", h.RevokeSessions(ctx, account.ID), nil)
	if in() != 0 {
		t.Errorf("%d are in after all were revoked", in())
	}
	signIn()
	h.pass(time.Second)
	is(t, "new password", h.SetPassword(ctx, account.ID, "another long password"), nil)
	if in() != 0 {
		t.Error("sessions outlive a password")
	}
	_, err = browsers[0].signIn("mika", secretWord)
	is(t, "the old password", err, errs.Unauthenticated)
	is(t, "the password back", h.SetPassword(ctx, account.ID, secretWord), nil)
	signIn()
	is(t, "disable", h.SetDisabled(ctx, account.ID, true), nil)
	if in() != 0 {
		t.Error("sessions of a disabled account go on")
	}
	_, err = browsers[0].signIn("mika", secretWord)
	is(t, "a disabled account", err, errs.Unauthenticated)
	is(t, "enable", h.SetDisabled(ctx, account.ID, false), nil)
	signIn()
	is(t, "delete", h.Delete(ctx, account.ID), nil)
	if in() != 0 {
		t.Error("sessions of a deleted account go on")
	}
	_, err = h.Sessions(ctx, account.ID, List{})
	is(t, "its sessions", err, errs.NotFound)
}

func TestChangePassword(t *testing.T) {
	h := open(t, Options{})
	a := h.add(t, "mika", Reader)
	ctx := t.Context()
	change := func(old, password string) error {
		return h.ChangePassword(httptest.NewRecorder(), h.browser(t).request(), a.ID, old, password)
	}
	token, made, err := h.AddToken(ctx, a.ID, NewToken{Name: "import", Scopes: []Scope{ScopeRead}})
	is(t, "a token", err, nil)
	err = change("wrong", "another long password")
	is(t, "the wrong old one", err, errs.Invalid)
	if fieldsOf(err) != "old" {
		t.Error(err)
	}
	is(t, "a bad new one", change(secretWord, "short"), errs.Invalid)
	_, err = h.bearer(t, token)
	is(t, "the token before", err, nil)
	stored, err := h.tokens.Get(ctx, model.Values{"user_id": a.ID, "token_hash": made.ID})
	is(t, "the token in the store", err, nil)
	h.pass(time.Second)
	is(t, "change", change(secretWord, "another long password"), nil)
	_, err = h.bearer(t, token)
	is(t, "the token afterwards", err, errs.Unauthenticated)
	if left, err := h.Tokens(ctx, a.ID, List{}); err != nil || len(left.Items) != 0 {
		t.Errorf("tokens outlive a password: %+v, %v", left, err)
	}
	// One that an interrupted change left behind opens nothing either.
	is(t, "left behind", h.tokens.Create(ctx, &stored), nil)
	_, err = h.bearer(t, token)
	is(t, "the token that was left behind", err, errs.Unauthenticated)
	if left, err := h.Tokens(ctx, a.ID, List{}); err != nil || len(left.Items) != 0 {
		t.Errorf("the token that was left behind is listed: %+v, %v", left, err)
	}
	_, _, err = h.AddToken(ctx, a.ID, NewToken{Name: "new", Scopes: []Scope{ScopeRead}})
	is(t, "a new token", err, nil)
	if left, err := h.Tokens(ctx, a.ID, List{}); err != nil || len(left.Items) != 1 {
		t.Errorf("the new token: %+v, %v", left, err)
	}
	if _, err := h.browser(t).signIn("mika", "another long password"); err != nil {
		t.Error(err)
	}
	for range perDevice.free + 1 {
		is(t, "a guess", change("guess", "another long password"), errs.Invalid)
	}
	is(t, "one more guess", change("guess", "another long password"), errs.RateLimited)
}

func TestStoreDown(t *testing.T) {
	h := open(t, Options{})
	account := h.add(t, "mika", Reader)
	b := h.browser(t)
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	secret, _, err := h.AddToken(t.Context(), account.ID, NewToken{Name: "t", Scopes: []Scope{ScopeRead}})
	is(t, "a token", err, nil)
	h.db.down = true
	_, err = b.signIn("mika", secretWord)
	is(t, "sign in", err, errs.Unavailable)
	_, err = h.Authenticate(httptest.NewRecorder(), b.request())
	is(t, "session", err, errs.Unavailable)
	r := b.request()
	r.Header.Set("Authorization", "Bearer "+secret)
	_, err = h.Authenticate(httptest.NewRecorder(), r)
	is(t, "token", err, errs.Unavailable)
	_, _, err = h.SetupToken(t.Context())
	is(t, "set up", err, errs.Unavailable)
	w := httptest.NewRecorder()
	h.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("came in") })).ServeHTTP(w, b.request())
	if w.Code != 503 {
		t.Error(w.Code)
	}
}

func TestMiddleware(t *testing.T) {
	h := open(t, Options{})
	h.add(t, "mika", Reader)
	b := h.browser(t)
	var seen *Account
	m := h.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = From(r.Context()) }))
	m.ServeHTTP(httptest.NewRecorder(), b.request())
	if seen != nil {
		t.Error("someone is there")
	}
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	m.ServeHTTP(httptest.NewRecorder(), b.request())
	if seen == nil || seen.Name != "mika" {
		t.Errorf("%+v", seen)
	}
}

// BenchmarkAuthenticate is what a session costs at every request, on tables in
// memory.
func BenchmarkAuthenticate(b *testing.B) {
	h := open(b, Options{})
	h.add(b, "mika", Reader)
	browser := h.browser(b)
	if _, err := browser.signIn("mika", secretWord); err != nil {
		b.Fatal(err)
	}
	r, w := browser.request(), httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		if a, err := h.Authenticate(w, r); err != nil || a == nil {
			b.Fatal(a, err)
		}
	}
}

// Ending all sessions does not depend on their items being gone: one that is
// left, because the process died in between, is dead all the same.
func TestRevokedSessionLeftBehind(t *testing.T) {
	h := open(t, Options{})
	account := h.add(t, "mika", Reader)
	b := h.browser(t)
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	item, err := h.sessions.Get(t.Context(), model.Values{"user_id": account.ID, "session_hash": hashOf(b.cookies["pressroom"][idLen:])})
	if err != nil {
		t.Fatal(err)
	}
	h.pass(time.Second)
	is(t, "revoke all", h.RevokeSessions(t.Context(), account.ID), nil)
	is(t, "put it back", h.sessions.Put(t.Context(), &item), nil)
	if b.who() != nil {
		t.Error("a session that was ended goes on")
	}
	if page, err := h.Sessions(t.Context(), account.ID, List{}); err != nil || len(page.Items) != 0 {
		t.Errorf("it is listed: %+v, %v", page, err)
	}
}
