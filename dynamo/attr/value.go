package attr

import (
	"bytes"
	"encoding/binary"
	"iter"
	"unsafe"
)

// Value is one attribute value: a kind byte, then the payload.
//
//	Null    nothing
//	Bool    one byte, 0 or 1
//	Number  see number.go
//	String  UTF-8
//	Binary  bytes
//	sets    per member: length (uvarint), the member's payload; sorted, no duplicates
//	List    per element: length (uvarint), the element as a Value
//	Map     an Item
//
// A Value is never changed once made. It may share memory with what it was taken from.
// The nil Value is no value at all; its Kind is 0.
type Value []byte

// Kind tells the type; 0 if the value is absent or damaged.
func (v Value) Kind() Kind {
	if len(v) == 0 || v[0] > byte(Map) {
		return 0
	}
	return Kind(v[0])
}

// Payload is what follows the kind byte.
func (v Value) Payload() []byte {
	if len(v) == 0 {
		return nil
	}
	return v[1:]
}

// Bool is the truth of a Bool, false for any other kind.
func (v Value) Bool() bool { return len(v) == 2 && v[0] == byte(Bool) && v[1] == 1 }

// Text is a String's text as a view of the value's memory, "" for any other kind.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return view(v[1:])
}

// Bytes is a Binary's or String's payload, a view of the value's memory; nil for any other
// kind.
func (v Value) Bytes() []byte {
	if k := v.Kind(); k != Binary && k != String {
		return nil
	}
	return v[1:len(v):len(v)]
}

// Item is a Map's content, nil for any other kind.
func (v Value) Item() Item {
	if v.Kind() != Map {
		return nil
	}
	return Item(v[1:])
}

// Elements yields a List's elements, or a set's members as values of the members' kind. A
// member of a set is re-headed in memory of its own, valid beyond the loop.
func (v Value) Elements() iter.Seq[Value] {
	kind := v.Kind()
	return func(yield func(Value) bool) {
		if kind != List && !kind.IsSet() {
			return
		}
		for rest := v[1:]; len(rest) > 0; {
			part, next, ok := cut(rest)
			if !ok || !yield(member(kind, part)) {
				return
			}
			rest = next
		}
	}
}

// member is one element of a collection of the given kind.
func member(kind Kind, part []byte) Value {
	if kind == List {
		return Value(part)
	}
	return head(kind.Member(), part)
}

// Len is the number of elements of a List, members of a set, attributes of a Map; 0 for
// any other kind.
func (v Value) Len() int {
	kind := v.Kind()
	if kind == Map {
		return v.Item().Len()
	}
	if kind != List && !kind.IsSet() {
		return 0
	}
	n := 0
	for rest := []byte(v[1:]); len(rest) > 0; n++ {
		var ok bool
		if _, rest, ok = cut(rest); !ok {
			break
		}
	}
	return n
}

// Index is the i-th element of a List, or member of a set; false if there is none.
func (v Value) Index(i int) (Value, bool) {
	kind := v.Kind()
	if i < 0 || (kind != List && !kind.IsSet()) {
		return nil, false
	}
	for rest := []byte(v[1:]); len(rest) > 0; i-- {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		if i == 0 {
			return member(kind, part), true
		}
		rest = next
	}
	return nil, false
}

// Clone is a copy in memory of its own.
func (v Value) Clone() Value { return bytes.Clone(v) }

// Equal tells whether a and b are the same value of the same kind; sets compare as sets,
// numbers by value.
func Equal(a, b Value) bool { return bytes.Equal(a, b) }

// Compare orders two numbers, two strings or two binaries: -1, 0 or 1. It is false for
// anything else, which has no order in DynamoDB.
func Compare(a, b Value) (int, bool) {
	kind := a.Kind()
	if kind != b.Kind() || kind < Number || kind > Binary {
		return 0, false
	}
	return bytes.Compare(a[1:], b[1:]), true
}

// NewNull is the value NULL.
func NewNull() Value { return Value{byte(Null)} }

// NewBool is a boolean.
func NewBool(b bool) Value {
	if b {
		return Value{byte(Bool), 1}
	}
	return Value{byte(Bool), 0}
}

// NewString is a string; s must be valid UTF-8.
func NewString(s string) Value {
	v := make(Value, 1+len(s))
	v[0] = byte(String)
	copy(v[1:], s)
	return v
}

// NewBinary is a binary; b is copied.
func NewBinary(b []byte) Value { return head(Binary, b) }

// NewList is a list of copies of the elements.
func NewList(elements ...Value) Value {
	size := 1
	for _, e := range elements {
		size += prefixLen(len(e)) + len(e)
	}
	v := append(make(Value, 0, size), byte(List))
	for _, e := range elements {
		v = appendPart(v, e)
	}
	return v
}

// NewMap is a map with a copy of the item as its content.
func NewMap(it Item) Value { return head(Map, it) }

// head is a value of kind k with a copy of payload.
func head(k Kind, payload []byte) Value {
	v := make(Value, 1+len(payload))
	v[0] = byte(k)
	copy(v[1:], payload)
	return v
}

// view is a string that shares b's memory.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// appendPart appends a length and the part itself.
func appendPart[S ~[]byte, P ~[]byte | ~string](dst S, part P) S {
	dst = binary.AppendUvarint(dst, uint64(len(part)))
	return append(dst, part...)
}

// prefixLen is how many bytes the length n takes.
func prefixLen(n int) int {
	size := 1
	for n >= 0x80 {
		n >>= 7
		size++
	}
	return size
}

// cut splits the first part from b, which is not empty. It is false when b is damaged.
func cut(b []byte) (part, rest []byte, ok bool) {
	if end := int(b[0]) + 1; end <= 0x80 && end <= len(b) {
		return b[1:end:end], b[end:], true
	}
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	end := size + int(n)
	return b[size:end:end], b[end:], true
}
