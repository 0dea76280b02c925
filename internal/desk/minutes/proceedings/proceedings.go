// Package proceedings reads the record of a parliament's meeting and tells it, without
// a language model. A record is made of fixed forms; what has one of them is read with
// certainty, and what has none is left out.
//
// It promises:
//
//   - Read gives events, each with the passages that state it. Nothing is an event that
//     is only likely.
//   - Tell gives texts made of events alone: a sentence is either taken from one speech,
//     at a cited order, or built by rule from events whose passages it cites, and says
//     no more than they do. Two speakers never share a sentence of the record.
//   - White space does not count, nor do line breaks: a copy without them reads the same.
//   - A form that nobody here knows makes a shorter text, never a wrong one.
//
// The forms of a tradition are data (japanese.go). Start with [Read]; then text.go,
// head.go, chair.go, member.go in the order in which a record flows, and tell.go for
// what is said of it.
package proceedings

// Meeting is the record of one meeting.
type Meeting struct {
	House, Name, Date string
	Speeches          []Speech // in order; one of order 0 is the record's head
}

// Speech is one speech of a record. Text may begin with the speaker's label.
type Speech struct {
	Order    int
	Speaker  string
	Group    string // party or group
	Position string // office
	Role     string // such as witness
	Text     string
}

// Passage is a place in a record: bytes of one speech's text.
type Passage struct{ Order, From, To int }

// Stage is what happened to an item in a meeting.
type Stage string

// The stages.
const (
	TakenUp    Stage = "taken_up"
	Explained  Stage = "explained"
	Questioned Stage = "questioned"
	Debated    Stage = "debated"
	Voted      Stage = "voted"
	Reported   Stage = "reported"
	Referred   Stage = "referred"
)

// Outcome is what a meeting decided on an item; "" if nothing.
type Outcome string

// The outcomes. Agreed is a decision that is none of the others.
const (
	Passed      Outcome = "passed"
	Rejected    Outcome = "rejected"
	Approved    Outcome = "approved"
	NotApproved Outcome = "not_approved"
	Adopted     Outcome = "adopted"
	Elected     Outcome = "elected"
	Appointed   Outcome = "appointed"
	ReferredTo  Outcome = "referred"
	Continued   Outcome = "continued"
	Withdrawn   Outcome = "withdrawn"
	Agreed      Outcome = "agreed"
)

// Vote is how something was decided.
type Vote struct {
	Method  string `json:"method"`        // standing, hands, no_objection, ballot, buttons, recorded
	Result  string `json:"result"`        // unanimous, majority, minority, numbers
	For     int    `json:"for,omitempty"` // as stated
	Against int    `json:"against,omitempty"`
	Total   int    `json:"total,omitempty"`
	// Words is the result in the record's own words, such as 起立多数.
	Words string `json:"-"`
	// Won is how many votes the one who was elected got.
	Won int `json:"-"`
	// Counts are the votes of an election, in the order of the record.
	Counts []Count `json:"-"`
}

// Count is the votes that one candidate got.
type Count struct {
	Name  string
	Votes int
}

// Names are voters by name.
type Names struct {
	For     []string `json:"for"`
	Against []string `json:"against"`
}

// Item is something on the agenda.
type Item struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"` // bill, approval, budget, resolution, petition, election, investigation, report, personnel, other
	Number  string  `json:"number"`
	Origin  string  `json:"origin"`
	Stages  []Stage `json:"stages"`
	Outcome Outcome `json:"outcome"`
	Vote    *Vote   `json:"vote"`
	Named   *Names  `json:"named"`
	// Decision is the sentence that states the outcome; Amended says that it changed
	// the item; Proposed that a committee decided what the house should decide.
	Decision          Passage `json:"-"`
	Amended, Proposed bool    `json:"-"`
	// Persons are those who were elected or appointed.
	Persons []string `json:"-"`
	// Passages state taking up, explanation, outcome and so on.
	Passages []Passage `json:"-"`
	// explained is the speech that explained or reported it.
	explained int
	base      string // the name without brackets, to find it by
	day       int    // its number in the order of the day
}

// Amendment is a proposal to change an item.
type Amendment struct {
	To       string
	By       string
	Name     string // such as Amendment 12; "" if it has none
	Order    int
	Outcome  Outcome
	Vote     *Vote
	Passages []Passage
	mover    string
}

// Exchange is a question and one answer to it.
type Exchange struct {
	Asker    string
	Asked    []int
	Answerer string
	Answered []int
	Item     int // index of the item under consideration; -1 for none
}

