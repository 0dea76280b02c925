package api

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

// encoder appends a value's JSON. Encoders are compiled once per type: a list's
// twenty records then cost one pass without allocations. Unlike encoding/json
// they write an empty list as [], never as null, so that what the specification
// calls a list is one, and they do not escape for HTML, in which no answer of
// the API is ever embedded.
type encoder func(b []byte, v reflect.Value) ([]byte, error)

var encoders sync.Map // reflect.Type to encoder

// encoderOf returns the encoder of a type, made at the first asking.
func encoderOf(t reflect.Type) encoder {
	if known, ok := encoders.Load(t); ok {
		return known.(encoder)
	}
	// A type that contains itself finds this while its own is being made.
	var ready sync.WaitGroup
	var made encoder
	ready.Add(1)
	placeholder := encoder(func(b []byte, v reflect.Value) ([]byte, error) {
		ready.Wait()
		return made(b, v)
	})
	if known, raced := encoders.LoadOrStore(t, placeholder); raced {
		return known.(encoder)
	}
	made = makeEncoder(t)
	ready.Done()
	encoders.Store(t, made)
	return made
}

func makeEncoder(t reflect.Type) encoder {
	switch {
	case t == timeType:
		return encodeTime
	case t == rawType:
		return encodeRaw
	case t.Kind() == reflect.Pointer:
		return encodePointer(encoderOf(t.Elem()))
	case t.Implements(marshalerType):
		return encodeStandard
	case t.Implements(texterType):
		return encodeText
	}
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) ([]byte, error) { return appendString(b, v.String()), nil }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(b, v.Bool()), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(b, v.Int(), 10), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(b, v.Uint(), 10), nil }
	case reflect.Float32, reflect.Float64:
		return encodeFloat(t.Bits())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return encodeBytes
		}
		return encodeSlice(encoderOf(t.Elem()))
	case reflect.Map:
		return encodeMap(encoderOf(t.Elem()))
	case reflect.Struct:
		return encodeStruct(t)
	}
	return encodeStandard // interfaces: whatever is inside
}

func encodeTime(b []byte, v reflect.Value) ([]byte, error) {
	t, _ := v.Interface().(time.Time)
	return t.UTC().AppendFormat(b, `"2006-01-02T15:04:05.000Z"`), nil
}

func encodeRaw(b []byte, v reflect.Value) ([]byte, error) {
	if v.Len() == 0 {
		return append(b, "null"...), nil
	}
	return append(b, v.Bytes()...), nil
}

func encodeNull(b []byte, _ reflect.Value) ([]byte, error) { return append(b, "null"...), nil }

func encodeStandard(b []byte, v reflect.Value) ([]byte, error) {
	out, err := json.Marshal(v.Interface())
	return append(b, out...), err
}

func encodeText(b []byte, v reflect.Value) ([]byte, error) {
	m, _ := v.Interface().(encoding.TextMarshaler)
	text, err := m.MarshalText()
	return appendString(b, string(text)), err
}

func encodePointer(inner encoder) encoder {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		return inner(b, v.Elem())
	}
}

func encodeFloat(bits int) encoder {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		f := v.Float()
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return b, fmt.Errorf("%v has no form in JSON", f)
		}
		form := byte('f')
		if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
			form = 'e'
		}
		return strconv.AppendFloat(b, f, form, -1, bits), nil
	}
}

func encodeBytes(b []byte, v reflect.Value) ([]byte, error) {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, v.Bytes())
	return append(b, '"'), nil
}

func encodeSlice(elem encoder) encoder {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		b = append(b, '[')
		var err error
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = elem(b, v.Index(i)); err != nil {
				return b, err
			}
		}
		return append(b, ']'), nil
	}
}

// encodeMap writes members in the order of their names: the same value always
// has the same bytes, and so the same ETag.
func encodeMap(elem encoder) encoder {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return compare(x.String(), y.String()) })
		b = append(b, '{')
		var err error
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, key.String()), ':')
			if b, err = elem(b, v.MapIndex(key)); err != nil {
				return b, err
			}
		}
		return append(b, '}'), nil
	}
}

func compare(x, y string) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// member is a field with its name already quoted.
type member struct {
	field
	key    []byte
	encode encoder
}

func encodeStruct(t reflect.Type) encoder {
	var members []member
	for f := range fieldsOf(t) {
		members = append(members, member{f, append(appendString(nil, f.name), ':'), encoderOf(f.typ)})
	}
	return func(b []byte, v reflect.Value) ([]byte, error) {
		b = append(b, '{')
		first := true
		var err error
		for i := range members {
			m := &members[i]
			value := v.FieldByIndex(m.index)
			if m.optional && m.empty(value) {
				continue
			}
			encode := m.encode
			if m.null && value.IsZero() {
				encode = encodeNull
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			if b, err = encode(append(b, m.key...), value); err != nil {
				return b, fmt.Errorf("%s: %w", m.name, err)
			}
		}
		return append(b, '}'), nil
	}
}

// empty reports whether an optional field is left out.
func (m *member) empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return m.zero && v.IsZero()
	}
	return v.IsZero()
}

const hexDigits = "0123456789abcdef"

// appendString quotes text. What is no UTF-8 becomes U+FFFD, as encoding/json
// has it: stored text is shown, whatever it is.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			b = append(append(b, s[start:i]...), "\ufffd"...)
			i++
			start = i
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
