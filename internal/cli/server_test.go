package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/local"
	"pressroom/internal/pipetest"
)

var quiet = slog.New(slog.DiscardHandler)

func startTestServer(t *testing.T) *server {
	t.Helper()
	listener, err := local.Listen(t.Context(), "127.0.0.1:0", "--addr")
	if err != nil {
		t.Fatal(err)
	}
	s := startServer(listener, quiet)
	t.Cleanup(func() { s.http.Close() })
	return s
}

// get returns status and body of a path of the server.
func get(t *testing.T, s *server, path string) (int, string) {
	t.Helper()
	resp, err := http.Get(s.url() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// eventually waits for something that takes a moment; only a broken program
// makes it wait long.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

func TestListenOnAPortInUse(t *testing.T) {
	s := startTestServer(t)
	_, err := local.Listen(t.Context(), address(s.addr.String()), "--addr")
	want := "address " + s.addr.String() + " is in use by another program; stop that one, or choose another address with --addr"
	if err == nil || errs.Message(err) != want || errs.KindOf(err).Exit() != 1 {
		t.Errorf("listen: %v", err)
	}
}

func TestListenOnAForeignAddress(t *testing.T) {
	_, err := local.Listen(t.Context(), "192.0.2.1:0", "--addr")
	if err == nil || !strings.HasPrefix(errs.Message(err), "cannot listen on 192.0.2.1:0: ") {
		t.Errorf("listen: %v", err)
	}
}

func TestReadinessThroughLife(t *testing.T) {
	s := startTestServer(t)
	expect := func(path string, status int, body string) {
		t.Helper()
		if gotStatus, gotBody := get(t, s, path); gotStatus != status || strings.TrimSpace(gotBody) != body {
			t.Errorf("%s answers %d %s, want %d %s", path, gotStatus, gotBody, status, body)
		}
	}
	expect("/readyz", 503, `{"status":"starting"}`)
	expect("/healthz", 200, `{"status":"ok"}`)
	expect("/", 503, "Pressroom is starting.")

	var fault atomic.Bool
	checkData := func(context.Context) error {
		if fault.Load() {
			return errors.New("disk on fire")
		}
		return nil
	}
	site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "news") })
	s.open(site, []check{{name: "data", run: checkData}})
	expect("/readyz", 200, `{"status":"ready","checks":{"data":"ok"}}`)
	expect("/", 200, "news")

	fault.Store(true)
	expect("/readyz", 503, `{"status":"failing","checks":{"data":"failing"}}`)
	expect("/healthz", 200, `{"status":"ok"}`)
	fault.Store(false)
	expect("/readyz", 200, `{"status":"ready","checks":{"data":"ok"}}`)

	s.health.set(stopping)
	expect("/readyz", 503, `{"status":"stopping"}`)
	expect("/healthz", 200, `{"status":"ok"}`)
}

func TestHealthAnswersAreNotCached(t *testing.T) {
	s := startTestServer(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		resp, err := http.Get(s.url() + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s has headers %v", path, resp.Header)
		}
	}
}

// pipedServer is a server whose network and clock are the bubble's own.
func pipedServer(t *testing.T, site http.HandlerFunc) (*server, *http.Client) {
	t.Helper()
	l := pipetest.Listen()
	s := startServer(l, quiet)
	t.Cleanup(func() { s.http.Close() })
	s.open(site, nil)
	return s, l.Client()
}

// pageAt returns the answer of a page, or the error.
func pageAt(client *http.Client, path string) string {
	resp, err := client.Get("http://pressroom" + path)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(body)))
}

// A stopping server serves through the drain, not ready, and then finishes what
// runs before stop returns.
func TestStopDrainsAndFinishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		s, client := pipedServer(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				<-leave
			}
			io.WriteString(w, "whole")
		})
		slow, stopped := make(chan string, 1), make(chan error, 1)
		go func() { slow <- pageAt(client, "/slow") }()
		synctest.Wait()
		go func() { stopped <- s.stop(3*time.Second, 10*time.Second) }()

		time.Sleep(3*time.Second - 1)
		synctest.Wait()
		if got := pageAt(client, "/readyz"); got != `503 {"status":"stopping"}` {
			t.Errorf("/readyz answers %s during the drain", got)
		}
		if got := pageAt(client, "/"); got != "200 whole" {
			t.Errorf("a page answers %s during the drain", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := pageAt(client, "/"); !strings.Contains(got, net.ErrClosed.Error()) {
			t.Errorf("a page answers %s after the drain", got)
		}
		select {
		case err := <-stopped:
			t.Fatalf("stop returned %v while a request was running", err)
		default:
		}
		close(leave)
		if err := <-stopped; err != nil {
			t.Errorf("stop: %v", err)
		}
		if got := <-slow; got != "200 whole" {
			t.Errorf("the running request got %s", got)
		}
	})
}

func TestStopCutsOffAfterGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		s, client := pipedServer(t, func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			ended <- r.Context().Err()
		})
		go pageAt(client, "/")
		synctest.Wait()
		begin := time.Now()
		err := s.stop(0, 5*time.Second)
		if err == nil || !strings.Contains(err.Error(), "cut off") || time.Since(begin) != 5*time.Second {
			t.Errorf("stop after %s: %v", time.Since(begin), err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the request's context ended with %v", err)
		}
	})
}

func TestServerHasLimits(t *testing.T) {
	h := startTestServer(t).http
	for name, limit := range map[string]time.Duration{
		"ReadHeaderTimeout": h.ReadHeaderTimeout, "ReadTimeout": h.ReadTimeout,
		"WriteTimeout": h.WriteTimeout, "IdleTimeout": h.IdleTimeout,
	} {
		if limit <= 0 {
			t.Errorf("%s is not set", name)
		}
	}
	if requestGrace >= shutdownLimit || time.Duration(maxDrain) >= requestGrace {
		t.Error("drain, requests and store do not fit into one another")
	}
}

// A server whose listener breaks says so instead of hanging.
func TestServingFails(t *testing.T) {
	listener, err := local.Listen(t.Context(), "127.0.0.1:0", "--addr")
	if err != nil {
		t.Fatal(err)
	}
	s := startServer(listener, quiet)
	listener.Close()
	if err := <-s.failed; !errors.Is(err, net.ErrClosed) {
		t.Errorf("failed with %v", err)
	}
}

func TestShutdownLimitIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &store{log: quiet}
		release := make(chan struct{})
		defer close(release)
		st.add("stuck part", func() error { <-release; return nil })
		begin := time.Now()
		err := local.Within(shutdownLimit, st.Close)
		if err == nil || !strings.Contains(err.Error(), "longer than 10s") || time.Since(begin) != shutdownLimit {
			t.Errorf("shutdown after %s: %v", time.Since(begin), err)
		}
	})
}

func TestURL(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "http://127.0.0.1:80",
		"0.0.0.0:80":   "http://localhost:80",
		"[::]:80":      "http://localhost:80",
		"[::1]:80":     "http://[::1]:80",
	} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&server{addr: tcp}).url(); got != want {
			t.Errorf("%s is %s, want %s", addr, got, want)
		}
	}
}
