package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxBody is the largest request that DynamoDB reads, compressed or not.
const maxBody = 16 << 20

var errTooLarge = errors.New("the request is larger than 16 MB")

// readBody reads the whole body as it was sent, into memory of its own: the
// strings and values of the request are views of it.
func readBody(r *http.Request) ([]byte, error) {
	switch n := r.ContentLength; {
	case n == 0:
		return nil, nil
	case n > maxBody:
		// Taking in some more lets the client read the answer.
		_, _ = io.CopyN(io.Discard, r.Body, 2*maxBody)
		return nil, errTooLarge
	case n > 0 && n <= trusted:
		body := make([]byte, n)
		_, err := io.ReadFull(r.Body, body)
		return body, err
	}
	return readLimited(r.Body)
}

// trusted is how much memory a client gets for announcing a body; for a larger
// one it must send, and memory grows with what comes.
const trusted = 256 << 10

// decoded undoes the content encoding of a body.
func decoded(r *http.Request, sent []byte) ([]byte, error) {
	if r.Header["Content-Encoding"] == nil {
		return sent, nil
	}
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(sent))
		if err != nil {
			return nil, err
		}
		return readLimited(z)
	case "", "identity":
		return sent, nil
	default:
		return nil, fmt.Errorf("content encoding %q is unknown", coding)
	}
}

func readLimited(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, maxBody+1))
	if err == nil && len(body) > maxBody {
		return nil, errTooLarge
	}
	return body, err
}

// minGzip is the size from which compressing an answer is worth it.
const minGzip = 1024

// wantsGzip reports whether to compress the answer.
func wantsGzip(r *http.Request, body []byte) bool {
	v := r.Header["Accept-Encoding"]
	if len(v) == 0 || len(body) < minGzip {
		return false
	}
	for _, coding := range strings.Split(strings.Join(v, ","), ",") {
		name, quality, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) == "gzip" {
			q := strings.TrimSpace(quality)
			return q != "q=0" && !strings.HasPrefix(q, "q=0.0")
		}
	}
	return false
}

// zipper compresses answers, with memory that is used again.
type zipper struct {
	out bytes.Buffer
	w   *gzip.Writer
}

var zippers = sync.Pool{New: func() any {
	z := new(zipper)
	z.w, _ = gzip.NewWriterLevel(&z.out, gzip.BestSpeed) // the level is valid
	return z
}}

// compress returns body compressed, until the next call.
func (z *zipper) compress(body []byte) []byte {
	z.out.Reset()
	z.w.Reset(&z.out)
	_, _ = z.w.Write(body) // into memory
	_ = z.w.Close()
	return z.out.Bytes()
}
