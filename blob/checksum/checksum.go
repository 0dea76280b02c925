// Package checksum knows the checksum algorithms of S3, and how the checksum
// of a multipart object follows from those of its parts: composite (a checksum
// of checksums) or of the full object (CRCs combined without reading the data
// again). See "Checking object integrity" in the Amazon S3 User Guide.
//
// Start reading at [Algorithm]; combine.go has the arithmetic.
package checksum

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

// An Algorithm is one of S3's, by the name that S3 uses; "" is none.
type Algorithm string

// The algorithms, in the order in which S3's documentation lists them.
const (
	CRC32     Algorithm = "CRC32"
	CRC32C    Algorithm = "CRC32C"
	CRC64NVME Algorithm = "CRC64NVME"
	SHA1      Algorithm = "SHA1"
	SHA256    Algorithm = "SHA256"
	SHA512    Algorithm = "SHA512"
	MD5       Algorithm = "MD5"
	XXHash64  Algorithm = "XXHASH64"
	XXHash3   Algorithm = "XXHASH3"
	XXHash128 Algorithm = "XXHASH128"
)

// All lists every algorithm.
var All = []Algorithm{CRC32, CRC32C, CRC64NVME, SHA1, SHA256, SHA512, MD5, XXHash64, XXHash3, XXHash128}

// Type says what the checksum of a multipart object covers.
type Type string

// The two types. An object put whole always has FullObject.
const (
	FullObject Type = "FULL_OBJECT"
	Composite  Type = "COMPOSITE"
)

// Parse returns the algorithm of that name, in any case, and false if there
// is none.
func Parse(name string) (Algorithm, bool) {
	for _, a := range All {
		if strings.EqualFold(name, string(a)) {
			return a, true
		}
	}
	return "", false
}

// FromHeader returns the algorithm whose header this is, in any case.
func FromHeader(header string) (Algorithm, bool) {
	name, ok := strings.CutPrefix(strings.ToLower(header), headerPrefix)
	if !ok {
		return "", false
	}
	return Parse(name)
}

const headerPrefix = "x-amz-checksum-"

// Header returns the header that carries this checksum, in lower case.
func (a Algorithm) Header() string { return headerPrefix + strings.ToLower(string(a)) }

// Element returns the XML element that carries this checksum.
func (a Algorithm) Element() string { return "Checksum" + string(a) }

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	nvme       = crc64.MakeTable(nvmePolynomial)
)

// New returns a hash that computes the checksum, most significant byte first.
// It panics on an algorithm that is not in All.
func (a Algorithm) New() hash.Hash {
	switch a {
	case CRC32:
		return crc32.NewIEEE()
	case CRC32C:
		return crc32.New(castagnoli)
	case CRC64NVME:
		return crc64.New(nvme)
	case SHA1:
		return sha1.New()
	case SHA256:
		return sha256.New()
	case SHA512:
		return sha512.New()
	case MD5:
		return md5.New()
	case XXHash64:
		return xxhash.New()
	case XXHash3:
		return xxh3.New()
	case XXHash128:
		return xxh3.New128()
	}
	panic("checksum: no such algorithm: " + string(a))
}

// Size returns the length of the checksum in bytes.
func (a Algorithm) Size() int { return a.New().Size() }

// Allows reports whether a multipart object may have a checksum of type t.
func (a Algorithm) Allows(t Type) bool {
	switch a {
	case CRC32, CRC32C:
		return t == FullObject || t == Composite
	case CRC64NVME:
		return t == FullObject
	}
	return t == Composite
}

// DefaultType returns the type that a multipart upload gets which names the
// algorithm alone.
func (a Algorithm) DefaultType() Type {
	if a == CRC64NVME {
		return FullObject
	}
	return Composite
}

// Valid reports whether value is base64 of as many bytes as the checksum has.
func (a Algorithm) Valid(value string) bool {
	b, err := base64.StdEncoding.DecodeString(value)
	return err == nil && len(b) == a.Size()
}
