package proceedings

import (
	"regexp"
	"slices"
	"strings"
)

// reader goes through a record, speech by speech. What it keeps is where the meeting
// stands.
type reader struct {
	f   *Forms
	p   *Proceedings
	all []*speech

	begin  *Moment // from the head
	acting string  // who presides for want of a chair
	chairs bool    // a chair has spoken
	listed bool    // the head has an agenda
	order  bool    // the meeting is about the order of other meetings

	topic []int  // the items on the table
	vote  []int  // those of them that are voted on; nil for all
	phase string // explain, amend, rider, report, address, hear, question, debate or ""

	ask *ask  // waits for its result
	won *Vote // waits for the sentence that says what it means
	of  *ask  // what won is the result of
	age int   // sentences since won

	urgent    int               // the item that the house is asked to take up at once; -1
	amendment int               // the one under consideration; -1
	rider     int               // the supplementary resolution under consideration; -1
	riderOn   string            // the item that it is on, if the chair says so
	last      []int             // what the speech decided
	offices   map[string]string // by name, as the chair calls them
	asker     *speech
	said      string // the chair's words since the last result
}

// ask is a question that the chair puts to the house.
type ask struct {
	method    string
	items     []int
	amendment int
	rider     int
	motion    bool // about order, not about an item
	said      string
}

// turn reads one speech.
func (r *reader) turn(s *speech) {
	r.presides(s)
	r.corrections(s)
	t := Turn{Order: s.Order, Kind: "speech", Chair: s.chair, Item: -1}
	if len(r.topic) > 0 {
		t.Item = r.topic[0]
	}
	r.p.Turns = append(r.p.Turns, t)
	turn := &r.p.Turns[len(r.p.Turns)-1]
	if s.chair {
		turn.Kind = "procedure"
		r.chair(s)
		if len(r.topic) > 0 && turn.Item < 0 {
			turn.Item = r.topic[0]
		}
	} else {
		r.member(s, turn)
	}
}

// presides finds out whether a speech is of one who presides without being called a
// chair: the oldest member before there is one, or the secretary general.
func (r *reader) presides(s *speech) {
	switch {
	case s.chair:
		r.chairs, r.acting = true, ""
	case s.role == "事務総長" && r.p.meeting.Name == "本会議":
		s.chair = true
	case !r.chairs && r.acting == "" && len(s.parts) > 0 && r.f.Open.MatchString(s.flat[s.body:min(len(s.flat), s.body+600)]):
		s.chair, r.acting = true, s.Speaker
	case !r.chairs && r.acting != "" && r.acting == s.Speaker:
		s.chair = true
	}
}

func (r *reader) chair(s *speech) {
	r.said, r.last = "", nil
	for _, x := range s.parts {
		switch x.kind {
		case 's':
			r.sentence(s, x)
		case 'h':
			r.heading(s, x)
		}
	}
	r.end(s)
	if r.f.Dissolve.MatchString(s.flat) {
		at := r.f.Dissolve.FindStringIndex(s.flat)
		p := s.span(s.Order, at[0], at[1])
		r.p.Dissolved = &p
	}
}

// end reads when the meeting ended; the last such line of a record counts.
func (r *reader) end(s *speech) {
	if all := r.f.Times.FindAllStringSubmatchIndex(s.flat, -1); all != nil {
		m := all[len(all)-1]
		r.p.Closing = &Moment{Time: s.flat[m[2]:m[3]], Kind: s.flat[m[4]:m[5]], Passage: s.span(s.Order, m[0], m[1])}
		return
	}
	if m := r.f.Close.FindStringIndex(s.flat); m != nil {
		r.p.Closing = &Moment{Kind: s.flat[m[0] : m[0]+len("散会")], Passage: s.span(s.Order, m[0], m[1])}
	}
}

