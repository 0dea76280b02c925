package token

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"strings"
)

// The methods in this file take a value of a wanted type. When another comes, the error
// text is what the service's own deserialiser says.

// Classes of structures as the service names them in messages; prefix of
// BeginStruct, BeginMember and BeginMap arguments that have no dot of their own.
const classPrefix = "com.amazonaws.dynamodb.v20120810."

// String takes a string. The result is a view, see Reader.
func (r *Reader) String() (string, error) {
	if r.Kind() != String {
		return "", r.mismatch("String")
	}
	return r.text()
}

// Literal takes a string and returns what stands between its quotes, a view of the input.
// If it has escapes, Unescape makes text of it.
func (r *Reader) Literal() (body []byte, escaped bool, err error) {
	if (r.pos >= len(r.data) || r.data[r.pos] != '"') && r.Kind() != String {
		return nil, false, r.mismatch("String")
	}
	raw, err := r.scan()
	return raw.body, !raw.plain, err
}

// AppendString takes a string and appends it, decoded, to dst.
func (r *Reader) AppendString(dst []byte) ([]byte, error) {
	body, escaped, err := r.Literal()
	if err != nil {
		return nil, err
	}
	if escaped {
		return r.Unescape(dst, body)
	}
	return append(dst, body...), nil
}

// Bool takes a boolean; like the service also the strings true, false, yes, no, 1 and 0 in
// any case.
func (r *Reader) Bool() (bool, error) {
	switch r.Kind() {
	case True:
		return true, r.literal("true")
	case False:
		return false, r.literal("false")
	case String:
		s, err := r.text()
		if err != nil {
			return false, err
		}
		switch strings.ToLower(s) {
		case "true", "1", "yes":
			return true, nil
		case "false", "0", "no":
			return false, nil
		}
		return false, r.shape("Unexpected token received from parser")
	}
	return false, r.mismatch("Boolean")
}

// Int takes a whole number of the service's type Integer. A fraction is cut off, and a
// number beyond 64 bits is the nearest within.
func (r *Reader) Int() (int64, error) { return r.integer("Integer") }

// Long is Int for the service's type Long.
func (r *Reader) Long() (int64, error) { return r.integer("Long") }

func (r *Reader) integer(class string) (int64, error) {
	if r.Kind() != Number {
		return 0, r.mismatch(class)
	}
	text, err := r.number()
	if err != nil {
		return 0, err
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	f, _ := strconv.ParseFloat(text, 64)
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64, nil
	case f <= math.MinInt64:
		return math.MinInt64, nil
	}
	return int64(f), nil
}

// Double takes a number of the service's type Double.
func (r *Reader) Double() (float64, error) {
	if r.Kind() != Number {
		return 0, r.mismatch("Double")
	}
	text, err := r.number()
	if err != nil {
		return 0, err
	}
	f, _ := strconv.ParseFloat(text, 64)
	return f, nil
}

// Number takes a number and returns its text, a view of the input.
func (r *Reader) Number() (string, error) {
	if r.Kind() != Number {
		return "", r.mismatch("Number")
	}
	return r.number()
}

// AppendBlob takes a base64 string and appends the bytes it stands for to dst.
func (r *Reader) AppendBlob(dst []byte) ([]byte, error) {
	switch r.Kind() {
	case String:
	case True, False, Number:
		return nil, r.shape("only base-64-encoded strings are convertible to bytes")
	case Array:
		return nil, r.shape("Unrecognized collection type class java.nio.ByteBuffer")
	default:
		return nil, r.mismatch("Blob")
	}
	raw, err := r.scan()
	if err != nil {
		return nil, err
	}
	text := raw.body
	if !raw.plain {
		if text, err = r.Unescape(nil, text); err != nil {
			return nil, err
		}
	}
	if len(text)%4 != 0 {
		return nil, r.shape("Base64 encoded length is expected a multiple of 4 bytes but found: " + strconv.Itoa(len(text)))
	}
	// The standard decoder reads over line ends, which the service does not.
	if bytes.ContainsAny(text, "\r\n") {
		return nil, r.shape(badBase64)
	}
	if dst, err = strictBase64.AppendDecode(dst, text); err != nil {
		return nil, r.shape(badBase64)
	}
	return dst, nil
}

const badBase64 = "Invalid last non-pad Base64 character dectected"

var strictBase64 = base64.StdEncoding.Strict()

// BeginArray opens a list; walk it with Element.
func (r *Reader) BeginArray() error {
	switch r.Kind() {
	case Array:
		return r.open()
	case Object:
		return r.shape("Start of structure or map found where not expected")
	case String, Number, True, False, Null:
		return r.shape("Unexpected field type")
	}
	return r.unexpected()
}

// BeginObject opens a document; walk it with Name.
func (r *Reader) BeginObject() error { return r.BeginStruct("") }

// BeginStruct opens an object that is a structure of the given class ("AttributeValue")
// and a member of another structure.
func (r *Reader) BeginStruct(class string) error {
	return r.begin("class ", class, "Unexpected field type")
}

// BeginMember opens an object that is a structure of the given class and an element of a
// list or a value of a map.
func (r *Reader) BeginMember(class string) error {
	return r.begin("class ", class, "Unexpected value type in payload")
}

// BeginUnion is BeginMember and the first Name in one: it opens a structure of which one
// member is set as a rule, such as an attribute value.
func (r *Reader) BeginUnion(class string) (string, bool, error) {
	if i := r.pos; i+1 < len(r.data) && r.data[i] == '{' && r.data[i+1] == '"' && r.depth < MaxDepth {
		if name, ok := r.quickName(i + 1); ok {
			r.depth++
			r.fresh = false
			return name, true, nil
		}
	}
	if err := r.BeginMember(class); err != nil {
		return "", false, err
	}
	return r.Name()
}

// BeginMap opens an object that maps names to values of the given class.
func (r *Reader) BeginMap(class string) error {
	return r.begin("java.util.Map<java.lang.String, ", class, "Unexpected field type")
}

func (r *Reader) begin(prefix, class, scalar string) error {
	switch r.Kind() {
	case Object:
		return r.open()
	case Array:
		if !strings.Contains(class, ".") {
			class = classPrefix + class
		}
		if strings.HasSuffix(prefix, ", ") {
			class += ">"
		}
		return r.shape("Unrecognized collection type " + prefix + class)
	case String, Number, True, False, Null:
		return r.shape(scalar)
	}
	return r.unexpected()
}

// mismatch says that the next value is not of the Java class named.
func (r *Reader) mismatch(class string) error {
	switch r.Kind() {
	case Object:
		return r.shape("Start of structure or map found where not expected")
	case Array:
		return r.shape("Unrecognized collection type class java.lang." + class)
	case String:
		return r.shape("STRING_VALUE cannot be converted to " + class)
	case True:
		return r.shape("TRUE_VALUE cannot be converted to " + class)
	case False:
		return r.shape("FALSE_VALUE cannot be converted to " + class)
	case Null:
		return r.shape("NULL_VALUE cannot be converted to " + class)
	case Number:
		return r.numberMismatch(class)
	}
	return r.unexpected()
}

func (r *Reader) numberMismatch(class string) error {
	start := r.pos
	text, err := r.number()
	if err != nil {
		return err
	}
	r.pos = start
	if strings.ContainsAny(text, ".eE") {
		return r.shape("DECIMAL_VALUE cannot be converted to " + class)
	}
	return r.shape("NUMBER_VALUE cannot be converted to " + class)
}
