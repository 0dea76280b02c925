package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
)

var quiet = slog.New(slog.DiscardHandler)

func startTestServer(t *testing.T) *server {
	t.Helper()
	listener, err := listen(t.Context(), "127.0.0.1:0", "--addr")
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
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

func TestListenOnAPortInUse(t *testing.T) {
	s := startTestServer(t)
	_, err := listen(t.Context(), address(s.addr.String()), "--addr")
	want := "address " + s.addr.String() + " is in use by another program; stop that one, or choose another address with --addr"
	if err == nil || errs.Message(err) != want || errs.KindOf(err).Exit() != 1 {
		t.Errorf("listen: %v", err)
	}
}

func TestListenOnAForeignAddress(t *testing.T) {
	_, err := listen(t.Context(), "192.0.2.1:0", "--addr")
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
	s.open(site, []check{{"data", checkData}})
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

// A stopping server serves through the drain, not ready, and then finishes what
// runs before stop returns.
func TestStopDrainsAndFinishes(t *testing.T) {
	s := startTestServer(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	s.open(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(entered)
			<-leave
		}
		io.WriteString(w, "whole")
	}), nil)
	slow := make(chan string, 1)
	go func() {
		resp, err := http.Get(s.url() + "/slow")
		if err != nil {
			slow <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		slow <- string(body)
	}()
	<-entered

	stopped := make(chan error, 1)
	go func() { stopped <- s.stop(300*time.Millisecond, 10*time.Second) }()
	eventually(t, "the server is stopping", func() bool { return s.health.report(t.Context()).Status == stopping })
	if status, _ := get(t, s, "/readyz"); status != 503 {
		t.Errorf("/readyz answers %d during the drain", status)
	}
	if status, body := get(t, s, "/"); status != 200 || body != "whole" {
		t.Errorf("a page answers %d %q during the drain", status, body)
	}
	eventually(t, "the port is closed", func() bool {
		conn, err := net.Dial("tcp", s.addr.String())
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	select {
	case err := <-stopped:
		t.Fatalf("stop returned %v while a request was running", err)
	default:
	}
	close(leave)
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
	if got := <-slow; got != "whole" {
		t.Errorf("the running request got %q", got)
	}
}

func TestStopCutsOffAfterGrace(t *testing.T) {
	s := startTestServer(t)
	entered := make(chan struct{})
	ended := make(chan error, 1)
	s.open(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		ended <- r.Context().Err()
	}), nil)
	go func() {
		if resp, err := http.Get(s.url()); err == nil {
			resp.Body.Close()
		}
	}()
	<-entered
	err := s.stop(0, 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("stop: %v", err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the request's context ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the request was not told to end")
	}
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
	listener, err := listen(t.Context(), "127.0.0.1:0", "--addr")
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
	st := &store{log: quiet}
	release := make(chan struct{})
	defer close(release)
	st.add("stuck part", func() error { <-release; return nil })
	begin := time.Now()
	err := within(100*time.Millisecond, st.Close)
	if err == nil || !strings.Contains(err.Error(), "longer than 100ms") {
		t.Errorf("shutdown: %v", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("shutdown took %s", took)
	}
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

func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-15T00:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	b := buildOf(info)
	b.Go, b.Platform = "go1", "os/arch"
	want := build{Version: "v1.2.3", Revision: "abc", Time: "2026-11-15T00:00:00Z", Modified: true, Go: "go1", Platform: "os/arch"}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("build (-want +got):\n%s", diff)
	}
	if got := b.String(); got != "pressroom v1.2.3 revision abc with local changes, go1, os/arch" {
		t.Errorf("shown as %q", got)
	}
	if buildOf(nil).Version != "unknown" {
		t.Error("a binary without build information has a version")
	}
	if _, err := json.Marshal(b); err != nil {
		t.Error(err)
	}
}
