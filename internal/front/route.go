package front

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"pressroom/internal/auth"
)

// Route is one way in: what is asked for, who may ask, and who answers.
type Route struct {
	// Pattern is the method and path as http.ServeMux has them: "GET /blog/{id}".
	// The method is required; GET includes HEAD. What {token} stands for is a secret:
	// it, and what follows it, is left out of the log.
	Pattern string
	// Access is the least role that may come in.
	Access auth.Role
	// Handler answers. It finds the account with auth.From, the request's id and
	// the caller's address with RequestID and ClientAddr.
	Handler http.Handler
	// Fail answers an error in the manner of the route, as a page or as
	// problem+json. It is called for what the door refuses, and handlers may use
	// it for their own errors.
	Fail func(http.ResponseWriter, *http.Request, error)

	// What most routes leave as it is.

	// Desk is the desk whose token scopes open the route; the desk in the path
	// ("/blog/…", "/api/v1/blog/…") if empty.
	Desk string
	// Hidden routes do not exist for those who may not come in: NotFound instead
	// of Unauthenticated and Forbidden.
	Hidden bool
	// MaxBody is how many bytes a request may bring; the mux's default if zero.
	MaxBody int64
	// Timeout is how long an answer may take; the mux's default if zero, and as
	// long as it likes if negative.
	Timeout time.Duration
	// Rate limits each address on this route, besides the limits on all; none if
	// zero.
	Rate Rate
	// AtOnce is how many requests of one account, or of one address that is signed
	// out, are answered at a time on this route; any number if zero. It is for work
	// that keeps a processor busy.
	AtOnce int
	// Reads says that a POST changes nothing: a token that may read is good for it.
	Reads bool
	// Quiet keeps the route out of the access log, unless it fails: for probes.
	Quiet bool
}

// Method returns the method in the route's pattern.
func (r Route) Method() string {
	method, _, _ := strings.Cut(r.Pattern, " ")
	return method
}

// Path returns the path in the route's pattern.
func (r Route) Path() string {
	_, path, _ := strings.Cut(r.Pattern, " ")
	return strings.TrimSpace(path)
}

// Unsafe reports whether the route's method may change something.
func (r Route) Unsafe() bool {
	switch r.Method() {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

func (r Route) check() error {
	method, path := r.Method(), r.Path()
	var all []error
	if !knownMethod(method) || !strings.HasPrefix(path, "/") {
		all = append(all, errors.New("the pattern must be a method and a path"))
	}
	if path == "/" {
		all = append(all, errors.New(`"/" would take what nobody knows; say "/{$}"`))
	}
	if !auth.Operator.Allows(r.Access) {
		all = append(all, fmt.Errorf("no role is %d", r.Access))
	}
	if r.Handler == nil || r.Fail == nil {
		all = append(all, errors.New("it needs a Handler and a Fail"))
	}
	return errors.Join(all...)
}

func knownMethod(method string) bool {
	for _, m := range methods {
		if m == method {
			return true
		}
	}
	return false
}

// methods are those that routes can have.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// deskOf returns the part of a path that names a desk.
func deskOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) > 2 && parts[0] == "api" {
		return parts[2]
	}
	return parts[0]
}
