package edge

import (
	"io"
	"net/http"
	"time"
)

// Stall ends a request whose peer neither sends nor takes anything for idle.
// Objects may take hours to stream, so that no limit on the whole would do.
func Stall(h http.Handler, idle time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		// A connection that cannot set deadlines (in process) needs none.
		if c.SetWriteDeadline(time.Now().Add(idle)) != nil {
			h.ServeHTTP(w, r)
			return
		}
		_ = c.SetReadDeadline(time.Now().Add(idle))
		// net/http looks at the body of its own request to see whether the client
		// waits to be asked for it.
		own := *r
		own.Body = &stallReader{ReadCloser: r.Body, c: c, idle: idle}
		h.ServeHTTP(&stallWriter{ResponseWriter: w, c: c, idle: idle}, &own)
	})
}

// renewEvery bounds how often a deadline is moved.
const renewEvery = 1 << 20

type stallReader struct {
	io.ReadCloser
	c    *http.ResponseController
	idle time.Duration
	n    int
}

func (s *stallReader) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if s.n += n; s.n >= renewEvery {
		s.n = 0
		_ = s.c.SetReadDeadline(time.Now().Add(s.idle))
		_ = s.c.SetWriteDeadline(time.Now().Add(s.idle))
	}
	return n, err
}

type stallWriter struct {
	http.ResponseWriter
	c    *http.ResponseController
	idle time.Duration
	n    int
}

// Unwrap lets handlers reach the connection.
func (s *stallWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *stallWriter) Write(p []byte) (int, error) {
	if s.n += len(p); s.n >= renewEvery {
		s.n = 0
		_ = s.c.SetWriteDeadline(time.Now().Add(s.idle))
	}
	return s.ResponseWriter.Write(p)
}
