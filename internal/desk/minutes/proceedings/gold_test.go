package proceedings_test

import (
	"testing"

	"pressroom/internal/desk/minutes/proceedings"
	"pressroom/internal/desk/minutes/score"
)

// TestGold holds the rules against the gold set. What they do not reach yet is said by
// "pressroom eval minutes --faults".
func TestGold(t *testing.T) {
	cases, err := score.Load("testdata/gold")
	if err != nil {
		t.Fatal(err)
	}
	table := score.NewTable()
	for _, c := range cases {
		m := proceedings.Meeting{House: c.Record.House, Name: c.Record.Name, Date: c.Record.Date}
		for _, s := range c.Record.Speeches {
			m.Speeches = append(m.Speeches, proceedings.Speech{
				Order: s.Order, Speaker: s.Speaker, Group: s.Group, Position: s.Position, Role: s.Role, Text: s.Text,
			})
		}
		p := proceedings.Read(m, nil)
		table.Add(c, p, p.Tell())
	}
	table.Finish()
	for name, bar := range map[string]float64{
		"events": 0.98, "items": 1, "bills": 1, "stages": 0.98, "outcomes.precision": 1, "outcomes": 0.99, "votes.precision": 1, "votes": 0.99,
		"amendments": 1, "questions": 0.9, "debate.precision": 1, "resolutions.precision": 1, "corrections": 1, "opening": 1, "closing": 1,
		"headline": 0.95, "headline-kind": 1, "keywords.precision": 0.9, "repetition": 1,
	} {
		got, ok := table.Value(name)
		if !ok || got < bar {
			t.Errorf("%s is %.3f, below %.2f", name, got, bar)
		}
	}
	if t.Failed() {
		for _, f := range table.Faults {
			if f.Measure != "people" && f.Measure != "procedural" {
				t.Logf("%s: %s, missed %v: %s", f.Case, f.Measure, f.Missed, f.What)
			}
		}
	}
}
