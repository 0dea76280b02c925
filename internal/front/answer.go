package front

import (
	"io"
	"net/http"
)

// answer is the writer that handlers get. It remembers what was sent.
type answer struct {
	w      http.ResponseWriter
	status int // 0 if nothing was sent yet
	bytes  int64
}

// Header returns the answer's header.
func (a *answer) Header() http.Header { return a.w.Header() }

// WriteHeader sends the header. What sets a cookie is for one reader and is
// not kept by anyone on the way.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
		if h := a.w.Header(); len(h["Set-Cookie"]) > 0 {
			h.Set("Cache-Control", "private, no-store")
		}
	}
	a.w.WriteHeader(status)
}

func (a *answer) begin() {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
}

// Write sends a part of the body.
func (a *answer) Write(p []byte) (int, error) {
	a.begin()
	n, err := a.w.Write(p)
	a.bytes += int64(n)
	return n, err
}

// ReadFrom sends a file the way that the connection does it best.
func (a *answer) ReadFrom(src io.Reader) (int64, error) {
	a.begin()
	n, err := io.Copy(a.w, src)
	a.bytes += n
	return n, err
}

// Flush sends what was written so far.
func (a *answer) Flush() {
	a.begin()
	_ = http.NewResponseController(a.w).Flush() // a connection without it has nothing to flush
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.w }
