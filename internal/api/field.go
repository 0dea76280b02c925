package api

import (
	"iter"
	"reflect"
	"strings"
)

// field is one member of the JSON object that a struct stands for.
type field struct {
	name     string
	typ      reflect.Type
	index    []int
	optional bool // left out when it is empty
	zero     bool // empty means zero, as with omitzero
	null     bool // written as null when it is empty, with the tag empty:"null"
	tag      reflect.StructTag
}

// fieldsOf yields the members of a struct in order, those of embedded structs in
// their place. Every field must have a json tag or be embedded: what is public
// is written down, never guessed from a Go name.
func fieldsOf(t reflect.Type) iter.Seq[field] {
	return func(yield func(field) bool) { walkFields(t, nil, yield) }
}

func walkFields(t reflect.Type, at []int, yield func(field) bool) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), at...), i)
		tag, tagged := f.Tag.Lookup("json")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			if !walkFields(f.Type, index, yield) {
				return false
			}
			continue
		case !f.IsExported():
			continue
		case !tagged:
			panic("api: " + t.String() + "." + f.Name + " has no json tag; without one it cannot be in the API")
		}
		name, options, _ := strings.Cut(tag, ",")
		zero := strings.Contains(options, "omitzero")
		m := field{name: name, typ: f.Type, index: index, tag: f.Tag, zero: zero, null: f.Tag.Get("empty") == "null", optional: zero || strings.Contains(options, "omitempty")}
		if !yield(m) {
			return false
		}
	}
	return true
}
