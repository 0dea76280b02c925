package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRouting(t *testing.T) {
	name := func(s string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) })
	}
	h := &Handler{Dynamo: name("dynamo"), S3: name("s3"), Version: "test"}
	const scope = "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/%/aws4_request, SignedHeaders=host, Signature=0"
	for _, tc := range []struct {
		name, method, url string
		header            map[string]string
		want              string
	}{
		{"target", "POST", "/", map[string]string{"X-Amz-Target": "DynamoDB_20120810.ListTables"}, "dynamo"},
		{"streams", "POST", "/", map[string]string{"X-Amz-Target": "DynamoDBStreams_20120810.ListStreams"}, "dynamo"},
		{"no target, json", "POST", "/", map[string]string{"Content-Type": "application/x-amz-json-1.0"}, "dynamo"},
		{"signature", "GET", "/", map[string]string{"Authorization": strings.ReplaceAll(scope, "%", "dynamodb")}, "dynamo"},
		{"pre-flight", "OPTIONS", "/", map[string]string{"Access-Control-Request-Headers": "content-type,X-Amz-Target"}, "dynamo"},
		{"list buckets", "GET", "/", map[string]string{"Authorization": strings.ReplaceAll(scope, "%", "s3")}, "s3"},
		{"object", "PUT", "/bucket/key", nil, "s3"},
		{"presigned", "GET", "/bucket/key?X-Amz-Credential=AKID%2F20260101%2Fus-east-1%2Fs3%2Faws4_request", nil, "s3"},
		{"object called health", "GET", "/bucket/health", nil, "s3"},
		{"bucket called health", "GET", "/health", map[string]string{"Authorization": strings.ReplaceAll(scope, "%", "s3")}, "s3"},
		{"post policy", "POST", "/bucket", map[string]string{"Content-Type": "multipart/form-data; boundary=x"}, "s3"},
		{"health", "GET", "/_localstack/health", nil, `"dynamodb":"running"`},
		{"bare health", "GET", "/health", nil, `"s3":"running"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, "http://127.0.0.1"+tc.url, nil)
			r.RemoteAddr = "127.0.0.1:1"
			for k, v := range tc.header {
				r.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("answered %q, want %q", w.Body.String(), tc.want)
			}
		})
	}
}

func TestCheckAddr(t *testing.T) {
	for addr, open := range map[string]bool{
		"127.0.0.1:4566": true, "[::1]:4566": true, "localhost:4566": true, "127.8.0.1:0": true,
		":4566": false, "0.0.0.0:4566": false, "192.0.2.1:80": false, "[::]:4566": false, "example.com:80": false, "nonsense": false,
	} {
		if err := CheckAddr(addr, false); (err == nil) != open {
			t.Errorf("without credentials, %s: %v", addr, err)
		}
		if err := CheckAddr(addr, true); err != nil {
			t.Errorf("with credentials, %s: %v", addr, err)
		}
	}
}
