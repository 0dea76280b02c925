package proof

import (
	"slices"
	"strings"
)

// labelled finds the figure that the passages give for what a figure of the sentence is of.
func (c *checker) labelled(i int, q quantity) (found, bool) {
	label := c.label(c.l, i)
	if label == nil {
		return found{}, false
	}
	for _, l := range c.lines {
		for j, p := range l.quantities {
			if other := c.label(l, j); other != nil && agree(q.unit, p.unit) {
				if s, opposed := match(label, other); s >= synonym && !opposed {
					return found{p, l}, true
				}
			}
		}
	}
	return found{}, false
}

// named tells whether two figures without a unit are of the same thing by name.
func (c *checker) named(i int, f found) bool {
	label := c.label(c.l, i)
	j := slices.IndexFunc(f.l.quantities, func(p quantity) bool { return p.span == f.q.span })
	if label == nil || j < 0 {
		return false
	}
	other := c.label(f.l, j)
	if other == nil {
		return false
	}
	s, opposed := match(label, other)
	return s >= synonym && !opposed
}

// mislabelled tells whether a figure stands with a word that the passages give to another figure of its kind, and
// never to this one: 賛成25 where the passage has 反対二十五.
func (c *checker) mislabelled(i int, q quantity, same []found) (bool, string) {
	label := c.label(c.l, i)
	if label == nil || c.l.lang == "en" && label.axes == nil {
		return false, ""
	}
	elsewhere := false
	for _, f := range same {
		for j, p := range f.l.quantities {
			if p.span != f.q.span {
				continue
			}
			other := c.label(f.l, j)
			if other == nil {
				return false, ""
			}
			if s, opposed := match(label, other); s > 0 && !opposed {
				return false, ""
			}
		}
	}
	for _, l := range c.lines {
		for j, p := range l.quantities {
			if q.same(p) || !agree(q.unit, p.unit) {
				continue
			}
			if other := c.label(l, j); other != nil {
				if s, opposed := match(label, other); s >= synonym && !opposed {
					elsewhere = true
				}
			}
		}
	}
	if !elsewhere {
		return false, ""
	}
	for j, p := range same[0].l.quantities {
		if p.span == same[0].q.span {
			if w := c.label(same[0].l, j); w != nil {
				return true, w.text
			}
		}
	}
	return true, label.text
}

var jaNoLabel = set("当たり あたり 計 約 年額 月額 総額 合計 年間 最大 上限 当初 現在 全体 平均 増 減")

// label is the word that says what a figure is of: in Japanese the one before it, in English the one behind.
func (c *checker) label(l *line, i int) *word {
	q := l.quantities[i]
	if l.lang == "ja" {
		for j := len(l.words) - 1; j >= 0; j-- {
			w := &l.words[j]
			if w.span.to > q.start || w.kind == function && w.axes == nil {
				continue
			}
			if gap := string(l.text[w.span.to:q.start]); strings.Contains(gap, "の") || strings.Contains(gap, "を") || strings.Contains(gap, "に") || w.generic || jaNoLabel[w.base] {
				return nil
			}
			if q.start-w.span.to > 2 || i > 0 && l.quantities[i-1].span.from >= w.span.from || w.kind == figure {
				return nil
			}
			return w
		}
		return nil
	}
	for j := range l.words {
		w := &l.words[j]
		if w.span.from < q.end || w.kind == function && w.axes == nil {
			continue
		}
		if w.span.from-q.end > 12 || i+1 < len(l.quantities) && l.quantities[i+1].start <= w.span.from {
			return nil
		}
		return w
	}
	return nil
}
