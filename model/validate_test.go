package model

import (
	"strings"
	"testing"
)

// shelf is a small schema without a fault.
func shelf() Schema {
	return Schema{Name: "shelf", Tables: []Table{{
		Name: "shelf", Env: "SHELF_TABLE", PK: Key{Name: "PK"}, SK: Key{Name: "SK"}, TTL: "ttl",
		Indexes: []Index{
			{Name: "ByState", PK: Key{Name: "GPK"}, SK: Key{Name: "GSK"}, Projection: Include, Include: []string{"title", "at"}},
			{Name: "ByRank", PK: Key{Name: "kind"}, SK: Key{Name: "rank", Kind: Number}, Projection: KeysOnly},
			{Name: "ByISBN", PK: Key{Name: "isbn"}, Projection: All},
		},
		Entities: []Entity{
			{Name: "Book", PK: "BOOK#{id}", SK: "META", Version: "version",
				Keys: []IndexKey{
					{Index: "ByState", PK: "STATE#{state}", SK: "{at}#{id}", When: &Condition{Field: "state", In: []string{"out", "lost"}}},
					{Index: "ByRank", PK: "{kind}", SK: "{rank}"},
					{Index: "ByISBN", PK: "{isbn}"},
				},
				Fields: []Field{{Name: "id"}, {Name: "title"}, {Name: "state", Values: []string{"in", "out", "lost"}}, {Name: "at", Kind: Time},
					{Name: "kind"}, {Name: "rank", Kind: Number}, {Name: "isbn", Optional: true}, {Name: "version", Kind: Number}, {Name: "good", Kind: Bool, Optional: true}}},
			{Name: "Page", PK: "BOOK#{id}", SK: "PAGE#{number:04}", Fields: []Field{{Name: "id", InKey: true}, {Name: "number", Kind: Number, InKey: true}, {Name: "text"}}},
			{Name: "Lock", PK: "LOCK#{name}", SK: "LOCK", Guards: "name", Fields: []Field{{Name: "name"}}},
		},
		Patterns: []Pattern{
			{Name: "GetBook", Op: Get, Yields: []string{"Book"}, By: []string{"id"}},
			{Name: "Whole", Op: Query, Yields: []string{"Book", "Page"}, By: []string{"id"}, Limit: 10},
			{Name: "Pages", Op: Query, Yields: []string{"Page"}, By: []string{"id"}, Begins: "PAGE#", Range: "number", Limit: 3},
			{Name: "Out", Op: Query, Index: "ByState", Yields: []string{"Book"}, Given: Values{"state": "out"}, Desc: true, Order: "at", Range: "at", Limit: 3, Shows: []string{"id", "title", "at"}},
			{Name: "Ranked", Op: Query, Index: "ByRank", Yields: []string{"Book"}, By: []string{"kind"}, Desc: true, Range: "rank", Limit: 3, Fetch: true},
			{Name: "RankedKeys", Op: Query, Index: "ByRank", Yields: []string{"Book"}, By: []string{"kind"}, Limit: 3, Shows: []string{"id", "kind", "rank"}},
			{Name: "ByISBN", Op: Query, Index: "ByISBN", Yields: []string{"Book"}, By: []string{"isbn"}, Limit: 1},
		},
	}}, Buckets: []Bucket{{Name: "covers", Env: "COVERS", Objects: []Object{{Name: "Cover", Key: "covers/{id}.png", Vars: []Field{{Name: "id", Max: 10}}}},
		Lifecycle: []Rule{{ID: "old", Prefix: "covers/", ExpiresAfter: 9}}}}}
}

