// Package modeltest proves a schema: that it is valid and without findings, that
// its design page says the same, and that each of its access patterns is
// answered by a Get or a Query whose cost does not grow with the table.
//
// [Run] does all of it, on the embedded tables or with -endpoint on any DynamoDB:
//
//	go test ./internal/desk/blog -run Schema -endpoint http://127.0.0.1:8000
//	go test ./internal/desk/blog -run Schema -items 1000000
//	go test ./internal/desk/blog -run Schema -rewrite
//
// Start with Run; patterns.go has the proof of one pattern, count.go what counts
// the operations.
package modeltest

import (
	"flag"
	"os"
	"testing"

	"pressroom/model"
	"pressroom/model/doc"
	"pressroom/model/lint"
)

var rewrite = flag.Bool("rewrite", false, "write the schema into its design page")

// Run proves the schema; page is the path of its design page.
func Run(t *testing.T, s model.Schema, page string) {
	t.Run("Validate", func(t *testing.T) { Valid(t, s) })
	t.Run("Page", func(t *testing.T) { Page(t, s, page) })
	t.Run("Patterns", func(t *testing.T) { Patterns(t, s) })
}

// Valid fails for a schema that cannot be used, or that lint has something
// against.
func Valid(t *testing.T, s model.Schema) {
	t.Helper()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	for _, f := range lint.Check(s) {
		t.Error(f)
	}
}

// Page fails for every row in which the page and the schema differ; with
// -rewrite it writes the page instead.
func Page(t *testing.T, s model.Schema, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		now, err := doc.Rewrite(string(text), s)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	differences, err := doc.Compare(string(text), s)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, d := range differences {
		t.Errorf("%s: %s", path, d)
	}
	if len(differences) > 0 {
		t.Log("if the schema is right, run the test again with -rewrite")
	}
}
