// Package sigv4 verifies AWS Signature Version 4 on the server's side: the
// Authorization header, presigned URLs, the signature chain of aws-chunked
// bodies, and S3 POST policies. The DynamoDB and S3 endpoints both use it.
//
// It promises that a request it accepts was signed, over the method, path,
// query, signed headers and declared payload hash that arrived, by someone
// who holds the secret of the access key, for this service and region, and
// recently. It never reads the body: see [Identity.PayloadHash] for what the
// caller still has to check of it.
//
// Start reading at [Verifier.Verify]. claim.go reads what a request says of
// its signature, canonical.go and query.go build the canonical request,
// key.go derives and keeps signing keys, chunks.go follows an aws-chunked
// body. The algorithm is that of "AWS Signature Version 4 for API requests"
// (IAM User Guide) and "Authenticating Requests (AWS Signature Version 4)"
// (Amazon S3 API Reference).
package sigv4

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Values of the x-amz-content-sha256 header, and so of
// [Identity.PayloadHash], that are not the hex SHA-256 of the body.
const (
	// UnsignedPayload says that the signature does not cover the body.
	UnsignedPayload = "UNSIGNED-PAYLOAD"
	// StreamingPayload says that the body is aws-chunked and that each chunk
	// is signed; check it with [Identity.Chunks].
	StreamingPayload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
	// StreamingPayloadTrailer is StreamingPayload with signed trailers.
	StreamingPayloadTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
	// StreamingUnsignedTrailer says that the body is aws-chunked, with
	// trailers, and that neither chunks nor trailers are signed.
	StreamingUnsignedTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	// EmptyPayload is the hex SHA-256 of no bytes.
	EmptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

const (
	algorithm      = "AWS4-HMAC-SHA256"
	scopeEnd       = "aws4_request"
	timeFormat     = "20060102T150405Z"
	dateFormat     = "20060102"
	defaultMaxSkew = 15 * time.Minute
	maxExpires     = 7 * 24 * time.Hour
)

// A Verifier checks signatures. Its fields are set before first use and not
// changed after; it may then be used from many goroutines. It must not be
// copied after first use.
type Verifier struct {
	// Secret returns the secret access key of an access key id, and false if
	// there is no such key. It is called for every request, so that a key
	// withdrawn is refused at once. Required.
	Secret func(accessKeyID string) (secret string, ok bool)

	// Service is the service that the credential scope must name, "s3" or
	// "dynamodb". Empty accepts any.
	Service string

	// Region is the region that the credential scope must name. Empty
	// accepts any, as an emulator wants.
	Region string

	// Now is the clock; nil means time.Now.
	Now func() time.Time

	// MaxSkew is how far a request's time may be from Now, either way; 0
	// means the 15 minutes that AWS allows.
	MaxSkew time.Duration

	keys keyCache
}

// Verify checks the signature of r with the payload hash that r itself
// declares in x-amz-content-sha256, as S3 clients do; a presigned request
// without one means [UnsignedPayload]. It does not read the body: a caller
// compares the body with [Identity.PayloadHash] while reading it.
//
// Call it before r.URL, r.Host or r.Header are rewritten. The error is always
// an [*Error].
func (v *Verifier) Verify(r *http.Request) (*Identity, error) {
	return v.verify(r, "")
}

// VerifyBody is Verify for the services whose clients do not declare a
// payload hash, such as DynamoDB: the caller has read the body and passes its
// SHA-256. If r declares a payload hash all the same, the two must agree.
func (v *Verifier) VerifyBody(r *http.Request, body [sha256.Size]byte) (*Identity, error) {
	return v.verify(r, hex.EncodeToString(body[:]))
}

// Screen refuses what VerifyBody would refuse whatever the body is: a signature
// that is missing or malformed, of another scope, of an unknown key or of a time
// too far away. What it lets pass is not verified.
func (v *Verifier) Screen(r *http.Request) error {
	c, err := parseRequest(r)
	if err != nil {
		return err
	}
	if _, err := v.check(c); err != nil {
		return err
	}
	return checkSigned(r, c)
}

func (v *Verifier) verify(r *http.Request, bodyHash string) (*Identity, error) {
	c, err := parseRequest(r)
	if err != nil {
		return nil, err
	}
	secret, err := v.check(c)
	if err != nil {
		return nil, err
	}
	hash, err := payloadHash(r, c, bodyHash)
	if err != nil {
		return nil, err
	}
	if err := checkSigned(r, c); err != nil {
		return nil, err
	}
	key, cached := v.keys.get(c, secret)
	if err := compare(r, c, hash, key); err != nil {
		return nil, err
	}
	if !cached {
		v.keys.put(c, secret, key)
	}
	return c.identity(hash, key), nil
}

// check compares what the claim says with what this verifier wants, and
// returns the secret to compute the signature with.
func (v *Verifier) check(c *claim) (secret string, err error) {
	if v.Service != "" && c.service != v.Service {
		return "", c.errorf(CodeScope, "Credential should be scoped to service %q, not %q", v.Service, c.service)
	}
	if v.Region != "" && c.region != v.Region {
		e := c.errorf(CodeScope, "Credential should be scoped to region %q, not %q", v.Region, c.region)
		e.Region = v.Region
		return "", e
	}
	if day := c.date[:len(dateFormat)]; day != c.day {
		return "", c.errorf(CodeScope, "Date in the credential scope, %s, is not that of the request, %s", c.day, day)
	}
	secret, ok := v.Secret(c.accessKeyID)
	if !ok {
		return "", c.errorf(CodeUnknownKey, "There is no access key %q", c.accessKeyID)
	}
	return secret, v.checkTime(c)
}

func (v *Verifier) checkTime(c *claim) error {
	now, skew := time.Now, v.MaxSkew
	if v.Now != nil {
		now = v.Now
	}
	if skew == 0 {
		skew = defaultMaxSkew
	}
	t := now().UTC()
	age := t.Sub(c.time)
	var e *Error
	switch {
	case c.policy:
		return nil // its own expiration, which the caller checks, is its limit
	case c.expires > 0 && age > c.expires:
		e = c.errorf(CodeExpired, "Request has expired")
		e.Expires = c.time.Add(c.expires)
	case c.expires > 0 && -age > skew:
		e = c.errorf(CodeSkewed, "Request is not valid yet")
	case c.expires == 0 && (age > skew || -age > skew):
		e = c.errorf(CodeSkewed, "The request's time and the server's time are too far apart")
	default:
		return nil
	}
	e.RequestTime, e.ServerTime, e.MaxSkew = c.time, t, skew
	return e
}

// isS3 reports whether a service signs as S3 does: the path is not
// normalised, and encoded once.
func isS3(service string) bool {
	switch service {
	case "s3", "s3express", "s3-object-lambda", "s3-outposts":
		return true
	}
	return false
}

// payloadHash returns the last line of the canonical request. bodyHash is
// what the caller knows of the body, or "".
func payloadHash(r *http.Request, c *claim, bodyHash string) (string, error) {
	declared := c.payload
	if values := r.Header["X-Amz-Content-Sha256"]; declared == "" && len(values) > 0 {
		if len(values) > 1 {
			return "", c.errorf(CodeMalformed, "x-amz-content-sha256 is there more than once")
		}
		declared = values[0]
	}
	switch {
	case bodyHash != "":
		if declared != "" && !strings.EqualFold(declared, bodyHash) {
			return "", c.errorf(CodePayload, "The body's SHA-256 is not the one in x-amz-content-sha256")
		}
		return bodyHash, nil
	case declared == "" && c.presigned:
		return UnsignedPayload, nil
	case declared == "":
		return "", c.errorf(CodeMalformed, "Header x-amz-content-sha256 is missing")
	case strings.HasPrefix(declared, "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"):
		return "", c.errorf(CodeUnsupported, "Signature Version 4A is not supported; sign with %s", algorithm)
	case !validPayload(declared):
		return "", c.errorf(CodeMalformed, "x-amz-content-sha256 must be a SHA-256 in hex, %s, %s, %s or %s",
			UnsignedPayload, StreamingPayload, StreamingPayloadTrailer, StreamingUnsignedTrailer)
	}
	return declared, nil
}

func validPayload(s string) bool {
	switch s {
	case UnsignedPayload, StreamingPayload, StreamingPayloadTrailer, StreamingUnsignedTrailer:
		return true
	}
	var sum [sha256.Size]byte
	n, err := hex.Decode(sum[:], []byte(s[:min(len(s), 2*len(sum))]))
	return err == nil && n == len(sum) && len(s) == 2*len(sum)
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// compare computes the signature and compares. Where the rules leave room,
// and clients differ, each way of reading the request is tried in turn; the
// common request has only one.
func compare(r *http.Request, c *claim, payloadHash string, key []byte) error {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	var more reading
	b, err := appendCanonical((*buf)[:0], r, c, payloadHash, 0, &more)
	*buf = b
	if err != nil {
		return err
	}
	mac := newSigner(key)
	toSign := c.appendToSign(make([]byte, 0, 256), sha256.Sum256(b))
	if mac.matches(toSign, c.signature) {
		return nil
	}
	// Kept for the client, to whom the first reading is the documented one.
	e := c.errorf(CodeMismatch, "The signature is not the one computed for this request; "+
		"check the secret access key and the signing method")
	e.StringToSign, e.CanonicalRequest = string(toSign), string(b)
	for other := more; other != 0; other = (other - 1) & more {
		b, err = appendCanonical(b[:0], r, c, payloadHash, other, &more)
		*buf = b
		if err == nil && mac.matches(c.appendToSign(toSign[:0], sha256.Sum256(b)), c.signature) {
			return nil
		}
	}
	return e
}

// appendToSign appends the string to sign for a hash of a canonical request.
func (c *claim) appendToSign(b []byte, hash [sha256.Size]byte) []byte {
	b = append(b, algorithm...)
	b = append(b, '\n')
	b = append(b, c.date...)
	b = append(b, '\n')
	b = append(b, c.scope...)
	b = append(b, '\n')
	return hex.AppendEncode(b, hash[:])
}
