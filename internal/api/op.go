package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/kept"
)

// Op describes an operation to its readers. ID and Summary are required.
type Op struct {
	// ID names the operation in programs made from the specification:
	// "listPosts". It is unique.
	ID string
	// Summary is one line; Doc is what else a caller must know, in paragraphs.
	Summary, Doc string
	// Tags group operations in the documentation; the path's first part (the
	// desk) if empty.
	Tags []string
	// Scope is the desk whose scopes a token needs; the path's first part if
	// empty.
	Scope string
	// Tool is the operation's name for agents: "read_story"; "" if it is none of their
	// tools. Only what everyone may read, by path and query alone, can be one.
	Tool string
	// Choices are the values that parameters can have, by their names, where only
	// the running program knows them; others have the tag enum.
	Choices map[string][]string
	// Fails lists kinds of errors that the function returns, beside those that
	// the shell answers itself.
	Fails []errs.Kind
	// MaxBody is how many bytes the body may have; the API's own limit if zero.
	MaxBody int64
	// Takes lists the media types of an Upload: "image/png".
	Takes []string
	// Hidden operations do not exist for those who may not use them: 404 instead
	// of 401 and 403.
	Hidden bool
	// Rate limits each address on this operation, besides the limits on all.
	Rate front.Rate
	// AtOnce is how many requests of one caller are answered at a time; any number if
	// zero.
	AtOnce int
	// Timeout is how long the answer may take; the door's default if zero.
	Timeout time.Duration
	// Share is how long the answer of a GET that is open to everyone may be given
	// to others who ask the same and are not signed in, a second for example; not
	// at all if zero. Those who are signed in always get what is there now.
	Share time.Duration
	// Once marks a POST whose answer holds a secret: under an Idempotency-Key it
	// is not kept, and a repetition is told that it has been done.
	Once bool
}

// Get registers an operation that reads. Like all of these, it panics if the
// operation makes no sense: that is found when the program starts.
func Get[In, Out any](a *API, path string, access auth.Role, op Op, do func(context.Context, *In) (*Out, error)) {
	register(a, http.MethodGet, path, access, op, do)
}

// Post registers an operation that makes something or starts it. It takes an
// Idempotency-Key.
func Post[In, Out any](a *API, path string, access auth.Role, op Op, do func(context.Context, *In) (*Out, error)) {
	register(a, http.MethodPost, path, access, op, do)
}

// Put registers an operation that replaces something.
func Put[In, Out any](a *API, path string, access auth.Role, op Op, do func(context.Context, *In) (*Out, error)) {
	register(a, http.MethodPut, path, access, op, do)
}

// Patch registers an operation that changes a part of something.
func Patch[In, Out any](a *API, path string, access auth.Role, op Op, do func(context.Context, *In) (*Out, error)) {
	register(a, http.MethodPatch, path, access, op, do)
}

// Delete registers an operation that removes something.
func Delete[In, Out any](a *API, path string, access auth.Role, op Op, do func(context.Context, *In) (*Out, error)) {
	register(a, http.MethodDelete, path, access, op, do)
}

// operation is a registered Op with everything that is known before the first
// request.
type operation struct {
	Op
	a      *API
	method string
	path   string // whole, as the mux has it
	access auth.Role
	in     *binding
	out    *answer
	shared *kept.Store[*sharedAnswer] // nil if answers are not shared
	// do binds the input and calls the function.
	do func(*http.Request, []byte) (any, error)
}

func register[In, Out any](a *API, method, path string, access auth.Role, op Op, do func(context.Context, *In) (*Out, error)) {
	o := &operation{Op: op, a: a, method: method, path: Base + path, access: access}
	if len(a.ops) > 0 || path != "" { // the index itself has no desk
		o.name(path)
	}
	o.in = a.bind(reflect.TypeFor[In](), o)
	o.out = a.answer(reflect.TypeFor[Out](), o)
	o.do = func(r *http.Request, body []byte) (any, error) {
		in := new(In)
		if err := o.in.read(reflect.ValueOf(in).Elem(), r, body); err != nil {
			return nil, err
		}
		out, err := do(r.Context(), in)
		if err == nil && out == nil {
			err = fmt.Errorf("%s answers neither a value nor an error", o.ID)
		}
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	a.add(o)
}

// name fills in what an Op leaves to the path.
func (o *operation) name(path string) {
	desk, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if o.Scope == "" {
		o.Scope = desk
	}
	if len(o.Tags) == 0 {
		o.Tags = []string{desk}
	}
}

var operationID = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

func (a *API) add(o *operation) {
	switch {
	case !operationID.MatchString(o.ID):
		panic(fmt.Sprintf("api: %s %s: %q is no name of an operation", o.method, o.path, o.ID))
	case o.Summary == "":
		panic("api: " + o.ID + " has no summary")
	case slices.ContainsFunc(a.ops, func(other *operation) bool { return other.ID == o.ID }):
		panic("api: two operations are called " + o.ID)
	}
	if o.Share > 0 {
		o.share()
	}
	if o.Tool != "" {
		a.addTool(o)
	}
	a.ops = append(a.ops, o)
	pattern := o.path
	if _, known := a.allow[pattern]; !known {
		a.paths.Handle(pattern, http.NotFoundHandler())
		a.allow[pattern] = []string{http.MethodOptions}
	}
	a.allow[pattern] = append(a.allow[pattern], o.method)
	if o.method == http.MethodGet {
		a.allow[pattern] = append(a.allow[pattern], http.MethodHead)
	}
	if o.MaxBody == 0 {
		o.MaxBody = a.o.MaxBody
	}
	a.mux.Handle(front.Route{
		Pattern: o.method + " " + o.path, Access: o.access, Handler: o, Fail: a.Fail,
		Desk: o.Scope, Hidden: o.Hidden, MaxBody: o.MaxBody, Timeout: o.Timeout, Rate: o.Rate, AtOnce: o.AtOnce,
	})
}

// share prepares an operation whose answers depend on nothing but its address.
func (o *operation) share() {
	header := slices.ContainsFunc(o.in.params, func(p param) bool { return p.in == "header" })
	if o.method != http.MethodGet || o.access != auth.Everyone || o.out.shape == nil || header {
		panic("api: " + o.ID + ": only what everyone may read, and is the same for all, can be shared")
	}
	o.shared = kept.New[*sharedAnswer](kept.Options{Track: o.a.o.Track, For: o.Share, Most: maxShared, Now: o.a.o.Now})
}

// route puts on the mux what is no operation.
func (a *API) route(pattern string, h http.Handler) {
	a.mux.Handle(front.Route{Pattern: pattern, Access: auth.Everyone, Handler: h, Fail: a.Fail})
}

func join(methods []string) string {
	sorted := slices.Clone(methods)
	slices.Sort(sorted)
	return strings.Join(sorted, ", ")
}
