package hansard_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/hansard"
	"pressroom/internal/desk/minutes/score"
)

// meeting makes a record of lines: headings begin with =, speeches with @ and the role.
func meeting(text string) *assembly.Meeting {
	m := &assembly.Meeting{House: "House", Date: "2026-03-02", Language: "en"}
	var speech *assembly.Speech
	orders := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "="):
			speech = nil
			m.Parts = append(m.Parts, assembly.Part{Item: &assembly.Item{Title: strings.TrimLeft(line, "= "), Level: strings.Count(line, "=")}})
		case strings.HasPrefix(line, "@"):
			role, name, _ := strings.Cut(line[1:], " ")
			orders++
			speech = &assembly.Speech{Order: orders, Name: name, Role: assembly.Role(role)}
			m.Parts = append(m.Parts, assembly.Part{Speech: speech})
		case strings.HasPrefix(line, ">"):
			m.Parts = append(m.Parts, assembly.Part{Note: &assembly.Note{Text: strings.TrimLeft(line, "> ")}})
		case speech != nil:
			speech.Paragraphs = append(speech.Paragraphs, assembly.Paragraph{Text: line})
		}
	}
	return m
}

// FuzzRead holds what is read of any text to what its package promises: every order is one of
// the record, and no vote contradicts its outcome.
func FuzzRead(f *testing.F) {
	f.Add("= Kelp Bill\n== Second Reading\n@member Ada\nI move, That the Bill be now read a second time.\n> The House divided: Ayes 3, Noes 2.\n> Question agreed to.\n")
	f.Add("> Moved by Ada\n= ACT\n@chair Chair\nThe question is on the amendment.\n> Amendment 1 agreed to.\n> Total — 3\n")
	f.Add("= Kelp Bill\n== Amendment 1\n> Moved by Ada\n> Ayes 1\n> Noes 9\n> Amendment 1 agreed to.\n= Royal Assent\n> Kelp Act, Fish Act.\n")
	files, _ := filepath.Glob("testdata/gold/*.record.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := meeting(text)
		s := hansard.Read(m)
		told := s.Tell()
		known := func(order int) bool {
			return len(m.Speeches()) == 0 || slices.ContainsFunc(m.Speeches(), func(s *assembly.Speech) bool { return s.Order == order })
		}
		for _, c := range append(told.Course, told.Summary) {
			if slices.ContainsFunc(c.Orders, func(o int) bool { return !known(o) }) {
				t.Errorf("%q cites %v", c.Text, c.Orders)
			}
		}
		for _, it := range s.Items {
			if v := it.Vote; v != nil && v.Result == "numbers" && v.For <= v.Against && (it.Outcome == "passed" || it.Outcome == "agreed" || it.Outcome == "adopted" || it.Outcome == "approved") {
				t.Errorf("%s is %s by %d to %d", it.Name, it.Outcome, v.For, v.Against)
			}
		}
	})
}

// A motion that names a bill in a form that is not known is no motion on the heading's subject.
func TestUnknownMotionOnBill(t *testing.T) {
	t.Parallel()
	s := hansard.Read(meeting("= Canal Locks Act\n@member Ada\nI move that Bill C-31, An Act respecting canal locks, be hung upon the wall.\n> (Motion agreed to)\n"))
	if len(s.Items) > 0 || s.Decided() {
		t.Errorf("items %+v", s.Items)
	}
}

// BenchmarkLong reads and tells a sitting of 1,000 speeches: one of the gold set, over and over.
func BenchmarkLong(b *testing.B) {
	cases, err := score.Load("testdata/gold")
	if err != nil {
		b.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c score.Case) bool { return c.Name == "uk-commons-second-reading" })
	m := *cases[i].English
	parts := m.Parts
	m.Parts = nil
	for orders := 0; orders < 1000; {
		for _, p := range parts {
			if p.Speech != nil {
				orders++
				s := *p.Speech
				s.Order = orders
				p.Speech = &s
			}
			m.Parts = append(m.Parts, p)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if hansard.Read(&m).Tell().Title == "" {
			b.Fatal("nothing is told")
		}
	}
}
