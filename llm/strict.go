package llm

import (
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Strict tells whether every object in the schema requires all its properties and
// allows no others, which services ask of a schema that decoding is held to. It
// is for providers.
func (s *Schema) Strict() bool { return strict(s.schema) }

func strict(s *jsonschema.Schema) bool {
	if s == nil {
		return true
	}
	if s.Not != nil || s.If != nil || len(s.AllOf) > 0 || len(s.OneOf) > 0 || len(s.PatternProperties) > 0 ||
		len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 || len(s.PrefixItems) > 0 {
		return false
	}
	if s.Type == "object" || len(s.Properties) > 0 {
		if !closed(s) {
			return false
		}
		for name := range s.Properties {
			if !slices.Contains(s.Required, name) {
				return false
			}
		}
	}
	for _, sub := range children(s) {
		if !strict(sub) {
			return false
		}
	}
	return true
}

// closed tells whether additionalProperties is false, which the library reads as
// {"not": {}}.
func closed(s *jsonschema.Schema) bool {
	return s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
}

func children(s *jsonschema.Schema) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, p := range s.Properties {
		out = append(out, p)
	}
	for _, d := range s.Defs {
		out = append(out, d)
	}
	for _, d := range s.Definitions {
		out = append(out, d)
	}
	out = append(out, s.AnyOf...)
	if s.Items != nil {
		out = append(out, s.Items)
	}
	return out
}

// loosened are the keywords that constrained decoders of some services refuse.
// Answers are still checked against them here.
var loosened = []string{
	"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"maxItems", "uniqueItems", "contains", "minContains", "maxContains", "minProperties", "maxProperties",
	"pattern", "propertyNames", "patternProperties", "dependentRequired", "dependentSchemas", "if", "then", "else", "not",
	"$schema", "$id", "$comment", "default", "examples",
}

// Loosened returns the schema without the keywords that constrained decoding does
// not know, and with every object closed unless it says how it is open. It is for
// providers; answers are still validated against the whole schema.
func (s *Schema) Loosened() json.RawMessage {
	var tree any
	if err := json.Unmarshal(s.raw, &tree); err != nil {
		return s.raw
	}
	out, err := json.Marshal(loosen(tree))
	if err != nil {
		return s.raw
	}
	return out
}

func loosen(v any) any {
	node, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, keyword := range loosened {
		delete(node, keyword)
	}
	if n, ok := node["minItems"].(float64); ok && n > 1 {
		node["minItems"] = 1
	}
	for _, keyword := range []string{"properties", "$defs", "definitions"} {
		if named, ok := node[keyword].(map[string]any); ok {
			for name, sub := range named {
				named[name] = loosen(sub)
			}
		}
	}
	for _, keyword := range []string{"anyOf", "allOf", "oneOf"} {
		if list, ok := node[keyword].([]any); ok {
			for i, sub := range list {
				list[i] = loosen(sub)
			}
		}
	}
	if items, ok := node["items"]; ok {
		node["items"] = loosen(items)
	}
	if _, ok := node["properties"]; ok {
		node["additionalProperties"] = false
	}
	return node
}
