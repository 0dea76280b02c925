package edge_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/dynamo/wire"
	"pressroom/internal/edge"
)

// port serves both stores, in memory, without credentials.
func port(t *testing.T) (url string, objects *blob.Store) {
	t.Helper()
	tables, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	objects, err = blob.Open("store", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	d := wire.New(tables, nil)
	srv := httptest.NewUnstartedServer(&edge.Handler{Dynamo: d, S3: objects.Handler(), Version: "test"})
	srv.Listener = wire.NewLane(srv.Listener, d)
	srv.Start()
	t.Cleanup(func() {
		srv.Close()
		_ = objects.Close()
		_ = tables.Close()
	})
	return srv.URL, objects
}

// send returns the status of a request, and its answer.
func send(t *testing.T, method, url, host, body string, header http.Header) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("Accept-Encoding", "identity") // as for the lane
	for name, values := range header {
		r.Header[name] = values
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp
}

// TestNoPageReachesAService sends what programs send, and then the same as a
// browser sends it for a page.
func TestNoPageReachesAService(t *testing.T) {
	url, _ := port(t)
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	for name, value := range map[string]string{"key": "page.html", "Content-Type": "text/html", "success_action_redirect": url + "/bucket/page.html"} {
		_ = m.WriteField(name, value)
	}
	_ = m.WriteField("file", "<script>steal()</script>")
	_ = m.Close()
	calls := []struct {
		name, method, path, body string
		header                   http.Header
	}{
		{"create a bucket", "PUT", "/bucket", "", nil},
		{"upload", "PUT", "/bucket/key", "body", nil},
		{"upload by form", "POST", "/bucket", form.String(), http.Header{"Content-Type": {m.FormDataContentType()}}},
		{"download", "GET", "/bucket/page.html", "", nil},
		{"list", "GET", "/bucket?list-type=2", "", nil},
		{"tables", "POST", "/", "{}", http.Header{"X-Amz-Target": {"DynamoDB_20120810.ListTables"}, "Content-Type": {"application/x-amz-json-1.0"}}},
		{"health", "GET", "/_localstack/health", "", nil},
		{"delete", "DELETE", "/bucket/key", "", nil},
	}
	with := func(h http.Header, name, value string) http.Header {
		h = h.Clone()
		if h == nil {
			h = http.Header{}
		}
		h.Set(name, value)
		return h
	}
	for _, c := range calls {
		resp := send(t, c.method, url+c.path, "", c.body, c.header)
		if resp.StatusCode >= 400 {
			t.Errorf("%s by a program: %s", c.name, resp.Status)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasSuffix(resp.Header.Get("Content-Security-Policy"), "; sandbox") ||
			resp.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: a browser may run or show it: %v", c.name, resp.Header)
		}
	}
	for _, c := range calls {
		for name, resp := range map[string]*http.Response{
			"another origin":         send(t, c.method, url+c.path, "", c.body, with(c.header, "Origin", "https://example.org")),
			"its own origin":         send(t, c.method, url+c.path, "", c.body, with(c.header, "Origin", url)),
			"an image or a frame":    send(t, c.method, url+c.path, "", c.body, with(c.header, "Sec-Fetch-Site", "cross-site")),
			"a page of its own":      send(t, c.method, url+c.path, "", c.body, with(c.header, "Sec-Fetch-Site", "same-origin")),
			"a name that leads here": send(t, c.method, url+c.path, "rebound.example.org", c.body, c.header),
			"a preflight":            send(t, "OPTIONS", url+c.path, "", "", with(c.header, "Access-Control-Request-Private-Network", "true")),
		} {
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s from %s: %s", c.name, name, resp.Status)
			}
			for h := range resp.Header {
				if strings.HasPrefix(h, "Access-Control-") {
					t.Errorf("%s from %s: %s is allowed", c.name, name, h)
				}
			}
		}
	}
}
