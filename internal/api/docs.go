package api

import (
	"bytes"
	_ "embed" // the page's template and style
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

//go:embed docs.html
var docsHTML string

//go:embed docs.css
var docsCSS []byte

var docsTemplate = template.Must(template.New("docs").Funcs(template.FuncMap{"lower": strings.ToLower}).Parse(docsHTML))

// documentation puts the specification and the page about it on the mux. The page
// is written here, from the operations themselves, and loads nothing but its
// style: no script, nothing from other hosts.
func (a *API) documentation() {
	page := sync.OnceValues(a.docsPage)
	a.route("GET "+specPath, a.static("application/json", func() ([]byte, error) { return a.spec(), nil }))
	a.route("GET "+docsPath, a.static("text/html; charset=utf-8", page))
	a.route("GET /api", http.RedirectHandler(docsPath, http.StatusFound)) // which people type
	a.route("GET "+docsPath+".css", a.static("text/css; charset=utf-8", func() ([]byte, error) { return docsCSS, nil }))
}

// static answers with bytes that stay the same while the program runs.
func (a *API) static(contentType string, content func() ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := content()
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		tag := hashTag(body)
		h := w.Header()
		h["Cache-Control"] = []string{"public, max-age=300"}
		h["Etag"] = []string{tag}
		for has := range tagsIn(r.Header["If-None-Match"]) {
			if strings.TrimPrefix(has, "W/") == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		h["Content-Type"] = []string{contentType}
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
		_, _ = w.Write(body) // the caller may have left
	})
}

// document writes the specification once; registration is over by then.
func (a *API) document() []byte {
	text, err := indentJSON(a.specification())
	if err != nil {
		panic("api: the specification has no form in JSON: " + err.Error()) // maps of texts and numbers
	}
	return text
}

// What the page shows.
type (
	docsView struct {
		Version, Spec string
		Groups        []docsGroup
		Schemas       []docsSchema
		Problems      []docsProblem
	}
	docsGroup struct {
		Name string
		Ops  []docsOp
	}
	docsOp struct {
		ID, Method, Path, Summary, Access, Example string
		Doc                                        []string
		Params                                     []docsField
		Body, Answer                               docsType
		Uploads                                    []string
		Status                                     string
		Fails                                      []docsProblem
	}
	docsSchema struct {
		Name   string
		Fields []docsField
	}
	docsField struct {
		Name, In, Doc, Rules string
		Type                 docsType
		Required             bool
	}
	// docsType is a type in words; Link is the schema it leads to.
	docsType    struct{ Before, Link, Text string }
	docsProblem struct {
		Code, Message string
		Status        int
	}
)

