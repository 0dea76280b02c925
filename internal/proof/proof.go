// Package proof holds what is told of a record against the record: it takes sentences apart into claims and checks each
// against the passages that the sentence cites, by rules alone, in Japanese and English.
//
// It promises that the same input gives the same verdicts, that a claim is supported only if words of a cited passage say
// so, and that each verdict names its reason and, where there is one, its passage. A second opinion may make verdicts
// stricter, never milder. It reads no store and no network.
//
// Start with [Record.Check] in check.go. text.go, japanese.go and english.go read sentences; number.go and date.go read figures
// and days; source.go, cited.go and hay.go prepare passages. The rules are in one file for each class of claims: checknumber.go,
// checkdate.go and so on, statement.go for who says what, mood.go and polarity.go for how. bench.go measures them on sentences
// known to be true and on lies made of them (mutate.go).
package proof

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Class is what a claim is about, and so in which way it may be false.
type Class string

// The classes of claims.
const (
	Number    Class = "number"
	Unit      Class = "unit" // a unit or a magnitude, also a range or a bound
	Date      Class = "date"
	Name      Class = "name"
	Office    Class = "office"    // an office or a party
	Speaker   Class = "speaker"   // who said it
	Polarity  Class = "polarity"  // whether it is denied
	Question  Class = "question"  // a question told as a statement
	Plan      Class = "plan"      // a wish or plan told as a decision or a fact
	Outcome   Class = "outcome"   // for or against, passed or rejected, up or down
	Quote     Class = "quote"     // words between quotation marks
	Condition Class = "condition" // what it depends on
	Merged    Class = "merged"    // two speakers made one
	Bill      Class = "bill"
	Stage     Class = "stage"
	Statement Class = "statement" // that the passages speak of it at all
)

// Classes lists them all.
var Classes = []Class{Number, Unit, Date, Name, Office, Speaker, Polarity, Question, Plan, Outcome, Quote, Condition, Merged, Bill, Stage, Statement}

// Verdict says how a claim stands to its passages.
type Verdict string

// The verdicts, from the mildest.
const (
	Supported    Verdict = "supported"
	NotFound     Verdict = "not_found"
	Contradicted Verdict = "contradicted"
)

func (v Verdict) rank() int { return slices.Index([]Verdict{Supported, NotFound, Contradicted}, v) }

// Stricter returns the stricter of two verdicts.
func Stricter(a, b Verdict) Verdict {
	if b.rank() > a.rank() {
		return b
	}
	return a
}

// Passage is a speech, or a paragraph of a page.
type Passage struct {
	Order   int    `json:"order"`
	Speaker string `json:"speaker,omitempty"`
	Party   string `json:"party,omitempty"`
	Office  string `json:"office,omitempty"`
	Role    string `json:"role,omitempty"`
	Text    string `json:"text"`
}

// Sentence is what is checked: a sentence, a headline or a point.
type Sentence struct {
	// Where names its place in what it was taken from: "dialogs[2].summary_sections[0].bullets[1].point".
	Where string
	Text  string
	// Orders are the passages that it cites.
	Orders []int
	// Speaker is set if the place says whose words they are, as in the points of one speech.
	Speaker string
	// Verbatim tells that all of it is a quotation.
	Verbatim bool
}

// Claim is one thing that a sentence says, and what the passages say to it.
type Claim struct {
	Where    string  `json:"where,omitempty" doc:"the place of the sentence in the answer"`
	Sentence string  `json:"sentence"`
	Text     string  `json:"text" doc:"the part of the sentence that says it"`
	Class    Class   `json:"class" doc:"what it is about: number, unit, date, name, office, speaker, polarity, question, plan, outcome, quote, condition, merged, bill, stage or statement"`
	Verdict  Verdict `json:"verdict" enum:"supported,not_found,contradicted"`
	Reason   Reason  `json:"reason"`
	Orders   []int   `json:"orders" doc:"the passages that the sentence cites"`
	Passage  *Place  `json:"passage,omitempty" doc:"the passage that decided"`
}

// Place is a part of a passage.
type Place struct {
	Order int    `json:"order"`
	From  int    `json:"from" doc:"its first character, counted from 0"`
	To    int    `json:"to" doc:"the character after its last"`
	Text  string `json:"text"`
}

// Record is what sentences are held against. It is safe for use from many goroutines once made.
type Record struct {
	day     time.Time
	meeting string
	sources map[int]*source
	orders  []int // of the sources
	people  []*person
	head    *source // the part before the first speech, which lists times, matters and those present; nil if there is none

	texts    func() *haystack // of all sources
	speakers func() *haystack // likewise
	tally    func() int       // the matters that it decides or names

	mu   sync.Mutex
	kept map[string]*citing // what was cited last, and the whole record

	formsMu sync.Mutex
	forms   map[form]int32
}

// NewRecord takes in a record: its day (YYYY-MM-DD or ""), its meeting's name, and its passages. Passages of one order
// are one passage.
func NewRecord(day, meeting string, passages []Passage) *Record {
	r := &Record{meeting: string(fold(meeting)), sources: map[int]*source{}, kept: map[string]*citing{}, forms: map[form]int32{}}
	if len(day) >= 10 {
		r.day, _ = time.Parse(time.DateOnly, day[:10])
	}
	for _, p := range passages {
		if old, ok := r.sources[p.Order]; ok {
			old.Text += p.Text
			continue
		}
		r.sources[p.Order] = &source{Passage: p, record: r}
	}
	r.orders = slices.Sorted(maps.Keys(r.sources))
	for _, o := range r.orders {
		s := r.sources[o]
		s.prepare()
		if s.Speaker != "" {
			s.person = r.person(s)
		}
	}
	if len(r.people) > 0 && r.sources[r.orders[0]].Speaker == "" {
		r.head = r.sources[r.orders[0]]
	}
	r.texts, r.speakers, r.tally = sync.OnceValue(r.allTexts), sync.OnceValue(r.allSpeakers), sync.OnceValue(r.countMatters)
	return r
}

// all returns the passages in their order.
func (r *Record) all() []*source {
	out := make([]*source, len(r.orders))
	for i, o := range r.orders {
		out[i] = r.sources[o]
	}
	return out
}

func (r *Record) allTexts() *haystack {
	out := new(haystack)
	var text strings.Builder
	for _, o := range r.orders {
		s := r.sources[o]
		out.sources, out.starts = append(out.sources, s), append(out.starts, text.Len())
		text.WriteString(s.hay.text + "\n")
	}
	out.text = text.String()
	return out
}

func (r *Record) allSpeakers() *haystack {
	var text strings.Builder
	for _, o := range r.orders {
		text.WriteString(r.sources[o].who.text + "\n")
	}
	return &haystack{text: text.String()}
}
