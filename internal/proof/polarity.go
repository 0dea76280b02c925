package proof

import (
	"slices"
	"strings"
)

// vague are words that go up or down with whatever they stand beside.
var vague = set("more less fewer high low higher lower 多い 少ない 高い 低い")

func (c *checker) polarity(w *word, good []candidate) {
	differs := func(x candidate) bool { return (w.negated != x.v.negated) != x.opposed }
	// 可決するに賛成の諸君の起立を求めます asks for what may then be refused: what was done counts more.
	if w.force >= said && w.force != noForce && slices.ContainsFunc(good, func(x candidate) bool { return x.v.force >= decided && x.v.force != noForce && !x.v.asked }) {
		good = slices.DeleteFunc(slices.Clone(good), func(x candidate) bool { return x.v.force == wished || x.v.asked })
	}
	if slices.ContainsFunc(w.axes, func(a axis) bool { return a.result }) {
		good = c.ofMatter(good)
	}
	i := slices.IndexFunc(good, func(x candidate) bool { return !differs(x) })
	if i < 0 && len(good) > 0 {
		x := good[0]
		class, why := Polarity, because("polarity", x.v.text)
		if x.opposed {
			class, why = Outcome, because("outcome", w.text, x.v.text)
		}
		verdict := c.denies(w, x)
		switch {
		case x.opposed && w.negated == x.v.negated: // a plain opposite
			verdict = c.against(w.span, x.l, x.v.span.from)
			if x.v.force == happened && slices.ContainsFunc(w.axes, func(a axis) bool { return a.result }) {
				verdict = c.differs(w.span, x.l, x.v.span.from, sameVote)
			}
			if vague[w.base] || vague[x.v.base] || slices.ContainsFunc(c.l.words, func(o word) bool { return o.base == x.v.base }) {
				verdict = NotFound
			}
		case c.lacks(w, x):
			return // a denial in other words
		case !x.exact && !x.opposed && c.around(w.span).elsewhere(x.l):
			return // another word for it, in another place
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

// ofMatter leaves of the places that give a result those that are about the matter of the sentence: its figures stand in the
// lines around, or its name in the passage or where it was put on the agenda. All, if none is.
func (c *checker) ofMatter(list []candidate) []candidate {
	if len(c.sources) <= 1 && len(c.all) <= fewLines || len(c.l.quantities)+len(c.matters) == 0 {
		return list
	}
	best, score := 0, make([]int, len(list))
	for i, x := range list {
		for _, q := range c.l.quantities {
			if slices.ContainsFunc(x.l.around(), func(l *line) bool { return slices.ContainsFunc(l.quantities, q.same) }) {
				score[i]++
			}
		}
		for _, m := range c.matters {
			text := bare(c.l.string(m))
			if x.l.source.hay.has(text) || c.itemBefore(text, x.l.source.Order) {
				score[i]++
			}
		}
		best = max(best, score[i])
	}
	var out []candidate
	for i, x := range list {
		if score[i] == best {
			out = append(out, x)
		}
	}
	return out
}

// around returns a line with the two before and behind it.
func (l *line) around() []*line {
	all := l.source.read().lines
	i := slices.Index(all, l)
	return all[max(0, i-2):min(len(all), i+3)]
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
		if c.close(s, l, -1) && outside-inside >= 1 && inside < 0.5*total && mine.near(top) >= 0.4*mine.found() {
			c.add(Condition, c.text(s), NotFound, because("condition", l.string(span{from, to})), at(l, l.span))
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
