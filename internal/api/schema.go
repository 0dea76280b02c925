package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
)

// problemShape is the shape of errors; like all others it is in the document
// once.
func (a *API) problemShape() *shape { return a.shapes.of(reflect.TypeFor[Problem]()) }

// schema writes a shape where it is used: in place, or by name.
func (sh *shape) schema() m {
	if sh.name == "" {
		return sh.definition()
	}
	ref := sh.reference()
	if sh.rules.doc != "" {
		ref["description"] = sh.rules.doc
	}
	if sh.nullable {
		return m{"anyOf": []any{ref, m{"type": "null"}}}
	}
	return ref
}

func (sh *shape) reference() m { return m{"$ref": "#/components/schemas/" + sh.name} }

// typeNames are the kinds in JSON Schema.
var typeNames = [...]string{object: "object", dictionary: "object", array: "array", text: "string", integer: "integer", number: "number", boolean: "boolean"}

// bounds are what min and max are called in JSON Schema.
var bounds = map[kind][2]string{
	dictionary: {"minProperties", "maxProperties"}, array: {"minItems", "maxItems"},
	text: {"minLength", "maxLength"}, integer: {"minimum", "maximum"}, number: {"minimum", "maximum"},
}

// definition writes a shape as JSON Schema 2020-12.
func (sh *shape) definition() m {
	s := m{}
	if sh.rules.doc != "" {
		s["description"] = sh.rules.doc
	}
	if sh.kind == anything {
		return s
	}
	s["type"] = typeNames[sh.kind]
	if sh.nullable {
		s["type"] = []any{typeNames[sh.kind], "null"}
	}
	if sh.rules.format != "" {
		s["format"] = sh.rules.format
	}
	if len(sh.rules.enum) > 0 {
		s["enum"] = sh.enum()
	}
	if sh.rules.example != "" {
		s["examples"] = []any{presetOf(sh, sh.rules.example)}
	}
	names := bounds[sh.kind]
	if sh.rules.min != nil {
		s[names[0]] = *sh.rules.min
	}
	if sh.rules.max != nil {
		s[names[1]] = *sh.rules.max
	}
	switch sh.kind {
	case array:
		s["items"] = sh.elem.schema()
	case dictionary:
		s["additionalProperties"] = sh.elem.schema()
	case object:
		sh.members.write(s)
	}
	return s
}

func (sh *shape) enum() []any {
	var all []any
	for _, v := range sh.rules.enum {
		all = append(all, v)
	}
	if sh.nullable {
		all = append(all, nil)
	}
	return all
}

// write adds an object's members. It allows no others: so does check.
func (ms *members) write(s m) {
	props := m{}
	var required []string
	for _, p := range ms.props {
		props[p.name] = p.shape.schema()
		if p.required {
			required = append(required, p.name)
		}
	}
	s["properties"] = props
	s["additionalProperties"] = false
	if len(required) > 0 {
		slices.Sort(required)
		s["required"] = required
	}
}

// indentJSON writes a value for people and programs alike.
func indentJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// boundText writes a bound as a person would.
func boundText(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
