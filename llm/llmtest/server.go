package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pressroom/llm"
)

// Dialect is a service's wire format.
type Dialect interface {
	// Name is the provider's name.
	Name() string
	// Base is the path of the server's address that a provider is given.
	Base() string
	// Read checks a request strictly, key included, and returns what it asks. A
	// wrong key is ErrKey.
	Read(r *http.Request, body []byte) (Asked, error)
	// Success returns the body of an answer, also for Refuse, Filter, FilterInput
	// (where it is status 200), Truncate and Empty.
	Success(r Reply) any
	// Failure returns status and body of a failure; ok is false if the dialect
	// tells the fault in a Success.
	Failure(r Reply) (status int, body any, ok bool)
	// Can tells whether the service has a word for the fault.
	Can(f Fault) bool
}

// Asked is a request as the service understood it.
type Asked struct {
	Model       string
	System      string
	Messages    []llm.Message
	MaxOutput   int
	Temperature *float64
	Seed        *int64
	// Schema is the JSON Schema that was sent as a parameter, nil for none.
	Schema json.RawMessage
	// Format is how the answer's form was asked for, "" for not at all.
	Format string
}

// ErrKey is what Dialect.Read returns for a wrong key.
var ErrKey = fmt.Errorf("the key is not %s", Key)

// Server speaks a dialect over HTTP on a loopback address.
type Server struct {
	http    *httptest.Server
	dialect Dialect
	t       testing.TB

	mu      sync.Mutex
	replies []Reply
	always  func(n int, asked Asked) Reply
	asked   []Asked
}

// NewServer starts a server; it is closed with the test. A request that is not of
// the dialect fails the test.
func NewServer(t testing.TB, d Dialect) *Server {
	s := &Server{dialect: d, t: t}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

// Endpoint returns what a provider needs to ask the server.
func (s *Server) Endpoint() Endpoint {
	return Endpoint{URL: s.http.URL + s.dialect.Base(), Key: Key, Model: Model, HTTP: s.http.Client(), Timeout: time.Minute}
}

// Play appends replies to the script. When it is played out, requests fail the
// test, unless there is an Always.
func (s *Server) Play(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Always answers all requests after the script; n counts from 1 over all.
func (s *Server) Always(f func(n int, asked Asked) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = f
}

// Asked returns the requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// ServeHTTP plays the next reply.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	asked, err := s.dialect.Read(r, body)
	switch {
	case errors.Is(err, ErrKey):
		s.reply(w, r, Reply{Fault: BadKey})
		return
	case err != nil:
		s.t.Errorf("%s %s: %v\n%s", r.Method, r.URL.Path, err, body)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.reply(w, r, s.next(asked))
}

func (s *Server) next(asked Asked) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, asked)
	if len(s.replies) > 0 {
		reply := s.replies[0]
		s.replies = s.replies[1:]
		return reply
	}
	if s.always != nil {
		return s.always(len(s.asked), asked)
	}
	s.t.Errorf("request %d was not expected", len(s.asked))
	return Reply{Fault: Fail, Status: http.StatusNotImplemented}
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, reply Reply) {
	if reply.Delay > 0 {
		select {
		case <-time.After(reply.Delay):
		case <-r.Context().Done():
			return
		}
	}
	switch reply.Fault {
	case Hang:
		<-r.Context().Done()
	case CutEarly:
		panic(http.ErrAbortHandler)
	case Redirect:
		http.Redirect(w, r, "http://example.invalid/", http.StatusTemporaryRedirect)
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>All is well.</body></html>")
	case Cut:
		s.cut(w, reply)
	case Huge:
		w.Header().Set("Content-Type", "application/json")
		for {
			if _, err := io.WriteString(w, strings.Repeat(" ", 32<<10)); err != nil {
				return
			}
		}
	default:
		s.write(w, reply)
	}
}

func (s *Server) write(w http.ResponseWriter, reply Reply) {
	status, body, ok := s.dialect.Failure(reply)
	if !ok {
		status, body = http.StatusOK, s.dialect.Success(reply)
	}
	w.Header().Set("Content-Type", "application/json")
	if reply.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(reply.RetryAfter/time.Second)))
	}
	if typed, ok := body.(exception); ok {
		w.Header().Set("X-Amzn-Errortype", typed.Type)
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// cut promises a whole answer and closes the connection in the middle of it.
func (s *Server) cut(w http.ResponseWriter, reply Reply) {
	reply.Fault = ""
	data, _ := json.Marshal(s.dialect.Success(reply))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data[:len(data)/2])
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	panic(http.ErrAbortHandler)
}

// strict decodes a body that may have no other fields than v's.
func strict(body []byte, v any) error {
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("the body goes on after the JSON value")
	}
	return nil
}

// post checks method, path and content type.
func post(r *http.Request, path string) error {
	switch {
	case r.Method != http.MethodPost:
		return fmt.Errorf("the method is %s", r.Method)
	case r.URL.EscapedPath() != path:
		return fmt.Errorf("the path is %s, not %s", r.URL.EscapedPath(), path)
	case r.Header.Get("Content-Type") != "application/json":
		return fmt.Errorf("the content type is %q", r.Header.Get("Content-Type"))
	}
	return nil
}
