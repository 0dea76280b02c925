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
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// Options adjust a Mux; the zero value, and nil, are usable.
type Options struct {
	// Authenticate finds out who comes: auth.Auth's method. Everyone is signed
	// out if nil. An error keeps the request out.
	Authenticate func(http.ResponseWriter, *http.Request) (*auth.Account, error)
	// Fail answers errors where no route is known: unknown paths are NotFound,
	// and methods that a path does not take are Method, with Allow set. Plain text
	// if nil.
	Fail func(http.ResponseWriter, *http.Request, error)
	// TrustedProxies are the networks whose X-Forwarded-For, X-Forwarded-Proto
	// and X-Request-Id are believed; none if empty.
	TrustedProxies []netip.Prefix
	// TrustedOrigins may send unsafe requests from other sites:
	// "https://example.org".
	TrustedOrigins []string
	// MaxBody is how many bytes a request may bring; 1 MiB if zero. Who is not
	// signed in may bring 64 KiB at most.
	MaxBody int64
	// Timeout is how long an answer may take; 30 seconds if zero.
	Timeout time.Duration
	// PerAddress limits each address; 50 a second and 200 at once if zero, no
	// limit if PerSecond is negative. An IPv6 address counts as its /64.
	PerAddress Rate
	// PerAccount limits each account likewise; the same if zero.
	PerAccount Rate
	// HSTS is for how long browsers are told to come over TLS alone, when they
	// did; two years if zero, not at all if negative.
	HSTS time.Duration
	// Before is called for each request that is let in, before it is answered; nil
	// for nothing.
	Before func(context.Context)
	// Registry gets the door's numbers; one of its own, with those of the process,
	// if nil.
	Registry *prometheus.Registry
	// Log gets a line for each request; slog.Default() if nil.
	Log *slog.Logger
	// Now is the clock of the limits and the log; time.Now if nil.
	Now func() time.Time
}

// Mux is the door. Routes are handed to it before it serves; then it may be used
// from many goroutines.
type Mux struct {
	o         Options
	mux       *http.ServeMux
	routes    []Route
	origins   *http.CrossOriginProtection
	byAddress *limiter[netip.Addr]
	byAccount *limiter[string]
	numbers   *numbers
	unknown   *entry // what is counted and logged for paths that no route has
	hsts      string
	secrets   []string // beginnings of paths of which the rest is not logged
}

// New returns a door without routes. It panics if an origin is none: that is a
// mistake in the configuration that its reader has let through.
func New(o *Options) *Mux {
	m := &Mux{mux: http.NewServeMux(), origins: http.NewCrossOriginProtection()}
	if o != nil {
		m.o = *o
	}
	m.o.fill()
	for _, origin := range m.o.TrustedOrigins {
		if err := m.origins.AddTrustedOrigin(origin); err != nil {
			panic(fmt.Sprintf("front: %v", err))
		}
	}
	m.byAddress, m.byAccount = newLimiter[netip.Addr](m.o.PerAddress), newLimiter[string](m.o.PerAccount)
	m.numbers = newNumbers(m.o.Registry)
	m.unknown = &entry{Route: Route{Fail: m.o.Fail}, numbers: m.numbers.route("unknown")}
	if m.o.HSTS > 0 {
		m.hsts = fmt.Sprintf("max-age=%d; includeSubDomains", int64(m.o.HSTS.Seconds()))
	}
	m.mux.HandleFunc("/", m.serveUnknown)
	return m
}

func (o *Options) fill() {
	orDefault(&o.MaxBody, 1<<20)
	orDefault(&o.Timeout, 30*time.Second)
	orDefault(&o.PerAddress, Rate{PerSecond: 50, Burst: 200})
	orDefault(&o.PerAccount, Rate{PerSecond: 50, Burst: 200})
	orDefault(&o.HSTS, 2*365*24*time.Hour)
	if o.Authenticate == nil {
		o.Authenticate = func(http.ResponseWriter, *http.Request) (*auth.Account, error) { return nil, nil }
	}
	if o.Fail == nil {
		o.Fail = func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, errs.Message(err), errs.KindOf(err).Status())
		}
	}
	if o.Registry == nil {
		o.Registry = processRegistry()
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

func orDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// entry is a route with what the door keeps about it.
type entry struct {
	Route
	desk    string
	unsafe  bool
	maxBody int64
	timeout time.Duration
	rate    *limiter[netip.Addr] // nil if it has none of its own
	inside  crowd
	numbers *routeNumbers
}

// Handle adds a route. It panics for one that makes no sense, or that takes the
// requests of another: both are mistakes in the program.
func (m *Mux) Handle(r Route) {
	if err := r.check(); err != nil {
		panic(fmt.Sprintf("front: route %q: %v", r.Pattern, err))
	}
	e := &entry{Route: r, desk: r.Desk, unsafe: r.Unsafe(), maxBody: r.MaxBody, timeout: r.Timeout, numbers: m.numbers.route(r.Path())}
	orDefault(&e.desk, deskOf(r.Path()))
	orDefault(&e.maxBody, m.o.MaxBody)
	orDefault(&e.timeout, m.o.Timeout)
	if r.Rate != (Rate{}) {
		e.rate = newLimiter[netip.Addr](r.Rate)
	}
	if at := strings.Index(r.Path(), "{token}"); at >= 0 {
		m.secrets = append(m.secrets, r.Path()[:at])
	}
	// ServeMux panics for patterns that conflict.
	m.mux.HandleFunc(r.Pattern, func(w http.ResponseWriter, req *http.Request) { m.serveRoute(e, w, req) })
	m.routes = append(m.routes, r)
}

// Routes returns all routes, ordered by path and then by method.
func (m *Mux) Routes() []Route {
	routes := slices.Clone(m.routes)
	slices.SortFunc(routes, func(a, b Route) int {
		if c := strings.Compare(a.Path(), b.Path()); c != 0 {
			return c
		}
		return strings.Compare(a.Method(), b.Method())
	})
	return routes
}
