package minutesweb

import (
	"html/template"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// passage is a stretch of a speech that something cites. What overlaps is one.
type passage struct {
	from, to int // bytes
	id       string
}

// passages finds quotes in a speech. where has the passage of each quote, -1 for one
// that is not there. Quotes mostly come in the order of the speech, and so each is
// looked for behind the one before, and only then from the beginning: a speech may
// have megabytes and a thousand quotes.
func passages(order int, text string, quotes []string) (found []passage, where []int) {
	where = make([]int, len(quotes))
	var spans []passage
	at := make([]int, len(quotes))
	behind := 0
	for i, quote := range quotes {
		if at[i] = indexFrom(text, quote, behind); at[i] < 0 {
			continue
		}
		behind = at[i]
		spans = append(spans, passage{from: at[i], to: at[i] + len(quote)})
	}
	slices.SortFunc(spans, func(a, b passage) int { return a.from - b.from })
	for _, s := range spans {
		if n := len(found); n > 0 && s.from < found[n-1].to {
			found[n-1].to = max(found[n-1].to, s.to)
			continue
		}
		found = append(found, s)
	}
	for i := range found {
		found[i].id = "p-" + strconv.Itoa(order) + "-" + strconv.Itoa(i+1)
	}
	for i := range quotes {
		where[i] = -1
		if at[i] >= 0 {
			where[i] = sort.Search(len(found), func(n int) bool { return at[i] < found[n].to })
		}
	}
	return found, where
}

// indexFrom finds a quote behind a place, or else anywhere; -1 if it is not there.
func indexFrom(text, quote string, from int) int {
	if quote == "" {
		return -1
	}
	if i := strings.Index(text[from:], quote); i >= 0 {
		return from + i
	}
	return strings.Index(text, quote)
}

// marked is a stretch of the text with the passages in it marked, so that a link to
// one highlights it.
func marked(text string, from, to int, found []passage) template.HTML {
	var b strings.Builder
	at := from
	for _, s := range found {
		if s.from < from || s.to > to {
			continue
		}
		template.HTMLEscape(&b, []byte(text[at:s.from]))
		b.WriteString(`<mark id="` + s.id + `">`)
		template.HTMLEscape(&b, []byte(text[s.from:s.to]))
		b.WriteString(`</mark>`)
		at = s.to
	}
	template.HTMLEscape(&b, []byte(text[at:to]))
	return template.HTML(b.String()) //nolint:gosec // all text is escaped
}

// partSize is about how many bytes of a speech one page has.
const partSize = 64 << 10

// parts are where the pages of a long speech end: behind a line or a sentence, and
// never within a passage.
func parts(text string, found []passage) []int {
	var ends []int
	for from := 0; len(text)-from > partSize; {
		end := cutAt(text, from)
		for _, s := range found {
			if s.from < end && end < s.to {
				if end = s.from; end <= from {
					end = s.to
				}
			}
		}
		ends = append(ends, end)
		from = end
	}
	if n := len(ends); n == 0 || ends[n-1] < len(text) {
		ends = append(ends, len(text))
	}
	return ends
}

// cutAt finds a good end for a part that begins at from.
func cutAt(text string, from int) int {
	most := from + partSize
	for most > from && !utf8.RuneStart(text[most]) {
		most--
	}
	window := text[from:most]
	for _, mark := range []string{"\n", "。", ". "} {
		if i := strings.LastIndex(window, mark); i > partSize/2 {
			return from + i + len(mark)
		}
	}
	return most
}

// partOf returns the number of the part that a passage is in, from 1.
func partOf(ends []int, s passage) int {
	return slices.IndexFunc(ends, func(end int) bool { return s.from < end }) + 1
}
