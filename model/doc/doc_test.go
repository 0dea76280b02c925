package doc

import (
	"bytes"
	"strings"
	"testing"

	"pressroom/model"
)

var schema = model.Schema{Name: "s", Tables: []model.Table{{
	Name: "tab", Env: "TAB", Purpose: "things", PK: model.Key{Name: "PK"}, SK: model.Key{Name: "n", Kind: model.Number}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes:  []model.Index{{Name: "X", PK: model.Key{Name: "xpk"}, Projection: model.Include, Include: []string{"a"}, Purpose: "finding", Added: "needed"}},
	Entities: []model.Entity{{Name: "Thing", Doc: "a thing", PK: "THING#{id}", SK: "{n}", Keys: []model.IndexKey{{Index: "X", PK: "ON#{on:Yes|No}", When: &model.Condition{Field: "a", In: []string{"b", "c"}}}}, Fields: []model.Field{{Name: "id"}, {Name: "a", Values: []string{"b", "c"}, Optional: true, Added: true}}, Peak: 2}},
	Patterns: []model.Pattern{
		{Name: "Find", Who: "reader", Asks: "things", Op: model.Query, Index: "X", Yields: []string{"Thing"}, Given: model.Values{"on": "true"}, Desc: true, Order: "n", Limit: 7, Fetch: true, Ref: "1"},
		{Name: "Save", Who: "editor", Asks: "save", Op: model.Put, Writes: []model.Write{{Entity: "Thing", Max: 3}}},
	},
}}}

func TestMarkdown(t *testing.T) {
	want := []string{
		"| what | name | keys | says | notes |",
		"|---|---|---|---|---|",
		"| table | `tab` | `PK`, `n` (N) | things; time to live in `ttl`; recovery to any moment of 35 days; encrypted at rest | name from `TAB` |",
		"| index | `X` | `xpk` | `INCLUDE` of `a`: finding | added: needed |",
		"| entity | Thing | `THING#{id}`, `{n}`; X `ON#{on:Yes\\|No}` if `a` is b or c | a thing: `id`, `a` (b, c)⁺? | at most 2 writes a second |",
		"| pattern | Find | Query X `ON#Yes`, by `n` descending, 7, then BatchGet → Thing | reader: things | 1 |",
		"| pattern | Save | write Thing ≤ 3 | editor: save |  |",
	}
	got := Markdown(schema)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("line %d: got\n%s\nwant\n%s", i, strings.Join(got[min(i, len(got)):], "\n"), strings.Join(want[min(i, len(want)):], "\n"))
		}
	}
}

func TestPage(t *testing.T) {
	empty := "# Title\n\n" + begin + end + "\nAfter.\n"
	page, err := Rewrite(empty, schema)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(page, "# Title\n\n") || !strings.HasSuffix(page, end+"\nAfter.\n") {
		t.Errorf("the page around the table changed:\n%s", page)
	}
	if differences, err := Compare(page, schema); err != nil || len(differences) != 0 {
		t.Errorf("a page just written differs: %v, %v", differences, err)
	}
	for name, spoilt := range map[string]string{
		"a word":      strings.Replace(page, "finding", "loosing", 1),
		"a row less":  strings.Replace(page, "| pattern | Save | write Thing ≤ 3 | editor: save |  |\n", "", 1),
		"a row more":  strings.Replace(page, end, "| more |\n"+end, 1),
		"empty":       empty,
		"white space": strings.Replace(page, "| Save |", "|  Save |", 1),
	} {
		differences, err := Compare(spoilt, schema)
		if err != nil || len(differences) == 0 {
			t.Errorf("%s: not seen, %v", name, err)
		}
	}
	if d, _ := Compare(strings.Replace(page, "finding", "loosing", 1), schema); len(d) != 1 || d[0].Line != 7 {
		t.Errorf("one changed word is %v", d)
	}
	if _, err := Compare("# Title\n", schema); err == nil {
		t.Error("a page without markers is compared")
	}
}

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	if err := Print(&out, schema); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# s\n", "pattern  Find ", "THING#{id}, {n}"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
