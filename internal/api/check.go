package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pressroom/internal/errs"
)

// Limits of a JSON document that comes in.
const (
	maxDepth  = 64 // of objects and lists inside each other
	maxFaults = 20 // that are reported at once
)

// check judges a document by a shape. What cannot be read as one JSON document,
// or has two meanings (a member twice, broken UTF-8), is errs.Malformed; what
// can and breaks a rule is errs.Invalid with every fault up to a bound. Each
// names its field as a path: "blocks[3].url".
func check(doc []byte, sh *shape) error {
	c := checker{doc: doc}
	if err := c.document(sh); err != nil {
		return err
	}
	if len(c.faults) > 0 {
		return errs.Validation(c.faults...)
	}
	return nil
}

// checker walks a document and a shape side by side.
type checker struct {
	doc    []byte
	pos    int
	depth  int
	path   []step
	faults []errs.Field
}

// step is one part of a path: a member, or an element of a list.
type step struct {
	name  string
	index int // if name is ""
}

func (c *checker) document(sh *shape) error {
	c.space()
	if c.pos == len(c.doc) {
		return unreadable("body", "is missing")
	}
	if err := c.value(sh); err != nil {
		return err
	}
	c.space()
	if c.pos < len(c.doc) {
		return c.broken("goes on after its end")
	}
	return nil
}

func unreadable(name, message string) error {
	return &errs.Error{Kind: errs.Malformed, Fields: []errs.Field{{Name: name, Message: message}}}
}

// broken is the end of the reading, at the present place.
func (c *checker) broken(format string, args ...any) error {
	return unreadable(c.where(), fmt.Sprintf(format, args...)+" (byte "+strconv.Itoa(c.pos)+")")
}

