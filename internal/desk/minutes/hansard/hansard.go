// Package hansard reads records in English, of parliaments that follow Westminster, of
// Congress, of councils, and tells them without a language model. What such a record states
// in a fixed form, as the clerk's note or in the words of the chair, is an event; what has no
// such form is left out.
//
// It promises:
//
//   - A decision is told with what was decided, or not at all. A line that only says
//     "Question agreed to" counts for the question that was put before it.
//   - Numbers that contradict the stated result are dropped together with it.
//   - What members say of other days' votes is not read: outside the chair only whole
//     paragraphs in the clerk's words count.
//   - A form that nobody here knows makes a shorter text, never a wrong one.
//
// Start with [Read]; forms.go has the forms, question.go says what is put to the house,
// state.go what came of it, and tell.go makes the texts.
package hansard

import (
	"cmp"
	"slices"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/proceedings"
)

// The stages of a bill beside those that every record knows. A house with other words for
// them (Second Stage, Stage 1) has the one that it corresponds to; texts use its own words.
const (
	FirstReading  proceedings.Stage = "first_reading"
	SecondReading proceedings.Stage = "second_reading"
	Committee     proceedings.Stage = "committee"
	Report        proceedings.Stage = "report"
	ThirdReading  proceedings.Stage = "third_reading"
	RoyalAssent   proceedings.Stage = "royal_assent"
	Presented     proceedings.Stage = "presented"
	Deferred      proceedings.Stage = "deferred"
)

// Stages is the order of all stages in the life of an item.
var Stages = []proceedings.Stage{
	Presented, FirstReading, proceedings.TakenUp, proceedings.Explained, proceedings.Questioned, proceedings.Debated, SecondReading,
	proceedings.Referred, Committee, proceedings.Reported, Report, ThirdReading, Deferred, RoyalAssent, proceedings.Voted,
}

// Sitting is what a record in English states.
type Sitting struct {
	proceedings.Proceedings
	// Where is what the house or the committee is called; by default as the record calls it.
	Where string
	of    *assembly.Meeting
	// words are the record's own for an item's last stage, by the item's index.
	words     map[int]string
	decisions []decision
	doubt     map[string]bool
}

// Doubtful tells whether more was put under a heading than what the heading names, so that a
// vote there may be on something else.
func (s *Sitting) Doubtful(heading string) bool { return s.doubt[heading] }

// decision is something that the sitting did, in the order of the record.
type decision struct {
	item, amend int // one of them is -1
	kind        string
	stage       proceedings.Stage
	outcome     proceedings.Outcome
	vote        *proceedings.Vote
	at          proceedings.Passage
}

// reader goes through a record. What it keeps is where the sitting stands.
type reader struct {
	s      *Sitting
	speech *assembly.Speech // whose paragraphs are read; nil in the clerk's notes
	order  int              // of the last speech; 0 before the first
	first  int              // the order of the first speech, to which a note before it belongs
	at     proceedings.Passage

	bill        string // the bill that the headings name
	billLevel   int    // of that heading
	act         string // a heading that may be a bill's short title
	actBill     int    // the bill that was named under such a heading, actOf
	actOf       string
	actNumbers  []string // of bills that the chair and the clerk named there
	title       string   // the heading that a motion would be called by
	number      string   // of it
	closure     string   // the same of a motion to end a debate
	stage       proceedings.Stage
	section     string // questions, statement, petition, assent or ""
	spokenUnder bool   // someone spoke since the last heading
	clause      string // New Clause 1, Amendment 12

	q, main  question // what is put; what it is put on
	expect   string   // the text of a motion is to follow: "moved" or "put"
	expectBy *assembly.Speech
	mover    string // named by the clerk before the speech
	count    *count
	asker    *assembly.Speech
	formal   bool             // it was asked in the form to which the next speaker answers
	clock    string           // a time that stands alone
	side     string           // of the names that follow in a division; "counted" behind a whole count
	stated   string           // won or lost, if that comes before the figures
	moved    map[int]question // by item, what was moved on it last
	consent  bool             // the motion is asked for by unanimous consent
}

// question is what is put to the house.
type question struct {
	kind  string // reading, pass, consider, refer, amendment, motion, approve, adopt, cloture, confirm, procedure or ""
	stage proceedings.Stage
	item  int // -1 for none
	amend int // -1 for none
}

var none = question{item: -1, amend: -1}

