package sigv4

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"net/http"
	"slices"
	"strings"
)

// Chunks follows the signatures of an aws-chunked body, each of which covers
// the one before it. For each chunk, the last and empty one included, write
// its data and then call EndChunk with the chunk-signature of its header;
// then, if the body has signed trailers, call Trailer. A failure is final:
// what comes after fails too.
//
// It is for one goroutine.
type Chunks struct {
	id       *Identity
	signer   *signer
	data     hash.Hash
	previous string // signature; "" after a failure
	toSign   []byte
}

// Chunks returns a verifier of the signature chain of an aws-chunked body,
// at its beginning, or nil if PayloadHash does not say that chunks are signed.
func (id *Identity) Chunks() *Chunks {
	if id.PayloadHash != StreamingPayload && id.PayloadHash != StreamingPayloadTrailer {
		return nil
	}
	return &Chunks{id: id, signer: newSigner(id.key), data: sha256.New(), previous: id.Signature}
}

// Write adds data to the current chunk. It never fails.
func (c *Chunks) Write(p []byte) (int, error) { return c.data.Write(p) }

// EndChunk ends the current chunk and checks its signature (64 hex digits).
// The error is an [*Error] with [CodeMismatch].
func (c *Chunks) EndChunk(signature string) error {
	var sum [sha256.Size]byte
	c.start("-PAYLOAD")
	c.toSign = append(c.toSign, EmptyPayload...)
	c.toSign = append(c.toSign, '\n')
	c.toSign = hex.AppendEncode(c.toSign, c.data.Sum(sum[:0]))
	c.data.Reset()
	return c.end("chunk", signature)
}

// Trailer checks x-amz-trailer-signature over the trailers, which follow the
// last chunk. An X-Amz-Trailer-Signature among them is left out, as it is not
// signed itself. The error is an [*Error] with [CodeMismatch].
func (c *Chunks) Trailer(trailers http.Header, signature string) error {
	lines := make([]string, 0, len(trailers))
	for key, values := range trailers {
		if name := strings.ToLower(key); name != "x-amz-trailer-signature" {
			var more reading
			b := append([]byte(name), ':')
			for i, v := range values {
				if i > 0 {
					b = append(b, ',')
				}
				b = appendFolded(b, v, 0, &more)
			}
			lines = append(lines, string(append(b, '\n')))
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	c.start("-TRAILER")
	c.toSign = hex.AppendEncode(c.toSign, sum[:])
	return c.end("trailer", signature)
}

// start begins a string to sign.
func (c *Chunks) start(kind string) {
	c.toSign = append(c.toSign[:0], algorithm...)
	c.toSign = append(c.toSign, kind...)
	for _, line := range []string{c.id.date, c.id.scope, c.previous} {
		c.toSign = append(c.toSign, '\n')
		c.toSign = append(c.toSign, line...)
	}
	c.toSign = append(c.toSign, '\n')
}

// end checks the string to sign, and takes its signature as the next one's.
func (c *Chunks) end(what, signature string) error {
	if c.previous != "" && c.signer.matches(c.toSign, signature) {
		c.previous = signature
		return nil
	}
	c.previous = ""
	return &Error{
		Code:         CodeMismatch,
		Message:      "The signature of a " + what + " is not the one computed for it",
		AccessKeyID:  c.id.AccessKeyID,
		Signature:    signature,
		StringToSign: string(c.toSign),
	}
}
