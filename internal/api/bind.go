package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/errs"
)

// binding is how a request becomes an operation's input.
type binding struct {
	params []param
	query  map[string]bool // the names that the query may have
	body   []int           // the field of the JSON body; nil if there is none
	upload []int           // the field of an Upload
	shape  *shape          // of the body
	edit   bool            // it embeds Edit
}

// param is one parameter: of the path, the query or a header.
type param struct {
	in       string
	name     string
	index    []int
	required bool
	preset   string
	many     bool // a list: the parameter may be repeated
	shape    *shape
	set      func(reflect.Value, string) error
}

var (
	untexterType = reflect.TypeFor[encoding.TextUnmarshaler]()
	uploadType   = reflect.TypeFor[Upload]()
	editType     = reflect.TypeFor[Edit]()
)

// bind reads the tags of an input struct.
func (a *API) bind(t reflect.Type, o *operation) *binding {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("api: %s: the input %s is no struct", o.ID, t))
	}
	b := &binding{query: map[string]bool{}}
	a.bindFields(b, t, nil, o)
	for _, name := range placeholders(o.path) {
		if !slices.ContainsFunc(b.params, func(p param) bool { return p.in == "path" && p.name == name }) {
			panic(fmt.Sprintf("api: %s: no field takes {%s} of the path", o.ID, name))
		}
	}
	return b
}

// placeholders returns the names in a path: "id" in /posts/{id}.
func placeholders(path string) []string {
	var names []string
	for _, part := range strings.Split(path, "/") {
		if strings.HasPrefix(part, "{") && part != "{$}" {
			names = append(names, strings.TrimSuffix(strings.Trim(part, "{}"), "..."))
		}
	}
	return names
}

func (a *API) bindFields(b *binding, t reflect.Type, at []int, o *operation) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			b.edit = b.edit || f.Type == editType
			a.bindFields(b, f.Type, index, o)
		case !f.IsExported():
		case f.Type == uploadType:
			b.upload = index
		case f.Name == "Body":
			b.body, b.shape = index, a.shapes.of(f.Type)
		default:
			p := a.param(f, index, o)
			b.query[p.name] = b.query[p.name] || p.in == "query"
			b.params = append(b.params, p)
		}
	}
}

func (a *API) param(f reflect.StructField, index []int, o *operation) param {
	for _, in := range []string{"path", "query", "header"} {
		name, ok := f.Tag.Lookup(in)
		if !ok {
			continue
		}
		p := param{in: in, name: name, index: index, preset: f.Tag.Get("default")}
		p.required = in == "path" || f.Tag.Get("required") == "true"
		sh := *a.shapes.of(f.Type)
		sh.tags(f.Tag)
		if choices := o.Choices[name]; len(choices) > 0 {
			sh.rules.enum = choices
		}
		p.shape, p.many = &sh, sh.kind == array
		typ := f.Type
		if p.many {
			typ = typ.Elem()
		}
		if p.set = setter(typ); p.set == nil {
			panic(fmt.Sprintf("api: %s: %s cannot be a parameter", o.ID, f.Type))
		}
		return p
	}
	panic(fmt.Sprintf("api: %s: the field %s is in no tag path, query or header", o.ID, f.Name))
}