func TestValidate(t *testing.T) {
	s := shelf()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		want  string
		spoil func(*Schema, *Table)
	}{
		{"name", func(_ *Schema, tab *Table) { tab.Name = "x" }},
		{"index called X", func(_ *Schema, tab *Table) { tab.Indexes[0].Name = "X" }},
		{"declared twice", func(s *Schema, _ *Table) { s.Tables = append(s.Tables, s.Tables[0]) }},
		{"no partition key", func(_ *Schema, tab *Table) { tab.PK.Name = "" }},
		{"does not take", func(_ *Schema, tab *Table) { tab.Indexes[1].SK.Kind = Bool }},
		{"projection", func(_ *Schema, tab *Table) { tab.Indexes[0].Projection = "SOME" }},
		{"includes nothing", func(_ *Schema, tab *Table) { tab.Indexes[0].Include = nil }},
		{"lists attributes", func(_ *Schema, tab *Table) { tab.Indexes[2].Include = []string{"x"} }},
		{"no field", func(_ *Schema, tab *Table) { tab.Entities[0].PK = "BOOK#{other}" }},
		{"one variable", func(_ *Schema, tab *Table) { tab.Entities[0].PK = "BOOK#{id}{id}" }},
		{"sort key", func(_ *Schema, tab *Table) { tab.Entities[0].SK = "" }},
		{"same key", func(_ *Schema, tab *Table) { tab.Entities[1].SK = "META" }},
		{"same key", func(_ *Schema, tab *Table) { tab.Entities[1].SK = "{text}" }},
		{"both as", func(_ *Schema, tab *Table) { tab.Indexes[1].PK.Name = "GPK" }},
		{"keys on as", func(_ *Schema, tab *Table) { tab.Entities[0].Keys[1].PK = "KIND#{kind}" }},
		{"keys on it as N", func(_ *Schema, tab *Table) { tab.Entities[0].Fields[5].Kind = Text }},
		{"only a field", func(_ *Schema, tab *Table) { tab.Indexes[0].SK.Kind = Number }},
		{"does not hold that alone", func(_ *Schema, tab *Table) {
			tab.Entities[2].PK = "LOCK#{name}#{more}"
			tab.Entities[2].Fields = append(tab.Entities[2].Fields, Field{Name: "more"})
		}},
		{"itself", func(_ *Schema, tab *Table) { tab.Entities[2].Fields[0].Name = SchemaVersionAttribute }},
		{"the table has not", func(_ *Schema, tab *Table) { tab.Entities[0].Keys[0].Index = "None" }},
		{"condition", func(_ *Schema, tab *Table) { tab.Entities[0].Keys[0].When.Field = "none" }},
		{"operation", func(_ *Schema, tab *Table) { tab.Patterns[0].Op = "Scan" }},
		{"yields nothing", func(_ *Schema, tab *Table) { tab.Patterns[0].Yields = nil }},
		{"names none", func(_ *Schema, tab *Table) { tab.Patterns[0].By = []string{"none"} }},
		{"names none", func(_ *Schema, tab *Table) { tab.Patterns[3].Given = Values{"none": "x"} }},
		{"names none", func(_ *Schema, tab *Table) { tab.Patterns[3].Range = "none" }},
		{"names none", func(_ *Schema, tab *Table) { tab.Patterns[3].Shows = []string{"none"} }},
		{"brace", func(_ *Schema, tab *Table) { tab.Patterns[2].Begins = "PAGE#{number" }},
		{"no limit", func(_ *Schema, tab *Table) { tab.Patterns[1].Limit = 0 }},
		{"only finds one", func(_ *Schema, tab *Table) { tab.Patterns[0].Index = "ByISBN" }},
		{"consistent", func(_ *Schema, tab *Table) { tab.Patterns[3].Strong = true }},
		{"different partitions", func(_ *Schema, tab *Table) { tab.Patterns[1].Yields = []string{"Book", "Lock"} }},
		{"is not in", func(_ *Schema, tab *Table) { tab.Patterns[3].Yields = []string{"Page"} }},
		{"writes nothing", func(_ *Schema, tab *Table) { tab.Patterns[0].Op = Put }},
		{"what serves", func(_ *Schema, tab *Table) { tab.Patterns[0].Op = Outside }},
		{"S3 does not allow", func(s *Schema, _ *Table) { s.Buckets[0].Name = "Covers" }},
		{"nothing is said", func(s *Schema, _ *Table) { s.Buckets[0].Objects[0].Vars = nil }},
		{"does nothing", func(s *Schema, _ *Table) { s.Buckets[0].Lifecycle[0].ExpiresAfter = 0 }},
	} {
		s := shelf()
		tt.spoil(&s, &s.Tables[0])
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("want an error with %q, got %v", tt.want, err)
		}
	}
}

func TestNamed(t *testing.T) {
	s := shelf()
	named := s.Named(func(env string) string { return map[string]string{"SHELF_TABLE": "other"}[env] })
	if named.Tables[0].Name != "other" || named.Buckets[0].Name != "covers" || s.Tables[0].Name != "shelf" {
		t.Error(named.Tables[0].Name, named.Buckets[0].Name, s.Tables[0].Name)
	}
}

func TestReach(t *testing.T) {
	s := shelf()
	tab := &s.Tables[0]
	for _, tt := range []struct {
		begins string
		want   bool
	}{{"", true}, {"PAGE#", true}, {"P", true}, {"PAGE", true}, {"PAGE#{number:04}", true}, {"META", false}, {"PAGE#1#", false}, {"PAG#", false}} {
		p := &Pattern{Op: Query, Yields: []string{"Book"}, Begins: tt.begins}
		if got := tab.Reach(p, &tab.Entities[1]); got != tt.want {
			t.Errorf("a query that begins with %q reaches Page: %v", tt.begins, got)
		}
	}
	if tab.Reach(&Pattern{Op: Query, Yields: []string{"Book"}}, &tab.Entities[2]) {
		t.Error("the partition of a book holds locks")
	}
}

func TestObjectKey(t *testing.T) {
	const key ObjectKey = "raw/{site}/{id}.gz"
	got, err := key.Render(Values{"site": "a{id}", "id": "x"})
	if err != nil || got != "raw/a{id}/x.gz" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", "..", ".", "a/b", "a\n", "\xff", strings.Repeat("x", 1024)} {
		if got, err := key.Render(Values{"site": bad, "id": "x"}); err == nil {
			t.Errorf("%q makes the key %q", bad, got)
		}
	}
}
