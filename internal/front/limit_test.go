package front

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

func TestBucket(t *testing.T) {
	l := newLimiter[string](Rate{PerSecond: 2, Burst: 3})
	now := time.Unix(1000, 0)
	for i := range 3 {
		if _, ok := l.take("a", now); !ok {
			t.Fatalf("request %d of the burst is refused", i)
		}
	}
	after, ok := l.take("a", now)
	if ok || after != 500*time.Millisecond {
		t.Errorf("the fourth: %v after %v", ok, after)
	}
	if _, ok := l.take("b", now); !ok {
		t.Error("another caller is refused")
	}
	if _, ok := l.take("a", now.Add(499*time.Millisecond)); ok {
		t.Error("too early")
	}
	if _, ok := l.take("a", now.Add(500*time.Millisecond)); !ok {
		t.Error("still refused after the wait")
	}
	if _, ok := l.take("a", now.Add(-time.Hour)); ok {
		t.Error("a clock that goes back gives tokens")
	}
	for range 3 {
		if _, ok := l.take("a", now.Add(time.Hour)); !ok {
			t.Error("the bucket did not fill again")
		}
	}
	if _, ok := l.take("a", now.Add(time.Hour)); ok {
		t.Error("the bucket overflowed")
	}
	free := newLimiter[string](Rate{PerSecond: -1})
	for range 1000 {
		if _, ok := free.take("a", now); !ok {
			t.Fatal("no limit refuses")
		}
	}
}

// A crowd of addresses is held to what one shard's common bucket gives, takes no
// more memory, and does not touch who was there before.
func TestLimiterIsBounded(t *testing.T) {
	l := newLimiter[int](Rate{PerSecond: 1, Burst: 2})
	now := time.Unix(1000, 0)
	in := 0
	const crowd = 4 * limiterShards * bucketsPerShard
	for i := range crowd {
		if _, ok := l.take(i, now); ok {
			in++
		}
	}
	room := limiterShards * bucketsPerShard
	held := 0
	for i := range l.shards {
		held += len(l.shards[i].buckets)
	}
	if held > room || in > room+2*limiterShards {
		t.Errorf("%d buckets, %d of %d let in", held, in, crowd)
	}
	if _, ok := l.take(0, now); !ok {
		t.Error("an early caller lost its bucket")
	}
	if _, ok := l.take(crowd+1, now.Add(time.Minute)); !ok {
		t.Error("idle buckets were not given away")
	}
}

func TestNetworkOf(t *testing.T) {
	for text, want := range map[string]string{"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::"} {
		if got := networkOf(netip.MustParseAddr(text)).String(); got != want {
			t.Errorf("%s counts as %s", text, got)
		}
	}
}

func limitedMux(o *Options) (*Mux, func(from, path string) *httptest.ResponseRecorder) {
	o.Log = slog.New(slog.DiscardHandler)
	m := New(o)
	fail := func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, "route", errs.KindOf(err).Status())
	}
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	m.Handle(Route{Pattern: "GET /a", Handler: ok, Fail: fail})
	m.Handle(Route{Pattern: "GET /strict", Handler: ok, Fail: fail, Rate: Rate{PerSecond: 0.1, Burst: 1}})
	return m, func(from, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, http.NoBody)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		return w
	}
}

func TestLimits(t *testing.T) {
	now := time.Unix(1000, 0)
	who := "1"
	_, ask := limitedMux(&Options{
		PerAddress: Rate{PerSecond: 1, Burst: 4}, PerAccount: Rate{PerSecond: 1, Burst: 3}, Now: func() time.Time { return now },
		Authenticate: func(http.ResponseWriter, *http.Request) (*auth.Account, error) {
			return &auth.Account{ID: who, Role: auth.Reader}, nil
		},
	})
	expect := func(what, from, path string, status int, retry string) {
		t.Helper()
		w := ask(from, path)
		if w.Code != status || w.Header().Get("Retry-After") != retry {
			t.Errorf("%s: %d, retry after %q", what, w.Code, w.Header().Get("Retry-After"))
		}
	}
	for i := range 3 {
		expect("within "+strconv.Itoa(i), "192.0.2.1:1", "/a", 200, "")
	}
	expect("the account's fourth", "192.0.2.1:1", "/a", 429, "1")
	who = "2"
	expect("the address's fifth", "192.0.2.1:1", "/a", 429, "1")
	expect("an unknown path", "192.0.2.1:1", "/nowhere", 429, "1")
	expect("another address", "192.0.2.2:1", "/a", 200, "")
	expect("the strict route", "192.0.2.2:1", "/strict", 200, "")
	expect("the strict route again", "192.0.2.2:1", "/strict", 429, "10")
	now = now.Add(10 * time.Second)
	expect("after a while", "192.0.2.1:1", "/strict", 200, "")
}

// A caller has so many requests on a route at a time, and others do not wait for
// it.
func TestAtOnce(t *testing.T) {
	who := ""
	m, ask := limitedMux(&Options{Authenticate: func(http.ResponseWriter, *http.Request) (*auth.Account, error) {
		if who == "" {
			return nil, nil
		}
		return &auth.Account{ID: who, Role: auth.Reader}, nil
	}})
	var came, leave = make(chan struct{}), make(chan struct{})
	m.Handle(Route{Pattern: "GET /slow", AtOnce: 2, Fail: m.o.Fail, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		came <- struct{}{}
		<-leave
	})})
	done := make(chan int)
	enter := func(from string) {
		go func() { done <- ask(from, "/slow").Code }()
		<-came
	}
	enter("192.0.2.1:1")
	enter("192.0.2.1:2")
	if w := ask("192.0.2.1:3", "/slow"); w.Code != 429 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("a third of the address: %d, retry after %q", w.Code, w.Header().Get("Retry-After"))
	}
	enter("192.0.2.2:1")
	who = "ann"
	enter("192.0.2.1:4")
	enter("192.0.2.3:1")
	if w := ask("192.0.2.4:1", "/slow"); w.Code != 429 {
		t.Errorf("a third of the account: %d", w.Code)
	}
	for range 5 {
		leave <- struct{}{}
		if code := <-done; code != 200 {
			t.Error(code)
		}
	}
	enter("192.0.2.1:4")
	leave <- struct{}{}
	<-done
}

// BenchmarkDoor is what the door adds to a handler that does nothing: signed out,
// and as an account with its limit.
func BenchmarkDoor(b *testing.B) {
	for name, account := range map[string]*auth.Account{"signed-out": nil, "account": {ID: "1", Role: auth.Reader}} {
		b.Run(name, func(b *testing.B) {
			m := New(&Options{
				Log: slog.New(slog.NewTextHandler(io.Discard, nil)), PerAddress: Rate{PerSecond: 1e9, Burst: 1e9}, PerAccount: Rate{PerSecond: 1e9, Burst: 1e9},
				Authenticate: func(http.ResponseWriter, *http.Request) (*auth.Account, error) { return account, nil },
			})
			m.Handle(Route{Pattern: "GET /blog/{id}", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), Fail: m.o.Fail})
			r := httptest.NewRequest("GET", "/blog/x", http.NoBody)
			w := httptest.NewRecorder()
			b.ReportAllocs()
			for b.Loop() {
				m.ServeHTTP(w, r)
			}
		})
	}
}
