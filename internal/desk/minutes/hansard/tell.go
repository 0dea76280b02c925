package hansard

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/proceedings"
)

// Tell tells what the record states. A sentence is built from one decision, or quotes one
// question and its answer.
func (s *Sitting) Tell() proceedings.Told {
	w := &teller{s: s, said: map[string]bool{}}
	t := proceedings.Told{Title: w.title(), Description: w.description(), Participants: s.People, Keywords: w.keywords()}
	w.summary(&t)
	w.keyPoints(&t)
	w.course(&t)
	return t
}

// Decided tells whether the record states anything that a headline can say.
func (s *Sitting) Decided() bool { return len((&teller{s: s}).ranked()) > 0 }

type teller struct {
	s    *Sitting
	said map[string]bool
}

// once tells whether a sentence was not said before.
func (w *teller) once(text string) bool {
	if text == "" || w.said[text] {
		return false
	}
	w.said[text] = true
	return true
}

// rank is how much a decision weighs.
func (w *teller) rank(d *decision) int {
	if d.amend >= 0 {
		if d.vote != nil {
			return 45
		}
		return 30
	}
	n := 0
	switch it := &w.s.Items[d.item]; {
	case d.outcome == "" && d.stage == RoyalAssent:
		n = 80
	case d.outcome == "" && d.vote != nil:
		n = 50
	case d.outcome == "" && d.stage == FirstReading:
		n = 40
	case d.outcome == "" && d.stage == Deferred, d.kind == "report":
		n = 35
	case d.outcome == "":
		n = 20
	case it.Kind == "bill" && (d.outcome == proceedings.Passed || d.outcome == proceedings.Adopted):
		n = 100
	case it.Kind == "bill" && d.outcome == proceedings.Rejected:
		n = 98
	case it.Kind == "bill" && d.stage == ThirdReading:
		n = 96
	case it.Kind == "bill":
		n = 90
	case it.Kind == "approval", it.Kind == "personnel":
		n = 70
	case d.outcome == proceedings.Adopted:
		n = 68
	default:
		n = 60
	}
	if d.vote != nil && d.vote.Result == "numbers" {
		n += 3
	}
	return n
}

// ranked are the decisions, the weightiest first.
func (w *teller) ranked() []*decision {
	var out []*decision
	for i := range w.s.decisions {
		out = append(out, &w.s.decisions[i])
	}
	slices.SortStableFunc(out, func(a, b *decision) int { return w.rank(b) - w.rank(a) })
	return out
}

func (w *teller) title() string {
	all := w.ranked()
	if len(all) > 0 && w.rank(all[0]) > 30 {
		if all[0].stage == RoyalAssent {
			return "Royal Assent for " + w.assented()
		}
		return capital(w.did(all[0], true))
	}
	if n := len(w.s.Witnesses); n > 0 {
		name := w.named(w.s.Witnesses[0].Name)
		if n > 1 {
			name += " and " + count1(n-1, "other witness", "other witnesses")
		}
		return w.s.Where + " hears " + name
	}
	if n := len(w.s.Exchanges); n > 0 {
		return w.s.Where + ": " + count1(n, "question", "questions") + " answered"
	}
	if items := w.takenUp(); items != "" {
		return w.s.Where + " takes up " + items
	}
	if len(all) > 0 {
		return capital(w.did(all[0], true))
	}
	return ""
}

func (w *teller) assented() string {
	var names []string
	for _, it := range w.s.Items {
		if slices.Contains(it.Stages, RoyalAssent) {
			names = append(names, it.Name)
		}
	}
	return list(names, 3)
}

func (w *teller) takenUp() string {
	var names []string
	for i := range w.s.Items {
		if it := &w.s.Items[i]; it.Kind == "bill" || it.Kind == "resolution" || it.Kind == "approval" {
			names = append(names, w.call(i))
		}
	}
	return list(names, 3)
}

