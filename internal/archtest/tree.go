package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Package is one directory's Go files, as they are written.
type Package struct {
	Path  string // below the module's root: "dynamo/attr"
	Files []File
}

// File is what the rules need to know of one file.
type File struct {
	Name    string   // "putitem.go"
	Package string   // the name in its package clause
	Doc     string   // the text of its package comment
	Imports []Import // in the order of the file
	Texts   []string // its string literals, without imports and tags
}

// Test tells whether only tests see the file.
func (f File) Test() bool { return strings.HasSuffix(f.Name, "_test.go") }

// Import is one import of a file.
type Import struct {
	Path  string   // as written
	Dot   bool     // imported with a dot for a name
	Names []string // what the file uses of it, sorted, each once
}

// Load reads every package below root. Directories that the go command leaves
// out (testdata, vendor, those that begin with a dot or an underscore) are left
// out here too.
func Load(root fs.FS) ([]Package, error) {
	files := map[string][]File{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipDir(d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(d.Name(), "_"):
			return nil
		}
		file, err := readFile(root, name)
		if errors.Is(err, errIgnored) {
			return nil
		}
		files[path.Dir(name)] = append(files[path.Dir(name)], file)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	var pkgs []Package
	for dir, list := range files {
		pkgs = append(pkgs, Package{Path: dir, Files: list})
	}
	slices.SortFunc(pkgs, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return pkgs, nil
}

func skipDir(name string) bool {
	return name == "testdata" || name == "vendor" || name == "node_modules" ||
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// errIgnored is a file that belongs to no package: "//go:build ignore".
var errIgnored = errors.New("not part of the package")

func readFile(root fs.FS, name string) (File, error) {
	src, err := fs.ReadFile(root, name)
	if err != nil {
		return File{}, err
	}
	if slices.Contains(strings.Split(string(src), "\n"), "//go:build ignore") {
		return File{}, errIgnored
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return File{}, err
	}
	file := File{Name: path.Base(name), Package: parsed.Name.Name, Doc: parsed.Doc.Text()}
	used := selectors(parsed)
	for _, spec := range parsed.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		name := localName(spec, target)
		file.Imports = append(file.Imports, Import{Path: target, Dot: name == ".", Names: used[name]})
	}
	file.Texts = texts(parsed)
	return file, nil
}

// texts returns the string literals of a file that are neither imports nor tags.
func texts(file *ast.File) []string {
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				all = append(all, text)
			}
		}
		return true
	})
	return all
}

// localName is what the file calls an import, as far as one can tell without
// reading the imported package: its last element.
func localName(spec *ast.ImportSpec, target string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path.Base(target)
}

// selectors returns, for every x that stands before a dot, what stands after it.
func selectors(file *ast.File) map[string][]string {
	used := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok {
			if i, found := slices.BinarySearch(used[x.Name], sel.Sel.Name); !found {
				used[x.Name] = slices.Insert(used[x.Name], i, sel.Sel.Name)
			}
		}
		return true
	})
	return used
}
