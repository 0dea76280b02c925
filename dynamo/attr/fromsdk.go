package attr

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// FromSDK is the SDK's value in stored form, in memory of its own, or an *InvalidError.
func FromSDK(av types.AttributeValue) (Value, error) {
	return encode(func(dst []byte) ([]byte, error) { return appendSDK(dst, av, 0) })
}

// ItemFromSDK is the SDK's map in stored form, in memory of its own, or an *InvalidError.
// The Item is nil only if the map is.
func ItemFromSDK(m map[string]types.AttributeValue) (Item, error) {
	if m == nil {
		return nil, nil
	}
	return encode(func(dst []byte) ([]byte, error) { return appendItemSDK(dst, m, 0) })
}

var scratch = sync.Pool{New: func() any { return new([]byte) }}

// encode lets write append to borrowed memory, and returns a copy of the right size.
func encode(write func(dst []byte) ([]byte, error)) ([]byte, error) {
	room := scratch.Get().(*[]byte)
	out, err := write((*room)[:0])
	if err != nil {
		scratch.Put(room)
		return nil, err
	}
	v := append(make([]byte, 0, len(out)), out...)
	if cap(out) <= maxKept {
		*room = out
		scratch.Put(room)
	}
	return v, nil
}

// appendItemSDK appends the map's attributes. Of several faults it returns that of the
// first attribute in the order of names, so that it does not change from call to call, but
// nesting before a name inside an attribute.
func appendItemSDK(dst []byte, m map[string]types.AttributeValue, depth int) ([]byte, error) {
	start, last, ordered := len(dst), "", true
	var fault error
	var faulty string
	for name, av := range m {
		name = validText(name)
		ordered = ordered && last < name
		last = name
		next, err := appendEntrySDK(dst, name, av, depth)
		if err == nil {
			dst = next
		} else if fault == nil || precedes(err, name, fault, faulty) {
			fault, faulty = err, name
		}
	}
	if fault != nil {
		return nil, fault
	}
	if !ordered {
		dst = sortItem(dst, start)
	}
	return dst, nil
}

// precedes tells whether the fault a of one attribute is told rather than b of another.
func precedes(a error, name string, b error, other string) bool {
	inner := func(err error, name string) bool { return name != "" && err.Error() == msgNoName }
	switch {
	case inner(a, name) && b.Error() == msgNesting:
		return false
	case inner(b, other) && a.Error() == msgNesting:
		return true
	}
	return name < other
}

func appendEntrySDK(dst []byte, name string, av types.AttributeValue, depth int) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	return appendPartSDK(appendPart(dst, name), av, depth)
}

// appendPartSDK appends a value with its length before it.
func appendPartSDK(dst []byte, av types.AttributeValue, depth int) ([]byte, error) {
	dst, at := reserve(dst)
	dst, err := appendSDK(dst, av, depth)
	if err != nil {
		return nil, err
	}
	return patch(dst, at), nil
}

// appendSDK appends a value that lies inside depth lists and maps.
func appendSDK(dst []byte, av types.AttributeValue, depth int) ([]byte, error) {
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		if av != nil {
			return append(append(dst, byte(String)), validText(av.Value)...), nil
		}
	case *types.AttributeValueMemberN:
		if av != nil {
			return appendNumber(append(dst, byte(Number)), av.Value)
		}
	case *types.AttributeValueMemberB:
		if av != nil {
			return append(append(dst, byte(Binary)), av.Value...), nil
		}
	case *types.AttributeValueMemberBOOL:
		if av != nil {
			return append(dst, NewBool(av.Value)...), nil
		}
	case *types.AttributeValueMemberNULL:
		if av != nil && !av.Value {
			return nil, invalid(msgNull)
		}
		if av != nil {
			return append(dst, byte(Null)), nil
		}
	case *types.AttributeValueMemberSS:
		if av != nil {
			return appendSetSDK(dst, StringSet, av.Value, appendText)
		}
	case *types.AttributeValueMemberNS:
		if av != nil {
			return appendSetSDK(dst, NumberSet, av.Value, appendNumber)
		}
	case *types.AttributeValueMemberBS:
		if av != nil {
			return appendSetSDK(dst, BinarySet, av.Value, appendBytes)
		}
	case *types.AttributeValueMemberL:
		if av != nil && fits(depth) {
			return appendListSDK(append(dst, byte(List)), av.Value, depth+1)
		}
		if av != nil {
			return nil, tooDeep(av, depth)
		}
	case *types.AttributeValueMemberM:
		if av != nil && fits(depth) {
			return appendItemSDK(append(dst, byte(Map)), av.Value, depth+1)
		}
		if av != nil {
			return nil, tooDeep(av, depth)
		}
	}
	return nil, invalid(msgEmpty)
}

// tooDeep refuses a list or map that lies inside depth others, where none may.
func tooDeep(av types.AttributeValue, depth int) error {
	return &InvalidError{Message: msgNesting, Abysmal: reaches(av, depth, abyss+1)}
}

// reaches tells whether a value inside depth lists and maps has so many inside each other
// that they are deep.
func reaches(av types.AttributeValue, depth, deep int) bool {
	if depth >= deep {
		return true
	}
	switch av := av.(type) {
	case *types.AttributeValueMemberL:
		return av != nil && slices.ContainsFunc(av.Value, func(e types.AttributeValue) bool { return reaches(e, depth+1, deep) })
	case *types.AttributeValueMemberM:
		if av == nil {
			return false
		}
		for _, e := range av.Value {
			if reaches(e, depth+1, deep) {
				return true
			}
		}
	}
	return false
}

func appendListSDK(dst []byte, list []types.AttributeValue, depth int) (_ []byte, err error) {
	for _, av := range list {
		if dst, err = appendPartSDK(dst, av, depth); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func appendSetSDK[T any](dst []byte, k Kind, members []T, add func([]byte, T) ([]byte, error)) (_ []byte, err error) {
	dst = append(dst, byte(k))
	start := len(dst)
	for _, m := range members {
		var at int
		dst, at = reserve(dst)
		if dst, err = add(dst, m); err != nil {
			return nil, err
		}
		dst = patch(dst, at)
	}
	return finishSet(dst, start, k)
}

func appendText(dst []byte, s string) ([]byte, error) { return append(dst, validText(s)...), nil }

func appendBytes(dst []byte, b []byte) ([]byte, error) { return append(dst, b...), nil }

// validText is s with each byte that is not UTF-8 replaced by U+FFFD, as the SDK's client
// does when it writes s as JSON.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}
