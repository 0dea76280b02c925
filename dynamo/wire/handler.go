package wire

import (
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"pressroom/caller"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/internal/reqid"
	"pressroom/dynamo/token"
)

// ServeHTTP answers one request. Without credentials the order of the checks is
// DynamoDB's: size, method, content type, JSON, operation, and then what the
// operation itself finds. With credentials all of the signature that can be
// judged without the body is judged before it is read.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	caller.Shield(header, h.verifier != nil)
	id := reqid.New()
	header["X-Amzn-Requestid"] = []string{id}
	if r.ContentLength != 0 {
		// The server takes in the rest of a body before it sends a refusal.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(discardTime))
	}
	if !h.admit(w, r) {
		return
	}
	if headBytes(r) > maxHead {
		plain(w, http.StatusBadRequest, nil)
		return
	}
	if r.Method == http.MethodGet {
		plain(w, http.StatusOK, h.healthy)
		return
	}
	if h.verifier != nil {
		if err := h.screen(r); err != nil {
			h.post(w, r, id, func(*call) error { return err })
			return
		}
	}
	body, err := caller.Read(w, r, maxBody)
	if err != nil {
		h.refuseBody(w, r, id, err)
		return
	}
	defer body.Release()
	if r.Method != http.MethodPost || !jsonBody(r, body.Bytes) {
		plain(w, http.StatusNotFound, unknownPage)
		return
	}
	h.post(w, r, id, func(c *call) error { return h.operate(c, r, body) })
}

// maxHead is how large the head of a request may be.
const maxHead = 16 << 10

// headBytes is the size of a request's head, without its punctuation.
func headBytes(r *http.Request) int {
	n := len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	return n
}

// post answers with what an operation leaves.
func (h *handler) post(w http.ResponseWriter, r *http.Request, id string, operation func(*call) error) {
	c := calls.Get().(*call)
	defer calls.Put(c)
	c.begin(h, r.Context(), r.Host)
	status := h.run(c, r.Header.Get("X-Amz-Target"), id, operation)
	send(w, r, status, c.out)
	c.end()
}

// calls are used again, for their buffers' sake.
var calls = sync.Pool{New: func() any { return &call{out: make([]byte, 0, 4096)} }}

// run performs the operation and leaves the answer in c.out.
func (h *handler) run(c *call, target, id string, operation func(*call) error) (status int) {
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("panic while serving DynamoDB", "target", target,
				"request", id, "panic", p, "stack", string(debug.Stack()))
			status = c.fail(internalError)
		}
	}()
	err := operation(c)
	if err == nil {
		return http.StatusOK
	}
	refusal, ok := asRefusal(err)
	if !ok || refusal.Type == engine.Internal {
		if c.ctx.Err() == nil && refusal != packed {
			h.log.Error("serving DynamoDB", "target", target, "request", id, "error", err)
		}
		if !ok {
			refusal = internalError
		}
	}
	return c.fail(refusal)
}

// operate finds the operation and lets it run. What was sent is what is
// signed; the body may have been compressed, and is unpacked for those who may
// come in alone.
func (h *handler) operate(c *call, r *http.Request, sent *caller.Body) error {
	if h.verifier != nil {
		if err := h.authenticate(r, sent.Bytes); err != nil {
			return err
		}
	}
	body, err := decoded(r, sent)
	if err != nil {
		return err
	}
	target := ""
	if v := r.Header["X-Amz-Target"]; len(v) > 0 {
		target = v[0]
	}
	operation, known := operations[target]
	if !known {
		return first(wellFormed(body), unknownOperation)
	}
	if h.signed && h.verifier == nil {
		if err := checkForm(r); err != nil {
			return first(wellFormed(body), err)
		}
	}
	if len(body) == 0 {
		return notJSON
	}
	c.in = token.NewReader(body)
	return operation(c)
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// wellFormed finds out whether the body is JSON: DynamoDB complains of that
// before it complains of the operation or the signature. An operation that is
// let through finds out by itself.
func wellFormed(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	r := token.NewReader(body)
	if err := r.Skip(); err != nil {
		return err
	}
	return r.Done()
}

// jsonBody reports whether the content type is one that DynamoDB reads. A
// request without a body needs none.
func jsonBody(r *http.Request, body []byte) bool {
	switch contentType(r) {
	case json10, "application/json":
		return true
	case json11: // not DynamoDB's own, but sent by clients that mean it
		return operations[r.Header.Get("X-Amz-Target")] != nil
	}
	return len(body) == 0
}

const (
	json10 = "application/x-amz-json-1.0"
	json11 = "application/x-amz-json-1.1"
)

// contentType is the media type without its parameters.
func contentType(r *http.Request) string {
	v := r.Header["Content-Type"]
	if len(v) == 0 {
		return ""
	}
	if v[0] == json10 {
		return json10
	}
	media, _, _ := strings.Cut(v[0], ";")
	return strings.TrimSpace(media)
}

// Header values that do not change.
var (
	server     = []string{"Server"}
	varyCoding = []string{"Accept-Encoding"}
	answerType = map[string][]string{json10: {json10}, json11: {json11}}
	plainJSON  = []string{"application/json"}
)

// send writes an answer of JSON.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	header := w.Header()
	if coding := answerCoding(r, body); coding != "" {
		p := packers[coding].Get().(*packer)
		defer packers[coding].Put(p)
		body = p.compress(body)
		header["Content-Encoding"] = []string{coding}
		header["Vary"] = varyCoding
	}
	media, ok := answerType[contentType(r)]
	if !ok {
		media = plainJSON
	}
	header["Content-Type"] = media
	write(w, status, body)
}

// plain writes an answer that is not JSON and names no type.
func plain(w http.ResponseWriter, status int, body []byte) {
	w.Header()["Content-Type"] = nil
	write(w, status, body)
}

func write(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header["Server"] = server
	header["X-Amz-Crc32"] = []string{strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	// The client may be gone; there is nobody to tell.
	_, _ = w.Write(body)
}

// unknownPage is what DynamoDB answers to requests that are no operations.
var unknownPage = []byte("<UnknownOperationException/>\n")

// refuseBody answers a body that was not read.
func (h *handler) refuseBody(w http.ResponseWriter, r *http.Request, id string, err error) {
	w.Header()["Connection"] = []string{"close"}
	switch {
	case errors.Is(err, caller.ErrBusy):
		h.post(w, r, id, func(*call) error { return busy })
		return
	case errors.Is(err, caller.ErrSlow):
		h.post(w, r, id, func(*call) error { return slow })
		return
	case !errors.Is(err, caller.ErrTooLarge):
		panic(http.ErrAbortHandler) // the connection broke; nobody reads an answer
	}
	if r.ContentLength < 2*maxBody {
		// Taking in the rest lets the client read the answer.
		_, _ = io.CopyN(io.Discard, r.Body, 2*maxBody)
	}
	// DynamoDB's front end says no more than this, in chunks.
	w.WriteHeader(http.StatusRequestEntityTooLarge)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// discardTime is for how long a body is taken in that is not wanted.
const discardTime = 5 * time.Second