func (a *API) docsPage() ([]byte, error) {
	v := docsView{Version: a.o.Version, Spec: specPath}
	a.problemShape()
	groups := map[string][]docsOp{}
	for _, o := range a.ops {
		groups[o.Tags[0]] = append(groups[o.Tags[0]], o.docs())
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		v.Groups = append(v.Groups, docsGroup{name, groups[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(a.shapes.named)) {
		v.Schemas = append(v.Schemas, docsSchema{name, fieldDocs(a.shapes.named[name])})
	}
	for k := range errs.Kinds() {
		if k != errs.Usage { // a command's alone
			v.Problems = append(v.Problems, problemDocs(k))
		}
	}
	var b bytes.Buffer
	err := docsTemplate.Execute(&b, v)
	return b.Bytes(), err
}

func problemDocs(k errs.Kind) docsProblem { return docsProblem{k.Code(), k.Message(), k.Status()} }

func (o *operation) docs() docsOp {
	d := docsOp{
		ID: o.ID, Method: o.method, Path: documentPath(o.path), Summary: o.Summary, Access: o.access.String(),
		Body: typeDocs(o.in.shape), Answer: typeDocs(o.out.shape), Example: o.example(),
		Status: strconv.Itoa(o.out.status) + " " + http.StatusText(o.out.status), Uploads: o.Takes,
	}
	if o.Doc != "" {
		d.Doc = strings.Split(o.Doc, "\n\n")
	}
	for _, p := range o.in.params {
		f := docsField{Name: p.name, In: p.in, Doc: p.shape.rules.doc, Rules: p.shape.rulesText(), Type: typeDocs(p.shape), Required: p.required || p.name == "If-Match"}
		if p.preset != "" {
			f.Rules = strings.TrimPrefix(f.Rules+", default "+p.preset, ", ")
		}
		d.Params = append(d.Params, f)
	}
	seen := map[errs.Kind]bool{}
	for _, k := range o.failures() {
		if !seen[k] && (slices.Contains(o.Fails, k) || k == errs.NotFound || k == errs.Stale || k == errs.Unversioned || k == errs.TooLarge) {
			d.Fails = append(d.Fails, problemDocs(k))
		}
		seen[k] = true
	}
	return d
}

// example is a command line that calls the operation.
func (o *operation) example() string {
	var b strings.Builder
	b.WriteString("curl")
	if o.method != http.MethodGet {
		b.WriteString(" -X " + o.method)
	}
	b.WriteString(" \"$PRESSROOM" + documentPath(o.path) + `"`)
	if o.access != auth.Everyone {
		b.WriteString(" \\\n  -H \"Authorization: Bearer $TOKEN\"")
	}
	if o.in.edit {
		b.WriteString(" \\\n  -H 'If-Match: \"7\"'")
	}
	switch {
	case o.in.upload != nil && len(o.Takes) > 0:
		b.WriteString(" \\\n  -H 'Content-Type: " + o.Takes[0] + "' --data-binary @file")
	case o.in.body != nil:
		b.WriteString(" \\\n  --json '" + exampleOf(o.in.shape, 0) + "'")
	}
	return b.String()
}

// exampleOf is a short document of the shape: what is required, or has an
// example.
func exampleOf(sh *shape, depth int) string {
	if sh.rules.example != "" {
		if sh.kind == text {
			return string(appendString(nil, sh.rules.example))
		}
		return sh.rules.example
	}
	switch sh.kind {
	case object:
		var parts []string
		for _, p := range sh.props {
			if depth < 3 && (p.required || p.shape.rules.example != "") {
				parts = append(parts, string(appendString(nil, p.name))+": "+exampleOf(p.shape, depth+1))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case dictionary:
		return "{}"
	case array:
		if sh.rules.min != nil && *sh.rules.min > 0 {
			return "[" + exampleOf(sh.elem, depth+1) + "]"
		}
		return "[]"
	case integer, number:
		if sh.rules.min != nil && *sh.rules.min > 0 {
			return boundText(*sh.rules.min)
		}
		return "0"
	case boolean:
		return "false"
	case text:
		return textExample(sh.rules)
	}
	return "null"
}

func textExample(r rules) string {
	switch {
	case len(r.enum) > 0:
		return `"` + r.enum[0] + `"`
	case r.format == "date-time":
		return `"2026-11-15T09:30:00.000Z"`
	case r.format == "date":
		return `"2026-11-15"`
	case r.format == "uri":
		return `"https://example.org/"`
	}
	return `"…"`
}

func fieldDocs(sh *shape) []docsField {
	var fields []docsField
	for _, p := range sh.props {
		fields = append(fields, docsField{Name: p.name, Doc: p.shape.rules.doc, Rules: p.shape.rulesText(), Type: typeDocs(p.shape), Required: p.required})
	}
	return fields
}

// typeDocs says in words what a shape is.
func typeDocs(sh *shape) docsType {
	switch {
	case sh == nil:
		return docsType{}
	case sh.name != "":
		return docsType{Link: sh.name}
	case sh.kind == array:
		inner := typeDocs(sh.elem)
		inner.Before = "list of " + inner.Before
		return inner
	case sh.kind == dictionary:
		inner := typeDocs(sh.elem)
		inner.Before = "map to " + inner.Before
		return inner
	case sh.kind == anything:
		return docsType{Text: "any JSON"}
	case sh.rules.format != "":
		return docsType{Text: sh.rules.format}
	}
	return docsType{Text: typeNames[sh.kind]}
}

// rulesText says in words what a value must be besides.
func (sh *shape) rulesText() string {
	var parts []string
	if len(sh.rules.enum) > 0 {
		parts = append(parts, "one of "+strings.Join(sh.rules.enum, ", "))
	}
	unit := map[kind]string{text: " characters", array: " elements", dictionary: " members"}[sh.kind]
	low, high := sh.rules.min, sh.rules.max
	if sh.kind == integer && high != nil && *high >= 1<<53 {
		high = nil // the type's own bound tells nobody anything
	}
	if sh.kind == integer && low != nil && *low <= -1<<53 {
		low = nil
	}
	switch {
	case low != nil && high != nil:
		parts = append(parts, boundText(*low)+" to "+boundText(*high)+unit)
	case low != nil:
		parts = append(parts, "at least "+boundText(*low)+unit)
	case high != nil:
		parts = append(parts, "at most "+boundText(*high)+unit)
	}
	if sh.nullable {
		parts = append(parts, "may be null")
	}
	return strings.Join(parts, ", ")
}
