package wire

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"pressroom/blob/checksum"
	"pressroom/blob/fault"
	"pressroom/sigv4"
)

// chunkReader takes the aws-chunked framing off a body:
//
//	hex-size[;chunk-signature=…] CRLF data CRLF … 0[;chunk-signature=…] CRLF
//	[trailer:value CRLF …] CRLF
//
// See "Signature calculations for the Authorization header: transferring
// payload in multiple chunks" in the API Reference. A body that ends anywhere
// else is an IncompleteBody, never an end.
type chunkReader struct {
	r         *bufio.Reader
	chain     *sigv4.Chunks // nil if signatures are not checked
	signed    bool          // chunks carry signatures
	trailing  bool          // trailers may follow
	announced string        // the trailers that x-amz-trailer names
	trailers  http.Header
	authError func(error) error

	left   int64  // of the current chunk
	sig    string // of the current chunk
	number int    // of the current chunk, from 1
	size   int64  // of the current chunk
	begun  bool
	err    error
}

// maxLine bounds a chunk's header or a trailer. It is the whole buffer: data is
// read past it.
const maxLine = 4096

// minChunk is the least that a chunk other than the last may hold.
const minChunk = 8192

func newChunkReader(r io.Reader, chain *sigv4.Chunks, signed, trailing bool, announced string) *chunkReader {
	return &chunkReader{
		r: bufio.NewReaderSize(r, maxLine), chain: chain, signed: signed, trailing: trailing,
		announced: strings.ToLower(announced), trailers: make(http.Header),
	}
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.read(p)
	if err != nil {
		c.err = err
	}
	return n, err
}

func (c *chunkReader) read(p []byte) (int, error) {
	if c.left == 0 {
		if err := c.nextChunk(); err != nil {
			return 0, err
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if c.chain != nil {
		_, _ = c.chain.Write(p[:n]) // never fails
	}
	if errors.Is(err, io.EOF) && n == 0 {
		return 0, fault.IncompleteBody
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fault.IncompleteBody.Because(err)
	}
	if c.left == 0 {
		return n, c.endChunk()
	}
	return n, nil
}

// nextChunk reads a chunk's header; at the last one it reads to the end and
// returns io.EOF.
func (c *chunkReader) nextChunk() error {
	line, err := c.line()
	if err != nil {
		return err
	}
	text, ext, _ := strings.Cut(line, ";")
	size, err := strconv.ParseInt(text, 16, 64)
	if err != nil || size < 0 || strings.HasPrefix(text, "+") {
		return fault.IncompleteBody
	}
	if c.signed {
		sig, ok := strings.CutPrefix(strings.TrimSpace(ext), "chunk-signature=")
		if !ok || len(sig) != 64 {
			return fault.IncompleteBody
		}
		c.sig = sig
	}
	if size > 0 && c.begun && c.size < minChunk {
		return fault.InvalidChunkSize.With("Chunk", strconv.Itoa(c.number)).
			With("BadChunkSize", strconv.FormatInt(c.size, 10))
	}
	c.begun = true
	c.number++
	c.size, c.left = size, size
	if size > 0 {
		return nil
	}
	if err := c.verifyChunk(); err != nil {
		return err
	}
	return c.finish()
}

// endChunk reads the line end after a chunk's data and checks its signature.
func (c *chunkReader) endChunk() error {
	var crlf [2]byte
	if _, err := io.ReadFull(c.r, crlf[:]); err != nil || string(crlf[:]) != "\r\n" {
		return fault.IncompleteBody
	}
	return c.verifyChunk()
}

func (c *chunkReader) verifyChunk() error {
	if c.chain == nil {
		return nil
	}
	if err := c.chain.EndChunk(c.sig); err != nil {
		return c.authError(err)
	}
	return nil
}

// finish reads what follows the last chunk.
func (c *chunkReader) finish() error {
	if !c.trailing {
		if line, err := c.line(); err != nil || line != "" {
			return fault.IncompleteBody
		}
		return c.nothingLeft()
	}
	for {
		line, err := c.trailerLine()
		if err != nil {
			return err
		}
		if line == "" && !c.signatureFollows() {
			break
		}
		if line == "" {
			continue
		}
		if err := c.trailer(line); err != nil {
			return err
		}
	}
	if c.announced != "" && c.trailers.Get(c.announced) == "" {
		return fault.MalformedTrailer
	}
	if err := c.nothingLeft(); !errors.Is(err, io.EOF) {
		return err
	}
	return c.checkTrailers()
}

// signatureFollows reports whether an empty line ends the trailers and not the
// body: the API Reference puts one, "\n\r\n", ahead of the trailers' signature,
// and some clients do as it says.
func (c *chunkReader) signatureFollows() bool {
	if !c.signed || c.trailers.Get(trailerSignature) != "" {
		return false
	}
	next, _ := c.r.Peek(len(trailerSignature))
	return strings.EqualFold(string(next), trailerSignature)
}

// trailerLine reads up to a line feed, with or without a carriage return.
func (c *chunkReader) trailerLine() (string, error) {
	b, err := c.r.ReadSlice('\n')
	if err != nil {
		return "", fault.IncompleteBody
	}
	return strings.TrimSuffix(string(b[:len(b)-1]), "\r"), nil
}

// trailer keeps one trailing header.
func (c *chunkReader) trailer(line string) error {
	name, value, ok := strings.Cut(line, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if !ok || name == "" || len(c.trailers) > 10 {
		return fault.MalformedTrailer
	}
	if name != trailerSignature && name != c.announced {
		return fault.MalformedTrailer
	}
	c.trailers.Add(name, strings.TrimSpace(value))
	return nil
}

const trailerSignature = "x-amz-trailer-signature"

func (c *chunkReader) checkTrailers() error {
	if c.signed {
		sig := c.trailers.Get(trailerSignature)
		if sig == "" {
			return fault.MalformedTrailer
		}
		if c.chain != nil {
			if err := c.chain.Trailer(c.trailers, sig); err != nil {
				return c.authError(err)
			}
		}
	}
	if a, ok := checksum.FromHeader(c.announced); ok && !a.Valid(c.trailers.Get(c.announced)) {
		return fault.InvalidRequest.Say("Value for %s trailing header is invalid.", c.announced)
	}
	return io.EOF
}

func (c *chunkReader) nothingLeft() error {
	if _, err := c.r.ReadByte(); !errors.Is(err, io.EOF) {
		return fault.IncompleteBody
	}
	return io.EOF
}

// line reads up to CRLF, which must come within the buffer.
func (c *chunkReader) line() (string, error) {
	b, err := c.r.ReadSlice('\n')
	if err != nil || len(b) < 2 || b[len(b)-2] != '\r' {
		return "", fault.IncompleteBody
	}
	return string(b[:len(b)-2]), nil
}
