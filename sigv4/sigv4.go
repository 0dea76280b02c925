// Package sigv4 verifies AWS Signature Version 4 on the server's side: the
// Authorization header, presigned URLs, the signature chain of aws-chunked
// bodies, and S3 POST policies. The DynamoDB and S3 endpoints both use it.
//
// It promises that a request it accepts was signed, over exactly the bytes
// that arrived (method, path, query, signed headers, declared payload hash),
// by someone who holds the secret of the access key, for this service and
// region, and recently. It never reads the body: see [Identity.PayloadHash]
// for what the caller still has to check of it.
//
// Start reading at [Verifier.Verify]; canonical.go builds the canonical
// request, parse.go reads the two places where credentials can be, chunks.go
// follows an aws-chunked body. The algorithm is the one in "AWS Signature
// Version 4 for API requests" (IAM User Guide) and "Authenticating Requests
// (AWS Signature Version 4)" (Amazon S3 API Reference).
package sigv4

import (
	"crypto/sha256"
	"errors"
	"net/http"
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
}

// Verify checks the signature of r with the payload hash that r itself
// declares in x-amz-content-sha256, as S3 clients do; a presigned request
// without one means [UnsignedPayload]. It does not read the body: a caller
// compares the body with [Identity.PayloadHash] while reading it.
//
// Call it before r.URL, r.Host or r.Header are rewritten. The error is always
// an [*Error].
func (v *Verifier) Verify(r *http.Request) (*Identity, error) {
	return nil, errors.New("sigv4: not built yet")
}

// VerifyBody is Verify for the services whose clients do not declare a
// payload hash, such as DynamoDB: the caller has read the body and passes its
// SHA-256. If r declares a payload hash all the same, the two must agree.
func (v *Verifier) VerifyBody(r *http.Request, body [sha256.Size]byte) (*Identity, error) {
	return nil, errors.New("sigv4: not built yet")
}

// VerifyPolicy checks the signature of a browser upload (S3 POST). The
// caller checks the policy's expiration and conditions, which are all that
// bounds such a request in time.
func (v *Verifier) VerifyPolicy(p *Policy) (*Identity, error) {
	return nil, errors.New("sigv4: not built yet")
}

// Policy holds the form fields of an S3 POST that carry its signature, as
// they were sent.
type Policy struct {
	Policy        string // "policy": the base64 text that is signed
	Algorithm     string // "x-amz-algorithm"
	Credential    string // "x-amz-credential"
	Date          string // "x-amz-date"
	Signature     string // "x-amz-signature"
	SecurityToken string // "x-amz-security-token", if any
}

// ServiceOf returns the service that r's credential scope names, unverified,
// or "" if r carries no Signature Version 4 credentials. It serves to route a
// request on a port that speaks for several services.
func ServiceOf(r *http.Request) string { return "" }

// An Identity says who signed a request, and what the signature covers.
type Identity struct {
	AccessKeyID   string
	SecurityToken string // X-Amz-Security-Token, "" if none; not checked here
	Region        string
	Service       string
	Date          time.Time // when it was signed, UTC
	SignedHeaders []string  // lower-case, in the order of the signature; nil for a POST policy
	Signature     string    // hex

	// PayloadHash is what the signature says of the body: one of the
	// constants above, or the hex SHA-256 that the body must have. After
	// VerifyBody it is the sum passed in; after VerifyPolicy it is empty.
	PayloadHash string

	// Presigned tells a signature in the query string from one in the
	// Authorization header. Expires is how long a presigned request is good
	// for, from Date on; 0 for the others.
	Presigned bool
	Expires   time.Duration
}

// PayloadSum returns the SHA-256 that the body must have, and false if
// PayloadHash is one of the constants that say something else of the body.
func (id *Identity) PayloadSum() (sum [sha256.Size]byte, ok bool) { return sum, false }

// Streaming reports whether PayloadHash declares an aws-chunked body.
func (id *Identity) Streaming() bool { return false }

// Chunks returns a verifier of the signature chain of an aws-chunked body,
// at its beginning, or nil if PayloadHash does not say that chunks are signed.
func (id *Identity) Chunks() *Chunks { return nil }

// Chunks follows the signatures of an aws-chunked body, each of which covers
// the one before it. For each chunk, the last and empty one included, write
// its data and then call EndChunk with the chunk-signature of its header;
// then, if the body has signed trailers, call Trailer. A failure is final.
//
// It is for one goroutine.
type Chunks struct{}

// Write adds data to the current chunk. It never fails.
func (c *Chunks) Write(p []byte) (int, error) { return len(p), nil }

// EndChunk ends the current chunk and checks its signature (64 hex digits).
// The error is an [*Error] with [CodeMismatch].
func (c *Chunks) EndChunk(signature string) error { return nil }

// Trailer checks x-amz-trailer-signature over the trailers, which follow the
// last chunk. An X-Amz-Trailer-Signature among them is left out, as it is not
// signed itself. The error is an [*Error] with [CodeMismatch].
func (c *Chunks) Trailer(trailers http.Header, signature string) error { return nil }
