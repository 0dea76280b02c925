package proceedings_test

import (
	"testing"

	"pressroom/internal/desk/minutes/proceedings"
	"pressroom/internal/desk/minutes/score"
)

// BenchmarkLong reads and tells a meeting of 1,000 speeches: the longest of the gold set, its
// middle said over and over. It is to take less than 2 s and 100 MB.
func BenchmarkLong(b *testing.B) {
	cases, err := score.Load("testdata/gold")
	if err != nil {
		b.Fatal(err)
	}
	var m proceedings.Meeting
	for _, c := range cases {
		if c.Name != "shu-budget-long" {
			continue
		}
		m = proceedings.Meeting{House: c.Record.House, Name: c.Record.Name, Date: c.Record.Date}
		all := c.Record.Speeches
		last := len(all) - 20
		for i := 0; len(m.Speeches) < 1000; i++ {
			at := i
			if i >= last {
				at = 20 + (i-20)%(last-20)
			}
			if left := 1000 - len(m.Speeches); left <= 20 {
				at = len(all) - left
			}
			s := all[at]
			m.Speeches = append(m.Speeches, proceedings.Speech{
				Order: i, Speaker: s.Speaker, Group: s.Group, Position: s.Position, Role: s.Role, Text: s.Text,
			})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if told := proceedings.Read(m, nil).Tell(); told.Title == "" || len(told.Speeches) == 0 {
			b.Fatal("nothing is told")
		}
	}
}
