package sigv4

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Signature Version 2 is what came before, and still the default of several
// tools for links to objects. It is verified in the query string alone.
//
// See "Signing and authenticating REST requests (AWS signature version 2)" in
// the S3 User Guide.

// subresources are the query parameters that version 2 signs.
var subresources = []string{
	"accelerate", "acl", "analytics", "cors", "delete", "encryption", "intelligent-tiering", "inventory", "legal-hold", "lifecycle",
	"location", "logging", "metrics", "notification", "object-lock", "ownershipControls", "partNumber", "policy", "policyStatus",
	"publicAccessBlock", "replication", "requestPayment", "response-cache-control", "response-content-disposition",
	"response-content-encoding", "response-content-language", "response-content-type", "response-expires", "restore", "retention",
	"select", "select-type", "tagging", "torrent", "uploadId", "uploads", "versionId", "versioning", "versions", "website",
}

// VerifyLink checks a link that is signed by version 2. bucket is the one that the
// host names; "" if it is in the path. The error is always an [*Error].
func (v *Verifier) VerifyLink(r *http.Request, bucket string) (*Identity, error) {
	c := &claim{presigned: true, service: "s3"}
	if len(r.URL.RawQuery) > maxQuery {
		return nil, c.errorf(CodeMalformed, "Query string is longer than %d bytes", maxQuery)
	}
	var err error
	if c.query, err = parseQuery(r.URL.RawQuery); err != nil {
		return nil, c.errorf(CodeMalformed, "Query string has %s", err)
	}
	fields := map[string]string{}
	for _, p := range c.query {
		if _, twice := fields[p.name]; twice {
			return nil, c.errorf(CodeMalformed, "Query parameter %s is there more than once", p.name)
		}
		fields[p.name] = p.value
	}
	c.accessKeyID, c.signature = fields["AWSAccessKeyId"], fields["Signature"]
	until, err := strconv.ParseInt(fields["Expires"], 10, 64)
	if c.accessKeyID == "" || c.signature == "" || err != nil {
		return nil, c.errorf(CodeMalformed, "Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters")
	}
	secret, ok := v.Secret(c.accessKeyID)
	if !ok {
		return nil, c.errorf(CodeUnknownKey, "There is no access key %q", c.accessKeyID)
	}
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	if t := now(); t.Unix() > until {
		e := c.errorf(CodeExpired, "Request has expired")
		e.Expires, e.ServerTime = time.Unix(until, 0).UTC(), t.UTC()
		return nil, e
	}
	text := linkText(r, bucket, fields)
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(text))
	if want := base64.StdEncoding.EncodeToString(mac.Sum(nil)); !hmac.Equal([]byte(want), []byte(c.signature)) {
		e := c.errorf(CodeMismatch, "The signature is not the one computed for this request; check the secret access key and the signing method")
		e.StringToSign = text
		return nil, e
	}
	return &Identity{AccessKeyID: c.accessKeyID, Service: "s3", Presigned: true, PayloadHash: UnsignedPayload}, nil
}

// linkText is the string to sign.
func linkText(r *http.Request, bucket string, fields map[string]string) string {
	var b strings.Builder
	given := func(name string) string { // a link carries some headers in its query
		if v := r.Header.Get(name); v != "" {
			return v
		}
		return fields[strings.ToLower(name)]
	}
	for _, line := range []string{r.Method, given("Content-MD5"), given("Content-Type"), fields["Expires"]} {
		b.WriteString(line + "\n")
	}
	var names []string
	headers := map[string]string{}
	for name, values := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") {
			names, headers[name] = append(names, name), strings.Join(values, ",")
		}
	}
	for name, value := range fields {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && headers[name] == "" {
			names, headers[name] = append(names, name), value
		}
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(name + ":" + strings.TrimSpace(headers[name]) + "\n")
	}
	if bucket != "" {
		b.WriteString("/" + bucket)
	}
	b.WriteString(r.URL.EscapedPath())
	sep := "?"
	for _, name := range subresources { // in order
		value, ok := fields[name]
		if !ok {
			continue
		}
		b.WriteString(sep + name)
		if value != "" {
			b.WriteString("=" + value)
		}
		sep = "&"
	}
	return b.String()
}
