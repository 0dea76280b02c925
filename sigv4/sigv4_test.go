package sigv4

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/google/go-cmp/cmp"
)

// sign signs r as the documents say, by the code under test; the vectors and
// the SDK's signer, elsewhere, show that this code is right.
func sign(t testing.TB, r *http.Request, scope, date, signed, payload string) {
	t.Helper()
	r.Header.Set("Authorization", authorization(docKey, scope, signed, "0"))
	r.Header.Set("X-Amz-Date", date)
	if payload != "" {
		r.Header.Set("X-Amz-Content-Sha256", payload)
	}
	c, err := parseRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	var more reading
	b, err := appendCanonical(nil, r, c, payload, 0, &more)
	if err != nil {
		t.Fatal(err)
	}
	key := deriveKey(docSecret, c.day, c.region, c.service)
	signature := newSigner(key).sign(c.appendToSign(nil, sha256.Sum256(b)))
	r.Header.Set("Authorization", authorization(docKey, scope, signed, string(signature)))
}

const signedBasic = "host;x-amz-content-sha256;x-amz-date"

// docRequest returns a signed request to S3.
func docRequest(t testing.TB) *http.Request {
	t.Helper()
	r, err := http.NewRequest("GET", "http://s3.example.com/bucket/key?list-type=2", nil)
	if err != nil {
		t.Fatal(err)
	}
	sign(t, r, docScope, docDate, signedBasic, EmptyPayload)
	return r
}

func replaceAuth(old, repl string) func(*http.Request) {
	return func(r *http.Request) {
		auth := r.Header.Get("Authorization")
		if !strings.Contains(auth, old) {
			panic("no " + old + " in " + auth)
		}
		r.Header.Set("Authorization", strings.Replace(auth, old, repl, 1))
	}
}

