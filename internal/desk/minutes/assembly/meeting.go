package assembly

import (
	"encoding/json"
	"strings"
)

// Meeting is the record of one meeting: a sitting of a house, of a committee or of
// a council.
type Meeting struct {
	// ID is the meeting's within its assembly. It is the same whenever the same
	// record is read again.
	ID string `json:"id"`
	// House is the house's id in the declaration, or what the record calls it.
	House string `json:"house,omitempty"`
	// Body is the committee, if it is no sitting of the house itself.
	Body string `json:"body,omitempty"`
	// Term, Session and Number say which meeting it is, as the record counts.
	Term    string `json:"term,omitempty"`
	Session string `json:"session,omitempty"`
	Number  string `json:"number,omitempty"`
	Title   string `json:"title,omitempty"`
	Date    string `json:"date"` // YYYY-MM-DD
	// Language is the BCP 47 tag of what is not marked otherwise.
	Language string `json:"language,omitempty"`
	URL      string `json:"url,omitempty"`
	// Parts is the record, in its order.
	Parts []Part    `json:"parts"`
	Attrs Attrs     `json:"attrs,omitempty"`
	Extra []Element `json:"extra,omitempty"`
	// Files are those the meeting was read from.
	Files []string `json:"files,omitempty"`
	// Warnings says what of the record could not be understood.
	Warnings []string `json:"warnings,omitempty"`
}

// Part is one thing of a record. Exactly one field is set.
type Part struct {
	Item   *Item   `json:"item,omitempty"`
	Speech *Speech `json:"speech,omitempty"`
	Note   *Note   `json:"note,omitempty"`
	Vote   *Vote   `json:"vote,omitempty"`
}

// Item opens an item of the agenda, or a heading within one.
type Item struct {
	ID    string `json:"id,omitempty"`
	Title string `json:"title"`
	// Level is 1 for an item of the agenda, more for what is within it.
	Level int `json:"level"`
	// Kind is the format's name for it: question, division, prayers.
	Kind     string    `json:"kind,omitempty"`
	Language string    `json:"language,omitempty"`
	Attrs    Attrs     `json:"attrs,omitempty"`
	Extra    []Element `json:"extra,omitempty"`
}

// Role is what a speaker is in the meeting.
type Role string

// The roles that formats tell apart; none is one that the record does not say.
const (
	Chair      Role = "chair"
	Member     Role = "member"
	Government Role = "government"
	Guest      Role = "guest"
)

// Speech is one utterance: what one person said until somebody else spoke.
type Speech struct {
	ID string `json:"id,omitempty"`
	// Order numbers the speeches of a meeting from 1; a head that a record puts
	// before its speeches, as the Diet does, has 0.
	Order int `json:"order"`
	// Person is the speaker's id in the register, "" if the record does not say.
	Person string `json:"person,omitempty"`
	// Name is the speaker's name: the record's own where it gives one.
	Name    string `json:"name,omitempty"`
	Reading string `json:"reading,omitempty"` // of a Japanese name
	Role    Role   `json:"role,omitempty"`
	// Office is what the speaker speaks as: Minister for Transport, 議長.
	Office string `json:"office,omitempty"`
	// Party is the speaker's group or party on that day, by its short name; PartyID
	// is its id in the register.
	Party    string `json:"party,omitempty"`
	PartyID  string `json:"party_id,omitempty"`
	Language string `json:"language,omitempty"`
	Time     string `json:"time,omitempty"` // HH:MM:SS
	URL      string `json:"url,omitempty"`
	// Written is a text that was handed in, not spoken: a written question or answer.
	Written    bool        `json:"written,omitempty"`
	Paragraphs []Paragraph `json:"paragraphs"`
	// Notes are those within the speech: applause, an interruption, a gap.
	Notes []Note    `json:"notes,omitempty"`
	Attrs Attrs     `json:"attrs,omitempty"`
	Extra []Element `json:"extra,omitempty"`
}

// Text returns what was said, one paragraph a line.
func (s *Speech) Text() string {
	lines := make([]string, len(s.Paragraphs))
	for i, p := range s.Paragraphs {
		lines[i] = p.Text
	}
	return strings.Join(lines, "\n")
}

// Paragraph is a paragraph of a speech.
type Paragraph struct {
	ID       string `json:"id,omitempty"`
	Text     string `json:"text"`
	Language string `json:"language,omitempty"` // "" is the speech's
	Attrs    Attrs  `json:"attrs,omitempty"`
}

// Note is what the record says and nobody said: applause, an interruption, a time,
// a motion's text, a gap.
type Note struct {
	ID string `json:"id,omitempty"`
	// Kind is the format's own word: comment, applause, interruption, gap, speaker.
	Kind     string `json:"kind,omitempty"`
	Text     string `json:"text,omitempty"`
	Language string `json:"language,omitempty"`
	// At is the place in the speech; nil between speeches.
	At    *Place    `json:"at,omitempty"`
	Attrs Attrs     `json:"attrs,omitempty"`
	Extra []Element `json:"extra,omitempty"`
}

// Place is a place in a speech: before paragraph Paragraph, or in it, after Offset
// bytes of its text. A Paragraph past the last is the end.
type Place struct {
	Paragraph int `json:"paragraph"`
	Offset    int `json:"offset"`
}

// Vote is a vote that was taken, with what the record says of it.
type Vote struct {
	ID     string `json:"id,omitempty"`
	Number string `json:"number,omitempty"`
	Title  string `json:"title,omitempty"`
	// Outcome is the format's word: passed, #lost.
	Outcome string  `json:"outcome,omitempty"`
	Counts  []Count `json:"counts,omitempty"`
	// Positions says who voted how, in the record's order.
	Positions []Position `json:"positions,omitempty"`
	Time      string     `json:"time,omitempty"`
	URL       string     `json:"url,omitempty"`
	// At is the place in the speech before it; nil between speeches.
	At    *Place    `json:"at,omitempty"`
	Attrs Attrs     `json:"attrs,omitempty"`
	Extra []Element `json:"extra,omitempty"`
}

// The options that formats agree on. Any other is kept as the record has it.
const (
	Aye     = "aye"
	No      = "no"
	Abstain = "abstain"
	Both    = "both"
	Absent  = "absent"
)

// Count is how many voted for an option.
type Count struct {
	Option string `json:"option"`
	// Value is -1 if the record gives no figure.
	Value int    `json:"value"`
	Text  string `json:"text,omitempty"` // where the record has words for it
}

// Position is how one member voted.
type Position struct {
	Person  string `json:"person,omitempty"`
	Name    string `json:"name,omitempty"`
	Option  string `json:"option"`
	Party   string `json:"party,omitempty"`
	PartyID string `json:"party_id,omitempty"`
	Teller  bool   `json:"teller,omitempty"`
	Attrs   Attrs  `json:"attrs,omitempty"`
}

// Speeches returns the speeches, in their order.
func (m *Meeting) Speeches() []*Speech {
	var all []*Speech
	for _, p := range m.Parts {
		if p.Speech != nil {
			all = append(all, p.Speech)
		}
	}
	return all
}

// Votes returns the votes, in their order.
func (m *Meeting) Votes() []*Vote {
	var all []*Vote
	for _, p := range m.Parts {
		if p.Vote != nil {
			all = append(all, p.Vote)
		}
	}
	return all
}

// JSON returns the meeting in the form in which it is archived.
func (m *Meeting) JSON() ([]byte, error) { return json.Marshal(m) }
