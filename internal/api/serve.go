package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"pressroom/internal/errs"
)

// ServeHTTP is the way of a request through an operation: read the body, see
// whether it has been done before, do it, answer.
func (o *operation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if o.serveShared(w, r) {
		return
	}
	body, err := o.body(w, r)
	if err != nil {
		o.a.Fail(w, r, err)
		return
	}
	if o.method == http.MethodPost && r.Header["Idempotency-Key"] != nil {
		o.once(w, r, body)
		return
	}
	value, err := o.do(r, body)
	if err != nil {
		o.a.Fail(w, r, err)
		return
	}
	o.reply(w, r, value)
}

// body reads the request's body if the operation takes one.
func (o *operation) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if o.in.body == nil && o.in.upload == nil {
		return nil, nil
	}
	if err := o.accepts(r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, o.MaxBody))
	if err == nil {
		return body, nil
	}
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return nil, &errs.Error{Kind: errs.TooLarge, Fields: []errs.Field{{Name: "body", Message: "must have at most " + bytesOf(large.Limit)}}}
	}
	return nil, errs.Wrap(err, errs.Malformed, "The request's body ended before it was complete.")
}

// accepts judges the type of a body before it is read.
func (o *operation) accepts(r *http.Request) error {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return mediaFault("Content-Encoding", "must not be there: bodies are read as they are")
	}
	got, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case o.in.upload != nil && (err != nil || !slices.Contains(o.Takes, got)):
		return mediaFault("Content-Type", "must be one of "+strings.Join(o.Takes, ", "))
	case o.in.upload != nil:
		return nil
	case err != nil || got != "application/json" && !strings.HasSuffix(got, "+json"):
		return mediaFault("Content-Type", "must be application/json")
	case params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8"):
		return mediaFault("Content-Type", "must be in UTF-8")
	}
	return nil
}

func mediaFault(name, message string) error {
	return &errs.Error{Kind: errs.MediaType, Fields: []errs.Field{{Name: name, Message: message}}}
}

// Upload is the body of an operation that takes bytes, an image for example. Op's
// Takes lists the types that are let in; what the bytes really are is for the
// operation to see.
type Upload struct {
	Type string // the media type that the caller named, without parameters
	Data []byte
}

func mediaType(r *http.Request) string {
	name, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return name
}
