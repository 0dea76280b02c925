package model

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// equalItems compares what items hold; the SDK's types have a field that only
// serves to close their interface.
var equalItems = cmpopts.IgnoreUnexported(types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberBOOL{}, types.AttributeValueMemberM{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberL{})

func item(t *testing.T, v map[string]any) Raw {
	t.Helper()
	raw, err := attributevalue.MarshalMap(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func book() map[string]any {
	return map[string]any{"id": "b1", "title": "T", "state": "out", "at": "2026-11-15T00:00:00.000Z", "kind": "novel", "rank": 7, "isbn": "978", "version": 1}
}

func TestFill(t *testing.T) {
	s := shelf()
	tab := &s.Tables[0]
	for _, tt := range []struct {
		name   string
		change func(map[string]any)
		want   map[string]any // key attributes beside the fields
	}{
		{"all", func(map[string]any) {}, map[string]any{"PK": "BOOK#b1", "SK": "META", "GPK": "STATE#out", "GSK": "2026-11-15T00:00:00.000Z#b1"}},
		{"condition", func(b map[string]any) { b["state"] = "in" }, map[string]any{"PK": "BOOK#b1", "SK": "META"}},
		{"stale keys go", func(b map[string]any) { b["state"], b["GPK"], b["GSK"] = "in", "STATE#out", "x" }, map[string]any{"PK": "BOOK#b1", "SK": "META"}},
		{"empty optional key", func(b map[string]any) { b["isbn"], b["state"] = "", "in" }, map[string]any{"PK": "BOOK#b1", "SK": "META", "-isbn": true}},
		{"escape", func(b map[string]any) { b["id"], b["state"] = "a#META", "in" }, map[string]any{"PK": "BOOK#a%23META", "SK": "META"}},
	} {
		b := book()
		tt.change(b)
		got := item(t, b)
		if err := tab.Fill(&tab.Entities[0], got); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		delete(b, "GPK")
		delete(b, "GSK")
		for k, v := range tt.want {
			if name, gone := strings.CutPrefix(k, "-"); gone {
				delete(b, name)
			} else {
				b[k] = v
			}
		}
		if diff := cmp.Diff(item(t, b), got, equalItems); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestFillRefuses(t *testing.T) {
	s := shelf()
	tab := &s.Tables[0]
	for name, change := range map[string]func(map[string]any){
		"no id":          func(b map[string]any) { delete(b, "id") },
		"no time":        func(b map[string]any) { delete(b, "at") },
		"long partition": func(b map[string]any) { b["id"] = strings.Repeat("x", 2048) },
		"long sort key":  func(b map[string]any) { b["at"] = strings.Repeat("x", 1024) },
	} {
		b := book()
		change(b)
		if err := tab.Fill(&tab.Entities[0], item(t, b)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestIdentify(t *testing.T) {
	s := shelf()
	tab := &s.Tables[0]
	raw := item(t, book())
	if err := tab.Fill(&tab.Entities[0], raw); err != nil {
		t.Fatal(err)
	}
	id, ok := tab.Identify(raw)
	if !ok || id.Entity.Name != "Book" {
		t.Fatalf("identified as %v, %v", id.Entity, ok)
	}
	want := []KeyMeaning{
		{PK: "BOOK#b1", SK: "META", Form: "BOOK#{id}, META", Values: Values{"id": "b1"}},
		{Index: "ByState", PK: "STATE#out", SK: "2026-11-15T00:00:00.000Z#b1", Form: "STATE#{state}, {at}#{id}", Values: Values{"state": "out", "at": "2026-11-15T00:00:00.000Z", "id": "b1"}},
		{Index: "ByRank", PK: "novel", SK: "7", Form: "{kind}, {rank}", Values: Values{"kind": "novel", "rank": "7"}},
		{Index: "ByISBN", PK: "978", Form: "{isbn}", Values: Values{"isbn": "978"}},
	}
	if diff := cmp.Diff(want, id.Keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	page, ok := tab.Identify(item(t, map[string]any{"PK": "BOOK#b1", "SK": "PAGE#0012"}))
	if !ok || page.Entity.Name != "Page" || page.Values["number"] != "12" || page.Values["id"] != "b1" {
		t.Errorf("page: %+v, %v", page, ok)
	}
	for _, foreign := range []map[string]any{{"PK": "SHOP#1", "SK": "META"}, {"PK": "BOOK#1", "SK": "PAGE#x"}, {"PK": "BOOK#1"}, {"PK": 5, "SK": "META"}} {
		if id, ok := tab.Identify(item(t, foreign)); ok {
			t.Errorf("%v is taken for %s", foreign, id.Entity.Name)
		}
	}
}

func TestUpgrade(t *testing.T) {
	e := &Entity{Name: "Task", Upgrades: []Upgrade{
		{Do: ReplaceValue("mode", "direct", "single")},
		{Do: CopyFrom("issue", "meeting", "issueID")},
	}}
	raw := item(t, map[string]any{"mode": "direct", "meeting": map[string]any{"issueID": "i1"}})
	changed, err := e.Upgrade(raw)
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	want := item(t, map[string]any{"mode": "single", "issue": "i1", "meeting": map[string]any{"issueID": "i1"}, SchemaVersionAttribute: 3})
	if diff := cmp.Diff(want, raw, equalItems); diff != "" {
		t.Error(diff)
	}
	if changed, err := e.Upgrade(raw); err != nil || changed {
		t.Errorf("a second upgrade: %v, %v", changed, err)
	}
	second := item(t, map[string]any{"mode": "direct", SchemaVersionAttribute: 2})
	if _, err := e.Upgrade(second); err != nil || !cmp.Equal(second["mode"], types.AttributeValue(&types.AttributeValueMemberS{Value: "direct"}), equalItems) {
		t.Errorf("an upgrade that was done is done again: %v, %v", second, err)
	}
	for _, bad := range []map[string]any{{SchemaVersionAttribute: 4}, {SchemaVersionAttribute: "1"}, {SchemaVersionAttribute: 0}, {"meeting": "none"}} {
		if _, err := e.Upgrade(item(t, bad)); err == nil {
			t.Errorf("%v is upgraded", bad)
		}
	}
}
