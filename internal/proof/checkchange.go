package proof

import (
	"strings"
)

// change is a figure that became another.
type change struct{ from, to quantity }

// changesOf finds them: 六人から二人に, from 22 per cent to 9, 1.3 per cent, down from 1.6.
func changesOf(l *line) []change {
	var out []change
	for i := 0; i+1 < len(l.quantities); i++ {
		a, b := l.quantities[i], l.quantities[i+1]
		if b.start <= a.end && b.start < a.end || b.start-a.end > 24 || a.isRange() || b.isRange() {
			continue
		}
		between := string(l.text[min(a.end, b.span.from):b.span.from])
		before := string(l.text[max(l.span.from, a.start-6):a.start])
		switch {
		case l.lang == "ja" && strings.Contains(between, "から"):
			out = append(out, change{a, b})
		case l.lang == "en" && strings.Contains(between, "from"):
			out = append(out, change{b, a})
		case l.lang == "en" && strings.Contains(before, "from") && strings.Contains(between+" ", "to "):
			out = append(out, change{a, b})
		}
	}
	return out
}

// changes checks that no change is told backwards.
func (c *checker) changes() {
	for _, s := range changesOf(c.l) {
		var turned *Place
		right := false
		for _, l := range c.lines {
			for _, p := range changesOf(l) {
				if s.from.same(p.from) && s.to.same(p.to) {
					right = true
				}
				if s.from.same(p.to) && s.to.same(p.from) {
					turned = at(l, l.span)
				}
			}
		}
		if turned != nil && !right {
			text := c.l.string(span{min(s.from.start, s.to.start), max(s.from.end, s.to.end)})
			c.add(Outcome, text, Contradicted, because("outcome", text, turned.Text), turned)
		}
	}
}
