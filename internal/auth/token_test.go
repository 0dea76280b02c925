package auth

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pressroom/internal/errs"
)

func (h *house) bearer(t *testing.T, secret string) (*Account, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	return h.Authenticate(httptest.NewRecorder(), r)
}

func TestTokens(t *testing.T) {
	h := open(t, Options{})
	ctx := t.Context()
	a := h.add(t, "mika", Author)
	secret, made, err := h.AddToken(ctx, a.ID, NewToken{Name: "feed", Scopes: []Scope{ScopeRead, "blog:write"}, Expires: h.now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(secret, "prt_") || strings.Contains(secret, made.ID) {
		t.Errorf("%s, %+v", secret, made)
	}
	who, err := h.bearer(t, secret)
	if err != nil || who.ID != a.ID || who.Via.Token != made.ID || len(who.Via.Scopes) != 2 {
		t.Fatalf("%+v, %v", who, err)
	}
	list, err := h.Tokens(ctx, a.ID, List{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != "feed" || !list.Items[0].Used.Equal(h.now) {
		t.Errorf("%+v, %v", list, err)
	}
	_, _, err = h.AddToken(With(ctx, who), a.ID, NewToken{Name: "more", Scopes: []Scope{ScopeAdmin}})
	is(t, "a token makes a token", err, errs.Forbidden)
	for _, bad := range []string{"", "prt_", secret[4:], secret[:len(secret)-2], secret + "x", "prt_" + strings.Repeat("A", 69), "prt_" + strings.Repeat("#", 69)} {
		_, err := h.bearer(t, bad)
		is(t, bad, err, errs.Unauthenticated)
	}
	h.pass(time.Hour)
	_, err = h.bearer(t, secret)
	is(t, "an expired token", err, errs.Unauthenticated)
	if list, _ := h.Tokens(ctx, a.ID, List{}); len(list.Items) != 0 {
		t.Error("an expired token is listed")
	}

	secret, made, err = h.AddToken(ctx, a.ID, NewToken{Name: "again", Scopes: []Scope{ScopeWrite}})
	is(t, "another", err, nil)
	is(t, "disable", h.SetDisabled(ctx, a.ID, true), nil)
	_, err = h.bearer(t, secret)
	is(t, "a disabled account's", err, errs.Unauthenticated)
	is(t, "enable", h.SetDisabled(ctx, a.ID, false), nil)
	_, err = h.bearer(t, secret)
	is(t, "an account that is back", err, nil)
	is(t, "revoke", h.RevokeToken(ctx, a.ID, made.ID), nil)
	_, err = h.bearer(t, secret)
	is(t, "a revoked token", err, errs.Unauthenticated)
	is(t, "revoke nothing", h.RevokeToken(ctx, a.ID, ""), errs.NotFound)

	secret, _, err = h.AddToken(ctx, a.ID, NewToken{Name: "last", Scopes: []Scope{ScopeWrite}})
	is(t, "the last", err, nil)
	is(t, "delete", h.Delete(ctx, a.ID), nil)
	_, err = h.bearer(t, secret)
	is(t, "a deleted account's", err, errs.Unauthenticated)
	_, _, err = h.AddToken(ctx, a.ID, NewToken{Name: "late", Scopes: []Scope{ScopeRead}})
	is(t, "a token for nobody", err, errs.NotFound)
}

func TestNewTokenIsChecked(t *testing.T) {
	h := open(t, Options{Desks: []string{"blog"}})
	a := h.add(t, "mika", Author)
	for _, tt := range []struct {
		n      NewToken
		fields string
	}{
		{NewToken{}, "name scopes"},
		{NewToken{Name: "a", Scopes: []Scope{"read", "blog:admin", "sports:read", ""}}, "scopes[1] scopes[2] scopes[3]"},
		{NewToken{Name: strings.Repeat("a", 65), Scopes: []Scope{"read"}, Expires: h.now}, "name expires"},
	} {
		_, _, err := h.AddToken(t.Context(), a.ID, tt.n)
		is(t, tt.n.Name, err, errs.Invalid)
		if fieldsOf(err) != tt.fields {
			t.Errorf("%+v: %s", tt.n, fieldsOf(err))
		}
	}
}

func TestScopes(t *testing.T) {
	type ask struct {
		desk   string
		unsafe bool
		least  Role
	}
	reads, writes := ask{"blog", false, Author}, ask{"blog", true, Author}
	other, operates := ask{"lexicon", true, Author}, ask{"blog", false, Operator}
	for _, tt := range []struct {
		scopes []Scope
		may    []ask
	}{
		{nil, nil},
		{[]Scope{"read"}, []ask{reads}},
		{[]Scope{"write"}, []ask{reads, writes, other}},
		{[]Scope{"admin"}, []ask{reads, writes, other, operates}},
		{[]Scope{"blog:read"}, []ask{reads}},
		{[]Scope{"blog:write"}, []ask{reads, writes}},
		{[]Scope{"lexicon:read"}, nil},
		{[]Scope{"blog:read", "lexicon:write"}, []ask{reads, other}},
	} {
		a := &Account{Via: Via{Token: "t", Scopes: tt.scopes}}
		var may []ask
		for _, q := range []ask{reads, writes, other, operates} {
			if a.Can(q.desk, q.unsafe, q.least) {
				may = append(may, q)
			}
		}
		if len(may) != len(tt.may) {
			t.Errorf("%v may %v", tt.scopes, may)
		}
		for i := range may {
			if may[i] != tt.may[i] {
				t.Errorf("%v may %v", tt.scopes, may)
			}
		}
	}
	if !(&Account{Via: Via{Session: "s"}}).Can("blog", true, Operator) {
		t.Error("a session is good for all")
	}
}