func setHeader(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if value == "" {
			r.Header.Del(name)
		} else {
			r.Header.Set(name, value)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	if _, err := docVerifier(t).Verify(docRequest(t)); err != nil {
		t.Fatal(err) // what the cases below change is good
	}
	tests := []struct {
		name   string
		change func(*http.Request)
		code   Code
		says   string
	}{
		{"not signed", setHeader("Authorization", ""), CodeMissing, "not signed"},
		{"version 2", setHeader("Authorization", "AWS "+docKey+":c2lnbmF0dXJl"), CodeUnsupported, "Version 2"},
		{"version 4A", replaceAuth(algorithm, "AWS4-ECDSA-P256-SHA256"), CodeUnsupported, "Version 4A"},
		{"version 4A body", setHeader("X-Amz-Content-Sha256", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"), CodeUnsupported, "Version 4A"},
		{"another scheme", setHeader("Authorization", "Bearer abc"), CodeUnsupported, `"Bearer"`},
		{"nothing but the scheme", setHeader("Authorization", algorithm), CodeMalformed, "must have Credential"},
		{"no signature", replaceAuth(", Signature=", ", Other="), CodeMalformed, `unknown part "Other"`},
		{"empty signature", func(r *http.Request) {
			r.Header.Set("Authorization", authorization(docKey, docScope, signedBasic, ""))
		}, CodeMalformed, "must have"},
		{"two signatures", replaceAuth("Signature=", "Signature=1, Signature="), CodeMalformed, "Signature twice"},
		{"two headers", func(r *http.Request) { r.Header.Add("Authorization", "x") }, CodeMalformed, "more than once"},
		{"two dates", func(r *http.Request) { r.Header.Add("X-Amz-Date", docDate) }, CodeMalformed, "more than once"},
		{"two payload hashes", func(r *http.Request) { r.Header.Add("X-Amz-Content-Sha256", EmptyPayload) }, CodeMalformed, "more than once"},
		{"short credential", replaceAuth("/s3/", "/"), CodeMalformed, "Credential must be"},
		{"another end of scope", replaceAuth("aws4_request", "aws5_request"), CodeMalformed, "Credential must be"},
		{"no access key", replaceAuth(docKey, ""), CodeMalformed, "Credential must be"},
		{"day in letters", replaceAuth("20130524", "2013052x"), CodeMalformed, "Credential must be"},
		{"upper-case names", replaceAuth("=host;", "=Host;"), CodeMalformed, "lower-case"},
		{"names out of order", replaceAuth(signedBasic, "x-amz-date;host"), CodeMalformed, "order"},
		{"name twice", replaceAuth(signedBasic, "host;host;x-amz-date"), CodeMalformed, "order"},
		{"empty name", replaceAuth("=host;", "=;host;"), CodeMalformed, "SignedHeaders"},
		{"no date", setHeader("X-Amz-Date", ""), CodeMalformed, "X-Amz-Date is missing"},
		{"a date of another form", setHeader("X-Amz-Date", "2013-05-24T00:00:00Z"), CodeMalformed, "must look like"},
		{"a date with a fraction", setHeader("X-Amz-Date", "20130524T000000.5Z"), CodeMalformed, "must look like"},
		{"no payload hash", setHeader("X-Amz-Content-Sha256", ""), CodeMalformed, "x-amz-content-sha256 is missing"},
		{"bad payload hash", setHeader("X-Amz-Content-Sha256", EmptyPayload+"00"), CodeMalformed, "must be a SHA-256"},
		{"signed twice", func(r *http.Request) { r.URL.RawQuery += "&X-Amz-Algorithm=" + algorithm }, CodeMalformed, "signed twice"},
		{"broken query", func(r *http.Request) { r.URL.RawQuery += "&a=%zz" }, CodeMalformed, "broken % escape"},
		{"semicolon in query", func(r *http.Request) { r.URL.RawQuery += "&a=b;c" }, CodeMalformed, "%3B"},
		{"unknown key", replaceAuth(docKey, "AKIDNOBODY"), CodeUnknownKey, `"AKIDNOBODY"`},
		{"another service", replaceAuth("/s3/", "/sqs/"), CodeScope, `service "s3", not "sqs"`},
		{"another region", replaceAuth("us-east-1", "mars-north-1"), CodeScope, `region "us-east-1", not "mars-north-1"`},
		{"another day", replaceAuth("20130524", "20130523"), CodeScope, "20130523"},
		{"host not signed", replaceAuth("=host;", "="), CodeUnsignedHeaders, "host"},
		{"header not signed", setHeader("X-Amz-Acl", "public-read"), CodeUnsignedHeaders, "x-amz-acl"},
		{"another signature", replaceAuth("Signature=", "Signature=0"), CodeMismatch, "secret access key"},
		{"another path", func(r *http.Request) { r.URL.Path = "/bucket/Key" }, CodeMismatch, ""},
		{"another query", func(r *http.Request) { r.URL.RawQuery = "list-type=1" }, CodeMismatch, ""},
		{"another host", func(r *http.Request) { r.Host = "s4.example.com" }, CodeMismatch, ""},
		{"another method", func(r *http.Request) { r.Method = "PUT" }, CodeMismatch, ""},
		{"another payload", setHeader("X-Amz-Content-Sha256", UnsignedPayload), CodeMismatch, ""},
		{"names beyond number", replaceAuth(signedBasic, manyNames(maxSignedHeaders+1)), CodeMalformed, "More than 256"},
		{"endless header", replaceAuth(docKey, strings.Repeat("A", maxAuthorization)), CodeMalformed, "longer than"},
		{"endless query", func(r *http.Request) { r.URL.RawQuery = strings.Repeat("a", maxQuery+1) }, CodeMalformed, "longer than"},
		{"parameters beyond number", func(r *http.Request) { r.URL.RawQuery = strings.Repeat("a&", maxParams) }, CodeMalformed, "1000 parameters"},
		{"endless value", func(r *http.Request) { r.Host = strings.Repeat("a", maxCanonical) }, CodeMalformed, "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := docRequest(t)
			tt.change(r)
			id, err := docVerifier(t).Verify(r)
			checkError(t, id, err, tt.code, tt.says)
		})
	}
}

func manyNames(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("x%04d", i))
	}
	return strings.Join(list, ";")
}

func checkError(t *testing.T, id *Identity, err error, code Code, says string) *Error {
	t.Helper()
	if code == "" {
		if err != nil {
			t.Fatal(err)
		}
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v, identity = %+v, want %s", err, id, code)
	}
	if id != nil {
		t.Errorf("an identity came with the error: %+v", id)
	}
	if e.Code != code || !strings.Contains(e.Message, says) {
		t.Errorf("error = %v, want %s that says %q", e, code, says)
	}
	if len(e.Message) > 500 {
		t.Errorf("the message has %d bytes", len(e.Message))
	}
	return e
}

