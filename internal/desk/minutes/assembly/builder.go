package assembly

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ErrTooLarge is a meeting or a register that is larger than any real one.
var ErrTooLarge = errors.New("larger than any real record")

// Builder puts a meeting together in the order of its record. It numbers the
// speeches, finds the places of notes and bounds the memory; once an error has
// occurred, nothing more is kept and Done returns it. It is not safe for
// concurrent use.
type Builder struct {
	Meeting Meeting

	speech *Speech // the one that is open
	orders int
	size   int
	err    error
}

// Err returns the first error.
func (b *Builder) Err() error { return b.err }

// take charges for something that is kept.
func (b *Builder) take(n int) bool {
	if b.err == nil {
		b.size += n
		if b.size > MaxMeeting {
			b.err = fmt.Errorf("the meeting takes more than %d MB: %w", MaxMeeting>>20, ErrTooLarge)
		}
	}
	return b.err == nil
}

func sizeOf(extra []Element) int {
	n := 0
	for i := range extra {
		n += extra[i].size()
	}
	return n
}

// Item opens an item of the agenda. A speech that is open ends.
func (b *Builder) Item(i Item) {
	if b.take(160 + len(i.ID) + len(i.Title) + i.Attrs.size() + sizeOf(i.Extra)) {
		b.speech = nil
		b.Meeting.Parts = append(b.Meeting.Parts, Part{Item: &i})
	}
}

// Speech opens a speech, and returns it until the next call of the builder. Its
// Order is given here.
func (b *Builder) Speech(s Speech) *Speech {
	if !b.take(600 + len(s.ID) + len(s.Name) + len(s.Office) + len(s.URL) + s.Attrs.size() + sizeOf(s.Extra)) {
		return &Speech{}
	}
	b.orders++
	s.Order = b.orders
	b.speech = &s
	b.Meeting.Parts = append(b.Meeting.Parts, Part{Speech: b.speech})
	return b.speech
}

// Open returns the speech that is open, or nil.
func (b *Builder) Open() *Speech { return b.speech }

// End closes the speech that is open.
func (b *Builder) End() { b.speech = nil }

// Paragraph adds a paragraph to the open speech. One without text is not kept.
func (b *Builder) Paragraph(p Paragraph) {
	if p.Text != "" && b.speech != nil && b.take(128+len(p.ID)+len(p.Text)+p.Attrs.size()) {
		b.speech.Paragraphs = append(b.speech.Paragraphs, p)
	}
}

// aside is what a record in English puts in brackets where somebody speaks.
var aside = regexp.MustCompile(`(?i)\s*\[\s*((?:interruption|interjection|laughter|applause|cheers|hear, hear|time expired)[^\[\]]{0,60})\]`)

// Said adds a paragraph as Paragraph does, and takes the interruptions in brackets
// out of its text: they are notes at their place.
func (b *Builder) Said(p Paragraph) {
	var rest strings.Builder
	at := 0
	for _, m := range aside.FindAllStringSubmatchIndex(p.Text, -1) {
		rest.WriteString(p.Text[at:m[0]])
		b.Note(Note{Kind: "interruption", Text: strings.TrimSpace(p.Text[m[2]:m[3]])}, rest.Len())
		at = m[1]
	}
	if at > 0 {
		rest.WriteString(p.Text[at:])
		p.Text = strings.TrimSpace(rest.String())
	}
	b.Paragraph(p)
}

// Note adds a note: to the open speech, at offset bytes of its next paragraph, or
// between speeches.
func (b *Builder) Note(n Note, offset int) {
	if !b.take(256 + len(n.ID) + len(n.Text) + n.Attrs.size() + sizeOf(n.Extra)) {
		return
	}
	if b.speech != nil {
		n.At = &Place{len(b.speech.Paragraphs), offset}
		b.speech.Notes = append(b.speech.Notes, n)
		return
	}
	b.Meeting.Parts = append(b.Meeting.Parts, Part{Note: &n})
}

// Vote adds a vote. One within a speech stands after it, and says where.
func (b *Builder) Vote(v Vote) {
	size := 300 + len(v.ID) + len(v.Title) + v.Attrs.size() + sizeOf(v.Extra) + 64*len(v.Counts)
	for i := range v.Positions {
		size += 160 + len(v.Positions[i].Person) + len(v.Positions[i].Name) + v.Positions[i].Attrs.size()
	}
	if !b.take(size) {
		return
	}
	if b.speech != nil {
		v.At = &Place{Paragraph: len(b.speech.Paragraphs)}
	}
	b.Meeting.Parts = append(b.Meeting.Parts, Part{Vote: &v})
}

// Extra keeps what the format says of the meeting beyond the model.
func (b *Builder) Extra(e Element) {
	if b.take(e.size()) {
		b.Meeting.Extra = append(b.Meeting.Extra, e)
	}
}

// Warn notes what of the record could not be understood.
func (b *Builder) Warn(format string, args ...any) { b.Meeting.warn(format, args...) }

func (m *Meeting) warn(format string, args ...any) {
	switch len(m.Warnings) {
	case MaxWarnings:
		return
	case MaxWarnings - 1:
		m.Warnings = append(m.Warnings, "more warnings than are kept")
	default:
		m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
	}
}

// Done returns the meeting, or why there is none.
func (b *Builder) Done() (*Meeting, error) {
	if b.err != nil {
		return nil, b.err
	}
	return &b.Meeting, nil
}
