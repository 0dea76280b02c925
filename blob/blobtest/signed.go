package blobtest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// presigner signs URLs at which HTTP reaches the target.
func (s *suite) presigner() *s3.PresignClient {
	return s3.NewPresignClient(s.Client, func(o *s3.PresignOptions) {
		o.ClientOptions = append(o.ClientOptions, func(o *s3.Options) { o.BaseEndpoint = aws.String(s.URL) })
	})
}

func (s *suite) presignGet(key string) string {
	s.Helper()
	req, err := s.presigner().PresignGetObject(s.ctx(), &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		s.Fatal(err)
	}
	return req.URL
}

func presigned(s *suite) {
	put, err := s.presigner().PresignPutObject(s.ctx(), &s3.PutObjectInput{Bucket: &s.bucket, Key: aws.String("a b/ü+&")})
	if err != nil {
		s.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.ctx(), put.Method, put.URL, strings.NewReader("by link"))
	if err != nil {
		s.Fatal(err)
	}
	for k, v := range put.SignedHeader {
		if k != "Host" && k != "Content-Length" {
			req.Header[k] = v
		}
	}
	if resp, body := s.send(req); resp.StatusCode != 200 {
		s.Fatalf("put: %d %s", resp.StatusCode, body)
	}
	req, _ = http.NewRequestWithContext(s.ctx(), http.MethodGet, s.presignGet("a b/ü+&"), nil)
	resp, body := s.send(req)
	s.equal("get", body, "by link")
	s.equal("status", resp.StatusCode, 200)
	if !s.Verifies {
		return
	}
	req, _ = http.NewRequestWithContext(s.ctx(), http.MethodGet, s.presignGet("a b/ü+&")+"0", nil)
	resp, body = s.send(req)
	s.wantError("a changed signature", resp, body, 403, "SignatureDoesNotMatch")
}

