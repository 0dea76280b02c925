package sigv4

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The link in "Signing and authenticating REST requests" of the S3 User Guide.
func TestVerifyLink(t *testing.T) {
	const (
		target = "/photos/puppy.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620"
		secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	)
	tests := []struct {
		name, method, target string
		at                   int64
		code                 Code
	}{
		{"the guide's", "GET", target, 1175139610, ""},
		{"its last second", "GET", target, 1175139620, ""},
		{"expired", "GET", target, 1175139621, CodeExpired},
		{"another method", "PUT", target, 1175139610, CodeMismatch},
		{"another object", "GET", strings.Replace(target, "puppy", "kitten", 1), 1175139610, CodeMismatch},
		{"another time", "GET", strings.Replace(target, "1175139620", "1175139630", 1), 1175139610, CodeMismatch},
		{"a subresource", "GET", target + "&acl", 1175139610, CodeMismatch},
		{"another header", "GET", target + "&response-content-type=text%2Fhtml", 1175139610, CodeMismatch},
		{"another key", "GET", strings.Replace(target, "EXAMPLE", "OTHER", 1), 1175139610, CodeUnknownKey},
		{"no signature", "GET", strings.Replace(target, "Signature=", "x=", 1), 1175139610, CodeMalformed},
		{"no time", "GET", strings.Replace(target, "Expires=", "x=", 1), 1175139610, CodeMalformed},
		{"two times", "GET", target + "&Expires=9999999999", 1175139610, CodeMalformed},
	}
	for _, tt := range tests {
		v := &Verifier{
			Secret: func(id string) (string, bool) { return secret, id == "AKIAIOSFODNN7EXAMPLE" },
			Now:    func() time.Time { return time.Unix(tt.at, 0) },
		}
		r, err := http.NewRequest(tt.method, "http://johnsmith.s3.us-west-1.amazonaws.com"+tt.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		id, err := v.VerifyLink(r, "johnsmith")
		t.Run(tt.name, func(t *testing.T) { checkError(t, id, err, tt.code, "") })
	}
}

// Links as the Python SDK makes them, with the bucket in the path.
func TestForeignLinks(t *testing.T) {
	v := &Verifier{Secret: func(string) (string, bool) { return "SK", true }, Now: func() time.Time { return time.Unix(1794800000, 0) }}
	for target, method := range map[string]string{
		"/b/a%20b/%C3%BC%2B%26.txt?response-content-type=text%2Fhtml&AWSAccessKeyId=AK&Signature=Ih4hJCosKlDZ0QeLxNb7xgBCAA8%3D&Expires=1794801275": "GET",
		"/b/k?AWSAccessKeyId=AK&Signature=ryV8hyXH7SiYAbCbr0PDXnBjY%2Fc%3D&x-amz-meta-a=b&content-type=text%2Fplain&Expires=1794801275":             "PUT",
	} {
		r, err := http.NewRequest(method, "http://127.0.0.1:18002"+target, nil)
		if err != nil {
			t.Fatal(err)
		}
		id, err := v.VerifyLink(r, "")
		checkError(t, id, err, "", "")
	}
}