// fault notes a broken rule at the present place; reading goes on.
func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, errs.Field{Name: c.where(), Message: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) where() string {
	if len(c.path) == 0 {
		return "body"
	}
	var b strings.Builder
	for i, s := range c.path {
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case i > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

func (c *checker) push(s step) { c.path = append(c.path, s) }
func (c *checker) pop()        { c.path = c.path[:len(c.path)-1] }

func (c *checker) space() {
	for c.pos < len(c.doc) {
		switch c.doc[c.pos] {
		case ' ', '\t', '\r', '\n':
			c.pos++
		default:
			return
		}
	}
}

// next returns the byte at the present place, 0 at the end.
func (c *checker) next() byte {
	if c.pos < len(c.doc) {
		return c.doc[c.pos]
	}
	return 0
}

var anyShape = &shape{kind: anything}

// value reads one value and judges it. A value of another kind than the shape's
// is a fault, and is still read to its end: it may be broken, too.
func (c *checker) value(sh *shape) error {
	first := c.next()
	found := kindOf(first)
	if first == 'n' && sh.nullable {
		return c.word("null")
	}
	if !fits(found, sh.kind) && first != 0 {
		if first == 'n' {
			c.fault("must be %s, not null", noun[sh.kind])
		} else {
			c.fault("must be %s", noun[sh.kind])
		}
		sh = anyShape
	}
	switch found {
	case object:
		return c.object(sh)
	case array:
		return c.array(sh)
	case text:
		return c.text(sh)
	case boolean:
		return c.word(map[byte]string{'t': "true", 'f': "false"}[first])
	case number:
		return c.number(sh)
	}
	if first == 'n' {
		return c.word("null")
	}
	if c.pos == len(c.doc) {
		return c.broken("ends too early")
	}
	return c.broken("is no JSON")
}

// kindOf tells a value's kind by its first byte; anything for null and for what
// is no value.
func kindOf(first byte) kind {
	switch {
	case first == '{':
		return object
	case first == '[':
		return array
	case first == '"':
		return text
	case first == 't' || first == 'f':
		return boolean
	case first == '-' || first >= '0' && first <= '9':
		return number
	}
	return anything
}

func fits(found, wanted kind) bool {
	switch wanted {
	case anything:
		return true
	case dictionary:
		return found == object
	case integer:
		return found == number
	}
	return found == wanted
}

func (c *checker) word(w string) error {
	if !strings.HasPrefix(string(c.doc[c.pos:min(len(c.doc), c.pos+len(w))]), w) {
		return c.broken("is no JSON")
	}
	c.pos += len(w)
	return nil
}

// entries reads what stands between two brackets, and returns how many there were.
// read pushes the step to an entry before it reads it.
func (c *checker) entries(closing byte, bracket string, read func(n int) error) (n int, err error) {
	if c.depth++; c.depth > maxDepth {
		return 0, c.broken("is nested deeper than %d", maxDepth)
	}
	c.pos++ // the opening bracket
	c.space()
	for more := c.next() != closing; more; n++ {
		if err := read(n); err != nil {
			return n, err
		}
		c.pop()
		c.space()
		if more = c.next() == ','; more {
			c.pos++
			c.space()
		} else if c.next() != closing {
			return n, c.broken("wants a comma or a closing %s", bracket)
		}
	}
	c.pos++
	c.depth--
	return n, nil
}

func (c *checker) object(sh *shape) error {
	seen := map[string]bool{}
	n, err := c.entries('}', "brace", func(int) error {
		if c.next() != '"' {
			return c.broken("wants a member's name in quotes")
		}
		name, err := c.quoted()
		if err != nil {
			return err
		}
		c.push(step{name: name})
		if seen[name] {
			return c.broken("is there twice")
		}
		seen[name] = true
		return c.member(sh, name)
	})
	if err != nil {
		return err
	}
	c.missing(sh, seen)
	if sh.kind == dictionary {
		c.count(sh, n, "members")
	}
	return nil
}

// member reads the colon and the value of a member whose name was read.
func (c *checker) member(sh *shape, name string) error {
	c.space()
	if c.next() != ':' {
		return c.broken("wants a colon after the name")
	}
	c.pos++
	c.space()
	switch sh.kind {
	case object:
		i, known := sh.index[name]
		if !known {
			c.fault("is not known here")
			return c.value(anyShape)
		}
		return c.value(sh.props[i].shape)
	case dictionary:
		return c.value(sh.elem)
	}
	return c.value(anyShape)
}

func (c *checker) missing(sh *shape, seen map[string]bool) {
	if sh.kind != object {
		return
	}
	for _, p := range sh.props {
		if p.required && !seen[p.name] {
			c.push(step{name: p.name})
			c.fault("is missing")
			c.pop()
		}
	}
}

func (c *checker) array(sh *shape) error {
	elem := anyShape
	if sh.kind == array {
		elem = sh.elem
	}
	n, err := c.entries(']', "bracket", func(n int) error {
		c.push(step{index: n})
		return c.value(elem)
	})
	if err == nil && sh.kind == array {
		c.count(sh, n, "elements")
	}
	return err
}

// count judges how many there are of something.
func (c *checker) count(sh *shape, n int, what string) {
	if low := sh.rules.min; low != nil && float64(n) < *low {
		c.fault("must have at least %v %s", *low, what)
	}
	if high := sh.rules.max; high != nil && float64(n) > *high {
		c.fault("must have at most %v %s", *high, what)
	}
}

func (c *checker) text(sh *shape) error {
	value, err := c.quoted()
	if err != nil {
		return err
	}
	if message := sh.judge(value); message != "" {
		c.fault("%s", message)
	}
	return nil
}

// quoted reads a quoted text and returns what it stands for.
func (c *checker) quoted() (string, error) {
	begin := c.pos
	plain := true
	for c.pos++; c.pos < len(c.doc); {
		b := c.doc[c.pos]
		switch {
		case b == '"':
			c.pos++
			if plain {
				return string(c.doc[begin+1 : c.pos-1]), nil
			}
			var value string
			if err := json.Unmarshal(c.doc[begin:c.pos], &value); err != nil {
				return "", c.broken("is no JSON")
			}
			return value, nil
		case b < ' ':
			return "", c.broken("has a control character that is not escaped")
		case b == '\\':
			plain = false
			if err := c.escape(); err != nil {
				return "", err
			}
		case b < utf8.RuneSelf:
			c.pos++
		default:
			r, size := utf8.DecodeRune(c.doc[c.pos:])
			if r == utf8.RuneError && size == 1 {
				return "", c.broken("is no valid UTF-8")
			}
			c.pos += size
		}
	}
	return "", c.broken("ends too early")
}

// escape reads what follows a backslash. Half of a surrogate pair stands for no
// character; encoding/json would quietly put another in its place.
func (c *checker) escape() error {
	c.pos++
	switch c.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.pos++
		return nil
	case 'u':
		unit, ok := c.unit()
		if ok && utf16.IsSurrogate(unit) {
			low, second := rune(0), false
			if c.next() == '\\' && c.pos+1 < len(c.doc) && c.doc[c.pos+1] == 'u' {
				c.pos++
				low, second = c.unit()
			}
			ok = second && utf16.DecodeRune(unit, low) != utf8.RuneError
		}
		if ok {
			return nil
		}
	}
	return c.broken("has an escape that stands for no character")
}

// unit reads "u" and four hexadecimal digits.
func (c *checker) unit() (rune, bool) {
	if c.pos+5 > len(c.doc) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(c.doc[c.pos+1:c.pos+5]), 16, 16)
	c.pos += 5
	return rune(n), err == nil
}

