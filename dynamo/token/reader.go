package token

// Reader is a pull reader over one JSON document. The zero value reads an empty document;
// use NewReader. It is not safe for concurrent use.
//
// After the first error every method returns that same error, so a caller may check late.
// Strings and names it hands out are views of the input unless escapes had to be decoded:
// the input must not be changed while they are in use.
type Reader struct {
	data  []byte
	pos   int
	depth int
	// fresh is true between the opening of an array or object and its first member, where
	// no comma is due.
	fresh bool
	err   *Error
	arena []byte
}

// NewReader returns a reader at the start of data, which it keeps and does not change.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Reset starts over on data. The buffer behind Space is used again, so nothing that was
// kept in it may be in use any more.
func (r *Reader) Reset(data []byte) {
	*r = Reader{data: data, arena: r.arena[:0]}
}

// Space returns an empty slice to append decoded data to. Hand the result to Keep. Its
// capacity is at least what is left of the input whenever all earlier use stayed within
// the length of the JSON it was decoded from, so that one allocation serves a whole
// document.
func (r *Reader) Space() []byte {
	if r.arena == nil || cap(r.arena)-len(r.arena) < len(r.data)-r.pos {
		r.arena = make([]byte, 0, len(r.data)-r.pos)
	}
	return r.arena[len(r.arena):]
}

// Keep takes back what Space gave, now holding decoded data, and returns it with its
// capacity cut: the bytes stay untouched until Reset.
func (r *Reader) Keep(b []byte) []byte {
	free := r.arena[len(r.arena):cap(r.arena)]
	if len(b) > 0 && len(b) <= len(free) && &b[0] == &free[0] {
		r.arena = r.arena[:len(r.arena)+len(b)]
	}
	return b[:len(b):len(b)]
}

// Err returns the first error, or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Offset is the position of the next unread byte.
func (r *Reader) Offset() int { return r.pos }

// Kind skips white space and tells what comes next, without taking it. Inside an array or
// object it is meaningful after Element or Name.
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return Invalid
	}
	r.space()
	if r.pos >= len(r.data) {
		return End
	}
	return kindOf[r.data[r.pos]]
}

var kindOf = func() (t [256]Kind) {
	t['n'], t['f'], t['t'] = Null, False, True
	t['"'], t['['], t['{'] = String, Array, Object
	for _, c := range "-0123456789" {
		t[c] = Number
	}
	return t
}()

// space skips white space.
func (r *Reader) space() {
	if r.pos < len(r.data) && r.data[r.pos] > ' ' {
		return
	}
	r.skipSpace()
}

func (r *Reader) skipSpace() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// syntax records that the input is not JSON.
func (r *Reader) syntax(message string) error {
	return r.fail(&Error{Offset: r.pos, Message: message, Syntax: true})
}

// shape records that the input is not what was asked for.
func (r *Reader) shape(message string) error {
	return r.fail(&Error{Offset: r.pos, Message: message})
}

// fail keeps the first error, and takes away the input so that nothing more can be read.
func (r *Reader) fail(e *Error) error {
	if r.err == nil {
		r.err, r.data, r.pos = e, nil, 0
	}
	return r.err
}

// Fail records an error of shape found by the caller at the reader's position, unless
// there is one already, and returns the one that stands.
func (r *Reader) Fail(message string) error { return r.shape(message) }

// unexpected reports a byte (or the end) that no JSON document has here.
func (r *Reader) unexpected() error {
	if r.err != nil {
		return r.err
	}
	if r.pos >= len(r.data) {
		return r.syntax("unexpected end of JSON")
	}
	return r.syntax("unexpected character " + quoteByte(r.data[r.pos]))
}

func quoteByte(c byte) string {
	if c >= 0x20 && c < 0x7f {
		return "'" + string(rune(c)) + "'"
	}
	const hex = "0123456789abcdef"
	return "0x" + string([]byte{hex[c>>4], hex[c&15]})
}

// open takes an opening bracket or brace.
func (r *Reader) open() error {
	if r.depth >= MaxDepth {
		return r.syntax("JSON is nested too deeply")
	}
	r.pos++
	r.depth++
	r.fresh = true
	return nil
}

// next moves to the next member of an array or object: past the comma, or past the
// closing byte, which ends it.
func (r *Reader) next(closing byte) (bool, error) {
	if r.err != nil {
		return false, r.err
	}
	r.space()
	if r.pos >= len(r.data) {
		return false, r.unexpected()
	}
	fresh := r.fresh
	r.fresh = false
	switch c := r.data[r.pos]; {
	case c == closing:
		r.pos++
		r.depth--
		return false, nil
	case fresh:
		return true, nil
	case c != ',':
		return false, r.unexpected()
	}
	r.pos++
	r.space()
	return true, nil
}

// Name takes the next member's name of the object that was begun last, up to and with the
// colon; its value comes next. It returns false after the closing brace.
func (r *Reader) Name() (string, bool, error) {
	if r.pos < len(r.data) {
		at := -1
		switch c := r.data[r.pos]; {
		case c == '}':
			r.pos++
			r.depth--
			r.fresh = false
			return "", false, nil
		case c == ',' && !r.fresh:
			at = r.pos + 1
		case c == '"' && r.fresh:
			at = r.pos
		}
		if name, ok := r.quickName(at); ok {
			r.fresh = false
			return name, true, nil
		}
	}
	return r.slowName()
}

// quickName takes a name and its colon at i, which may be out of bounds, if they are as most
// are: no escape, no white space, ASCII.
func (r *Reader) quickName(i int) (string, bool) {
	if uint(i) >= uint(len(r.data)) || r.data[i] != '"' {
		return "", false
	}
	i++
	n, wide := plainLen(r.data[i:])
	end := i + n
	if wide || end+1 >= len(r.data) || r.data[end] != '"' || r.data[end+1] != ':' {
		return "", false
	}
	r.pos = end + 2
	return view(r.data[i:end]), true
}

func (r *Reader) slowName() (string, bool, error) {
	more, err := r.next('}')
	if !more {
		return "", false, err
	}
	if r.pos >= len(r.data) || r.data[r.pos] != '"' {
		return "", false, r.unexpected()
	}
	name, err := r.text()
	if err != nil {
		return "", false, err
	}
	r.space()
	if r.pos >= len(r.data) || r.data[r.pos] != ':' {
		return "", false, r.unexpected()
	}
	r.pos++
	return name, true, nil
}

// Element moves to the next element of the array that was begun last. It returns false
// after the closing bracket.
func (r *Reader) Element() (bool, error) { return r.next(']') }

// Null takes a null if one comes next, and tells so. DynamoDB takes a null member for an
// absent one.
func (r *Reader) Null() bool {
	if r.pos < len(r.data) && r.data[r.pos] > ' ' && r.data[r.pos] != 'n' {
		return false
	}
	return r.Kind() == Null && r.literal("null") == nil
}

func (r *Reader) literal(word string) error {
	if len(r.data)-r.pos < len(word) || string(r.data[r.pos:r.pos+len(word)]) != word {
		return r.unexpected()
	}
	r.pos += len(word)
	return nil
}
