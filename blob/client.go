package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/blob/wire"
)

// Client returns the SDK's client on the store, within the process: requests
// go to the store's handler without a socket. The options are applied last; a
// BaseEndpoint among them only shows in presigned URLs.
func Client(s *Store, options ...func(*s3.Options)) *s3.Client {
	secret := "in-process"
	if v, ok := s.opt.Credentials[s.owner]; ok {
		secret = v
	}
	region := s.opt.Region
	if region == "" {
		region = "us-east-1"
	}
	o := s3.Options{
		Region: region,
		// With TLS, as far as the SDK can see, it does not hash bodies
		// twice and can send readers that cannot seek.
		BaseEndpoint: aws.String("https://pressroom.internal"),
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider(s.owner, secret, ""),
		HTTPClient:   doer{s.Transport()},
		HTTPSignerV4: unsigned{}, // presigned URLs have a signer of their own

		EndpointResolverV2: endpoints{s3.NewDefaultEndpointResolverV2()},

		// What config.LoadDefaultConfig gives to clients of AWS.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	}
	return s3.New(o, options...)
}

// Transport returns a RoundTripper that hands requests to the store's handler
// as the owner's own. Bodies are streamed in both directions.
func (s *Store) Transport() http.RoundTripper { return transport{s.handler} }

// unsigned spares requests that stay in the process the work of a signature
// that nobody checks.
type unsigned struct{}

func (unsigned) SignHTTP(context.Context, aws.Credentials, *http.Request, string, string, string, time.Time, ...func(*v4.SignerOptions)) error {
	return nil
}

// doer is what the SDK needs of an http.Client; cookies and redirects are not.
type doer struct{ http.RoundTripper }

func (d doer) Do(req *http.Request) (*http.Response, error) { return d.RoundTrip(req) }

type transport struct{ h http.Handler }

// RoundTrip runs the handler in a goroutine of its own and returns when it has
// sent its header. The context of the request ends both.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(wire.Trusted(req.Context()))
	in := req.WithContext(ctx) // the handler only reads the headers
	in.RequestURI = req.URL.RequestURI()
	in.URL = &url.URL{Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery, Scheme: req.URL.Scheme}
	in.RemoteAddr = "in-process"
	if in.Host == "" {
		in.Host = req.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.Body = &contextBody{ctx: ctx, ReadCloser: in.Body}
	w := &responseWriter{header: make(http.Header), ready: make(chan struct{})}
	w.body.init()
	context.AfterFunc(ctx, func() { w.body.drop(context.Cause(ctx)) })
	go serve(t.h, w, in)
	select {
	case <-w.ready:
	case <-req.Context().Done():
		cancel()
		return nil, req.Context().Err()
	}
	if w.broken {
		cancel()
		return nil, errBroken
	}
	return w.response(req, cancel), nil
}

var errBroken = errors.New("the store broke off its answer")

// serve runs the handler as net/http's server does: a handler that panics
// with http.ErrAbortHandler breaks off its answer.
func serve(h http.Handler, w *responseWriter, r *http.Request) {
	defer r.Body.Close()
	defer func() {
		switch p := recover(); p {
		case nil:
			w.finish()
		case http.ErrAbortHandler:
			w.abort()
		default:
			w.abort()
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
}

// contextBody ends a request's body with its context.
type contextBody struct {
	ctx context.Context
	io.ReadCloser
}

func (b *contextBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.ReadCloser.Read(p)
}

// responseWriter passes an answer on as it is written.
type responseWriter struct {
	header http.Header // the handler's until ready, then the reader's
	status int
	once   sync.Once
	ready  chan struct{} // closed when status and header are set
	broken bool
	body   pipe
}

func (w *responseWriter) Header() http.Header { return w.header }

func (w *responseWriter) WriteHeader(status int) {
	if status < 200 {
		return // informational; nobody waits for it here
	}
	w.once.Do(func() {
		w.status = status
		close(w.ready)
	})
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *responseWriter) finish() {
	w.WriteHeader(http.StatusOK)
	w.body.fail(io.EOF)
}

func (w *responseWriter) abort() {
	w.once.Do(func() {
		w.broken = true
		close(w.ready)
	})
	w.body.fail(io.ErrUnexpectedEOF)
}

func (w *responseWriter) response(req *http.Request, cancel func()) *http.Response {
	length := int64(-1)
	if v := w.header.Get("Content-Length"); v != "" {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			length = n
		}
	}
	return &http.Response{
		Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, ContentLength: length, Request: req,
		Body: &responseBody{pipe: &w.body, ctx: req.Context(), cancel: cancel},
	}
}

type responseBody struct {
	*pipe
	ctx    context.Context
	cancel func()
}

// Read ends with the request's context, also where the handler is so quick that
// nobody has told it yet.
func (b *responseBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.pipe.Read(p)
}

// Close ends the handler, if it is still writing; it is told that nobody listens
// before it finds out, and so does not take it for a failure.
func (b *responseBody) Close() error {
	b.cancel()
	b.drop(http.ErrBodyReadAfterClose)
	return nil
}

// pipe is a bounded buffer between a writer and a reader. Unlike io.Pipe it
// lets small answers be written without waiting for the reader.
type pipe struct {
	mu   sync.Mutex
	cond sync.Cond
	buf  bytes.Buffer
	err  error // what the reader gets after buf
}

const pipeSize = 256 << 10

func (p *pipe) init() { p.cond.L = &p.mu }

func (p *pipe) Write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(b) > 0 {
		for p.err == nil && p.buf.Len() >= pipeSize {
			p.cond.Wait()
		}
		if p.err != nil {
			return n, io.ErrClosedPipe
		}
		m := min(len(b), pipeSize-p.buf.Len())
		p.buf.Write(b[:m])
		b, n = b[m:], n+m
		p.cond.Broadcast()
	}
	return n, nil
}

func (p *pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.buf.Len() == 0 && p.err == nil && len(b) > 0 {
		p.cond.Wait()
	}
	if p.buf.Len() > 0 {
		n, _ := p.buf.Read(b)
		p.cond.Broadcast()
		return n, nil
	}
	return 0, p.err
}

// drop ends the pipe at once: what is in it is not read any more.
func (p *pipe) drop(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf.Reset()
	p.err = err
	p.cond.Broadcast()
}

// fail ends the pipe after what is in it; the first end counts.
func (p *pipe) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	p.cond.Broadcast()
}
