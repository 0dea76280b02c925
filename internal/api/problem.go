package api

import (
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// Problem is an error as RFC 9457 has it.
type Problem struct {
	Type      string       `json:"type" format:"uri-reference" doc:"where the kind of problem is explained"`
	Title     string       `json:"title" doc:"the kind of problem in words"`
	Status    int          `json:"status" doc:"the status of the answer"`
	Detail    string       `json:"detail" doc:"what happened and what to do next"`
	Instance  string       `json:"instance,omitempty" format:"uri-reference" doc:"what was asked for"`
	Code      string       `json:"code" doc:"the kind of problem, for programs"`
	RequestID string       `json:"request_id" doc:"under which the operator finds the request"`
	Errors    []errs.Field `json:"errors,omitempty" doc:"what is wrong with which part of the input"`
}

var (
	problemEncoder = encoderOf(reflect.TypeFor[Problem]())
	problemType    = []string{"application/problem+json"}
)

// Fail answers an error as a problem document. What the user reads comes from
// the error's kind and message; the chain is for the door's log.
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) {
	kind := errs.KindOf(err)
	p := Problem{
		Type: docsPath + "#" + kind.Code(), Title: http.StatusText(kind.Status()), Status: kind.Status(),
		Detail: errs.Message(err), Instance: r.URL.EscapedPath(), Code: kind.Code(), RequestID: front.RequestID(r.Context()), Errors: errs.Fields(err),
	}
	if kind == errs.TooLarge && len(p.Errors) == 0 {
		p.Errors = []errs.Field{{Name: "body", Message: "is larger than allowed"}} // the door saw its length
	}
	front.Note(r.Context(), err)
	h := w.Header()
	h.Del("Etag")
	h.Del("Link")
	h.Del("Location")
	h["Content-Type"] = problemType
	h["Cache-Control"] = noStore
	if after, ok := errs.RetryAfter(err); ok && h.Get("Retry-After") == "" {
		h.Set("Retry-After", seconds(after))
	}
	if kind == errs.Unauthenticated {
		h.Set("WWW-Authenticate", `Bearer realm="pressroom"`)
	}
	b := buffers.Get().(*[]byte)
	defer release(b)
	*b, _ = problemEncoder((*b)[:0], reflect.ValueOf(p)) // texts and a number: nothing that can fail
	h["Content-Length"] = []string{strconv.Itoa(len(*b))}
	w.WriteHeader(p.Status)
	_, _ = w.Write(*b) // the caller may have left
}

// seconds writes a wait in whole seconds, up: nobody should come too early.
func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}

func bytesOf(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
