package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/model"
)

// half is one declaration of a table that two share.
func half(schema, entity string, change func(*model.Table)) model.Schema {
	t := model.Table{
		Name: "shared", Env: "SHARED", Purpose: "for " + schema, PK: model.Key{Name: "PK"}, SK: model.Key{Name: "SK"},
		Indexes: []model.Index{
			{Name: "Both", PK: model.Key{Name: "b"}, Projection: model.KeysOnly},
			{Name: "Of" + entity, PK: model.Key{Name: "i"}, Projection: model.KeysOnly},
		},
		Entities: []model.Entity{{Name: entity, PK: model.Template(entity + "#{id}"), SK: "IT", Fields: []model.Field{{Name: "id"}}}},
		Patterns: []model.Pattern{{Name: "Get" + entity, Op: model.Get, Yields: []string{entity}, By: []string{"id"}}},
	}
	if change != nil {
		change(&t)
	}
	return model.Schema{Name: schema, Tables: []model.Table{t}}
}

func TestMerge(t *testing.T) {
	first, second := half("one", "Cat", nil), half("two", "Dog", nil)
	second.Tables = append(second.Tables, model.Table{Name: "own", PK: model.Key{Name: "PK"}})
	merged, err := model.Merge(first, second, half("three", "Cow", nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(merged) != 2 || len(merged[1].Tables) != 1 || merged[1].Tables[0].Name != "own" {
		t.Fatalf("merged into %+v", merged)
	}
	if err := merged[0].Validate(); err != nil {
		t.Error(err)
	}
	table := merged[0].Tables[0]
	var names []string
	for _, x := range table.Indexes {
		names = append(names, x.Name)
	}
	for _, e := range table.Entities {
		names = append(names, e.Name)
	}
	for _, p := range table.Patterns {
		names = append(names, p.Name)
	}
	want := []string{"Both", "OfCat", "OfDog", "OfCow", "Cat", "Dog", "Cow", "GetCat", "GetDog", "GetCow"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if len(first.Tables[0].Entities) != 1 || len(first.Tables[0].Indexes) != 2 || len(second.Tables) != 2 {
		t.Error("the declarations themselves were changed")
	}
}

func TestMergeRefuses(t *testing.T) {
	for name, change := range map[string]func(*model.Table){
		"keys":       func(t *model.Table) { t.SK.Name = "other" },
		"ttl":        func(t *model.Table) { t.TTL = "ttl" },
		"encryption": func(t *model.Table) { t.Encrypted = true },
		"index Both": func(t *model.Table) { t.Indexes[0].Projection = model.All },
	} {
		_, err := model.Merge(half("one", "Cat", nil), half("two", "Dog", change))
		if err == nil || !strings.Contains(err.Error(), "one and of two") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Two entities that could have one key are Validate's to find.
	merged, err := model.Merge(half("one", "Cat", nil), half("two", "Cat", nil))
	if err != nil {
		t.Fatal(err)
	}
	if merged[0].Validate() == nil {
		t.Error("an entity that is declared twice is valid")
	}
}
