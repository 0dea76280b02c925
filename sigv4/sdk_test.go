package sigv4

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"pgregory.net/rapid"
)

// The AWS SDK for Go signs, the verifier verifies: random requests, in both
// flavours, by header and by URL, sent as bytes as a client would.

var testCreds = aws.Credentials{AccessKeyID: "AKIDTEST", SecretAccessKey: "s3cr3t/+with=signs"}

var (
	anyText   = rapid.StringOfN(rapid.RuneFrom([]rune("abzAZ019-._~ /+=&%:;,!*'()@$?#[]{}|\\^`\"<>ä日𝄞")), 0, 12, -1)
	headerVal = rapid.StringOfN(rapid.RuneFrom([]rune("abcXYZ019 \t  ,;:=/\"'()ä日")), 0, 20, -1)
	service   = rapid.SampledFrom([]string{"s3", "dynamodb"})
)

// drawRequest makes an unsigned request, with a body.
func drawRequest(t *rapid.T, svc string) (*http.Request, []byte) {
	host := rapid.SampledFrom([]string{"example.com", "example.com:8080", "127.0.0.1:4566", "[::1]:9000", "bucket.s3.example.com:80"}).Draw(t, "host")
	u := &url.URL{Scheme: "http", Host: host, Path: "/"}
	segments := rapid.SliceOfN(anyText, 0, 4).Draw(t, "path")
	if svc == "s3" {
		u.Path += strings.Join(segments, "/") // also empty ones, which are names in S3
	} else {
		for _, s := range segments {
			if s != "" && strings.Trim(s, ".") != "" {
				u.Path = strings.TrimSuffix(u.Path, "/") + "/" + strings.ReplaceAll(s, "/", "")
			}
		}
	}
	query := url.Values{}
	for range rapid.IntRange(0, 5).Draw(t, "params") {
		query.Add(anyText.Draw(t, "param"), anyText.Draw(t, "value"))
	}
	u.RawQuery = query.Encode()
	body := []byte(anyText.Draw(t, "body"))
	method := rapid.SampledFrom([]string{"GET", "PUT", "POST", "DELETE", "HEAD"}).Draw(t, "method")
	r, err := http.NewRequest(method, u.String(), bytes.NewReader(body))
	if err != nil {
		t.Skip("not a URL")
	}
	for range rapid.IntRange(0, 4).Draw(t, "headers") {
		name := rapid.SampledFrom([]string{"Content-Type", "X-Amz-Meta-A", "X-Amz-Meta-B", "X-Custom", "Range", "If-Match"}).Draw(t, "header")
		r.Header.Add(name, headerVal.Draw(t, "value"))
	}
	// Once at most: moving it to the URL, the SDK forgets to sort its values.
	if rapid.Bool().Draw(t, "target") {
		r.Header.Set("X-Amz-Target", headerVal.Draw(t, "target"))
	}
	r.Header.Set("User-Agent", "not signed")
	return r, body
}

func forService(svc string) func(*v4.SignerOptions) {
	return func(o *v4.SignerOptions) { o.DisableURIPathEscaping = svc == "s3" }
}

// send writes a request as a client does, and reads it as a server does.
func send(t *rapid.T, r *http.Request) *http.Request {
	var wire bytes.Buffer
	if err := r.Write(&wire); err != nil {
		t.Skip("not a request that can be sent:", err)
	}
	got, err := http.ReadRequest(bufio.NewReader(&wire))
	if err != nil {
		t.Skip("not a request that can be read:", err)
	}
	return got
}

func drawVerifier(t *rapid.T, svc string) (*Verifier, aws.Credentials, time.Time) {
	creds := testCreds
	creds.SessionToken = rapid.SampledFrom([]string{"", "token/+="}).Draw(t, "token")
	signed := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	skew := time.Duration(rapid.IntRange(-900, 900).Draw(t, "skew")) * time.Second
	return &Verifier{
		Secret:  oneKey(creds.AccessKeyID, creds.SecretAccessKey),
		Service: svc,
		Region:  "eu-central-1",
		Now:     func() time.Time { return signed.Add(skew) },
	}, creds, signed
}

func verifyAs(v *Verifier, svc string, r *http.Request, body []byte) (*Identity, error) {
	if svc == "s3" {
		return v.Verify(r)
	}
	return v.VerifyBody(r, sha256.Sum256(body))
}

func explain(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return fmt.Sprintf("%v\n%s", err, e.CanonicalRequest)
	}
	return err.Error()
}

func TestSDKHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		svc := service.Draw(t, "service")
		v, creds, signed := drawVerifier(t, svc)
		r, body := drawRequest(t, svc)
		sum := sha256.Sum256(body)
		hash := hex.EncodeToString(sum[:])
		if svc == "s3" {
			hash = rapid.SampledFrom([]string{hash, UnsignedPayload, StreamingUnsignedTrailer}).Draw(t, "hash")
			r.Header.Set("X-Amz-Content-Sha256", hash)
		}
		if err := v4.NewSigner().SignHTTP(context.Background(), creds, r, hash, svc, "eu-central-1", signed, forService(svc)); err != nil {
			t.Fatal(err)
		}
		got := send(t, r)
		id, err := verifyAs(v, svc, got, body)
		if err != nil {
			t.Fatal(explain(err))
		}
		if id.AccessKeyID != creds.AccessKeyID || id.Service != svc || id.Region != "eu-central-1" ||
			!id.Date.Equal(signed) || id.Presigned || id.PayloadHash != hash || id.SecurityToken != creds.SessionToken {
			t.Fatalf("identity = %+v", id)
		}
		if ServiceOf(got) != svc {
			t.Fatalf("service = %q", ServiceOf(got))
		}
		// In process, without a wire between.
		if rapid.Bool().Draw(t, "host in URL") && r.Host == r.URL.Host {
			r.Host = ""
		}
		if _, err := verifyAs(v, svc, r, body); err != nil {
			t.Fatal("in process:", explain(err))
		}
		tamper(t, v, svc, got, body)
	})
}

func TestSDKPresign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		svc := service.Draw(t, "service")
		v, creds, signed := drawVerifier(t, svc)
		v.Now = func() time.Time {
			return signed.Add(time.Duration(rapid.IntRange(-900, 600).Draw(t, "age")) * time.Second)
		}
		r, body := drawRequest(t, svc)
		q := r.URL.Query()
		q.Set("X-Amz-Expires", "600")
		r.URL.RawQuery = q.Encode()
		sum := sha256.Sum256(body)
		hash := hex.EncodeToString(sum[:])
		if svc == "s3" {
			hash = UnsignedPayload
		}
		uri, headers, err := v4.NewSigner().PresignHTTP(context.Background(), creds, r, hash, svc, "eu-central-1", signed, forService(svc))
		if err != nil {
			t.Fatal(err)
		}
		out, err := http.NewRequest(r.Method, uri, bytes.NewReader(body))
		if err != nil {
			t.Skip("not a URL")
		}
		out.Header = headers.Clone()
		out.Host = headers.Get("Host")
		got := send(t, out)
		id, err := verifyAs(v, svc, got, body)
		if err != nil {
			t.Fatal(explain(err))
		}
		if !id.Presigned || id.Expires != 10*time.Minute || id.PayloadHash != hash || id.SecurityToken != creds.SessionToken {
			t.Fatalf("identity = %+v", id)
		}
		if ServiceOf(got) != svc {
			t.Fatalf("service = %q", ServiceOf(got))
		}
		tamper(t, v, svc, got, body)
	})
}

// tamper changes one thing about a signed request, which must then be
// refused.
func tamper(t *rapid.T, v *Verifier, svc string, r *http.Request, body []byte) {
	r = r.Clone(context.Background())
	what := rapid.SampledFrom([]string{"method", "path", "parameter", "header", "host", "body", "signature"}).Draw(t, "tamper")
	switch what {
	case "method":
		r.Method += "X"
	case "path":
		r.URL.Path += "x"
		if r.URL.RawPath != "" {
			r.URL.RawPath += "x"
		}
	case "parameter":
		r.URL.RawQuery += "&x=y"
	case "header":
		r.Header.Set("X-Amz-Added", "x")
	case "host":
		r.Host += "x"
	case "body":
		if svc == "s3" {
			return // the caller's to check, by PayloadHash
		}
		body = append(bytes.Clone(body), 'x')
	case "signature":
		if auth := r.Header.Get("Authorization"); auth != "" {
			r.Header.Set("Authorization", auth[:len(auth)-1]+flip(auth[len(auth)-1]))
		} else {
			i := strings.Index(r.URL.RawQuery, "X-Amz-Signature=") + len("X-Amz-Signature=")
			r.URL.RawQuery = r.URL.RawQuery[:i] + flip(r.URL.RawQuery[i]) + r.URL.RawQuery[i+1:]
		}
	}
	_, err := verifyAs(v, svc, r, body)
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeMismatch && e.Code != CodeUnsignedHeaders {
		t.Fatalf("changed %s: error = %v, want it refused", what, err)
	}
}

func flip(digit byte) string {
	if digit == '0' {
		return "1"
	}
	return "0"
}
