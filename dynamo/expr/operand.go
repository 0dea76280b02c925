package expr

import (
	"bytes"

	"pressroom/dynamo/attr"
)

// operandKind says what an operand is.
type operandKind uint8

const (
	opPath operandKind = iota + 1
	opValue
	opSize        // size(path); without a path, value is the size
	opIfNotExists // if_not_exists(path, args[0])
	opListAppend  // list_append(args[0], args[1])
	opPlus        // args[0] + args[1]
	opMinus       // args[0] - args[1]
)

// Operand is a value in a condition or an update: a path, a literal or a
// function of operands.
type Operand struct {
	kind  operandKind
	path  Path
	value attr.Value
	args  []Operand
}

// read is the operand's value in a condition, nil if there is none: the path
// leads nowhere, or to something without a size.
func (o *Operand) read(item attr.Item) attr.Value {
	switch o.kind {
	case opPath:
		return o.path.in(item)
	case opValue:
		return o.value
	case opSize:
		if o.path == nil {
			return o.value
		}
		return sizeOf(o.path.in(item))
	}
	return nil
}

// smallSizes are numbers that conditions on sizes compare most.
var smallSizes = func() (list [256]attr.Value) {
	for i := range list {
		list[i] = attr.NewInt(int64(i))
	}
	return list
}()

// sizeOf is size(v): a string's length in UTF-16 units, a binary's in bytes, the
// number of elements of the others; nil for what has no size.
func sizeOf(v attr.Value) attr.Value {
	n := 0
	switch v.Kind() {
	case attr.String:
		n = lengthUTF16(v.Bytes())
	case attr.Binary:
		n = len(v.Bytes())
	case attr.NumberSet, attr.StringSet, attr.BinarySet, attr.List, attr.Map:
		n = v.Len()
	default:
		return nil
	}
	if n < len(smallSizes) {
		return smallSizes[n]
	}
	return attr.NewInt(int64(n))
}

// lengthUTF16 counts the UTF-16 units of UTF-8 text: one per character, two for
// those of four bytes.
func lengthUTF16(text []byte) int {
	n := 0
	for _, c := range text {
		if c&0xC0 != 0x80 {
			n++
		}
		if c >= 0xF0 {
			n++
		}
	}
	return n
}

// equal tells whether both are there and the same. Stored values are equal if
// their bytes are.
func equal(a, b attr.Value) bool { return len(a) > 0 && bytes.Equal(a, b) }

// compare is the truth of a op b. Nothing is less or greater than what is not
// there or of another type.
func compare(op Comparison, a, b attr.Value) bool {
	switch op {
	case Equal:
		return equal(a, b)
	case NotEqual:
		return !equal(a, b)
	}
	c, ok := attr.Compare(a, b)
	if !ok {
		return false
	}
	switch op {
	case Less:
		return c < 0
	case LessEqual:
		return c <= 0
	case Greater:
		return c > 0
	}
	return c >= 0
}

// beginsWith is begins_with(a, prefix), for two strings or two binaries.
func beginsWith(a, prefix attr.Value) bool {
	k := a.Kind()
	return (k == attr.String || k == attr.Binary) && prefix.Kind() == k && bytes.HasPrefix(a.Payload(), prefix.Payload())
}

// contains is contains(a, b): a part of a string or binary, a member of a set, an
// element of a list.
func contains(a, b attr.Value) bool {
	switch k := a.Kind(); {
	case k == attr.String || k == attr.Binary:
		return b.Kind() == k && bytes.Contains(a.Payload(), b.Payload())
	case k.IsSet():
		return attr.Contains(a, b)
	case k == attr.List:
		for e := range a.Elements() {
			if equal(e, b) {
				return true
			}
		}
	}
	return false
}
