package checksum

import "encoding/binary"

// A Part is the checksum of one part of an object, and the part's length.
type Part struct {
	Sum  []byte
	Size int64
}

// CompositeOf returns the checksum of the concatenated checksums of parts.
func (a Algorithm) CompositeOf(parts []Part) []byte {
	h := a.New()
	for _, p := range parts {
		h.Write(p.Sum)
	}
	return h.Sum(nil)
}

// FullOf returns the checksum of the concatenated parts themselves. It panics
// unless a allows FullObject.
func (a Algorithm) FullOf(parts []Part) []byte {
	width := uint(a.Size() * 8)
	poly := a.polynomial()
	var crc uint64
	for _, p := range parts {
		crc = combine(poly, width, crc, beUint(p.Sum), p.Size)
	}
	out := make([]byte, 8)
	binary.BigEndian.PutUint64(out, crc)
	return out[8-width/8:]
}

func beUint(b []byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// The polynomials in reflected form, as in hash/crc32 and hash/crc64.
const (
	ieeePolynomial       = 0xedb88320
	castagnoliPolynomial = 0x82f63b78
	nvmePolynomial       = 0x9a6c9329ac4bc9b5
)

func (a Algorithm) polynomial() uint64 {
	switch a {
	case CRC32:
		return ieeePolynomial
	case CRC32C:
		return castagnoliPolynomial
	case CRC64NVME:
		return nvmePolynomial
	}
	panic("checksum: cannot combine " + string(a))
}

// combine returns the CRC of A·B from those of A and B and B's length. To
// append n zero bytes to A is to multiply its CRC by x^8n modulo the
// polynomial; the initial and final inversions cancel out.
func combine(poly uint64, width uint, a, b uint64, n int64) uint64 {
	shift := xToThe(poly, width, uint64(n)*8)
	return multiply(poly, width, shift, a) ^ b
}

// multiply returns a·b modulo poly. Reflected: the highest bit is x^0.
func multiply(poly uint64, width uint, a, b uint64) (product uint64) {
	for bit := uint64(1) << (width - 1); bit != 0 && a != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
			a ^= bit
		}
		carry := b & 1
		b >>= 1
		if carry != 0 {
			b ^= poly
		}
	}
	return product
}

// xToThe returns x^n modulo poly by repeated squaring.
func xToThe(poly uint64, width uint, n uint64) uint64 {
	result := uint64(1) << (width - 1)
	square := result >> 1
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			result = multiply(poly, width, square, result)
		}
		square = multiply(poly, width, square, square)
	}
	return result
}
