package sigv4

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"
)

// Run with: go test -bench . ./sigv4

// BenchmarkVerify is a DynamoDB request of 1 KB as the SDK signs it, with the
// signing key in the cache. The body's hash is not counted: see
// BenchmarkHashBody for it.
func BenchmarkVerify(b *testing.B) {
	body := strings.Repeat("x", 1024)
	r, err := http.NewRequest("POST", "http://127.0.0.1:4566/", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	r.Header.Set("Amz-Sdk-Invocation-Id", "a3a1c1f2-6f2e-4c1e-8f5a-0a0a0a0a0a0a")
	r.Header.Set("Amz-Sdk-Request", "attempt=1; max=3")
	r.Header.Set("Accept-Encoding", "identity")
	r.Header.Set("User-Agent", "aws-sdk-go-v2/1.47.5 ua/2.1 os/linux lang/go#1.26")
	sum := sha256.Sum256([]byte(body))
	sign(b, r, "20130524/us-east-1/dynamodb/aws4_request", docDate,
		"accept-encoding;amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;host;x-amz-date;x-amz-target",
		hexOf(sum))
	r.Header.Del("X-Amz-Content-Sha256")
	v := docVerifier(b)
	v.Service = "dynamodb"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.VerifyBody(r, sum); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifyPresigned(b *testing.B) {
	r := readRequest(b, "GET "+docPresigned+" HTTP/1.1\nHost: examplebucket.s3.amazonaws.com\n\n")
	v := docVerifier(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Verify(r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefuse is a signature that is wrong, by a stranger who knows an
// access key: the key is derived each time.
func BenchmarkRefuse(b *testing.B) {
	r := docRequest(b)
	r.Host = "x"
	v := docVerifier(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Verify(r); err == nil {
			b.Fatal("accepted")
		}
	}
}

func BenchmarkHashBody(b *testing.B) {
	body := make([]byte, 1024)
	for b.Loop() {
		sha256.Sum256(body)
	}
}

func BenchmarkChunks(b *testing.B) {
	id := &Identity{PayloadHash: StreamingPayload, Signature: docSeed, scope: docScope, date: docDate,
		key: deriveKey(docSecret, "20130524", "us-east-1", "s3")}
	data := make([]byte, 64<<10)
	c := id.Chunks()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		c.Write(data)
		c.previous = docSeed
		if err := c.EndChunk("0"); err == nil {
			b.Fatal("accepted")
		}
	}
}
