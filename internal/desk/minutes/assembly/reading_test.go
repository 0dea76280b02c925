package assembly

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// lines is a format of tests: "id date", then one speech a line; "!" is a fault.
type lines struct{}

func (lines) Takes(name string) bool { return path.Ext(name) == ".txt" }

func (lines) People(f File, into *Register) error {
	if path.Base(f.Name) == "people.txt" {
		into.Person("a").Names = []Name{{Text: "Ada Quill"}}
	}
	return nil
}

func (lines) Meetings(f File) iter.Seq2[*Meeting, error] {
	return func(yield func(*Meeting, error) bool) {
		in, err := f.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		var b Builder
		for s := bufio.NewScanner(in); s.Scan(); {
			switch {
			case b.Meeting.ID == "":
				if _, err := fmt.Sscan(s.Text(), &b.Meeting.ID, &b.Meeting.Date); err != nil {
					b.Meeting.ID = s.Text()
				}
			case s.Text() == "!":
				yield(nil, &FileError{f.Name, 2, errors.New("bad")})
				return
			default:
				b.Speech(Speech{Person: "a"})
				b.Paragraph(Paragraph{Text: s.Text()})
			}
		}
		if b.Meeting.ID != "" {
			yield(b.Done())
		}
	}
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

// results says what a reading gives, in short.
func results(r *Reading) []string {
	var all []string
	for err := range r.People(context.Background()) {
		all = append(all, "people: "+err.Error())
	}
	for m, err := range r.Meetings(context.Background()) {
		if err != nil {
			all = append(all, "fault: "+err.Error())
			continue
		}
		s := fmt.Sprintf("%s %s %s:", m.ID, m.Date, strings.Join(m.Files, "+"))
		for _, speech := range m.Speeches() {
			s += fmt.Sprintf(" %d %s %q", speech.Order, speech.Name, speech.Text())
		}
		for _, w := range m.Warnings {
			s += " warning " + w
		}
		all = append(all, s)
	}
	return all
}

func TestReading(t *testing.T) {
	r := &Reading{
		ID: func(m *Meeting) string { return strings.TrimSuffix(m.ID, "x") },
		Sources: []Source{{Format: lines{}, Skip: []string{"people.*"}, Folder: fstest.MapFS{
			"1.txt": text("one 2026-03-01\nA"), "2a.txt": text("two 2026-03-02\nB\nC"), "2b.txt": text("twox 2026-03-02\nD"),
			"3.txt": text("three 2026-03-03\n!\nE"), "4.txt": text("two 2026-03-02\nF"), "5.txt": text("five 2026-02-30\nG"),
			"2026-04-01.txt": text("six\nH"), "people.txt": text("p 2026-03-01"), "7.xml": text("x"),
			"long.txt": text(strings.Repeat("x", 300) + "y 2026-03-01"),
		}}},
	}
	want := []string{
		`one 2026-03-01 1.txt: 1 Ada Quill "A"`,
		`si 2026-04-01 2026-04-01.txt: 1 Ada Quill "H"`,
		`two 2026-03-02 2a.txt+2b.txt: 1 Ada Quill "B" 2 Ada Quill "C" 3 Ada Quill "D"`,
		"fault: 3.txt:2: bad",
		`two 2026-03-02 4.txt: 1 Ada Quill "F" warning the id two was also that of 2a.txt`,
		`fault: 5.txt: the meeting's date is not a day: "2026-02-30"`,
		`fault: long.txt: the meeting's id has more than 200 bytes: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"`,
	}
	if diff := cmp.Diff(want, results(r)); diff != "" {
		t.Error(diff)
	}
}

// Interruptions in brackets are notes at their place.
func TestSaid(t *testing.T) {
	var b Builder
	b.Speech(Speech{})
	b.Said(Paragraph{Text: "One [Interruption.] two. [Laughter] [see column 4] Three [ Hon. Members: \"Oh!\" ]. [Applause.]"})
	b.Said(Paragraph{Text: "[Time expired.]"})
	b.Said(Paragraph{Text: "End."})
	m, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	s := m.Speeches()[0]
	if got, want := s.Text(), "One two. [see column 4] Three [ Hon. Members: \"Oh!\" ].\nEnd."; got != want {
		t.Errorf("%q", got)
	}
	var notes []string
	for _, n := range s.Notes {
		notes = append(notes, fmt.Sprintf("%s at %d.%d", n.Text, n.At.Paragraph, n.At.Offset))
	}
	if diff := cmp.Diff([]string{"Interruption. at 0.3", "Laughter at 0.8", "Applause. at 0.54", "Time expired. at 1.0"}, notes); diff != "" {
		t.Error(diff)
	}
}

// A reading can be left at any meeting.
func TestReadingStops(t *testing.T) {
	folder := fstest.MapFS{"1.txt": text("one 2026-03-01\nA"), "2.txt": text("two 2026-03-01\nA"), "3.txt": text("three 2026-03-01\nA")}
	r := &Reading{Sources: []Source{{Format: lines{}, Folder: folder}}}
	for m, err := range r.Meetings(context.Background()) {
		if err != nil || m.ID != "one" {
			t.Fatal(m, err)
		}
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	n := 0
	for _, err := range r.Meetings(ctx) {
		n, last = n+1, err
		cancel()
	}
	if n != 3 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d results after it was cancelled, the last %v", n, last)
	}
}

func TestPreview(t *testing.T) {
	r := &Reading{Sources: []Source{{Format: lines{}, Folder: fstest.MapFS{
		"1.txt": text("one 2026-03-01\nA\nB"), "2.txt": text("two 2026-03-05\n!"), "3.txt": text("three 2026-03-07\nC"), "people.txt": text(""),
	}}}}
	p, err := PreviewOf(context.Background(), r, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := Preview{
		People: 1, Meetings: 2, Speeches: 3, Speakers: 1, Named: 3, First: "2026-03-01", Last: "2026-03-07", Languages: map[string]int{"und": 3},
		Errors: []string{"2.txt:2: bad"},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	if p, _ = PreviewOf(context.Background(), r, 1); p.Meetings != 1 || !p.Cut {
		t.Errorf("one meeting: %+v", p)
	}
}
