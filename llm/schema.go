package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a JSON Schema (draft 2020-12 or 7) that an answer must satisfy. It does
// not change once made.
type Schema struct {
	name     string
	raw      json.RawMessage
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

var schemaName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// NewSchema parses a JSON Schema. The name, of letters, digits, '_' and '-', is
// shown to models. References to other documents are an error.
func NewSchema(name string, raw []byte) (*Schema, error) {
	if !schemaName.MatchString(name) {
		return nil, fmt.Errorf("schema name %q: want 1 to 64 letters, digits, '_' or '-'", name)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s := &Schema{name: name, raw: compact.Bytes(), schema: new(jsonschema.Schema)}
	if err := json.Unmarshal(s.raw, s.schema); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	var err error
	if s.resolved, err = s.schema.Resolve(nil); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return s, nil
}

// MustSchema is NewSchema for schemas that are part of the program; it panics on
// an error.
func MustSchema(name string, raw []byte) *Schema {
	s, err := NewSchema(name, raw)
	if err != nil {
		panic(err)
	}
	return s
}

// SchemaFor infers the schema of a Go type from its fields and their json and
// jsonschema tags. Fields without omitempty are required.
func SchemaFor[T any](name string) (*Schema, error) {
	inferred, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	raw, err := json.Marshal(inferred)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return NewSchema(name, raw)
}

// Name returns the schema's name.
func (s *Schema) Name() string { return s.name }

// JSON returns the schema without spaces. The caller must not change it.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Tree returns the parsed schema. The caller must not change it.
func (s *Schema) Tree() *jsonschema.Schema { return s.schema }

// Validate reports how the JSON value breaks the schema, nil if it does not.
func (s *Schema) Validate(value []byte) error {
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	return s.resolved.Validate(v)
}

// Decode reads a structured answer into v.
func (r *Response) Decode(v any) error {
	if err := json.Unmarshal([]byte(r.Text), v); err != nil {
		return &Error{Kind: InvalidOutput, Provider: r.Provider, Model: r.Model, Text: r.Text, Err: err}
	}
	return nil
}