func TestErrorDetails(t *testing.T) {
	r := docRequest(t)
	r.URL.Path = "/bucket/other"
	id, err := docVerifier(t).Verify(r)
	e := checkError(t, id, err, CodeMismatch, "")
	wantRequest := "GET\n/bucket/other\nlist-type=2\nhost:s3.example.com\nx-amz-content-sha256:" + EmptyPayload +
		"\nx-amz-date:" + docDate + "\n\n" + signedBasic + "\n" + EmptyPayload
	if d := cmp.Diff(wantRequest, e.CanonicalRequest); d != "" {
		t.Errorf("canonical request: %s", d)
	}
	wantString := fmt.Sprintf("%s\n%s\n%s\n%x", algorithm, docDate, docScope, sha256.Sum256([]byte(wantRequest)))
	if d := cmp.Diff(wantString, e.StringToSign); d != "" {
		t.Errorf("string to sign: %s", d)
	}
	if e.AccessKeyID != docKey || len(e.Signature) != 64 || e.Presigned {
		t.Errorf("error = %+v", e)
	}
	if strings.Contains(fmt.Sprintf("%+v", e), docSecret) {
		t.Error("the error holds the secret")
	}

	r = docRequest(t)
	r.Header.Set("X-Amz-B", "1")
	r.Header.Set("X-Amz-A", "1")
	r.Header.Set("X-Amzn-Trace-Id", "1")
	id, err = docVerifier(t).Verify(r)
	e = checkError(t, id, err, CodeUnsignedHeaders, "x-amz-a, x-amz-b")
	if d := cmp.Diff([]string{"x-amz-a", "x-amz-b"}, e.Headers); d != "" {
		t.Error(d)
	}

	v := docVerifier(t)
	v.Region = "eu-west-1"
	id, err = v.Verify(docRequest(t))
	if e = checkError(t, id, err, CodeScope, "eu-west-1"); e.Region != "eu-west-1" {
		t.Errorf("region = %q", e.Region)
	}
}

func TestSkew(t *testing.T) {
	for _, tt := range []struct {
		off  time.Duration
		max  time.Duration
		code Code
	}{
		{0, 0, ""},
		{15 * time.Minute, 0, ""},
		{-15 * time.Minute, 0, ""},
		{15*time.Minute + time.Second, 0, CodeSkewed},
		{-15*time.Minute - time.Second, 0, CodeSkewed},
		{time.Hour, 2 * time.Hour, ""},
		{24 * time.Hour, 0, CodeSkewed},
	} {
		v := docVerifier(t)
		signed := v.Now()
		v.Now = func() time.Time { return signed.Add(tt.off) }
		v.MaxSkew = tt.max
		id, err := v.Verify(docRequest(t))
		if e := checkError(t, id, err, tt.code, "too far apart"); e != nil {
			if !e.RequestTime.Equal(signed) || !e.ServerTime.Equal(v.Now()) || e.MaxSkew != 15*time.Minute {
				t.Errorf("times = %v %v %v", e.RequestTime, e.ServerTime, e.MaxSkew)
			}
		}
	}
}

func TestPresignedErrors(t *testing.T) {
	replace := func(old, repl string) string {
		if !strings.Contains(docPresigned, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(docPresigned, old, repl, 1)
	}
	tests := []struct {
		name   string
		target string
		after  time.Duration // since it was signed
		code   Code
		says   string
	}{
		{"good", docPresigned, 0, "", ""},
		{"good to the last second", docPresigned, 24 * time.Hour, "", ""},
		{"good, clock behind", docPresigned, -15 * time.Minute, "", ""},
		{"semicolon not escaped, and read", replace("SignedHeaders=host", "SignedHeaders=host;x"), 0, CodeMismatch, ""},
		{"expired", docPresigned, 24*time.Hour + time.Second, CodeExpired, "expired"},
		{"not valid yet", docPresigned, -15*time.Minute - time.Second, CodeSkewed, "not valid yet"},
		{"a second longer", replace("Expires=86400", "Expires=86401"), 0, CodeMismatch, ""},
		{"no time at all", replace("Expires=86400", "Expires=0"), 0, CodeMalformed, "1 to 604800"},
		{"over a week", replace("Expires=86400", "Expires=604801"), 0, CodeMalformed, "1 to 604800"},
		{"negative", replace("Expires=86400", "Expires=-1"), 0, CodeMalformed, "1 to 604800"},
		{"no number", replace("Expires=86400", "Expires=1e3"), 0, CodeMalformed, "1 to 604800"},
		{"no expiry", replace("&X-Amz-Expires=86400", ""), 0, CodeMalformed, "X-Amz-Expires is missing"},
		{"no algorithm", replace("X-Amz-Algorithm=AWS4-HMAC-SHA256&", ""), 0, CodeMalformed, "X-Amz-Algorithm is missing"},
		{"no signature", replace("X-Amz-Signature=", "x="), 0, CodeMalformed, "X-Amz-Signature is missing"},
		{"two signatures", docPresigned + "&X-Amz-Signature=00", 0, CodeMalformed, "more than once"},
		{"version 4A", replace("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"), 0, CodeUnsupported, "Version 4A"},
		{"version 2", "/test.txt?AWSAccessKeyId=a&Expires=1&Signature=b", 0, CodeUnsupported, "Version 2"},
		{"newline in names", replace("SignedHeaders=host", "SignedHeaders=host%0A"), 0, CodeMalformed, "SignedHeaders"},
		{"newline in credential", replace("us-east-1", "us%0Aeast"), 0, CodeMalformed, "Credential"},
		{"another object", replace("test.txt", "test.tx_"), 0, CodeMismatch, ""},
		{"one more parameter", docPresigned + "&versionId=1", 0, CodeMismatch, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := readRequest(t, "GET "+tt.target+" HTTP/1.1\nHost: examplebucket.s3.amazonaws.com\n\n")
			v := docVerifier(t)
			signed := v.Now()
			v.Now = func() time.Time { return signed.Add(tt.after) }
			id, err := v.Verify(r)
			if e := checkError(t, id, err, tt.code, tt.says); e != nil && !e.Presigned {
				t.Errorf("error = %+v, want it presigned", e)
			}
		})
	}
}

