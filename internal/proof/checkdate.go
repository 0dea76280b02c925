package proof

import (
	"slices"
	"strings"
)

func (c *checker) dates() {
	for _, d := range c.l.moments {
		if c.inQuote(d.span) {
			continue
		}
		text := c.l.string(d.span)
		if p, l := c.findDate(d); l != nil {
			if other := c.misdated(d); other != nil {
				c.add(Date, text, NotFound, because("date_other", text, other.Text), other)
				continue
			}
			c.add(Date, text, Supported, because("found"), at(l, p.span))
			continue
		} else if c.ownDay(d) || (d.fiscal && c.namesBudget(d) || d.weekday != 0 && d.day == 0 && d.week == 0) && c.datedBefore(d) {
			c.add(Date, text, Supported, because("found"), nil)
			continue
		}
		why, verdict, where := because("date_absent", text), NotFound, (*Place)(nil)
		for _, l := range c.lines {
			for _, p := range l.moments {
				if verdict == NotFound && comparable(d, p) {
					where, verdict = at(l, p.span), c.against(d.span, l, p.span.from)
					why = because("date_other", text, where.Text)
				}
			}
		}
		c.add(Date, text, verdict, why, where)
	}
}

// comparable tells of times that are said in the same way, so that one can stand in the other's place.
func comparable(a, b moment) bool {
	return !a.bare && !b.bare && (a.day != 0) == (b.day != 0) && (a.month != 0) == (b.month != 0) && (a.week != 0) == (b.week != 0) && (a.weekday != 0) == (b.weekday != 0)
}

func (c *checker) findDate(d moment) (moment, *line) {
	for _, l := range c.lines {
		for _, p := range l.moments {
			if d.within(p, c.record.day) {
				return p, l
			}
		}
	}
	return moment{}, nil
}

// misdated finds the time that the passages give for what the sentence says of a time, if it is another: the clauses
// with the sentence's own time say nothing of it.
func (c *checker) misdated(d moment) *Place {
	p := part{l: c.l}
	clause := c.l.clauseAt(d.span.from)
	for _, i := range c.l.contents() {
		if c.l.words[i].clause == clause && !c.inMentionOf(c.l.words[i].span) {
			p.words = append(p.words, i)
		}
	}
	for _, q := range c.l.quantities {
		if c.l.clauseAt(q.span.from) == clause {
			p.quantities = append(p.quantities, q)
		}
	}
	own, best := 0.0, 0.0
	var other *Place
	for _, l := range c.lines {
		for _, m := range l.moments {
			score := p.inClause(l, l.clauseAt(m.span.from))
			switch {
			case d.within(m, c.record.day):
				own = max(own, score)
			case slices.ContainsFunc(c.l.moments, func(x moment) bool { return x.within(m, c.record.day) }):
			case comparable(d, m) && score > best:
				best, other = score, at(l, m.span)
			}
		}
	}
	if best >= own+2 && best >= 2*own && best >= 0.6*p.most() {
		return other
	}
	return nil
}

// ownDay tells whether a time is the record's own day.
func (c *checker) ownDay(d moment) bool {
	day := c.record.day
	if day.IsZero() || d.fiscal {
		return false
	}
	own := moment{year: day.Year(), month: int(day.Month()), day: day.Day()}
	if d.day == 0 && d.weekday == 0 && d.week == 0 {
		return false // "this year" is not what the record's day alone says
	}
	return d.within(own, day)
}

// namesBudget tells whether a year is part of a budget's name: 令和八年度一般会計予算.
func (c *checker) namesBudget(d moment) bool {
	rest := string(c.l.text[d.span.to:min(c.l.span.to, d.span.to+16)])
	return strings.Contains(rest, "予算") || strings.Contains(rest, "会計") || strings.Contains(rest, "決算") || strings.Contains(strings.ToLower(rest), "budget")
}

// datedBefore looks for a time in the passages before: 令和八年度 is often part of a budget's name.
func (c *checker) datedBefore(d moment) bool {
	for o := c.sources[0].Order - 1; o >= c.sources[0].Order-contextSpan; o-- {
		if src, ok := c.record.sources[o]; ok {
			for _, l := range src.read().lines {
				for _, p := range l.moments {
					if d.within(p, c.record.day) {
						return true
					}
				}
			}
		}
	}
	return false
}
