package ops_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/ops"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// books is a schema with an entity that is in an index, sometimes, and one that
// is in none.
var books = model.Schema{Name: "books", Tables: []model.Table{{
	Name: "Books", Env: "BOOKS", Purpose: "books", PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"},
	Indexes: []model.Index{{Name: "ByYear", PK: model.Key{Name: "yearKey"}, SK: model.Key{Name: "titleKey"}, Projection: model.KeysOnly, Purpose: "by year"}},
	Entities: []model.Entity{
		{Name: "Book", Doc: "a book", PK: "BOOK#{id}", SK: "META",
			Keys: []model.IndexKey{{Index: "ByYear", PK: "YEAR#{year}", SK: "{title}", When: &model.Condition{Field: "state", In: []string{"out"}}}},
			Fields: []model.Field{
				{Name: "id"}, {Name: "title"}, {Name: "year", Kind: model.Number}, {Name: "state", Values: []string{"out", "draft"}}, {Name: "blurb", Optional: true},
				{Name: "tags", Kind: model.Set, Optional: true},
			},
			Upgrades: []model.Upgrade{{Why: "the year was text", Touches: []string{"year"}, Do: func(model.Raw) error { return nil }}}},
		{Name: "Page", Doc: "a page", PK: "BOOK#{id}", SK: "PAGE#{number:05}", Fields: []model.Field{{Name: "id"}, {Name: "number", Kind: model.Number}}},
	},
}}}

func openBooks(t *testing.T) modeltest.Damage {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, books); err != nil {
		t.Fatal(err)
	}
	d := modeltest.Damage{T: t, DB: db, Table: &books.Tables[0]}
	d.Put(map[string]any{"pk": "BOOK#1", "sk": "META", "id": "1", "title": "Tea", "year": 1926, "state": "out", "yearKey": "YEAR#1926", "titleKey": "Tea", "schemaVersion": 2})
	d.Put(map[string]any{"pk": "BOOK#2", "sk": "META", "id": "2", "title": "Rain", "year": 1926, "state": "draft"})
	d.Put(map[string]any{"pk": "BOOK#1", "sk": "PAGE#00007", "id": "1", "number": 7})
	return d
}

func itemFindings(t *testing.T, db model.DB) []string {
	t.Helper()
	var all []string
	err := ops.Check(t.Context(), func(f ops.Finding) { all = append(all, f.String()) }, ops.NamedChecker{Name: "items", Checker: ops.SchemaChecker(db, books)})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSchemaChecker(t *testing.T) {
	d := openBooks(t)
	if found := itemFindings(t, d.DB); found != nil {
		t.Fatalf("sound items: %q", found)
	}
	out, draft, page := []string{"BOOK#1", "META"}, []string{"BOOK#2", "META"}, []string{"BOOK#1", "PAGE#00007"}
	for _, tt := range []struct {
		name   string
		damage func(modeltest.Damage)
		want   string
	}{
		{"no entity", func(d modeltest.Damage) { d.Copy(page, []string{"SHELF#1", "META"}) }, "items Books pk=SHELF#1 sk=META: no entity of the schema has such a key"},
		{"field missing", func(d modeltest.Damage) { d.Set("state", nil, draft...) }, "items Books pk=BOOK#2 sk=META: Book: it has no state"},
		{"field of another type", func(d modeltest.Damage) { d.Set("year", "1926", draft...) }, "items Books pk=BOOK#2 sk=META: Book: year is of type S, not N"},
		{"field of no value", func(d modeltest.Damage) { d.Set("state", "lost", draft...) }, `items Books pk=BOOK#2 sk=META: Book: state is "lost", none of out, draft`},
		{"another item's key", func(d modeltest.Damage) { d.Set("number", 8, page...) }, `items Books pk=BOOK#1 sk=PAGE#00007: Page: sk is "PAGE#00007", its fields make it "PAGE#00008"`},
		{"index key wrong", func(d modeltest.Damage) { d.Set("titleKey", "Coffee", out...) }, `items Books pk=BOOK#1 sk=META: Book: titleKey is "Coffee", its fields make it "Tea"`},
		{"index key missing", func(d modeltest.Damage) { d.Set("yearKey", nil, out...) }, `items Books pk=BOOK#1 sk=META: Book: yearKey is "", its fields make it "YEAR#1926"`},
		{"index key too many", func(d modeltest.Damage) { d.Set("yearKey", "YEAR#1926", draft...) }, `items Books pk=BOOK#2 sk=META: Book: yearKey is "YEAR#1926", its fields make it ""`},
		{"index key of another entity", func(d modeltest.Damage) { d.Set("yearKey", "YEAR#1926", page...) }, "items Books pk=BOOK#1 sk=PAGE#00007: Page: it has yearKey, and is not in ByYear"},
		{"newer than this program", func(d modeltest.Damage) { d.Set("schemaVersion", 9, out...) }, "items Books pk=BOOK#1 sk=META: Book: it cannot be read: Book has schema version 9, and this program knows 2 at most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := openBooks(t)
			tt.damage(d)
			if diff := cmp.Diff([]string{tt.want}, itemFindings(t, d.DB)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// One check that fails or panics does not keep others from being made.
func TestCheckGoesOn(t *testing.T) {
	var found []string
	checker := func(name string, check func() error) ops.NamedChecker {
		return ops.DeskChecker(name, func(_ context.Context, report func(where, what string)) error {
			report("here", "it is wrong")
			return check()
		})
	}
	err := ops.Check(t.Context(), func(f ops.Finding) { found = append(found, f.String()) },
		checker("a", func() error { return errors.New("no disk") }), checker("b", func() error { panic("oh") }), checker("c", func() error { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a here: it is wrong", "a: the check could not be made to its end: no disk",
		"b here: it is wrong", "b: the check could not be made to its end: panic: oh", "c here: it is wrong",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ops.Check(ctx, func(ops.Finding) {}, checker("d", func() error { return ctx.Err() })); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted check: %v", err)
	}
}

// A table larger than a page is looked at whole.
func TestSchemaCheckerPages(t *testing.T) {
	d := openBooks(t)
	const n = 30
	for i := range n {
		d.Put(map[string]any{"pk": fmt.Sprintf("BOOK#x%d", i), "sk": "META", "id": fmt.Sprintf("x%d", i), "title": "T", "year": 1, "state": "draft", "blurb": strings.Repeat("x", 100<<10), "titleKey": "T"})
	}
	if found := itemFindings(t, d.DB); len(found) != n {
		t.Errorf("%d findings, want %d: %.300q", len(found), n, found)
	}
}