// heading reads text without a full stop: the name of the item that comes next, or a
// list of names.
func (r *reader) heading(s *speech, x sentence) {
	t := s.str(x)
	r.result(s, x)
	r.named(s, x)
	if len(t) > 3000 || r.phase == "report" || r.phase == "explain" {
		return // or a list of papers on what is about to be heard
	}
	if items := r.mentioned(t); len(items) > 0 && r.won == nil {
		r.table(items)
	} else if names := r.f.names(t, true); len(names) > 0 && names[0].from == 0 && r.won == nil {
		var items []int
		for _, n := range names {
			if it := r.f.item(t[n.from:n.to]); (weighty(it.Kind) || it.Kind == "personnel") && !shared(r.p.Items, it.Name) {
				if i := r.addItem(t[n.from:n.to], 0, s.span(s.Order, x.from+n.from, x.from+n.to)); i >= 0 {
					items = append(items, i)
				}
			}
		}
		if len(items) > 0 {
			r.table(items)
		}
	}
}

// weighty tells whether items of a kind are bills and the like, whose outcome is
// always said in so many words.
func weighty(kind string) bool {
	switch kind {
	case "bill", "budget", "approval", "resolution", "petition":
		return true
	}
	return false
}

func (r *reader) table(items []int) {
	if !slices.Equal(items, r.topic) {
		r.amendment, r.rider = -1, -1
		r.phase, r.asker = "", nil
	}
	r.topic, r.vote = items, nil
}

// sentence reads one sentence of a chair.
func (r *reader) sentence(s *speech, x sentence) {
	t := s.str(x)
	at := s.passage(x)
	if r.p.Opening == nil && r.f.Open.MatchString(t) {
		r.p.Opening = &Moment{Passage: at}
		if r.begin != nil {
			r.p.Opening.Time = r.begin.Time
		}
	}
	if r.result(s, x) {
		r.said = ""
	}
	if r.won != nil {
		if r.decide(s, x) {
			r.won = nil
			return
		}
		if r.age++; r.age > 2 && r.won.Result != "numbers" {
			r.won = nil
		}
	}
	r.amended(s, x, t)
	r.calls(t)
	r.said += t
	r.tabled(s, x, t)
	if at := r.f.Election.FindStringSubmatchIndex(t); at != nil {
		if !r.hasElection(t[at[2]:at[3]]) {
			r.addItem(t[at[2]:at[3]], 0, s.span(s.Order, x.from+at[2], x.from+at[3]))
		}
	}
	r.unlisted(s, x, t)
	r.subject(t)
	r.phases(s, t, at)
	r.asks(s, x, t)
}

// examined is what stands before the name of a bill that a committee has dealt with.
var examined = regexp.MustCompile(`[^、]*?審査を終了(?:した|する予定の)`)

// unlisted adds the items that only the question to the house names.
func (r *reader) unlisted(s *speech, x sentence, t string) {
	if at := r.f.Appoint.FindStringSubmatchIndex(t); at != nil {
		i := r.addItem(t[at[2]:at[3]], 0, s.span(s.Order, x.from+at[2], x.from+at[3]))
		r.vote = []int{i}
	}
	if !r.order {
		return
	}
	if at := r.f.Matter.FindStringSubmatchIndex(t); at != nil && len(r.about(t)) == 0 {
		if same, _ := r.same(t); len(same) == 0 {
			r.addItem(t[at[2]:at[3]], 0, s.span(s.Order, x.from+at[2], x.from+at[3]))
		}
	}
	if at := r.f.Urgent.FindStringSubmatchIndex(t); at != nil {
		r.urgent = r.addItem(examined.ReplaceAllString(t[at[2]:at[3]], "")+"の緊急上程", 0, s.span(s.Order, x.from+at[2], x.from+at[3]))
	}
}

// hasElection tells whether an item is the election, or one of several, that a chair
// speaks of.
func (r *reader) hasElection(name string) bool {
	office, _, _ := strings.Cut(name, "の")
	return slices.ContainsFunc(r.p.Items, func(it Item) bool {
		return (it.Kind == "election" || it.Kind == "personnel") && strings.Contains(it.Name, office)
	})
}

