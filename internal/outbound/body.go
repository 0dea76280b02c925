package outbound

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// What ends the reading of a body; test with errors.Is.
var (
	// ErrTooLarge is a body of more bytes than are allowed.
	ErrTooLarge = errors.New("the answer is too large")
	// ErrBomb is a body that grows suspiciously when it is decompressed.
	ErrBomb = errors.New("the answer is a decompression bomb")
)

// ratioFrom is the size below which growth is not looked at: small bodies may
// well be of one letter.
const ratioFrom = 1 << 20

// bound puts the limits around an answer's body, and decompresses it.
func (c *Client) bound(resp *http.Response) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	counted := &counter{next: resp.Body, max: c.opt.MaxBody}
	b := &body{wire: counted, close: resp.Body, max: c.opt.MaxBody, ratio: c.opt.MaxRatio, from: counted}
	switch strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))) {
	case "gzip", "x-gzip":
		b.zipped = true
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength = -1
		resp.Uncompressed = true
	case "", "identity":
	default:
		b.err = fmt.Errorf("the answer is encoded as %s, which nobody asked for", resp.Header.Get("Content-Encoding"))
	}
	if resp.ContentLength > c.opt.MaxBody {
		b.err = fmt.Errorf("%w: it has %d bytes, more than %d", ErrTooLarge, resp.ContentLength, c.opt.MaxBody)
	}
	resp.Body = b
}

// counter counts what comes over the wire.
type counter struct {
	next io.Reader
	n    int64
	max  int64
}

func (c *counter) Read(p []byte) (int, error) {
	if c.n > c.max {
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, c.max)
	}
	n, err := c.next.Read(p)
	c.n += int64(n)
	return n, err
}

// body is an answer's body within its bounds.
type body struct {
	wire   *counter
	from   io.Reader // the wire, or what unzips it
	close  io.Closer
	zipped bool // and not opened yet
	n      int64
	max    int64
	ratio  int64
	err    error
}

func (b *body) Read(p []byte) (int, error) {
	if b.zipped && b.err == nil {
		b.open()
	}
	if b.err != nil {
		return 0, b.err
	}
	// One byte more than allowed tells a body that fits from one that does not.
	if left := b.max - b.n + 1; int64(len(p)) > left {
		p = p[:left]
	}
	n, err := b.from.Read(p)
	b.n += int64(n)
	switch {
	case b.n > b.max:
		b.err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, b.max)
		return 0, b.err
	case b.n > ratioFrom && b.n > b.ratio*b.wire.n:
		b.err = fmt.Errorf("%w: %d bytes out of %d", ErrBomb, b.n, b.wire.n)
		return 0, b.err
	}
	b.err = err
	return n, err
}

// open begins to unzip. An empty body is empty, whatever its header says.
func (b *body) open() {
	b.zipped = false
	buffered := bufio.NewReader(b.wire)
	if _, err := buffered.Peek(1); err != nil {
		b.err = err
		return
	}
	unzip, err := gzip.NewReader(buffered)
	if err != nil {
		b.err = fmt.Errorf("unzip the answer: %w", err)
		return
	}
	b.from = unzip
}

func (b *body) Close() error { return b.close.Close() }
