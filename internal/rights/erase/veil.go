package erase

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pressroom/model"
)

func isExists(err error) bool { return errors.Is(err, model.ErrExists) }

// known is what this process knows of the erasures.
type known struct {
	until time.Time
	open  *Marks          // names that are being erased
	gone  map[string]bool // hosts, and stories as desk/id
	names []namedMark
}

type namedMark struct {
	mark Mark
	at   string
}

// fresh is how long another process's erasures may be unknown here.
const fresh = time.Second

func (e *Erasures) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = known{}
}

// read returns what is known, and reads it again if it is old.
func (e *Erasures) read(ctx context.Context) (known, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.o.Now()
	if now.Before(e.known.until) {
		return e.known, nil
	}
	next := known{until: now.Add(fresh), gone: map[string]bool{}}
	var open []Mark
	for one, err := range e.All(ctx) {
		if err != nil {
			return e.known, err
		}
		if one.Kind == Site {
			next.gone[one.Site] = true
		}
		if one.Kind == Story {
			next.gone[one.Story] = true
		}
		if one.Kind == Person {
			next.names = append(next.names, namedMark{*one.Mark, one.At})
			if one.State != Done {
				open = append(open, *one.Mark)
			}
		}
	}
	next.open = Look(open...)
	e.known = next
	return next, nil
}

// Gone reports whether a site, or a story as desk/id, was erased: it is not fetched again.
func (e *Erasures) Gone(ctx context.Context, what string) (bool, error) {
	if e == nil {
		return false, nil
	}
	k, err := e.read(ctx)
	return k.gone[what], err
}

// Before returns the names that were erased after a time: what was published before is
// redacted when it is fetched again.
func (e *Erasures) Before(ctx context.Context, published string) (*Marks, error) {
	if e == nil {
		return nil, nil
	}
	k, err := e.read(ctx)
	var marks []Mark
	for _, n := range k.names {
		if published <= n.at {
			marks = append(marks, n.mark)
		}
	}
	return Look(marks...), err
}

// Veil hides the names that are being erased in everything that h answers, until they
// are: it redacts them, and what has one in a form that cannot be redacted it withholds.
func (e *Erasures) Veil(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, err := e.read(r.Context())
		if err != nil {
			http.Error(w, "The newsroom cannot tell what it must not show. Try again soon.", http.StatusServiceUnavailable)
			return
		}
		if k.open.Empty() {
			h.ServeHTTP(w, r)
			return
		}
		r = r.Clone(r.Context())
		for _, name := range []string{"If-None-Match", "If-Modified-Since", "Range", "Accept-Encoding"} {
			r.Header.Del(name)
		}
		v := &veiled{ResponseWriter: w, marks: k.open, code: http.StatusOK}
		h.ServeHTTP(v, r)
		v.end(r)
	})
}

// veiled keeps an answer until it is whole. One that goes on, such as a stream of
// events, is redacted piece by piece.
type veiled struct {
	http.ResponseWriter
	marks *Marks
	code  int
	wrote bool
	body  bytes.Buffer
}

func (v *veiled) WriteHeader(code int) {
	if code < 200 {
		v.ResponseWriter.WriteHeader(code)
		return
	}
	if !v.wrote {
		v.code, v.wrote = code, true
	}
}

func (v *veiled) Write(p []byte) (int, error) {
	v.wrote = true
	return v.body.Write(p)
}

// Flush sends what there is of a stream.
func (v *veiled) Flush() {
	if !strings.HasPrefix(v.Header().Get("Content-Type"), "text/event-stream") {
		return
	}
	v.send([]byte(v.marks.Redact(v.body.String())))
	v.body.Reset()
	_ = http.NewResponseController(v.ResponseWriter).Flush() // a client that is gone is noticed elsewhere
}

func (v *veiled) send(body []byte) {
	if v.code != 0 {
		v.ResponseWriter.WriteHeader(v.code)
		v.code = 0
	}
	_, _ = v.ResponseWriter.Write(body) // as above
}

var tags = regexp.MustCompile(`<[^<>]*>`)

func (v *veiled) end(r *http.Request) {
	if v.code == 0 {
		v.send([]byte(v.marks.Redact(v.body.String())))
		return
	}
	head := v.Header()
	for name, values := range head {
		for i := range values {
			values[i] = v.marks.Redact(values[i])
		}
		head[name] = values
	}
	body := v.body.Bytes()
	if textual(head.Get("Content-Type")) {
		text := v.marks.Redact(string(body))
		if v.marks.In(tags.ReplaceAllString(text, "")) || v.marks.In(strings.ReplaceAll(text, `\u`, `&#x`)) {
			text, v.code = "This is being erased. Try again in a few minutes.\n", http.StatusServiceUnavailable
			head.Set("Content-Type", "text/plain; charset=utf-8")
			head.Set("Retry-After", "60")
		}
		if text != string(body) {
			head.Del("Etag")
			head.Del("Last-Modified")
			head.Set("Cache-Control", "no-store")
			body = []byte(text)
		}
	}
	if head.Get("Content-Length") != "" && r.Method != http.MethodHead {
		head.Set("Content-Length", strconv.Itoa(len(body)))
	}
	v.send(body)
}

// textual reports whether a body can have a name in it that a reader sees.
func textual(kind string) bool {
	return !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "font/") && !strings.HasPrefix(kind, "video/")
}