// tabled reads a sentence that puts items on the table.
func (r *reader) tabled(s *speech, x sentence, t string) {
	if !r.f.Table.MatchString(t) || strings.Contains(t, "本会議において") || strings.Contains(t, "とした後") {
		return
	}
	items := r.mentioned(t)
	stated := strings.Contains(t, "議題")
	if r.f.Rider.MatchString(t) || strings.Contains(t, "動議") && len(items) == 0 {
		return
	}
	if len(items) == 0 && (stated || (strings.Contains(t, "趣旨") || strings.Contains(t, "件についてお諮り") || strings.Contains(t, "件につきお諮り")) && !r.order) {
		items = r.newItems(s, x, t)
	}
	if len(items) == 0 || !stated && len(r.topic) > 0 && !anyWeighty(r.p.Items, items) {
		return
	}
	for _, i := range items {
		r.p.Items[i].Passages = append(r.p.Items[i].Passages, s.passage(x))
	}
	r.table(items)
}

func anyWeighty(all []Item, items []int) bool {
	return slices.ContainsFunc(items, func(i int) bool { return weighty(all[i].Kind) || all[i].Kind == "investigation" })
}

var howMany = regexp.MustCompile(`(両|` + num + `)(?:法律|法)?[案件]`)

// newItems adds the items that a sentence puts on the table and the head does not
// have. If it says how many they are, so many must be found.
func (r *reader) newItems(s *speech, x sentence, t string) []int {
	names := r.f.names(t, false)
	if !r.f.adds(t, names) {
		return nil
	}
	var items []int
	last := 0
	for _, n := range names {
		it := r.f.item(t[n.from:n.to])
		before := t[last:n.from]
		last = n.to
		if r.listed && (it.Kind == "report" || it.Kind == "other") || shared(r.p.Items, it.Name) || !weighty(it.Kind) && it.Kind != "investigation" && it.Kind != "report" && !strings.HasSuffix(it.Name, "に関する件") && !(strings.HasSuffix(it.Name, "の件") && strings.Contains(t, "お諮り")) {
			continue
		}
		had := len(r.p.Items)
		if i := r.addItem(t[n.from:n.to], 0, s.span(s.Order, x.from+n.from, x.from+n.to)); i >= 0 && !slices.Contains(items, i) {
			if i == had && r.p.Items[i].Origin == "" && strings.Contains(before, "提出") {
				r.p.Items[i].Origin = originOf(before)
			}
			items = append(items, i)
			if strings.Contains(t[n.from:n.to], "（いずれも") {
				for _, other := range items {
					if o := &r.p.Items[other]; o.Origin == "" {
						o.Origin = r.p.Items[i].Origin
					}
				}
			}
		}
	}
	return items
}

// adds tells whether a sentence that says how many items there are names so many.
func (f *Forms) adds(t string, names []found) bool {
	unique := map[string]bool{}
	for _, n := range names {
		unique[f.item(t[n.from:n.to]).Name] = true
	}
	stated := howMany.FindAllStringSubmatch(t, -1)
	for _, m := range stated {
		n, ok := number(m[1])
		if m[1] == "両" {
			n, ok = 2, true
		}
		if ok && (n == len(unique) || n == len(names)) {
			return true
		}
	}
	return len(stated) == 0 || len(unique) < 2
}

// shared tells whether a name is a part of one that is there, or the other way round.
func shared(items []Item, name string) bool {
	return slices.ContainsFunc(items, func(it Item) bool {
		return it.Name != name && (strings.Contains(it.Name, name) || strings.Contains(name, it.base))
	})
}

// subject reads what is voted on.
func (r *reader) subject(t string) {
	if !strings.Contains(t, "採決") && !strings.Contains(t, "賛成") && !strings.Contains(t, "お諮り") && !strings.Contains(t, "賛否") {
		return
	}
	items := r.about(t)
	switch {
	case strings.Contains(t, "修正部分を除") || strings.Contains(t, "原案について") || strings.Contains(t, "原案の採決"):
		r.amendment = -1
		if len(items) > 0 {
			r.vote = items
		}
	case r.f.Rider.MatchString(t):
		r.rider = len(r.p.Resolutions) - 1
	case (strings.Contains(t, "修正案") || strings.Contains(t, "編成替え")) && !strings.Contains(t, "及びこれに対する") && !strings.Contains(t, "並びに"):
		if i := r.amendmentIn(t); i >= 0 || strings.Contains(t, "提出") {
			r.amendment = i // or one that was explained in another meeting
		}
		if len(items) > 0 && strings.Contains(t, "修正案") {
			r.vote = items
		}
	case len(items) > 0:
		r.vote = items
		if strings.Contains(t, "採決") {
			r.amendment = -1
		}
	}
}

