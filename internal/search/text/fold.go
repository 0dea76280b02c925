package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folded is a text in the form in which letters compare: NFKC, lower case. Full
// and half width, capitals, and composed and decomposed letters are the same.
type Folded struct {
	Runes []rune
	from  []int32 // where in the original each rune begins
	to    []int32 // and ends
}

// Fold folds a text and remembers where each letter came from.
func Fold(s string) Folded {
	f := Folded{
		Runes: make([]rune, 0, len(s)/2+1), from: make([]int32, 0, len(s)/2+1), to: make([]int32, 0, len(s)/2+1),
	}
	for i := 0; i < len(s); {
		if n := f.simple(s, i); n > 0 {
			i += n
			continue
		}
		n := norm.NFKC.NextBoundaryInString(s[i:], true)
		if n <= 0 {
			n = len(s) - i
		}
		for _, r := range norm.NFKC.String(s[i : i+n]) {
			f.add(unicode.ToLower(r), i, i+n)
		}
		i += n
	}
	return f
}

// simple takes over a letter that NFKC leaves as it is, and no mark follows:
// nearly all of them. It returns its size, or 0.
func (f *Folded) simple(s string, i int) int {
	r, n := utf8.DecodeRuneInString(s[i:])
	if !plain(r) {
		return 0
	}
	if i+n < len(s) {
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		if !plain(next) && !norm.NFKC.PropertiesString(s[i+n:]).BoundaryBefore() {
			return 0
		}
	}
	if r < 0x80 && r >= 'A' && r <= 'Z' {
		r += 'a' - 'A'
	}
	f.add(r, i, i+n)
	return n
}

// plain names letters that are their own NFKC form and never join the letter
// before them.
func plain(r rune) bool {
	return r < 0x80 || r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fe || r >= 0x4e00 && r <= 0x9fff ||
		r >= 0x3001 && r <= 0x3015
}

func (f *Folded) add(r rune, from, to int) {
	f.Runes = append(f.Runes, r)
	f.from = append(f.from, int32(from)) //nolint:gosec // a text of 2 GB is no document
	f.to = append(f.to, int32(to))       //nolint:gosec // likewise
}

// token is the part between two letters, as a token.
func (f *Folded) token(i, j, pos int) Token {
	return Token{Text: string(f.Runes[i:j]), Start: int(f.from[i]), End: int(f.to[j-1]), Pos: pos}
}
