package front

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// request is what the door knows about one request. It is in the request's
// context, and it is the answer's writer as seen by handlers.
type request struct {
	answer
	id      string
	path    string // as it may be logged
	peer    auth.Peer
	entry   *entry
	account *auth.Account
	err     error // what it was refused with, for the log
}

type contextKey int

const (
	requestKey contextKey = iota
	observerKey
)

func requestOf(ctx context.Context) *request {
	q, _ := ctx.Value(requestKey).(*request)
	return q
}

// RequestID returns the id under which the request is logged; "" outside of a
// request.
func RequestID(ctx context.Context) string {
	if q := requestOf(ctx); q != nil {
		return q.id
	}
	return ""
}

// Path returns the request's path without the secret that it may hold, for the
// log; "" outside of a request.
func Path(ctx context.Context) string {
	if q := requestOf(ctx); q != nil {
		return q.path
	}
	return ""
}

// ClientAddr returns the address of the caller, behind trusted proxies. It is
// not valid outside of a request.
func ClientAddr(ctx context.Context) netip.Addr {
	if q := requestOf(ctx); q != nil {
		return q.peer.Addr
	}
	return netip.Addr{}
}

// Note tells the log which error the request is answered with. What the door
// itself refuses is noted already.
func Note(ctx context.Context, err error) {
	if q := requestOf(ctx); q != nil && err != nil {
		q.err = err
	}
}

// Observe returns a context in which routes are decided about as ever, and fn is
// called instead of their handlers. It is for tests.
func Observe(ctx context.Context, fn func(http.ResponseWriter, *http.Request, Route)) context.Context {
	return context.WithValue(ctx, observerKey, fn)
}

// ServeHTTP does for every request what does not depend on its route, then looks
// for that.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := m.o.Now()
	q := &request{entry: m.unknown, answer: answer{w: w}}
	q.path = m.pathOf(r)
	q.peer = m.peerOf(r)
	q.id = m.idOf(r)
	m.headers(w.Header(), q)
	r = r.WithContext(auth.WithPeer(context.WithValue(r.Context(), requestKey, q), &q.peer))
	m.numbers.inFlight.Inc()
	defer m.finish(q, r, begin)
	m.mux.ServeHTTP(&q.answer, r)
}

// fail answers with an error in the manner of the route.
func (q *request) fail(r *http.Request, err error) {
	q.err = err
	if after, ok := errs.RetryAfter(err); ok {
		seconds := (after + time.Second - 1) / time.Second
		q.answer.Header().Set("Retry-After", fmt.Sprint(int64(seconds)))
	}
	q.entry.Fail(&q.answer, r, err)
}

// serveRoute checks a request against its route and hands it on.
func (m *Mux) serveRoute(e *entry, w http.ResponseWriter, r *http.Request) {
	q := requestOf(r.Context())
	q.entry = e
	ctx := r.Context()
	if e.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.timeout)
		defer cancel()
	}
	r, err := m.admit(q, r.WithContext(ctx))
	if err != nil {
		q.fail(r, err)
		return
	}
	if observe, ok := ctx.Value(observerKey).(func(http.ResponseWriter, *http.Request, Route)); ok {
		observe(w, r, e.Route)
		return
	}
	leave, err := e.enter(q)
	if err != nil {
		q.fail(r, err)
		return
	}
	defer leave()
	if m.o.Before != nil {
		m.o.Before(ctx)
	}
	e.Handler.ServeHTTP(w, r)
	if q.answer.status == 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		q.fail(r, fmt.Errorf("%s: %w", e.Pattern, errs.Timeout))
	}
}

// admit is the order of the checks. The cheap ones come first, and none tells
// more than those before it allow.
func (m *Mux) admit(q *request, r *http.Request) (*http.Request, error) {
	e := q.entry
	if err := m.limitAddress(q); err != nil {
		return r, err
	}
	if err := m.origins.Check(r); err != nil {
		return r, errs.Wrap(err, errs.Forbidden, "This request came from another site and was not carried out.")
	}
	account := auth.From(r.Context())
	if account == nil {
		var err error
		if account, err = m.o.Authenticate(&q.answer, r); err != nil {
			return r, err
		}
		if account != nil {
			r = r.WithContext(auth.With(r.Context(), account))
		}
	}
	q.account = account
	if account != nil {
		if after, ok := m.byAccount.take(account.ID, m.o.Now()); !ok {
			return r, errs.RateLimit(after)
		}
	}
	if err := e.allows(account); err != nil {
		return r, err
	}
	most := e.maxBody
	if account == nil {
		most = min(most, strangerBody)
	}
	return r, e.limitBody(&q.answer, r, most)
}