// Statement is a speech for or against an item.
type Statement struct {
	Speaker, Group string
	Item           string
	For            bool
	Passage        Passage
}

// Witness is someone heard who is not of the house or the government.
type Witness struct {
	Name, Office string
	Order        int
}

// Resolution is a supplementary resolution.
type Resolution struct {
	Item     string
	By       string
	Order    int
	Outcome  Outcome
	Vote     *Vote
	Passages []Passage
}

// Correction is a mistake that the record itself sets right.
type Correction struct {
	Wrong, Right string
	// Printed says that a table of misprints (正誤) has it, and nobody said it; Of is the
	// record that the table or the speaker names, such as 第三号, "" for this one.
	Printed bool
	Of      string
	Passage Passage
}

// Retraction is something that a speaker took back; Words is what, "" if the speaker does not
// repeat it.
type Retraction struct {
	Speaker, Words string
	Passage        Passage
}

// Appointment is an appointment beside the items of the agenda, or as the second half of
// one.
type Appointment struct {
	Office  string
	Persons []string
	Passage Passage
}

// Moment is when a meeting began or ended.
type Moment struct {
	Time    string // as the record has it; "" if it does not say
	Kind    string // of an end: 散会, 休憩, 延会, 閉会
	Passage Passage
}

// Person is someone who spoke.
type Person struct{ Name, Group, Office string }

// Turn is what a speech is in its meeting.
type Turn struct {
	Order int
	Kind  string // head, procedure, explanation, report, address, question, answer, debate, statement, motion, speech
	Chair bool
	Item  int // index of the item under consideration; -1 for none
}

// Proceedings is what a record states.
type Proceedings struct {
	Opening      *Moment
	Closing      *Moment
	Items        []Item
	Amendments   []Amendment
	Exchanges    []Exchange
	Debate       []Statement
	Witnesses    []Witness
	Resolutions  []Resolution
	Corrections  []Correction
	Retractions  []Retraction
	Appointments []Appointment
	People       []Person
	Turns        []Turn
	// Dissolved says that the house was dissolved.
	Dissolved *Passage

	meeting Meeting
	forms   *Forms
	speech  map[int]*speech
}

// Read reads a record in the forms of a tradition; nil means the Japanese ones.
func Read(m Meeting, f *Forms) *Proceedings {
	if f == nil {
		f = Japanese
	}
	r := &reader{f: f, urgent: -1, amendment: -1, rider: -1, p: &Proceedings{meeting: m, forms: f, speech: map[int]*speech{}}}
	for i := range m.Speeches {
		s := r.open(&m.Speeches[i])
		r.all = append(r.all, s)
		r.p.speech[s.Order] = s
	}
	r.order = f.Order.MatchString(m.Name)
	r.head()
	r.listed = len(r.p.Items) > 0
	for _, s := range r.all {
		if !s.head {
			r.turn(s)
		}
	}
	r.finish()
	return r.p
}

// Procedural are the orders of speeches that are procedure alone: none that says what
// was decided on an item, an amendment or a resolution.
func (p *Proceedings) Procedural() []int {
	decided := map[int]bool{}
	for i := range p.Items {
		if p.Items[i].Vote != nil {
			decided[p.Items[i].Decision.Order] = true
		}
	}
	for _, a := range p.Amendments {
		if a.Outcome != "" {
			decided[a.Passages[len(a.Passages)-1].Order] = true
		}
	}
	for _, r := range p.Resolutions {
		if r.Outcome != "" {
			decided[r.Passages[len(r.Passages)-1].Order] = true
		}
	}
	for _, c := range p.Corrections {
		decided[c.Passage.Order] = true
	}
	var out []int
	for _, t := range p.Turns {
		if (t.Kind == "procedure" || t.Kind == "motion") && !decided[t.Order] {
			out = append(out, t.Order)
		}
	}
	return out
}

// Statements are the witnesses who made a statement before they were asked.
func (p *Proceedings) Statements() []Witness {
	var out []Witness
	for _, w := range p.Witnesses {
		for _, t := range p.Turns {
			if t.Order == w.Order && t.Kind == "statement" {
				out = append(out, w)
			}
		}
	}
	return out
}

// Text returns the words of a passage, without white space.
func (p *Proceedings) Text(at Passage) string {
	s := p.speech[at.Order]
	if s == nil || at.From < 0 || at.To > len(s.Text) || at.From > at.To {
		return ""
	}
	return squeeze(s.Text[at.From:at.To])
}
