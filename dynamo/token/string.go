package token

import (
	"bytes"
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
	plain, wide := true, false
	for i := start; i < len(r.data); {
		n, w := plainLen(r.data[i:])
		i, wide = i+n, wide || w
		if i >= len(r.data) {
			break
		}
		switch r.data[i] {
		case '"':
			body := r.data[start:i:i]
			if wide && !utf8.Valid(body) {
				return span{}, r.syntax("invalid UTF-8 in string")
			}
			r.pos = i + 1
			return span{body: body, plain: plain}, nil
		case '\\':
			plain = false
			i += 2
		default:
			r.pos = i
			return span{}, r.syntax("control character in string")
		}
	}
	r.pos = len(r.data)
	return span{}, r.unexpected()
}

// Unescape appends to dst the text that body stands for. It must be what Literal returned
// last.
func (r *Reader) Unescape(dst, body []byte) ([]byte, error) {
	for rest := body; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return append(dst, rest...), nil
		}
		dst = append(dst, rest[:i]...)
		u, n := escape(rest[i:])
		if n == 0 {
			return nil, r.badEscape(len(rest) - i)
		}
		dst = utf8.AppendRune(dst, u)
		rest = rest[i+n:]
	}
}

// checkEscapes is Unescape without the text.
func (r *Reader) checkEscapes(body []byte) error {
	for rest := body; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return nil
		}
		_, n := escape(rest[i:])
		if n == 0 {
			return r.badEscape(len(rest) - i)
		}
		rest = rest[i+n:]
	}
}

// badEscape reports an escape so many bytes before the closing quote, behind which the
// reader stands.
func (r *Reader) badEscape(before int) error {
	r.pos -= before + 1
	return r.syntax("invalid escape in string")
}

// escape decodes the escape at the start of b. It returns how many bytes that took, 0 when
// malformed.
func escape(b []byte) (rune, int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch c := b[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unicodeEscape(b)
	}
	return 0, 0
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
