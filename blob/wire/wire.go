// Package wire is the S3 HTTP protocol over a [disk.Store]: REST with XML, as
// the Amazon S3 API Reference describes it, path style and virtual-host style.
//
// It promises S3's own codes, statuses and messages for what it refuses; that
// a body is streamed, never held; that nothing is written before a signature,
// a length and every checksum were found right; and that a key is used as it
// was sent: the path is never cleaned.
//
// A request goes through [Handler.ServeHTTP]: caller, address (host.go), route
// (route.go, the table of operations), authentication (auth.go), permission
// (access.go), and then the operation, each in the file of its noun. Errors
// are [fault.Error]s, printed in answer.go.
package wire

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
	"pressroom/caller"
	"pressroom/sigv4"
)

// Options adjust a handler. The zero value serves programs on this machine,
// without credentials.
type Options struct {
	// Secret returns the secret of an access key id. Nil means that there
	// are no credentials: then signatures are not checked, and only programs
	// on this machine are served, no web pages: see package caller.
	Secret func(accessKeyID string) (secret string, ok bool)

	// Owner names the owner of all buckets, as clients see it.
	Owner string

	// Region is the region that the store is in; "" lets clients use any.
	Region string

	// Domains are the host names whose subdomains are buckets, such as
	// "s3.example.com"; nil means those of DefaultDomains. Without
	// credentials only those that name this machine are served.
	Domains []string

	// Encrypted says that the store is encrypted at rest.
	Encrypted bool

	// Log receives failures of the store; nil means slog.Default.
	Log *slog.Logger
}

// DefaultDomains are the host names that local programs use.
var DefaultDomains = []string{
	"localhost", "s3.localhost", "localhost.localstack.cloud", "s3.localhost.localstack.cloud", "s3.amazonaws.com",
}

// A Handler serves S3. It may be used from many goroutines.
type Handler struct {
	store    *disk.Store
	opt      Options
	verifier *sigv4.Verifier
}

// New returns a handler for a store, which the caller closes after it.
func New(store *disk.Store, opt Options) *Handler {
	if opt.Owner == "" {
		opt.Owner = "pressroom"
	}
	if opt.Domains == nil {
		opt.Domains = DefaultDomains
	}
	opt.Domains = byLength(opt.Domains)
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	h := &Handler{store: store, opt: opt}
	if opt.Secret != nil {
		h.verifier = &sigv4.Verifier{Secret: opt.Secret, Service: "s3", Region: opt.Region, Now: store.Now}
	}
	return h
}

// Trusted marks the requests of this context as the owner's own, made within
// the process: they need no signature and no loopback address.
func Trusted(ctx context.Context) context.Context {
	return context.WithValue(ctx, trustedKey{}, true)
}

type trustedKey struct{}

func trusted(ctx context.Context) bool { return ctx.Value(trustedKey{}) != nil }

// A request is one request on its way through the handler.
type request struct {
	*http.Request
	h      *Handler
	w      http.ResponseWriter
	id     string
	bucket string
	key    string
	query  url.Values
	op     *op
	who    identity
	began  bool // the answer's status is sent

	payload *payload // the decoded body, once asked for
}

// ServeHTTP answers one S3 request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := &request{Request: r, h: h, w: w, id: newRequestID()}
	req.w.Header().Set("Server", "Pressroom")
	req.w.Header().Set("x-amz-request-id", req.id)
	req.w.Header().Set("x-amz-id-2", hostID(req.id))
	req.w.Header().Set("Date", h.store.Now().Format(http.TimeFormat))
	caller.Shield(w.Header(), h.opt.Secret != nil)
	if err := req.serve(); err != nil {
		req.fail(err)
	}
}

func (r *request) serve() error {
	if err := r.welcome(); err != nil {
		return err
	}
	if err := r.headerSize(); err != nil {
		return err
	}
	if err := r.address(); err != nil {
		return err
	}
	if err := r.route(); err != nil {
		return err
	}
	if r.Method == http.MethodOptions {
		return r.preflight()
	}
	if err := r.authenticate(); err != nil {
		return err
	}
	if err := r.checkRegion(); err != nil {
		return err
	}
	if err := r.corsHeaders(); err != nil {
		return err
	}
	if err := r.authorize(); err != nil {
		return err
	}
	return r.op.run(r)
}

// welcome lets only programs on this machine in where there are no credentials.
func (r *request) welcome() error {
	if r.h.opt.Secret != nil || trusted(r.Context()) {
		return nil
	}
	if why := caller.Refuse(r.Request); why != "" {
		return fault.AccessDenied.Say("%s", why)
	}
	return nil
}

// maxHeaders is S3's limit on the headers of a request together.
const maxHeaders = 8 << 10

func (r *request) headerSize() error {
	size := 0
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	if size > maxHeaders {
		return fault.HeadersTooLarge.With("MaxSizeAllowed", itoa(maxHeaders))
	}
	return nil
}

// fail answers an error. If the answer has begun, all that can be done is to
// break it off.
func (r *request) fail(err error) {
	if errors.Is(err, context.Canceled) || r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody listens
	}
	e := fault.From(err)
	if e.Status >= 500 && e.Code != fault.NotImplemented.Code && e.Code != fault.SlowDown.Code {
		r.h.opt.Log.Error("blob request failed", slog.String("request", r.id),
			slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Any("error", err))
	}
	if r.began {
		panic(http.ErrAbortHandler)
	}
	r.writeError(e)
}

// now is the store's clock.
func (r *request) now() time.Time { return r.h.store.Now() }

// has reports whether the query names a parameter, with or without value.
func (r *request) has(name string) bool {
	_, ok := r.query[name]
	return ok
}

// header returns a header's value without the space around it.
func (r *request) header(name string) string { return strings.TrimSpace(r.Header.Get(name)) }
