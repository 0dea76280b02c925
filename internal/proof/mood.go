package proof

import (
	"slices"
	"strings"
)

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
		if c.verbatim(w) {
			compared, denied, told = true, denied || w.negated, told+1
			continue
		}
		list := c.candidates(w, s, mine)
		if w.negated && (c.lex().say[w.base] || c.lex().ask[w.base]) && c.deniesOutside() && !slices.ContainsFunc(list, func(x candidate) bool { return x.exact && x.v.negated }) && !c.lackingNear(mine, max(0, mine.top())) {
			c.add(Polarity, w.text, NotFound, because("polarity_unclear"), nil)
		}
		if len(list) == 0 {
			if slices.ContainsFunc(w.axes, func(a axis) bool { return a.result && !c.resultBefore(a) }) && w.force == happened {
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
		if !w.arg || w.axes != nil {
			denied = denied || w.negated
			c.polarity(w, good)
		}
		if slices.ContainsFunc(good, func(x candidate) bool { return !x.v.asked }) {
			told++
		} else {
			asked++
		}
		if !w.asked {
			c.force(w, c.firm(list), hinted)
		}
	}
	c.mood(s, mine, asked, told, denied, compared, hinted)
}

// deniesOutside tells whether the sentence denies anything outside of what it quotes.
func (c *checker) deniesOutside() bool {
	return slices.ContainsFunc(c.l.denies, func(i int) bool { return !c.inQuote(c.l.words[i].span) })
}

// resultBefore tells whether the passages before those that are cited give a result.
func (c *checker) resultBefore(a axis) bool {
	for w, axes := range c.lex().axes {
		if slices.Contains(axes, a) && len(w) > 3 && c.before.has(w) {
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
	own := c.denials(s) + c.prefixed(s)
	if first := l.source.read().lines[0]; own == 0 && l.lang == "en" && !c.lacking(c.l, l) && len(first.words) <= 3 && strings.EqualFold(first.words[0].text, "no") && !s.asks {
		c.add(Polarity, c.text(s), NotFound, because("polarity_unclear"), at(first, first.span))
	}
	where := at(l, l.span)
	switch {
	case own > 0 && !denied && l.denials(-1) == 0 && !c.lackingNear(mine, top) && !(c.l.lang == "ja" && c.deniedNear(mine, top)):
		c.add(Polarity, c.text(s), NotFound, because("polarity_unclear"), where)
	case own > 0 && own%2 == 0 && !compared && no%2 == 1:
		c.add(Polarity, c.text(s), NotFound, because("polarity_unclear"), where)
	case own == 0 && len(c.quoted) == 0 && c.close(s, l, clause) && !c.refuses(s) && !s.turned(l, clause) && !c.lacking(c.l, l) && no%2 == 1 && score >= 0.5*mine.found() && !c.undenied(s, mine, top):
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
	if asked > told && l.question || c.endAsked(s, l) || l.asks(clause) && score >= 0.4*s.most() && !c.stated(s, mine, top) {
		c.add(Question, c.text(s), NotFound, because("question"), where)
	}
}

// prefixed counts words that deny what the passages have: unsold, 不十分.
func (c *checker) prefixed(s *segment) int {
	n := 0
	for _, i := range s.words {
		w := strings.ToLower(c.l.words[i].text)
		for _, prefix := range []string{"un", "non", "dis", "in", "不", "未", "非", "無"} {
			if rest, ok := strings.CutPrefix(w, prefix); ok && len(rest) > 3 && (c.words()[stem(rest)] || c.l.lang == "ja" && c.hay.has(rest)) {
				n++
				break
			}
		}
	}
	return n
}

// turned tells whether a clause has the opposite of a word: "no library will close" where all "stay open".
func (s *segment) turned(l *line, clause int) bool {
	n := 0
	for _, i := range s.words {
		for j := range l.words {
			if l.words[j].clause == clause {
				if _, opposed := match(&s.l.words[i], &l.words[j]); opposed {
					n++
				}
			}
		}
	}
	return n%2 == 1
}

// refuses tells whether a segment has a word that denies by itself: 反対, refuse.
func (c *checker) refuses(s *segment) bool {
	return slices.ContainsFunc(s.all, func(i int) bool { return c.lex().negator[c.l.words[i].base] })
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
	if c.l.lang == "en" && best == noForce { // four of them have been in the north
		for k := 1; k < len(s.all); k++ {
			if before := strings.ToLower(c.l.words[s.all[k-1]].text); c.l.words[s.all[k]].text == "been" && (before == "has" || before == "have") {
				return happened
			}
		}
	}
	if n := len(s.all); c.l.lang == "ja" && n > 3 { // 半額にした, 352人とした
		end := s.all[n-1]
		for end > 0 && (c.l.words[end].text == "。" || c.l.words[end].text == " ") {
			end--
		}
		if c.l.words[end].text == "た" && c.l.words[end-1].base == "する" && (c.l.words[end-2].text == "に" || c.l.words[end-2].text == "と" && (c.l.words[end-3].kind != function || c.inFigure(c.l.words[end-3].span))) {
			return happened
		}
	}
	return best
}

// inFigure tells whether a word is the unit of a figure.
func (c *checker) inFigure(s span) bool {
	return slices.ContainsFunc(c.l.quantities, func(q quantity) bool { return s.from >= q.start && s.to <= q.end })
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
	c.add(Plan, w.text, NotFound, because(key), at(good[0].l, good[0].l.span))
}