// amendmentIn finds the amendment that a sentence names by its mover; with only one
// there, it is that one.
func (r *reader) amendmentIn(t string) int {
	best := -1
	for i := range r.p.Amendments {
		a := &r.p.Amendments[i]
		for _, name := range []string{a.mover, a.By, surname(a.By, t)} {
			if name != "" && strings.Contains(t, name) {
				best = i
			}
		}
	}
	if best < 0 && len(r.p.Amendments) == 1 && !strings.Contains(t, "提出") {
		return 0
	}
	return best
}

// surname is the beginning of a name that stands before 君 in a text: 「田村君提出の修正案」.
func surname(name, t string) string {
	runes := []rune(name)
	for n := len(runes) - 1; n > 0; n-- {
		if part := string(runes[:n]); strings.Contains(t, part+"君") || strings.Contains(t, part+"さん") {
			return part
		}
	}
	return ""
}

// phases reads what comes next.
func (r *reader) phases(s *speech, t string, at Passage) {
	f := r.f
	switch {
	case f.Rider.MatchString(t) && (strings.Contains(t, "動議") || strings.Contains(t, "付すべし") || strings.Contains(t, "提出されて")) && !strings.Contains(t, "認め"):
		r.phase, r.asker, r.riderOn = "rider", nil, ""
		if items := r.mentioned(t); len(items) == 1 {
			r.riderOn = r.p.Items[items[0]].Name
		}
	case f.Amend.MatchString(t) && !strings.Contains(t, "撤回の申出") && !strings.Contains(t, "撤回を"):
		r.phase, r.asker = "amend", nil
		r.movers(t, at)
	case r.order && (strings.Contains(t, "本会議") || strings.Contains(t, "議事の順序")):
	case f.Explain.MatchString(t) && (strings.Contains(t, "求め") || strings.Contains(t, "聴取") || strings.Contains(t, "聞") || strings.Contains(t, "弁明を許し")) && !strings.Contains(t, "終") && !strings.Contains(t, "出席") && !strings.Contains(t, "既に"):
		if r.phase != "rider" && r.phase != "amend" {
			r.phase, r.asker = "explain", nil
		}
	case strings.Contains(t, "所信") && (strings.Contains(t, "聴取") || strings.Contains(t, "求められ") || strings.Contains(t, "許します")) && !strings.Contains(t, "質疑") && !strings.Contains(t, "質問"):
		r.phase, r.asker = "address", nil
	case f.Report.MatchString(t) && strings.Contains(t, "求め"):
		r.phase, r.asker = "report", nil
	case f.QuestionsOff.MatchString(t) || f.DebateOff.MatchString(t) && !f.DebateOn.MatchString(t):
		r.phase, r.asker = "", nil
		if strings.Contains(t, "君の") || strings.Contains(t, "さんの") || strings.Contains(t, "君に対する") {
			r.phase = "question"
		}
	case f.DebateOn.MatchString(t) && !strings.Contains(t, "ありません") && !strings.Contains(t, "省略") && !strings.Contains(t, "ないよう"):
		r.phase, r.asker = "debate", nil
		if items := r.mentioned(t); len(items) > 0 {
			r.vote = items
		}
	case f.Hear.MatchString(t):
		r.phase, r.asker = "hear", nil
	case f.Questions.MatchString(t):
		r.phase = "question"
	case strings.Contains(t, "発言を求められ") && r.phase != "question" && r.phase != "rider" && r.phase != "amend":
		r.phase, r.asker = "", nil
	}
}

var movedBy = regexp.MustCompile(`([^、。]{2,20}?)(?:君|さん)(?:外` + num + `名)?から[、]?`)

