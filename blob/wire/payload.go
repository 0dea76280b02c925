package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"

	"pressroom/blob/fault"
	"pressroom/sigv4"
)

// A payload is the body of a request as the client meant it: without
// aws-chunked framing. Its end is io.EOF only if all that the request says of
// the body was true: its length, its hash, its chunk signatures.
type payload struct {
	r      io.Reader
	size   int64 // declared; -1 if unknown
	left   int64
	sum    hash.Hash // nil if no hash is declared
	want   string
	chunks *chunkReader // nil if not aws-chunked
}

// openPayload prepares to read the body. It may be called more than once.
func (r *request) openPayload() (*payload, error) {
	if r.payload != nil {
		return r.payload, nil
	}
	p := &payload{r: r.Body, size: r.ContentLength}
	declared := r.payloadHash()
	switch declared {
	case sigv4.UnsignedPayload:
	case sigv4.StreamingPayload, sigv4.StreamingPayloadTrailer, sigv4.StreamingUnsignedTrailer:
		if err := r.openChunks(p, declared); err != nil {
			return nil, err
		}
	default:
		if r.isAnonymous() {
			p.sum, p.want = sha256.New(), declared // S3 looks at its form only where it is signed
		} else if err := p.expectSum(declared); err != nil {
			return nil, err
		}
	}
	p.left = p.size
	r.payload = p
	return p, nil
}

func (p *payload) expectSum(declared string) error {
	b, err := hex.DecodeString(declared)
	if err != nil || len(b) != sha256.Size {
		return fault.Argument("x-amz-content-sha256", declared, "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER or a valid sha256 value.")
	}
	p.sum, p.want = sha256.New(), strings.ToLower(declared)
	return nil
}

func (r *request) openChunks(p *payload, declared string) error {
	if r.op != nil && r.op.isConfig() {
		return fault.InvalidRequest.Say("The value of x-amz-content-sha256 header is invalid.")
	}
	if r.isAnonymous() && declared != sigv4.StreamingUnsignedTrailer {
		return fault.AnonymousStreaming
	}
	size, err := strconv.ParseInt(r.header("X-Amz-Decoded-Content-Length"), 10, 64)
	if err != nil || size < 0 {
		return fault.MissingContentLength
	}
	var chain *sigv4.Chunks
	if r.who.sig != nil {
		chain = r.who.sig.Chunks()
	}
	p.size = size
	p.chunks = newChunkReader(r.Body, chain, declared != sigv4.StreamingUnsignedTrailer,
		declared != sigv4.StreamingPayload, r.header("X-Amz-Trailer"))
	p.chunks.authError = r.authError
	p.r = p.chunks
	return nil
}

func (p *payload) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if p.sum != nil {
		p.sum.Write(b[:n])
	}
	if p.size >= 0 {
		if p.left -= int64(n); p.left < 0 {
			return 0, p.tooLong()
		}
	}
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return n, bodyError(err)
	}
	return n, p.end()
}

// tooLong answers a body with more bytes than declared, or what is wrong with
// its framing if that shows soon.
func (p *payload) tooLong() error {
	if _, err := io.CopyN(io.Discard, p.r, 64<<10); errors.Is(err, fault.IncompleteBody) {
		return err
	}
	return fault.ContentLengthMismatch
}

// end checks what can only be checked at the end.
func (p *payload) end() error {
	if p.size >= 0 && p.left > 0 {
		return fault.ContentLengthMismatch
	}
	if p.sum != nil {
		if got := hex.EncodeToString(p.sum.Sum(nil)); got != p.want {
			return fault.ContentSHA256Mismatch.With("ClientComputedContentSHA256", p.want).
				With("S3ComputedContentSHA256", got)
		}
	}
	return io.EOF
}

// bodyError tells a client's broken body from the store's own trouble.
func bodyError(err error) error {
	var e *fault.Error
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &e):
		return err
	case errors.As(err, &tooBig):
		return fault.MaxMessageLengthExceeded
	}
	return fault.IncompleteBody.Because(err)
}

// trailer returns a trailing header of an aws-chunked body, after its end.
func (p *payload) trailer(name string) string {
	if p.chunks == nil {
		return ""
	}
	return p.chunks.trailers.Get(name)
}

// readBody reads a whole body of a bounded length.
func (r *request) readBody(limit int64) ([]byte, error) {
	p, err := r.openPayload()
	if err != nil {
		return nil, err
	}
	if p.size > limit {
		return nil, fault.MaxMessageLengthExceeded.With("MaxMessageLengthBytes", strconv.FormatInt(limit, 10))
	}
	b, err := io.ReadAll(io.LimitReader(p, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fault.MaxMessageLengthExceeded.With("MaxMessageLengthBytes", strconv.FormatInt(limit, 10))
	}
	return b, r.checkConfigDigest(b)
}
