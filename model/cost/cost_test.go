package cost

import (
	"bytes"
	"strings"
	"testing"

	"pressroom/model"
)

var table = model.Table{
	Name: "tab", PK: model.Key{Name: "PK"}, SK: model.Key{Name: "SK"},
	Indexes: []model.Index{
		{Name: "ByKind", PK: model.Key{Name: "kind"}, SK: model.Key{Name: "at"}, Projection: model.KeysOnly},
		{Name: "Everything", PK: model.Key{Name: "GPK"}, SK: model.Key{Name: "at"}, Projection: model.All},
	},
	Entities: []model.Entity{
		{Name: "Doc", PK: "DOC#{id}", SK: "META", Keys: []model.IndexKey{{Index: "ByKind", PK: "{kind}", SK: "{at}"}, {Index: "Everything", PK: "ALL", SK: "{at}"}},
			Fields: []model.Field{{Name: "id", Size: 10}, {Name: "kind", Values: []string{"a", "b"}}, {Name: "at", Kind: model.Time}, {Name: "body", Size: 5000}}},
		{Name: "Part", PK: "DOC#{id}", SK: "PART#{n:04}", Fields: []model.Field{{Name: "id", InKey: true, Size: 10}, {Name: "n", Kind: model.Number, InKey: true}, {Name: "body", Size: 100}}},
	},
	Patterns: []model.Pattern{
		{Name: "Get", Op: model.Get, Yields: []string{"Doc"}, By: []string{"id"}},
		{Name: "GetNow", Op: model.Get, Yields: []string{"Doc"}, By: []string{"id"}, Strong: true},
		{Name: "Kinds", Op: model.Query, Index: "ByKind", Yields: []string{"Doc"}, By: []string{"kind"}, Limit: 10, Shows: []string{"id"}},
		{Name: "KindsWhole", Op: model.Query, Index: "ByKind", Yields: []string{"Doc"}, By: []string{"kind"}, Limit: 10, Fetch: true},
		{Name: "Whole", Op: model.Query, Yields: []string{"Doc", "Part"}, By: []string{"id"}, Limit: 20},
		{Name: "Save", Op: model.Put, Writes: []model.Write{{Entity: "Doc", Max: 1}}},
		{Name: "SaveAll", Op: model.Put, Writes: []model.Write{{Entity: "Doc", Max: 1}, {Entity: "Part", Max: 9}}},
		{Name: "Search", Op: model.Outside, Served: "the search index"},
	},
}

// TestOf has figures that were worked out by hand: a Doc has 5,090 bytes or so,
// which are two read units of 4 KB and five write units of 1 KB; a Part has fewer
// than 200.
func TestOf(t *testing.T) {
	want := map[string]Cost{
		"Get":        {Items: 1, Read: 1},
		"GetNow":     {Items: 1, Read: 2},
		"Kinds":      {Items: 10, Read: 0.5},                 // 11 entries of fewer than 100 bytes
		"KindsWhole": {Items: 10, Read: 0.5 + 10*1},          // and each document
		"Whole":      {Items: 20, Read: 1},                   // one document and 20 parts, together under 8 KB
		"Save":       {Items: 1, Write: 5 + 1 + 5},           // item, entry of keys, entry of everything
		"SaveAll":    {Items: 2, Write: 2 * (5 + 1 + 5 + 1)}, // the same and a part, in a transaction
		"Search":     {},
	}
	for i := range table.Patterns {
		p := &table.Patterns[i]
		got, err := Of(&table, p)
		if err != nil {
			t.Fatal(err)
		}
		w := want[p.Name]
		if got.Items != w.Items || got.Read != w.Read || got.Write != w.Write {
			t.Errorf("%s: %+v, want %+v", p.Name, got, w)
		}
	}
}

func TestSamplesDiffer(t *testing.T) {
	for _, spread := range []bool{false, true} {
		s := Samples{Table: &table, Spread: spread}
		seen := map[string]bool{}
		for n := range 5000 {
			item, err := s.Item(&table.Entities[0], n, nil)
			if err != nil {
				t.Fatal(err)
			}
			id, ok := table.Identify(item)
			if !ok || id.Entity.Name != "Doc" {
				t.Fatalf("sample %d is %v", n, id.Entity)
			}
			seen[id.Values["id"]] = true
		}
		if len(seen) != 5000 {
			t.Errorf("%d of 5000 samples differ", len(seen))
		}
	}
}

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	if err := Print(&out, model.Schema{Name: "desk", Tables: []model.Table{table}}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1+len(table.Patterns) {
		t.Errorf("%d lines:\n%s", lines, &out)
	}
}
