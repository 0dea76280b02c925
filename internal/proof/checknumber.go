package proof

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

var enEach = regexp.MustCompile(`\b(?:a|per|every|each) (?:month|week)\b`)

func (c *checker) numbers() {
	c.changes()
	if text := strings.ToLower(c.l.string(c.l.span)); c.l.lang == "en" && enEach.MatchString(text) && !c.words()["month"] && !c.words()["week"] && c.words()["year"] {
		c.add(Unit, text, NotFound, because("number_absent", "month"), nil)
	}
	if c.l.lang == "ja" { // a month's or a year's
		text := c.l.string(c.l.span)
		monthly := strings.Contains(text, "毎月") || strings.Contains(text, "月額")
		if monthly && !c.hay.has("毎月") && !c.hay.has("月") && c.hay.has("年") {
			c.add(Unit, "毎月", NotFound, because("number_absent", "毎月"), nil)
		}
	}
	for i, q := range c.l.quantities {
		if c.inQuote(q.span) || q.unit == "第" && c.inMention(q.span) {
			continue
		}
		c.number(i, q)
	}
}

func (c *checker) inMention(s span) bool {
	for _, m := range c.mentions {
		if s.from >= m.span.from && s.to <= m.span.to {
			return true
		}
	}
	return false
}

type found struct {
	q quantity
	l *line
}

func (c *checker) number(i int, q quantity) {
	text := c.l.string(span{q.start, q.end})
	var same, unit, scale, inside, rest []found
	for _, l := range c.lines {
		for _, p := range l.quantities {
			f := found{p, l}
			switch {
			case q.same(p) && agree(q.unit, p.unit):
				same = append(same, f)
			case q.same(p):
				unit = append(unit, f)
			case agree(q.unit, p.unit) && p.isRange() && !q.isRange() && q.low >= p.low && q.low <= p.high:
				inside = append(inside, f)
			case agree(q.unit, p.unit) && tenfold(q.low, p.low):
				scale = append(scale, f)
			case q.unit == p.unit:
				rest = append(rest, f)
			}
		}
	}
	place := func(f found) *Place { return at(f.l, span{f.q.start, f.q.end}) }
	differs := func(f found) Verdict { return c.against(q.span, f.l, f.q.span.from) }
	switch {
	case len(same) > 0:
		best := same[0]
		for _, f := range same { // one with the same bound, if there is one
			if f.q.bound == q.bound {
				best = f
				break
			}
		}
		times := 0 // 25 of 25, where the passage has 17 of 25
		for _, other := range c.l.quantities {
			if other.same(q) && other.unit == q.unit {
				times++
			}
		}
		if times > len(same) && times == 2 {
			c.add(Number, text, NotFound, because("number_absent", text), nil)
			return
		}
		if wrong, label := c.mislabelled(i, q, same); wrong {
			c.add(Number, text, c.differs(q.span, best.l, best.q.span.from, sameVote), because("number_label", text, label), place(best))
			return
		}
		switch {
		case q.bound*best.q.bound < 0:
			c.add(Unit, text, differs(best), because("bound_other", text, place(best).Text), place(best))
		case q.bound == 0 && best.q.bound != 0 && !q.approx:
			c.add(Unit, text, NotFound, because("range_cut", text, place(best).Text), place(best))
		default:
			c.add(Number, text, Supported, because("found"), place(best))
		}
	case c.counted(q), c.tallied(q), c.counter(q), len(rest)+len(scale)+len(unit) == 0 && c.figuredBefore(q):
		c.matters = append(c.matters, q.span) // nothing else is claimed of it
		c.add(Number, text, Supported, because("found"), nil)
	case len(inside) > 0 && (q.bound < 0 && q.low == inside[0].q.high || q.bound > 0 && q.low == inside[0].q.low):
		c.add(Number, text, Supported, because("found"), place(inside[0]))
	case len(inside) > 0:
		c.add(Unit, text, differs(inside[0]), because("range_cut", text, place(inside[0]).Text), place(inside[0]))
	case len(unit) > 0:
		verdict := differs(unit[0])
		if q.unit == "" || unit[0].q.unit == "" || q.low < 10 && q.unit != unitPercent && q.unit != unitPoint {
			verdict = NotFound // a small figure can be of anything
		}
		c.add(Unit, text, verdict, because("unit_other", text, place(unit[0]).Text), place(unit[0]))
	case len(scale) > 0:
		c.add(Unit, text, differs(scale[0]), because("unit_other", text, place(scale[0]).Text), place(scale[0]))
	case c.derived(q):
		c.add(Number, text, Supported, because("found"), nil)
	default:
		if f, ok := c.labelled(i, q); ok && c.differs(q.span, f.l, f.q.span.from, sameVote) == Contradicted {
			c.add(Number, text, Contradicted, because("number_other", text, place(f).Text), place(f))
			return
		}
		for _, f := range rest {
			if q.bound == 0 && !c.reckon(q) && (q.unit != "" || c.named(i, f)) && !slices.ContainsFunc(c.l.quantities, f.q.same) && differs(f) == Contradicted {
				c.add(Number, text, Contradicted, because("number_other", text, place(f).Text), place(f))
				return
			}
		}
		c.add(Number, text, NotFound, because("number_absent", text), nil)
	}
}

