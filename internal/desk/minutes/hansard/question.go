package hansard

import (
	"cmp"
	"slices"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/proceedings"
)

// heading reads where the sitting stands: a bill, its stage, a subject, a kind of business.
func (r *reader) heading(t string, level int) {
	r.flush()
	r.asker, r.expect, r.mover = nil, "", ""
	t = t[:min(len(t), maxLine)]
	number := ""
	if m := trailer.FindStringSubmatch(t); m[0] != "" {
		number, t = m[1], strings.TrimSuffix(t, m[0])
	}
	if level == 1 {
		if r.section != "questions" || r.spokenUnder { // the department whose questions follow
			r.section = ""
		}
		r.bill, r.act, r.title, r.number, r.stage, r.clause = "", "", "", "", "", ""
		r.q, r.main = none, none
	}
	r.spokenUnder = false
	r.at = proceedings.Passage{Order: cmp.Or(r.order, r.first)}
	name, stage := t, proceedings.Stage("")
	if head, tail, ok := cutLast(t, ": "); ok && billHead.MatchString(head) {
		name, stage = head, stageOf(tail)
	}
	switch {
	case t == "":
	case r.bill != "" && stageOf(t) != "":
		r.enter(stageOf(t), t)
	case r.bill != "" && clauseHead.MatchString(t):
		r.clause, r.q = clauseHead.FindStringSubmatch(t)[1], none
	case billPart.MatchString(t):
		r.subject(t, number)
	case billHead.MatchString(name), ruleHead.MatchString(t):
		r.subject(name, number)
		r.bill, r.billLevel = name, level
		if stage != "" {
			r.enter(stage, strings.TrimPrefix(t, name+": "))
		}
	case questionsIn.MatchString(t):
		r.section = "questions"
	case petitionIn.MatchString(t):
		r.section = "petition"
	case assentIn.MatchString(t):
		r.section = "assent"
	case closureIn.MatchString(t) && r.act != "":
		r.closure = r.act + ": " + t
	case formal.MatchString(t):
	case r.bill == "" || level <= r.billLevel:
		r.subject(t, number)
		if actHead.MatchString(t) {
			r.act = t
		}
	}
}

