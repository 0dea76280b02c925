// Package caller judges who calls the ports of DynamoDB and S3 before anything
// is known of them.
//
// It promises three things. Without credentials a port serves programs on this
// machine and no web page: see [Refuse]. Nothing that it serves can run as a page:
// see [Shield]. Bodies that are read before their sender is known share one small
// budget of memory and time, whoever sends them and to whichever service: see
// [Read].
//
// The services ask it first of all, so that one that is served alone is as safe
// as the port with both.
package caller

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Refuse says why a request is not served where there are no credentials; it
// returns "" for one that is. A browser adds headers that its pages can neither
// leave out nor change, and names the host of the address that it was given: a
// request from another machine, for another host or with such a header is
// refused. Of a browser there remains the address that a person typed, for
// reading.
func Refuse(r *http.Request) string {
	if !Here(r.RemoteAddr) {
		return "Without credentials this endpoint serves programs on its own machine alone. " + remedy
	}
	name, resolved, ok := local(r.Host)
	if !ok {
		return "Without credentials this endpoint does not answer for host " + quoted(r.Host) +
			"; ask for 127.0.0.1, localhost or localhost.localstack.cloud. " + remedy
	}
	for _, h := range pageHeaders {
		if _, sent := r.Header[h]; sent {
			return noPages
		}
	}
	if site, sent := r.Header["Sec-Fetch-Site"]; sent {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if len(site) != 1 || site[0] != "none" || !reads {
			return noPages
		}
	}
	// A browser adds Sec-Fetch-Site only where nobody else can answer for the
	// name. Where a resolver can, its own name gives it away.
	if resolved && strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/") {
		return "Without credentials this endpoint does not serve browsers under the name " + quoted(name) + "; use 127.0.0.1. " + remedy
	}
	return ""
}

const (
	remedy  = "Set --aws-access-key-id and --aws-secret-access-key, and sign requests with them, to use it otherwise."
	noPages = "Without credentials this endpoint serves programs and no web pages. " + remedy
)

// pageHeaders are what a browser sends for a page: with a request of its script
// or form, or to ask first whether it may send one, to a private network too.
var pageHeaders = []string{
	"Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers",
	"Access-Control-Request-Private-Network", "Access-Control-Request-Local-Network",
}

// Here reports whether a peer's address is one of this machine to itself.
func Here(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().WithZone("").IsLoopback()
}

// Local reports whether a Host header names this machine: an address of the
// loopback interface, localhost, or a name below it, which may be a bucket. The
// port is not looked at: it may be forwarded.
func Local(host string) bool {
	_, resolved, ok := local(host)
	return ok && !resolved
}

// localstack is the name under which programs written for LocalStack look for
// buckets; it and all names below lead to 127.0.0.1.
const localstack = "localhost.localstack.cloud"

// local returns the name in a Host header and whether it is one of this
// machine; resolved tells of names that somebody's name server answers for.
func local(host string) (name string, resolved, ok bool) {
	name = host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name = host[:i]
	}
	if bare, cut := strings.CutPrefix(name, "["); cut {
		name = strings.TrimSuffix(bare, "]")
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return name, false, addr.Unmap().IsLoopback()
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if below(name, "localhost") {
		return name, false, true
	}
	return name, true, below(name, localstack)
}

func below(name, domain string) bool {
	rest, ok := strings.CutSuffix(name, domain)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}

// quoted shortens what a message repeats.
func quoted(s string) string { return `"` + s[:min(len(s), 100)] + `"` }

// Shield sets the headers that keep what is served from running as a page: no
// script, no frame, no type but the declared one. Without credentials no other
// page may show it either.
func Shield(h http.Header, credentials bool) {
	h["X-Content-Type-Options"] = nosniff
	h["Content-Security-Policy"] = sandbox
	if !credentials {
		h["Cross-Origin-Resource-Policy"] = sameOrigin
	}
}

// What Shield sets, for those who write an answer by themselves.
const (
	NoSniff    = "nosniff"
	Sandbox    = "default-src 'none'; frame-ancestors 'none'; sandbox"
	SameOrigin = "same-origin"
)

var (
	nosniff    = []string{NoSniff}
	sandbox    = []string{Sandbox}
	sameOrigin = []string{SameOrigin}
)
