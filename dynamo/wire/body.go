package wire

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"

	"pressroom/caller"
)

// maxBody is the largest request that DynamoDB reads, compressed or not.
const maxBody = 16 << 20

// decoded undoes the content encoding of a body. What it is unpacked into is
// measured first, so that memory is taken once, and none for what is too much.
func decoded(r *http.Request, sent *caller.Body) ([]byte, error) {
	if r.Header["Content-Encoding"] == nil {
		return sent.Bytes, nil
	}
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
	case "", "identity":
		return sent.Bytes, nil
	default:
		return nil, notJSON
	}
	// One at a time: who packs well costs us much for little of his own.
	unpacking.Lock()
	defer unpacking.Unlock()
	size, err := unzip(io.Discard, sent.Bytes)
	if err != nil || size > maxBody {
		return nil, notJSON
	}
	if err := sent.Charge(size); err != nil {
		return nil, busy
	}
	body := bytes.NewBuffer(make([]byte, 0, size))
	if _, err := unzip(body, sent.Bytes); err != nil {
		return nil, notJSON
	}
	return body.Bytes(), nil
}

var unpacking sync.Mutex

// unzip writes what is packed, up to one byte more than is allowed, and returns
// how much that is.
func unzip(to io.Writer, packed []byte) (int64, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return 0, err
	}
	return io.Copy(to, io.LimitReader(z, maxBody+1))
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
