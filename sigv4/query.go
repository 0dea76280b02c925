package sigv4

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// param is a parameter of a query string, as it means and as it is signed.
type param struct {
	name, value               string
	encodedName, encodedValue string
}

var (
	errEscape    = errors.New("a broken % escape")
	errSemicolon = errors.New("a bare semicolon; write it as %3B")
	errParams    = fmt.Errorf("more than %d parameters", maxParams)
)

// parseQuery splits a query string. It reads it exactly as net/url does, or
// not at all: a handler must not see other parameters than were signed.
func parseQuery(raw string) ([]param, error) {
	if raw == "" {
		return nil, nil
	}
	if strings.Count(raw, "&") >= maxParams {
		return nil, errParams
	}
	params := make([]param, 0, strings.Count(raw, "&")+1)
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		// net/url drops a parameter with a semicolon. Some clients do not
		// escape those in the list of headers, which no handler looks at.
		if strings.Contains(part, ";") && name != "X-Amz-SignedHeaders" {
			return nil, errSemicolon
		}
		var p param
		var err1, err2 error
		p.name, p.encodedName, err1 = canonicalPart(name)
		p.value, p.encodedValue, err2 = canonicalPart(value)
		if err1 != nil || err2 != nil {
			return nil, errEscape
		}
		params = append(params, p)
	}
	return params, nil
}

// findParam returns the value of the first parameter of a name.
func findParam(params []param, name string) (value string, ok bool) {
	for _, p := range params {
		if p.name == name {
			return p.value, true
		}
	}
	return "", false
}

// canonicalPart returns what part of a query means, and how it is signed.
func canonicalPart(s string) (decoded, encoded string, err error) {
	if plain(s) {
		return s, s, nil
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '%':
			if i+2 >= len(s) || unhex[s[i+1]] < 0 || unhex[s[i+2]] < 0 {
				return "", "", errEscape
			}
			b = append(b, byte(unhex[s[i+1]]<<4|unhex[s[i+2]]))
			i += 2
		case '+':
			b = append(b, ' ')
		default:
			b = append(b, s[i])
		}
	}
	decoded = string(b)
	encoded = string(appendEncoded(make([]byte, 0, len(s)+16), decoded, false))
	if encoded == s {
		encoded = s // share the request's own memory
	}
	return decoded, encoded, nil
}

func plain(s string) bool {
	for i := range len(s) {
		if !unreserved[s[i]] {
			return false
		}
	}
	return true
}

// appendQuery appends the canonical query string. AWS sorts names and values
// as they are encoded. The Go SDK sorts them before encoding them, which
// differs for characters beside the unreserved ones; readDecodedOrder is
// that, and is added to more if it would make a difference.
func appendQuery(b []byte, params []param, as reading, more *reading) []byte {
	byEncoded := func(x, y param) int {
		return cmp.Or(strings.Compare(x.encodedName, y.encodedName), strings.Compare(x.encodedValue, y.encodedValue))
	}
	byDecoded := func(x, y param) int {
		return cmp.Or(strings.Compare(x.name, y.name), strings.Compare(x.value, y.value))
	}
	if as&readDecodedOrder != 0 {
		slices.SortFunc(params, byDecoded)
	} else {
		slices.SortFunc(params, byEncoded)
		if !slices.IsSortedFunc(params, byDecoded) {
			*more |= readDecodedOrder
		}
	}
	first := true
	for _, p := range params {
		if p.name == "X-Amz-Signature" {
			continue
		}
		if !first {
			b = append(b, '&')
		}
		first = false
		b = append(b, p.encodedName...)
		b = append(b, '=')
		b = append(b, p.encodedValue...)
	}
	return b
}

// appendEncoded appends s in the URI encoding of the canonical request.
func appendEncoded(b []byte, s string, keepSlash bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; unreserved[c] || c == '/' && keepSlash {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

// unreserved has the characters that are never encoded; unhex the values of
// hex digits, -1 for what is none.
var unreserved, unhex = func() (u [256]bool, h [256]int8) {
	for c := range 256 {
		h[c] = -1
		switch {
		case c >= '0' && c <= '9':
			u[c], h[c] = true, int8(c-'0')
		case c >= 'a' && c <= 'z':
			u[c] = true
		case c >= 'A' && c <= 'Z':
			u[c] = true
		case c == '-' || c == '.' || c == '_' || c == '~':
			u[c] = true
		}
	}
	for c := range 6 {
		h['a'+c], h['A'+c] = int8(10+c), int8(10+c)
	}
	return u, h
}()
