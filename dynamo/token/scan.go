package token

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: a word's byte is marked by its highest bit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks the bytes of w that end the plain part of a string literal: the quote, the
// backslash and control characters. Bytes above a marked one may be marked wrongly, so only
// the lowest mark counts.
func special(w uint64) uint64 {
	quote := w ^ '"'*ones
	slash := w ^ '\\'*ones
	return ((w - 0x20*ones) | (quote - ones) | (slash - ones)) &^ w & highs
}

// plainLen is the length of the part of b before the first quote, backslash or control
// character, and tells whether it may hold bytes beyond ASCII.
func plainLen(b []byte) (n int, wide bool) {
	var seen uint64
	for n+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[n:])
		seen |= w
		if m := special(w); m != 0 {
			return n + bits.TrailingZeros64(m)/8, seen&highs != 0
		}
		n += 8
	}
	for ; n < len(b); n++ {
		c := b[n]
		if c < 0x20 || c == '"' || c == '\\' {
			break
		}
		seen |= uint64(c)
	}
	return n, seen&highs != 0
}
