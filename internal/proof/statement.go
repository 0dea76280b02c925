package proof

import (
	"slices"
	"strings"
)

// segment is a part of a sentence that is about what one speaker says.
type segment struct {
	part
	all     []int     // all its words
	people  []*person // who says it; nil if the sentence does not tell
	who     string
	topic   map[int]bool // words that only say what it is about: …について
	asks    bool
	replies bool
}

func (c *checker) lex() *lexicon {
	if c.l.lang == "ja" {
		return japaneseLexicon()
	}
	return englishLexicon()
}

// segments cuts the sentence where another speaker begins.
func (c *checker) segments() []segment {
	var starts []int // words
	var subjects []mention
	var also []*person // who is said to say it too
	for _, m := range c.mentions {
		if !m.subject || len(m.people) == 0 || !c.speaks(m) {
			continue
		}
		if len(subjects) > 0 && slices.Equal(subjects[len(subjects)-1].people, m.people) {
			continue
		}
		if joint := c.joined(m); joint != nil {
			also = append(also, joint.people[0])
		}
		for i := range c.l.words {
			if c.l.words[i].span.from >= m.span.from {
				starts = append(starts, i)
				subjects = append(subjects, m)
				break
			}
		}
	}
	var out []segment
	if len(starts) == 0 {
		s := segment{}
		if c.sentence.Speaker != "" {
			if p := c.record.find(c.sentence.Speaker); p != nil {
				s.people, s.who = []*person{p}, p.full
			}
		}
		c.fill(&s, 0, len(c.l.words))
		return append(out, s)
	}
	for k := range starts {
		from, to := starts[k], len(c.l.words)
		if k == 0 {
			from = c.afterOther(subjects[0])
		}
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		s := segment{people: subjects[k].people, who: subjects[k].people[0].full}
		c.fill(&s, from, to)
		out = append(out, s)
	}
	for _, p := range also {
		s := out[0]
		s.people, s.who = []*person{p}, p.full
		out = append(out, s)
	}
	return out
}

// joined finds whoever is named with the subject: AとBは, A and B said.
func (c *checker) joined(m mention) *mention {
	for i := range c.mentions {
		o := &c.mentions[i]
		if o.span.to > m.span.from || len(o.people) == 0 || !c.speaks(*o) {
			continue
		}
		between := strings.TrimSpace(c.l.string(span{o.span.to, m.span.from}))
		if between == "と" || between == "、" || between == "and" || between == "・" || between == "" && strings.HasSuffix(o.text, "と") {
			return o
		}
	}
	return nil
}

// afterOther is where the words of the first speaker begin: behind another who is named before, as in
// 再開を提案した岩崎氏に、和田大臣は….
func (c *checker) afterOther(first mention) int {
	from := 0
	for _, m := range c.mentions {
		if m.span.to > first.span.from || m.subject || len(m.people) == 0 || c.l.lang != "ja" || c.joined(first) != nil {
			continue
		}
		rest := c.l.string(span{m.span.to, first.span.from})
		if strings.HasPrefix(rest, "に") || strings.HasPrefix(rest, "へ") {
			for i := range c.l.words {
				if c.l.words[i].span.to <= first.span.from {
					from = i + 1
				}
			}
		}
	}
	return from
}

// speaks tells whether a mention is of somebody who speaks in what is cited.
func (c *checker) speaks(m mention) bool {
	for _, src := range c.cited {
		for _, p := range m.people {
			if slices.Contains(p.orders, src.Order) {
				return true
			}
		}
	}
	return false
}

