package attr

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// errDamaged is the root of what CheckItem and CheckValue find.
var errDamaged = errors.New("damaged attribute bytes")

// CheckItem tells whether bytes read from storage are an item: every length within
// bounds, every kind known, everything in canonical form. It is for checking data at rest
// and for tests; nothing else in this package needs it to be safe.
func CheckItem(it Item) error { return checkItem(it, 0) }

// CheckValue is CheckItem for one value.
func CheckValue(v Value) error { return checkValue(v, 0) }

func checkItem(it Item, depth int) error {
	var last []byte
	for n := 0; len(it) > 0; n++ {
		name, v, rest, ok := it.cutEntry()
		if !ok {
			return fmt.Errorf("%w: attribute %d does not end", errDamaged, n)
		}
		if len(it)-len(rest) != partLen(name)+partLen(v) {
			return fmt.Errorf("%w: lengths of attribute %q", errDamaged, name)
		}
		if n > 0 && bytes.Compare(last, name) >= 0 {
			return fmt.Errorf("%w: name %q after %q", errDamaged, name, last)
		}
		if !utf8.Valid(name) || CheckName(view(name)) != nil {
			return fmt.Errorf("%w: %q is no name", errDamaged, name)
		}
		if err := checkValue(v, depth); err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		last, it = name, rest
	}
	return nil
}

func checkValue(v Value, depth int) error {
	kind := v.Kind()
	if (kind == List || kind == Map) && !fits(depth) {
		return fmt.Errorf("%w: nested too deeply", errDamaged)
	}
	switch kind {
	case Null, Bool, Number, String, Binary:
		return checkScalar(kind, v[1:])
	case Map:
		return checkItem(v.Item(), depth+1)
	case List, NumberSet, StringSet, BinarySet:
		return checkParts(kind, v[1:], depth)
	default:
		return fmt.Errorf("%w: no such kind", errDamaged)
	}
}

func checkScalar(kind Kind, payload []byte) error {
	ok := true
	switch kind {
	case Null:
		ok = len(payload) == 0
	case Bool:
		ok = len(payload) == 1 && payload[0] <= 1
	case Number:
		var d decimal
		ok = len(payload) > 0 && d.load(payload) == len(payload)
	case String:
		ok = utf8.Valid(payload)
	}
	if !ok {
		return fmt.Errorf("%w: %x is no %s", errDamaged, payload, kind)
	}
	return nil
}

func checkParts(kind Kind, rest []byte, depth int) error {
	if len(rest) == 0 && kind != List {
		return fmt.Errorf("%w: empty %s", errDamaged, kind)
	}
	var last []byte
	for n := 0; len(rest) > 0; n++ {
		part, next, ok := cut(rest)
		if !ok {
			return fmt.Errorf("%w: element %d of %s does not end", errDamaged, n, kind)
		}
		if len(rest)-len(next) != partLen(part) {
			return fmt.Errorf("%w: length of element %d of %s", errDamaged, n, kind)
		}
		if kind == List {
			if err := checkValue(part, depth+1); err != nil {
				return err
			}
		} else {
			if n > 0 && bytes.Compare(last, part) >= 0 {
				return fmt.Errorf("%w: members of %s out of order", errDamaged, kind)
			}
			if err := checkScalar(kind.Member(), part); err != nil {
				return err
			}
		}
		last, rest = part, next
	}
	return nil
}

// partLen is how many bytes a part takes with its length, if that is written in the
// shortest way.
func partLen(part []byte) int { return prefixLen(len(part)) + len(part) }