func cutLast(s, sep string) (head, tail string, ok bool) {
	if i := strings.LastIndex(s, sep); i > 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// subject is what a motion moved here would be called by.
func (r *reader) subject(t, number string) {
	r.bill, r.act, r.title, r.number, r.stage, r.clause, r.closure, r.actNumbers = "", "", t, number, "", "", "", nil
	r.q, r.main = none, none
}

// enter notes the stage that a heading names.
func (r *reader) enter(stage proceedings.Stage, words string) {
	r.stage, r.q, r.main = stage, none, none
	i := r.theBill()
	r.reached(i, stage)
	r.s.words[i] = words
	if stage == Report && strings.Contains(strings.ToLower(words), "final") {
		r.stage = ThirdReading // once the report is taken
	}
}

// theBill is the bill that the headings name; -1 if they name none.
func (r *reader) theBill() int {
	switch {
	case r.bill != "":
		return r.add(r.bill, "bill", "")
	case r.act != "":
		for i := range r.s.Items {
			if it := &r.s.Items[i]; it.Kind == "bill" && it.Name == r.act {
				return i
			}
		}
		if r.actBill >= 0 && r.actOf == r.act {
			return r.actBill
		}
	}
	return -1
}

// billIn is the bill that a text is about: one that it names by number, or that of the headings.
func (r *reader) billIn(text string) int {
	if m := canadian.FindStringSubmatch(text); m != nil {
		i := r.add(m[2], "bill", m[1])
		r.actBill, r.actOf = i, r.act
		return i
	}
	if m := numbered.FindStringSubmatch(text); m != nil {
		for i := range r.s.Items {
			if r.s.Items[i].Number == m[1] {
				return i
			}
		}
		if r.act != "" {
			return r.add(r.act, "bill", m[1])
		}
	}
	return r.theBill()
}

// put is what a text puts to the house. Moved says that the speaker moves it now, and did not
// put what was moved before.
func (r *reader) put(text string, moved *assembly.Speech) {
	r.flush()
	q := r.classify(strings.Trim(text, ` :`), moved)
	r.q = q
	if moved != nil && q.item >= 0 {
		r.moved[q.item] = q
	}
	if q.kind == "amendment" || q.kind == "procedure" || clauseStand.MatchString(text) {
		r.s.doubt[r.bill], r.s.doubt[r.title] = true, true
	}
	if q.kind != "amendment" && q.kind != "procedure" && q.kind != "other" {
		r.main = q
	}
}

func (r *reader) classify(text string, moved *assembly.Speech) question {
	bare := strings.TrimLeft(text, `"“ `)
	rest := bare
	for _, lead := range []string{"on ", "that ", "That "} {
		rest = strings.TrimPrefix(rest, lead)
	}
	unknown := question{kind: "other", item: -1, amend: -1}
	on := func(kind string, stage proceedings.Stage, item int) question {
		if item < 0 {
			return unknown
		}
		return question{kind: kind, stage: stage, item: item, amend: -1}
	}
	switch {
	case procedural.MatchString(text):
		return question{kind: "procedure", item: -1, amend: -1}
	case amends.MatchString(bare) || amends.MatchString(rest):
		return r.amending(text, moved)
	case clauseStand.MatchString(text):
		return unknown
	case introduces.MatchString(text):
		return on("reading", FirstReading, r.billIn(text))
	case cloture.MatchString(text):
		if r.closure != "" {
			return on("motion", "", r.add(r.closure, "resolution", ""))
		}
		return unknown
	case confirms.MatchString(text):
		if r.title != "" {
			return on("confirm", "", r.add(r.title, "personnel", ""))
		}
		return unknown
	case readsTime.MatchString(text):
		m := readsTime.FindStringSubmatch(text)
		q := on("reading", readingOf(m[1]), r.billIn(text))
		if q.item >= 0 {
			r.reached(q.item, q.stage)
			r.s.words[q.item] = m[1] + " reading"
		}
		return q
	case principles.MatchString(text):
		i := r.add(principles.FindStringSubmatch(text)[1], "bill", "")
		r.reached(i, SecondReading)
		return on("reading", SecondReading, i)
	case concurs.MatchString(text):
		i := r.billIn(text)
		if i >= 0 {
			r.reached(i, Report)
			r.s.words[i] = "report stage"
		}
		return on("reading", Report, i)
	case refers.MatchString(text):
		return on("refer", "", r.theBill())
	case passes.MatchString(text):
		return on("pass", r.stage, r.underAct(r.billIn(text)))
	case considers.MatchString(text):
		return on("consider", "", r.theBill())
	case approves.MatchString(text):
		name := approves.FindStringSubmatch(text)[1]
		if len(strings.Fields(name)) < 2 { // the draft Order
			name = r.title
		}
		if name == "" {
			return unknown
		}
		return on("approve", "", r.add(name, "approval", ""))
	case adopts.MatchString(text):
		if r.bill != "" {
			return on("adopt", "", r.theBill())
		}
		if r.title != "" {
			return on("adopt", "", r.add(r.title, "resolution", r.number))
		}
		return unknown
	}
	return r.motion(text, rest, moved)
}

// motion is a motion that is none of the others.
func (r *reader) motion(text, rest string, moved *assembly.Speech) question {
	unknown := question{kind: "other", item: -1, amend: -1}
	if moved == nil && strings.HasPrefix(strings.ToLower(rest), "motion") {
		if m := onBill.FindStringSubmatch(text); m != nil {
			for i := range r.s.Items {
				if !strings.EqualFold(r.s.Items[i].Name, m[1]) {
					continue
				}
				if q, ok := r.moved[i]; ok {
					return q
				}
				return question{kind: "reading", stage: lastOf(r.s.Items[i].Stages), item: i, amend: -1}
			}
			return unknown
		}
	}
	lower := strings.ToLower(rest)
	if moved == nil && (strings.HasPrefix(lower, "the motion") || strings.HasPrefix(lower, "this motion")) {
		return r.main
	}
	if r.bill == "" && r.title != "" && !onSome.MatchString(text) && strings.HasPrefix(strings.ToLower(strings.TrimLeft(text, `"“ `)), "that ") {
		return question{kind: "motion", item: r.add(r.title, "resolution", r.number), amend: -1}
	}
	return unknown
}

// onSome is in a motion about a bill, which is then more than a subject to be debated.
var onSome = re(`\bBill (?:[A-Z]-\d|be |do )`)

func lastOf(stages []proceedings.Stage) proceedings.Stage {
	for _, s := range slices.Backward(stages) {
		if s != proceedings.Voted {
			return s
		}
	}
	return ""
}

// amending is an amendment that is moved, or that the house is asked about.
func (r *reader) amending(text string, moved *assembly.Speech) question {
	of := func(i int) question { return question{kind: "amendment", item: -1, amend: i} }
	if moved == nil {
		named := ""
		if m := nameIn.FindStringSubmatch(text); m != nil {
			named = strings.TrimSpace(m[1])
		}
		last := -1
		for i := range r.s.Amendments {
			a := &r.s.Amendments[i]
			if a.Outcome != "" {
				continue
			}
			if named != "" && sameName(a.By, named) {
				return of(i)
			}
			last = i
		}
		if last >= 0 && (named == "" || strings.HasPrefix(named, "member for")) {
			return of(last)
		}
		return question{kind: "other", item: -1, amend: -1}
	}
	to := r.amended()
	if to == "" {
		return question{kind: "other", item: -1, amend: -1}
	}
	r.s.Amendments = append(r.s.Amendments, proceedings.Amendment{To: to, By: moved.Name, Order: moved.Order, Name: r.clause, Passages: []proceedings.Passage{r.at}})
	return of(len(r.s.Amendments) - 1)
}

// amended is the name of what an amendment moved now would change.
func (r *reader) amended() string {
	switch {
	case r.bill != "":
		return r.s.Items[r.theBill()].Name
	case r.main.item >= 0:
		return r.s.Items[r.main.item].Name
	case r.act != "":
		return r.s.Items[r.underAct(r.theBill())].Name
	}
	return ""
}

// underAct is the bill that stands under its short title, if no other was named there.
func (r *reader) underAct(bill int) int {
	if bill >= 0 || r.act == "" {
		return bill
	}
	number := ""
	if len(r.actNumbers) == 1 {
		number = r.actNumbers[0]
	}
	return r.add(r.act, "bill", number)
}

// sameName tells whether a name is that of another text, with or without title and first name.
func sameName(full, named string) bool {
	last := func(s string) string {
		f := strings.Fields(s)
		if len(f) == 0 {
			return ""
		}
		return strings.ToLower(f[len(f)-1])
	}
	return last(full) != "" && last(full) == last(named)
}
