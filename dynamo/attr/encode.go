package attr

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
)

// What is taken in is encoded front to back into one buffer. A length that is not known
// beforehand gets one byte, and patch makes room when it needs more. Attributes and set
// members are written in the order in which they come, and put in order at the end if that
// was not theirs already.

// reserve appends the room for a length and returns where it is.
func reserve(dst []byte) ([]byte, int) { return append(dst, 0), len(dst) }

// patch writes, at the place that reserve gave, the length of all that follows it.
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

// slot is the place of an attribute, or of a set's member, in a buffer.
type slot struct {
	prefix     uint64 // the first eight bytes of what is compared
	start, end int    // the whole of it, lengths included
	from, to   int    // what is compared: the name, or the member's payload
}

// sorter has the memory for putting slots in order.
type sorter struct {
	slots []slot
	old   []byte
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// reset copies what is to be sorted.
func (s *sorter) reset(b []byte) {
	s.old = append(s.old[:0], b...)
	s.slots = s.slots[:0]
}

// free gives the memory back, unless it is so much that it should not be kept.
func (s *sorter) free() {
	if cap(s.old) <= 1<<20 {
		sorters.Put(s)
	}
}

func (s *sorter) add(start, from, to, end int) {
	s.slots = append(s.slots, slot{prefixOf(s.old[from:to]), start, end, from, to})
}

// prefixOf makes a number of the first eight bytes that compares as they do.
func prefixOf(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var p uint64
	for i, c := range b {
		p |= uint64(c) << (56 - 8*i)
	}
	return p
}

func (s *sorter) compare(a, b slot) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return bytes.Compare(s.old[a.from:a.to], s.old[b.from:b.to])
}

// sort orders the slots; equal ones stay in the order they came.
func (s *sorter) sort() {
	slices.SortFunc(s.slots, func(a, b slot) int {
		if c := s.compare(a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.start, b.start)
	})
}

// twins tells whether a slot and the next, in sorted order, hold the same.
func (s *sorter) twins(i int) bool {
	return i+1 < len(s.slots) && s.compare(s.slots[i], s.slots[i+1]) == 0
}

// sortItem puts the attributes from start to the end of dst in the order of their names. Of
// several with one name the last stays.
func sortItem(dst []byte, start int) []byte {
	s := sorters.Get().(*sorter)
	defer s.free()
	s.reset(dst[start:])
	for rest := Item(s.old); len(rest) > 0; {
		name, _, next, ok := rest.cutEntry()
		if !ok {
			return dst
		}
		at := len(s.old) - len(rest)
		from := at + prefixLen(len(name))
		s.add(at, from, from+len(name), len(s.old)-len(next))
		rest = next
	}
	s.sort()
	dst = dst[:start]
	for i, e := range s.slots {
		if !s.twins(i) {
			dst = append(dst, s.old[e.start:e.end]...)
		}
	}
	return dst
}

// finishSet puts the members from start to the end of dst in order, and refuses what
// DynamoDB refuses in a set of kind k.
func finishSet(dst []byte, start int, k Kind) ([]byte, error) {
	if len(dst) == start {
		return dst, emptySet(k)
	}
	if ascending(dst[start:]) {
		return dst, nil
	}
	s := sorters.Get().(*sorter)
	defer s.free()
	s.reset(dst[start:])
	for rest := s.old; len(rest) > 0; {
		part, next, ok := cut(rest)
		if !ok {
			return dst, nil
		}
		end := len(s.old) - len(next)
		s.add(len(s.old)-len(rest), end-len(part), end, end)
		rest = next
	}
	s.sort()
	dst = dst[:start]
	for i, e := range s.slots {
		if s.twins(i) {
			return dst, duplicates(k, s.old)
		}
		dst = append(dst, s.old[e.start:e.end]...)
	}
	return dst, nil
}

// ascending tells whether parts are in order and no two the same.
func ascending(rest []byte) bool {
	last, rest, ok := cut(rest)
	for ok && len(rest) > 0 {
		var part []byte
		if part, rest, ok = cut(rest); ok && bytes.Compare(last, part) >= 0 {
			return false
		}
		last = part
	}
	return true
}
