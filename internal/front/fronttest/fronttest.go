// Package fronttest proves who may come in: every route of a door, for every
// role and for whoever is signed out, against a table.
//
// It promises that a route which the table does not name, and a row which no
// route has, are failures; so that nothing is opened by forgetting it. No handler
// runs. Start with [Matrix].
package fronttest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/front"
)

// Matrix fails for every route of the door and every role, signed out included,
// where coming in is not exactly what the table says: the least role by pattern.
// It fails for every unsafe route that takes a request from another site, or
// from a token that may only read.
func Matrix(t testing.TB, m *front.Mux, table map[string]auth.Role) {
	t.Helper()
	declared := map[string]bool{}
	for _, r := range m.Routes() {
		declared[r.Pattern] = true
		least, ok := table[r.Pattern]
		if !ok {
			t.Errorf("%s: the table does not say who may come in", r.Pattern)
			continue
		}
		roles(t, m, r, least)
		tokens(t, m, r, least)
		if r.Unsafe() {
			crossSite(t, m, r)
		}
	}
	for pattern := range table {
		if !declared[pattern] {
			t.Errorf("%s: is in the table, and there is no such route", pattern)
		}
	}
}

// Path returns a path that the pattern matches: its wildcards are x.
func Path(pattern string) string {
	_, path, _ := strings.Cut(pattern, " ")
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(path, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		if name != "$" {
			b.WriteString("x")
		}
		path = after
	}
}

func roles(t testing.TB, m *front.Mux, r front.Route, least auth.Role) {
	t.Helper()
	for _, role := range append([]auth.Role{auth.Everyone}, auth.Roles()...) {
		entered, status := ask(t, m, r, account(role), nil)
		want := role.Allows(least)
		switch {
		case entered && !want:
			t.Errorf("%s: lets in %s, and only %s may", r.Pattern, role, least)
		case !entered && want:
			t.Errorf("%s: answers %d to %s, who may come in", r.Pattern, status, role)
		case !entered && !refused(r, role, status):
			t.Errorf("%s: answers %d to %s", r.Pattern, status, role)
		}
	}
}

// refused reports whether the status is one for who may not come in. A page may
// send those who are signed out to where they sign in.
func refused(r front.Route, role auth.Role, status int) bool {
	switch {
	case r.Hidden:
		return status == http.StatusNotFound
	case role == auth.Everyone:
		return status == http.StatusUnauthorized || status == http.StatusSeeOther
	}
	return status == http.StatusForbidden
}

// tokens asks as an operator's programs do.
func tokens(t testing.TB, m *front.Mux, r front.Route, least auth.Role) {
	t.Helper()
	for _, scope := range []auth.Scope{auth.ScopeRead, auth.ScopeWrite, auth.ScopeAdmin} {
		who := account(auth.Operator)
		who.Via = auth.Via{Token: "t", Scopes: []auth.Scope{scope}}
		want := scope == auth.ScopeAdmin || least < auth.Operator && (scope == auth.ScopeWrite || !r.Unsafe() || r.Reads)
		if entered, status := ask(t, m, r, who, nil); entered != want {
			t.Errorf("%s: a token to %s comes in: %t (status %d)", r.Pattern, scope, entered, status)
		}
	}
}

// crossSite asks as a page of another site makes browsers ask, those that say so
// and those that only tell the origin.
func crossSite(t testing.TB, m *front.Mux, r front.Route) {
	t.Helper()
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"} {
		entered, status := ask(t, m, r, account(auth.Operator), http.Header{name: {value}})
		if entered || status != http.StatusForbidden {
			t.Errorf("%s: a request with %s: %s comes in: %t (status %d)", r.Pattern, name, value, entered, status)
		}
	}
	if entered, status := ask(t, m, r, account(auth.Operator), http.Header{"Sec-Fetch-Site": {"same-origin"}}); !entered {
		t.Errorf("%s: a request of our own page is answered %d", r.Pattern, status)
	}
}

var serial atomic.Uint32

// account returns a new account of the role, nil for whoever is signed out. Each
// counts for itself, so that no limit of rate is met.
func account(role auth.Role) *auth.Account {
	if role == auth.Everyone {
		return nil
	}
	n := serial.Add(1)
	return &auth.Account{ID: fmt.Sprintf("fronttest-%d", n), Name: role.String(), Role: role}
}

// ask sends one request to the route and reports whether its handler would have
// run.
func ask(t testing.TB, m *front.Mux, r front.Route, who *auth.Account, header http.Header) (entered bool, status int) {
	t.Helper()
	observe := func(w http.ResponseWriter, _ *http.Request, got front.Route) {
		entered = true
		if got.Pattern != r.Pattern {
			t.Errorf("%s: its path is taken by %s", r.Pattern, got.Pattern)
		}
		w.WriteHeader(http.StatusNoContent)
	}
	req := httptest.NewRequestWithContext(front.Observe(t.Context(), observe), r.Method(), Path(r.Pattern), http.NoBody)
	n := serial.Add(1)
	req.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", byte(n>>16), byte(n>>8), byte(n))
	for name, values := range header {
		req.Header[name] = values
	}
	if who != nil {
		req = req.WithContext(auth.With(req.Context(), who))
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, req)
	return entered, w.Code
}
