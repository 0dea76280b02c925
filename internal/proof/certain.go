package proof

import (
	"regexp"
	"slices"
	"strings"
)

// What a contradiction needs: a clause of the passage that says what the clause of the sentence says, and the other way round, so
// that only the one value differs. Where that is not so, the two are merely not alike, and the claim is not found.
const (
	sameThing = 0.8 // the share of the sentence's clause that the passage's clause or line has
	sameVote  = 0.6 // the same for what was decided, and for figures that have a name
	sameBack  = 0.5 // the share of the passage's clause that the sentence has
)

// against is the verdict on a part of the sentence that differs from what stands at a place of a line: contradicted if all
// around them agrees, otherwise not found.
func (c *checker) against(s span, l *line, at int) Verdict {
	return c.differs(s, l, at, sameThing)
}

func (c *checker) differs(s span, l *line, at int, least float64) Verdict {
	p := c.around(s)
	clause := l.clauseAt(at)
	if p.size() > 0 && c.thisMatter(&p, l, clause) {
		return Contradicted
	}
	if all := p.most(); all > 0 && c.back(l, clause, least != sameVote) >= sameBack {
		in, whole := p.inClause(l, clause), p.inClause(l, -1)
		if n := p.strong(l, clause); n >= 2 && in >= least*all || n == 1 && in >= all {
			return Contradicted
		}
		if p.strong(l, -1) >= 2 && whole >= least*all {
			return Contradicted
		}
	}
	return NotFound
}

// jaThis finds what stands for the matter that is on the agenda.
var jaThis = regexp.MustCompile(`(?:本|両|各|同)(?:案|件|法律案|法案|議案|予算|決議案|動議|請願|条約)`)

// thisMatter tells whether all that the sentence speaks of beside the part is the matter for which a clause has 本案.
func (c *checker) thisMatter(p *part, l *line, clause int) bool {
	if len(p.quantities)+len(p.moments) > 0 || len(p.words) == 0 {
		return false
	}
	for _, wi := range p.words {
		if w := &c.l.words[wi]; !c.isMatter(w.span) && !w.generic {
			return false
		}
	}
	from, to := l.span.to, l.span.from
	for j := range l.words {
		if l.words[j].clause == clause {
			from, to = min(from, l.words[j].span.from), max(to, l.words[j].span.to)
		}
	}
	return from < to && jaThis.MatchString(l.string(span{from, to})) &&
		!slices.ContainsFunc(c.matters, func(m span) bool { return !c.itemBefore(c.l.string(m), l.source.Order) })
}

// denies is against for a word that is denied in one of the two: what stands next to it must agree, and nothing else in the
// sentence may deny in other words.
func (c *checker) denies(w *word, x candidate) Verdict {
	for i := range c.l.words {
		v := &c.l.words[i]
		if v.span == w.span {
			continue
		}
		if c.lex().lacking[v.base] || c.lex().negator[v.base] || slices.ContainsFunc(v.axes, func(a axis) bool { return a.negative }) {
			return NotFound
		}
	}
	if near := c.neighbour(c.l, w); near == nil || !c.next(near, x) {
		return NotFound
	}
	return c.against(w.span, x.l, x.v.span.from)
}

// neighbour is the word that means something next to a word: before it in Japanese, behind it in English.
func (c *checker) neighbour(l *line, w *word) *word {
	i := slices.IndexFunc(l.words, func(v word) bool { return v.span == w.span })
	step := 1
	if l.lang == "ja" {
		step = -1
	}
	for i += step; i >= 0 && i < len(l.words) && l.words[i].clause == w.clause; i += step {
		if v := &l.words[i]; v.kind == content || v.kind == name {
			return v
		}
	}
	return nil
}

func (c *checker) next(near *word, x candidate) bool {
	v := c.neighbour(x.l, x.v)
	if v == nil {
		return false
	}
	s, opposed := match(near, v)
	return s >= synonym && !opposed
}

// back is the share of a clause, or of all of a line, that the sentence has. What was decided can be told without how many
// voted for it.
func (c *checker) back(l *line, clause int, figures bool) float64 {
	has, all := 0, 0
	for j := range l.words {
		v := &l.words[j]
		if clause >= 0 && v.clause != clause || v.kind != content && v.kind != name || v.generic {
			continue
		}
		all++
		for i := range c.l.words {
			if s, _ := match(&c.l.words[i], v); s >= synonym {
				has++
				break
			}
		}
	}
	for _, q := range l.quantities {
		if !figures || clause >= 0 && l.clauseAt(q.span.from) != clause {
			continue
		}
		all++
		if slices.ContainsFunc(c.l.quantities, func(p quantity) bool { return agree(p.unit, q.unit) }) {
			has++
		}
	}
	return share(has, all)
}

// around is the clause of the sentence that has a part, without the part itself and without who speaks.
func (c *checker) around(s span) part {
	p := part{l: c.l}
	clause := c.l.clauseAt(s.from)
	lex := c.lex()
	report := c.l.report()
	for _, i := range c.l.contents() {
		w := &c.l.words[i]
		if w.clause != clause || w.span.from < s.to && w.span.to > s.from || c.inMentionOf(w.span) || lex.say[w.base] || lex.ask[w.base] || i >= report || c.l.announces(i) {
			continue
		}
		p.words = append(p.words, i)
	}
	other := func(x span) bool { return c.l.clauseAt(x.from) == clause && !(x.from < s.to && x.to > s.from) }
	for _, q := range c.l.quantities {
		if other(q.span) {
			p.quantities = append(p.quantities, q)
		}
	}
	for _, d := range c.l.moments {
		if other(d.span) {
			p.moments = append(p.moments, d)
		}
	}
	return p
}

// report is the word with which a Japanese line goes on behind what somebody is said to have said: 可決されたと報告した. Its number
// of words if there is none.
func (l *line) report() int {
	for i := len(l.words) - 1; i > 0 && l.lang == "ja"; i-- {
		switch l.words[i].text {
		case "、", "は", "が", "を", "に":
			return len(l.words)
		case "と":
			if before := &l.words[i-1]; before.pred || before.kind == function && before.text != "、" {
				return i
			}
			return len(l.words)
		}
	}
	return len(l.words)
}

// announces tells of a word with which an English line begins to tell what somebody said: announced that.
func (l *line) announces(i int) bool {
	return l.lang == "en" && i+1 < len(l.words) && strings.EqualFold(l.words[i+1].text, "that")
}

// strong counts what of a part a clause of a line, or all of the line, has in the same or a like word.
func (p *part) strong(l *line, clause int) (n int) {
	for k := range p.size() {
		if k < len(p.words) && p.l.words[p.words[k]].generic {
			continue
		}
		if p.strength(k, l, clause) >= synonym {
			n++
		}
	}
	return n
}

// fewLines is how many lines a sentence cites that says where it is from.
const fewLines = 12

// close tells whether a clause, or all of a line, can be what a segment is from. Among many lines one that shares a single word
// with it says nothing, unless the segment has no other.
func (c *checker) close(s *segment, l *line, clause int) bool {
	strong := s.strong(l, clause)
	return len(c.all) <= fewLines || strong >= 2 || strong == 1 && s.specific() == 1
}

// specific counts the parts that are about something in particular.
func (p *part) specific() int {
	n := p.size()
	for _, i := range p.words {
		if p.l.words[i].generic {
			n--
		}
	}
	return n
}

// elsewhere tells whether a line has nothing of a part, so that a like word in it is about something else.
func (p part) elsewhere(l *line) bool { return p.size() > 0 && p.strong(l, -1) == 0 }
