package thread

import (
	"hash/fnv"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sentence is a sentence as it compares: hashes of the pieces that it is made of, and of the
// numbers and days in it, in order.
type sentence struct{ pieces, numbers, days []uint32 }

// How much of the shorter text must stand in the longer one, and how much two sentences must
// have in common.
const (
	samePart     = 0.6
	sameSentence = 0.55
)

// samePrinting tells whether two texts are one report: most sentences of the shorter stand in
// the longer one, and no number or day in them became another.
func samePrinting(a, b []sentence) bool {
	if sizeOf(a) > sizeOf(b) {
		a, b = b, a
	}
	same, all := 0, 0
	for _, s := range a {
		all += len(s.pieces)
		best, at := 0.0, -1
		for i, o := range b {
			if v := 2 * float64(common(s.pieces, o.pieces)) / float64(max(1, len(s.pieces)+len(o.pieces))); v > best {
				best, at = v, i
			}
		}
		if best < sameSentence {
			continue
		}
		if differ(s.numbers, b[at].numbers) || differ(s.days, b[at].days) {
			return false
		}
		same += len(s.pieces)
	}
	return all > 0 && float64(same) >= samePart*float64(all)
}

// differ tells whether each of two lists has what the other has not: one is no longer than the
// other because of a cut, but because something became another.
func differ(a, b []uint32) bool {
	shared := common(a, b)
	return shared < len(a) && shared < len(b)
}

func sizeOf(text []sentence) int {
	n := 0
	for _, s := range text {
		n += len(s.pieces)
	}
	return n
}

// common counts what two ordered lists share.
func common(a, b []uint32) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			i, j, n = i+1, j+1, n+1
		}
	}
	return n
}

// sentences cuts a text into sentences. A quotation is part of the one that it stands in.
func sentences(text string, published time.Time) []sentence {
	var out []sentence
	start, depth := 0, 0
	runes := []rune(normal(text))
	cut := func(end int) {
		if s := strings.TrimSpace(string(runes[start:end])); s != "" {
			out = append(out, sentenceOf(s, published))
		}
		start = end
	}
	for i, r := range runes {
		switch r {
		case '「', '“':
			depth++
		case '」', '”':
			depth = max(0, depth-1)
		case '。', '\n':
			if depth == 0 {
				cut(i + 1)
			}
		case '.', '!', '?':
			if depth == 0 && (i+1 == len(runes) || unicode.IsSpace(runes[i+1])) && !abbreviated(runes, i) {
				cut(i + 1)
			}
		}
	}
	cut(len(runes))
	return out
}

func normal(text string) string { return strings.ReplaceAll(norm.NFKC.String(text), "’", "'") }

// abbreviated tells of Mr. and J. before a name.
func abbreviated(runes []rune, stop int) bool {
	i := stop
	for i > 0 && unicode.IsLetter(runes[i-1]) {
		i--
	}
	switch w := string(runes[i:stop]); w {
	case "Mr", "Mrs", "Ms", "Dr", "St":
		return true
	default:
		return len(w) == 1 && unicode.IsUpper(runes[i])
	}
}

// sentenceOf takes a sentence apart: words and pairs of words, and pairs of letters where there
// are no spaces.
func sentenceOf(s string, published time.Time) sentence {
	var out sentence
	t := &terms{of: map[Term]place{}, begin: published}
	t.numbers(s, body)
	for term := range t.of {
		switch term.Kind {
		case Number:
			out.numbers = append(out.numbers, hash(term.Text))
		case Day:
			out.days = append(out.days, hash(term.Text))
		}
	}
	lower, before := []rune(strings.ToLower(s)), ""
	for i := 0; i < len(lower); {
		j := i + 1
		switch {
		case spaced(lower[i]):
			for j < len(lower) && spaced(lower[j]) {
				j++
			}
			w := string(lower[i:j])
			out.pieces = append(out.pieces, hash(w), hash(before+" "+w))
			before = w
		case unicode.IsLetter(lower[i]) && j < len(lower) && unicode.IsLetter(lower[j]):
			out.pieces = append(out.pieces, hash(string(lower[i:i+2])))
		}
		i = j
	}
	for _, list := range []*[]uint32{&out.pieces, &out.numbers, &out.days} {
		slices.Sort(*list)
		*list = slices.Clip(slices.Compact(*list))
	}
	return out
}

// spaced tells of letters and digits of languages that put spaces.
func spaced(r rune) bool { return r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum32()
}