// sign signs a raw request as of a time.
func (s *suite) sign(req *http.Request, payloadHash, secret string, at time.Time) {
	s.Helper()
	req.Header.Set("X-Amz-Content-Sha256", payloadHash)
	creds := aws.Credentials{AccessKeyID: s.AccessKeyID, SecretAccessKey: secret}
	err := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).
		SignHTTP(context.Background(), creds, req, payloadHash, "s3", "us-east-1", at)
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) request(method, path string, body string) *http.Request {
	s.Helper()
	req, err := http.NewRequestWithContext(s.ctx(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	return req
}

func hexSum(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

func badSignatures(s *suite) {
	if !s.Verifies {
		s.Skip("the target does not check signatures")
	}
	now := time.Now()
	path := "/" + s.bucket + "/k"
	tests := []struct {
		name   string
		make   func() *http.Request
		status int
		code   string
	}{
		{"wrong secret", func() *http.Request {
			req := s.request("PUT", path, "v")
			s.sign(req, hexSum("v"), "not the secret", now)
			return req
		}, 403, "SignatureDoesNotMatch"},
		{"unknown key", func() *http.Request {
			req := s.request("PUT", path, "v")
			s.sign(req, hexSum("v"), s.Secret, now)
			req.Header.Set("Authorization", strings.Replace(req.Header.Get("Authorization"), s.AccessKeyID, "NOBODY", 1))
			return req
		}, 403, "InvalidAccessKeyId"},
		{"an hour ago", func() *http.Request {
			req := s.request("PUT", path, "v")
			s.sign(req, hexSum("v"), s.Secret, now.Add(-time.Hour))
			return req
		}, 403, "RequestTimeTooSkewed"},
		{"another body", func() *http.Request {
			req := s.request("PUT", path, "v")
			s.sign(req, hexSum("other"), s.Secret, now)
			return req
		}, 400, "XAmzContentSHA256Mismatch"},
		{"another path", func() *http.Request {
			req := s.request("PUT", path, "v")
			s.sign(req, hexSum("v"), s.Secret, now)
			req.URL.Path += "2"
			return req
		}, 403, "SignatureDoesNotMatch"},
		{"no signature", func() *http.Request { return s.request("PUT", path, "v") }, 403, "AccessDenied"},
		{"half a signature", func() *http.Request {
			req := s.request("PUT", path, "v")
			req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+s.AccessKeyID)
			return req
		}, 400, "AuthorizationHeaderMalformed"},
		{"signature version 2", func() *http.Request {
			req := s.request("PUT", path, "v")
			req.Header.Set("Authorization", "AWS "+s.AccessKeyID+":c2ln")
			return req
		}, 400, "InvalidRequest"},
		{"an expired link", func() *http.Request {
			req := s.request("GET", path+"?X-Amz-Expires=60", "")
			creds := aws.Credentials{AccessKeyID: s.AccessKeyID, SecretAccessKey: s.Secret}
			url, _, err := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).
				PresignHTTP(context.Background(), creds, req, "UNSIGNED-PAYLOAD", "s3", "us-east-1", now.Add(-2*time.Minute))
			if err != nil {
				s.Fatal(err)
			}
			req, _ = http.NewRequestWithContext(s.ctx(), "GET", url, nil)
			return req
		}, 403, "AccessDenied"},
	}
	for _, tt := range tests {
		resp, body := s.send(tt.make())
		s.wantError(tt.name, resp, body, tt.status, tt.code)
	}
	_, _, err := s.tryGet("k")
	s.wantCode("nothing was written", err, "NoSuchKey")
}

// postForm uploads as a browser does, with a signed policy.
func postForm(s *suite) {
	now := time.Now().UTC()
	scope := fmt.Sprintf("%s/%s/us-east-1/s3/aws4_request", s.AccessKeyID, now.Format("20060102"))
	policy := func(conditions string, until time.Time) string {
		return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf(
			`{"expiration":%q,"conditions":[{"bucket":%q},["starts-with","$key","up/"],{"x-amz-algorithm":"AWS4-HMAC-SHA256"},{"x-amz-credential":%q},{"x-amz-date":%q}%s]}`,
			until.Format("2006-01-02T15:04:05.000Z"), s.bucket, scope, now.Format("20060102T150405Z"), conditions)))
	}
	send := func(key, policy, secret, file string, more map[string]string) (*reply, string) {
		s.Helper()
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		fields := map[string]string{
			"key": key, "policy": policy, "x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-credential": scope,
			"x-amz-date": now.Format("20060102T150405Z"), "x-amz-signature": signPolicy(policy, secret, now),
		}
		for k, v := range more {
			fields[k] = v
		}
		for k, v := range fields {
			_ = w.WriteField(k, v) // into memory
		}
		f, _ := w.CreateFormFile("file", "name.txt")
		_, _ = f.Write([]byte(file))
		w.Close()
		return s.raw("POST", "/"+s.bucket, map[string]string{"Content-Type": w.FormDataContentType()}, b.Bytes())
	}
	later := now.Add(time.Hour)
	resp, body := send("up/${filename}", policy(`,["eq","$Content-Type","text/plain"],["content-length-range",1,10]`, later), s.Secret, "by form", map[string]string{"Content-Type": "text/plain"})
	if resp.StatusCode != 204 {
		s.Fatalf("%d %s", resp.StatusCode, body)
	}
	out, got, err := s.tryGet("up/name.txt")
	if err != nil || got != "by form" || str(out.ContentType) != "text/plain" {
		s.Errorf("%q, %v", got, err)
	}
	resp, body = send("elsewhere", policy("", later), s.Secret, "x", nil)
	s.wantError("a key outside of the policy", resp, body, 403, "AccessDenied")
	resp, body = send("up/x", policy("", later), s.Secret, "x", map[string]string{"x-amz-meta-a": "b"})
	s.wantError("a field outside of the policy", resp, body, 403, "AccessDenied")
	resp, body = send("up/x", policy("", now.Add(-time.Minute)), s.Secret, "x", nil)
	s.wantError("an expired policy", resp, body, 403, "AccessDenied")
	resp, body = send("up/x", policy(`,["content-length-range",1,3]`, later), s.Secret, "too long", nil)
	s.wantError("a file too large", resp, body, 400, "EntityTooLarge")
	if s.Verifies {
		resp, body = send("up/x", policy("", later), "not the secret", "x", nil)
		s.wantError("a wrong signature", resp, body, 403, "SignatureDoesNotMatch")
	}
	_, _, err = s.tryGet("up/x")
	s.wantCode("nothing was written", err, "NoSuchKey")
}

func signPolicy(policy, secret string, at time.Time) string {
	mac := func(key []byte, s string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(s))
		return h.Sum(nil)
	}
	key := []byte("AWS4" + secret)
	for _, part := range []string{at.Format("20060102"), "us-east-1", "s3", "aws4_request"} {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, policy))
}
