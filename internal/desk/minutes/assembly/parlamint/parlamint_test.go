package parlamint

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/assemblytest"
)

func TestGolden(t *testing.T) { assemblytest.Golden(t, Format{}) }

func FuzzMeetings(f *testing.F) { assemblytest.Fuzz(f, Format{}, "x.xml") }

const document = `<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:id="X" xml:lang="en"><teiHeader><profileDesc><settingDesc><setting>
<date when="2026-03-02"/></setting></settingDesc></profileDesc></teiHeader>
<text><body><div type="debateSection"><u who="#A" xml:id="u"><seg>%s</seg></u></div></body></text></TEI>`

func TestHostile(t *testing.T) {
	assemblytest.Hostile(t, Format{}, "x.xml", func(head, text string) string { return head + "\n" + fmt.Sprintf(document, text) })
}

// The annotated form gives the words with the spaces that the text has.
func TestAnnotated(t *testing.T) {
	words := `<s><w>We</w><name><w>Sea</w><w join="right">Party</w></name><pc>,</pc><w join="right">can<w norm="can"/><w norm="not"/></w><pc join="right">(</pc><w>not</w><linkGrp><link target="#a #b"/></linkGrp></s> <s><w join="right">Go</w><pc>.</pc></s>`
	for m, err := range (Format{Annotated: true}).Meetings(assembly.NewFile("x.ana.xml", strings.NewReader(fmt.Sprintf(document, words)))) {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.Speeches()[0].Text(), "We Sea Party, can(not Go."; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if f := (Format{Annotated: true}); f.Takes("a.xml") || !f.Takes("a.ana.xml") || !f.Takes("ParlaMint-XS-listPerson.xml") {
		t.Error("takes the wrong files")
	}
}

// corpus is a corpus in one file, of any length, that is never in memory.
type corpus struct {
	left   int
	buffer strings.Reader
	ended  bool
}

func (c *corpus) Read(p []byte) (int, error) {
	if c.buffer.Len() == 0 {
		switch {
		case c.left > 0:
			c.left--
			say := strings.Repeat("<seg>"+strings.Repeat("Every word is said again. ", 40)+"</seg>", 250)
			c.buffer.Reset(strings.Replace(fmt.Sprintf(document, "x"), "<seg>x</seg>", say, 1))
		case !c.ended:
			c.ended = true
			c.buffer.Reset("</teiCorpus>")
		}
	}
	return c.buffer.Read(p)
}

// A corpus of 26 MB is read meeting by meeting.
func TestMemory(t *testing.T) {
	const meetings = 100
	c := &corpus{left: meetings}
	c.buffer.Reset("<teiCorpus>")
	var most uint64
	n := 0
	for m, err := range (Format{}).Meetings(assembly.NewFile("all.xml", c)) {
		if err != nil || m == nil {
			t.Fatal(err)
		}
		if n++; n%20 == 0 {
			var s runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&s)
			most = max(most, s.HeapAlloc)
		}
	}
	if n != meetings {
		t.Errorf("%d meetings", n)
	}
	if most > 16<<20 {
		t.Errorf("%d MB in memory", most>>20)
	}
}

// A meeting beyond any real one is refused while it is read.
func TestTooLarge(t *testing.T) {
	c := &endless{}
	for m, err := range (Format{}).Meetings(assembly.NewFile("all.xml", c)) {
		if m != nil || err == nil || !strings.Contains(err.Error(), "all.xml:1: ") || !strings.Contains(err.Error(), "larger than any real record") {
			t.Errorf("%v, %v", m, err)
		}
	}
	if c.read > 2<<20 {
		t.Errorf("%d MB were read", c.read>>20)
	}
}

// endless is a sitting of millions of empty utterances.
type endless struct {
	buffer strings.Reader
	begun  bool
	read   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.buffer.Len() == 0 && e.read < 8<<20 {
		text := strings.Repeat("<u/>", 1000)
		if !e.begun {
			e.begun = true
			text = "<TEI><text><body><div>" + text
		}
		e.buffer.Reset(text)
	}
	n, err := e.buffer.Read(p)
	e.read += n
	return n, err
}
