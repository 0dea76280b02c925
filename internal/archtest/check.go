package archtest

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// CheckImports applies the rules to the packages and returns every violation,
// one sentence each, in the order of packages and files.
func CheckImports(pkgs []Package, rules []Rule) []string {
	var found []string
	for _, pkg := range pkgs {
		rule, ok := ruleFor(pkg.Path, rules)
		if !ok {
			found = append(found, fmt.Sprintf("package %s has no rule: give it a place in internal/archtest/rules.go", pkg.Path))
			continue
		}
		for _, file := range pkg.Files {
			found = append(found, checkFile(pkg, file, rule, rules)...)
		}
	}
	return found
}

func ruleFor(pkg string, rules []Rule) (Rule, bool) {
	for _, rule := range rules {
		if fits(rule.Place, pkg) {
			return rule, true
		}
	}
	return Rule{}, false
}

// fits tells whether pkg is at the place: the same package, or below "dir/...".
func fits(place, pkg string) bool {
	dir, below := strings.CutSuffix(place, "/...")
	folders := strings.Split(pkg, "/")
	depth := strings.Count(dir, "/") + 1
	if len(folders) < depth || len(folders) > depth && !below {
		return false
	}
	same, err := path.Match(dir, path.Join(folders[:depth]...))
	return same && err == nil
}

// own returns the folder of the desk that a package belongs to, or the package.
func own(pkg string) string {
	if folders := strings.Split(pkg, "/"); len(folders) > 2 && strings.HasPrefix(pkg, "internal/desk/") {
		return path.Join(folders[:3]...)
	}
	return pkg
}

func checkFile(pkg Package, file File, rule Rule, rules []Rule) []string {
	var found []string
	for _, imp := range file.Imports {
		target, ok := strings.CutPrefix(imp.Path, module+"/")
		if !ok {
			continue
		}
		name := path.Join(pkg.Path, file.Name)
		if isTestPackage(target) && !file.Test() && !isTestPackage(pkg.Path) {
			found = append(found, fmt.Sprintf("%s imports %s: that package is for tests alone", name, target))
		}
		if imp.Dot {
			found = append(found, fmt.Sprintf("%s imports %s with a dot, which hides what it uses", name, target))
		}
		if neighbours(pkg.Path, target, rule, rules) {
			continue
		}
		if problem := forbidden(pkg, rule, file, target, imp.Names); problem != "" {
			found = append(found, fmt.Sprintf("%s %s: %s", name, problem, rule.Why))
		}
	}
	return found
}

// isTestPackage recognises the conformance suites: dynamotest, blobtest.
func isTestPackage(pkg string) bool {
	base := path.Base(pkg)
	return strings.HasSuffix(base, "test") && base != "archtest"
}

// neighbours tells whether two packages are of one place. Places of one kind in
// several desks are not one.
func neighbours(pkg, target string, rule Rule, rules []Rule) bool {
	if !strings.Contains(rule.Place, "*") {
		return fits(rule.Place, target)
	}
	theirs, ok := ruleFor(target, rules)
	return ok && theirs.Place == rule.Place && own(pkg) == own(target)
}

// forbidden says what is wrong with an import, or nothing.
func forbidden(pkg Package, rule Rule, file File, target string, names []string) string {
	allowed := rule.May
	if file.Test() {
		allowed = slices.Concat(rule.Tests, rule.May)
	}
	problem := "imports " + target
	for _, entry := range allowed {
		place, only, limited := strings.Cut(entry, ":")
		if rest, ok := strings.CutPrefix(place, "own/"); ok {
			place = own(pkg.Path) + "/" + rest
		}
		if !fits(place, target) {
			continue
		}
		extra := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(strings.Split(only, ","), n) })
		if !limited || len(extra) == 0 {
			return ""
		}
		problem = fmt.Sprintf("uses %s of %s, of which it may use %s", strings.Join(extra, ", "), target, only)
	}
	return problem
}

// deskFolder is where desks live, each in a folder of its own.
const deskFolder = "internal/desk/"

