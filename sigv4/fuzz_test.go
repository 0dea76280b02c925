package sigv4

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func hexOf(sum [sha256.Size]byte) string { return hex.EncodeToString(sum[:]) }
func base64Text(s string) string         { return base64.StdEncoding.EncodeToString([]byte(s)) }

// Nothing that a stranger sends makes the verifier panic, pass, or answer
// at length.
func FuzzAuthorization(f *testing.F) {
	f.Add(authorization(docKey, docScope, signedBasic, docSeed), docDate, EmptyPayload)
	f.Add("AWS4-HMAC-SHA256", "", "")
	f.Add("AWS4-HMAC-SHA256 Credential=/////aws4_request,SignedHeaders=;;;,Signature=,", "20130524T000000Z", "STREAMING-")
	f.Fuzz(func(t *testing.T, auth, date, payload string) {
		r, err := http.NewRequest("GET", "http://example.com/a?b=c", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {auth}, "X-Amz-Date": {date}, "X-Amz-Content-Sha256": {payload}}
		ServiceOf(r)
		id, err := docVerifier(t).Verify(r)
		checkRefused(t, id, err)
		id, err = docVerifier(t).VerifyBody(r, sha256.Sum256(nil))
		checkRefused(t, id, err)
	})
}

func FuzzPresigned(f *testing.F) {
	_, query, _ := strings.Cut(docPresigned, "?")
	f.Add(query[:len(query)-1])
	f.Add("X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%2F%2F%2F")
	f.Fuzz(func(t *testing.T, query string) {
		r := &http.Request{Method: "GET", URL: &url.URL{Path: "/test.txt", RawQuery: query}, Host: "x"}
		ServiceOf(r)
		id, err := docVerifier(t).Verify(r)
		checkRefused(t, id, err)
	})
}

func checkRefused(t *testing.T, id *Identity, err error) {
	t.Helper()
	var e *Error
	if id != nil || !errors.As(err, &e) {
		t.Fatalf("identity %+v, error %v", id, err)
	}
	if len(e.Message) > 1000 {
		t.Fatalf("a message of %d bytes", len(e.Message))
	}
}

// What is signed of a query is what a handler sees of it.
func FuzzQuery(f *testing.F) {
	f.Add("a=b&a=%20&c=+&=x&&d")
	f.Add("%41=%zz;")
	f.Fuzz(func(t *testing.T, raw string) {
		params, err := parseQuery(raw)
		if err != nil {
			return
		}
		got := url.Values{}
		for _, p := range params {
			if p.encodedName != url.PathEscape(p.name) && !sameEncoded(p.encodedName, p.name) {
				t.Fatalf("%q is encoded as %q", p.name, p.encodedName)
			}
			got.Add(p.name, p.value)
		}
		want, err := url.ParseQuery(raw)
		if err != nil && !strings.Contains(raw, ";") {
			t.Fatalf("net/url does not read %q: %v", raw, err)
		}
		if strings.Contains(raw, ";") {
			got.Del("X-Amz-SignedHeaders")
			want.Del("X-Amz-SignedHeaders")
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// sameEncoded reports whether encoded is text in the strict encoding.
func sameEncoded(encoded, text string) bool {
	decoded, err := url.PathUnescape(encoded)
	return err == nil && decoded == text && !strings.ContainsAny(encoded, "+ !*'()/:@&=$,;")
}

// A request as it comes in from the network.
func FuzzRequest(f *testing.F) {
	f.Add("GET " + docPresigned[:len(docPresigned)-1] + " HTTP/1.1\r\nHost: a\r\n\r\n")
	f.Add("PUT //a/../%2e?x HTTP/1.1\r\nHost: a\r\nX-Amz-Date: 20130524T000000Z\r\nAuthorization: " +
		authorization(docKey, docScope, "content-length;host;transfer-encoding;x-amz-date", docSeed) + "\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		id, err := docVerifier(t).VerifyBody(r, sha256.Sum256(nil))
		checkRefused(t, id, err)
	})
}
