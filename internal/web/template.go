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
	"text/template/parse"
)

// Templates are the pages of one package, parsed in every language.
type Templates struct {
	pages  map[string]map[string]*template.Template // by language, then by name
	linked []string                                 // the package's own style sheets and scripts
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

// templates parses each page of a package into its own copy of the base, so that
// pages can define blocks of one name.
func (s *Site) templates(fsys fs.FS, linked []string) (*Templates, error) {
	names, shared, err := pageFiles(fsys)
	if err != nil {
		return nil, err
	}
	out := &Templates{pages: map[string]map[string]*template.Template{}, linked: linked}
	var all []error
	for _, lang := range Languages {
		out.pages[lang] = map[string]*template.Template{}
		for _, name := range names {
			t, err := s.parsePage(fsys, lang, name, shared)
			if err != nil {
				return nil, err
			}
			out.pages[lang][strings.TrimSuffix(name, ".html")] = t
			if lang == Languages[0] {
				all = append(all, s.checkKeys(t))
			}
		}
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

func (s *Site) parsePage(fsys fs.FS, lang, name string, shared []string) (*template.Template, error) {
	t, err := s.base[lang].Clone()
	if err != nil {
		return nil, err
	}
	if len(shared) > 0 {
		if t, err = t.ParseFS(fsys, shared...); err != nil {
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
	return t, nil
}

// checkKeys finds every {{t "key"}} and reports the keys that a language lacks.
func (s *Site) checkKeys(t *template.Template) error {
	var all []error
	for _, part := range t.Templates() {
		if part.Tree == nil {
			continue
		}
		for _, key := range keysOf(reflect.ValueOf(part.Tree.Root)) {
			for _, lang := range Languages {
				if _, ok := s.words[lang][key]; !ok {
					all = append(all, fmt.Errorf("template %s: no %s text for %s", part.Name(), lang, key))
				}
			}
		}
	}
	return errors.Join(all...)
}

// keysOf walks a parse tree and returns the first arguments of t that are
// literals.
func keysOf(node reflect.Value) []string {
	var keys []string
	switch node.Kind() {
	case reflect.Pointer, reflect.Interface:
		if node.IsNil() {
			return nil
		}
		if cmd, ok := node.Interface().(*parse.CommandNode); ok {
			keys = append(keys, keyOf(cmd)...)
		}
		if _, ok := node.Interface().(*parse.Tree); ok {
			return nil // every node points back to its tree
		}
		return append(keys, keysOf(node.Elem())...)
	case reflect.Struct:
		for i := range node.NumField() {
			if node.Type().Field(i).IsExported() {
				keys = append(keys, keysOf(node.Field(i))...)
			}
		}
	case reflect.Slice:
		for i := range node.Len() {
			keys = append(keys, keysOf(node.Index(i))...)
		}
	}
	return keys
}

func keyOf(cmd *parse.CommandNode) []string {
	if len(cmd.Args) < 2 {
		return nil
	}
	name, isName := cmd.Args[0].(*parse.IdentifierNode)
	key, isText := cmd.Args[1].(*parse.StringNode)
	if isName && isText && name.Ident == "t" {
		return []string{key.Text}
	}
	return nil
}
