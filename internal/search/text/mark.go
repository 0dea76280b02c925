package text

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestMarked bounds, in bytes, the texts whose inflected words are marked:
// reading them takes the dictionary.
const longestMarked = 1500

// Mark escapes a text for HTML and puts what the units ask for into <mark>.
func Mark(s string, units []Unit) string {
	var b strings.Builder
	at := 0
	for _, m := range spans(s, units) {
		b.WriteString(html.EscapeString(s[at:m[0]]))
		b.WriteString("<mark>")
		b.WriteString(html.EscapeString(s[m[0]:m[1]]))
		b.WriteString("</mark>")
		at = m[1]
	}
	b.WriteString(html.EscapeString(s[at:]))
	return b.String()
}

// Excerpt returns about width letters of a text, around the first place that
// fits the units.
func Excerpt(s string, units []Unit, width int) string {
	s = strings.ToValidUTF8(s, "�")
	start := back(s, first(s, units), width/4)
	end := forward(s, start, width)
	out := strings.Join(strings.Fields(s[start:end]), " ")
	if start > 0 {
		out = "… " + out
	}
	if end < len(s) {
		out += " …"
	}
	return out
}

// first returns where the text begins to fit, or 0. It compares letters as they
// are written, which is cheap: Mark looks more closely.
func first(s string, units []Unit) int {
	lower := strings.ToLower(s)
	if len(lower) != len(s) {
		lower = s
	}
	for _, u := range units {
		if u.Not {
			continue
		}
		if i := strings.Index(lower, strings.ToLower(u.Text)); i >= 0 {
			return i
		}
		for _, t := range u.Terms {
			if i := strings.Index(lower, t.Text); i >= 0 {
				return i
			}
		}
		for _, l := range u.Loose {
			if i := strings.Index(lower, root(l.Text)); i >= 0 {
				return i
			}
		}
		for _, other := range u.Also {
			if i := strings.Index(lower, strings.ToLower(other.Text)); i >= 0 {
				return i
			}
		}
	}
	return 0
}

// root is a dictionary form without the letters that inflection changes: the last
// one, and two of verbs like 関する and やってくる.
func root(base string) string {
	for _, irregular := range []string{"する", "ずる", "くる"} {
		if stem, ok := strings.CutSuffix(base, irregular); ok && stem != "" {
			return stem
		}
	}
	_, n := utf8.DecodeLastRuneInString(base)
	if n == len(base) {
		return base
	}
	return base[:len(base)-n]
}

func back(s string, i, letters int) int {
	for ; letters > 0 && i > 0; letters-- {
		_, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
	}
	return i
}

func forward(s string, i, letters int) int {
	for ; letters > 0 && i < len(s); letters-- {
		_, n := utf8.DecodeRuneInString(s[i:])
		i += n
	}
	return i
}

// spans returns the parts to mark, in order, not overlapping. Inflected words
// are looked for where a word is not there as it was written.
func spans(s string, units []Unit) [][2]int {
	terms := Terms(s)
	var out [][2]int
	var inflect []Unit
	for _, u := range units {
		if u.Not {
			continue
		}
		found := exact(s, terms, u)
		for _, other := range u.Also {
			if !other.Sound {
				found = append(found, exact(s, terms, Unit{Terms: other.Terms})...)
			}
		}
		out = append(out, found...)
		if len(found) == 0 && len(u.Loose) > 0 {
			inflect = append(inflect, u)
		}
	}
	if inflect != nil && len(s) <= longestMarked {
		bases, _ := tryBases(s, func(run string) bool { return mayInflect(run, inflect) })
		for _, u := range inflect {
			out = append(out, inflected(bases, u)...)
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], b[1]-a[1]) })
	merged := out[:0]
	for _, m := range out {
		if n := len(merged); n > 0 && m[0] <= merged[n-1][1] {
			merged[n-1][1] = max(merged[n-1][1], m[1])
			continue
		}
		merged = append(merged, m)
	}
	return merged
}

// mayInflect tells whether a folded text may have inflected forms of what units
// ask for: it has the part of one that inflection leaves. Reading it with the
// dictionary would tell for certain, and takes a hundred times as long.
func mayInflect(folded string, units []Unit) bool {
	for _, u := range units {
		for _, l := range u.Loose {
			if l.Base && (strings.Contains(folded, root(l.Text)) || changes(l.Text)) {
				return true
			}
		}
	}
	return false
}

// changes tells of words of which nothing may be left: する, した.
func changes(base string) bool {
	r, n := utf8.DecodeRuneInString(root(base))
	return n == len(root(base)) && unicode.Is(unicode.Hiragana, r)
}

// exact finds the unit's terms directly after each other.
func exact(s string, terms []Token, u Unit) [][2]int {
	if len(u.Terms) == 1 && IsLetter(u.Terms[0].Text) {
		return letter(s, u.Terms[0].Text)
	}
	var out [][2]int
	for i := range terms {
		if n := len(u.Terms); i+n <= len(terms) && follows(terms[i:i+n], u.Terms) {
			out = append(out, [2]int{terms[i].Start, terms[i+n-1].End})
		}
	}
	return out
}

func follows(got, want []Token) bool {
	for i := range want {
		if got[i].Text != want[i].Text || got[i].Pos-got[0].Pos != want[i].Pos-want[0].Pos {
			return false
		}
	}
	return true
}

func letter(s, want string) [][2]int {
	var out [][2]int
	f := Fold(s)
	for i, r := range f.Runes {
		if string(r) == want {
			out = append(out, [2]int{int(f.from[i]), int(f.to[i])})
		}
	}
	return out
}

// inflected finds words whose dictionary form the unit asks for.
func inflected(bases []Token, u Unit) [][2]int {
	var out [][2]int
	for _, b := range bases {
		if slices.Contains(u.Loose, Loose{Text: b.Text, Base: true}) {
			out = append(out, [2]int{b.Start, b.End})
		}
	}
	return out
}
