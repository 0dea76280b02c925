package attr

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// What is taken in is encoded front to back into one buffer. A length that is not known
// beforehand gets one byte, and patch makes room for more when it needs more.

// reserve appends the room for a length and returns where it is.
func reserve(dst []byte) ([]byte, int) { return append(dst, 0), len(dst) }

// patch writes the length of all that follows the byte at.
func patch(dst []byte, at int) []byte {
	n := len(dst) - at - 1
	if n < 0x80 {
		dst[at] = byte(n)
		return dst
	}
	var prefix [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(prefix[:], uint64(n))
	dst = append(dst, prefix[:size-1]...)
	copy(dst[at+size:], dst[at+1:at+1+n])
	copy(dst[at:], prefix[:size])
	return dst
}

// entry is the place of one attribute in a buffer.
type entry struct{ start, name, value, end int }

// finishItem puts the attributes from start to the end of dst in order. Of several with
// one name the last stays.
func finishItem(dst []byte, start int) []byte {
	var room [32]entry
	entries, ordered := room[:0], true
	for at := start; at < len(dst); {
		name, _, rest, ok := Item(dst[at:]).cutEntry()
		if !ok {
			return dst
		}
		end := len(dst) - len(rest)
		from := at + prefixLen(len(name))
		e := entry{at, from, from + len(name), end}
		if n := len(entries); n > 0 && bytes.Compare(dst[entries[n-1].name:entries[n-1].value], name) >= 0 {
			ordered = false
		}
		entries = append(entries, e)
		at = end
	}
	if ordered {
		return dst
	}
	old := bytes.Clone(dst[start:])
	nameOf := func(e entry) []byte { return old[e.name-start : e.value-start] }
	slices.SortStableFunc(entries, func(a, b entry) int { return bytes.Compare(nameOf(a), nameOf(b)) })
	dst = dst[:start]
	for i, e := range entries {
		if i+1 < len(entries) && bytes.Equal(nameOf(e), nameOf(entries[i+1])) {
			continue
		}
		dst = append(dst, old[e.start-start:e.end-start]...)
	}
	return dst
}

// finishSet puts the members from start to the end of dst in order, and refuses what
// DynamoDB refuses in a set of kind k.
func finishSet(dst []byte, start int, k Kind) ([]byte, error) {
	parts := head(k, dst[start:]).parts()
	if err := checkSet(k, parts); err != nil {
		return dst, err
	}
	dst = dst[:start]
	for _, p := range parts {
		dst = appendPart(dst, p)
	}
	return dst, nil
}
