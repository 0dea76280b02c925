package find

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text in the form in which it is compared, with the byte of the
// original at which each of its runes begins; one more start is the end.
type folded struct {
	runes  []rune
	starts []int32
}

// fold lowers case, makes wide letters narrow and narrow kana wide, joins letters
// with their marks, and takes any run of white space for one space.
func fold(text string) folded {
	f := folded{runes: make([]rune, 0, len(text)), starts: make([]int32, 0, len(text)+1)}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && c > ' ' && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			f.add(rune(c), i)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if mark, n := utf8.DecodeRuneInString(text[i+size:]); isMark(mark) {
			if joined, ok := join(r, mark); ok {
				r, size = joined, size+n
			}
		}
		r = foldRune(r)
		if r != ' ' || len(f.runes) == 0 || f.runes[len(f.runes)-1] != ' ' {
			f.add(r, i)
		}
		i += size
	}
	f.starts = append(f.starts, int32(len(text)))
	return f
}

func (f *folded) add(r rune, at int) {
	f.runes = append(f.runes, r)
	f.starts = append(f.starts, int32(at))
}

// isMark reports whether the rune may join with the one before it.
func isMark(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r == 0x3099 || r == 0x309A || r == 0xFF9E || r == 0xFF9F
}

func join(r, mark rune) (rune, bool) {
	text := norm.NFKC.String(string([]rune{r, mark}))
	joined, size := utf8.DecodeRuneInString(text)
	return joined, size == len(text)
}

func foldRune(r rune) rune {
	switch {
	case r == '\u2019' || r == '\u2018' || r == '\uFF07':
		return '\''
	case r >= 0xFF01 && r <= 0xFF5E:
		r -= 0xFF01 - '!'
	case r >= 0xFF61 && r <= 0xFF9F:
		return wide[r-0xFF61]
	case unicode.IsSpace(r):
		return ' '
	}
	return unicode.ToLower(r)
}

// wide holds the full forms of the narrow kana, from U+FF61 on.
var wide = func() (table [0xFFA0 - 0xFF61]rune) {
	for i := range table {
		table[i], _ = utf8.DecodeRuneInString(norm.NFKC.String(string(rune(0xFF61 + i))))
	}
	return table
}()