// CheckDesks returns a violation for every file outside a desk's folder that names the
// desk: that imports it, or has its name in a text, alone or at the begin of an
// address, a job or a key. Tests may.
func CheckDesks(pkgs []Package, may map[string]string) []string {
	names := map[string]bool{}
	for _, pkg := range pkgs {
		if name, ok := strings.CutPrefix(own(pkg.Path), deskFolder); ok && !isTestPackage(name) {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(slices.Sorted(maps.Keys(names)), "|")
	named := regexp.MustCompile(`^/?(?:api/v1/|office/)?(` + list + `)(?:[-/:. ].*)?$`)
	var found []string
	for _, pkg := range pkgs {
		for _, file := range pkg.Files {
			where := path.Join(pkg.Path, file.Name)
			if file.Test() || isTestPackage(pkg.Path) || may[where] != "" || may[pkg.Path] != "" {
				continue
			}
			mine := strings.TrimPrefix(own(pkg.Path), deskFolder)
			for _, imp := range file.Imports {
				name, _, _ := strings.Cut(strings.TrimPrefix(imp.Path, module+"/"+deskFolder), "/")
				if strings.HasPrefix(imp.Path, module+"/"+deskFolder) && names[name] && name != mine {
					found = append(found, fmt.Sprintf("%s imports desk %s: only the list of desks in cli does", where, name))
				}
			}
			for _, text := range file.Texts {
				if hit := named.FindStringSubmatch(text); hit != nil && hit[1] != mine {
					found = append(found, fmt.Sprintf("%s names desk %s in %q: let its declaration say it", where, hit[1], text))
				}
			}
		}
	}
	return found
}

// CheckComments returns a violation for every package that does not have exactly
// one package comment, or whose comment does not begin as godoc expects.
// Packages that consist of tests need none.
func CheckComments(pkgs []Package) []string {
	var found []string
	for _, pkg := range pkgs {
		var with []File
		var code int
		for _, file := range pkg.Files {
			if file.Test() {
				continue
			}
			code++
			if file.Doc != "" {
				with = append(with, file)
			}
		}
		switch {
		case code == 0:
		case len(with) == 0:
			found = append(found, fmt.Sprintf("package %s has no package comment", pkg.Path))
		case len(with) > 1:
			found = append(found, fmt.Sprintf("package %s has %d package comments, in %s", pkg.Path, len(with), fileNames(with)))
		case !beginsWell(pkg, with[0]):
			found = append(found, fmt.Sprintf("%s: the package comment begins with %q", path.Join(pkg.Path, with[0].Name), firstWords(with[0].Doc)))
		}
	}
	return found
}

// beginsWell checks for "Package dynamo …", or "Command pressroom …" in a main.
func beginsWell(pkg Package, file File) bool {
	if file.Package == "main" {
		return strings.HasPrefix(file.Doc, "Command "+path.Base(pkg.Path)+" ")
	}
	return strings.HasPrefix(file.Doc, "Package "+file.Package+" ")
}

func firstWords(doc string) string {
	words := strings.Fields(doc)
	return strings.Join(words[:min(2, len(words))], " ")
}

func fileNames(files []File) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return strings.Join(names, " and ")
}

// CheckMap compares the packages with those that a page names in its table of
// packages, in both directions. What stands in backquotes in a row and begins like
// a place of the module is a package, unless it is a file.
func CheckMap(pkgs []Package, page string) []string {
	named := map[string]bool{}
	var found []string
	rows := map[string]bool{} // by the package that a row begins with
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		words := strings.Split(line, "`")
		if rows[words[1]] {
			found = append(found, fmt.Sprintf("docs/architecture.md has two rows for package %s", words[1]))
		}
		rows[words[1]] = true
		for i, word := range words {
			if i%2 == 1 && isPlace(word) {
				named[word] = true
			}
		}
	}
	for _, pkg := range pkgs {
		if !named[pkg.Path] {
			found = append(found, fmt.Sprintf("docs/architecture.md does not say where package %s belongs", pkg.Path))
		}
		delete(named, pkg.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		found = append(found, fmt.Sprintf("docs/architecture.md names package %s, which is not there", name))
	}
	return found
}

func isPlace(word string) bool {
	top, _, _ := strings.Cut(word, "/")
	return path.Ext(word) == "" && slices.Contains([]string{"cmd", "internal", "model", "llm", "dynamo", "blob", "atrest", "guard", "sigv4", "caller"}, top)
}
