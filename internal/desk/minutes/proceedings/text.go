package proceedings

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text is a speech without white space, and where in the speech each part of it
// stands.
type text struct {
	flat string
	cuts []cut
}

// cut is a place where the flat text goes on elsewhere in the raw one.
type cut struct{ flat, raw int }

func flatten(raw string) text {
	var b strings.Builder
	b.Grow(len(raw))
	t := text{cuts: []cut{{0, 0}}}
	gap := false
	for i, r := range raw {
		if unicode.IsSpace(r) || r == '\ufeff' {
			gap = true
			continue
		}
		if gap {
			t.cuts = append(t.cuts, cut{b.Len(), i})
			gap = false
		}
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(raw[i:])
			if n == 1 { // an invalid byte, kept as it is
				b.WriteByte(raw[i])
				continue
			}
		}
		b.WriteRune(r)
	}
	t.flat = b.String()
	return t
}

func squeeze(raw string) string { return flatten(raw).flat }

// raw is where a byte of the flat text stands in the raw one.
func (t *text) raw(at int) int {
	i := sort.Search(len(t.cuts), func(i int) bool { return t.cuts[i].flat > at }) - 1
	return t.cuts[i].raw + at - t.cuts[i].flat
}

// span is the passage of a part of the flat text.
func (t *text) span(order, from, to int) Passage {
	if from >= to {
		return Passage{order, t.raw(from), t.raw(from)}
	}
	return Passage{order, t.raw(from), t.raw(to-1) + 1}
}

// sentence is a part of the flat text: a sentence, a stage direction in brackets, or
// text that no full stop ends, such as a heading.
type sentence struct {
	from, to int
	kind     byte // 's', 'd' or 'h'
}

// A quotation or bracket that does not close within this many bytes is not one.
const maxBracket = 3000

// sentences cuts the flat text from a place on.
func (t *text) sentences(from int) []sentence {
	var out []sentence
	s := t.flat
	start := from
	flush := func(end int, kind byte) {
		if end > start {
			out = append(out, sentence{start, end, kind})
		}
		start = end
	}
	for i := from; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch r {
		case '。', '！', '？', '!', '?':
			i += n
			if r == '。' || !strings.HasPrefix(s[i:], "」") {
				flush(i, 's')
			}
			continue
		case '「', '『', '（':
			if end := closing(s[i:], r); end > 0 {
				i += end
				continue
			}
		case '〔', '［':
			if end := strings.IndexRune(s[i:min(len(s), i+600)], map[rune]rune{'〔': '〕', '［': '］'}[r]); end > 0 {
				flush(i, 'h')
				i += end + len("〕")
				flush(i, 'd')
				continue
			}
		case '―', '─', '━', '-', '－', '‐', '…', '═':
			if end := rule(s[i:]); end > 0 {
				flush(i, 'h')
				i += end
				start = i
				continue
			}
		}
		i += n
	}
	flush(len(s), 'h')
	return out
}

// closing is where the bracket ends that a text begins with; 0 if it does not.
func closing(s string, open rune) int {
	end := map[rune]rune{'「': '」', '『': '』', '（': '）'}[open]
	depth := 0
	for i, r := range s {
		switch r {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return i + utf8.RuneLen(r)
			}
		}
		if i > maxBracket {
			return 0
		}
	}
	return 0
}

// rule is the length of a printed line at the beginning of a text; 0 if there is none.
func rule(s string) int {
	dashes, end := 0, 0
scan:
	for i, r := range s {
		switch r {
		case '―', '─', '━', '-', '－', '‐', '…', '═':
			dashes++
			end = i + utf8.RuneLen(r)
		case '◇', '◆', '・', '＊':
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if dashes < 3 || !strings.ContainsRune("―─━-－‐…═", next) {
				break scan
			}
		default:
			break scan
		}
	}
	if dashes < 3 {
		return 0
	}
	return end
}

// Number reads a number as records write it, in kanji or digits; false if the text is not one.
func Number(s string) (int, bool) { return number(s) }

// number reads a number in kanji or digits; false if the text is not one.
func number(s string) (int, bool) {
	if s == "" {
		return 0, false
	}
	total, part, digit, any := 0, 0, 0, false
	for _, r := range s {
		var d int
		switch {
		case r >= '0' && r <= '9':
			d = int(r - '0')
		case r >= '０' && r <= '９':
			d = int(r - '０')
		default:
			d = strings.IndexRune("〇一二三四五六七八九", r)
			if d >= 0 {
				d /= len("一")
			}
			if r == '零' {
				d = 0
			}
		}
		switch {
		case d >= 0:
			digit, any = digit*10+d, true
		case r == '十' || r == '百' || r == '千':
			unit := map[rune]int{'十': 10, '百': 100, '千': 1000}[r]
			part += max(digit, 1) * unit
			digit, any = 0, true
		case r == '万':
			total += (part + digit) * 10000
			part, digit, any = 0, 0, true
		case r == ',' || r == '，':
		default:
			return 0, false
		}
	}
	return total + part + digit, any
}
