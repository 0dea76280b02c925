package front

import (
	"crypto/rand"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"

	"pressroom/internal/auth"
)

// The headers of every answer, in the form that http.Header keeps them, made
// once. A handler that needs others sets them.
var (
	contentPolicy     = []string{"default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"}
	contentTypes      = []string{"nosniff"}
	referrerPolicy    = []string{"strict-origin-when-cross-origin"}
	permissionsPolicy = []string{"camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()"}
	openerPolicy      = []string{"same-origin"}
	frameOptions      = []string{"DENY"} // for browsers that do not know frame-ancestors
)

func (m *Mux) headers(h http.Header, q *request) {
	h["Content-Security-Policy"] = contentPolicy
	h["X-Content-Type-Options"] = contentTypes
	h["Referrer-Policy"] = referrerPolicy
	h["Permissions-Policy"] = permissionsPolicy
	h["Cross-Origin-Opener-Policy"] = openerPolicy
	h["X-Frame-Options"] = frameOptions
	h["X-Request-Id"] = []string{q.id}
	if m.hsts != "" && q.peer.Secure {
		h["Strict-Transport-Security"] = []string{m.hsts}
	}
}

// pathOf is the request's path as it may be logged. Paths that no route has may
// hold a secret too: a link that was copied with a full stop behind it, for example.
func (m *Mux) pathOf(r *http.Request) string {
	clean := path.Clean("/" + r.URL.Path)
	for _, beginning := range m.secrets {
		if strings.HasPrefix(clean, beginning) {
			return beginning + "[secret]"
		}
	}
	return r.URL.Path
}

// trusts reports whether the address is that of a trusted proxy.
func (m *Mux) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(m.o.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// peerOf finds out where a request comes from. Proxies append to
// X-Forwarded-For, so that it is read from its end, for as long as those who wrote
// it are trusted.
func (m *Mux) peerOf(r *http.Request) auth.Peer {
	peer := auth.Peer{Secure: r.TLS != nil}
	if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		peer.Addr = at.Addr().Unmap().WithZone("")
	}
	if len(m.o.TrustedProxies) == 0 || !m.trusts(peer.Addr) {
		return peer
	}
	if proto := r.Header.Get("X-Forwarded-Proto"); proto != "" {
		last := proto[strings.LastIndexByte(proto, ',')+1:]
		peer.Secure = strings.EqualFold(strings.TrimSpace(last), "https")
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, ok := parseHop(hop)
		if !ok {
			break
		}
		peer.Addr = addr
		if !m.trusts(addr) {
			break
		}
	}
	return peer
}

// parseHop reads an address as proxies write it, with or without a port.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return addr.Unmap().WithZone(""), err == nil
}

// networkOf is what counts as one caller: an address, or the /64 of an IPv6 one.
func networkOf(addr netip.Addr) netip.Addr {
	if !addr.Is6() {
		return addr
	}
	p, err := addr.Prefix(64)
	if err != nil {
		return addr
	}
	return p.Addr()
}

// idOf returns the request's id: the one that a trusted proxy gave it, or a new
// one.
func (m *Mux) idOf(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); saneID(id) && len(m.o.TrustedProxies) > 0 {
		if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && m.trusts(at.Addr().Unmap().WithZone("")) {
			return id
		}
	}
	return rand.Text()
}

// saneID reports whether an id can stand in a log as it is.
func saneID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}
