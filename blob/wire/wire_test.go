package wire

import (
	"bytes"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/disk"
	"pressroom/guard/guardtest"
)

func encodeBase64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func handler(t *testing.T) *Handler {
	t.Helper()
	s, err := disk.Open("store", disk.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.CreateBucket(disk.Bucket{Name: "bucket"}); err != nil {
		t.Fatal(err)
	}
	return New(s, Options{})
}

// do sends a request as a client on this machine would.
func do(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host, r.RemoteAddr = "127.0.0.1", "127.0.0.1:1"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Every operation in the table is reachable, and no two claim one request.
func TestRoutesAreDistinct(t *testing.T) {
	seen := make(map[string]string)
	for _, o := range ops {
		key := o.method + " " + o.level.String() + " " + o.sub
		if seen[key] != "" {
			t.Errorf("%s and %s are both %s", seen[key], o.name, key)
		}
		seen[key] = o.name
		if !strings.HasPrefix(o.action, "s3:") || o.run == nil {
			t.Errorf("%s is not complete", o.name)
		}
	}
	for i := range ops {
		o := &ops[i]
		path := "/bucket/key"[:[]int{1, 7, 11}[o.level]]
		query := ""
		if o.sub != "" {
			query = "?" + o.sub
		}
		if o.name == "UploadPart" {
			query += "&uploadId=1"
		}
		r := &request{Request: httptest.NewRequest(o.method, path+query, nil), h: &Handler{}}
		if err := r.address(); err != nil {
			t.Fatal(err)
		}
		if err := r.route(); err != nil || r.op != o {
			t.Errorf("%s %s%s is routed to %v, %v; want %s", o.method, path, query, r.op, err, o.name)
		}
	}
}

// What S3 has and this store has not is refused, never taken for something else.
func TestSubresourcesNotServed(t *testing.T) {
	h := handler(t)
	for _, sub := range []string{"analytics", "inventory", "metrics", "replication", "website", "notification", "logging", "accelerate", "requestPayment", "intelligent-tiering"} {
		if w := do(h, "PUT", "/bucket?"+sub, "<x/>"); w.Code != 501 {
			t.Errorf("PUT ?%s: %d %s", sub, w.Code, w.Body)
		}
	}
	if w := do(h, "GET", "/bucket/k?torrent", ""); w.Code != 501 {
		t.Errorf("GET ?torrent: %d", w.Code)
	}
	if w := do(h, "POST", "/bucket/k?select&select-type=2", "<x/>"); w.Code != 501 {
		t.Errorf("POST ?select: %d", w.Code)
	}
}

// Paths reach the store as they came.
func TestPathsAreNotCleaned(t *testing.T) {
	h := handler(t)
	for _, key := range []string{"a/../b", "//x", "a//b", "./c", "%2e%2e/d", "a%2Fb", "a+b", "%E6%97%A5"} {
		if w := do(h, "PUT", "/bucket/"+key, "body of "+key); w.Code != 200 {
			t.Errorf("put %s: %d %s", key, w.Code, w.Body)
		}
		if w := do(h, "GET", "/bucket/"+key, ""); w.Body.String() != "body of "+key {
			t.Errorf("get %s: %d %s", key, w.Code, w.Body)
		}
	}
	w := do(h, "GET", "/bucket?list-type=2", "")
	for _, want := range []string{"<Key>a/../b</Key>", "<Key>//x</Key>", "<Key>../d</Key>", "<Key>a/b</Key>", "<Key>a+b</Key>", "<Key>日</Key>"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in %s", want, w.Body)
		}
	}
}

// A checksum in a header, in a trailer, none: the object keeps one either way.
func TestEveryObjectHasAChecksum(t *testing.T) {
	h := handler(t)
	do(h, "PUT", "/bucket/none", "hello world")
	do(h, "PUT", "/bucket/header", "hello world", "X-Amz-Checksum-Crc32", "DUoRhQ==")
	do(h, "PUT", "/bucket/trailer", "b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n",
		"X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "X-Amz-Decoded-Content-Length", "11",
		"X-Amz-Trailer", "x-amz-checksum-crc32", "Content-Encoding", "aws-chunked,gzip")
	for key, want := range map[string][2]string{
		"none":    {"X-Amz-Checksum-Crc64nvme", "jSnVw/bqjr4="},
		"header":  {"X-Amz-Checksum-Crc32", "DUoRhQ=="},
		"trailer": {"X-Amz-Checksum-Crc32", "DUoRhQ=="},
	} {
		w := do(h, "HEAD", "/bucket/"+key, "", "X-Amz-Checksum-Mode", "ENABLED")
		if got := w.Header().Get(want[0]); got != want[1] {
			t.Errorf("%s: %s is %q, want %q", key, want[0], got, want[1])
		}
	}
	w := do(h, "GET", "/bucket/trailer", "")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Body.String() != "hello world" {
		t.Errorf("encoding %q, body %q", w.Header().Get("Content-Encoding"), w.Body)
	}
}

// A flipped byte is never sent: where it is in the first block the answer says
// so, and where it comes later the answer is broken off, not ended.
func TestDamagedObject(t *testing.T) {
	for _, tc := range []struct {
		name  string
		at    int64  // of the byte that is flipped; negative cuts the file off there
		of    string // the range that is asked for
		code  int
		abort bool
	}{
		{name: "first block", at: 10, code: 500},
		{name: "later block", at: 500_000, code: 200, abort: true},
		{name: "range before", at: 500_000, of: "bytes=1000-1999", code: 206},
		{name: "range in it", at: 500_000, of: "bytes=500001-500002", code: 500},
		{name: "cut off", at: -600_000, code: 500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mem := vfs.NewMem()
			s, err := disk.Open("store", disk.Options{FS: mem, InlineLimit: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.CreateBucket(disk.Bucket{Name: "bucket"}); err != nil {
				t.Fatal(err)
			}
			var log strings.Builder
			h := New(s, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			body := strings.Repeat("0123456789", 100_000)
			do(h, "PUT", "/bucket/k", body)
			dirs, _ := mem.List("store/data")
			names, _ := mem.List("store/data/" + dirs[0])
			damage(t, mem, "store/data/"+dirs[0]+"/"+names[0], tc.at)

			r := httptest.NewRequest("GET", "/bucket/k", nil)
			r.Host, r.RemoteAddr = "127.0.0.1", "127.0.0.1:1"
			if tc.of != "" {
				r.Header.Set("Range", tc.of)
			}
			w := httptest.NewRecorder()
			func() {
				defer func() {
					if p := recover(); (p == http.ErrAbortHandler) != tc.abort {
						t.Errorf("recovered %v, aborted should be %v", p, tc.abort)
					}
				}()
				h.ServeHTTP(w, r)
			}()
			if w.Code != tc.code {
				t.Errorf("status %d, want %d", w.Code, tc.code)
			}
			damaged := tc.code == 500 || tc.abort
			if tc.code == 500 && !strings.Contains(w.Body.String(), "<Code>ObjectDamaged</Code>") {
				t.Errorf("answer %s", w.Body)
			}
			if tc.code == 200 && !strings.HasPrefix(body, w.Body.String()) || tc.code == 206 && w.Body.String() != body[1000:2000] {
				t.Errorf("%d bytes that were not written", w.Body.Len())
			}
			if got, want := strings.Count(log.String(), "\n"), btoi(damaged); got != want || s.Damages() != int64(want) {
				t.Errorf("logged %d times, counted %d, want %d:\n%s", got, s.Damages(), want, &log)
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// damage flips a bit of a file, or cuts it off.
func damage(t *testing.T, fs vfs.FS, name string, at int64) {
	t.Helper()
	guardtest.Rewrite(t, fs, name, func(b []byte) []byte {
		if at < 0 {
			return b[:-at]
		}
		b[at] ^= 4
		return b
	})
}

// Bodies longer or shorter than declared are refused.
func TestDeclaredLength(t *testing.T) {
	h := handler(t)
	for _, n := range []int64{3, 8} {
		r := httptest.NewRequest("PUT", "/bucket/k", io.NopCloser(bytes.NewReader([]byte("hello"))))
		r.Host, r.RemoteAddr, r.ContentLength = "127.0.0.1", "127.0.0.1:1", n
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 400 || !strings.Contains(w.Body.String(), "IncompleteBody") {
			t.Errorf("5 bytes declared as %d: %d %s", n, w.Code, w.Body)
		}
	}
	if w := do(h, "GET", "/bucket/k", ""); w.Code != 404 {
		t.Errorf("something was kept: %d", w.Code)
	}
}