// setter returns the function that reads a parameter's text into a field; nil if
// the type is none of a parameter's.
func setter(t reflect.Type) func(reflect.Value, string) error {
	if t == timeType {
		return func(v reflect.Value, s string) error {
			moment, err := time.Parse(time.RFC3339Nano, s)
			v.Set(reflect.ValueOf(moment))
			return err
		}
	}
	if reflect.PointerTo(t).Implements(untexterType) {
		return func(v reflect.Value, s string) error {
			u, _ := v.Addr().Interface().(encoding.TextUnmarshaler)
			return u.UnmarshalText([]byte(s))
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := setter(t.Elem())
		if inner == nil {
			return nil
		}
		return func(v reflect.Value, s string) error {
			v.Set(reflect.New(t.Elem()))
			return inner(v.Elem(), s)
		}
	case reflect.String:
		return func(v reflect.Value, s string) error { v.SetString(s); return nil }
	case reflect.Bool:
		return func(v reflect.Value, s string) error {
			v.SetBool(s == "true")
			return oneOf(s, "true", "false")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value, s string) error {
			n, err := strconv.ParseInt(s, 10, t.Bits())
			v.SetInt(n)
			return err
		}
	case reflect.Float32, reflect.Float64:
		return func(v reflect.Value, s string) error {
			n, err := strconv.ParseFloat(s, t.Bits())
			v.SetFloat(n)
			return err
		}
	}
	return nil
}

func oneOf(s string, words ...string) error {
	if !slices.Contains(words, s) {
		return strconv.ErrSyntax
	}
	return nil
}

// read fills the input from a request and its body. Every fault of the
// parameters is reported, then those of the body.
func (b *binding) read(in reflect.Value, r *http.Request, body []byte) error {
	if b.edit && r.Header.Get("If-Match") == "" {
		return &errs.Error{Kind: errs.Unversioned, Fields: []errs.Field{{Name: "If-Match", Message: "is missing"}}}
	}
	query, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		return err
	}
	faults := b.unknown(query)
	for i := range b.params {
		p := &b.params[i]
		values, given := p.values(r, query)
		if fault := p.read(in.FieldByIndex(p.index), values, given); fault != "" {
			faults = append(faults, errs.Field{Name: p.name, Message: fault})
		}
	}
	if len(faults) > 0 {
		return errs.Validation(faults...)
	}
	switch {
	case b.upload != nil:
		in.FieldByIndex(b.upload).Set(reflect.ValueOf(Upload{Type: mediaType(r), Data: body}))
	case b.body != nil:
		return b.readBody(in.FieldByIndex(b.body), body)
	}
	return nil
}

func (b *binding) readBody(into reflect.Value, body []byte) error {
	if err := check(body, b.shape); err != nil {
		return err
	}
	if err := json.Unmarshal(body, into.Addr().Interface()); err != nil {
		// The shape allows it and the type does not: a role that is none.
		return &errs.Error{Kind: errs.Invalid, Fields: []errs.Field{{Name: "body", Message: "cannot be read: " + err.Error()}}}
	}
	return nil
}

// parseQuery is url.ParseQuery for the strict: what cannot be read, or is no
// text, is named.
func parseQuery(raw string) (url.Values, error) {
	if raw == "" {
		return nil, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, unreadable("query", "is not encoded as a query")
	}
	for name, all := range values {
		if !utf8.ValidString(name) {
			return nil, unreadable("query", "has a name that is no valid UTF-8")
		}
		for _, v := range all {
			if !utf8.ValidString(v) {
				return nil, unreadable(name, "is no valid UTF-8")
			}
		}
	}
	return values, nil
}

func (b *binding) unknown(query url.Values) []errs.Field {
	var faults []errs.Field
	for name := range query {
		if !b.query[name] && len(faults) < maxFaults {
			faults = append(faults, errs.Field{Name: name, Message: "is no parameter of this"})
		}
	}
	slices.SortFunc(faults, func(x, y errs.Field) int { return compare(x.Name, y.Name) })
	return faults
}

// values returns what the request says for the parameter, and whether it does.
func (p *param) values(r *http.Request, query url.Values) ([]string, bool) {
	switch p.in {
	case "path":
		return []string{r.PathValue(p.name)}, true
	case "query":
		values, given := query[p.name]
		return values, given
	}
	values := r.Header.Values(p.name)
	return values, len(values) > 0
}

// read sets the field and says what is wrong.
func (p *param) read(into reflect.Value, values []string, given bool) string {
	switch {
	case !given && p.required:
		return "is missing"
	case !given && p.preset == "":
		return ""
	case !given:
		values = []string{p.preset}
	}
	if !p.many {
		if len(values) > 1 && p.in == "query" {
			return "is there twice"
		}
		return p.one(into, p.shape, strings.Join(values, ", "))
	}
	list := reflect.MakeSlice(into.Type(), len(values), len(values))
	if high := p.shape.rules.max; high != nil && float64(len(values)) > *high {
		return fmt.Sprintf("may be given at most %v times", *high)
	}
	for i, v := range values {
		if fault := p.one(list.Index(i), p.shape.elem, v); fault != "" {
			return fault
		}
	}
	into.Set(list)
	return ""
}

func (p *param) one(into reflect.Value, sh *shape, value string) string {
	if !utf8.ValidString(value) {
		return "is no valid UTF-8"
	}
	if fault := sh.judge(value); fault != "" {
		return fault
	}
	if err := p.set(into, value); err != nil {
		if sh.kind == text && sh.rules.format == "" {
			return err.Error() // the type's own words, as of a role
		}
		return "must be " + noun[sh.kind]
	}
	if sh.kind == integer || sh.kind == number {
		return sh.judgeNumber(value)
	}
	return ""
}
