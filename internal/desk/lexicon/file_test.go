package lexicon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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
	// A term that looks like one that is there is merged into it, and reported.
	twin := strings.Replace(strings.Replace(goodItem, "rizz", "r-izz", 1), "he has rizz", "much r-izz", 1)
	for range 2 {
		report, err = f.Import(ctx, strings.NewReader(fileOf(twin)), ImportOptions{})
		if want(t, err, nil); len(report.Merged) != 1 || report.Merged[0].Line != 6 {
			t.Errorf("a term that looks the same: %+v", report)
		}
	}
	merged, err := f.Term(ctx, "rizz")
	if want(t, err, nil); !slices.Contains(merged.Variants, "r-izz") || len(merged.Examples) != 2 {
		t.Errorf("merged: %+v", merged)
	}

	want(t, f.PutQuizPool(ctx, QuizPool{Category: "People", WrongAnswers: []string{"a", "b"}}), nil)
	var out bytes.Buffer
	n, err := f.Export(ctx, &out, "")
	if want(t, err, nil); n != 3 {
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

// fullItems are items with all fields that files have, in both forms of sources, with
// some that nobody knows, and two that look the same.
var fullItems = []string{
	`{"term":"no cap","variants":["nocap","no 🧢"],"pos":"phrase","gloss":"for real","examples":["No cap, it was great."],"tags":["truth"],"status":"approved","confidence":0.90,"regions":["US","UK"],"age_rating":"E","content_flags":[],"first_seen":"2019-05-01","last_seen":"2025-10-01","sources":{"reddit":120,"youtube":80},"momentum":0.8,"categories":["approval"],"first_attested":"2017-01-01","first_attested_confidence":"high","attestation_note":"Atlanta","editor":{"name":"x","since":2020}}`,
	`{"term":"thirsty","variants":[],"pos":"adjective","gloss":"eager for attention","examples":["So thirsty."],"tags":["dating"],"status":"approved","confidence":0.7,"regions":["US"],"age_rating":"T","content_flags":["suggestive"],"first_seen":"2014-01-01","last_seen":"2025-01-01","sources":["reddit"],"momentum":0.5,"categories":["dating"],"first_attested":"2014-01-01","first_attested_confidence":"low","attestation_note":""}`,
	`{"term":"nocap","variants":[],"pos":"interjection","gloss":"no lie","examples":["nocap fr"],"tags":["truth","internet"],"status":"approved","confidence":0.6,"regions":[],"age_rating":"E","content_flags":[],"first_seen":"2020-01-01","last_seen":"2025-01-01","sources":{"tiktok":3},"momentum":0.5,"categories":["approval"],"first_attested":"2020-01-01","first_attested_confidence":"low","attestation_note":"x"}`,
}

// canonical is the items of a file in one form, sorted.
func canonicalItems(t *testing.T, text []byte) []string {
	t.Helper()
	var file struct{ Items []map[string]any }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, item := range file.Items {
		text, err := json.Marshal(item)
		want(t, err, nil)
		all = append(all, string(text))
	}
	slices.Sort(all)
	return all
}

// The whole file is imported, merged where terms look the same, and given back.
func TestFullFile(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	file := fileOf(fullItems...)
	report, err := f.Import(ctx, strings.NewReader(file), ImportOptions{})
	if want(t, err, nil); report.Written != 2 || len(report.Errors) != 0 || len(report.Merged) != 1 {
		t.Fatalf("%+v", report)
	}
	if got := report.Merged[0].Error(); got != "line 8: items[2].term looks the same as “no cap” in line 6, and is merged into it" {
		t.Error(got)
	}
	var out bytes.Buffer
	_, err = f.Export(ctx, &out, "")
	want(t, err, nil)
	if diff := cmp.Diff(canonicalItems(t, []byte(file)), canonicalItems(t, out.Bytes())); diff != "" {
		t.Errorf("the export is not the file: %s", diff)
	}
	term, err := f.Term(ctx, "no-cap")
	want(t, err, nil)
	if term.Pos != "phrase" || term.AgeRating != "E" || term.Mature() || strings.Join(term.Sources, " ") != "reddit youtube tiktok" || term.SourceCounts["reddit"] != 120 ||
		term.FirstAttestedConfidence != "high" || term.LastSeen != "2025-10-01" || !slices.Contains(term.Examples, "nocap fr") {
		t.Errorf("%+v", term)
	}
	if thirsty, err := f.Term(ctx, "thirsty"); err != nil || !thirsty.Mature() {
		t.Errorf("%+v, %v", thirsty, err)
	}
	// A second time nothing changes; after an edit, the rest is still word for word.
	report, err = f.Import(ctx, strings.NewReader(file), ImportOptions{})
	if want(t, err, nil); report.Same != 2 {
		t.Errorf("a second time: %+v", report)
	}
	term.Gloss = "truly"
	want(t, f.SaveTerm(ctx, &term), nil)
	out.Reset()
	_, err = f.Export(ctx, &out, "")
	want(t, err, nil)
	edited := strings.Replace(file, "for real", "truly", 1)
	if diff := cmp.Diff(canonicalItems(t, []byte(edited)), canonicalItems(t, out.Bytes())); diff != "" {
		t.Errorf("after an edit: %s", diff)
	}
}
