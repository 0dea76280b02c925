package expr

import (
	"cmp"
	"math/bits"
)

// The service keeps sets of names in hash tables and shows them in the order in
// which a walk of the table meets them. Messages that list names follow that
// order, which depends on the names and the size of the table alone.

// hashCode is the hash of a string over its UTF-16 units: s[0]*31^(n-1)+...
func hashCode(s string) uint32 {
	var h uint32
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			h = h*31 + 0xD800 + uint32(r>>10)
			r = 0xDC00 + r&0x3FF
		}
		h = h*31 + uint32(r)
	}
	return h
}

// slot is where a key with hash h lies in a table that has grown to hold n keys.
func slot(h uint32, n int) uint32 {
	return (h ^ h>>16) & (tableSize(n) - 1)
}

// tableSize is the number of slots for n keys: at least 16, a power of two, and
// three quarters of it hold them.
func tableSize(n int) uint32 {
	size := uint32(16)
	if n > 12 {
		size = 1 << bits.Len32(uint32((n*4+2)/3-1))
	}
	return size
}

// hashOrder compares strings by where they lie in a table of n strings.
func hashOrder(n int) func(a, b string) int {
	return func(a, b string) int {
		return cmp.Compare(slot(hashCode(a), n), slot(hashCode(b), n))
	}
}
