package caller

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// newPool returns a budget of a test's own.
func newPool() *pool { return &pool{free: budget, changed: make(chan struct{})} }

// holder is a body of so many bytes that goes on coming.
func (p *pool) holder(t *testing.T, n int64) *Body {
	t.Helper()
	b := &Body{p: p, hurry: func() {}}
	p.enter(b)
	if err := b.Charge(n); err != nil {
		t.Fatal(err)
	}
	return b
}

// end is what a reader does when it is hurried.
func (b *Body) end() {
	_ = b.Arrived()
	b.Release()
}

// TestLargeWaitForLarge: a large body waits for others to have had their time,
// and then they are given up.
func TestLargeWaitForLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		old := p.holder(t, large)
		old.hurry = old.hurryTo(t)
		began := time.Now()
		b := &Body{p: p}
		p.enter(b)
		if err := b.Charge(1 << 20); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != grace {
			t.Errorf("it waited for %v, want %v", waited, grace)
		}
		if old.Arrived() == nil {
			t.Error("the other was not given up")
		}
		b.end()
		synctest.Wait()
		if p.free != budget {
			t.Errorf("%d of %d bytes are left", p.free, int64(budget))
		}
	})
}

// hurryTo gives a holder the manners of a reader: it ends when it is hurried.
func (b *Body) hurryTo(t *testing.T) func() {
	done := make(chan struct{}, 1)
	go func() {
		<-done
		b.Release()
	}()
	t.Cleanup(func() { close(done) })
	return func() { done <- struct{}{} }
}

// TestSmallDoNotWait: what is kept for small bodies large ones cannot take, and
// where small ones have taken it, the oldest go at once.
func TestSmallDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		began := time.Now()
		p.holder(t, large)
		var crowd []*Body
		for range (budget - large) / small {
			b := p.holder(t, small)
			b.hurry = b.hurryTo(t)
			crowd = append(crowd, b)
		}
		p.reading = p.reading[1:] // the large one has come and is being worked on
		honest := &Body{p: p}
		p.enter(honest)
		if err := honest.Charge(small); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) != 0 {
			t.Errorf("it waited for %v", time.Since(began))
		}
		if crowd[0].Arrived() == nil || crowd[1].Arrived() != nil {
			t.Error("not the oldest was given up")
		}
	})
}

// TestBusy: where nobody can be given up, patience ends.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		working := p.holder(t, large)
		if err := working.Arrived(); err != nil {
			t.Fatal(err)
		}
		b := &Body{p: p}
		p.enter(b)
		if err := b.Charge(16 << 20); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v", err)
		}
		working.Release()
		if err := b.Charge(16 << 20); err != nil {
			t.Errorf("with room again: %v", err)
		}
		b.end()
		if p.free != budget {
			t.Errorf("%d of %d bytes are left", p.free, int64(budget))
		}
	})
}

// readAll serves Read; what it answers is the body or the error.
func readAll(limit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := Read(w, r, limit)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer b.Release()
		_, _ = w.Write(b.Bytes)
	})
}

func TestRead(t *testing.T) {
	const limit = 1 << 20
	for _, size := range []int{0, 1, 4095, 4096, 4097, small - 1, small, small + 1, 300_000, limit - 1, limit, limit + 1, limit + 5000} {
		sent := bytes.Repeat([]byte("x"), size)
		for name, length := range map[string]int64{"announced": int64(size), "chunked": -1} {
			r := httptest.NewRequest("POST", "/", bytes.NewReader(sent))
			r.ContentLength = length
			w := httptest.NewRecorder()
			readAll(limit).ServeHTTP(w, r)
			want := string(sent)
			if size > limit {
				want = ErrTooLarge.Error() + "\n"
			}
			if w.Body.String() != want {
				t.Errorf("%d bytes, %s: %d bytes, %.60q", size, name, w.Body.Len(), w.Body)
			}
		}
	}
	r := httptest.NewRequest("POST", "/", strings.NewReader("short"))
	r.ContentLength = 10
	w := httptest.NewRecorder()
	readAll(limit).ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), io.ErrUnexpectedEOF.Error()) {
		t.Errorf("a short body: %s", w.Body)
	}
	if bodies.free != budget || len(bodies.reading) != 0 {
		t.Errorf("%d of %d bytes are left, %d are reading", bodies.free, int64(budget), len(bodies.reading))
	}
}

// TestLargestBody: a body of unknown length may be as large as any, and one byte
// more is too large, not too much at once.
func TestLargestBody(t *testing.T) {
	const limit = 16 << 20
	for size, want := range map[int]string{limit: "", limit + 1: ErrTooLarge.Error() + "\n"} {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(make([]byte, size)))
		r.ContentLength = -1
		w := httptest.NewRecorder()
		readAll(limit).ServeHTTP(w, r)
		if want == "" && w.Body.Len() != size || want != "" && w.Body.String() != want {
			t.Errorf("%d bytes: %d bytes, %.60q", size, w.Body.Len(), w.Body)
		}
	}
	if bodies.free != budget || len(bodies.reading) != 0 {
		t.Errorf("%d of %d bytes are left, %d are reading", bodies.free, int64(budget), len(bodies.reading))
	}
}

// TestStalledBodiesGiveWay fills the budget with bodies that do not end, over
// real connections: the next caller is served, and they are answered.
func TestStalledBodiesGiveWay(t *testing.T) {
	srv := httptest.NewServer(readAll(16 << 20))
	defer srv.Close()
	const size = 16 << 20
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answers := make(chan string, 4)
	for range 4 {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		go func() {
			_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16777216\r\n\r\n")
			_, _ = conn.Write(make([]byte, size-1)) // and never the last byte
		}()
		go func() {
			answer := make([]byte, 12)
			_, _ = io.ReadFull(conn, answer)
			answers <- string(answer)
		}()
	}
	for range 2 { // there is room for two
		if got := <-answers; got != "HTTP/1.1 503" {
			t.Errorf("a stalled body was answered %q", got)
		}
	}
	resp, err := http.Post(srv.URL, "text/plain", bytes.NewReader(make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if n, err := io.Copy(io.Discard, resp.Body); resp.StatusCode != 200 || n != size || err != nil {
		t.Errorf("the next caller: %s, %d bytes, %v", resp.Status, n, err)
	}
}
