package proceedings

import (
	"regexp"
	"slices"
	"strings"
)

// explains is in the first words of a speech that explains an item.
var explains = regexp.MustCompile(`趣旨|理由|説明|議題となりました|概要`)

// member reads a speech of one who does not preside.
func (r *reader) member(s *speech, turn *Turn) {
	if r.f.Witnesses.MatchString(s.role) && !slices.ContainsFunc(r.p.Witnesses, func(w Witness) bool { return w.Name == s.Speaker }) {
		r.p.Witnesses = append(r.p.Witnesses, Witness{Name: s.Speaker, Office: r.office(s), Order: s.Order})
	}
	opening := s.flat[s.body:min(len(s.flat), s.body+1200)]
	switch {
	case r.isRider(s, opening):
		turn.Kind = "motion"
		r.p.Resolutions = append(r.p.Resolutions, Resolution{Item: r.topicName(), By: s.Speaker, Order: s.Order, Passages: []Passage{s.first()}})
		r.rider = len(r.p.Resolutions) - 1
		r.phase = ""
	case r.isAmendment(s, opening):
		turn.Kind = "explanation"
		r.amends(s)
	case r.phase == "explain" && len(s.flat)-s.body > 60 && explains.MatchString(opening):
		turn.Kind = "explanation"
		r.explains(s, opening, Explained)
		r.phase = ""
	case r.phase == "report":
		turn.Kind = "report"
		r.explains(s, opening, Reported)
		r.phase = ""
	case r.phase == "address" && r.f.Answerers.MatchString(s.role):
		turn.Kind = "address"
	case r.debates(s):
		turn.Kind = "debate"
	case r.asker != nil && s.Speaker != r.asker.Speaker && r.f.Answerers.MatchString(s.role):
		r.answers(s, turn)
	case len(s.flat)-s.body < 400 && r.f.Motion.MatchString(opening):
		turn.Kind = "motion"
	case r.f.Answerers.MatchString(s.role):
		turn.Kind = "statement"
	case r.phase == "debate" || r.phase == "rider":
	default:
		r.asker = s
	}
}

func (s *speech) first() Passage {
	for _, x := range s.parts {
		if x.kind == 's' {
			return s.passage(x)
		}
	}
	return s.span(s.Order, s.body, len(s.flat))
}

func (r *reader) isRider(s *speech, opening string) bool {
	if !strings.Contains(opening, "附帯決議") {
		return false
	}
	return r.phase == "rider" || strings.Contains(opening, "附帯決議案を提出") || strings.Contains(opening, "動議を提出") || strings.Contains(opening, "附帯決議案の趣旨") || strings.Contains(opening, "附帯決議を付す")
}

func (r *reader) isAmendment(s *speech, opening string) bool {
	if r.phase == "amend" {
		return strings.Contains(opening, "修正")
	}
	return strings.Contains(opening, "修正の動議を提出") || strings.Contains(opening, "修正案を提出いたします") || strings.Contains(opening, "修正の動議")
}

// amends notes the speech that explains an amendment.
func (r *reader) amends(s *speech) {
	for i := range r.p.Amendments {
		a := &r.p.Amendments[i]
		if a.Order < 0 && (a.mover == s.Speaker || strings.HasSuffix(a.mover, s.Speaker) || strings.HasPrefix(s.Speaker, a.mover)) {
			a.By, a.Order = s.Speaker, s.Order
			r.amendment = i
			return
		}
	}
	for i := range r.p.Amendments { // explained by another of its movers
		if a := &r.p.Amendments[i]; a.Order < 0 {
			a.By, a.Order = s.Speaker, s.Order
			r.amendment = i
			return
		}
	}
	r.p.Amendments = append(r.p.Amendments, Amendment{To: r.topicName(), By: s.Speaker, Order: s.Order, mover: s.Speaker, Passages: []Passage{s.first()}})
	r.amendment = len(r.p.Amendments) - 1
}

// explains notes that a speech explains or reports on the items that it names, or on
// those on the table.
func (r *reader) explains(s *speech, opening string, stage Stage) {
	items := r.mentioned(s.flat[s.body:min(len(s.flat), s.body+6000)])
	if len(items) == 0 || !overlap(items, r.topic) {
		items = r.topic
	}
	for _, i := range items {
		it := &r.p.Items[i]
		if it.Kind == "investigation" && stage == Explained {
			continue
		}
		it.add(stage)
		if it.explained < 0 {
			it.explained = s.Order
		}
		it.Passages = append(it.Passages, s.first())
	}
}

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(i int) bool { return slices.Contains(b, i) })
}

// answers pairs a speech with the question before it.
func (r *reader) answers(s *speech, turn *Turn) {
	turn.Kind = "answer"
	item := -1
	if len(r.topic) > 0 {
		item = r.topic[0]
	}
	r.p.Exchanges = append(r.p.Exchanges, Exchange{Asker: r.asker.Speaker, Asked: []int{r.asker.Order}, Answerer: s.Speaker, Answered: []int{s.Order}, Item: item})
	for i := range r.p.Turns {
		if t := &r.p.Turns[i]; t.Order == r.asker.Order {
			t.Kind = "question"
		}
	}
	for _, i := range r.topic {
		r.p.Items[i].add(Questioned)
	}
}

// stanceWords is how far into a speech someone says where he stands.
const stanceWords = 8

