package proceedings

import (
	"cmp"
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
	if len(s.flat) <= s.body {
		return // nothing was said
	}
	opening := s.flat[s.body:min(len(s.flat), s.body+1200)]
	switch {
	case r.isRider(s, opening):
		turn.Kind = "motion"
		r.p.Resolutions = append(r.p.Resolutions, Resolution{Item: r.riderItem(), By: s.Speaker, Order: s.Order, Passages: []Passage{s.first()}})
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
	case r.f.Answerers.MatchString(s.role) && r.corrects(s):
		turn.Kind = "statement"
	case r.asker != nil && s.Speaker != r.asker.Speaker && (r.f.Answerers.MatchString(s.role) || r.moved(s)):
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

// riderItem is the item that a supplementary resolution is on.
func (r *reader) riderItem() string {
	if r.riderOn != "" {
		return r.riderOn
	}
	return r.topicName()
}

func (s *speech) first() Passage {
	for _, x := range s.parts {
		if x.kind == 's' {
			return s.passage(x)
		}
	}
	return s.span(s.Order, 0, len(s.flat))
}

func (r *reader) isRider(s *speech, opening string) bool {
	if !strings.Contains(opening, "附帯決議") {
		return false
	}
	return r.phase == "rider" || strings.Contains(opening, "附帯決議案を提出") || strings.Contains(opening, "動議を提出") || strings.Contains(opening, "附帯決議案の趣旨") || strings.Contains(opening, "附帯決議を付す")
}

func (r *reader) isAmendment(s *speech, opening string) bool {
	if r.phase == "amend" {
		return strings.Contains(opening, "修正") || strings.Contains(opening, "編成替え")
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
			r.amendsOver()
			return
		}
	}
	for i := range r.p.Amendments { // explained by another of its movers
		if a := &r.p.Amendments[i]; a.Order < 0 {
			a.By, a.Order = s.Speaker, s.Order
			r.amendment = i
			r.amendsOver()
			return
		}
	}
	r.p.Amendments = append(r.p.Amendments, Amendment{To: r.topicName(), By: s.Speaker, Order: s.Order, mover: s.Speaker, Passages: []Passage{s.first()}})
	r.amendment = len(r.p.Amendments) - 1
}

// amendsOver ends the phase of amendments when all have been explained.
func (r *reader) amendsOver() {
	if !slices.ContainsFunc(r.p.Amendments, func(a Amendment) bool { return a.Order < 0 }) {
		r.phase = ""
	}
}

// explains notes that a speech explains or reports on the items that it names, or on
// those on the table.
func (r *reader) explains(s *speech, opening string, stage Stage) {
	items := r.mentioned(s.flat[s.body:min(len(s.flat), s.body+6000)])
	if len(items) == 0 || !overlap(items, r.topic) || stage == Reported || severalOf.MatchString(opening) {
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

var severalOf = regexp.MustCompile(`(?:両|各|` + num + `)(?:法律|法)?[案件]`)

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(i int) bool { return slices.Contains(b, i) })
}

// corrects tells whether a speech only sets right what was said before.
func (r *reader) corrects(s *speech) bool {
	n := len(r.p.Corrections)
	return n > 0 && r.p.Corrections[n-1].Passage.Order == s.Order && len(s.parts) <= 4
}

// moved tells whether a speaker brought in the item on the table, and answers for it.
func (r *reader) moved(s *speech) bool {
	for _, i := range r.topic {
		if at := r.p.Items[i].explained; at >= 0 && r.p.speech[at].Speaker == s.Speaker {
			return true
		}
	}
	for _, h := range r.all {
		if h.head && s.Speaker != "" && (strings.Contains(h.flat, "発議者"+s.Speaker+"君") || strings.Contains(h.flat, "提出者"+s.Speaker+"君")) {
			return true
		}
	}
	return false
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
		if r.f.Against.MatchString(t) && r.f.For.MatchString(t) || strings.Contains(t, "修正案") {
			r.divided(s, x, t)
			return true
		}
		items := r.mentioned(t)
		if len(items) == 0 {
			items = r.vote
		}
		if len(items) == 0 && (len(r.topic) == 1 || severalOf.MatchString(t) || strings.Contains(t, "いずれも") || allBudget(r.p.Items, r.topic)) {
			items = r.topic
		}
		for _, i := range items {
			r.stand(s, x, i, stance)
		}
		return true
	}
	return false
}