// movers notes who brings in the amendments that a sentence tells of.
func (r *reader) movers(t string, at Passage) {
	for _, m := range movedBy.FindAllStringSubmatch(t, -1) {
		name := m[1]
		for _, cut := range []string{"また、", "この際、", "本案に対し、", "に対し"} {
			if i := strings.LastIndex(name, cut); i >= 0 {
				name = name[i+len(cut):]
			}
		}
		if i := r.amendmentIn(name); name == "" || i >= 0 && r.p.Amendments[i].mover == name {
			continue
		}
		to := r.topicName()
		if items := r.mentioned(t); len(items) == 1 {
			to = r.p.Items[items[0]].Name
		}
		r.p.Amendments = append(r.p.Amendments, Amendment{To: to, mover: name, Passages: []Passage{at}, Order: -1})
	}
}

func (r *reader) topicName() string {
	if len(r.topic) != 1 && len(r.vote) == 1 {
		return r.p.Items[r.vote[0]].Name
	}
	if len(r.topic) == 0 {
		return ""
	}
	return r.p.Items[r.topic[0]].Name
}

// paperwork is what is left to the chair after a decision, and is none itself.
var paperwork = regexp.MustCompile(`報告書|提出手続|書の作成|字句|参考送付|整理`)

// asks reads a question to the house.
func (r *reader) asks(s *speech, x sentence, t string) {
	for _, m := range r.f.Asks {
		if !m.At.MatchString(t) || m.Name == "recorded" && r.f.Total.MatchString(t) {
			continue
		}
		a := &ask{method: m.Name, amendment: -1, rider: -1, said: r.said}
		if r.ask != nil && r.ask.method == "recorded" && m.Name == "ballot" {
			return // the ballot papers of the same vote
		}
		items := r.about(r.said)
		same, order := r.same(r.said)
		switch {
		case r.urgent >= 0 && strings.Contains(t, "緊急上程するに"):
			a.items = []int{r.urgent}
			r.urgent = -1
		case strings.Contains(t, "動議") && r.rider >= 0 || r.rider >= 0 && r.f.Rider.MatchString(r.said):
			a.rider = r.rider
		case r.amendment >= 0 && (strings.Contains(r.said, "修正") || strings.Contains(r.said, "編成替え")):
			a.amendment = r.amendment
		case strings.Contains(r.said, "修正案") && !strings.Contains(r.said, "修正部分を除") && !strings.Contains(r.said, "原案に") && !strings.Contains(r.said, "及びこれに対する"):
			a.motion = true // on an amendment that nobody explained here
		case strings.Contains(t, "本動議") || strings.Contains(t, "動議に御異議") || strings.Contains(t, "の動議に") || strings.Contains(t, "の動議を"):
			a.motion = true
		case strings.Contains(t, "御一任") && paperwork.MatchString(t):
			a.motion = true
		case strings.Contains(r.said, "撤回") && len(items) > 0:
			a.items = items
		case m.Name != "no_objection" && len(items) > 0:
			a.items = items
		case len(same) > 0:
			a.items = same
		case order:
			a.motion = true
		case len(items) > 0:
			a.items = items
		case r.f.These.MatchString(r.said):
			a.items = r.vote
			if a.items == nil {
				a.items = r.topic
			}
		}
		r.ask, r.won = a, nil
		return
	}
}

// whatOf is what an item of order is about: the office that someone leaves.
var whatOf = regexp.MustCompile(`^.{2,30}?(?:委員長|委員|理事|幹事|議員|裁判員|参考人|会期|委員会)`)

// about are the items that a text names, by name or by their number in the order of
// the day.
func (r *reader) about(t string) []int {
	items := r.mentioned(t)
	if len(items) > 0 {
		return items
	}
	for _, m := range dayNumber.FindAllStringSubmatch(t, -1) {
		n, _ := number(m[1])
		for i := range r.p.Items {
			if r.p.Items[i].day == n && n > 0 && !slices.Contains(items, i) {
				items = append(items, i)
			}
		}
	}
	return items
}

var dayNumber = regexp.MustCompile(`日程第(` + num + `)`)

