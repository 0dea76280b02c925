package outbound

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/pipetest"
)

// TestAddresses is the table of what is refused, each with its reason, once as a
// literal in the URL (where it can be written) and once as what a name resolves to.
func TestAddresses(t *testing.T) {
	for _, row := range []struct{ addr, reason string }{
		{"0.0.0.0", "the unspecified address"},
		{"0.1.2.3", "this network"},
		{"10.0.0.1", "a private network"},
		{"10.255.255.255", "a private network"},
		{"100.63.255.255", ""},
		{"100.64.0.1", "a carrier's shared network (CGNAT)"},
		{"100.127.255.254", "a carrier's shared network (CGNAT)"},
		{"100.128.0.0", ""},
		{"100.100.100.200", "a cloud's metadata service"},
		{"127.0.0.1", "a loopback address"},
		{"127.255.0.9", "a loopback address"},
		{"168.63.129.16", "a cloud's metadata service"},
		{"169.254.0.1", "a link-local address"},
		{"169.254.169.254", "a cloud's metadata service"},
		{"169.254.170.2", "a cloud's metadata service"},
		{"172.15.255.255", ""},
		{"172.16.0.1", "a private network"},
		{"172.31.255.255", "a private network"},
		{"172.32.0.0", ""},
		{"192.0.0.1", "reserved for protocols"},
		{"192.0.0.192", "a cloud's metadata service"},
		{"192.0.2.7", "reserved for documentation"},
		{"192.88.99.1", "a relay of IPv6 in IPv4"},
		{"192.168.1.1", "a private network"},
		{"198.18.0.1", "reserved for benchmarks"},
		{"198.19.255.255", "reserved for benchmarks"},
		{"198.51.100.1", "reserved for documentation"},
		{"203.0.113.9", "reserved for documentation"},
		{"224.0.0.1", "a multicast address"},
		{"239.255.255.250", "a multicast address"},
		{"240.0.0.1", "reserved"},
		{"255.255.255.255", "the broadcast address"},
		{"8.8.8.8", ""},
		{"93.184.216.34", ""},
		{"::", "the unspecified address"},
		{"::1", "a loopback address"},
		{"::7f00:1", "an IPv4 address written as IPv6"},
		{"::ffff:0:127.0.0.1", "an IPv4 address translated to IPv6"},
		{"64:ff9b::7f00:1", "an IPv4 address translated to IPv6 (NAT64)"},
		{"64:ff9b::808:808", "an IPv4 address translated to IPv6 (NAT64)"},
		{"64:ff9b:1::a00:1", "an IPv4 address translated to IPv6 (NAT64)"},
		{"100::1", "a discard address"},
		{"2001::7f00:1", "a tunnel of IPv6 in IPv4 (Teredo)"},
		{"2001:20::1", "reserved for protocols"},
		{"2001:db8::1", "reserved for documentation"},
		{"2002:7f00:1::1", "a tunnel of IPv6 in IPv4 (6to4)"},
		{"3fff::1", "reserved for documentation"},
		{"5f00::1", "reserved for segment routing"},
		{"4000::1", "not a global address"},
		{"fc00::1", "a private network"},
		{"fd12:3456::1", "a private network"},
		{"fd00:ec2::254", "a cloud's metadata service"},
		{"fd20:ce::254", "a cloud's metadata service"},
		{"fe80::1", "a link-local address"},
		{"fec0::1", "a private network"},
		{"ff02::1", "a multicast address"},
		{"2606:4700:4700::1111", ""},
		{"2a00:1450:4001:81b::200e", ""},
	} {
		t.Run(row.addr, func(t *testing.T) {
			a := netip.MustParseAddr(row.addr)
			expect(t, tryLiteral(t, a), row.reason)
			expect(t, tryName(t, a), row.reason)
		})
	}
}

