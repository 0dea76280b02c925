package proof

import (
	"regexp"
)

var jaMatter = regexp.MustCompile(`法律案|法案|予算|予算案|決議案|の件|に関する件|に関する調査|請願|決算|決算書|計算書|条例案|条約|協定`)

// leastMatter is how long the name of a matter is at least, in characters.
const leastMatter = 6

// findMatters finds the names of matters: the longest words up to 法律案, の件 and so on that the passages, or those that
// put the matter on the agenda, have as they are.
func (c *checker) findMatters() {
	if c.l.lang != "ja" {
		return
	}
	s := string(c.l.text[c.l.span.from:c.l.span.to])
	offsets := runeOffsets(s)
	for _, m := range jaMatter.FindAllStringIndex(s, -1) {
		to := c.l.span.from + offsets[m[1]]
		from := c.l.span.from
		if n := len(c.matters); n > 0 && c.matters[n-1].to <= to {
			from = c.matters[n-1].from
		}
		for ; to-from >= leastMatter; from++ {
			text := bare(c.l.string(span{from, to}))
			if c.hay.has(text) || c.before.has(text) || c.item(text) {
				if n := len(c.matters); n > 0 && c.matters[n-1].from >= from {
					c.matters = c.matters[:n-1]
				}
				c.matters = append(c.matters, span{from, to})
				c.add(Bill, c.l.string(span{from, to}), Supported, because("found"), nil)
				break
			}
		}
	}
}

// item tells whether the passages before, up to the last that puts a matter on the agenda, name a bill.
func (c *checker) item(text string) bool { return names(c.agenda(), text) }

func (c *checker) itemBefore(text string, first int) bool {
	return names(c.record.itemsBefore(first), text)
}
