// Package token reads JSON that is already in memory, one token at a time, without
// reflection and without an allocation for what can be a view of the input.
//
// A [Reader] walks a document from front to back: peek with [Reader.Kind], take scalars
// with [Reader.String], [Reader.Int] and their like, walk objects with
// [Reader.BeginObject] and [Reader.Name], arrays with [Reader.BeginArray] and
// [Reader.Element], and leave out what is of no interest with [Reader.Skip].
//
// The reader is strict: RFC 8259 and nothing beside it, valid UTF-8 only, escapes of lone
// surrogates refused, nesting bounded by [MaxDepth]. Work is linear in the input, and
// memory is at most one buffer as long as the input. Duplicate names are handed out in
// the order they come; whoever reads decides (Amazon DynamoDB lets the last one win).
//
// Where a value has another type than the caller asked for, the error text is the one
// that DynamoDB answers in a SerializationException ("NUMBER_VALUE cannot be converted
// to String"), so that a server can pass it on; see shape.go.
//
// Start reading at reader.go, then shape.go, string.go and skip.go.
package token

import "fmt"

// MaxDepth is how deep arrays and objects may be nested in one another. DynamoDB's own
// limit of 32 levels of attributes needs about 70; what is deeper than that, but not
// deeper than MaxDepth, can still be read over to answer with the service's own message.
const MaxDepth = 1000

// Kind says what comes next in the input.
type Kind byte

const (
	// Invalid is anything that cannot start a value.
	Invalid Kind = iota
	// End means that only white space is left.
	End
	// Null is the literal null.
	Null
	// False is the literal false.
	False
	// True is the literal true.
	True
	// Number is a JSON number.
	Number
	// String is a JSON string.
	String
	// Array is an opening bracket.
	Array
	// Object is an opening brace.
	Object
)

var kindNames = [...]string{"invalid", "end", "null", "false", "true", "number", "string", "array", "object"}

// String names the kind for messages in logs and tests.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// Error is the first thing a Reader found wrong. It becomes a SerializationException.
type Error struct {
	// Offset is the position in the input, in bytes.
	Offset int
	// Message is DynamoDB's text when the JSON is well formed but of the wrong shape, and
	// a text of our own when it is not JSON.
	Message string
	// Syntax tells the two apart: true when the input is not JSON. DynamoDB sends no
	// message at all then.
	Syntax bool
}

// Error returns the message; for malformed input with the place.
func (e *Error) Error() string {
	if e.Syntax {
		return fmt.Sprintf("%s at offset %d", e.Message, e.Offset)
	}
	return e.Message
}
