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

// slot is the place of an attribute, or of a set's member, in a buffer. It is ordered by
// the part it starts with: the name, or the member.
type slot struct {
	prefix     uint64 // the part's first eight bytes
	start, end uint32 // the whole of it, lengths included
}

// sorter has the memory for putting slots in order.
type sorter struct {
	slots []slot
	old   []byte
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// newSorter starts with a copy of what is to be sorted.
func newSorter(b []byte) *sorter {
	s := sorters.Get().(*sorter)
	s.old, s.slots = append(s.old[:0], b...), s.slots[:0]
	return s
}

// free gives the memory back, unless it is so much that it should not be kept.
func (s *sorter) free() {
	if cap(s.old) <= maxKept {
		sorters.Put(s)
	}
}

// maxKept is the largest buffer that is kept for later use.
const maxKept = 1 << 20

// add enters the slot from start to end, and keeps the slots in order as long as they are
// few.
func (s *sorter) add(part []byte, start, end int) {
	e := slot{prefixOf(part), uint32(start), uint32(end)}
	s.slots = append(s.slots, e)
	if len(s.slots) > insertMax {
		return
	}
	i := len(s.slots) - 1
	for i > 0 && s.compare(e, s.slots[i-1]) < 0 {
		s.slots[i] = s.slots[i-1]
		i--
	}
	s.slots[i] = e
}

// insertMax is up to how many slots are sorted by insertion.
const insertMax = 24

// sort orders the slots; those of equal parts stay in the order they came.
func (s *sorter) sort() {
	if len(s.slots) <= insertMax {
		return
	}
	slices.SortFunc(s.slots, func(a, b slot) int {
		if c := s.compare(a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.start, b.start)
	})
}

func (s *sorter) compare(a, b slot) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	x, _, _ := cut(s.old[a.start:])
	y, _, _ := cut(s.old[b.start:])
	return bytes.Compare(x, y)
}

// twin tells whether the i-th slot and the next, in order, have the same part.
func (s *sorter) twin(i int) bool {
	return i+1 < len(s.slots) && s.compare(s.slots[i], s.slots[i+1]) == 0
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

// sortItem puts the attributes from start to the end of dst in the order of their names. Of
// several with one name the last stays.
func sortItem(dst []byte, start int) []byte {
	s := newSorter(dst[start:])
	defer s.free()
	for rest := Item(s.old); len(rest) > 0; {
		name, _, next, ok := rest.cutEntry()
		if !ok {
			return dst
		}
		s.add(name, len(s.old)-len(rest), len(s.old)-len(next))
		rest = next
	}
	s.sort()
	dst = dst[:start]
	for i, e := range s.slots {
		if !s.twin(i) {
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
	s := newSorter(dst[start:])
	defer s.free()
	for rest := s.old; len(rest) > 0; {
		part, next, ok := cut(rest)
		if !ok {
			return dst, nil
		}
		s.add(part, len(s.old)-len(rest), len(s.old)-len(next))
		rest = next
	}
	s.sort()
	dst = dst[:start]
	for i, e := range s.slots {
		if s.twin(i) {
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