// strangerBody is how many bytes a caller may bring of whom nothing is known:
// enough for every form that is there for all, and little enough for a thousand
// at a time.
const strangerBody = 64 << 10

// limitAddress counts the request against its address, on all routes and on its
// own.
func (m *Mux) limitAddress(q *request) error {
	from, now := networkOf(q.peer.Addr), m.o.Now()
	if after, ok := m.byAddress.take(from, now); !ok {
		return errs.RateLimit(after)
	}
	if q.entry.rate != nil {
		if after, ok := q.entry.rate.take(from, now); !ok {
			return errs.RateLimit(after)
		}
	}
	return nil
}

// allows is the access check.
func (e *entry) allows(account *auth.Account) error {
	role := auth.Everyone
	if account != nil {
		role = account.Role
	}
	allowed := role.Allows(e.Access)
	switch {
	case allowed && (account == nil || account.Can(e.desk, e.unsafe && !e.Reads, e.Access)):
		return nil
	case e.Hidden:
		return fmt.Errorf("%s for %s: %w", e.Pattern, role, errs.NotFound)
	case account == nil:
		return fmt.Errorf("%s: %w", e.Pattern, errs.Unauthenticated)
	case allowed:
		return errs.New(errs.Forbidden, "This token is not good for that. Make one with the scope that it needs.")
	}
	return fmt.Errorf("%s for %s: %w", e.Pattern, role, errs.Forbidden)
}

func (e *entry) limitBody(w *answer, r *http.Request, most int64) error {
	if r.ContentLength > most {
		return fmt.Errorf("%s: %d bytes: %w", e.Pattern, r.ContentLength, errs.TooLarge)
	}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = http.MaxBytesReader(w.w, r.Body, most)
	}
	return nil
}

// serveUnknown answers what no route has.
func (m *Mux) serveUnknown(_ http.ResponseWriter, r *http.Request) {
	q := requestOf(r.Context())
	if err := m.limitAddress(q); err != nil {
		q.fail(r, err)
		return
	}
	if allowed := m.methodsOf(r); len(allowed) > 0 {
		q.answer.Header().Set("Allow", strings.Join(allowed, ", "))
		q.fail(r, fmt.Errorf("%s %s: %w", r.Method, q.path, errs.Method))
		return
	}
	q.fail(r, fmt.Errorf("%s: %w", q.path, errs.NotFound))
}

// methodsOf returns the methods that the request's path takes.
func (m *Mux) methodsOf(r *http.Request) []string {
	var allowed []string
	other := *r
	for _, method := range methods {
		other.Method = method
		if _, pattern := m.mux.Handler(&other); pattern != "" && pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// finish ends every request: a panic becomes an answer, and what happened is
// counted and logged.
func (m *Mux) finish(q *request, r *http.Request, begin time.Time) {
	p := recover()
	abort := p == http.ErrAbortHandler //nolint:errorlint // net/http compares it so too
	if p != nil && !abort {
		m.o.Log.ErrorContext(r.Context(), "panic", "request_id", q.id, "route", q.entry.Pattern, "panic", p, "stack", string(debug.Stack()))
		// Half an answer must not be taken for a whole one.
		if abort = q.answer.status != 0; !abort {
			q.apologise(r, fmt.Errorf("panic: %v", p))
		}
	}
	m.numbers.inFlight.Dec()
	m.record(q, r, begin)
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// apologise answers after a panic, which may have been that of Fail itself.
func (q *request) apologise(r *http.Request, err error) {
	defer func() {
		if p := recover(); p != nil && q.answer.status == 0 {
			http.Error(&q.answer, errs.Message(err), http.StatusInternalServerError)
		}
	}()
	q.fail(r, err)
}