func expect(t *testing.T, err error, reason string) {
	t.Helper()
	var refused *Refused
	switch {
	case reason == "" && !errors.Is(err, errDialled):
		t.Errorf("was not dialled: %v", err)
	case reason != "" && !errors.As(err, &refused):
		t.Errorf("error %v, want a refusal", err)
	case reason != "" && refused.Reason != reason:
		t.Errorf("refused because of %q, want %q", refused.Reason, reason)
	case reason != "" && errs.KindOf(err) != errs.Forbidden:
		t.Errorf("kind %v", errs.KindOf(err))
	}
}

// errDialled says that a connection would have been made.
var errDialled = errors.New("dialled")

func dialNothing(context.Context, string, string) (net.Conn, error) { return nil, errDialled }

func tryLiteral(t *testing.T, a netip.Addr) error {
	t.Helper()
	host := a.String()
	if a.Is6() {
		host = "[" + host + "]"
	}
	return get(t, &Options{Dial: dialNothing}, "http://"+host+"/")
}

func tryName(t *testing.T, a netip.Addr) error {
	t.Helper()
	resolve := func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{a}, nil }
	return get(t, &Options{Dial: dialNothing, Resolve: resolve}, "http://news.example/")
}

func get(t *testing.T, o *Options, url string) error {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return err
}

// TestURLs has what can be refused without resolving anything.
func TestURLs(t *testing.T) {
	c, err := New(&Options{Allow: []string{"inside.example", "other.example:9000"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ url, reason string }{
		{"https://news.example/a", ""},
		{"http://news.example:8080/", ""},
		{"http://news.example:25/", "port 25 is not one of 80, 443, 8080, 8443"},
		{"http://news.example:6379/", "port 6379 is not one of 80, 443, 8080, 8443"},
		{"file:///etc/passwd", "the scheme file is neither http nor https"},
		{"gopher://news.example/", "the scheme gopher is neither http nor https"},
		{"http:///x", "there is no host"},
		{"http://user:secret@news.example/", "the address has a user name"},
		{"http://127.0.0.1/", "a loopback address"},
		{"http://[::1]/", "a loopback address"},
		{"http://[::ffff:8.8.8.8]/", "an IPv4 address mapped to IPv6"},
		{"http://[::ffff:7f00:1]/", "an IPv4 address mapped to IPv6"},
		{"http://[fe80::1%25eth0]/", "an address with a zone"},
		{"http://inside.example:1234/", ""},
		{"http://other.example:9000/", ""},
		{"http://other.example:9001/", "port 9001 is not one of 80, 443, 8080, 8443"},
	} {
		u, err := url.Parse(row.url)
		if err != nil {
			t.Fatal(err)
		}
		err = c.CheckURL(u)
		var refused *Refused
		switch {
		case row.reason == "" && err != nil:
			t.Errorf("%s: %v", row.url, err)
		case row.reason != "" && (!errors.As(err, &refused) || refused.Reason != row.reason):
			t.Errorf("%s: %v, want %s", row.url, err, row.reason)
		}
	}
}

// Old resolvers read these as addresses; whatever they resolve to is checked.
func TestOddNotations(t *testing.T) {
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost", "LOCALHOST."} {
		resolve := func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		expect(t, get(t, &Options{Dial: dialNothing, Resolve: resolve}, "http://"+host+"/"), "a loopback address")
	}
}

// internet serves a handler under one public address.
func internet(t *testing.T, h http.Handler) *Options {
	t.Helper()
	return &Options{
		Timeout: time.Hour, HeaderTimeout: time.Hour,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: pipetest.Serve(t, h).Dial,
	}
}

func TestRedirects(t *testing.T) {
	o := internet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	}))
	expect(t, get(t, o, "http://news.example/?to=http://169.254.169.254/latest"), "a cloud's metadata service")
	expect(t, get(t, o, "http://news.example/?to=http://[::1]/"), "a loopback address")
	expect(t, get(t, o, "http://news.example/?to=ftp://news.example/"), "the scheme ftp is neither http nor https")
	if err := get(t, o, "http://news.example/?to=?to=/"); err == nil || !strings.Contains(err.Error(), "more than 5 redirects") {
		t.Errorf("a loop ends with %v", err)
	}
	o.MaxRedirects = -1
	if err := get(t, o, "http://news.example/?to=http://127.0.0.1/"); err != nil {
		t.Errorf("a redirect that is not followed: %v", err)
	}
}

