package minutes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/proceedings"
)

// Finding is a place where an answer does not stand up to the record.
type Finding struct {
	Where   string `json:"where"`   // as in "dialogs[2].speaker"
	Problem string `json:"problem"` // in words that a model and a person can act on
}

// FalseAnswer is an answer with findings. Nothing of it is published.
type FalseAnswer struct{ Findings []Finding }

// maxShown is how many findings the text of a FalseAnswer has.
const maxShown = 12

func (e *FalseAnswer) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the answer does not agree with the record in %d places", len(e.Findings))
	for i, f := range e.Findings {
		if i == maxShown {
			fmt.Fprintf(&b, "; and %d more", len(e.Findings)-i)
			break
		}
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		b.WriteString(sep + f.Where + ": " + f.Problem)
	}
	return b.String()
}

// record is what an answer is held against: the speeches that the model saw, or
// all of them.
type record struct {
	speeches []diet.Speech // by order, each once
	byOrder  map[int]*spoken
	read     *proceedings.Proceedings // nil until somebody asks
	of       *assembly.Meeting        // with its structure; nil for the Diet
	outline  bool                     // what is told is its structure, of which no speech says anything
}

// spoken is one speech, ready for comparison.
type spoken struct {
	speech diet.Speech
	names  []string // what its speaker may be called
	text   func() string
}

// newRecord puts speeches together; parts of one speech become one.
func newRecord(speeches []diet.Speech) *record {
	r := &record{byOrder: map[int]*spoken{}}
	var orders []int
	for _, s := range speeches {
		if old, ok := r.byOrder[s.Order]; ok {
			old.speech.Text += s.Text
			continue
		}
		orders = append(orders, s.Order)
		r.byOrder[s.Order] = &spoken{speech: s}
	}
	slices.Sort(orders)
	for _, order := range orders {
		s := r.byOrder[order]
		s.names = namesOf(s.speech)
		s.text = sync.OnceValue(func() string { return bare(s.speech.Text) })
		r.speeches = append(r.speeches, s.speech)
	}
	return r
}

// namesOf returns what a speech's speaker may be called: the name, with position or
// role, and the form in which the speech itself begins ("○鈴木委員長　…").
func namesOf(s diet.Speech) []string {
	name := bare(s.Speaker)
	names := []string{name}
	for _, more := range append([]string{s.Position, s.Role}, honorifics...) {
		if more != "" && name != "" {
			names = append(names, name+bare(more))
		}
	}
	if text, ok := strings.CutPrefix(strings.TrimSpace(s.Text), "○"); ok {
		if end := strings.IndexAny(text, "　 \n"); end > 0 && end < 100 {
			label := bare(text[:end])
			names = append(names, label, "○"+label)
			if open := strings.IndexAny(label, "(（"); open > 0 {
				names = append(names, label[:open])
			}
		}
	}
	return names
}

// check returns where an answer does not stand up to the record.
func (r *record) check(a *Result) []Finding {
	var found []Finding
	add := func(where, format string, args ...any) {
		found = append(found, Finding{where, fmt.Sprintf(format, args...)})
	}
	r.checkCited("summary", a.Summary, add)
	r.checkCited("soft_language_summary", a.SoftSummary, add)
	for i, c := range a.MiddleSummary {
		r.checkCited(fmt.Sprintf("middle_summary[%d]", i), c, add)
	}
	for i, dialog := range a.Dialogs {
		r.checkDialog(fmt.Sprintf("dialogs[%d]", i), dialog, add)
	}
	for i, p := range a.Participants {
		if name := bare(p.Name); name != "" && !r.mentions(name) {
			add(fmt.Sprintf("participants[%d].name", i), "nobody in the record is called %.60q", p.Name)
		}
	}
	return found
}

type adder func(where, format string, args ...any)

func (r *record) checkCited(where string, c Cited, add adder) {
	if strings.TrimSpace(c.Summary) != "" && len(c.BasedOnOrders) == 0 {
		add(where+".based_on_orders", "it names no speech that the summary rests on")
	}
	for _, order := range c.BasedOnOrders {
		if _, ok := r.byOrder[order]; !ok {
			add(where+".based_on_orders", "there is no speech with order %d", order)
		}
	}
}

func (r *record) checkDialog(where string, d Dialog, add adder) {
	s, ok := r.byOrder[d.Order]
	if !ok {
		add(where+".order", "there is no speech with order %d", d.Order)
		return
	}
	if name := bare(d.Speaker); name != "" && !slices.Contains(s.names, name) {
		add(where+".speaker", "the speaker of order %d is %q, not %.60q", d.Order, s.speech.Speaker, d.Speaker)
	}
	for i, section := range d.Sections {
		for j, b := range section.Bullets {
			if quote := unquoted(b.Quote); !strings.Contains(s.text(), quote) {
				add(fmt.Sprintf("%s.summary_sections[%d].bullets[%d].quote", where, i, j),
					"the speech with order %d does not contain %.120q; copy its words exactly or leave the point out", d.Order, b.Quote)
			}
		}
	}
}

// mentions tells whether somebody of that name spoke or was spoken of.
func (r *record) mentions(name string) bool {
	for _, s := range r.byOrder {
		if slices.Contains(s.names, name) {
			return true
		}
	}
	for _, s := range r.byOrder {
		if strings.Contains(s.text(), name) {
			return true
		}
	}
	return false
}

// checker is a Request.Check that holds answers against the record.
func (r *record) checker() func([]byte) error {
	return func(answer []byte) error {
		var a Result
		if err := json.Unmarshal(answer, &a); err != nil {
			return fmt.Errorf("the answer is not of the asked form: %w", err)
		}
		if found := r.check(&a); len(found) > 0 {
			return &FalseAnswer{found}
		}
		return nil
	}
}

// without returns the answer less what the findings are about: whoever reviews may
// publish the rest.
func (r *record) without(a Result) Result {
	keep := func(c Cited) bool {
		ok := true
		r.checkCited("", c, func(string, string, ...any) { ok = false })
		return ok
	}
	if !keep(a.Summary) {
		a.Summary = Cited{}
	}
	if !keep(a.SoftSummary) {
		a.SoftSummary = Cited{}
	}
	a.MiddleSummary = slices.DeleteFunc(slices.Clone(a.MiddleSummary), func(c Cited) bool { return !keep(c) })
	var dialogs []Dialog
	for _, dialog := range a.Dialogs {
		s, ok := r.byOrder[dialog.Order]
		if name := bare(dialog.Speaker); !ok || name != "" && !slices.Contains(s.names, name) {
			continue
		}
		dialog.Sections = s.trueSections(dialog.Sections)
		dialogs = append(dialogs, dialog)
	}
	a.Dialogs = dialogs
	a.Participants = slices.DeleteFunc(slices.Clone(a.Participants), func(p Participant) bool { return !r.mentions(bare(p.Name)) })
	return a
}

// trueSections keeps the bullets whose quotes the speech contains.
func (s *spoken) trueSections(sections []Section) []Section {
	var kept []Section
	for _, section := range sections {
		section.Bullets = slices.DeleteFunc(slices.Clone(section.Bullets), func(b Bullet) bool {
			quote := unquoted(b.Quote)
			return quote == "" || !strings.Contains(s.text(), quote)
		})
		if len(section.Bullets) > 0 {
			kept = append(kept, section)
		}
	}
	return kept
}
