package auth

import (
	"context"
	"net/http"
)

type contextKey int

const (
	accountKey contextKey = iota
	secureKey
)

// With returns a context in which the account is signed in.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey, a)
}

// From returns the account that is signed in, nil if none is. It is shared by
// all who handle the request and must not be changed.
func From(ctx context.Context) *Account {
	a, _ := ctx.Value(accountKey).(*Account)
	return a
}

// RoleOf returns the role of whoever is signed in, or Everyone.
func RoleOf(ctx context.Context) Role {
	if a := From(ctx); a != nil {
		return a.Role
	}
	return Everyone
}

// WithSecure notes that the request came over TLS, as far as a proxy in front
// that is trusted can tell. Cookies are then marked accordingly.
func WithSecure(ctx context.Context) context.Context {
	return context.WithValue(ctx, secureKey, true)
}

// Secure reports whether the request came over TLS, to us or to a trusted proxy.
func Secure(r *http.Request) bool {
	told, _ := r.Context().Value(secureKey).(bool)
	return told || r.TLS != nil
}
