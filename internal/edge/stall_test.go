package edge

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/internal/pipetest"
)

// A peer that stops in the middle of its body loses its request when it has said
// nothing for idle, and not before.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const idle = time.Minute
		ended := make(chan error, 1)
		l := pipetest.Serve(t, Stall(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			ended <- err
		}), idle))
		body, feed := io.Pipe()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			if res, err := l.Client().Post("http://edge/", "text/plain", body); err == nil {
				_ = res.Body.Close()
			}
		}()
		begin := time.Now()
		if _, err := feed.Write([]byte("half of it")); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != idle {
			t.Errorf("a stalled body ended after %s with %v", time.Since(begin), err)
		}
		_ = feed.Close()
		<-answered
	})
}

// A body that keeps coming may take longer than idle as a whole.
func TestStallLetsSlowStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const idle, pause, pieces = time.Minute, 50 * time.Second, 8
		l := pipetest.Serve(t, Stall(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil || n != pieces<<20 {
				http.Error(w, "short", http.StatusBadRequest)
			}
		}), idle))
		body, feed := io.Pipe()
		go func() {
			for range pieces {
				if _, err := feed.Write(make([]byte, 1<<20)); err != nil {
					return
				}
				time.Sleep(pause)
			}
			_ = feed.Close()
		}()
		begin := time.Now()
		res, err := l.Client().Post("http://edge/", "text/plain", body)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if took := time.Since(begin); res.StatusCode != http.StatusOK || took != pieces*pause {
			t.Errorf("answered %s after %s", res.Status, took)
		}
	})
}

// TestStallAsksForNoRefusedBody: a client that waits to be asked for its body
// gets the refusal instead.
func TestStallAsksForNoRefusedBody(t *testing.T) {
	srv := httptest.NewServer(Stall(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}), time.Hour))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	_, _ = io.WriteString(conn, "PUT /bucket/key HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
	line, err := bufio.NewReader(conn).ReadString('\n')
	if line != "HTTP/1.1 403 Forbidden\r\n" {
		t.Errorf("answered %q, %v", line, err)
	}
}
