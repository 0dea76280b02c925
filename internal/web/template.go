package web

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template/parse"
)

// Templates are the pages of one package in every language. Each is parsed when it is
// first shown: most pages are never shown in most languages.
type Templates struct {
	pages  map[string]map[string]func() (*template.Template, error) // by language, then by name
	linked []string                                                 // the package's own style sheets and scripts
}

// common are the files of the shell that all pages build on.
var common = []string{"layout.html", "component.html"}

// Templates reads a package's *.html, locales/*.json and static/*; each is
// optional. It must be called before the first request. Its errors are mistakes
// in the files: syntax, a key or an asset that two packages share, a key that a
// template names and a language lacks.
func (s *Site) Templates(fsys fs.FS) (*Templates, error) {
	if err := s.words.add(fsys); err != nil {
		return nil, err
	}
	linked, err := s.assets.directory(fsys)
	if err != nil {
		return nil, err
	}
	return s.templates(fsys, linked)
}

// parseBase parses layout and components, once for each language.
func (s *Site) parseBase() (map[string]*template.Template, error) {
	base := map[string]*template.Template{}
	for _, lang := range Languages {
		t, err := template.New("layout.html").Funcs(s.funcs(lang)).ParseFS(files, common...)
		if err != nil {
			return nil, err
		}
		base[lang] = t
	}
	return base, s.checkKeys(base[Languages[0]])
}

// templates gives each page of a package its own copy of what it needs of the base, so
// that pages can define blocks of one name. It parses each once to find mistakes.
func (s *Site) templates(fsys fs.FS, linked []string) (*Templates, error) {
	names, shared, err := pageFiles(fsys)
	if err != nil {
		return nil, err
	}
	out := &Templates{pages: map[string]map[string]func() (*template.Template, error){}, linked: linked}
	for _, lang := range Languages {
		out.pages[lang] = map[string]func() (*template.Template, error){}
		for _, name := range names {
			out.pages[lang][strings.TrimSuffix(name, ".html")] = sync.OnceValues(func() (*template.Template, error) {
				return s.parsePage(fsys, lang, name, shared)
			})
		}
	}
	var all []error
	for _, name := range names {
		t, err := s.parsePage(fsys, Languages[0], name, shared)
		if err != nil {
			return nil, err
		}
		all = append(all, s.checkKeys(t))
	}
	return out, errors.Join(all...)
}

// pageFiles divides a package's templates into pages and what they share.
func pageFiles(fsys fs.FS) (pages, shared []string, err error) {
	names, err := fs.Glob(fsys, "*.html")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		switch {
		case slices.Contains(common, name):
		case strings.HasPrefix(path.Base(name), "_"):
			shared = append(shared, name)
		default:
			pages = append(pages, name)
		}
	}
	return pages, shared, nil
}

// parsePage parses a page and what its package shares, and takes from the base what
// they need of it: a copy of all of it for every page would be most of the memory.
func (s *Site) parsePage(fsys fs.FS, lang, name string, shared []string) (*template.Template, error) {
	t := template.New("layout.html").Funcs(s.funcs(lang))
	if len(shared) > 0 {
		if _, err := t.ParseFS(fsys, shared...); err != nil {
			return nil, err
		}
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if _, err := t.New("content").Parse(string(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	need := []string{"layout.html"}
	for _, part := range t.Templates() {
		need = append(need, called(part)...)
	}
	for len(need) > 0 {
		name, need = need[0], need[1:]
		if own := t.Lookup(name); own != nil && own.Tree != nil && !parse.IsEmptyTree(own.Tree.Root) {
			continue
		}
		if part := s.base[lang].Lookup(name); part != nil && part.Tree != nil {
			if _, err := t.AddParseTree(name, part.Tree.Copy()); err != nil {
				return nil, err
			}
			need = append(need, called(part)...)
		}
	}
	return t, nil
}

// called names the templates that a template calls.
func called(t *template.Template) []string {
	if t.Tree == nil {
		return nil
	}
	var names []string
	walk(reflect.ValueOf(t.Tree.Root), func(n parse.Node) {
		if call, ok := n.(*parse.TemplateNode); ok {
			names = append(names, call.Name)
		}
	})
	return names
}

// checkKeys finds every {{t "key"}} and reports the keys that a language lacks.
func (s *Site) checkKeys(t *template.Template) error {
	var all []error
	for _, part := range t.Templates() {
		if part.Tree == nil {
			continue
		}
		walk(reflect.ValueOf(part.Tree.Root), func(n parse.Node) {
			key, ok := keyOf(n)
			for _, lang := range Languages {
				if _, known := s.words[lang][key]; ok && !known {
					all = append(all, fmt.Errorf("template %s: no %s text for %s", part.Name(), lang, key))
				}
			}
		})
	}
	return errors.Join(all...)
}

// walk calls visit with every node of a parse tree.
func walk(node reflect.Value, visit func(parse.Node)) {
	switch node.Kind() {
	case reflect.Pointer, reflect.Interface:
		if node.IsNil() {
			return
		}
		if _, ok := node.Interface().(*parse.Tree); ok {
			return // every node points back to its tree
		}
		if n, ok := node.Interface().(parse.Node); ok && node.Kind() == reflect.Pointer {
			visit(n)
		}
		walk(node.Elem(), visit)
	case reflect.Struct:
		for i := range node.NumField() {
			if node.Type().Field(i).IsExported() {
				walk(node.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range node.Len() {
			walk(node.Index(i), visit)
		}
	}
}

// keyOf returns the first argument of a call of t, if it is a literal.
func keyOf(n parse.Node) (string, bool) {
	cmd, ok := n.(*parse.CommandNode)
	if !ok || len(cmd.Args) < 2 {
		return "", false
	}
	name, isName := cmd.Args[0].(*parse.IdentifierNode)
	key, isText := cmd.Args[1].(*parse.StringNode)
	if isName && isText && name.Ident == "t" {
		return key.Text, true
	}
	return "", false
}