// Read reads a record.
func Read(m *assembly.Meeting) *Sitting {
	s := &Sitting{of: m, Where: cmp.Or(m.Body, m.House), words: map[int]string{}, doubt: map[string]bool{}}
	r := &reader{s: s, actBill: -1, q: none, main: none, moved: map[int]question{}}
	if all := m.Speeches(); len(all) > 0 {
		r.first = all[0].Order
	}
	for _, part := range m.Parts {
		switch {
		case part.Item != nil:
			r.heading(assembly.Squeeze(part.Item.Title), max(part.Item.Level, 1))
		case part.Speech != nil:
			r.spoken(part.Speech)
		case part.Note != nil:
			if part.Note.Kind == "gap" {
				r.asker = nil
			}
			r.note(part.Note.Text)
		case part.Vote != nil:
			r.division(part.Vote)
		}
	}
	r.flush()
	r.finish()
	return s
}

// note reads what the clerk says, line by line.
func (r *reader) note(text string) {
	speech := r.speech
	r.speech, r.at = nil, proceedings.Passage{Order: cmp.Or(r.order, r.first)}
	for line := range strings.Lines(text) {
		if line = assembly.Squeeze(line); line != "" {
			r.line(line)
		}
	}
	r.speech = speech
}

// spoken reads a speech: who speaks to whom, and the lines that are the chair's or the
// clerk's.
func (r *reader) spoken(s *assembly.Speech) {
	r.speech, r.order = s, s.Order
	r.person(s)
	turn := proceedings.Turn{Order: s.Order, Kind: "speech", Chair: s.Role == assembly.Chair, Item: r.q.item}
	if turn.Chair {
		turn.Kind = "procedure"
	}
	r.s.Turns = append(r.s.Turns, turn)
	r.role(s)
	from := 0
	for i, p := range s.Paragraphs {
		for _, n := range s.Notes {
			if n.At != nil && n.At.Paragraph == i {
				r.note(n.Text)
			}
		}
		r.speech, r.at = s, proceedings.Passage{Order: s.Order, From: from, To: from + len(p.Text)}
		from += len(p.Text) + 1
		if text := assembly.Squeeze(p.Text); text != "" {
			r.line(text)
		}
	}
	for _, n := range s.Notes {
		if n.At != nil && n.At.Paragraph >= len(s.Paragraphs) {
			r.note(n.Text)
		}
	}
	r.speech = nil
}

// turn is that of the speech last read; nil before the first.
func (r *reader) turn() *proceedings.Turn {
	if len(r.s.Turns) == 0 {
		return nil
	}
	return &r.s.Turns[len(r.s.Turns)-1]
}

func (r *reader) kind(kind string) {
	if t := r.turn(); t != nil && t.Order == r.at.Order {
		t.Kind = kind
	}
}

func (r *reader) person(s *assembly.Speech) {
	if s.Name == "" {
		return
	}
	i := slices.IndexFunc(r.s.People, func(p proceedings.Person) bool { return p.Name == s.Name })
	if i < 0 {
		r.s.People = append(r.s.People, proceedings.Person{Name: s.Name, Group: s.Party, Office: s.Office})
		return
	}
	if p := &r.s.People[i]; p.Office == "" {
		p.Office = s.Office
	}
}

// add returns the index of an item, which is new if there is none of that name.
func (r *reader) add(name, kind, number string) int {
	for i := range r.s.Items {
		if it := &r.s.Items[i]; strings.EqualFold(it.Name, name) || number != "" && it.Number == number {
			if it.Number == "" {
				it.Number = number
			}
			return i
		}
	}
	r.s.Items = append(r.s.Items, proceedings.Item{Name: name, Kind: kind, Number: number, Passages: []proceedings.Passage{r.at}})
	return len(r.s.Items) - 1
}

func (r *reader) reached(i int, stage proceedings.Stage) {
	if it := &r.s.Items[i]; stage != "" && !slices.Contains(it.Stages, stage) {
		it.Stages = append(it.Stages, stage)
	}
}

// finish gives each item a stage, and drops what came to nothing.
func (r *reader) finish() {
	for i := range r.s.Items {
		it := &r.s.Items[i]
		if len(it.Stages) == 0 || it.Vote != nil && it.Kind == "bill" && !slices.ContainsFunc(it.Stages, func(s proceedings.Stage) bool { return s != proceedings.Voted }) {
			if it.Vote == nil || it.Kind == "bill" {
				it.Stages = append([]proceedings.Stage{proceedings.TakenUp}, it.Stages...)
			}
		}
	}
	r.s.Amendments = slices.DeleteFunc(r.s.Amendments, func(a proceedings.Amendment) bool { return a.Outcome == "" && a.Order < 0 })
}
