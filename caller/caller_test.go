package caller

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// call is a request of a peer on this machine.
func call(method, host string, header ...string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	r.Host, r.RemoteAddr = host, "127.0.0.1:50000"
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

func TestHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:4566": true, "127.8.0.1:1": true, "[::1]:4566": true, "[::1]": true, "[::ffff:127.0.0.1]:1": true,
		"localhost": true, "localhost:4566": true, "LOCALHOST:4566": true, "localhost.": true,
		"bucket.localhost:4566": true, "a.b.s3.localhost": true,
		"localhost.localstack.cloud:4566": true, "bucket.s3.localhost.localstack.cloud:4566": true,

		"": false, ":4566": false, "0.0.0.0:4566": false, "[::]:4566": false, "192.168.1.5:4566": false, "example.org": false,
		"localhost.example.org": false, "notlocalhost": false, "127.0.0.1.example.org": false, "localstack.cloud": false,
		"evil-localhost.localstack.cloud": false, "bucket.s3.amazonaws.com": false, "2130706433": false, "0x7f.1": false,
		"[::1": false, "a b": false, "localhost:4566:80": false,
	} {
		if why := Refuse(call("GET", host)); (why == "") != want {
			t.Errorf("host %q: %q", host, why)
		}
	}
}

func TestPeers(t *testing.T) {
	for peer, want := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true,
		"192.0.2.1:1": false, "[2001:db8::1]:1": false, "": false, "@": false, "in-process": false,
	} {
		r := call("GET", "localhost")
		r.RemoteAddr = peer
		if why := Refuse(r); (why == "") != want {
			t.Errorf("peer %q: %q", peer, why)
		}
	}
}

// TestBrowsers goes through what a browser can say, in all combinations: a
// request is served only if it says nothing of a page.
func TestBrowsers(t *testing.T) {
	origins := []string{"", "null", "https://example.org", "http://127.0.0.1:4566", "http://localhost:5173", "file://", "chrome-extension://abc"}
	sites := []string{"", "none", "same-origin", "same-site", "cross-site", "nonsense"}
	modes := []string{"", "cors", "no-cors", "same-origin", "navigate", "websocket"}
	preflights := []string{"", "Access-Control-Request-Method", "Access-Control-Request-Headers", "Access-Control-Request-Private-Network", "Access-Control-Request-Local-Network"}
	methods := []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}
	n := 0
	for _, host := range []string{"127.0.0.1:4566", "localhost:4566", "bucket.localhost:4566", "localhost.localstack.cloud:4566", "rebound.example.org:4566"} {
		for _, origin := range origins {
			for _, site := range sites {
				for _, mode := range modes {
					for _, ask := range preflights {
						for _, method := range methods {
							r := call(method, host)
							set := func(name, value string) {
								if value != "" {
									r.Header.Set(name, value)
								}
							}
							set("Origin", origin)
							set("Sec-Fetch-Site", site)
							set("Sec-Fetch-Mode", mode)
							if ask != "" {
								r.Header.Set(ask, "true")
							}
							typed := site == "none" && (method == "GET" || method == "HEAD")
							want := host != "rebound.example.org:4566" && origin == "" && ask == "" && (site == "" || typed)
							if why := Refuse(r); (why == "") != want {
								t.Errorf("%s to %s, %v: %q", method, host, r.Header, why)
							} else if !want && !strings.Contains(why, "--aws-access-key-id") {
								t.Errorf("%q does not say what to do", why)
							}
							n++
						}
					}
				}
			}
		}
	}
	t.Log(n, "combinations")
}

func TestHeadersByHalves(t *testing.T) {
	for name, r := range map[string]*http.Request{
		"an empty origin":     call("GET", "localhost", "Origin", ""),
		"two sites":           call("GET", "localhost", "Sec-Fetch-Site", "none", "Sec-Fetch-Site", "cross-site"),
		"a browser by a name": call("GET", "localhost.localstack.cloud", "User-Agent", "Mozilla/5.0 (X11; Linux x86_64)"),
	} {
		if Refuse(r) == "" {
			t.Errorf("%s is served", name)
		}
	}
	for name, r := range map[string]*http.Request{
		"Node's fetch":       call("POST", "localhost:4566", "Sec-Fetch-Mode", "cors", "Accept-Language", "*", "User-Agent", "node"),
		"an SDK":             call("PUT", "bucket.s3.localhost.localstack.cloud:4566", "User-Agent", "aws-sdk-js/3.0", "Authorization", "AWS4-HMAC-SHA256 …"),
		"a typed address":    call("GET", "localhost:4566", "User-Agent", "Mozilla/5.0", "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"),
		"an old PowerShell":  call("GET", "localhost:4566", "User-Agent", "Mozilla/5.0 (Windows NT) WindowsPowerShell/5.1"),
		"a port of a tunnel": call("GET", "localhost:9999"),
	} {
		if why := Refuse(r); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}

func TestShield(t *testing.T) {
	for _, credentials := range []bool{false, true} {
		h := http.Header{}
		Shield(h, credentials)
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
			strings.Contains(h.Get("Content-Security-Policy"), "allow-") {
			t.Errorf("a page could run: %v", h)
		}
		if (h.Get("Cross-Origin-Resource-Policy") == "same-origin") == credentials {
			t.Errorf("with credentials %v: %v", credentials, h)
		}
	}
}
