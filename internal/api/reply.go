package api

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"pressroom/internal/auth"
)

// None is the answer of an operation that has nothing to say: 204.
type None struct{}

// Created is the answer of an operation that made something: 201.
type Created[T any] struct {
	Location string // its path, under /api/v1: "/blog/posts/7"
	Body     T
}

// Accepted is the answer of an operation that began something which goes on: 202.
type Accepted[T any] struct {
	Location string // where to look how it goes, under /api/v1
	Body     T
}

// Tagged is what an answer implements that knows its own version. The tag
// changes whenever the answer does; it is given without quotes.
type Tagged interface{ Tag() string }

// located is an answer with a Location and a body of its own.
type located interface {
	status() int
	location() string
	body() reflect.Value
}

func (*Created[T]) status() int              { return http.StatusCreated }
func (c *Created[T]) location() string       { return c.Location }
func (c *Created[T]) body() reflect.Value    { return reflect.ValueOf(&c.Body).Elem() }
func (*Accepted[T]) status() int             { return http.StatusAccepted }
func (acc *Accepted[T]) location() string    { return acc.Location }
func (acc *Accepted[T]) body() reflect.Value { return reflect.ValueOf(&acc.Body).Elem() }

// answer is what is known of an operation's answers.
type answer struct {
	status  int
	located bool
	list    bool
	shape   *shape // nil if there is no body
	encode  encoder
}

func (a *API) answer(t reflect.Type, o *operation) *answer {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("api: %s: the output %s is no struct", o.ID, t))
	}
	out := &answer{status: http.StatusOK}
	switch zero := reflect.New(t).Interface().(type) {
	case *None:
		out.status = http.StatusNoContent
		return out
	case located:
		out.status, out.located = zero.status(), true
		t = zero.body().Type()
	case linked:
		out.list = true
	}
	out.shape, out.encode = a.shapes.of(t), encoderOf(t)
	return out
}

// buffers holds the memory in which answers are written before they are sent.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// release gives a buffer back, unless it grew so large that keeping it for the
// next small answer would be a waste.
func release(b *[]byte) {
	if cap(*b) <= 1<<20 {
		buffers.Put(b)
	}
}

var (
	jsonType     = []string{"application/json"}
	noStore      = []string{"private, no-store"}
	revalidate   = []string{"public, max-age=0, must-revalidate"}
	varyIdentity = []string{"Authorization, Cookie"}
)

// reply answers with a value: whole, or 304 if the caller has it.
func (o *operation) reply(w http.ResponseWriter, r *http.Request, value any) {
	h := w.Header()
	o.caching(h, r)
	if o.out.shape == nil {
		w.WriteHeader(o.out.status)
		return
	}
	b := buffers.Get().(*[]byte)
	defer release(b)
	body := o.describe(h, r, value)
	tag := ""
	if tagged, ok := body.Addr().Interface().(Tagged); ok {
		tag = quote(tagged.Tag())
		if o.unchanged(r, tag) {
			notModified(w, tag)
			return
		}
	}
	var err error
	if *b, err = o.out.encode((*b)[:0], body); err != nil {
		o.a.Fail(w, r, fmt.Errorf("encode answer of %s: %w", o.ID, err))
		return
	}
	if tag == "" && o.method == http.MethodGet {
		tag = hashTag(*b)
		if o.unchanged(r, tag) {
			notModified(w, tag)
			return
		}
	}
	send(w, o.out.status, tag, *b)
}

// caching says who may keep the answer. What is for everyone may be kept by all,
// and asked for again with its ETag; what somebody signed in gets, by nobody.
func (o *operation) caching(h http.Header, r *http.Request) {
	h["Vary"] = append(h["Vary"], varyIdentity...)
	if o.method != http.MethodGet || o.access != auth.Everyone || auth.From(r.Context()) != nil {
		h["Cache-Control"] = noStore
		return
	}
	h["Cache-Control"] = revalidate
}

// describe sets the headers that an answer's type knows and returns its body.
func (o *operation) describe(h http.Header, r *http.Request, value any) reflect.Value {
	switch v := value.(type) {
	case located:
		if at := v.location(); at != "" {
			h["Location"] = []string{Base + at}
		}
		return v.body()
	case linked:
		if next := v.next(); next != "" {
			h["Link"] = []string{nextLink(r, next)}
		}
	}
	return reflect.ValueOf(value).Elem()
}

// unchanged reports whether a reader named the tag as what it has.
func (o *operation) unchanged(r *http.Request, tag string) bool {
	has := r.Header["If-None-Match"]
	if len(has) == 0 || o.method != http.MethodGet {
		return false
	}
	for name := range tagsIn(has) {
		if name == "*" || strings.TrimPrefix(name, "W/") == tag {
			return true
		}
	}
	return false
}

func notModified(w http.ResponseWriter, tag string) {
	w.Header()["Etag"] = []string{tag}
	w.WriteHeader(http.StatusNotModified)
}

func send(w http.ResponseWriter, status int, tag string, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	if tag != "" {
		h["Etag"] = []string{tag}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may have left
}

// hashTag is the ETag of an answer that has no version: a hash of its bytes.
func hashTag(body []byte) string {
	sum := xxh3.Hash128(body)
	b := make([]byte, 0, 32)
	b = append(b, '"')
	b = strconv.AppendUint(b, sum.Hi, 36)
	b = append(b, '-')
	b = strconv.AppendUint(b, sum.Lo, 36)
	return string(append(b, '"'))
}
