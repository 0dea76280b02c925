package partiql_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/partiql"
)

// FuzzStatement takes any text through everything that the package does with it, and holds
// it to what it promises: no panic, errors of its own type, and a SELECT that finds what a
// look at every item finds.
func FuzzStatement(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if verb == "run" || verb == "plan" || verb == "tree" {
				statement, _, _ := strings.Cut(rest, " %% ")
				f.Add(statement)
			}
		}
	}
	m := filled(f)
	var sample attr.Builder
	sample.Set("pk", attr.NewString("a"))
	sample.Set("sk", attr.NewString("1"))
	sample.Set("n", attr.NewInt(1))
	sample.Set("l", attr.NewList(attr.NewInt(1), attr.NewString("x")))
	item := sample.Item()
	f.Fuzz(func(t *testing.T, statement string) {
		st, err := partiql.Parse(statement)
		if err != nil {
			own(t, err)
			return
		}
		parameters := make([]attr.Value, st.Parameters)
		for i := range parameters {
			parameters[i] = []attr.Value{attr.NewString("a"), attr.NewInt(1), attr.NewList()}[i%3]
		}
		b, err := st.Bind(parameters)
		if err != nil {
			own(t, err)
			return
		}
		b.Condition().Match(item)
		if st.Kind != partiql.Select {
			fuzzWrite(t, b, item)
			return
		}
		b.Project(item)
		if _, _, err := b.Lookup(m.schema); err != nil {
			own(t, err)
		}
		got, err := m.read(b)
		if err != nil {
			own(t, err)
			return
		}
		want := 0
		for _, it := range m.items {
			if b.Condition().Match(it) {
				want++
			}
		}
		if st.Index == "" && len(got) != want {
			t.Errorf("%d items, but %d match", len(got), want)
		}
	})
}

func fuzzWrite(t *testing.T, b *partiql.Bound, item attr.Item) {
	target, err := b.Target(both)
	if err != nil {
		own(t, err)
	} else if err := attr.CheckItem(target.Key); err != nil {
		t.Errorf("key: %v", err)
	}
	if b.Kind == partiql.Insert {
		if err := attr.CheckItem(b.Item); err != nil {
			t.Errorf("item: %v", err)
		}
	}
	if b.Update == nil {
		return
	}
	updated, touched, err := b.Update.Apply(item)
	if err != nil {
		var refused *expr.Error
		if !errors.As(err, &refused) {
			t.Errorf("a %T: %v", err, err)
		}
		return
	}
	for _, it := range []attr.Item{updated, touched.Old(), touched.New()} {
		if err := attr.CheckItem(it); err != nil {
			t.Errorf("after the update: %v", err)
		}
	}
}

// own checks that an error is one of the package.
func own(t *testing.T, err error) {
	var refused *partiql.Error
	if !errors.As(err, &refused) {
		t.Errorf("a %T: %v", err, err)
	}
}
