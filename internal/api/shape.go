package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// shape is what JSON a Go type stands for. It is made once per type, when an
// operation is registered; it judges what comes in (check.go) and is written
// into the specification (openapi.go), so that the two cannot differ.
type shape struct {
	kind     kind
	name     string // of the component; "" for what is written in place
	nullable bool
	rules    rules

	*members        // of an object
	elem     *shape // of an array or a dictionary
}

// members are shared by all shapes of one struct, so that it may contain itself.
type members struct {
	props []prop // in the order of the struct
	index map[string]int
}

// prop is one member of an object.
type prop struct {
	name     string
	required bool
	shape    *shape
}

// rules are what a field's tags say.
type rules struct {
	doc      string
	example  string
	format   string
	enum     []string
	min, max *float64 // of the number, the characters or the elements
}

type kind uint8

const (
	anything kind = iota
	object
	dictionary
	array
	text
	integer
	number
	boolean
)

// noun says what a value of the kind is called in a message.
var noun = [...]string{
	anything: "a value", object: "an object", dictionary: "an object", array: "a list",
	text: "text", integer: "a whole number", number: "a number", boolean: "true or false",
}

var (
	timeType      = reflect.TypeFor[time.Time]()
	rawType       = reflect.TypeFor[json.RawMessage]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
	texterType    = reflect.TypeFor[encoding.TextMarshaler]()
)

// shapes makes shapes and knows those with a name. It is not safe for use from
// many goroutines: operations are registered one after the other.
type shapes struct {
	named map[string]*shape
	types map[reflect.Type]*shape
}

func newShapes() *shapes {
	return &shapes{named: map[string]*shape{}, types: map[reflect.Type]*shape{}}
}

// of returns the shape of a type. A type that has none is a mistake of the
// programmer, and panics with its name.
func (s *shapes) of(t reflect.Type) *shape {
	if known, ok := s.types[t]; ok {
		return known
	}
	switch {
	case t == timeType:
		return &shape{kind: text, rules: rules{format: "date-time"}}
	case t == rawType || t.Kind() == reflect.Interface:
		return &shape{kind: anything}
	case t.Kind() == reflect.Pointer:
		inner := *s.of(t.Elem())
		inner.nullable = true
		return &inner
	case t.Implements(marshalerType) || reflect.PointerTo(t).Implements(marshalerType):
		panic(fmt.Sprintf("api: %s writes its own JSON, which the specification cannot describe", t))
	case t.Implements(texterType):
		return &shape{kind: text}
	}
	switch t.Kind() {
	case reflect.String:
		return &shape{kind: text}
	case reflect.Bool:
		return &shape{kind: boolean}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return integerShape(t)
	case reflect.Float32, reflect.Float64:
		return &shape{kind: number}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &shape{kind: text, rules: rules{format: "byte"}}
		}
		return &shape{kind: array, elem: s.of(t.Elem())}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return &shape{kind: dictionary, elem: s.of(t.Elem())}
		}
	case reflect.Struct:
		return s.object(t)
	}
	panic(fmt.Sprintf("api: %s has no form in JSON", t))
}

// integerShape bounds a whole number by what its type can hold. What is wider
// than a float64's 53 bits is bounded by those, since most readers of JSON are.
func integerShape(t reflect.Type) *shape {
	low, high := -float64(1<<53), float64(1<<53)
	if bits := t.Bits(); bits < 53 {
		low, high = -float64(int64(1)<<(bits-1)), float64(int64(1)<<(bits-1)-1)
		if t.Kind() >= reflect.Uint {
			high = float64(uint64(1)<<bits - 1)
		}
	}
	if t.Kind() >= reflect.Uint {
		low = 0
	}
	return &shape{kind: integer, rules: rules{min: &low, max: &high}}
}

// object makes the shape of a struct. It is known before its fields are looked
// at, so that a struct may contain lists of itself.
func (s *shapes) object(t reflect.Type) *shape {
	o := &shape{kind: object, members: &members{index: map[string]int{}}}
	if name := componentName(t); name != "" {
		if _, taken := s.named[name]; taken {
			panic(fmt.Sprintf("api: two types are called %s in the specification; the second is %s", name, t))
		}
		o.name = name
		s.named[name] = o
	}
	s.types[t] = o
	s.fields(o, t)
	return o
}

func (s *shapes) fields(o *shape, t reflect.Type) {
	for f := range fieldsOf(t) {
		p := prop{name: f.name, required: !f.optional}
		sub := *s.of(f.typ)
		if f.optional && f.typ.Kind() == reflect.Pointer {
			sub.nullable = false // absent says the same, and only one way is allowed
		}
		sub.nullable = sub.nullable || f.null
		sub.tags(f.tag)
		p.shape = &sub
		o.index[p.name] = len(o.props)
		o.props = append(o.props, p)
	}
}

// tags reads a field's rules. They are said of the place, not of the type, so
// the shape is the field's own copy.
func (sh *shape) tags(tag reflect.StructTag) {
	sh.rules.doc = tag.Get("doc")
	sh.rules.example = tag.Get("example")
	if format := tag.Get("format"); format != "" {
		sh.rules.format = format
	}
	if enum := tag.Get("enum"); enum != "" {
		sh.rules.enum = strings.Split(enum, ",")
	}
	for name, into := range map[string]**float64{"min": &sh.rules.min, "max": &sh.rules.max} {
		value, ok := tag.Lookup(name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic(fmt.Sprintf("api: the tag %s:%q is no number", name, value))
		}
		*into = &n
	}
}

// componentName is what a type is called in the specification: its own name,
// after the desk's if it is a desk's: blogapi.Post is BlogPost. Types without a
// name are written in place.
func componentName(t reflect.Type) string {
	name, args, generic := strings.Cut(t.Name(), "[")
	if name == "" {
		return ""
	}
	if generic {
		// List[pressroom/internal/desk/blog/blogapi.Post] is BlogPostList.
		return nameOf(strings.TrimSuffix(args, "]")) + name
	}
	return nameOf(t.PkgPath() + "." + name)
}

func nameOf(qualified string) string {
	path, name, ok := cutLast(qualified, ".")
	if !ok {
		return upper(qualified) // a type of the language: string
	}
	_, pkg, _ := cutLast("/"+path, "/")
	pkg = strings.TrimSuffix(strings.TrimSuffix(pkg, "_test"), "api")
	return upper(pkg) + upper(name)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func upper(s string) string {
	if s == "" {
		return ""
	}
	r := []rune(s)
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}
