package attr

import (
	"bytes"
	"slices"
	"strings"
)

// NewSet is the set of the given kind with the given members, all of the member's kind. An
// empty set and duplicates are refused with DynamoDB's messages.
func NewSet(k Kind, members []Value) (Value, error) {
	parts := make([][]byte, len(members))
	for i, m := range members {
		if m.Kind() != k.Member() {
			return nil, invalid("One or more parameter values were invalid: " + m.Kind().String() + " is not a member of " + k.String())
		}
		parts[i] = m[1:]
	}
	if err := checkSet(k, parts); err != nil {
		return nil, err
	}
	return newSet(k, parts), nil
}

// newSet writes a set of sorted parts without duplicates.
func newSet(k Kind, sorted [][]byte) Value {
	size := 1
	for _, p := range sorted {
		size += prefixLen(len(p)) + len(p)
	}
	v := append(make(Value, 0, size), byte(k))
	for _, p := range sorted {
		v = appendPart(v, p)
	}
	return v
}

// checkSet sorts the members' payloads and refuses what DynamoDB refuses.
func checkSet(k Kind, parts [][]byte) error {
	if len(parts) == 0 {
		return emptySet(k)
	}
	if slices.IsSortedFunc(parts, bytes.Compare) && !adjacentEqual(parts) {
		return nil
	}
	given := slices.Clone(parts)
	slices.SortFunc(parts, bytes.Compare)
	if adjacentEqual(parts) {
		return duplicates(k, given)
	}
	return nil
}

func adjacentEqual(parts [][]byte) bool {
	for i := 1; i < len(parts); i++ {
		if bytes.Equal(parts[i-1], parts[i]) {
			return true
		}
	}
	return false
}

const msgInvalid = "One or more parameter values were invalid: "

func emptySet(k Kind) error {
	switch k {
	case NumberSet:
		return invalid(msgInvalid + "An number set  may not be empty")
	case StringSet:
		return invalid(msgInvalid + "An string set  may not be empty")
	}
	return invalid(msgInvalid + "Binary sets should not be empty")
}

func duplicates(k Kind, parts [][]byte) error {
	if k == NumberSet {
		return invalid("Input collection contains duplicates")
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = setMemberText(k, p)
	}
	list := "[" + strings.Join(texts, ", ") + "]"
	if k == BinarySet {
		return invalid(msgInvalid + "Input collection " + list + "of type BS contains duplicates.")
	}
	return invalid(msgInvalid + "Input collection " + list + " contains duplicates.")
}

// parts are the payloads of a set's members.
func (v Value) parts() [][]byte {
	var out [][]byte
	for rest := v.Payload(); len(rest) > 0; {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		out, rest = append(out, part), next
	}
	return out
}

// Union is the set of all members of a and b, two sets of one kind.
func Union(a, b Value) Value {
	x, y := a.parts(), b.parts()
	out := make([][]byte, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		switch c := bytes.Compare(x[0], y[0]); {
		case c < 0:
			out, x = append(out, x[0]), x[1:]
		case c > 0:
			out, y = append(out, y[0]), y[1:]
		default:
			out, x, y = append(out, x[0]), x[1:], y[1:]
		}
	}
	out = append(append(out, x...), y...)
	return newSet(a.Kind(), out)
}

// Difference is the set of the members of a that are not in b; false when none is left,
// since there are no empty sets.
func Difference(a, b Value) (Value, bool) {
	x, y := a.parts(), b.parts()
	out := x[:0:0]
	for _, p := range x {
		for len(y) > 0 && bytes.Compare(y[0], p) < 0 {
			y = y[1:]
		}
		if len(y) == 0 || !bytes.Equal(y[0], p) {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, false
	}
	return newSet(a.Kind(), out), true
}

// Contains tells whether member, of the set's member kind, is in the set.
func Contains(set, member Value) bool {
	if k := set.Kind().Member(); k == 0 || member.Kind() != k {
		return false
	}
	want := member[1:]
	for rest := []byte(set[1:]); len(rest) > 0; {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		if bytes.Equal(part, want) {
			return true
		}
		rest = next
	}
	return false
}
