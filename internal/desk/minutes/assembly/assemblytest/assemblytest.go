// Package assemblytest proves a format of records: that it reads its own small files
// as it always did, that it never gives a meeting that breaks the model's promises,
// and that hostile files end in an error with a file and a line.
//
// It promises to try every format with the same faults. The files are written for
// these tests, and everybody in them is invented.
//
// Start with [Golden], [Fuzz] and [Hostile].
package assemblytest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/minutes/assembly"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// Golden reads every folder in testdata and compares what comes out with the file
// of the folder's name. Run the test with -update to write those files.
func Golden(t *testing.T, format assembly.Format) {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "fuzz" {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) { GoldenOf(t, format, e.Name()) })
	}
}

// GoldenOf is Golden for one folder of testdata.
func GoldenOf(t *testing.T, format assembly.Format, name string) {
	t.Helper()
	got := Render(t, &assembly.Reading{Sources: []assembly.Source{{Folder: os.DirFS(filepath.Join("testdata", name)), Format: format}}})
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Render reads everything and returns it as JSON, faults included.
func Render(t testing.TB, r *assembly.Reading) []byte {
	t.Helper()
	var out struct {
		People        []*assembly.Person                `json:"people,omitempty"`
		Organisations map[string]*assembly.Organisation `json:"organisations,omitempty"`
		Meetings      []*assembly.Meeting               `json:"meetings,omitempty"`
		Errors        []string                          `json:"errors,omitempty"`
	}
	for err := range r.People(context.Background()) {
		out.Errors = append(out.Errors, err.Error())
	}
	for m, err := range r.Meetings(context.Background()) {
		if err != nil {
			out.Errors = append(out.Errors, err.Error())
			continue
		}
		if err := Check(m); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		out.Meetings = append(out.Meetings, m)
	}
	out.People, out.Organisations = r.Register.Sorted(), r.Register.Organisations
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(out); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Check returns which promise of the model a meeting breaks.
func Check(m *assembly.Meeting) error {
	order := 0
	for i, p := range m.Parts {
		set := 0
		for _, is := range []bool{p.Item != nil, p.Speech != nil, p.Note != nil, p.Vote != nil} {
			if is {
				set++
			}
		}
		if set != 1 {
			return fmt.Errorf("part %d is %d things", i, set)
		}
		if p.Note != nil && p.Note.At != nil {
			return fmt.Errorf("part %d, a note between speeches, has a place in one", i)
		}
		if p.Speech == nil {
			continue
		}
		s := p.Speech
		if order > 0 && s.Order != order+1 {
			return fmt.Errorf("speech %d follows speech %d", s.Order, order)
		}
		order = s.Order
		if !utf8.ValidString(s.Text() + s.Name + s.Office) {
			return fmt.Errorf("speech %d is not UTF-8", s.Order)
		}
		for _, n := range s.Notes {
			switch {
			case n.At == nil || n.At.Paragraph < 0 || n.At.Paragraph > len(s.Paragraphs):
				return fmt.Errorf("a note of speech %d is nowhere: %+v", s.Order, n.At)
			case n.At.Paragraph < len(s.Paragraphs) && (n.At.Offset < 0 || n.At.Offset > len(s.Paragraphs[n.At.Paragraph].Text)):
				return fmt.Errorf("a note of speech %d is beyond its paragraph: %+v", s.Order, n.At)
			}
		}
	}
	return nil
}

// read reads one file as both people and meetings.
func read(format assembly.Format, name string, data []byte) (meetings []*assembly.Meeting, register assembly.Register, err error) {
	err = format.People(assembly.NewFile(name, bytes.NewReader(data)), &register)
	for m, fault := range format.Meetings(assembly.NewFile(name, bytes.NewReader(data))) {
		if fault != nil {
			err = errors.Join(err, fault)
			continue
		}
		meetings = append(meetings, m)
	}
	return meetings, register, err
}

// Fuzz tries a format with any bytes: no panic, every error names the file, a
// meeting keeps the promises, and the same bytes give the same meetings.
func Fuzz(f *testing.F, format assembly.Format, name string) {
	seeds := 0
	err := filepath.WalkDir("testdata", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Dir(file) == "testdata" || strings.Contains(file, "fuzz") {
			return err
		}
		data, err := os.ReadFile(file)
		f.Add(data)
		f.Add(data[:len(data)/2])
		seeds++
		return err
	})
	if err != nil || seeds == 0 {
		f.Fatal("no files to begin with", err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		meetings, _, err := read(format, name, data)
		if err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name the file: %v", err)
		}
		for _, m := range meetings {
			if err := Check(m); err != nil {
				t.Error(err)
			}
		}
		again, _, _ := read(format, name, data)
		if diff := cmp.Diff(meetings, again); diff != "" {
			t.Error(diff)
		}
	})
}

// Document is a whole file of a format that is XML, with room for faults: head is
// what stands before the root, text stands where something is said.
type Document func(head, text string) string

