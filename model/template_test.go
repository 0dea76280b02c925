package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemplate(t *testing.T) {
	tests := []struct {
		template Template
		values   Values
		key      string
	}{
		{"METADATA", Values{}, "METADATA"},
		{"SITE#{siteId}", Values{"siteId": "nhk"}, "SITE#nhk"},
		{"ARTICLE#{publishedAt}#{articleId}", Values{"publishedAt": "2026-11-15T09:30:00.000Z", "articleId": "A1"}, "ARTICLE#2026-11-15T09:30:00.000Z#A1"},
		{"BLOCK#{order:05}", Values{"order": "7"}, "BLOCK#00007"},
		{"BLOCK#{order:05}", Values{"order": "0"}, "BLOCK#00000"},
		{"SUMMARY#v{version}", Values{"version": "2"}, "SUMMARY#v2"},
		{"ACTIVE#{on:True|False}", Values{"on": "true"}, "ACTIVE#True"},
		{"ACTIVE#{on:True|False}", Values{"on": "false"}, "ACTIVE#False"},
		{"Y#{date:YYYY}#M#{date:MM}#D#{date}#A#{id}", Values{"date": "2026-11-15", "id": "x"}, "Y#2026#M#11#D#2026-11-15#A#x"},
		{"Y#{date:YYYY}#M#{date:MM}", Values{"date": "2026-11"}, "Y#2026#M#11"},
		{"FEED#{at:YYYY-MM}", Values{"at": "2026-11"}, "FEED#2026-11"},
		{"TAG#{name}", Values{"name": "C#"}, "TAG#C%23"},
		{"TAG#{name}", Values{"name": "100%"}, "TAG#100%"},
		{"TAG#{name}", Values{"name": "%23"}, "TAG#%2523"},
		{"TAG#{name}", Values{"name": "%25"}, "TAG#%2525"},
		{"{term}", Values{"term": "C# %23"}, "C# %23"},
		{"PERSON#{name}", Values{"name": "山田 太郎"}, "PERSON#山田 太郎"},
		{"PERSON#@{assembly?}#{name}", Values{"name": "山田 太郎"}, "PERSON#山田 太郎"},
		{"PERSON#@{assembly?}#{name}", Values{"name": "@gb"}, "PERSON#@gb"},
		{"PERSON#@{assembly?}#{name}", Values{"assembly": "gb", "name": "A#B"}, "PERSON#@gb#A%23B"},
		{"ARTICLE#@{assembly?}", Values{}, "ARTICLE"},
		{"ARTICLE#@{assembly?}", Values{"assembly": "gb"}, "ARTICLE#@gb"},
	}
	for _, tt := range tests {
		got, err := tt.template.Render(tt.values)
		if err != nil || got != tt.key {
			t.Errorf("Render(%s, %v) = %q, %v, want %q", tt.template, tt.values, got, err, tt.key)
		}
		back, err := tt.template.Parse(tt.key)
		if err != nil {
			t.Errorf("Parse(%s, %q): %v", tt.template, tt.key, err)
		}
		if diff := cmp.Diff(tt.values, back); diff != "" {
			t.Errorf("Parse(%s, %q) (-want +got):\n%s", tt.template, tt.key, diff)
		}
	}
}

func TestTemplateRefusals(t *testing.T) {
	for _, bad := range []Template{"", "A##B", "A#", "{", "{}", "{a", "a}", "{a}{b}", "{a:5}", "{a:0}", "{a:yyyy}", "{1a}", "50%", "{a:x|x}", "{a:}", "{a?}", "{a?}#B", "A#{a?}#{b?}", "A#{a?:05}"} {
		if bad.Check() == nil {
			t.Errorf("template %q is accepted", bad)
		}
	}
	for _, tt := range []struct {
		template Template
		values   Values
	}{
		{"A#{a}", nil},
		{"A#{a}", Values{"a": ""}},
		{"A#{a}", Values{"a": "\xff"}},
		{"{n:02}", Values{"n": "100"}},
		{"{n:02}", Values{"n": "-1"}},
		{"{n:02}", Values{"n": "01"}},
		{"{d:YYYY-MM}", Values{"d": "2026"}},
		{"{d:YYYY-MM}", Values{"d": "2026-1"}},
		{"{d:YYYY}", Values{"d": "20260101"}},
		{"{b:True|False}", Values{"b": "True"}},
	} {
		if got, err := tt.template.Render(tt.values); err == nil {
			t.Errorf("Render(%s, %v) = %q, want an error", tt.template, tt.values, got)
		}
	}
	for _, tt := range []struct {
		template Template
		key      string
	}{
		{"A#{a}", "A#"}, {"A#{a}", "A"}, {"A#{a}", "A#b#c"}, {"A#{a}", "B#b"}, {"A#{a}", "A#%25x"},
		{"{n:03}", "1"}, {"{n:03}", "0001"}, {"{n:03}", "0x1"},
		{"Y#{d:YYYY}#D#{d}", "Y#2025#D#2026-01-01"},
		{"A#{a}#{a}", "A#1#2"},
		{"{b:True|False}", "true"},
	} {
		if got, err := tt.template.Parse(tt.key); err == nil {
			t.Errorf("Parse(%s, %q) = %v, want an error", tt.template, tt.key, got)
		}
	}
}

