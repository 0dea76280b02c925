package lexicon

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func FuzzCSV(f *testing.F) {
	f.Add("term,gloss,examples,gloss:ja\nrizz,Charm,\"He has rizz; so much\",魅力\n")
	f.Add("term,gloss\n\"a\nb\",c\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := fileOfCSV(strings.NewReader(text))
		if err != nil {
			return
		}
		data, err := io.ReadAll(r)
		if err != nil || !json.Valid(data) {
			t.Fatalf("%q became %q: %v", text, data, err)
		}
	})
}

// A table is previewed, imported, and imported again without a change; what is wrong is
// said of its line.
func TestImportCSV(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	table := "\ufeffWord,Definition,examples,tags,gloss:ja,language\nrizz,Charm that attracts,He has rizz; So much rizz,charm,魅力,en\n\"no cap\",No lie,\"That, no cap\",,,en\n"
	for _, preview := range []bool{true, false} {
		report, err := f.Import(ctx, strings.NewReader(table), ImportOptions{CSV: true, Preview: preview})
		if err != nil || report.Written != 2 {
			t.Fatalf("%+v: %v", report, err)
		}
	}
	report, err := f.Import(ctx, strings.NewReader(table), ImportOptions{CSV: true})
	if err != nil || report.Same != 2 {
		t.Fatalf("again: %+v: %v", report, err)
	}
	term, err := f.Term(ctx, "rizz")
	if err != nil || len(term.Examples) != 2 || term.Glosses["ja"] != "魅力" {
		t.Errorf("%+v: %v", term, err)
	}
	report, err = f.Import(ctx, strings.NewReader("term,gloss,confidence\ngood,Good,0.5\nbad,Bad,much\n"), ImportOptions{CSV: true})
	if err == nil || len(report.Errors) == 0 || report.Errors[0].Line != 3 {
		t.Errorf("%+v: %v", report.Errors, err)
	}
	for _, bad := range []string{"", "a,b\n", "term,gloss\n\"open"} {
		if _, err := f.Import(ctx, strings.NewReader(bad), ImportOptions{CSV: true}); err == nil {
			t.Errorf("%q is imported", bad)
		}
	}
}
