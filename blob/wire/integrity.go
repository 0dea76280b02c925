package wire

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"

	"pressroom/blob/checksum"
	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// claims is what a request says of its body's digests.
type claims struct {
	md5       []byte             // Content-MD5; nil if absent
	algorithm checksum.Algorithm // of the checksum in a header or trailer; "" if none
	value     string             // "" if it comes in the trailer
	trailing  bool
}

// readClaims reads the digests that headers announce.
func (r *request) readClaims() (claims, error) {
	var c claims
	var err error
	if c.md5, err = r.contentMD5(); err != nil {
		return c, err
	}
	if err := c.fromHeaders(r.Header); err != nil {
		return c, err
	}
	if err := c.fromTrailer(r.header("X-Amz-Trailer")); err != nil {
		return c, err
	}
	return c, c.agree(r.header("X-Amz-Sdk-Checksum-Algorithm"))
}

func (r *request) contentMD5() ([]byte, error) {
	v, ok := r.Header["Content-Md5"]
	if !ok {
		return nil, nil
	}
	b, err := base64.StdEncoding.DecodeString(v[0])
	if err != nil || len(b) != md5.Size {
		return nil, fault.InvalidDigest.With("Content-MD5", v[0])
	}
	return b, nil
}

// notSums are headers that begin as checksums do.
var notSums = map[string]bool{"X-Amz-Checksum-Algorithm": true, "X-Amz-Checksum-Type": true, "X-Amz-Checksum-Mode": true}

func (c *claims) fromHeaders(h http.Header) error {
	var bad string
	for name, values := range h {
		if !strings.HasPrefix(name, "X-Amz-Checksum-") || notSums[name] {
			continue
		}
		a, ok := checksum.FromHeader(name)
		if !ok {
			return fault.ChecksumHeader
		}
		if c.algorithm != "" {
			return fault.MultipleChecksums
		}
		c.algorithm, c.value = a, values[0]
		if !a.Valid(c.value) {
			bad = a.Header()
		}
	}
	if bad != "" {
		return fault.InvalidRequest.Say("Value for %s header is invalid.", bad)
	}
	return nil
}

func (c *claims) fromTrailer(name string) error {
	if name == "" {
		return nil
	}
	a, ok := checksum.FromHeader(name)
	if !ok {
		return fault.TrailerNotSupported
	}
	if c.algorithm != "" {
		return fault.MultipleChecksums
	}
	c.algorithm, c.trailing = a, true
	return nil
}

// agree compares with the algorithm that the SDK says it used.
func (c *claims) agree(named string) error {
	if named == "" {
		return nil
	}
	a, ok := checksum.Parse(named)
	if !ok {
		return fault.ChecksumAlgorithm
	}
	switch c.algorithm {
	case a:
		return nil
	case "":
		if c.md5 != nil && a == checksum.MD5 {
			return nil
		}
		return fault.ChecksumMissing
	}
	return fault.InvalidRequest.Say("Value for x-amz-sdk-checksum-algorithm header is invalid.")
}

// check compares the claims with what was received. p is nil if there was no
// body of the client's own.
func (c *claims) check(st *disk.Staged, p *payload) error {
	if c.md5 != nil && !bytes.Equal(c.md5, st.MD5[:]) {
		return badMD5(c.md5, st.MD5)
	}
	if c.algorithm == "" {
		return nil
	}
	want := c.value
	if c.trailing {
		want = p.trailer(c.algorithm.Header())
	}
	if got := encodeSum(st, c.algorithm); got != want {
		return badSum(c.algorithm)
	}
	return nil
}

// badMD5 writes the one digest in hex and the other in base64, as S3 does.
func badMD5(want []byte, got [md5.Size]byte) error {
	return fault.BadDigest.With("ExpectedDigest", hex.EncodeToString(want)).
		With("CalculatedDigest", base64.StdEncoding.EncodeToString(got[:]))
}

func badSum(a checksum.Algorithm) error {
	return fault.BadDigest.Say("The %s you specified did not match the calculated checksum.", a)
}

func encodeSum(st *disk.Staged, a checksum.Algorithm) string {
	return base64.StdEncoding.EncodeToString(st.Sums[a])
}

// checkConfigDigest checks the digests of a body that was read whole.
func (r *request) checkConfigDigest(b []byte) error {
	c, err := r.readClaims()
	if err != nil {
		return err
	}
	if sum := md5.Sum(b); c.md5 != nil && !bytes.Equal(c.md5, sum[:]) {
		return badMD5(c.md5, sum)
	}
	if c.algorithm == "" {
		return nil
	}
	want := c.value
	if c.trailing {
		want = r.payload.trailer(c.algorithm.Header())
	}
	h := c.algorithm.New()
	h.Write(b)
	if base64.StdEncoding.EncodeToString(h.Sum(nil)) != want {
		return badSum(c.algorithm)
	}
	return nil
}

// stage reads the body of a put. It answers the checksum that the object is to
// keep: the client's, or, as S3 does, a CRC64NVME of our own.
func (r *request) stage(o disk.StageOptions, also checksum.Algorithm) (*disk.Staged, claims, error) {
	c, err := r.readClaims()
	if err != nil {
		return nil, c, err
	}
	p, err := r.openPayload()
	if err != nil {
		return nil, c, err
	}
	if p.size < 0 { // S3 takes no bodies of unknown length, so programs must not get used to it here
		return nil, c, fault.MissingContentLength
	}
	o.Size = p.size
	if c.algorithm != "" {
		o.Sums = append(o.Sums, c.algorithm)
	}
	if also != "" && also != c.algorithm {
		o.Sums = append(o.Sums, also)
	}
	st, err := r.h.store.Stage(r.Context(), p, o)
	if err != nil {
		return nil, c, err
	}
	if err := c.check(st, p); err != nil {
		st.Discard()
		return nil, c, err
	}
	return st, c, nil
}
