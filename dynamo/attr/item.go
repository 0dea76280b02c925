package attr

import (
	"bytes"
	"iter"
)

// Item is a set of named values: per attribute the name's length (uvarint), the name, the
// value's length (uvarint), the value; sorted by the names' bytes, no name twice. The
// empty Item has no attributes. An Item is never changed once made.
type Item []byte

// cutEntry splits the first attribute from the item, which is not empty. It is false when
// the item is damaged.
func (it Item) cutEntry() (name []byte, v Value, rest Item, ok bool) {
	// Most lengths take one byte.
	if at := int(it[0]) + 1; at <= 0x80 && at < len(it) {
		if end := at + 1 + int(it[at]); it[at] < 0x80 && end <= len(it) {
			return it[1:at:at], Value(it[at+1 : end : end]), it[end:], true
		}
	}
	name, b, ok := cut(it)
	if !ok || len(b) == 0 {
		return nil, nil, nil, false
	}
	part, b, ok := cut(b)
	return name, part, b, ok
}

// Get is the attribute of that name; false if there is none.
func (it Item) Get(name string) (Value, bool) {
	for len(it) > 0 {
		n, v, rest, ok := it.cutEntry()
		if !ok {
			break
		}
		switch {
		case string(n) == name:
			return v, true
		case string(n) > name:
			return nil, false
		}
		it = rest
	}
	return nil, false
}

// All yields the attributes in the order of their names. Names and values are views of the
// item's memory.
func (it Item) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for rest := it; len(rest) > 0; {
			name, v, next, ok := rest.cutEntry()
			if !ok || !yield(view(name), v) {
				return
			}
			rest = next
		}
	}
}

// Len is the number of attributes.
func (it Item) Len() int {
	n := 0
	for len(it) > 0 {
		var ok bool
		if _, _, it, ok = it.cutEntry(); !ok {
			break
		}
		n++
	}
	return n
}

// Clone is a copy in memory of its own.
func (it Item) Clone() Item { return bytes.Clone(it) }

// appendEntry appends one attribute.
func (it Item) appendEntry(name string, v Value) Item {
	it = appendPart(it, name)
	return appendPart(it, v)
}