// allBudget tells whether items are the budgets or the accounts of a year, which are debated as one.
func allBudget(all []Item, items []int) bool {
	return len(items) > 0 && !slices.ContainsFunc(items, func(i int) bool {
		return all[i].Kind != all[items[0]].Kind || all[i].Kind != "budget" && all[i].Kind != "report"
	})
}

// divided reads a sentence that is for one thing and against another; only items that
// it names count.
func (r *reader) divided(s *speech, x sentence, t string) {
	at := 0
	for _, m := range regexp.MustCompile(`賛成|反対`).FindAllStringIndex(t, -1) {
		part := t[at:m[0]]
		at = m[1]
		whole := strings.Contains(part, "原案") || strings.Contains(part, "政府案") || strings.Contains(part, "本案") || strings.Contains(part, "予算三案") || strings.Contains(part, "政府提出")
		if (strings.Contains(part, "修正案") || strings.Contains(part, "動議")) && !whole {
			continue
		}
		items := r.mentioned(part)
		if len(items) == 0 && whole && (len(r.topic) == 1 || allBudget(r.p.Items, r.topic)) {
			items = r.topic
		}
		for _, i := range items {
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

// corrections reads what a speech sets right or takes back.
func (r *reader) corrections(s *speech) {
	for _, x := range s.parts {
		t := s.str(x)
		if x.kind != 's' || len(t) > 1500 {
			continue
		}
		r.retracts(s, x, t)
		if !strings.Contains(t, "訂正") && !strings.Contains(t, "誤り") && !strings.Contains(t, "正しくは") && !strings.Contains(t, "正確には") {
			continue
		}
		for _, form := range r.f.Corrections {
			if m := form.FindStringSubmatch(t); m != nil && m[1] != m[2] {
				c := Correction{Wrong: lastPart(m[1], m[2]), Right: m[2], Passage: s.passage(x)}
				if of := r.f.Record.FindStringSubmatch(t); of != nil {
					c.Of = cmp.Or(of[1], of[2])
				}
				r.p.Corrections = append(r.p.Corrections, c)
				if c.Of == "" {
					r.recount(s, t, c)
				}
				break
			}
		}
	}
	r.errata(s)
}

// retracts notes what a speaker takes back.
func (r *reader) retracts(s *speech, x sentence, t string) {
	if s.chair || !strings.Contains(t, "取り消") && !strings.Contains(t, "撤回") || !r.f.Retract.MatchString(t) {
		return
	}
	one := Retraction{Speaker: s.Speaker, Passage: s.passage(x)}
	if m := quotation.FindStringSubmatch(t); m != nil {
		one.Words = m[1]
	}
	r.p.Retractions = append(r.p.Retractions, one)
}

var quotation = regexp.MustCompile(`「([^「」]{1,80})」`)

// recount corrects the vote that a sentence sets right. Where the sentence does not say which
// vote of several it means, or where the right result contradicts what was declared, nothing is
// known of them any more.
func (r *reader) recount(s *speech, t string, c Correction) {
	yes, no := r.f.Yes.FindStringSubmatch(c.Right), r.f.No.FindStringSubmatch(c.Right)
	var result *Result
	for i := range r.f.Results {
		if r.f.Results[i].At.MatchString(c.Right) {
			result = &r.f.Results[i]
			break
		}
	}
	numbers := yes != nil && no != nil
	if !numbers && (result == nil || !s.chair) {
		return
	}
	named := r.mentioned(t)
	var items []int
	for i := range r.p.Items {
		v := r.p.Items[i].Vote
		if v == nil || len(named) > 0 && !slices.Contains(named, i) {
			continue
		}
		if numbers && (len(named) == 1 || r.stated(v, c.Wrong)) || !numbers && v.Words != "" && strings.Contains(c.Wrong, v.Words) {
			items = append(items, i)
		}
	}
	for _, i := range items {
		it := &r.p.Items[i]
		switch {
		case len(items) > 1:
			it.forget()
		case numbers:
			a, okA := number(yes[1])
			b, okB := number(no[1])
			if okA && okB && a+b == it.Vote.Total {
				it.Vote.For, it.Vote.Against = a, b
			} else if len(named) == 0 {
				it.forget()
			}
		case (result.Name == "minority") != (it.Outcome == Rejected || it.Outcome == NotApproved):
			it.forget()
		default:
			it.Vote.Result, it.Vote.Words = result.Name, result.At.FindString(c.Right)
		}
	}
}

// stated tells whether a text has the numbers of a vote.
func (r *reader) stated(v *Vote, text string) bool {
	yes, no := r.f.Yes.FindStringSubmatch(text), r.f.No.FindStringSubmatch(text)
	if yes == nil || no == nil {
		return false
	}
	a, okA := number(yes[1])
	b, okB := number(no[1])
	return okA && okB && v.Result == "numbers" && a == v.For && b == v.Against
}

// forget drops a decision that is no longer certain.
func (it *Item) forget() {
	it.Vote, it.Outcome, it.Named = nil, "", nil
	it.Stages = slices.DeleteFunc(it.Stages, func(s Stage) bool { return s == Voted })
}

var (
	errataHead = regexp.MustCompile(`(?m)^[\s　]*(?:(?:[^\r\n]{0,20}?[録会])?[\s　]*(第` + num + `号)(?:（[^（）]{1,8}）)?[\s　]*中?[\s　]*)?正[\s　]*誤(?:表)?[\s　]*\r?\n`)
	errataOf   = regexp.MustCompile(`^[\s　]*(?:[^\r\n]{0,20}?[録会])?[\s　]*(第` + num + `号)(?:（[^（）]{1,8}）)?[\s　]*中(?:[\s　]*正[\s　]*誤)?[\s　]*$`)
)

// errata reads the table of misprints that some records end with: page, column, line,
// wrong, right. It may name the record that it corrects; without its columns it says nothing
// certain.
func (r *reader) errata(s *speech) {
	at := errataHead.FindStringSubmatchIndex(s.Text)
	if at == nil {
		return
	}
	of := ""
	if at[2] >= 0 {
		of = s.Text[at[2]:at[3]]
	}
	from := at[1]
	for line := range strings.Lines(s.Text[at[1]:]) {
		if m := errataOf.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			of = m[1]
		}
		fields := strings.Fields(line)
		if n := len(fields); n >= 4 && n <= 5 && fields[n-2] != "誤" && fields[n-2] != fields[n-1] && !strings.ContainsAny(line, "〃々") {
			if _, ok := number(fields[0]); ok {
				r.p.Corrections = append(r.p.Corrections, Correction{Wrong: fields[n-2], Right: fields[n-1], Printed: true, Of: of, Passage: Passage{s.Order, from, from + len(strings.TrimRight(line, "\r\n"))}})
			}
		}
		from += len(line)
	}
}

// lastPart is the end of what was said, behind its last particle.
func lastPart(said, right string) string {
	if n := strings.Count(right, "、"); n > 0 { // as many parts as what is right
		parts := strings.Split(said, "、")
		return strings.Join(parts[max(0, len(parts)-n-1):], "、")
	}
	if i := strings.LastIndex(said, "、"); i >= 0 {
		said = said[i+len("、"):]
	}
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
	if s.Position != "" && squeeze(s.Position) != "国務大臣" {
		return squeeze(s.Position)
	}
	if office := r.offices[s.Speaker]; office != "" && !strings.HasPrefix(office, "国務大臣") {
		return office
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
				return bareOffice(m)
			}
		}
	}
	if s.Position != "" {
		return squeeze(s.Position)
	}
	return s.role
}

var heardAs = regexp.MustCompile(`^(?:政府参考人|参考人|公述人|証人|政府特別補佐人|説明員|会計検査院当局|国務大臣|副大臣|大臣政務官|事務局側)`)

// bareOffice is an office without the heading under which a head lists it.
func bareOffice(office string) string {
	rest := heardAs.ReplaceAllString(office, "")
	if inside, ok := strings.CutPrefix(rest, "（"); ok {
		return strings.TrimSuffix(inside, "）")
	}
	if rest == "" {
		return office
	}
	return rest
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
