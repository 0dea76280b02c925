package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"pressroom/caller"
	"pressroom/dynamo/engine"
)

// maxBody is the largest request that DynamoDB reads, compressed or not.
const maxBody = 16 << 20

// The service says no more than the status of a body that it cannot unpack, or
// that is too large when it is.
var (
	packed   = &engine.Error{Type: engine.Internal, Message: "The body could not be decompressed."}
	tooLarge = &engine.Error{Type: tooLargeBody, Message: "The decompressed body is larger than 16 MB."}
)

// decoded undoes the content encoding of a body. What it is unpacked into is
// measured first, so that memory is taken once, and none for what is too much.
func decoded(r *http.Request, sent *caller.Body) ([]byte, error) {
	if r.Header["Content-Encoding"] == nil {
		return sent.Bytes, nil
	}
	open := unpackers[strings.ToLower(r.Header.Get("Content-Encoding"))]
	switch {
	case r.Header.Get("Content-Encoding") == "", r.Header.Get("Content-Encoding") == "identity":
		return sent.Bytes, nil
	case open == nil:
		return nil, packed
	}
	// One at a time: who packs well costs us much for little of his own.
	unpacking.Lock()
	defer unpacking.Unlock()
	size, err := unpack(io.Discard, open, sent.Bytes)
	switch {
	case err != nil:
		return nil, packed
	case size > maxBody:
		return nil, tooLarge
	}
	if err := sent.Charge(size); err != nil {
		return nil, busy
	}
	body := bytes.NewBuffer(make([]byte, 0, size))
	if _, err := unpack(body, open, sent.Bytes); err != nil {
		return nil, packed
	}
	return body.Bytes(), nil
}

var unpacking sync.Mutex

// unpackers undo the encodings of bodies.
var unpackers = map[string]func(io.Reader) (io.ReadCloser, error){
	"gzip":    func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
	"deflate": zlib.NewReader,
}

// unpack writes what is packed, up to one byte more than is allowed, and returns
// how much that is.
func unpack(to io.Writer, open func(io.Reader) (io.ReadCloser, error), packed []byte) (int64, error) {
	z, err := open(bytes.NewReader(packed))
	if err != nil {
		return 0, err
	}
	return io.Copy(to, io.LimitReader(z, maxBody+1))
}

// minPacked is the size from which the service compresses an answer.
const minPacked = 4096

// answerCoding is how to compress an answer; "" for not at all. Of several
// headers the first counts. The coding of the highest quality wins, of equal ones
// the first, and gzip where a star stands for any.
func answerCoding(r *http.Request, body []byte) string {
	v := r.Header["Accept-Encoding"]
	if len(v) == 0 || len(body) < minPacked {
		return ""
	}
	best, most, rest, star := "", 0.0, 0.0, false
	named := map[string]bool{}
	for coding := range strings.SplitSeq(v[0], ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		q := quality(parameters)
		switch name {
		case "*":
			rest, star = q, true
		case "gzip", "deflate":
			named[name] = true
			if q > most {
				best, most = name, q
			}
		}
	}
	for _, name := range []string{"gzip", "deflate"} {
		if star && !named[name] && rest > most {
			best, most = name, rest
		}
	}
	return best
}

// quality is the number after q=, as leniently as the service reads it: what is
// no number is 1, and so is what is more.
func quality(parameters string) float64 {
	_, text, found := strings.Cut(parameters, "q=")
	if !found {
		return 1
	}
	text, _, _ = strings.Cut(text, ";")
	q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return 1
	}
	return min(max(q, 0), 1)
}

// packer compresses answers, with memory that is used again.
type packer struct {
	out bytes.Buffer
	w   interface {
		io.WriteCloser
		Reset(io.Writer)
	}
}

// packers are by coding. Their levels are valid.
var packers = map[string]*sync.Pool{
	"gzip": {New: func() any {
		p := new(packer)
		p.w, _ = gzip.NewWriterLevel(&p.out, gzip.BestSpeed)
		return p
	}},
	"deflate": {New: func() any {
		p := new(packer)
		p.w, _ = zlib.NewWriterLevel(&p.out, zlib.BestSpeed)
		return p
	}},
}

// compress returns body compressed, until the next call.
func (p *packer) compress(body []byte) []byte {
	p.out.Reset()
	p.w.Reset(&p.out)
	_, _ = p.w.Write(body) // into memory
	_ = p.w.Close()
	return p.out.Bytes()
}
