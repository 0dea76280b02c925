package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"pressroom/internal/auth"
)

const (
	maxShared     = 1024      // answers that an operation shares at a time
	maxSharedBody = 256 << 10 // bytes of such an answer
)

// shared keeps answers of one operation for a moment, for all who ask the same and
// are not signed in: a crowd that comes to one list costs one reading and one
// encoding of it.
type shared struct {
	keep time.Duration
	now  func() time.Time

	mu      sync.Mutex
	answers map[string]*sharedAnswer
}

// sharedAnswer is an answer that is being made, or was.
type sharedAnswer struct {
	made  chan struct{} // closed when the rest is set
	until time.Time
	good  bool // false if making it failed; then everyone asks for themselves
	tag   string
	link  []string
	body  []byte
}

// serveShared answers from what others asked for a moment ago, and reports
// whether it did.
func (o *operation) serveShared(w http.ResponseWriter, r *http.Request) bool {
	if o.shared == nil || auth.From(r.Context()) != nil {
		return false
	}
	key := r.URL.EscapedPath() + "?" + r.URL.RawQuery
	answer, mine := o.shared.claim(key)
	if mine {
		// Whatever happens, those who wait must be told.
		defer close(answer.made)
		o.make(w, r, answer)
		return true
	}
	select {
	case <-answer.made:
	case <-r.Context().Done():
		o.a.Fail(w, r, context.Cause(r.Context()))
		return true
	}
	if !answer.good {
		return false
	}
	o.sendShared(w, r, answer)
	return true
}

// claim returns the answer to share, and whether the caller is to make it. An
// answer's age counts from when its making began: nobody sees older data than
// keep.
func (s *shared) claim(key string) (answer *sharedAnswer, mine bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.answers[key]; ok && now.Before(a.until) {
		return a, false
	}
	if len(s.answers) >= maxShared {
		s.sweep(now)
	}
	a := &sharedAnswer{made: make(chan struct{}), until: now.Add(s.keep)}
	s.answers[key] = a
	return a, true
}

// sweep makes room: what is over goes, and if all of it is fresh, all of it goes.
// Those who hold an answer still have it.
func (s *shared) sweep(now time.Time) {
	for key, a := range s.answers {
		if !now.Before(a.until) {
			delete(s.answers, key)
		}
	}
	if len(s.answers) >= maxShared {
		clear(s.answers)
	}
}

// make does the operation for its own caller and leaves the answer to others.
func (o *operation) make(w http.ResponseWriter, r *http.Request, answer *sharedAnswer) {
	value, err := o.do(r, nil)
	if err != nil {
		o.a.Fail(w, r, err)
		return
	}
	h := http.Header{}
	body := o.describe(h, r, value)
	text, err := o.out.encode(nil, body)
	if err != nil {
		o.a.Fail(w, r, fmt.Errorf("encode answer of %s: %w", o.ID, err))
		return
	}
	answer.tag, answer.link, answer.body = hashTag(text), h["Link"], text
	if tagged, ok := body.Addr().Interface().(Tagged); ok {
		answer.tag = quote(tagged.Tag())
	}
	answer.good = len(text) <= maxSharedBody
	o.sendShared(w, r, answer)
	if !answer.good {
		answer.body = nil // too large to keep, and its owner has it
	}
}

func (o *operation) sendShared(w http.ResponseWriter, r *http.Request, answer *sharedAnswer) {
	h := w.Header()
	o.caching(h, r)
	if answer.link != nil {
		h["Link"] = answer.link
	}
	if o.unchanged(r, answer.tag) {
		notModified(w, answer.tag)
		return
	}
	send(w, o.out.status, answer.tag, answer.body)
}
