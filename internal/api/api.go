// Package api is the house that the JSON of all desks stands in: everything under
// /api/v1, its specification at /api/openapi.json and its documentation at
// /api/docs.
//
// A desk's package registers operations. An operation is a function from a struct
// of input to a struct of output; the structs' tags say the rest:
//
//	type getPost struct {
//		ID string `path:"id" doc:"the post's id"`
//	}
//
//	type listPosts struct {
//		api.Page        // limit and cursor
//		Tag      string `query:"tag" max:"50"`
//	}
//
//	type editPost struct {
//		api.Edit        // If-Match; 428 without
//		ID   string     `path:"id"`
//		Body postInput
//	}
//
//	type postInput struct {
//		Title string   `json:"title" min:"1" max:"200" doc:"what the post is called"`
//		Tags  []string `json:"tags,omitempty" max:"10"`
//	}
//
//	func Register(a *api.API, desk *blog.Desk) {
//		api.Get(a, "/blog/posts", auth.Everyone, api.Op{ID: "listPosts", Summary: "Published posts, the newest first"},
//			func(ctx context.Context, in *listPosts) (*api.List[post], error) {
//				page, err := desk.Published(ctx, in.Tag, in.Limit, in.Cursor)
//				if err != nil {
//					return nil, err
//				}
//				return api.ListOf(page.Items, page.Next, postOf), nil
//			})
//		api.Put(a, "/blog/posts/{id}", auth.Author, api.Op{ID: "editPost", Summary: "Change a post"},
//			func(ctx context.Context, in *editPost) (*post, error) {
//				p, err := desk.Get(ctx, in.ID)
//				if err != nil {
//					return nil, err
//				}
//				if err := in.Match(strconv.Itoa(p.Version)); err != nil {
//					return nil, err // 412
//				}
//				…
//			})
//	}
//
// What a tag can say of a field in a body: json (required), doc, example, min and
// max (of the number, the characters or the elements), enum ("a,b,c") and format
// (date, date-time, uri). A field is required unless it has omitempty or omitzero.
// Of a parameter: path, query or header with its name, default, required, and the
// same rules. Body is the field that the request's JSON goes to; [Upload] takes
// bytes of another type instead.
//
// What a function returns is the answer: a struct is 200 with that JSON, [List] a
// page of a list with its Link, [Created] 201 and [Accepted] 202 with a Location,
// [None] 204. A struct with a method Tag() string gives its own version as ETag,
// and that is what [Edit.Match] is asked with later; other answers get a hash. An
// error is a problem document of its kind (package errs).
//
// The package promises that whatever is sent to an operation is answered with what
// the specification says; that bad input is a 4xx that names the field and never
// reaches the function; that a POST with an Idempotency-Key is done once in 24
// hours and its answer repeated; and that the routes and the specification are the
// same, because both come from one registration.
//
// Start with op.go for what a desk calls and serve.go for the way of a request;
// shape.go and check.go judge input, reply.go writes answers, openapi.go and
// docs.go tell about it all.
package api

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/kept"
)

// Base is the path that all operations are under.
const Base = "/api/v1"

// API is the shell. Operations are registered before it serves; then it may be
// used from many goroutines.
type API struct {
	mux    *front.Mux
	o      Options
	shapes *shapes
	ops    []*operation
	tools  []Tool
	paths  *http.ServeMux      // every path once, for what can be done there
	allow  map[string][]string // its methods
	spec   func() []byte       // the specification, made at the first asking
}

// Options adjust an API. The zero value, and nil, are usable.
type Options struct {
	// Version is the program's, shown in the specification; "dev" if empty.
	Version string
	// Auth brings /me, /tokens and /users; without it they are not there.
	Auth *auth.Auth
	// Replays keeps the answers of requests with an Idempotency-Key. Without it
	// such requests are refused: ignoring the key would do twice what the
	// caller wants done once.
	Replays Replays
	// MaxBody is how many bytes a request's body may have where the operation
	// says nothing; 1 MiB if zero.
	MaxBody int64
	// Log gets what goes wrong after an answer is decided on; slog.Default() if
	// nil. What requests fail with is in the door's own log.
	Log *slog.Logger
	// Track tells what was read for an answer, so that it can be shared; nil shares
	// none.
	Track kept.Track
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// New returns an API whose routes are on the mux, with the specification, the
// documentation and the answers to what is not there.
func New(mux *front.Mux, o *Options) *API {
	a := &API{mux: mux, shapes: newShapes(), paths: http.NewServeMux(), allow: map[string][]string{}}
	if o != nil {
		a.o = *o
	}
	if a.o.Version == "" {
		a.o.Version = "dev"
	}
	if a.o.MaxBody == 0 {
		a.o.MaxBody = 1 << 20
	}
	if a.o.Log == nil {
		a.o.Log = slog.Default()
	}
	if a.o.Now == nil {
		a.o.Now = time.Now
	}
	a.spec = sync.OnceValue(a.document)
	a.index()
	a.documentation()
	a.nowhere()
	if a.o.Auth != nil {
		a.accounts(a.o.Auth)
	}
	return a
}

// nowhere answers what no operation does: 404, or 405 where another method would
// do, and OPTIONS everywhere.
func (a *API) nowhere() {
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		a.route(method+" /api/", http.HandlerFunc(a.serveNowhere))
	}
}

func (a *API) serveNowhere(w http.ResponseWriter, r *http.Request) {
	_, pattern := a.paths.Handler(r)
	allow, ok := a.allow[pattern]
	switch {
	case r.URL.Path == "/api/" && r.Method == http.MethodGet:
		http.Redirect(w, r, docsPath, http.StatusFound)
	case !ok:
		a.Fail(w, r, errs.NotFound)
	case r.Method == http.MethodOptions:
		w.Header()["Allow"] = []string{join(allow)}
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header()["Allow"] = []string{join(allow)}
		a.Fail(w, r, errs.Method)
	}
}
