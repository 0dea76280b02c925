package edge

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestStall(t *testing.T) {
	ended := make(chan error, 1)
	srv := httptest.NewServer(Stall(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		ended <- err
	}), 100*time.Millisecond))
	defer srv.Close()

	body, feed := io.Pipe()
	go func() { _, _ = http.Post(srv.URL, "text/plain", body) }()
	defer func() { _ = feed.Close() }()
	if _, err := feed.Write([]byte("half of it")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a stalled body was read to its end")
		}
	case <-time.After(10 * time.Second):
		t.Error("a stalled peer holds its request for ever")
	}
}

// TestStallLetsSlowStreams sends more than the deadline's time in pieces.
func TestStallLetsSlowStreams(t *testing.T) {
	srv := httptest.NewServer(Stall(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if n != 8<<20 {
			http.Error(w, "short", http.StatusBadRequest)
		}
	}), 2*time.Second))
	defer srv.Close()
	body, feed := io.Pipe()
	go func() {
		piece := make([]byte, 1<<20)
		for range 8 {
			if _, err := feed.Write(piece); err != nil {
				return
			}
			time.Sleep(400 * time.Millisecond)
		}
		_ = feed.Close()
	}()
	res, err := http.Post(srv.URL, "text/plain", body)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		t.Errorf("answered %s", res.Status)
	}
}

// TestStallAsksForNoRefusedBody: a client that waits to be asked for its body
// gets the refusal instead.
func TestStallAsksForNoRefusedBody(t *testing.T) {
	srv := httptest.NewServer(Stall(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}), time.Minute))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = io.WriteString(conn, "PUT /bucket/key HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
	line, err := bufio.NewReader(conn).ReadString('\n')
	if line != "HTTP/1.1 403 Forbidden\r\n" {
		t.Errorf("answered %q, %v", line, err)
	}
}
