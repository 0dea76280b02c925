package auth

import (
	"context"
	"net/http"
	"net/netip"
)

type contextKey int

const (
	accountKey contextKey = iota
	peerKey
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

// NameOf returns the name of whoever is signed in; "" for nobody.
func NameOf(ctx context.Context) string {
	if a := From(ctx); a != nil {
		return a.Name
	}
	return ""
}

// RoleOf returns the role of whoever is signed in, or Everyone.
func RoleOf(ctx context.Context) Role {
	if a := From(ctx); a != nil {
		return a.Role
	}
	return Everyone
}

// Peer is where a request comes from, behind proxies that are trusted.
type Peer struct {
	Addr   netip.Addr
	Secure bool // it came over TLS, to us or to the proxy
}

// WithPeer notes where the request comes from; front does so for every one.
func WithPeer(ctx context.Context, p *Peer) context.Context {
	return context.WithValue(ctx, peerKey, p)
}

// PeerOf returns where a request comes from: what was noted, or what the
// connection shows.
func PeerOf(r *http.Request) Peer {
	if p, ok := r.Context().Value(peerKey).(*Peer); ok {
		return *p
	}
	p := Peer{Secure: r.TLS != nil}
	if ap, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		p.Addr = ap.Addr().Unmap()
	}
	return p
}

// Secure reports whether the request came over TLS, to us or to a trusted proxy.
func Secure(r *http.Request) bool { return PeerOf(r).Secure }