// A name that is public when it is looked at first, and private afterwards, is
// refused afterwards; one with both kinds of addresses is only dialled at the
// public one.
func TestRebinding(t *testing.T) {
	var lookups atomic.Int32
	o := internet(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	o.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("10.0.0.5")}, nil
	}
	if err := get(t, o, "http://news.example/"); err != nil {
		t.Fatal(err)
	}
	expect(t, get(t, o, "http://news.example/"), "a private network")

	var dialled []string
	both := &Options{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = append(dialled, address)
			return nil, errDialled
		},
	}
	expect(t, get(t, both, "http://news.example/"), "")
	if len(dialled) != 1 || dialled[0] != "93.184.216.34:80" {
		t.Errorf("dialled %v", dialled)
	}
}

func TestAllow(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	host := server.Listener.Addr().String()
	for _, entry := range []string{host, "127.0.0.0/8", "127.0.0.1"} {
		if err := get(t, &Options{Allow: []string{entry}}, server.URL); err != nil {
			t.Errorf("with %s allowed: %v", entry, err)
		}
	}
	expect(t, get(t, &Options{Allow: []string{"127.0.0.2", "10.0.0.0/8", "else.example"}}, server.URL), "a loopback address")
	if _, err := New(&Options{Allow: []string{"http://x/"}}); errs.KindOf(err) != errs.Usage {
		t.Errorf("a URL as an entry: %v", err)
	}
}

func zipped(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.CopyN(w, zeros{}, int64(n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestBounds(t *testing.T) {
	bomb, small := zipped(t, 16<<20), zipped(t, 100)
	mux := http.NewServeMux()
	zip := func(body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				http.Error(w, "no gzip asked for", http.StatusTeapot)
			}
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(body)
		}
	}
	mux.HandleFunc("/bomb", zip(bomb))
	mux.HandleFunc("/small", zip(small))
	mux.HandleFunc("/empty", zip(nil))
	mux.HandleFunc("/broken", zip([]byte("no gzip at all")))
	mux.HandleFunc("/brotli", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = w.Write([]byte("x"))
	})
	mux.HandleFunc("/exact", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 10<<20)) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 10<<20+1)) })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/header", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 300<<10))
	})
	o := internet(t, mux)
	o.MaxBody = 10 << 20
	for path, want := range map[string]error{
		"/small": nil, "/empty": nil, "/exact": nil, "/large": ErrTooLarge, "/endless": ErrTooLarge, "/bomb": ErrBomb, "/broken": gzip.ErrHeader,
	} {
		if err := get(t, o, "http://news.example"+path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	for _, path := range []string{"/header", "/brotli"} {
		if err := get(t, o, "http://news.example"+path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

// The time is that of the whole answer, however steadily it drips.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		mux.HandleFunc("/loris", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = fmt.Fprint(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}
		})
		mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		o := internet(t, mux)
		o.Timeout = 10 * time.Second
		for _, path := range []string{"/loris", "/silent"} {
			begin := time.Now()
			if err := get(t, o, "http://news.example"+path); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != o.Timeout {
				t.Errorf("%s ends after %s with %v", path, time.Since(begin), err)
			}
		}
	})
}

func TestUserAgent(t *testing.T) {
	var got string
	o := internet(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.UserAgent() }))
	o.UserAgent = "Pressroom (+mailto:desk@news.example)"
	if err := get(t, o, "http://news.example/"); err != nil || got != o.UserAgent {
		t.Errorf("%q, %v", got, err)
	}
}