func (c *checker) fill(s *segment, from, to int) {
	lex := c.lex()
	s.l = c.l
	s.topic = map[int]bool{}
	for i := from; i < to; i++ {
		w := &c.l.words[i]
		s.all = append(s.all, i)
		if w.asked || lex.ask[w.base] {
			s.asks = true
		}
		switch w.base {
		case "答える", "答弁", "回答", "応じる", "answer", "repli", "reply", "respond":
			s.replies = true
		}
		if t := w.text; strings.HasPrefix(t, "について") || strings.HasPrefix(t, "に関") || strings.HasPrefix(t, "に対") || t == "めぐり" || t == "めぐる" || t == "めぐって" || t == "巡り" || t == "巡る" {
			for j := from; j < i; j++ {
				s.topic[j] = true
			}
		}
		if w.kind != content && w.kind != name || c.inMentionOf(w.span) {
			continue
		}
		s.words = append(s.words, i)
	}
	if len(s.all) == 0 {
		return
	}
	for _, q := range c.l.quantities {
		if c.within(s, q.span) {
			s.quantities = append(s.quantities, q)
		}
	}
	for _, d := range c.l.moments {
		if c.within(s, d.span) {
			s.moments = append(s.moments, d)
		}
	}
}

func (c *checker) within(s *segment, sp span) bool {
	from, to := c.l.words[s.all[0]].span.from, c.l.words[s.all[len(s.all)-1]].span.to
	return sp.from >= from && sp.to <= to
}

func (c *checker) text(s *segment) string {
	return c.l.string(span{c.l.words[s.all[0]].span.from, c.l.words[s.all[len(s.all)-1]].span.to})
}

func (c *checker) statements() {
	for _, s := range c.segments() {
		if len(s.all) > 0 {
			c.segment(&s)
		}
	}
	for _, m := range c.mentions {
		if m.subject && m.named && len(m.people) > 0 && !c.speaks(m) && !strings.Contains(c.hay, bare(m.people[0].family)) {
			c.add(Speaker, m.text, Contradicted, because("speaker_absent", m.people[0].full), nil)
		}
	}
}

// of returns the lines of those who are said to speak, or all.
func (c *checker) of(people []*person) (own, others []*line) {
	for _, l := range c.lines {
		mine := len(people) == 0
		for _, p := range people {
			if slices.Contains(p.orders, l.source.Order) {
				mine = true
			}
		}
		if mine {
			own = append(own, l)
		} else {
			others = append(others, l)
		}
	}
	return own, others
}

func (c *checker) segment(s *segment) {
	own, others := c.of(s.people)
	mine := align(&s.part, own)
	if len(others) > 0 && len(s.people) > 0 && !c.speaker(s, own, others) {
		return
	}
	if !c.covered(s, mine) {
		return
	}
	c.predicates(s, mine)
	c.conditions(s, mine)
}

// margin is how much better another's words must fit before they are taken for the source.
const margin = 1.0

// speaker checks that those who are said to speak say it, and not others. It reports whether to go on.
func (c *checker) speaker(s *segment, own, others []*line) bool {
	asks := func(l *line) bool { return l.question }
	if c.asksAtEnd(s) && !s.replies && !slices.ContainsFunc(own, asks) && slices.ContainsFunc(others, asks) {
		c.add(Speaker, c.text(s), Contradicted, because("speaker_asks", s.who), nil)
		return false
	}
	// Each clause by itself: one may be another's.
	wrong, right := 0.0, 0.0
	other := ""
	for _, p := range s.clauses() {
		mine, theirs := align(&p, own), align(&p, others)
		m, t := mine.topScore(), theirs.topScore()
		if t >= m+margin && m < 0.7*p.most() {
			wrong += t
			other = others[theirs.top()].source.Speaker
		} else {
			right += m
		}
	}
	switch {
	case wrong > 0 && right <= wrong/2:
		c.add(Speaker, c.text(s), Contradicted, because("speaker_other", s.who, other), nil)
		return false
	case wrong > 0:
		c.add(Merged, c.text(s), Contradicted, because("merged", s.who, other), nil)
		return false
	}
	c.add(Speaker, s.who, Supported, because("found"), nil)
	return true
}

