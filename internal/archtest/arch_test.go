package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// root is the module's directory, seen from this package's.
var root = filepath.Join("..", "..")

// loadOnce reads the module once for all tests.
var loadOnce = sync.OnceValues(func() ([]Package, error) { return Load(os.DirFS(root)) })

func load(t *testing.T) []Package {
	t.Helper()
	pkgs, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

func reportAll(t *testing.T, violations []string) {
	t.Helper()
	for _, v := range violations {
		t.Error(v)
	}
}

func TestImports(t *testing.T) { reportAll(t, CheckImports(load(t), Rules)) }

func TestDesksAreNamedOnce(t *testing.T) { reportAll(t, CheckDesks(load(t), MayNameDesks)) }

func TestPackageComments(t *testing.T) { reportAll(t, CheckComments(load(t))) }

func TestDependencies(t *testing.T) {
	reasons, err := Reasons(read(t, filepath.Join("docs", "decisions.md")))
	if err != nil {
		t.Fatalf("docs/decisions.md: %v", err)
	}
	reportAll(t, CheckDependencies(load(t), Required(read(t, "go.mod")), reasons))
}

func TestMap(t *testing.T) {
	reportAll(t, CheckMap(load(t), read(t, filepath.Join("docs", "architecture.md"))))
}

func TestModuleName(t *testing.T) {
	if want := "module " + module + "\n"; !strings.HasPrefix(read(t, "go.mod"), want) {
		t.Errorf("the rules are for another module: go.mod does not begin with %q", want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
