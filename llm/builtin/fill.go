package builtin

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"pressroom/llm"
)

// maxDepth bounds schemas that contain themselves.
const maxDepth = 16

// fillSchema returns JSON of the request's schema, filled from the document with
// texts of about so many sentences.
func fillSchema(req *llm.Request, doc *document, sentences int) (string, error) {
	f := &filler{root: req.Schema.Tree(), doc: doc, sentences: sentences}
	value, _ := f.value(f.root, place{scope: doc.all})
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	text := strings.TrimSpace(b.String())
	return text, req.Schema.Validate([]byte(text))
}

type filler struct {
	root      *jsonschema.Schema
	doc       *document
	sentences int
}

// place is where in the schema a value goes, and what it is about.
type place struct {
	name  string
	depth int
	scope scope
	// pick are the sentences that the object around is about, nil if it is about
	// its scope as a whole.
	pick []*sentence
	// beside are the sentences of the other objects in the list around.
	beside []*sentence
	// most is how many sentences a list takes.
	most int
	// speaker and gloss are set in lists of those.
	speaker string
	gloss   *llm.Gloss
}

func (p place) at(name string) place {
	p.name = name
	p.depth++
	return p
}

// value returns a value for the schema; known is false if nothing in the passages
// says what it should be, so that it is better left out.
func (f *filler) value(s *jsonschema.Schema, p place) (v any, known bool) {
	s = f.resolve(s)
	switch {
	case s.Const != nil:
		return *s.Const, true
	case len(s.Enum) > 0:
		return f.choose(s.Enum, p)
	case len(s.AnyOf) > 0 || len(s.OneOf) > 0:
		return f.branch(slices.Concat(s.AnyOf, s.OneOf), p)
	}
	types := typesOf(s)
	nullable := slices.Contains(types, "null")
	for _, t := range types {
		switch t {
		case "object":
			v, known = f.object(s, p)
		case "array":
			v, known = f.array(s, p)
		case "string":
			v, known = f.text(s, p)
		case "integer", "number":
			v, known = f.number(s, p)
		case "boolean":
			v, known = false, false
		default:
			continue
		}
		break
	}
	if nullable && !known {
		return nil, false
	}
	return v, known
}

// typesOf returns the types that a schema names, or means by its other keywords.
func typesOf(s *jsonschema.Schema) []string {
	switch {
	case s.Type != "":
		return []string{s.Type}
	case len(s.Types) > 0:
		return s.Types
	case len(s.Properties) > 0 || len(s.Required) > 0:
		return []string{"object"}
	case s.Items != nil:
		return []string{"array"}
	}
	return []string{"string"}
}

// resolve follows references inside the schema and puts allOf together.
func (f *filler) resolve(s *jsonschema.Schema) *jsonschema.Schema {
	for range maxDepth {
		name, ok := strings.CutPrefix(s.Ref, "#")
		if !ok {
			break
		}
		switch target := name[strings.LastIndexByte(name, '/')+1:]; {
		case name == "":
			s = f.root
		case f.root.Defs[target] != nil:
			s = f.root.Defs[target]
		case f.root.Definitions[target] != nil:
			s = f.root.Definitions[target]
		default:
			return s
		}
	}
	if len(s.AllOf) == 0 {
		return s
	}
	whole := *s
	whole.Properties = map[string]*jsonschema.Schema{}
	for _, part := range append([]*jsonschema.Schema{{Type: s.Type, Properties: s.Properties, Required: s.Required}}, s.AllOf...) {
		part = f.resolve(part)
		if whole.Type == "" {
			whole.Type = part.Type
		}
		whole.Required = append(slices.Clone(whole.Required), part.Required...)
		for name, sub := range part.Properties {
			whole.Properties[name] = sub
		}
	}
	return &whole
}

// choose returns the value of an enumeration that the text mentions most, else the
// first.
func (f *filler) choose(values []any, p place) (any, bool) {
	best, most := values[0], 0
	text := strings.ToLower(f.doc.text())
	for _, v := range values {
		if word, ok := v.(string); ok && word != "" {
			if n := strings.Count(text, strings.ToLower(word)); n > most {
				best, most = v, n
			}
		}
	}
	if is(languageNames, p.name) && slices.Contains(values, any(f.doc.language())) {
		return f.doc.language(), true
	}
	return best, most > 0
}

// branch takes the first alternative that can be known, else null if that is one,
// else the first.
func (f *filler) branch(branches []*jsonschema.Schema, p place) (any, bool) {
	var first any
	seen, null := false, false
	for _, b := range branches {
		if f.resolve(b).Type == "null" {
			null = true
			continue
		}
		v, known := f.value(b, p)
		if known {
			return v, true
		}
		if !seen {
			first, seen = v, true
		}
	}
	if null {
		return nil, false
	}
	return first, false
}

// object fills the properties that are known or required.
func (f *filler) object(s *jsonschema.Schema, p place) (any, bool) {
	out := map[string]any{}
	if p.depth > maxDepth {
		return out, false
	}
	p = f.focus(s, p)
	known := false
	for name, sub := range s.Properties {
		v, ok := f.value(sub, p.at(name))
		known = known || ok
		if ok || slices.Contains(s.Required, name) {
			out[name] = v
		}
	}
	for _, name := range s.Required {
		if _, ok := out[name]; !ok {
			out[name], _ = f.value(&jsonschema.Schema{Type: "string"}, p.at(name))
		}
	}
	return out, known
}

// focus decides what an object is about: one passage if it has an order, chosen
// sentences if it cites orders or quotes.
func (f *filler) focus(s *jsonschema.Schema, p place) place {
	if p.pick != nil {
		return p
	}
	if has(s, orderNames) && p.scope.to-p.scope.from > 1 {
		if best := diverse(p.scope.sentences, 1); len(best) > 0 {
			p.scope = p.scope.part(best[0].passage, best[0].passage+1)
		}
	}
	switch {
	case has(s, quoteNames):
		p.pick = p.scope.best(1)
	case has(s, orderListNames):
		p.pick = p.scope.best(f.count(p.name))
	}
	return p
}

func has(s *jsonschema.Schema, names map[string]bool) bool {
	for name := range s.Properties {
		if is(names, name) {
			return true
		}
	}
	return false
}

// count is how many sentences a text of that name gets.
func (f *filler) count(name string) int {
	if is(briefNames, name) {
		return max(1, f.sentences/2)
	}
	return f.sentences
}