// A signature in the query without a time of its own is good for as long as one
// in the header, where the service is not S3.
func TestQueryWithoutExpiry(t *testing.T) {
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	body := sha256.Sum256([]byte("{}"))
	r, err := http.NewRequest("POST", "http://dynamodb.example.com/", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	signed, _, err := v4.NewSigner().PresignHTTP(t.Context(), aws.Credentials{AccessKeyID: "AK", SecretAccessKey: "SK"}, r, hex.EncodeToString(body[:]), "dynamodb", "us-east-1", at)
	if err != nil {
		t.Fatal(err)
	}
	if r.URL, err = url.Parse(signed); err != nil {
		t.Fatal(err)
	}
	for age, code := range map[time.Duration]Code{0: "", 15 * time.Minute: "", -15 * time.Minute: "", 16 * time.Minute: CodeSkewed, -16 * time.Minute: CodeSkewed} {
		v := &Verifier{Secret: func(string) (string, bool) { return "SK", true }, Service: "dynamodb", Now: func() time.Time { return at.Add(age) }}
		id, err := v.VerifyBody(r, body)
		checkError(t, id, err, code, "")
	}
}

// A header added to a presigned request changes what it does, so it must
// have been signed.
func TestPresignedWithMoreHeaders(t *testing.T) {
	r := readRequest(t, "GET "+docPresigned+" HTTP/1.1\nHost: examplebucket.s3.amazonaws.com\nX-Amz-Acl: public-read\n\n")
	id, err := docVerifier(t).Verify(r)
	checkError(t, id, err, CodeUnsignedHeaders, "x-amz-acl")
}

func TestVerifyBody(t *testing.T) {
	body := []byte(`{"TableName":"blog"}`)
	newRequest := func(declared string) *http.Request {
		r, err := http.NewRequest("POST", "http://dynamodb.example.com/", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.DescribeTable")
		hash := fmt.Sprintf("%x", sha256.Sum256(body))
		sign(t, r, "20130524/us-east-1/dynamodb/aws4_request", docDate, "host;x-amz-date;x-amz-target", hash)
		r.Header.Set("X-Amz-Content-Sha256", strings.ReplaceAll(declared, "HASH", hash))
		if declared == "" {
			r.Header.Del("X-Amz-Content-Sha256")
		}
		return r
	}
	v := docVerifier(t)
	v.Service = "dynamodb"
	for _, tt := range []struct {
		declared, body string
		code           Code
	}{
		{"", string(body), ""},
		{"HASH", string(body), ""},
		{"", string(body) + " ", CodeMismatch},
		{"HASH", string(body) + " ", CodePayload},
		{UnsignedPayload, string(body), CodePayload},
	} {
		id, err := v.VerifyBody(newRequest(tt.declared), sha256.Sum256([]byte(tt.body)))
		if checkError(t, id, err, tt.code, ""); err == nil {
			if sum, ok := id.PayloadSum(); !ok || sum != sha256.Sum256(body) || id.Streaming() || id.Chunks() != nil {
				t.Errorf("identity = %+v", id)
			}
		}
	}
	id, err := v.Verify(newRequest(""))
	checkError(t, id, err, CodeMalformed, "x-amz-content-sha256 is missing")
}

// Date stands in where X-Amz-Date is missing, in the forms HTTP has for it.
func TestDateHeader(t *testing.T) {
	for _, date := range []string{"Fri, 24 May 2013 00:00:00 GMT", "Friday, 24-May-13 00:00:00 GMT", docDate} {
		r := docRequest(t)
		r.Header.Set("Date", date)
		sign(t, r, docScope, docDate, "date;host;x-amz-content-sha256", EmptyPayload)
		r.Header.Del("X-Amz-Date")
		if _, err := docVerifier(t).Verify(r); err != nil {
			t.Errorf("%s: %v", date, err)
		}
	}
}

func TestServiceOf(t *testing.T) {
	unsigned := docRequest(t)
	unsigned.Header.Del("Authorization")
	v2 := docRequest(t)
	v2.Header.Set("Authorization", "AWS a:b")
	for _, tt := range []struct {
		r    *http.Request
		want string
	}{
		{docRequest(t), "s3"},
		{readRequest(t, "GET "+docPresigned+" HTTP/1.1\nHost: a\n\n"), "s3"},
		{unsigned, ""},
		{v2, ""},
	} {
		if got := ServiceOf(tt.r); got != tt.want {
			t.Errorf("service of %v %v = %q, want %q", tt.r.URL, tt.r.Header, got, tt.want)
		}
	}
}

func TestChunksBroken(t *testing.T) {
	start := func() *Chunks { return chunked(t, StreamingPayload, "Content-Length: 66824\n", docSeed) }

	c := start()
	err := feed(t, c, 64<<10-1, docChunks[0].signature)
	e := checkError(t, nil, err, CodeMismatch, "chunk")
	if !strings.HasPrefix(e.StringToSign, "AWS4-HMAC-SHA256-PAYLOAD\n"+docDate+"\n"+docScope+"\n"+docSeed+"\n"+EmptyPayload) {
		t.Errorf("string to sign = %q", e.StringToSign)
	}
	err = feed(t, c, 64<<10, docChunks[0].signature)
	e = checkError(t, nil, err, CodeMismatch, "chunk")
	if err := feed(t, c, 64<<10, string(c.signer.sign([]byte(e.StringToSign)))); err == nil {
		t.Error("went on after a failure")
	}

	c = start()
	if err := feed(t, c, 1<<10, docChunks[1].signature); err == nil {
		t.Error("the second chunk passed as the first")
	}

	c = start()
	if err := feed(t, c, 64<<10, docChunks[0].signature); err != nil {
		t.Fatal(err)
	}
	if err := feed(t, c, 0, docChunks[2].signature); err == nil {
		t.Error("the last chunk passed without the one before it")
	}

	c = chunkedWithTrailer(t)
	err = c.Trailer(http.Header{"X-Amz-Checksum-Crc32c": {"sOO8/R=="}}, docTrailerSignature)
	checkError(t, nil, err, CodeMismatch, "trailer")
	c = chunkedWithTrailer(t)
	with := docTrailer.Clone()
	with.Set("X-Amz-Trailer-Signature", docTrailerSignature)
	if err := c.Trailer(with, docTrailerSignature); err != nil {
		t.Errorf("with its own signature among the trailers: %v", err)
	}
}

// The signing key is good for a day; it must not end up in a log.
func TestIdentityDoesNotPrintKey(t *testing.T) {
	id, err := docVerifier(t).Verify(docRequest(t))
	if err != nil {
		t.Fatal(err)
	}
	key := id.key
	for _, verb := range []string{"%v", "%+v", "%s", "%#v"} {
		got := fmt.Sprintf(verb, id)
		if strings.Contains(got, fmt.Sprintf("%d", key)) || strings.Contains(got, fmt.Sprintf("%x", key)) || !strings.Contains(got, docKey) {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}

const docPolicy = `{ "expiration": "2015-12-30T12:00:00.000Z",
  "conditions": [
    {"bucket": "sigv4examplebucket"},
    ["starts-with", "$key", "user/user1/"],
    {"acl": "public-read"},
    {"success_action_redirect": "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html"},
    ["starts-with", "$Content-Type", "image/"],
    {"x-amz-meta-uuid": "14365123651274"},
    {"x-amz-server-side-encryption": "AES256"},
    ["starts-with", "$x-amz-meta-tag", ""],

    {"x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},
    {"x-amz-algorithm": "AWS4-HMAC-SHA256"},
    {"x-amz-date": "20151229T000000Z" }
  ]
}`

func TestPolicy(t *testing.T) {
	good := func() *Policy {
		return &Policy{
			Policy:     base64Text(strings.ReplaceAll(docPolicy, "\n", "\r\n")),
			Algorithm:  algorithm,
			Credential: docKey + "/20151229/us-east-1/s3/aws4_request",
			Date:       "20151229T000000Z",
			Signature:  "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e",
		}
	}
	tests := []struct {
		name   string
		change func(*Policy)
		code   Code
		says   string
	}{
		{"good", func(*Policy) {}, "", ""},
		{"nothing", func(p *Policy) { *p = Policy{} }, CodeMissing, "not signed"},
		{"no policy", func(p *Policy) { p.Policy = "" }, CodeMalformed, "policy is missing"},
		{"no date", func(p *Policy) { p.Date = "" }, CodeMalformed, "x-amz-date is missing"},
		{"bad date", func(p *Policy) { p.Date = "today" }, CodeMalformed, "must look like"},
		{"bad credential", func(p *Policy) { p.Credential = docKey }, CodeMalformed, "Credential"},
		{"version 4A", func(p *Policy) { p.Algorithm = "AWS4-ECDSA-P256-SHA256" }, CodeUnsupported, "4A"},
		{"another key", func(p *Policy) { p.Credential = "X" + p.Credential }, CodeUnknownKey, ""},
		{"another day", func(p *Policy) { p.Date = "20151230T000000Z" }, CodeScope, "20151229"},
		{"another policy", func(p *Policy) { p.Policy += "=" }, CodeMismatch, "policy"},
	}
	v := docVerifier(t) // years before: a policy has its own expiration
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := good()
			tt.change(p)
			id, err := v.VerifyPolicy(p)
			e := checkError(t, id, err, tt.code, tt.says)
			if e == nil && (id.AccessKeyID != docKey || id.PayloadHash != "" || id.SignedHeaders != nil) {
				t.Errorf("identity = %+v", id)
			}
			if e != nil && e.Code == CodeMismatch && e.StringToSign != p.Policy {
				t.Errorf("string to sign = %q", e.StringToSign)
			}
		})
	}
}

func TestKeyCache(t *testing.T) {
	secret := docSecret
	v := docVerifier(t)
	v.Secret = func(string) (string, bool) { return secret, secret != "" }
	r := docRequest(t)
	verify := func() error { _, err := v.Verify(r); return err }
	if err := verify(); err != nil || len(v.keys.keys) != 1 {
		t.Fatalf("error %v, %d keys", err, len(v.keys.keys))
	}
	if err := verify(); err != nil {
		t.Fatal(err)
	}
	secret = "changed"
	if err := verify(); err == nil {
		t.Error("accepted with a secret that is no more")
	}
	secret = ""
	if err := verify(); err == nil {
		t.Error("accepted with a key that is no more")
	}
	secret = docSecret
	if err := verify(); err != nil {
		t.Errorf("after the secret came back: %v", err)
	}

	// Only keys that verified something are kept, and not too many.
	for i := range maxKeys + 10 {
		c := &claim{accessKeyID: fmt.Sprint(i), scope: docScope}
		v.keys.put(c, "s", nil)
	}
	if n := len(v.keys.keys); n != maxKeys {
		t.Errorf("%d keys are kept, want %d", n, maxKeys)
	}
	fresh := docVerifier(t)
	replaceAuth("Signature=", "Signature=0")(r)
	if _, err := fresh.Verify(r); err == nil || len(fresh.keys.keys) != 0 {
		t.Errorf("error %v, %d keys kept for a bad signature", err, len(fresh.keys.keys))
	}
}

func TestConcurrency(t *testing.T) {
	v := docVerifier(t)
	var wg sync.WaitGroup
	for range 8 {
		r := docRequest(t)
		bad := docRequest(t)
		bad.Host = "x"
		wg.Go(func() {
			for range 50 {
				if _, err := v.Verify(r); err != nil {
					t.Error(err)
				}
				if _, err := v.Verify(bad); err == nil {
					t.Error("accepted")
				}
			}
		})
	}
	wg.Wait()
}