var reckoned = regexp.MustCompile(`差|計|増|減|上回|下回|(?i)\b(?:lost|gained|more|fewer|total|majority|difference|between|margin|together|combined)\b`)

// derived tells whether a figure is the difference or the sum of two in one line, and the sentence says that it is one.
func (c *checker) derived(q quantity) bool {
	return !q.isRange() && q.low >= 10 && reckoned.MatchString(c.l.string(c.l.span)) && c.reckon(q)
}

// mostReckoned is how many figures a line may have that are added up; in a table any sum would be found.
const mostReckoned = 8

// reckon tells whether a figure is the difference or the sum of two in one line.
func (c *checker) reckon(q quantity) bool {
	for _, l := range c.lines {
		if len(l.quantities) > mostReckoned {
			continue
		}
		for i, a := range l.quantities {
			for _, b := range l.quantities[i+1:] {
				if !agree(a.unit, b.unit) || !agree(q.unit, a.unit) && !agree(q.unit, b.unit) || a.isRange() || b.isRange() {
					continue
				}
				for _, v := range []float64{math.Abs(a.low - b.low), a.low + b.low} {
					if q.near(q.low, v, 9) {
						return true
					}
				}
			}
		}
	}
	return false
}

// counter tells of a figure that counts nothing: 1人当たり, 1年前.
func (c *checker) counter(q quantity) bool {
	rest := string(c.l.text[q.end:min(c.l.span.to, q.end+4)])
	each := strings.HasPrefix(rest, "当たり") || strings.HasPrefix(rest, "あたり")
	return q.low == 1 && c.l.lang == "ja" && (each && !c.hay.has("当たり") && !c.hay.has("あたり") || strings.HasPrefix(rest, "前"))
}

// figuredBefore looks for a figure in what is answered: the two passages before.
func (c *checker) figuredBefore(q quantity) bool {
	if c.sources[0].Speaker == "" || q.low < 10 && q.unit == "" {
		return false
	}
	for o := c.sources[0].Order - 1; o >= c.sources[0].Order-2; o-- {
		if src, ok := c.record.sources[o]; ok && src.Speaker != "" {
			for _, l := range src.read().lines {
				if slices.ContainsFunc(l.quantities, func(p quantity) bool { return q.same(p) && q.unit == p.unit }) {
					return true
				}
			}
		}
	}
	return false
}

func tenfold(a, b float64) bool {
	if a == 0 || b == 0 {
		return false
	}
	log := math.Log10(math.Abs(a / b))
	return math.Abs(log) > 0.5 && math.Abs(log-math.Round(log)) < 1e-6
}
