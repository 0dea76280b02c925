// Package text turns Japanese and English text into what is looked up. It gives
// every text two readings: terms, which are bigrams of Japanese and stems of
// words in Latin letters, and bases, which are the dictionary forms of Japanese
// words. Terms find anything that is written as the reader wrote it, new slang
// included (エモい); bases find what is inflected (訪れる in 訪れた). Neither does
// both.
//
// It promises that the same text always gives the same terms, that every token
// knows the bytes of the original it came from, and that the Japanese dictionary
// (about a second and 90 MB) is loaded once, when Japanese text first needs it.
//
// Start with Terms; fold.go is the form in which letters compare, japanese.go
// the dictionary, query.go what a reader types, mark.go what a reader is shown.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	porterstemmer "github.com/blevesearch/go-porterstemmer"
)

// Token is a term and where it came from.
type Token struct {
	Text       string
	Start, End int  // bytes of the original text
	Pos        int  // terms that follow each other directly have positions that do
	Inflects   bool // of a base: a verb or an adjective
}

// class is what a letter means for where words begin and end.
type class uint8

const (
	separator class = iota
	stop            // ends a sentence: no phrase reaches over it
	word            // letters and digits of languages that put spaces
	cjk             // letters of languages that do not
)

func classOf(r rune) class {
	switch {
	case r < 0x80:
		return asciiClass(r)
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa, r == 'ー', r == '々', r == '〆', r == '〇',
		r >= 0x4e00 && r <= 0x9fff, unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return cjk
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return word
	case r == '。':
		return stop
	}
	return separator
}

func asciiClass(r rune) class {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
		return word
	case r == '.', r == '!', r == '?', r == '\n':
		return stop
	}
	return separator
}

// Terms returns the bigrams and stems of a text, in order. A single letter of
// Japanese between others is a term of its own; for all letters see Letters.
func Terms(s string) []Token {
	f := Fold(s)
	out := make([]Token, 0, len(f.Runes))
	pos := 1
	for i := 0; i < len(f.Runes); {
		c := classOf(f.Runes[i])
		j := i + 1
		for j < len(f.Runes) && joins(f.Runes, j, c) {
			j++
		}
		switch c {
		case cjk:
			for k := i; k == i || k+1 < j; k++ {
				out = append(out, f.token(k, min(k+2, j), pos))
				pos++
			}
			pos += min(j-i-1, 1) // the last letter's own place
		case word:
			t := f.token(i, j, pos)
			t.Text = stem(t.Text)
			out = append(out, t)
			pos++
		case stop:
			pos++
		}
		i = j
	}
	return out
}

// Letters returns the different letters of the Japanese in a text.
func Letters(s string) []string {
	var out []string
	seen := map[rune]bool{}
	for _, r := range Fold(s).Runes {
		if classOf(r) == cjk && !seen[r] {
			seen[r] = true
			out = append(out, string(r))
		}
	}
	return out
}

// IsLetter tells whether a term is a single letter of Japanese.
func IsLetter(term string) bool {
	r, n := utf8.DecodeRuneInString(term)
	return n == len(term) && classOf(r) == cjk
}

// IsNumber tells whether a term is a number, in digits of either script.
func IsNumber(term string) bool {
	for _, r := range term {
		if (r < '0' || r > '9') && !strings.ContainsRune("〇一二三四五六七八九十百千", r) {
			return false
		}
	}
	return term != ""
}

// joins tells whether letter j belongs to the run of class c before it. An
// apostrophe or a full stop between letters is part of the word: don't, 3.5.
func joins(runes []rune, j int, c class) bool {
	next := classOf(runes[j])
	if c == word && next != word && j+1 < len(runes) && classOf(runes[j+1]) == word {
		switch runes[j] {
		case '\'', '’':
			return unicode.IsLetter(runes[j-1])
		case '.', ',':
			return unicode.IsDigit(runes[j-1]) && unicode.IsDigit(runes[j+1])
		}
	}
	return next == c
}

// stem cuts a word to what its forms have in common. Words with digits stay as
// they are: they are names.
func stem(w string) string {
	w = strings.ReplaceAll(w, "’", "'")
	w = strings.TrimSuffix(w, "'s")
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	if len(w) < 3 {
		return w
	}
	return porterstemmer.StemString(w)
}

// Words returns the words in Latin letters and in katakana, and the runs of kanji, as they
// are written, folded, without stemming: what a misspelt one is compared with.
func Words(s string) []string {
	var out []string
	f := Fold(s)
	for i := 0; i < len(f.Runes); {
		c := classOf(f.Runes[i])
		j := i + 1
		for j < len(f.Runes) && joins(f.Runes, j, c) {
			j++
		}
		if c == cjk {
			for j = i + 1; j < len(f.Runes) && classOf(f.Runes[j]) == cjk && script(f.Runes[j]) == script(f.Runes[i]); {
				j++
			}
		}
		if (c == word || c == cjk && script(f.Runes[i]) != unicode.Hiragana) && j-i >= 3 {
			out = append(out, string(f.Runes[i:j]))
		}
		i = j
	}
	return out
}

// Starts returns the folded text from each place where a reader may begin to
// type a part of it: its beginning, the beginnings of words, and where Japanese
// changes from kana to kanji or katakana. At most limit of them, each at most
// size letters long.
func Starts(s string, limit, size int) []string {
	f := Fold(strings.TrimSpace(s))
	var out []string
	for i := range f.Runes {
		if len(out) == limit {
			break
		}
		if i == 0 || begins(f.Runes[i-1], f.Runes[i]) {
			out = append(out, string(f.Runes[i:min(i+size, len(f.Runes))]))
		}
	}
	return out
}

func begins(before, r rune) bool {
	b, c := classOf(before), classOf(r)
	if c != word && c != cjk {
		return false
	}
	return b != c || c == cjk && script(r) != script(before) && script(r) != unicode.Hiragana && r != 'ー'
}

func script(r rune) *unicode.RangeTable {
	switch {
	case unicode.Is(unicode.Hiragana, r):
		return unicode.Hiragana
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return unicode.Katakana
	}
	return unicode.Han
}