// clauses are the parts of a segment by clause, without words that only say what it is about. Small ones go with the
// one before.
func (s *segment) clauses() []part {
	var out []part
	last := -1
	add := func(clause int, grow func(p *part)) {
		if last != clause && (len(out) == 0 || out[len(out)-1].size() >= 2) {
			out = append(out, part{l: s.l})
		}
		last = clause
		grow(&out[len(out)-1])
	}
	for _, wi := range s.words {
		if !s.topic[wi] {
			add(s.l.words[wi].clause, func(p *part) { p.words = append(p.words, wi) })
		}
	}
	for _, q := range s.quantities {
		for i := range out {
			if len(out[i].words) > 0 && s.l.words[out[i].words[len(out[i].words)-1]].clause >= s.l.clauseAt(q.span.from) || i == len(out)-1 {
				out[i].quantities = append(out[i].quantities, q)
				break
			}
		}
	}
	for _, d := range s.moments {
		for i := range out {
			if len(out[i].words) > 0 && s.l.words[out[i].words[len(out[i].words)-1]].clause >= s.l.clauseAt(d.span.from) || i == len(out)-1 {
				out[i].moments = append(out[i].moments, d)
				break
			}
		}
	}
	return out
}

// asksAtEnd tells whether the segment itself is told as a question, not just speaks of one.
func (c *checker) asksAtEnd(s *segment) bool {
	if c.l.lang == "en" {
		return slices.ContainsFunc(s.all, func(i int) bool {
			switch c.l.words[i].base {
			case "ask", "question", "wonder", "inquir", "enquir", "query":
				return !c.inQuote(c.l.words[i].span)
			}
			return false
		})
	}
	n := 0
	for i := len(s.all) - 1; i >= 0 && n < 8; i-- {
		if w := c.l.words[s.all[i]]; c.lex().ask[w.base] {
			return true
		}
		n++
	}
	return false
}

// leastCover is the share of a sentence's words that must be found.
const leastCover = 0.34

// covered checks that the passages speak of what the sentence speaks of.
func (c *checker) covered(s *segment, mine *alignment) bool {
	sum, n := 0.0, 0.0
	for k, wi := range s.words {
		w := &c.l.words[wi]
		if c.inQuote(w.span) || w.generic || jaGroups[w.base] {
			continue
		}
		n++
		v := mine.cover(k)
		if v == 0 && (strings.Contains(c.hay, bare(w.text)) || c.hayWords[w.base] || c.l.lang == "ja" && c.pieces(w.text) || strings.Contains(c.before, bare(w.text))) {
			v = kindred
		}
		sum += v
	}
	for k := len(s.words); k < s.size(); k++ { // figures and times say more than words
		n += atomWeight
		sum += mine.cover(k)
	}
	if len(c.quoted) > 0 && n <= 2 {
		n = 0 // the quotation says it all
	}
	if n > 0 && sum/n < leastCover {
		c.add(Statement, c.text(s), NotFound, because("statement"), nil)
		return false
	}
	var where *Place
	if top := mine.top(); top >= 0 {
		where = at(mine.lines[top], mine.lines[top].span)
	} else if s.size() > 0 && len(c.quoted) == 0 {
		c.add(Statement, c.text(s), NotFound, because("statement"), nil)
		return false
	}
	c.add(Statement, c.text(s), Supported, because("found"), where)
	return true
}

// candidate is a word of a passage that may be what a word of the sentence is from.
type candidate struct {
	l       *line
	v       *word
	score   float64
	opposed bool
	exact   bool
}

