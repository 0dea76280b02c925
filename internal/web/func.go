package web

import (
	"pressroom/internal/story"

	"fmt"
	"html/template"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/web/safehtml"
)

// funcs are what templates can call, bound to one language.
func (s *Site) funcs(lang string) template.FuncMap {
	at := stamps[lang]
	return template.FuncMap{
		// t is the words of a key, with {0}, {1} … replaced. With a time element among
		// them it is HTML.
		"t": func(key string, args ...any) any { return s.markup(lang, key, args) },
		// tor is t for keys made of data, with what to show for an unknown one.
		"tor": func(key, otherwise string) string { return s.textOr(lang, key, otherwise) },
		// say translates a sentence of the program, such as a field's error.
		"say": func(sentence string) string { return s.say(lang, sentence) },
		// date and datetime are time elements; both take a time.Time or a text.
		"date":     func(v any) template.HTML { return s.element(v, at.date) },
		"datetime": func(v any) template.HTML { return s.element(v, at.minute) },
		"today":    func() template.HTML { return s.today(lang) },
		"number":   number,
		"asset":    s.assets.url,
		// sanitise makes text from outside safe to show.
		"sanitise": safehtml.Sanitise,
		"plain":    safehtml.Text,
		// langof is the language of a text, as far as it can be told.
		"langof": func(text string) string { return story.LanguageOf(text) },
		// Arguments of components.
		"dict":  dict,
		"list":  func(all ...any) []any { return all },
		"field": newField,
		"crumb": func(title, path string) Crumb { return Crumb{title, path} },
		"tab":   func(title, path string, current bool) Tab { return Tab{title, path, current} },
		"role":  auth.ParseRole,
		"join":  strings.Join,
		"agent": agentName,
	}
}

// dict makes a map of names and values, for a component that takes several.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: %d arguments are not pairs", len(pairs))
	}
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is not a name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// Crumb is one step of the way to a page.
type Crumb struct{ Title, Path string }

// Tab is one of several views of a page.
type Tab struct {
	Title, Path string
	Current     bool
}

// Choice is an option of a select or of radio buttons.
type Choice struct{ Value, Label string }

// Field is a labelled input. Templates make one with
//
//	{{template "field" (field "name" "title" "label" (t "blog.headline") "value" .Data.Title "error" (.Problem "title"))}}
//
// where any field below can be named, in lower case.
type Field struct {
	Name         string
	ID           string // the name by default
	Label        string
	Hint         string
	Error        string
	Kind         string // text by default; also textarea, select, radio, checkbox, or an input's type
	Value        any
	Required     bool
	Autocomplete string
	Placeholder  string
	Choices      []Choice
	Rows         int
	Max          int // characters
	Min          int // characters
	Pattern      string
	Inputmode    string
	Accept       string // of a file input
	Lang         string // of the text, if it is not the page's
	Autofocus    bool
}

// Checked reports whether a choice, or the checkbox, holds.
func (f Field) Checked(value string) bool { return fmt.Sprint(f.Value) == value }

// DescribedBy lists the ids of what is said about the input.
func (f Field) DescribedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.ID+"-hint")
	}
	if f.Error != "" {
		ids = append(ids, f.ID+"-error")
	}
	return strings.Join(ids, " ")
}

func newField(pairs ...any) (Field, error) {
	f := Field{Kind: "text", Value: "", Rows: 6}
	texts := map[string]*string{
		"name": &f.Name, "id": &f.ID, "label": &f.Label, "hint": &f.Hint, "error": &f.Error, "kind": &f.Kind,
		"autocomplete": &f.Autocomplete, "placeholder": &f.Placeholder, "pattern": &f.Pattern,
		"inputmode": &f.Inputmode, "accept": &f.Accept, "lang": &f.Lang,
	}
	values, err := dict(pairs...)
	if err != nil {
		return f, err
	}
	for name, value := range values {
		ok := true
		switch name {
		case "value":
			f.Value = value
		case "required":
			f.Required, ok = value.(bool)
		case "autofocus":
			f.Autofocus, ok = value.(bool)
		case "choices":
			f.Choices, ok = value.([]Choice)
		case "rows":
			f.Rows, ok = value.(int)
		case "max":
			f.Max, ok = value.(int)
		case "min":
			f.Min, ok = value.(int)
		default:
			var text *string
			if text, ok = texts[name]; ok {
				*text = fmt.Sprint(value)
			}
		}
		if !ok {
			return f, fmt.Errorf("field: %s cannot be %T", name, value)
		}
	}
	if f.Name == "" || f.Label == "" {
		return f, fmt.Errorf("field: a name and a label are needed")
	}
	if f.ID == "" {
		f.ID = f.Name
	}
	return f, nil
}
