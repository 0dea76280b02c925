package score

import (
	"os"
	"path/filepath"
	"testing"

	"pressroom/internal/desk/newswire/excerpt"
)

// TestGold holds the rules against the gold set. What they do not reach is said by
// "pressroom eval news --faults".
func TestGold(t *testing.T) {
	cases, err := Load("../testdata/gold")
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable()
	for _, c := range cases {
		table.Add(c, excerpt.Make(c.Title, c.Text))
	}
	table.Finish()
	for name, bar := range map[string]float64{
		"headline.recall": 0.98, "references": 1, "noise": 1, "verbatim": 1, "repetition": 1, "length": 1, "keywords.precision": 0.95,
	} {
		if got, ok := table.Value(name); !ok || got < bar {
			t.Errorf("%s is %.3f, below %.2f", name, got, bar)
		}
	}
	if t.Failed() {
		for _, f := range table.Faults {
			t.Logf("%s: %s, missed %v: %s", f.Case, f.Measure, f.Missed, f.What)
		}
	}
}

// Each measure sees what is wrong.
func TestScoreFindsFaults(t *testing.T) {
	c := Case{Name: "a", Title: "橋が開通", Text: "広告\n\n新しい若葉橋が開通した。これで島に渡れる。市長は「長かった。ほっとした」と述べた。ほかに何も起きなかった一日だったと、誰もが後で言った。"}
	c.Gold.Must, c.Gold.Dangling, c.Gold.Noise, c.Gold.Keywords = []string{"若葉橋", "開通"}, []string{"これで島に渡れる。"}, []string{"広告"}, []string{"若葉橋"}
	for measure, e := range map[string]excerpt.Excerpt{
		"headline":   {Sentences: []string{"市長は「長かった。ほっとした」と述べた。"}},
		"references": {Sentences: []string{"これで島に渡れる。"}},
		"noise":      {Sentences: []string{"広告"}},
		"verbatim":   {Sentences: []string{"市長は「長かった。"}},
		"repetition": {Sentences: []string{"新しい若葉橋が開通した。", "新しい若葉橋が開通した。"}},
		"length":     {Sentences: []string{"新しい若葉橋が開通した。", "これで島に渡れる。", "市長は「長かった。ほっとした」と述べた。"}},
		"keywords":   {Keywords: []string{"市長"}},
	} {
		table := NewTable()
		table.Add(c, e)
		table.Finish()
		if got, ok := table.Value(measure); !ok || got == 1 {
			t.Errorf("%s is %v, %v", measure, got, ok)
		}
	}
	table := NewTable()
	table.Add(c, excerpt.Excerpt{Sentences: []string{"新しい若葉橋が開通した。", "これで島に渡れる。"}, Keywords: []string{"若葉橋"}})
	if table.Finish(); len(table.Faults) > 0 {
		t.Errorf("%+v", table.Faults)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil {
		t.Error("an empty folder is no gold set")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"title":"a","text":"b"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("a text without an answer is no gold file")
	}
}