func TestPrefix(t *testing.T) {
	const template Template = "ARTICLE#{publishedAt}#{articleId}"
	for _, tt := range []struct {
		values Values
		want   string
		whole  bool
	}{
		{nil, "ARTICLE#", false},
		{Values{"publishedAt": "2026"}, "ARTICLE#2026#", false},
		{Values{"publishedAt": "2026", "articleId": "1"}, "ARTICLE#2026#1", true},
	} {
		got, whole, err := template.Prefix(tt.values)
		if err != nil || got != tt.want || whole != tt.whole {
			t.Errorf("Prefix(%v) = %q, %v, %v", tt.values, got, whole, err)
		}
	}
}

func TestOverlaps(t *testing.T) {
	for _, tt := range []struct {
		a, b Template
		want bool
	}{
		{"METADATA", "METADATA", true},
		{"METADATA", "PROFILE", false},
		{"METADATA", "BLOCK#{n:05}", false},
		{"ARTICLE#{id}", "SITE#{id}", false},
		{"ARTICLE#{id}", "ARTICLE#{other}", true},
		{"ARTICLE#{id}", "ARTICLE#METADATA", true},
		{"BLOCK#{n:05}", "BLOCK#METADATA", false},
		{"SUMMARY#v{n}", "SUMMARY#x{n}", false},
		{"SUMMARY#v{n}", "SUMMARY#{n}", true},
		{"{pk}", "SITE#{id}", true},
		{"{pk:05}", "METADATA", false},
		{"PERSON#@{a?}#{b}", "PERSON#{b}", true},
		{"PERSON#@{a?}#{b}", "PERSON#{b}#{c}", true},
		{"PERSON#@{a?}#{b}", "PERSON#X#{c}", false},
	} {
		if got := tt.a.Overlaps(tt.b); got != tt.want {
			t.Errorf("%s overlaps %s: %v", tt.a, tt.b, got)
		}
		if got := tt.b.Overlaps(tt.a); got != tt.want {
			t.Errorf("%s overlaps %s: %v", tt.b, tt.a, got)
		}
	}
}

// templatesOfAll has one of every shape that the desks use.
var templatesOfAll = []Template{
	"SITE#{a}", "ARTICLE#{a}#{b}", "ARTICLE#{a}", "HASH#{a}", "ARTICLE", "SUMMARY#v{a}", "USAGE#LIMITS", "{a}#{b}", "A#{a}#B#{b}", "PERSON#@{a?}#{b}", "LIST#@{a?}",
}

// FuzzTemplate: rendering and parsing are inverse, and a key rendered from any
// values is a key of no template that does not overlap.
func FuzzTemplate(f *testing.F) {
	f.Add("x", "y")
	f.Add("#", "%")
	f.Add("%23", "%25%2325")
	f.Add("a#ARTICLE#b", "METADATA")
	f.Fuzz(func(t *testing.T, a, b string) {
		values := Values{"a": a, "b": b}
		for _, template := range templatesOfAll {
			key, err := template.Render(values)
			if err != nil {
				if a != "" && b != "" && strings.ToValidUTF8(a+b, "") == a+b {
					t.Fatalf("Render(%s, %q, %q): %v", template, a, b, err)
				}
				continue
			}
			back, err := template.Parse(key)
			if err != nil {
				t.Fatalf("Parse(%s, %q): %v", template, key, err)
			}
			for _, name := range template.Vars() {
				if back[name] != values[name] {
					t.Fatalf("%s: %s = %q came back from %q as %q", template, name, values[name], key, back[name])
				}
			}
			for _, other := range templatesOfAll {
				if _, err := other.Parse(key); err == nil && !template.Overlaps(other) {
					t.Fatalf("%q of %s is also a key of %s", key, template, other)
				}
			}
		}
	})
}

// FuzzParse: what is accepted as a key is written again byte for byte.
func FuzzParse(f *testing.F) {
	all := append([]Template{"BLOCK#{n:05}", "ACTIVE#{b:True|False}", "Y#{d:YYYY}#M#{d:MM}#D#{d}#A#{id}", "FEED#{d:YYYY-MM}", "Y#{d:YYYY}#M#{d:MM}", "{raw}"}, templatesOfAll...)
	for _, seed := range []string{"SITE#a", "BLOCK#00001", "Y#2026#M#11#D#2026-11-01#A#x", "FEED#2026-11", "TAG#%23", "A#%25x", "ACTIVE#True"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		for _, template := range all {
			values, err := template.Parse(key)
			if err != nil {
				continue
			}
			if again, err := template.Render(values); err != nil || again != key {
				t.Fatalf("%s: %q parses to %v and renders to %q, %v", template, key, values, again, err)
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	values := Values{"publishedAt": "2026-11-15T09:30:00.000Z", "articleId": "01JCQ"}
	for b.Loop() {
		if _, err := Template("ARTICLE#{publishedAt}#{articleId}").Render(values); err != nil {
			b.Fatal(err)
		}
	}
}
