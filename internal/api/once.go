package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// Replays keeps the answers of requests that must be done once. It is shared by
// all processes, and outlives them.
type Replays interface {
	// Begin claims a key for the owner, who is about to do a request with that
	// print. It returns the answer if the request was done, and nil if the owner
	// is to do it. A request that is being done is errs.Conflict, another one
	// under the same key errs.Invalid.
	Begin(ctx context.Context, key, print, owner string) (answer []byte, err error)
	// Finish keeps the answer that the owner gave.
	Finish(ctx context.Context, key, owner string, answer []byte) error
	// Abandon gives the owner's claim up: nothing was done.
	Abandon(ctx context.Context, key, owner string) error
}

const (
	maxKey    = 255       // characters of an Idempotency-Key
	maxReplay = 256 << 10 // bytes of an answer that is kept
	// afterwards is how long keeping an answer may take when the caller has
	// already left.
	afterwards = 5 * time.Second
)

// keptReply is an answer as it is stored.
type keptReply struct {
	Status   int             `json:"status"`
	Location string          `json:"location,omitempty"`
	Tag      string          `json:"tag,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`
	// Gone says that there was a body which is not kept: it held a secret, or
	// was too large.
	Gone bool `json:"gone,omitempty"`
}

// once does a request under a key, or repeats its answer. Only what succeeded is
// kept: after an error the same key may be tried again.
func (o *operation) once(w http.ResponseWriter, r *http.Request, body []byte) {
	c, err := o.claim(r, body)
	if err != nil {
		o.a.Fail(w, r, err)
		return
	}
	stored, err := o.a.o.Replays.Begin(r.Context(), c.key, c.print, c.owner)
	switch {
	case err != nil:
		o.a.Fail(w, r, err)
		return
	case stored != nil:
		o.repeat(w, r, stored)
		return
	}
	done := false
	defer func() {
		if !done {
			o.settle(r, "abandon", func(ctx context.Context) error { return o.a.o.Replays.Abandon(ctx, c.key, c.owner) })
		}
	}()
	value, err := o.do(r, body)
	if err != nil {
		o.a.Fail(w, r, err)
		return
	}
	answer, err := o.keep(value)
	if err != nil {
		o.a.Fail(w, r, err)
		return
	}
	done = true
	o.settle(r, "keep", func(ctx context.Context) error { return o.a.o.Replays.Finish(ctx, c.key, c.owner, answer) })
	o.reply(w, r, value)
}

// claim is what a request is known by.
type claim struct{ key, print, owner string }

// claim makes the key of a request: the caller's, the operation's and its own.
// The print is of all that the answer depends on.
func (o *operation) claim(r *http.Request, body []byte) (claim, error) {
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) > 1 || len(keys[0]) > maxKey || !printable(keys[0]) {
		return claim{}, errs.Validation(errs.Field{Name: "Idempotency-Key", Message: fmt.Sprintf("must be 1 to %d printable characters of ASCII", maxKey)})
	}
	if o.a.o.Replays == nil {
		return claim{}, errs.New(errs.Unavailable, "Answers are not kept here. Send the request without an Idempotency-Key.")
	}
	who := "address " + front.ClientAddr(r.Context()).String()
	if account := auth.From(r.Context()); account != nil {
		who = "account " + account.ID
	}
	return claim{
		key:   digest(who, o.ID, keys[0]),
		print: digest(r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("Content-Type"), string(body)),
		owner: rand.Text(),
	}, nil
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

// digest hashes parts so that no two lists of parts have the same.
func digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// settle tells the store how a request ended, also if the caller has left. The
// request was done or not, whatever the store says: its error is for the log.
func (o *operation) settle(r *http.Request, what string, tell func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), afterwards)
	defer cancel()
	if err := tell(ctx); err != nil {
		o.a.o.Log.LogAttrs(ctx, slog.LevelError, what+" answer of a request with an Idempotency-Key",
			slog.String("request_id", front.RequestID(ctx)), slog.String("operation", o.ID), slog.Any("error", err))
	}
}

// keep writes an answer for the store.
func (o *operation) keep(value any) ([]byte, error) {
	k := keptReply{Status: o.out.status}
	if o.out.shape != nil {
		body := reflect.ValueOf(value).Elem()
		if at, ok := value.(located); ok {
			body, k.Location = at.body(), at.location()
		}
		if tagged, ok := body.Addr().Interface().(Tagged); ok {
			k.Tag = quote(tagged.Tag())
		}
		text, err := o.out.encode(nil, body)
		if err != nil {
			return nil, fmt.Errorf("encode answer of %s: %w", o.ID, err)
		}
		k.Body = text
		if k.Gone = o.Once || len(text) > maxReplay; k.Gone {
			k.Body = nil
		}
	}
	return json.Marshal(k)
}

// repeat gives an answer again, and says that it does.
func (o *operation) repeat(w http.ResponseWriter, r *http.Request, stored []byte) {
	var k keptReply
	if err := json.Unmarshal(stored, &k); err != nil {
		o.a.Fail(w, r, fmt.Errorf("read kept answer of %s: %w", o.ID, err))
		return
	}
	if k.Gone {
		o.a.Fail(w, r, errs.New(errs.Conflict, "This was done already, and its answer cannot be given a second time."))
		return
	}
	h := w.Header()
	o.caching(h, r)
	h["Idempotency-Replayed"] = []string{"true"}
	if k.Location != "" {
		h["Location"] = []string{Base + k.Location}
	}
	if k.Body == nil {
		w.WriteHeader(k.Status)
		return
	}
	send(w, k.Status, k.Tag, k.Body)
}
