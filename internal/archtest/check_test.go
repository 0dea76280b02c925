package archtest

import (
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// tree builds a module in memory. A file without a package clause gets its
// directory's name and the imports that the text lists, one a line.
func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		if !strings.Contains(text, "package ") {
			src := "package " + strings.ReplaceAll(path.Base(path.Dir(name)), "-", "") + "\n"
			for imp := range strings.FieldsSeq(text) {
				src += "import _ \"" + imp + "\"\n"
			}
			text = src
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func mustLoad(t *testing.T, files map[string]string) []Package {
	t.Helper()
	pkgs, err := Load(tree(files))
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

// Each import of the design's table that must not be, and each that may.
func TestImportTable(t *testing.T) {
	tests := []struct {
		file   string
		target string
		ok     bool
	}{
		// Stores and providers.
		{"dynamo/db.go", "dynamo/engine", true},
		{"dynamo/wire/wire.go", "dynamo", true},
		{"dynamo/engine/e.go", "dynamo/attr", true},
		{"dynamo/engine/e.go", "atrest", true},
		{"dynamo/wire/wire.go", "sigv4", true},
		{"dynamo/db.go", "blob", false},
		{"dynamo/db.go", "llm", false},
		{"dynamo/db.go", "model", false},
		{"dynamo/engine/e.go", "internal/errs", false},
		{"dynamo/db_test.go", "internal/errs", false},
		{"blob/store.go", "blob/disk", true},
		{"blob/store.go", "atrest", true},
		{"blob/store.go", "dynamo/attr", false},
		{"blob/store_test.go", "dynamo", false},
		{"llm/gemini/g.go", "llm", true},
		{"llm/llm.go", "blob", false},
		{"llm/llm.go", "internal/errs", false},
		{"atrest/fs.go", "sigv4", false},
		{"sigv4/sign.go", "internal/errs", false},

		// Suites are for tests alone.
		{"dynamo/db_test.go", "dynamo/dynamotest", true},
		{"dynamo/dynamotest/putitem.go", "dynamo/attr", true},
		{"dynamo/db.go", "dynamo/dynamotest", false},
		{"internal/cli/bench.go", "dynamo/dynamotest", false},
		{"internal/cli/bench_test.go", "dynamo/dynamotest", true},

		// model.
		{"model/repo.go", "dynamo/attr", true},
		{"model/repo.go", "dynamo/engine", false},
		{"model/repo.go", "blob", false},
		{"model/repo.go", "internal/errs", false},
		{"model/repo_test.go", "dynamo/engine", true},
		{"model/repo_test.go", "internal/desk/blog", false},
		{"model/modeltest/suite.go", "model", true},
		{"model/modeltest/suite.go", "dynamo", true},
		{"model/modeltest/suite.go", "internal/desk/blog", false},

		// Desks.
		{"internal/desk/minutes/task.go", "model", true},
		{"internal/desk/minutes/task.go", "blob", true},
		{"internal/desk/minutes/task.go", "llm", true},
		{"internal/desk/minutes/task.go", "internal/errs", true},
		{"internal/desk/minutes/task.go", "internal/desk/minutes/prompt", true},
		{"internal/desk/minutes/task.go", "dynamo", false},
		{"internal/desk/minutes/task.go", "dynamo/attr", false},
		{"internal/desk/minutes/task.go", "llm/gemini", false},
		{"internal/desk/minutes/task.go", "blob/disk", false},
		{"internal/desk/minutes/task.go", "internal/desk/newswire", false},
		{"internal/desk/newswire/site.go", "internal/desk/blog", false},
		{"internal/desk/blog/post.go", "internal/desk/lexicon", false},
		{"internal/desk/lexicon/term.go", "internal/desk/minutes", false},
		{"internal/desk/lexicon/term_test.go", "internal/desk/minutes", false},
		{"internal/desk/lexicon/term.go", "internal/web", false},
		{"internal/desk/lexicon/term.go", "internal/api", false},
		{"internal/desk/lexicon/term.go", "internal/cli", false},
		{"internal/desk/lexicon/term.go", "internal/search", false},
		{"internal/desk/blog/post_test.go", "dynamo", true},
		{"internal/desk/blog/post_test.go", "blob/blobtest", true},
		{"internal/desk/blog/post_test.go", "internal/web", false},

		// Services.
		{"internal/search/index.go", "model", true},
		{"internal/search/index.go", "internal/errs", true},
		{"internal/search/index.go", "internal/desk/blog", false},
		{"internal/auth/account.go", "blob", true},
		{"internal/auth/account.go", "llm", false},
		{"internal/ops/backup.go", "dynamo", false},
		{"internal/ops/backup_test.go", "dynamo", true},
		{"internal/ops/backup.go", "internal/auth", false},

		// Fronts.
		{"internal/web/home.go", "internal/desk/blog", false},
		{"internal/desk/blog/blogweb/list.go", "internal/desk/blog", true},
		{"internal/desk/blog/blogweb/list.go", "internal/desk/blog/prose", true},
		{"internal/desk/blog/blogweb/list.go", "internal/web", true},
		{"internal/desk/blog/blogweb/list.go", "internal/desk/lexicon", false},
		{"internal/desk/blog/blogweb/list.go", "internal/desk/lexicon/lexiconweb", false},
		{"internal/desk/blog/blogweb/list.go", "model", false},
		{"internal/desk/blog/blogapi/list.go", "internal/desk/blog", true},
		{"internal/desk/blog/blogapi/list.go", "internal/web", false},
		{"internal/desk/blog/post.go", "internal/desk/blog/blogweb", false},
		{"internal/web/home.go", "internal/auth", true},
		{"internal/web/home.go", "model", false},
		{"internal/web/home.go", "dynamo", false},
		{"internal/web/home.go", "blob", false},
		{"internal/web/home.go", "internal/api", false},
		{"internal/web/home_test.go", "dynamo", true},
		{"internal/api/posts.go", "internal/desk/lexicon", false},
		{"internal/api/posts.go", "model", false},
		{"internal/api/posts.go", "internal/web", false},
		{"internal/api/posts.go", "internal/cli", false},
		{"internal/edge/edge.go", "dynamo/wire", true},
		{"internal/edge/edge.go", "blob", true},
		{"internal/edge/edge.go", "internal/desk/blog", false},

		{"internal/local/local.go", "internal/edge", true},
		{"internal/local/local.go", "blob", true},
		{"internal/local/local.go", "internal/cli", false},
		{"internal/local/local.go", "internal/desk/blog", false},
		{"internal/local/local.go", "internal/ops", false},
		{"internal/setting/flags.go", "internal/errs", true},
		{"internal/setting/flags.go", "internal/local", false},
		{"cmd/pressroom-local/main.go", "internal/local", true},
		{"cmd/pressroom-local/main.go", "internal/cli", false},

		// The rest.
		{"internal/cli/serve.go", "internal/web", true},
		{"internal/cli/serve.go", "dynamo", true},
		{"internal/cli/serve.go", "llm/gemini", true},
		{"internal/errs/errs.go", "model", false},
		{"internal/archtest/check.go", "internal/errs", false},
		{"cmd/pressroom/main.go", "internal/cli", true},
		{"cmd/pressroom/main.go", "internal/errs", false},
	}
	for _, tt := range tests {
		got := CheckImports(mustLoad(t, map[string]string{tt.file: "pressroom/" + tt.target + " fmt example.com/x"}), Rules)
		if ok := len(got) == 0; ok != tt.ok {
			t.Errorf("%s imports %s: allowed %v, want %v (%q)", tt.file, tt.target, ok, tt.ok, got)
		}
		for _, v := range got {
			if !strings.HasPrefix(v, tt.file+" imports "+tt.target+": ") {
				t.Errorf("%s imports %s is reported as %q", tt.file, tt.target, v)
			}
		}
	}
}

// model may know the interface of the tables, and not the embedded tables.
func TestModelKnowsTheInterfaceAlone(t *testing.T) {
	tests := []struct {
		name string
		src  string
		want []string
	}{
		{"the interface", "package model\nimport \"pressroom/dynamo\"\ntype Repo struct{ api dynamo.API }\n", nil},
		{"the database", "package model\nimport \"pressroom/dynamo\"\nvar db, _ = dynamo.Open(dynamo.Dir, nil)\ntype Repo struct{ api dynamo.API }\n",
			[]string{"model/repo.go uses Dir, Open of dynamo, of which it may use API,StreamsAPI: model works on any DynamoDB, not on ours alone"}},
		{"the database by another name", "package model\nimport d \"pressroom/dynamo\"\nvar db, _ = d.Open(\"\", nil)\n",
			[]string{"model/repo.go uses Open of dynamo, of which it may use API,StreamsAPI: model works on any DynamoDB, not on ours alone"}},
		{"everything without a name", "package model\nimport . \"pressroom/dynamo\"\nvar db, _ = Open(\"\", nil)\n",
			[]string{"model/repo.go imports dynamo with a dot, which hides what it uses"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := CheckImports(mustLoad(t, map[string]string{"model/repo.go": tt.src}), Rules)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPackageWithoutAPlace(t *testing.T) {
	for _, dir := range []string{"util", "internal/common", "cmd/other", "dynamox", "internal/blogger"} {
		got := CheckImports(mustLoad(t, map[string]string{dir + "/x.go": ""}), Rules)
		want := []string{"package " + dir + " has no rule: give it a place in internal/archtest/rules.go"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("violations (-want +got):\n%s", diff)
		}
	}
}

func TestRulesAreExplained(t *testing.T) {
	for _, rule := range Rules {
		if rule.Why == "" {
			t.Errorf("the rule of %s has no reason", rule.Place)
		}
	}
}

func TestLoadLeavesOutWhatGoLeavesOut(t *testing.T) {
	pkgs := mustLoad(t, map[string]string{
		"a/a.go":              "",
		"a/_draft.go":         "package a",
		"a/tool.go":           "//go:build ignore\n\npackage main",
		"a/testdata/x.go":     "",
		"a/.hidden/x.go":      "",
		"_old/x.go":           "",
		"vendor/v/x.go":       "",
		"web/node_modules/x/": "package x",
		"a/notes.txt":         "package a",
	})
	if len(pkgs) != 1 || pkgs[0].Path != "a" || len(pkgs[0].Files) != 1 {
		t.Errorf("loaded %+v", pkgs)
	}
}

func TestLoadReportsBrokenSource(t *testing.T) {
	_, err := Load(tree(map[string]string{"a/a.go": "package a\nfunc {"}))
	if err == nil || !strings.Contains(err.Error(), "a/a.go:2") {
		t.Errorf("Load: %v", err)
	}
}

func TestComments(t *testing.T) {
	const good = "// Package a does it.\npackage a\n"
	tests := []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"one", map[string]string{"a/a.go": good, "a/b.go": "package a\n"}, nil},
		{"none", map[string]string{"a/a.go": "package a\n"}, []string{"package a has no package comment"}},
		{"detached", map[string]string{"a/a.go": "// Package a does it.\n\npackage a\n"}, []string{"package a has no package comment"}},
		{"two", map[string]string{"a/a.go": good, "a/b.go": good}, []string{"package a has 2 package comments, in a.go and b.go"}},
		{"in a test only", map[string]string{"a/a.go": "package a\n", "a/a_test.go": good}, []string{"package a has no package comment"}},
		{"test beside code", map[string]string{"a/a.go": good, "a/a_test.go": "// Package a is tested.\npackage a_test\n"}, nil},
		{"tests alone", map[string]string{"a/a_test.go": "package a\n"}, nil},
		{"wrong beginning", map[string]string{"a/a.go": "// This is a.\npackage a\n"}, []string{`a/a.go: the package comment begins with "This is"`}},
		{"of another package", map[string]string{"a/a.go": "// Package ab does it.\npackage a\n"}, []string{`a/a.go: the package comment begins with "Package ab"`}},
		{"command", map[string]string{"cmd/x/main.go": "// Command x runs.\npackage main\n"}, nil},
		{"command as package", map[string]string{"cmd/x/main.go": "// Package main runs.\npackage main\n"}, []string{`cmd/x/main.go: the package comment begins with "Package main"`}},
		{"build constraint", map[string]string{"a/a.go": good, "a/a_unix.go": "//go:build unix\n\npackage a\n"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, CheckComments(mustLoad(t, tt.files))); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDependencyRules(t *testing.T) {
	pkgs := mustLoad(t, map[string]string{
		"a/a.go":      "fmt pressroom/b example.com/kv/v2/vfs example.com/kv/v2 example.com/kv/v2x",
		"a/a_test.go": "example.com/diff/cmp",
	})
	required := []string{"example.com/kv", "example.com/kv/v2", "example.com/kv/v2x", "example.com/diff", "example.com/unused"}
	const reason = "does it well and is kept"
	all := map[string]string{"example.com/kv/v2": reason, "example.com/kv/v2x": reason, "example.com/diff": reason}
	tests := []struct {
		name   string
		change func(reasons map[string]string)
		req    []string
		want   []string
	}{
		{"all listed", func(map[string]string) {}, required, nil},
		{"not listed", func(r map[string]string) { delete(r, "example.com/diff") }, required,
			[]string{"a/a_test.go imports example.com/diff: docs/decisions.md gives no reason for that dependency"}},
		{"not used", func(r map[string]string) { r["example.com/unused"] = reason }, required,
			[]string{"docs/decisions.md lists example.com/unused, which nothing imports"}},
		{"no reason", func(r map[string]string) { r["example.com/diff"] = "good" }, required,
			[]string{`docs/decisions.md: "good" is no reason for example.com/diff`}},
		{"not required", func(r map[string]string) { delete(r, "example.com/diff") }, required[:3],
			[]string{"a/a_test.go imports example.com/diff/cmp, which no module in go.mod provides"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reasons := map[string]string{}
			for k, v := range all {
				reasons[k] = v
			}
			tt.change(reasons)
			if diff := cmp.Diff(tt.want, CheckDependencies(pkgs, tt.req, reasons)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRequired(t *testing.T) {
	const goMod = "module m\n\ngo 1.26\n\nrequire example.com/one v1.0.0\n\nrequire (\n\texample.com/two v2.0.0\n\n\t// why\n\texample.com/three v1.1.0 // indirect\n)\n\nreplace example.com/two => ../two\n\ntool example.com/four\n"
	want := []string{"example.com/one", "example.com/two", "example.com/three"}
	if diff := cmp.Diff(want, Required(goMod)); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}

func TestReasons(t *testing.T) {
	const document = "# D\n\n## Before\n\n| `example.com/no` | not here |\n\n## Dependencies\n\nWords.\n\n" +
		"| module | reason |\n|---|---|\n| `example.com/a/v2` | does a |\n| `example.com/b`, `example.com/c` | do b and c |\n\n## After\n\n| `example.com/d` | not here |\n"
	got, err := Reasons(document)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"example.com/a/v2": "does a", "example.com/b": "do b and c", "example.com/c": "do b and c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	for name, broken := range map[string]string{
		"no section": "# D\n",
		"no table":   "# D\n\n## Dependencies\n\nNone.\n",
		"twice":      strings.Replace(document, "`example.com/b`", "`example.com/c`", 1),
		"no path":    strings.Replace(document, "`example.com/b`", "`b`", 1),
	} {
		if got, err := Reasons(broken); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMapOfPackages(t *testing.T) {
	pkgs := []Package{{Path: "blob"}, {Path: "blob/disk"}, {Path: "internal/new"}}
	const page = "`internal/prose` is no row\n| package | is |\n|---|---|\n| `blob` | reads `blob/disk`, see `blob/disk/put.go` and `cursor.go` |\n| `internal/old` | was |\n| `blob` | again |\n"
	want := []string{
		"docs/architecture.md has two rows for package blob",
		"docs/architecture.md does not say where package internal/new belongs",
		"docs/architecture.md names package internal/old, which is not there",
	}
	if diff := cmp.Diff(want, CheckMap(pkgs, page)); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

// A desk's name outside its folder is found, wherever it stands, and ordinary words
// are not taken for one.
func TestDeskNames(t *testing.T) {
	const desk = "package minutes\n// Package minutes x.\n"
	for text, named := range map[string]bool{
		`"minutes"`: true, `"/minutes/articles"`: true, `"minutes-collect"`: true, `"minutes:write"`: true, `"/api/v1/minutes/tasks"`: true, `"minutes tasks"`: true,
		`"ten minutes"`: false, `"minute"`: false, `"minutesque"`: false,
	} {
		files := map[string]string{"internal/desk/minutes/a.go": desk, "internal/web/b.go": "package web\nvar x = " + text + "\n"}
		if got := CheckDesks(mustLoad(t, files), nil); (len(got) == 1) != named {
			t.Errorf("%s: %q", text, got)
		}
	}
	files := map[string]string{
		"internal/desk/minutes/a.go": desk, "internal/desk/minutes/minutesweb/b.go": "package minutesweb\nimport _ \"pressroom/internal/desk/minutes\"\nvar x = \"/minutes\"\n",
		"internal/web/c.go": "package web\nimport _ \"pressroom/internal/desk/minutes\"\n", "internal/cli/desks.go": "package cli\nimport _ \"pressroom/internal/desk/minutes\"\n",
	}
	if got := CheckDesks(mustLoad(t, files), map[string]string{"internal/cli/desks.go": "the list"}); len(got) != 1 || !strings.Contains(got[0], "internal/web/c.go") {
		t.Errorf("%q", got)
	}
}
