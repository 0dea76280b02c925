package hansard_test

import (
	"slices"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/hansard"
	"pressroom/internal/desk/minutes/proceedings"
	"pressroom/internal/desk/minutes/score"
)

// TestGold holds the rules against the gold set: nothing that is told may be wrong.
func TestGold(t *testing.T) {
	t.Parallel()
	cases, err := score.Load("testdata/gold")
	if err != nil {
		t.Fatal(err)
	}
	table := score.NewTable()
	for _, c := range cases {
		s := hansard.Read(c.English)
		told := s.Tell()
		table.Add(c, &s.Proceedings, told)
		for _, point := range told.KeyPoints {
			quotes(t, c, point)
		}
		for _, it := range c.Gold.Items {
			i := slices.IndexFunc(s.Items, func(have proceedings.Item) bool { return have.Name == it.Name })
			if i >= 0 && (it.Named == nil) != (s.Items[i].Named == nil) {
				t.Errorf("%s: voters of %s are %v, want %v", c.Name, it.Name, s.Items[i].Named, it.Named)
			}
		}
	}
	table.Finish()
	for _, measure := range []string{
		"events", "items", "bills", "stages", "outcomes", "votes", "amendments", "questions", "debate", "witnesses", "opening", "closing",
		"procedural", "people", "headline", "headline-kind", "keywords.precision", "repetition",
	} {
		if got, ok := table.Value(measure); !ok || got < 1 {
			t.Errorf("%s is %.3f", measure, got)
		}
	}
	if t.Failed() {
		for _, f := range table.Faults {
			t.Logf("%s: %s, missed %v: %s", f.Case, f.Measure, f.Missed, f.What)
		}
	}
}

// quotes holds each quotation of a sentence against the record.
func quotes(t *testing.T, c score.Case, text string) {
	t.Helper()
	for {
		_, rest, ok := strings.Cut(text, "“")
		if !ok {
			return
		}
		quote, more, _ := strings.Cut(rest, "”")
		text = more
		if !slices.ContainsFunc(c.English.Speeches(), func(s *assembly.Speech) bool { return strings.Contains(s.Text(), quote) }) {
			t.Errorf("%s: nobody said %q", c.Name, quote)
		}
	}
}
