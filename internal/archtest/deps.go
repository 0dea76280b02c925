package archtest

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Required returns the modules that a go.mod file requires, directly or not.
func Required(goMod string) []string {
	var mods []string
	inBlock := false
	for line := range strings.Lines(goMod) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case inBlock && fields[0] == ")":
			inBlock = false
		case inBlock && !strings.HasPrefix(fields[0], "//"):
			mods = append(mods, fields[0])
		case fields[0] == "require" && len(fields) > 1 && fields[1] == "(":
			inBlock = true
		case fields[0] == "require" && len(fields) > 2:
			mods = append(mods, fields[1])
		}
	}
	return mods
}

// CheckDependencies compares the modules that the packages import with the
// reasons written down for them, in both directions. required lists the modules
// of go.mod; whether go.mod calls one indirect does not matter, the imports do.
func CheckDependencies(pkgs []Package, required []string, reasons map[string]string) []string {
	var found []string
	used := map[string]bool{}
	imports := foreignImports(pkgs)
	for _, target := range slices.Sorted(maps.Keys(imports)) {
		file := imports[target]
		mod, ok := moduleOf(target, required)
		if !ok {
			found = append(found, fmt.Sprintf("%s imports %s, which no module in go.mod provides", file, target))
			continue
		}
		if used[mod] {
			continue
		}
		used[mod] = true
		if _, ok := reasons[mod]; !ok {
			found = append(found, fmt.Sprintf("%s imports %s: docs/decisions.md gives no reason for that dependency", file, mod))
		}
	}
	for mod, reason := range reasons {
		if !used[mod] {
			found = append(found, fmt.Sprintf("docs/decisions.md lists %s, which nothing imports", mod))
		}
		if len(strings.Fields(reason)) < 3 {
			found = append(found, fmt.Sprintf("docs/decisions.md: %q is no reason for %s", reason, mod))
		}
	}
	slices.Sort(found)
	return found
}

// foreignImports returns every import path of another module with the first file
// that has it.
func foreignImports(pkgs []Package) map[string]string {
	first := map[string]string{}
	for _, pkg := range pkgs {
		for _, file := range pkg.Files {
			for _, imp := range file.Imports {
				// Only the standard library has no dot in the first element.
				host, _, _ := strings.Cut(imp.Path, "/")
				if _, seen := first[imp.Path]; strings.Contains(host, ".") && !seen {
					first[imp.Path] = path.Join(pkg.Path, file.Name)
				}
			}
		}
	}
	return first
}

// moduleOf returns the module that provides an import path: the longest that is
// a prefix of it.
func moduleOf(target string, required []string) (string, bool) {
	best := ""
	for _, mod := range required {
		if (target == mod || strings.HasPrefix(target, mod+"/")) && len(mod) > len(best) {
			best = mod
		}
	}
	return best, best != ""
}

var (
	tableRow   = regexp.MustCompile(`^\|([^|]*)\|([^|]*)\|\s*$`)
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	modulePath = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+$`)
)

// Reasons reads the dependencies and their reasons from a document: the
// two-column table under the heading "## Dependencies". A row may name several
// modules, each in backquotes.
func Reasons(document string) (map[string]string, error) {
	_, section, ok := strings.Cut(document, "\n## Dependencies\n")
	if !ok {
		return nil, errors.New(`no section "## Dependencies"`)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	reasons := map[string]string{}
	for line := range strings.Lines(section) {
		row := tableRow.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil {
			continue
		}
		for _, span := range codeSpan.FindAllStringSubmatch(row[1], -1) {
			mod := span[1]
			if !modulePath.MatchString(mod) {
				return nil, fmt.Errorf("%q is no module path", mod)
			}
			if _, twice := reasons[mod]; twice {
				return nil, fmt.Errorf("%s is listed twice", mod)
			}
			reasons[mod] = strings.TrimSpace(row[2])
		}
	}
	if len(reasons) == 0 {
		return nil, errors.New("the table of dependencies is empty")
	}
	return reasons, nil
}
