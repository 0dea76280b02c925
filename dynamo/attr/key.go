package attr

import (
	"bytes"
	"fmt"
)

// Key bytes sort as the values do and none is a prefix of another, so that several can be
// written one after the other and still sort by the first, then the second, and so on.
const (
	keyEscape = 0x00 // in strings and binaries: followed by one of
	keyZero   = 0xff // the byte 0x00
	keyEnd    = 0x01 // the end
)

// AppendKey appends the key bytes of a number, string or binary; of any other kind
// nothing.
func AppendKey(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Number:
		return append(dst, v[1:]...)
	case String, Binary:
		return append(appendEscaped(dst, v[1:]), keyEscape, keyEnd)
	}
	return dst
}

// AppendKeyPrefix appends the bytes with which the key bytes of all strings (binaries)
// start that start with v.
func AppendKeyPrefix(dst []byte, v Value) []byte {
	switch v.Kind() {
	case String, Binary:
		return appendEscaped(dst, v[1:])
	}
	return dst
}

func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, keyEscape)
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		dst = append(dst, keyEscape, keyZero)
		b = b[i+1:]
	}
}

// DecodeKey reads a value of kind k (Number, String or Binary) from the key bytes at the
// start of src. The value has memory of its own.
func DecodeKey(k Kind, src []byte) (v Value, rest []byte, err error) {
	switch k {
	case Number:
		var d decimal
		n := d.load(src)
		if n == 0 {
			return nil, nil, fmt.Errorf("damaged number in key bytes %x", src)
		}
		return head(Number, src[:n]), src[n:], nil
	case String, Binary:
		v, rest, ok := unescapeKey(k, src)
		if !ok {
			return nil, nil, fmt.Errorf("damaged %s in key bytes %x", k, src)
		}
		return v, rest, nil
	}
	return nil, nil, fmt.Errorf("no key is of kind %d", k)
}

func unescapeKey(k Kind, src []byte) (Value, []byte, bool) {
	v := Value{byte(k)}
	for {
		i := bytes.IndexByte(src, keyEscape)
		if i < 0 || i+1 >= len(src) {
			return nil, nil, false
		}
		v = append(v, src[:i]...)
		switch mark := src[i+1]; mark {
		case keyEnd:
			return v, src[i+2:], true
		case keyZero:
			v = append(v, 0)
		default:
			return nil, nil, false
		}
		src = src[i+2:]
	}
}
