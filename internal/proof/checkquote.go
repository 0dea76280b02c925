package proof

import (
	"regexp"
	"slices"
	"sort"
	"strings"
)

var quotation = regexp.MustCompile(`「([^「」]*(?:「[^「」]*」[^「」]*)*)」|『([^『』]+)』|"([^"]+)"|(?:^|[\s(])'([^']+(?:'[a-z]+[^']*)*)'`)

func (c *checker) quotes() {
	c.quoted = nil
	s := string(c.l.text[c.l.span.from:c.l.span.to])
	offsets := runeOffsets(s)
	for _, m := range quotation.FindAllStringSubmatchIndex(s, -1) {
		for g := 1; g <= 4; g++ {
			if m[2*g] < 0 {
				continue
			}
			where := span{c.l.span.from + offsets[m[2*g]], c.l.span.from + offsets[m[2*g+1]]}
			if c.quote(c.l.string(where), c.titled(where)) {
				c.quoted = append(c.quoted, where)
			}
		}
	}
}

// titled tells whether words between quotation marks are a name and not what somebody says.
func (c *checker) titled(s span) bool {
	if c.l.lang == "ja" {
		return !strings.HasPrefix(string(c.l.text[min(s.to+1, c.l.span.to):c.l.span.to]), "と")
	}
	return len(strings.Fields(c.l.string(s))) < 3
}

// leftOut are the signs of what a quotation leaves out, or adds.
var leftOut = regexp.MustCompile(`…+|\.\.\.+|・・・+|\[[^\]]*\]|[(][^()]*[)]|\s*——\s*`)

// quote checks words that are said to be another's. It reports whether they are. A title or a name between quotation marks
// may stand anywhere in the record. Words that stand there in part were altered; others may be a title in another's words.
func (c *checker) quote(text string, title bool) bool {
	whole := true
	var where, near *Place
	for _, part := range leftOut.Split(text, -1) {
		part = strings.Trim(bare(part), "。、,.;:!?")
		if part == "" {
			continue
		}
		if in, at := c.hay.find(part); in != nil {
			if where == nil && in.sources != nil {
				where = in.place(at, len(part))
			}
			continue
		}
		if title && c.record.texts().has(part) {
			continue
		}
		whole = false
		if in, at, n := c.altered([]rune(part)); in != nil {
			near = in.place(at, n)
		}
	}
	switch {
	case whole:
		c.add(Quote, text, Supported, because("found"), where)
	case near != nil && !title:
		c.add(Quote, text, Contradicted, because("quote"), near)
	default:
		c.add(Quote, text, NotFound, because("quote"), nil)
	}
	return whole
}

// altered finds the longest beginning or end of a quotation that stands in what is cited, if it is a good part of it.
func (c *checker) altered(part []rune) (in *haystack, at, n int) {
	least := max(4, len(part)/4)
	texts := slices.DeleteFunc(slices.Clone(c.hay), func(h *haystack) bool { return h.sources == nil })
	longest := func(piece func(n int) string) int { // what has a piece has all shorter ones
		return least + sort.Search(max(0, len(part)-least), func(i int) bool { return !texts.has(piece(least + i)) }) - 1
	}
	first := func(n int) string { return string(part[:n]) }
	last := func(n int) string { return string(part[len(part)-n:]) }
	piece, best := first, longest(first)
	if other := longest(last); other > best {
		piece, best = last, other
	}
	if best < least {
		return nil, 0, 0
	}
	in, at = texts.find(piece(best))
	return in, at, len(piece(best))
}
