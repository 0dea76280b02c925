package sigv4

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// The SDK's own clients, over HTTP and HTTPS, with their own retries,
// checksums and middleware.

type verifyingServer struct {
	*httptest.Server
	ids  []*Identity
	errs []error
}

func newVerifyingServer(t *testing.T, tls bool) *verifyingServer {
	v := &Verifier{Secret: oneKey(testCreds.AccessKeyID, testCreds.SecretAccessKey), Region: "eu-central-1"}
	s := new(verifyingServer)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		id, err := verifyAs(v, ServiceOf(r), r, body)
		if err != nil {
			s.errs = append(s.errs, err)
			t.Errorf("%s %s: %s", r.Method, r.RequestURI, explain(err))
			http.Error(w, "refused", http.StatusForbidden)
			return
		}
		if sum, ok := id.PayloadSum(); ok && sum != sha256.Sum256(body) {
			t.Errorf("%s %s: the body is not what was signed", r.Method, r.RequestURI)
		}
		s.ids = append(s.ids, id)
		if id.Service == "dynamodb" {
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			io.WriteString(w, "{}")
		}
	})
	if tls {
		s.Server = httptest.NewTLSServer(handler)
	} else {
		s.Server = httptest.NewServer(handler)
	}
	t.Cleanup(s.Close)
	return s
}

func (s *verifyingServer) last(t *testing.T) *Identity {
	t.Helper()
	if len(s.ids) == 0 {
		t.Fatal("no request came through")
	}
	return s.ids[len(s.ids)-1]
}

func staticCreds(context.Context) (aws.Credentials, error) { return testCreds, nil }

func (s *verifyingServer) s3() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(s.URL), Region: "eu-central-1", UsePathStyle: true, HTTPClient: s.Client(),
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		Credentials:                aws.CredentialsProviderFunc(staticCreds),
	})
}

// oddKeys are object keys that clients and servers like to disagree on.
var oddKeys = []string{
	"a", "a b", "a+b", "a%20b", "a//b", "/a", "a/", "./a/../b", "日本語/ä", "a?b=c&d", "a!*'()b", "a;b,c=d@e:f$g", "~-._",
	"a\tb", "%", "%2F", "a\\b", `"quoted"`, "[x]{y}|z^`", "#hash",
}

func TestS3Client(t *testing.T) {
	for name, tls := range map[string]bool{"http": false, "https": true} {
		t.Run(name, func(t *testing.T) {
			server := newVerifyingServer(t, tls)
			client := server.s3()
			ctx := t.Context()
			for _, key := range oddKeys {
				if _, err := client.PutObject(ctx, &s3.PutObjectInput{
					Bucket: aws.String("bucket"), Key: aws.String(key), Body: strings.NewReader("text of " + key),
					ContentType: aws.String("text/plain;  charset=utf-8"), Metadata: map[string]string{"source-url": "http://x/ y"},
				}); err != nil {
					t.Fatalf("put %q: %v", key, err)
				}
				if tls && server.last(t).PayloadHash != StreamingUnsignedTrailer {
					t.Errorf("payload = %s", server.last(t).PayloadHash)
				}
				if _, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("bucket"), Key: aws.String(key)}); err != nil {
					t.Fatalf("head %q: %v", key, err)
				}
				out, err := s3.NewPresignClient(client).PresignGetObject(ctx, &s3.GetObjectInput{
					Bucket: aws.String("bucket"), Key: aws.String(key), ResponseContentType: aws.String("text/plain; x=y"),
				})
				if err != nil {
					t.Fatal(err)
				}
				resp, err := server.Client().Get(out.URL)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != 200 || !server.last(t).Presigned {
					t.Errorf("presigned %q: %s", key, resp.Status)
				}
			}
			if _, err := client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: aws.String("bucket"),
				Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String("a")}}}}); err != nil {
				t.Fatal(err)
			}
			for _, prefix := range oddKeys {
				if _, err := client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String("bucket"),
					Prefix: aws.String(prefix), Delimiter: aws.String("/"), StartAfter: aws.String(prefix)}); err != nil {
					// The answer is not XML; all that matters is that it was sent.
					if len(server.errs) > 0 {
						t.Fatalf("list %q: %v", prefix, err)
					}
				}
			}
		})
	}
}

func TestS3PresignedPost(t *testing.T) {
	server := newVerifyingServer(t, false)
	out, err := s3.NewPresignClient(server.s3()).PresignPostObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("bucket"), Key: aws.String("uploads/${filename}"),
	})
	if err != nil {
		t.Fatal(err)
	}
	v := &Verifier{Secret: oneKey(testCreds.AccessKeyID, testCreds.SecretAccessKey), Service: "s3", Region: "eu-central-1"}
	field := func(name string) string {
		for k, value := range out.Values {
			if strings.EqualFold(k, name) {
				return value
			}
		}
		return ""
	}
	p := &Policy{
		Policy: field("policy"), Algorithm: field("x-amz-algorithm"), Credential: field("x-amz-credential"),
		Date: field("x-amz-date"), Signature: field("x-amz-signature"),
	}
	if _, err := v.VerifyPolicy(p); err != nil {
		t.Errorf("%v\n%+v", err, out.Values)
	}
	p.Policy = strings.Replace(p.Policy, "a", "b", 1)
	var e *Error
	if _, err := v.VerifyPolicy(p); !errors.As(err, &e) || e.Code != CodeMismatch {
		t.Errorf("error = %v, want a mismatch", err)
	}
}

func TestDynamoDBClient(t *testing.T) {
	server := newVerifyingServer(t, false)
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL), Region: "eu-central-1", HTTPClient: server.Client(),
		Credentials: aws.CredentialsProviderFunc(staticCreds),
	})
	for range 3 {
		if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{Limit: aws.Int32(3)}); err != nil {
			t.Fatal(err)
		}
	}
	if id := server.last(t); id.Service != "dynamodb" || len(server.ids) != 3 || !bytes.Contains([]byte(strings.Join(id.SignedHeaders, " ")), []byte("x-amz-target")) {
		t.Errorf("identity = %+v of %d", id, len(server.ids))
	}
}