func (c *checker) candidates(w *word, s *segment, mine *alignment) []candidate {
	var out []candidate
	for i, l := range mine.lines {
		if mine.total[i] == 0 {
			continue
		}
		for j := range l.words {
			v := &l.words[j]
			if !v.pred && v.axes == nil && (w.base != v.base || c.l.lang == "ja") {
				continue
			}
			strength, opposed := match(w, v)
			if strength < synonym {
				continue
			}
			out = append(out, candidate{l, v, mine.near(i) + 0.6*s.inClause(l, v.clause) + strength, opposed, strength == exact})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	// The word itself says more than one like it.
	if i := slices.IndexFunc(out, func(x candidate) bool { return x.exact }); i >= 0 && out[i].score >= out[0].score-1 {
		out = slices.DeleteFunc(out, func(x candidate) bool { return !x.exact })
	}
	return out
}

// slack is how much worse a passage may fit and still speak for the sentence.
const slack = 0.8

// predicates checks of each verb whether the passage denies it, asks it, or only plans it.
func (c *checker) predicates(s *segment, mine *alignment) {
	asked, told := 0, 0
	denied := false // a denial of the sentence was held against a word of the passages
	compared := false
	hinted := c.hinted(s)
	for _, wi := range s.words {
		w := &c.l.words[wi]
		if !w.pred || c.inQuote(w.span) || c.lex().say[w.base] && !w.negated {
			continue
		}
		list := c.candidates(w, s, mine)
		if w.negated && (c.lex().say[w.base] || c.lex().ask[w.base]) && !slices.ContainsFunc(list, func(x candidate) bool { return x.exact && x.v.negated }) && !c.lackingNear(mine, max(0, mine.top())) {
			c.add(Polarity, w.text, NotFound, because("polarity_unclear"), nil)
		}
		if len(list) == 0 {
			if slices.ContainsFunc(w.axes, func(a axis) bool { return a.result && !c.resultBefore(a) }) && (c.l.lang == "ja" && !strings.HasSuffix(w.base, "い") && !strings.HasPrefix(w.base, "広") && !strings.HasPrefix(w.base, "縮") || w.force == happened) {
				c.add(Outcome, w.text, NotFound, because("outcome_absent", w.text), nil)
			} else if c.lex().forces[w.base] == decided && !w.asked && w.force == happened && !c.settled(mine) {
				c.add(Plan, w.text, NotFound, because("plan_done"), nil)
			}
			continue
		}
		good := list[:0:0]
		for _, cand := range list {
			if cand.score >= list[0].score-slack {
				good = append(good, cand)
			}
		}
		compared = true
		if w.negated {
			denied = true
		}
		c.polarity(w, good)
		if slices.ContainsFunc(good, func(x candidate) bool { return !x.v.asked }) {
			told++
		} else {
			asked++
		}
		c.force(w, c.firm(list), hinted)
	}
	c.mood(s, mine, asked, told, denied, compared, hinted)
}

// resultBefore tells whether the passages before those that are cited give a result.
func (c *checker) resultBefore(a axis) bool {
	for w, axes := range c.lex().axes {
		if slices.Contains(axes, a) && len(w) > 3 && strings.Contains(c.before, w) {
			return true
		}
	}
	return false
}

// firm leaves of the candidates those that fit best, and those that tell the same word as done anywhere.
func (c *checker) firm(list []candidate) []candidate {
	best := list[0]
	return slices.DeleteFunc(slices.Clone(list), func(x candidate) bool {
		done := x.v.force >= decided && x.v.force != noForce && !x.v.asked
		return x.score < best.score-slack && !(done && (x.score >= 0.5*best.score || x.l.source == best.l.source && x.exact))
	})
}

// settled tells whether a passage speaks of a decision at all.
func (c *checker) settled(a *alignment) bool {
	lex := c.lex()
	for _, l := range a.lines {
		for i := range l.words {
			w := &l.words[i]
			f, known := lex.forces[w.base]
			if known && f == decided && w.force > planned && !w.asked || w.force == happened && slices.ContainsFunc(w.axes, func(a axis) bool { return a.result }) {
				return true
			}
		}
	}
	return false
}

// mood compares the sentence as a whole with the clause that it is from.
func (c *checker) mood(s *segment, mine *alignment, asked, told int, denied, compared bool, hinted force) {
	top := mine.top()
	if top < 0 {
		return
	}
	l := mine.lines[top]
	clause, score := s.clauseOf(l)
	no := l.denials(clause)
	own := c.denials(s)
	if first := l.source.read().lines[0]; own == 0 && l.lang == "en" && !c.lacking(c.l, l) && len(first.words) <= 3 && strings.EqualFold(first.words[0].text, "no") && !s.asks {
		c.add(Polarity, c.text(s), NotFound, because("polarity_unclear"), at(first, first.span))
	}
	where := at(l, l.span)
	switch {
	case own > 0 && !denied && l.denials(-1) == 0 && !c.lackingNear(mine, top) && !(c.l.lang == "ja" && c.deniedNear(mine, top)):
		c.add(Polarity, c.text(s), NotFound, because("polarity_unclear"), where)
	case own > 0 && own%2 == 0 && !compared && no%2 == 1:
		c.add(Polarity, c.text(s), NotFound, because("polarity_unclear"), where)
	case own == 0 && len(c.quoted) == 0 && !c.lacking(c.l, l) && no%2 == 1 && score >= 0.5*mine.found() && !c.undenied(s, mine, top):
		c.add(Polarity, c.text(s), NotFound, because("polarity_unclear"), where)
	}
	if f := l.marks[clause]; (f <= planned || l.toCome(clause)) && hinted > planned && score >= 0.4*mine.found() && c.told(s) == happened && !c.done(s, mine, top) {
		c.add(Plan, c.text(s), NotFound, because("plan_done"), where)
	}
	if f := l.marks[clause]; f == wished && hinted == planned && score >= 0.4*mine.found() && c.promises(s) && !c.done(s, mine, top) {
		c.add(Plan, c.text(s), NotFound, because("plan"), where)
	}
	if s.asks || c.demands(s) && l.wishes(clause) {
		return
	}
	if asked > told || c.endAsked(s, l) || l.asks(clause) && score >= 0.4*s.most() && !c.stated(s, mine, top) {
		c.add(Question, c.text(s), Contradicted, because("question"), where)
	}
}

// toCome tells whether a clause names a time after the record's day.
func (l *line) toCome(clause int) bool {
	ref := l.source.record.day
	if ref.IsZero() {
		return false
	}
	for _, m := range l.moments {
		if l.clauseAt(m.span.from) != clause || m.week != 0 {
			continue
		}
		year, month := m.year, m.month
		if year == 0 {
			year = ref.Year()
		}
		switch m.season {
		case "春", "spring":
			month = 3
		case "夏", "summer":
			month = 6
		case "秋", "autumn":
			month = 9
		case "冬", "winter":
			month = 12
		}
		if year > ref.Year() || year == ref.Year() && (month > int(ref.Month()) || month == int(ref.Month()) && m.day > ref.Day()) {
			return true
		}
	}
	return false
}

// promises tells whether a segment speaks of a promise or of a thing that is settled to come.
func (c *checker) promises(s *segment) bool {
	for _, i := range s.all {
		switch c.l.words[i].base {
		case "約束", "公約", "予定", "確約", "promis", "pledg", "commit", "guarante":
			return true
		}
	}
	return false
}

// told is how firmly a segment says what it says in the end.
func (c *checker) told(s *segment) force {
	lex := c.lex()
	best := noForce
	for _, i := range s.words {
		w := &c.l.words[i]
		if !w.pred || lex.say[w.base] || lex.ask[w.base] || lex.act[w.base] || c.inQuote(w.span) {
			continue
		}
		if c.l.lang == "ja" {
			best = w.force // the last counts
		} else if w.force == happened {
			best = happened
		}
	}
	if n := len(s.all); c.l.lang == "ja" && n > 3 { // 半額にした, 352人とした
		end := s.all[n-1]
		for end > 0 && (c.l.words[end].text == "。" || c.l.words[end].text == " ") {
			end--
		}
		if c.l.words[end].text == "た" && c.l.words[end-1].base == "する" && (c.l.words[end-2].text == "に" || c.l.words[end-2].text == "と" && c.l.words[end-3].kind != function) {
			return happened
		}
	}
	return best
}

// done tells whether another line fits as well and tells it as done.
func (c *checker) done(s *segment, a *alignment, top int) bool {
	for i, l := range a.lines {
		if i == top || a.near(i) < max(a.near(top)-slack, 0.6*a.near(top)) {
			continue
		}
		if clause, _ := s.clauseOf(l); l.marks[clause] > planned {
			return true
		}
	}
	return false
}

// denials counts what denies in a clause of a line, or in all of it.
func (l *line) denials(clause int) int {
	n := 0
	for _, i := range l.denies {
		if clause < 0 || l.words[i].clause == clause {
			n++
		}
	}
	return n
}

// asks tells whether what a clause says in the end is asked.
func (l *line) asks(clause int) bool {
	for i := len(l.words) - 1; i >= 0; i-- {
		if w := &l.words[i]; w.clause == clause && (w.kind != function || w.pred) {
			return w.asked
		}
	}
	return false
}

// wishes tells whether a clause demands or proposes something.
func (l *line) wishes(clause int) bool {
	for i := range l.words {
		if l.words[i].clause == clause && l.words[i].force == wished {
			return true
		}
	}
	return false
}

func (c *checker) denials(s *segment) int {
	n := 0
	for _, i := range c.l.denies {
		if slices.Contains(s.all, i) && !c.inQuote(c.l.words[i].span) {
			n++
		}
	}
	return n
}

// deniedNear tells whether another line of the passage that speaks of it denies something.
func (c *checker) deniedNear(a *alignment, top int) bool {
	for i, l := range a.lines {
		if i != top && l.source == a.lines[top].source && a.total[i] > 0 && l.denials(-1) > 0 {
			return true
		}
	}
	return false
}

// undenied tells whether another line fits as well and denies nothing.
func (c *checker) undenied(s *segment, a *alignment, top int) bool {
	for i, l := range a.lines {
		if i == top || a.near(i) < a.near(top)-0.3 {
			continue
		}
		if clause, _ := s.clauseOf(l); l.denials(clause)%2 == 0 {
			return true
		}
	}
	return false
}

// endAsked tells whether the word that a Japanese sentence ends in, which carries what it says, is only asked in the
// passage.
func (c *checker) endAsked(s *segment, l *line) bool {
	if c.l.lang != "ja" {
		return false
	}
	for i := len(s.words) - 1; i >= 0; i-- {
		w := &c.l.words[s.words[i]]
		if c.lex().say[w.base] || w.generic && !w.pred || c.inQuote(w.span) {
			continue
		}
		places := 0
		for j := range l.words {
			if m, opposed := match(w, &l.words[j]); m >= synonym && !opposed {
				if !l.words[j].asked {
					return false
				}
				places++
			}
		}
		return places > 0
	}
	return false
}

// stated tells whether another line fits as well and asks nothing.
func (c *checker) stated(s *segment, a *alignment, top int) bool {
	for i, l := range a.lines {
		if i == top || a.near(i) < a.near(top)-slack {
			continue
		}
		if clause, _ := s.clauseOf(l); !l.asks(clause) {
			return true
		}
	}
	return false
}

func (c *checker) polarity(w *word, good []candidate) {
	differs := func(x candidate) bool { return (w.negated != x.v.negated) != x.opposed }
	// 可決するに賛成の諸君の起立を求めます asks for what may then be refused: what was done counts more.
	if w.force >= said && w.force != noForce && slices.ContainsFunc(good, func(x candidate) bool { return x.v.force >= decided && x.v.force != noForce && !x.v.asked }) {
		good = slices.DeleteFunc(slices.Clone(good), func(x candidate) bool { return x.v.force == wished || x.v.asked })
	}
	i := slices.IndexFunc(good, func(x candidate) bool { return !differs(x) })
	if i < 0 && len(good) > 0 {
		x := good[0]
		class, why := Polarity, because("polarity", x.v.text)
		if x.opposed {
			class, why = Outcome, because("outcome", w.text, x.v.text)
		}
		verdict := Contradicted
		switch {
		case x.opposed && w.negated == x.v.negated: // a plain opposite
		case c.lacks(w, x):
			return // a denial in other words
		case !x.exact && !x.opposed, w.negated && c.lacking(x.l, c.l), !w.negated && c.lacking(c.l, x.l):
			verdict = NotFound // another word for it, or perhaps a denial in other words
		}
		c.add(class, w.text, verdict, why, at(x.l, x.l.span))
		return
	}
	if i < 0 {
		return
	}
	class := Polarity
	if w.axes != nil {
		class = Outcome
	}
	c.add(class, w.text, Supported, because("found"), at(good[i].l, good[i].v.span))
}

// lacks tells whether the side that does not deny a word plainly denies it by another word, which the other side does not
// have.
func (c *checker) lacks(w *word, x candidate) bool {
	lex := c.lex()
	l, of, other := c.l, w, x.l
	if w.negated {
		l, of, other = x.l, x.v, c.l
	}
	place := slices.IndexFunc(l.words, func(v word) bool { return v.span == of.span })
	for i := range l.words {
		v := &l.words[i]
		near := i < place && place-i < reach // what governs a word stands before it
		switch strings.ToLower(v.text) {
		case "only", "without", "unless", "except":
			near = true
		}
		if l.lang == "ja" {
			near = i > place && i-place < 2*reach // or behind it
		}
		if near && (v.clause == of.clause || l.lang == "ja") && (lex.lacking[v.base] || lex.lacking[strings.ToLower(v.text)]) && !slices.ContainsFunc(other.words, func(o word) bool { return o.base == v.base }) {
			return true
		}
	}
	return false
}

// reach is how far, in words, a word can be from what it denies.
const reach = 8

// lacking tells whether a line denies something without saying no, by a word that the other does not have.
func (c *checker) lacking(l, other *line) bool {
	lex := c.lex()
	for i := range l.words {
		w := &l.words[i]
		if (lex.lacking[w.base] || lex.lacking[strings.ToLower(w.text)]) && !slices.ContainsFunc(other.words, func(v word) bool { return v.base == w.base }) {
			return true
		}
	}
	return false
}

func (c *checker) lackingNear(a *alignment, top int) bool {
	for i, l := range a.lines {
		if (i == top || l.source == a.lines[top].source && a.total[i] >= 0.4*a.total[top]) && c.lacking(l, c.l) {
			return true
		}
	}
	return false
}

// hinted tells whether a segment has words that speak of plans, also weak ones.
func (c *checker) hinted(s *segment) force {
	lex := c.lex()
	best := noForce
	for _, i := range s.all {
		w := &c.l.words[i]
		for _, key := range []string{w.base, strings.ToLower(w.text)} {
			if f, ok := lex.forces[key]; ok {
				best = min(best, f)
			}
			if f, ok := lex.hints[key]; ok && (key != "to" || c.aheadTo(s, i)) {
				best = min(best, f)
			}
		}
	}
	return best
}

// aheadTo tells of "to" that speaks of what is to come: "is to close", or a headline's "Council to close pool".
func (c *checker) aheadTo(s *segment, i int) bool {
	if i > 0 {
		switch strings.ToLower(c.l.words[i-1].text) {
		case "is", "are", "was", "were", "set", "due", "about", "likely", "expected", "yet", "hopes", "plans":
			return true
		}
	}
	return c.told(s) != happened
}

func (c *checker) demands(s *segment) bool {
	for _, i := range s.all {
		if c.lex().demand[c.l.words[i].base] {
			return true
		}
	}
	return false
}

func (c *checker) force(w *word, good []candidate, hinted force) {
	tooFirm := func(x candidate) (bool, string) {
		if c.lex().act[x.v.base] || x.v.asked {
			return false, ""
		}
		switch x.v.force {
		case wished:
			return w.force == happened || w.force >= said && w.force != noForce && hinted > planned, "plan"
		case planned:
			return w.force >= decided && w.force != noForce && (x.exact || hinted > planned), "plan_done"
		}
		return false, ""
	}
	for _, x := range good {
		if firm, _ := tooFirm(x); !firm {
			return
		}
	}
	_, key := tooFirm(good[0])
	c.add(Plan, w.text, Contradicted, because(key), at(good[0].l, good[0].l.span))
}

// conditions checks that what the passage makes it depend on is not left out.
func (c *checker) conditions(s *segment, mine *alignment) {
	top := mine.top()
	if top < 0 || len(c.l.conditions) > 0 || c.conditional(s) {
		return
	}
	if mine.lines[top].question != s.asks { // of lines that fit alike, the one that asks is the source of a question
		for i, l := range mine.lines {
			if l.question == s.asks && mine.near(i) >= mine.near(top)-slack {
				top = i
				break
			}
		}
	}
	l := mine.lines[top]
	for _, cond := range l.conditions {
		from, to := l.words[cond.from].span.from, l.words[cond.to].span.to
		inside, total := 0.0, 0.0
		for j := cond.from; j <= cond.to; j++ {
			v := &l.words[j]
			if v.kind == function || v.kind == figure {
				continue
			}
			total++
			for _, wi := range s.words {
				if m, _ := match(&c.l.words[wi], v); m >= synonym || m >= kindred && !v.generic && !c.l.words[wi].generic {
					inside++
					break
				}
			}
		}
		for _, q := range l.quantities {
			if q.span.from >= from && q.span.to <= to {
				total++
				if slices.ContainsFunc(s.quantities, func(x quantity) bool { return x.same(q) }) {
					inside++
				}
			}
		}
		outside := 0.0
		for k := range s.size() {
			if s.strength(k, l, -1) > 0 {
				outside++
			}
		}
		if outside-inside >= 1 && inside < 0.5*total && mine.near(top) >= 0.4*mine.found() {
			verdict := NotFound
			if outside-inside >= 2 && mine.near(top) >= 0.8*mine.found() {
				verdict = Contradicted
			}
			c.add(Condition, c.text(s), verdict, because("condition", l.string(span{from, to})), at(l, l.span))
			return
		}
	}
}

// conditional tells whether the segment has words that make it depend on something.
func (c *checker) conditional(s *segment) bool {
	for _, i := range s.all {
		w := &c.l.words[i]
		if c.l.lang == "ja" {
			switch w.text {
			case "経":
				if w.base == "経る" {
					return true
				}
			case "場合", "条件", "前提", "限り", "上", "うえ", "限定", "次第", "除く", "除き", "除い", "後", "のち", "たら", "なら", "ば", "まで", "のみ", "だけ", "以外", "踏まえ", "待っ", "もし":
				return true
			}
			continue
		}
		switch t := strings.ToLower(w.text); t {
		case "if":
			if i > 0 {
				switch strings.ToLower(c.l.words[i-1].text) {
				case "know", "asked", "ask", "wondered", "see":
					continue
				}
			}
			return true
		case "should":
			if i == 0 || i+1 < len(c.l.words) && enDeterminer[strings.ToLower(c.l.words[i+1].text)] {
				return true // should the pilot succeed
			}
		case "unless", "provided", "once", "until", "only", "when", "subject", "except", "depending", "conditional", "assuming", "after", "before", "excluding", "pending", "long", "till", "without", "condition", "depends", "apart":
			return true
		}
	}
	return false
}