func list(names []string, most int) string {
	n := len(names)
	switch {
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	case n > most:
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(n-most) + " more"
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}

func count1(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// call is an item's name in a sentence: a bill with its number, if it has no short title.
func (w *teller) call(i int) string {
	it := &w.s.Items[i]
	if strings.HasPrefix(it.Name, "An Act ") && it.Number != "" {
		return "Bill " + it.Number + ", " + it.Name + ","
	}
	return it.Name
}

// readings are what is done with a bill at a stage.
func (w *teller) reading(d *decision, past bool) string {
	word := map[proceedings.Stage]string{FirstReading: "first", SecondReading: "second", ThirdReading: "third"}[d.stage]
	own := w.s.words[d.item]
	lower := strings.ToLower(own)
	switch {
	case word == "" || strings.Contains(lower, "stage"):
		if own == "" || d.stage == "" || strings.Contains(lower, "final") {
			return "agreed to"
		}
		return "agreed to at " + own
	case d.outcome == proceedings.Rejected:
		return "refused a " + word + " reading"
	}
	return "given a " + word + " reading"
}

// did says what a decision did; short is for a headline, which leaves "was" out.
func (w *teller) did(d *decision, short bool) string {
	was := " was "
	if short {
		was = " "
	}
	if d.amend >= 0 {
		return w.amended(d, was)
	}
	it := &w.s.Items[d.item]
	name := w.call(d.item)
	text := ""
	switch {
	case d.outcome == "" && d.stage == RoyalAssent:
		return name + " received Royal Assent"
	case d.outcome == "" && d.stage == FirstReading:
		text = name + was + "read a first time"
	case d.outcome == "" && d.stage == Deferred:
		return "The division on " + name + was + "deferred"
	case d.kind == "report" && strings.HasSuffix(strings.ToLower(it.Name), "committee"), d.kind == "report" && !w.statement(d):
		return "A report" + was + "presented: " + it.Name
	case d.kind == "report":
		return w.named(w.speaker(d.at.Order)) + " made a statement on " + it.Name
	case d.kind == "petition":
		return w.named(w.speaker(d.at.Order)) + " presented a petition: " + it.Name
	case d.outcome == "" && d.vote != nil:
		return "A division on " + name + was + "taken: " + figures(d.vote)
	case d.outcome == proceedings.Passed && d.stage == ThirdReading:
		text = name + was + "passed at third reading"
		if strings.Contains(strings.ToLower(w.s.words[d.item]), "stage") {
			text = name + was + "passed"
		}
	case d.outcome == proceedings.Passed:
		text = name + was + "passed"
	case d.kind == "reading":
		text = name + was + w.reading(d, !short)
	case d.outcome == proceedings.ReferredTo:
		text = name + was + "referred to a committee"
	case d.outcome == proceedings.Rejected, d.outcome == proceedings.NotApproved, d.outcome == proceedings.Withdrawn:
		word := map[proceedings.Outcome]string{proceedings.Rejected: "rejected", proceedings.NotApproved: "not approved", proceedings.Withdrawn: "withdrawn"}[d.outcome]
		if d.kind == "motion" {
			name = "The motion on " + name
		}
		text = name + was + word
	case d.kind == "confirm":
		text = name + was + "confirmed"
	case d.kind == "motion" && d.outcome == proceedings.Agreed:
		text = "The motion on " + name + was + "agreed to"
	default:
		text = name + was + string(d.outcome)
	}
	if it.Amended && d.outcome == proceedings.Passed {
		text += " as amended"
	}
	return text + by(d.vote)
}

func (w *teller) amended(d *decision, was string) string {
	a := &w.s.Amendments[d.amend]
	name := a.Name
	if name == "" || strings.HasPrefix(name, "Clause") {
		name = "An amendment"
	}
	if a.By != "" {
		name += " by " + a.By
	}
	word := map[proceedings.Outcome]string{proceedings.Passed: "agreed to", proceedings.Rejected: "rejected", proceedings.Withdrawn: "withdrawn"}[d.outcome]
	return name + " to " + strings.TrimSuffix(a.To, ",") + was + word + by(d.vote)
}

func by(v *proceedings.Vote) string {
	switch {
	case v == nil:
		return ""
	case v.Result == "numbers":
		return " by " + figures(v)
	case v.Method == "no_objection":
		return " by unanimous consent"
	}
	return ""
}

func figures(v *proceedings.Vote) string {
	return count1(v.For, "vote", "votes") + " to " + strconv.Itoa(v.Against)
}

// statement tells whether something that was told is a minister's statement.
func (w *teller) statement(d *decision) bool {
	for _, t := range w.s.Turns {
		if t.Order == d.at.Order {
			return t.Kind == "statement"
		}
	}
	return false
}

func (w *teller) speech(order int) *assembly.Speech {
	for _, s := range w.s.of.Speeches() {
		if s.Order == order {
			return s
		}
	}
	return nil
}

func (w *teller) speaker(order int) string {
	if s := w.speech(order); s != nil {
		return s.Name
	}
	return ""
}

// named is a name with office or party.
func (w *teller) named(name string) string {
	for _, p := range w.s.People {
		if p.Name == name {
			switch {
			case p.Office != "":
				return name + " (" + p.Office + ")"
			case p.Group != "":
				return name + " (" + p.Group + ")"
			}
		}
	}
	return name
}

func (w *teller) description() string {
	day := w.s.of.Date
	if t, err := time.Parse("2006-01-02", day); err == nil {
		day = t.Format("2 January 2006")
	}
	var did []string
	n := 0
	for _, d := range w.s.decisions {
		if d.outcome != "" {
			n++
		}
	}
	if n > 0 {
		did = append(did, "took "+count1(n, "decision", "decisions"))
	}
	if n := len(w.s.Exchanges); n > 0 {
		did = append(did, "heard "+count1(n, "answer", "answers")+" to questions")
	}
	text := w.s.Where + " met on " + day
	switch len(did) {
	case 1:
		text += " and " + did[0]
	case 2:
		text += ", " + did[0] + " and " + did[1]
	}
	return text + "."
}

// Bounds on what is told.
const (
	maxSummary = 4
	maxPoints  = 30
	maxAnswers = 6
)

// summary is the weightiest decisions, and who asked and answered.
func (w *teller) summary(t *proceedings.Told) {
	var text []string
	var orders []int
	say := func(s string, at ...int) {
		if w.once(s) {
			text = append(text, s)
			orders = append(orders, at...)
		}
	}
	for _, d := range w.ranked() {
		if len(text) < maxSummary && w.rank(d) > 30 {
			say(capital(w.did(d, false))+".", d.at.Order)
		}
	}
	if len(w.s.Exchanges) > 0 {
		var askers, answerers []string
		var at []int
		for _, e := range w.s.Exchanges {
			if name := w.named(e.Asker); !slices.Contains(askers, name) {
				askers, at = append(askers, name), append(at, e.Asked...)
			}
			if name := w.named(e.Answerer); !slices.Contains(answerers, name) {
				answerers, at = append(answerers, name), append(at, e.Answered...)
			}
		}
		say(list(answerers, 3)+" answered questions from "+list(askers, 3)+".", at...)
	}
	for _, x := range w.s.Statements() {
		say(w.named(x.Name)+" gave evidence.", x.Order)
	}
	slices.Sort(orders)
	t.Summary = proceedings.Cited{Orders: slices.Compact(orders), Text: strings.Join(text, " ")}
}

// keyPoints are the other decisions, who spoke for and against, and answers with their
// questions.
func (w *teller) keyPoints(t *proceedings.Told) {
	add := func(s string) {
		if len(t.KeyPoints) < maxPoints && w.once(s) {
			t.KeyPoints = append(t.KeyPoints, s)
		}
	}
	for _, d := range w.ranked() {
		add(capital(w.did(d, false)) + ".")
	}
	for _, d := range w.s.Debate {
		side := "against"
		if d.For {
			side = "for"
		}
		add(w.named(d.Speaker) + " spoke " + side + " " + strings.TrimSuffix(d.Item, ",") + ".")
	}
	n := 0
	for _, e := range w.s.Exchanges {
		if s := w.exchange(e); s != "" && n < maxAnswers {
			n++
			add(s)
		}
	}
}

func (w *teller) course(t *proceedings.Told) {
	if o := w.s.Opening; o != nil && o.Time != "" {
		t.Course = append(t.Course, proceedings.Cited{Orders: []int{o.Passage.Order}, Text: "The sitting opened at " + stop(o.Time)})
	}
	if c := w.s.Closing; c != nil {
		text := "The sitting was " + c.Kind + "."
		if c.Time != "" {
			text = "The sitting was " + c.Kind + " at " + stop(c.Time)
		}
		t.Course = append(t.Course, proceedings.Cited{Orders: []int{c.Passage.Order}, Text: text})
	}
}

func stop(s string) string { return strings.TrimSuffix(s, ".") + "." }

// maxQuote is the longest sentence that is quoted.
const maxQuote = 320

var (
	courtesy = re(`(?i)^(?:my lords, )?(?:i (?:am grateful|thank|congratulate|welcome|pay tribute)|thank you|(?:mr|madam)\.? (?:deputy )?speaker,? i thank|yes\.?$|no\.?$|supplementary\.?$|good (?:morning|afternoon))`)
	leads    = re(`(?i)^(?:Q?\d{1,3}\.? |(?:mr|madam)\.? (?:deputy )?speaker, |my lords, |sir, )+`)
)

// exchange quotes a question and the first sentence of substance of its answer; "" if either
// is too long to quote.
func (w *teller) exchange(e proceedings.Exchange) string {
	question, answer := "", ""
	if s := w.speech(e.Asked[len(e.Asked)-1]); s != nil {
		for _, one := range sentences(s) {
			if strings.HasSuffix(one, "?") || strings.HasPrefix(one, "To ask ") || asked.MatchString(one) {
				question = one
			}
		}
	}
	if s := w.speech(e.Answered[0]); s != nil {
		for _, one := range sentences(s) {
			if !courtesy.MatchString(leads.ReplaceAllString(one, "")) {
				answer = one
				break
			}
		}
	}
	if question == "" || answer == "" || len(question) > maxQuote || len(answer) > maxQuote {
		return ""
	}
	return w.named(e.Asker) + ": “" + question + "” " + w.named(e.Answerer) + ": “" + answer + "”"
}

var breaks = re(`([.?!]["”’)]?) +["“‘(]?[A-Z£$€0-9]`)

var short = re(`(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Rev|Hon|hon|St|No|Nos|Sen|Rep|Gen|Col|Lt|Shri|Smt|vs|etc|e\.g|i\.e|[A-Z])|^Q?\d{1,3})\.$`)

// sentences are those of a speech, word for word.
func sentences(s *assembly.Speech) []string {
	var out []string
	for _, p := range s.Paragraphs {
		text := assembly.Squeeze(p.Text)
		from := 0
		for _, m := range breaks.FindAllStringSubmatchIndex(text, -1) {
			if one := text[from:m[3]]; m[3] > from && !short.MatchString(one) {
				out = append(out, one)
				from = m[3] + len(text[m[3]:]) - len(strings.TrimLeft(text[m[3]:], " "))
			}
		}
		if from < len(text) {
			out = append(out, text[from:])
		}
	}
	return out
}

// keywords are the names of what was dealt with.
func (w *teller) keywords() []string {
	var out []string
	for _, it := range w.s.Items {
		if it.Kind == "other" || strings.Contains(it.Name, ": ") || generic.MatchString(it.Name) {
			continue
		}
		if name := strings.TrimSpace(it.Name); len(name) <= 100 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

var generic = re(`(?i)^(?:business of|request for|approval of|order of|motions?\b)|\((?:programme|money|ways and means)`)
