package token

import (
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// view is a string that shares b's bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// text takes a string and decodes it: a view of the input, or a copy when it has escapes.
func (r *Reader) text() (string, error) {
	raw, err := r.scan()
	if err != nil || raw.plain {
		return view(raw.body), err
	}
	out, err := r.Unescape(make([]byte, 0, len(raw.body)), raw.body)
	return view(out), err
}

// span is the inside of a string literal.
type span struct {
	body  []byte
	plain bool // no escapes
}

// scan takes a string literal and returns its inside, checked for control characters,
// UTF-8 and its end, but not for what its escapes say. The reader stands at the quote.
func (r *Reader) scan() (span, error) {
	start := r.pos + 1
	plain, ascii := true, true
	for i := start; i < len(r.data); i++ {
		c := r.data[i]
		if stringClass[c] == 0 {
			continue
		}
		switch {
		case c == '"':
			body := r.data[start:i:i]
			if !ascii && !utf8.Valid(body) {
				return span{}, r.syntax("invalid UTF-8 in string")
			}
			r.pos = i + 1
			return span{body: body, plain: plain}, nil
		case c == '\\':
			plain = false
			i++
		case c < 0x20:
			r.pos = i
			return span{}, r.syntax("control character in string")
		default:
			ascii = false
		}
	}
	r.pos = len(r.data)
	return span{}, r.unexpected()
}

// stringClass marks the bytes inside a string literal that need a second look.
var stringClass = func() (t [256]byte) {
	for c := range t {
		if c < 0x20 || c >= 0x80 || c == '"' || c == '\\' {
			t[c] = 1
		}
	}
	return t
}()

// Unescape appends to dst the text that body stands for. It must be what Literal returned
// last.
func (r *Reader) Unescape(dst, body []byte) ([]byte, error) {
	for i := 0; i < len(body); {
		c := body[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if i+1 >= len(body) {
			return nil, r.badEscape(body, i)
		}
		switch e := body[i+1]; e {
		case '"', '\\', '/':
			dst = append(dst, e)
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			u, n := unicodeEscape(body[i:])
			if n == 0 {
				return nil, r.badEscape(body, i)
			}
			dst = utf8.AppendRune(dst, u)
			i += n
			continue
		default:
			return nil, r.badEscape(body, i)
		}
		i += 2
	}
	return dst, nil
}

func (r *Reader) badEscape(body []byte, i int) error {
	r.pos += i - len(body) - 1
	return r.syntax("invalid escape in string")
}

// unicodeEscape decodes \uXXXX, or a surrogate pair of them, at the start of b. It returns
// how many bytes that took, 0 when malformed.
func unicodeEscape(b []byte) (rune, int) {
	hi, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(hi) {
		return hi, 6
	}
	lo, ok := hex4(b[6:])
	if u := utf16.DecodeRune(hi, lo); ok && u != utf8.RuneError {
		return u, 12
	}
	return 0, 0
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var u rune
	for _, c := range b[2:6] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20-'a' <= 5:
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		u = u<<4 | rune(c)
	}
	return u, true
}
