package lexicon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
)

const goodItem = `{"term": "rizz", "gloss": "charm", "examples": ["he has rizz"], "tags": ["charm"], "categories": ["people"], "confidence": 0.9, "momentum": 0.9}`

func fileOf(items ...string) string {
	return fmt.Sprintf("{\n\"version\": \"1\",\n\"generated_at\": \"2026-11-15\",\n\"count\": %d,\n\"items\": [\n%s\n]}", len(items), strings.Join(items, ",\n"))
}

func TestImportErrors(t *testing.T) {
	tests := []struct {
		name, file string
		want       []string
	}{
		{"missing fields", fileOf(goodItem, `{"term": "x"}`), []string{
			"line 7: items[1].examples is missing", "line 7: items[1].tags is missing", "line 7: items[1].categories is missing",
			"line 7: items[1].confidence is missing", "line 7: items[1].momentum is missing", "line 7: items[1].gloss must not be empty"}},
		{"line of the field", fileOf(strings.ReplaceAll(strings.Replace(goodItem, `"charm", "ex`, `"<b>", "ex`, 1), `, "gloss"`, ",\n\n\"gloss\"")), []string{
			"line 8: items[0].gloss must be plain text, without markup"}},
		{"wrong type", fileOf(strings.Replace(goodItem, "0.9", `"high"`, 1)), []string{"line 6: items[0].confidence must not be a string"}},
		{"unknown field", fileOf(strings.Replace(goodItem, `"gloss"`, `"glos"`, 1)), []string{`line 6: items[0] cannot be read: unknown field "glos"`}},
		{"twice", fileOf(goodItem, strings.Replace(goodItem, "rizz", "ＲＩＺＺ", 1)), []string{"line 7: items[1].term is in line 6 already"}},
		{"looks the same", fileOf(strings.Replace(goodItem, "rizz", "lo", 1), strings.Replace(goodItem, "rizz", "l0", 1)), []string{"line 7: items[1].term looks the same as “lo”"}},
		{"count", strings.Replace(fileOf(goodItem), `"count": 1`, `"count": 2`, 1), []string{"line 4: count is 2, and there are 1 items"}},
		{"homoglyph", fileOf(strings.Replace(goodItem, "rizz", "rіzz", 1)), []string{"line 6: items[0].term has letters that are neither Latin nor Japanese"}},
		{"out of range", fileOf(strings.Replace(goodItem, `"momentum": 0.9`, `"momentum": 1.5`, 1)), []string{"line 6: items[0].momentum must be from 0 to 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, nil, Options{})
			report, err := f.Import(t.Context(), strings.NewReader(tt.file), ImportOptions{})
			want(t, err, errs.Invalid)
			var got []string
			for _, e := range report.Errors {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if empty, err := f.Empty(t.Context()); err != nil || !empty {
				t.Errorf("something was written: %v", err)
			}
		})
	}
}

func TestImportMalformed(t *testing.T) {
	f := open(t, nil, Options{})
	for _, text := range []string{"", "[]", "{", `{"items": {}}`, `{"items": [}`, `{"version": 1, "items": []}`, "{}", "null", `{"items": []} x`} {
		_, err := f.Import(t.Context(), strings.NewReader(text), ImportOptions{Partial: true})
		if err == nil || errs.KindOf(err) != errs.Malformed {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestImportExport(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	bad := `{"term": "", "gloss": "x"}`
	other := strings.Replace(goodItem, "rizz", "推し", 1)
	report, err := f.Import(ctx, strings.NewReader(fileOf(goodItem, bad, other)), ImportOptions{Partial: true})
	want(t, err, nil)
	if report.Written != 2 || report.Items != 2 || len(report.Errors) == 0 {
		t.Errorf("report %+v", report)
	}
	report, err = f.Import(ctx, strings.NewReader(fileOf(goodItem)), ImportOptions{})
	if want(t, err, nil); report.Written != 0 || report.Same != 1 {
		t.Errorf("a second time: %+v", report)
	}
	report, err = f.Import(ctx, strings.NewReader(fileOf(strings.Replace(goodItem, `"charm"`, `"great charm"`, 1))), ImportOptions{})
	if want(t, err, nil); report.Written != 1 {
		t.Errorf("a change: %+v", report)
	}
	// A term that looks like one that is there stops the file before anything.
	twin := strings.Replace(goodItem, "rizz", "r-izz", 1)
	_, err = f.Import(ctx, strings.NewReader(fileOf(strings.Replace(goodItem, "rizz", "new", 1), twin)), ImportOptions{})
	want(t, err, errs.Invalid)
	_, err = f.Term(ctx, "new")
	want(t, err, errs.NotFound)

	want(t, f.PutQuizPool(ctx, QuizPool{Category: "People", WrongAnswers: []string{"a", "b"}}), nil)
	var out bytes.Buffer
	n, err := f.Export(ctx, &out, "")
	if want(t, err, nil); n != 2 {
		t.Errorf("%d terms exported", n)
	}
	g := open(t, nil, Options{})
	report, err = g.Import(ctx, bytes.NewReader(out.Bytes()), ImportOptions{})
	if want(t, err, nil); report.Written != 2 || report.Pools != 1 {
		t.Errorf("the export imports as %+v", report)
	}
	var again bytes.Buffer
	_, err = g.Export(ctx, &again, OriginLexicon)
	want(t, err, nil)
	if diff := cmp.Diff(out.String(), again.String()); diff != "" {
		t.Error(diff)
	}
	_, err = f.Export(ctx, &out, "elsewhere")
	want(t, err, errs.Invalid)
}

func FuzzImport(f *testing.F) {
	f.Add(fileOf(goodItem))
	f.Add(`{"items": [{"term": 1}], "count": 9}`)
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseFile(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, e := range parsed.errors {
			if e.Line < 1 || e.Line > 1+strings.Count(text, "\n") {
				t.Errorf("an error in line %d of %q", e.Line, text)
			}
		}
		for _, term := range parsed.terms {
			if _, err := json.Marshal(term.item()); err != nil {
				t.Error(err)
			}
		}
	})
}
