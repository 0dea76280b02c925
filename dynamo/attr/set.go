package attr

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// NewSet is the set of the given kind with the given members, which must all be of the
// kind that such a set holds. An empty set and duplicates are refused with DynamoDB's
// messages.
func NewSet(k Kind, members []Value) (Value, error) {
	v := Value{byte(k)}
	for _, m := range members {
		if m.Kind() != k.Member() || k.Member() == 0 {
			return nil, invalid(msgInvalid + "Type mismatch: a " + m.Kind().String() + " cannot be a member of " + k.String())
		}
		v = appendPart(v, m[1:])
	}
	v, err := finishSet(v, 1, k)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func emptySet(k Kind) error {
	switch k {
	case NumberSet:
		return invalid(msgNumberSet)
	case StringSet:
		return invalid(msgStringSet)
	}
	return invalid(msgBinarySet)
}

// nullMember refuses a null among the members of a set.
func nullMember(k Kind) error {
	switch k {
	case NumberSet:
		return invalid(msgNumberSetNull)
	case StringSet:
		return invalid(msgStringSetNull)
	}
	return invalid(msgBinarySetNull)
}

// duplicates refuses a set whose members, in the order given, are parts.
func duplicates(k Kind, parts []byte) error {
	if k == NumberSet {
		return reworded(msgNumberSetTwin, msgInvalid+msgNumberSetTwin+".")
	}
	var members []string
	for _, part := range split(parts) {
		members = append(members, memberText(k, part))
	}
	end := " contains duplicates."
	if k == BinarySet {
		end = "of type BS contains duplicates."
	}
	return reworded(msgTwins+"["+strings.Join(members, ", ")+"]"+end, msgTwins+"["+quoted(k, parts)+"]"+end)
}

// split takes parts that follow one another apart.
func split(parts []byte) (list [][]byte) {
	for len(parts) > 0 {
		part, rest, ok := cut(parts)
		if !ok {
			break
		}
		list, parts = append(list, part), rest
	}
	return list
}

func memberText(k Kind, part []byte) string {
	if k == BinarySet {
		return base64.StdEncoding.EncodeToString(part)
	}
	return string(part)
}

// quoted lists members as the newer way of reading has met them: those before the first
// that is there twice in order, then that one and the rest as they came.
func quoted(k Kind, parts []byte) string {
	var members [][]byte
	met := map[string]bool{}
	for _, part := range split(parts) {
		if met[string(part)] && len(met) == len(members) {
			slices.SortFunc(members, bytes.Compare)
		}
		met[string(part)] = true
		members = append(members, part)
	}
	var text []string
	for _, m := range members {
		text = append(text, `"`+memberText(k, m)+`"`)
	}
	if k == BinarySet {
		return strings.Join(text, ",")
	}
	return strings.Join(text, ", ")
}

// Union is the set of all members of a and b, two sets of one kind.
func Union(a, b Value) Value {
	out := append(make(Value, 0, len(a)+len(b)), byte(a.Kind()))
	walkBoth(a, b, func(part []byte, _ bool) { out = appendPart(out, part) })
	return slices.Clip(out)
}

// Difference is the set of the members of a that are not in b, two sets of one kind; false
// when none is left, since there are no empty sets.
func Difference(a, b Value) (Value, bool) {
	out := append(make(Value, 0, len(a)), byte(a.Kind()))
	walkBoth(a, b, func(part []byte, inB bool) {
		if !inB {
			out = appendPart(out, part)
		}
	})
	return slices.Clip(out), len(out) > 1
}

// walkBoth calls visit for each member of either set, in order, and tells whether b has it.
func walkBoth(a, b Value, visit func(part []byte, inB bool)) {
	x, y := newCursor(a), newCursor(b)
	for x.ok || y.ok {
		c := bytes.Compare(x.part, y.part)
		switch {
		case !y.ok:
			c = -1
		case !x.ok:
			c = 1
		}
		if c <= 0 {
			visit(x.part, c == 0)
			x.next()
		} else {
			visit(y.part, true)
		}
		if c >= 0 {
			y.next()
		}
	}
}

// cursor walks the members of a set; ok is false after the last.
type cursor struct {
	part, rest []byte
	ok         bool
}

func newCursor(set Value) *cursor {
	c := &cursor{}
	if set.Kind().IsSet() {
		c.rest = set[1:]
	}
	c.next()
	return c
}

func (c *cursor) next() {
	if c.ok = len(c.rest) > 0; c.ok {
		c.part, c.rest, c.ok = cut(c.rest)
	}
}

// Contains tells whether member is in the set.
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