func (c *checker) number(sh *shape) error {
	begin := c.pos
	for c.pos < len(c.doc) && strings.IndexByte("+-.eE0123456789", c.doc[c.pos]) >= 0 {
		c.pos++
	}
	literal := c.doc[begin:c.pos]
	if !json.Valid(literal) {
		return c.broken("is no JSON")
	}
	if message := sh.judgeNumber(string(literal)); message != "" {
		c.fault("%s", message)
	}
	return nil
}

// judge says what is wrong with a text; "" if nothing is. It serves members of
// documents and parameters alike.
func (sh *shape) judge(value string) string {
	r := &sh.rules
	switch {
	case strings.IndexByte(value, 0) >= 0:
		return "must not contain the character NUL"
	case sh.kind != text:
		return ""
	case len(r.enum) > 0 && !slices.Contains(r.enum, value):
		return "must be one of " + strings.Join(r.enum, ", ")
	}
	if r.min != nil || r.max != nil {
		n := float64(utf8.RuneCountInString(value))
		switch {
		case r.min != nil && n < *r.min && *r.min == 1:
			return "must not be empty"
		case r.min != nil && n < *r.min:
			return fmt.Sprintf("must have at least %v characters", *r.min)
		case r.max != nil && n > *r.max:
			return fmt.Sprintf("must have at most %v characters", *r.max)
		}
	}
	return judgeFormat(r.format, value)
}

// judgeFormat knows the formats of JSON Schema that the API uses. Others are
// for the reader of the specification.
func judgeFormat(format, value string) string {
	switch format {
	case "date-time":
		if _, err := time.Parse(time.RFC3339Nano, value); err != nil {
			return "must be a time like 2026-11-15T09:30:00Z"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return "must be a date like 2026-11-15"
		}
	case "uri":
		if u, err := url.Parse(value); err != nil || u.Scheme == "" || u.Host == "" {
			return "must be an address like https://example.org/page"
		}
	case "ip":
		if _, err := netip.ParseAddr(value); err != nil {
			return "must be an IP address"
		}
	case "byte":
		if _, err := base64.StdEncoding.DecodeString(value); err != nil {
			return "must be base64"
		}
	}
	return ""
}

// judgeNumber says what is wrong with a number's literal.
func (sh *shape) judgeNumber(literal string) string {
	n, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return "is larger than a number can be"
	}
	if sh.kind == integer {
		// 1.0 and 1e3 are whole, but Go's integers do not read them.
		if _, err := strconv.ParseInt(literal, 10, 64); err != nil && strings.ContainsAny(literal, ".eE") {
			return "must be a whole number, written with digits alone"
		}
	}
	low, high := sh.rules.min, sh.rules.max
	if low != nil && n < *low || high != nil && n > *high {
		switch {
		case low == nil:
			return fmt.Sprintf("must be at most %v", *high)
		case high == nil:
			return fmt.Sprintf("must be at least %v", *low)
		}
		return "must be from " + strconv.FormatFloat(*low, 'f', -1, 64) + " to " + strconv.FormatFloat(*high, 'f', -1, 64)
	}
	return ""
}
