package api

import (
	"context"
	"fmt"
	"net/http"

	"pressroom/internal/auth"
)

const (
	maxShared     = 1024      // answers that an operation shares at a time
	maxSharedBody = 256 << 10 // bytes of such an answer
)

// sharedAnswer is an answer for all who ask the same and are not signed in: a crowd
// that comes to one list costs one reading and one encoding of it.
type sharedAnswer struct {
	tag  string
	link []string
	body []byte
}

// serveShared answers from what others asked for a moment ago, if all that it was
// made of is still so, and reports whether it did.
func (o *operation) serveShared(w http.ResponseWriter, r *http.Request) bool {
	if o.shared == nil || auth.From(r.Context()) != nil || ForAgent(r.Context()) {
		return false
	}
	key := r.URL.EscapedPath() + "?" + r.URL.RawQuery
	answer, mine, ok, err := o.shared.Get(r.Context(), key, func(ctx context.Context) (*sharedAnswer, bool) {
		return o.make(w, r.WithContext(ctx))
	})
	switch {
	case err != nil:
		o.a.Fail(w, r, err)
	case ok && !mine:
		o.sendShared(w, r, answer)
	}
	return err != nil || mine || ok
}

// make does the operation for its own caller, and returns the answer if others
// may have it.
func (o *operation) make(w http.ResponseWriter, r *http.Request) (*sharedAnswer, bool) {
	value, err := o.do(r, nil)
	if err != nil {
		o.a.Fail(w, r, err)
		return nil, false
	}
	h := http.Header{}
	body := o.describe(h, r, value)
	text, err := o.out.encode(nil, body)
	if err != nil {
		o.a.Fail(w, r, fmt.Errorf("encode answer of %s: %w", o.ID, err))
		return nil, false
	}
	answer := &sharedAnswer{tag: hashTag(text), link: h["Link"], body: text}
	if tagged, ok := body.Addr().Interface().(Tagged); ok {
		answer.tag = quote(tagged.Tag())
	}
	o.sendShared(w, r, answer)
	return answer, len(text) <= maxSharedBody // what is larger is its owner's alone
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