// debates reads a speech for or against; false if it is none.
func (r *reader) debates(s *speech) bool {
	debate := r.phase == "debate"
	if !debate && !strings.Contains(s.flat[s.body:min(len(s.flat), s.body+900)], "討論") {
		return false
	}
	n := 0
	for _, x := range s.parts {
		if x.kind != 's' {
			continue
		}
		if n++; n > stanceWords {
			break
		}
		t := s.str(x)
		m := r.f.Stance.FindAllStringSubmatch(t, -1)
		if m == nil || !debate && !strings.Contains(t, "討論") {
			continue
		}
		stance := m[0][1]
		if slices.ContainsFunc(m, func(one []string) bool { return one[1] != stance }) {
			r.divided(s, x, t)
			return true
		}
		if strings.Contains(t, "修正案") && (strings.Contains(t, "原案") || r.f.Against.MatchString(t) && r.f.For.MatchString(t)) {
			r.divided(s, x, t)
			return true
		}
		items := r.mentioned(t)
		if len(items) == 0 {
			items = r.vote
		}
		if len(items) == 0 {
			items = r.topic
		}
		for _, i := range items {
			r.stand(s, x, i, stance)
		}
		return true
	}
	return false
}

var clause = regexp.MustCompile(`[^、]*?(?:賛成|反対)`)

// divided reads a sentence that is for one thing and against another; only items that
// it names count.
func (r *reader) divided(s *speech, x sentence, t string) {
	at := 0
	for _, m := range regexp.MustCompile(`賛成|反対`).FindAllStringIndex(t, -1) {
		part := t[at:m[0]]
		at = m[1]
		if strings.Contains(part, "修正案") && !strings.Contains(part, "原案") {
			continue
		}
		for _, i := range r.mentioned(part) {
			r.stand(s, x, i, t[m[0]:m[1]])
		}
	}
}

func (r *reader) stand(s *speech, x sentence, item int, stance string) {
	it := &r.p.Items[item]
	for _, d := range r.p.Debate {
		if d.Speaker == s.Speaker && d.Item == it.Name && d.Passage.Order == s.Order {
			return
		}
	}
	it.add(Debated)
	r.p.Debate = append(r.p.Debate, Statement{Speaker: s.Speaker, Group: squeeze(s.Group), Item: it.Name, For: r.f.For.MatchString(stance), Passage: s.passage(x)})
}

// corrections reads what a speech sets right.
func (r *reader) corrections(s *speech) {
	for _, x := range s.parts {
		t := s.str(x)
		if x.kind != 's' || len(t) > 1500 || !strings.Contains(t, "訂正") && !strings.Contains(t, "誤り") && !strings.Contains(t, "正しくは") && !strings.Contains(t, "正確には") {
			continue
		}
		for _, form := range r.f.Corrections {
			if m := form.FindStringSubmatch(t); m != nil && m[1] != m[2] {
				r.p.Corrections = append(r.p.Corrections, Correction{Wrong: lastPart(m[1]), Right: m[2], Passage: s.passage(x)})
				break
			}
		}
	}
}

// lastPart is the end of what was said, behind its last particle.
func lastPart(said string) string {
	for _, p := range []string{"を", "は", "が"} {
		if i := strings.LastIndex(said, p); i > 0 && i+len(p) < len(said) {
			said = said[i+len(p):]
		}
	}
	return said
}

// office is what a speaker is: from the record's fields, from its head, or from the
// label.
func (r *reader) office(s *speech) string {
	if s.Position != "" {
		return squeeze(s.Position)
	}
	if r.f.Members.MatchString(s.role) || s.role == "議員" {
		return ""
	}
	for _, h := range r.all {
		if !h.head {
			continue
		}
		if at := strings.Index(h.flat, s.Speaker+"君"); at > 0 && s.Speaker != "" {
			before := h.flat[:at]
			if i := strings.LastIndex(before, "君"); i >= 0 {
				before = before[i+len("君"):]
			}
			if m := officeEnd.FindString(before); m != "" && !s.chair {
				return m
			}
		}
	}
	return s.role
}

var officeEnd = regexp.MustCompile(`(?:[\p{Han}\p{Katakana}ー・]+（[^（）]+）|[\p{Han}\p{Katakana}ー・]*(?:大臣|長官|局長|部長|審議官|政務官|総裁|教授|会長|理事長|参事官|長))$`)

// finish puts together what only the whole record says.
func (r *reader) finish() {
	seen := map[string]int{}
	for _, s := range r.all {
		if s.head || s.Speaker == "" {
			continue
		}
		if i, ok := seen[s.Speaker]; ok {
			p := &r.p.People[i]
			if p.Group == "" {
				p.Group = squeeze(s.Group)
			}
			if p.Office == "" {
				p.Office = r.office(s)
			}
			continue
		}
		seen[s.Speaker] = len(r.p.People)
		r.p.People = append(r.p.People, Person{s.Speaker, squeeze(s.Group), r.office(s)})
	}
	r.p.Amendments = slices.DeleteFunc(r.p.Amendments, func(a Amendment) bool { return a.Order < 0 && a.Outcome == "" })
	for i := range r.p.Amendments {
		if a := &r.p.Amendments[i]; a.By == "" {
			a.By = a.mover
		}
	}
}
