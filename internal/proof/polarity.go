package proof

import (
	"slices"
	"strings"
)

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