// Hostile tries an XML format with what strangers may send. Every case ends in an
// error with the file's name and a line, and no meeting.
func Hostile(t *testing.T, format assembly.Format, name string, doc Document) {
	t.Helper()
	if m, _, err := read(format, name, []byte(doc("", "Good morning."))); err != nil || len(m) != 1 {
		t.Fatalf("the document itself: %d meetings, %v", len(m), err)
	}
	laughs := `<!DOCTYPE x [<!ENTITY a "ha ha ha ha ha ha ha ha">`
	for i := range 9 {
		c := string(rune('a' + i + 1))
		laughs += fmt.Sprintf(`<!ENTITY %s "%s">`, c, strings.Repeat("&"+string(rune('a'+i))+";", 10))
	}
	laughs += "]>"
	attrs := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ` a%d="x"`, i)
		}
		return b.String()
	}
	whole := doc("", "Good morning.")
	latin := strings.Replace(doc(`<?xml version="1.0" encoding="ISO-8859-1"?>`, "Café, naïve, Münster."), "\ufeff", "", 1)
	for _, tt := range []struct{ name, doc, want string }{
		{"billion laughs", doc(laughs, "&j;"), "made of other entities"},
		{"an entity of tags", doc(`<!DOCTYPE x [<!ENTITY a "<b>b</b>">]>`, "&a;"), "made of other entities or of tags"},
		{"a long entity", doc(`<!DOCTYPE x [<!ENTITY a "`+strings.Repeat("ha", 100)+`">]>`, "&a;"), "more than a few characters"},
		{"a file of this machine", doc(`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>`, "&a;"), "outside of the file"},
		{"an address", doc(`<!DOCTYPE x [<!ENTITY a PUBLIC "-//X" "http://127.0.0.1:1/x">]>`, "&a;"), "outside of the file"},
		{"an unknown entity", doc("", "&nothing;"), "&nothing;"},
		{"deep", doc("", strings.Repeat("<hi>", 5000)+"x"+strings.Repeat("</hi>", 5000)), "within one another"},
		{"many attributes", doc("", "<hi"+attrs(300)+">x</hi>"), "attributes"},
		{"very many attributes", doc("", "<hi"+attrs(400_000)+">x</hi>"), "longer than"},
		{"an attribute twice", doc("", `<hi a="1" a="2">x</hi>`), "twice"},
		{"a huge text", doc("", strings.Repeat("word ", 1<<20)), "longer than"},
		{"a huge comment", doc("", "<!--"+strings.Repeat("word ", 1<<20)+"-->"), "longer than"},
		{"truncated", whole[:len(whole)*2/3], "too early"},
		{"truncated at the last tag", strings.TrimRight(whole, "\n")[:len(strings.TrimRight(whole, "\n"))-1], "too early"},
		{"a second document", whole + "<more/>", "second document"},
		{"text after it", whole + "more", "outside of the document"},
		{"empty", "", "no XML"},
		{"not XML", "Good morning.", ""},
		{"mismatched", strings.Replace(whole, "Good morning.", "<hi>Good morning.</ho>", 1), "</ho>"},
		{"not the UTF-8 it declares", doc("", "Caf\xe9."), "UTF-8"},
		{"UTF-8 that declares ISO-8859-1", latin, "UTF-8"},
		{"an encoding that nobody knows", doc(`<?xml version="1.0" encoding="x-nothing"?>`, "x"), "x-nothing"},
		{"UTF-16 that is none", doc(`<?xml version="1.0" encoding="UTF-16"?>`, "x"), "UTF-16"},
		{"another document", `<html><body>Not found</body></html>`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var faults []string
			for m, err := range format.Meetings(assembly.NewFile(name, strings.NewReader(tt.doc))) {
				if err == nil {
					t.Errorf("a meeting was kept: %s", m.ID)
					continue
				}
				faults = append(faults, err.Error())
				var file *assembly.FileError
				if !errors.As(err, &file) || file.File != name || file.Line == 0 {
					t.Errorf("no file and line: %v", err)
				}
			}
			if len(faults) != 1 || !strings.Contains(faults[0], tt.want) {
				t.Errorf("errors %q, want one with %q", faults, tt.want)
			}
		})
	}
	t.Run("a compressed file that is cut", func(t *testing.T) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, whole+strings.Repeat("\n", 100_000)); err != nil {
			t.Fatal(err)
		}
		z.Close()
		r := assembly.Reading{Sources: []assembly.Source{{Format: format, Folder: fstest.MapFS{"2026/" + name + ".gz": {Data: b.Bytes()[:b.Len()-10]}}}}}
		n := 0
		for m, err := range r.Meetings(context.Background()) {
			if n++; m != nil || err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "too early") {
				t.Errorf("%v, %v", m, err)
			}
		}
		if n != 1 {
			t.Errorf("%d results", n)
		}
	})
}