// amended reads the sentence after the vote on the rest of an amended bill: 「以上の結果、
// 本案は修正議決すべきものと決定いたしました。」.
func (r *reader) amended(s *speech, x sentence, t string) {
	if r.won != nil || !strings.HasPrefix(t, "以上の結果") || !strings.Contains(t, "修正議決") {
		return
	}
	for _, i := range r.last {
		it := &r.p.Items[i]
		it.Amended, it.Proposed, it.Decision = true, r.f.Proposed.MatchString(t), s.passage(x)
		it.Passages = append(it.Passages, it.Decision)
	}
}

// calls notes the office by which a chair calls somebody: 「文教科学委員長小杉りつ君。」.
func (r *reader) calls(t string) {
	name := calls(t)
	if name == "" {
		return
	}
	for _, s := range r.all {
		if office, ok := strings.CutSuffix(name, s.Speaker); ok && s.Speaker != "" && officeEnd.FindString(office) == office && office != "" {
			if r.offices == nil {
				r.offices = map[string]string{}
			}
			r.offices[s.Speaker] = office
			return
		}
	}
}

// same returns the items that a chair's words are about although they do not name
// them, and whether the words are of a kind that is about such items alone.
func (r *reader) same(said string) ([]int, bool) {
	var out []int
	order := false
	for _, pair := range r.f.Same {
		if !pair.Said.MatchString(said) {
			continue
		}
		order = true
		var fits []int
		for i := range r.p.Items {
			it := &r.p.Items[i]
			if !weighty(it.Kind) && it.Outcome == "" && pair.Item.MatchString(it.Name) {
				fits = append(fits, i)
			}
		}
		if len(fits) > 1 { // the one whose office or committee is named, or the next
			named := slices.DeleteFunc(slices.Clone(fits), func(i int) bool {
				what := whatOf.FindString(r.p.Items[i].Name)
				return what == "" || !strings.Contains(said, what)
			})
			if len(named) == 0 {
				named = fits[:1]
			}
			fits = named
		}
		for _, i := range fits {
			if !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out, order
}

// result reads the result of a vote; true if the text states one.
func (r *reader) result(s *speech, x sentence) bool {
	t := s.str(x)
	v := r.f.numbers(t, s.flat[x.to:min(len(s.flat), x.to+1500)])
	if v == nil && x.kind == 's' {
		for _, one := range r.f.Results {
			if at := one.At.FindString(t); at != "" {
				v = &Vote{Method: one.Method, Result: one.Name, Words: at}
				break
			}
		}
	}
	if v == nil {
		return false
	}
	if r.ask == nil {
		if v.Result != "numbers" {
			return false
		}
		r.ask = &ask{items: r.topic, amendment: -1, rider: -1}
	}
	if v.Method == "" || v.Result == "numbers" {
		v.Method = r.ask.method
	}
	if v.Method == "" {
		v.Method = "recorded"
	}
	r.won, r.of, r.ask, r.age = v, r.ask, nil, 0
	return true
}

// numbers reads a count of votes; nil if the text has none that adds up.
func (f *Forms) numbers(t, more string) *Vote {
	at := f.Total.FindStringSubmatchIndex(t)
	if at == nil {
		return nil
	}
	total, ok := number(t[at[2]:at[3]])
	rest := t[at[1]:] + more
	if end := therefore.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	if end := f.Total.FindStringIndex(rest); !ok || end != nil {
		return nil // counted twice, as a correction does
	}
	v := &Vote{Result: "numbers", Total: total}
	yes, no := f.Yes.FindStringSubmatch(rest), f.No.FindStringSubmatch(rest)
	if yes != nil && no != nil {
		var a, b bool
		v.For, a = number(yes[1])
		v.Against, b = number(no[1])
		if !a || !b || v.For+v.Against > total {
			return nil
		}
		return v
	}
	for _, m := range f.Count.FindAllStringSubmatch(rest, -1) {
		if n, ok := number(m[2]); ok {
			v.Counts = append(v.Counts, Count{m[1], n})
		}
	}
	return v
}
