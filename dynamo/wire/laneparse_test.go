package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"
)

// FuzzLane holds the lane to net/http: what it takes for its own is a request
// that net/http reads the same way, and no part of a request is anything but
// a part, or the server's.
func FuzzLane(f *testing.F) {
	for _, s := range []string{
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}",
		"POST / HTTP/1.1\r\nhost:x\r\ncontent-type:application/x-amz-json-1.0\r\nConnection: close\r\nx-amz-target:\tDynamoDB_20120810.GetItem\t\r\nContent-Length: 02\r\n\r\n{}POST",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
		"POST / HTTP/1.1\r\nHost: x\r\n X: y\r\n\r\n",
		"POST / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		req, state := parseLane(b)
		if state != laneOurs {
			return
		}
		for n := range req.size {
			if _, part := parseLane(b[:n]); part != lanePart {
				t.Fatalf("the first %d bytes of %q are taken for more than a part", n, b)
			}
		}
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			t.Fatalf("net/http does not read %q: %v", b, err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Equal(body, req.body) || r.Method != http.MethodPost || r.URL.Path != "/" ||
			r.Header.Get("X-Amz-Target") != req.target || r.Close != req.last || contentType(r) != req.media {
			t.Fatalf("net/http reads %q as %v with body %q (%v)", b, r, body, err)
		}
	})
}
