package find

import "unicode"

// script is what matters of a rune for where words end.
type script uint8

const (
	other script = iota
	spaced
	katakana
	hiragana
	han
)

func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r == '_' {
			return spaced
		}
		return other
	case r >= 0x3041 && r <= 0x309F:
		return hiragana
	case r >= 0x30A1 && r <= 0x30FF && r != 0x30FB: // the middle dot separates words
		return katakana
	case r >= 0x4E00 && r <= 0x9FFF || r == 0x3005 || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x323AF:
		return han
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return spaced
	}
	return other
}

// edges say beside which scripts a word cannot stand, because it would be a part
// of a longer word: 0 for beside any.
type edges struct{ before, after script }

// edgesOf decides by the ends of a word. Words with spaces between them, and
// katakana, go on as long as their script does. Japanese writes other words
// without a sign of where they end; only those so short that they are parts of
// many others must stand alone: one character of han, and up to two of hiragana.
func edgesOf(runes []rune) edges {
	first, last := scriptOf(runes[0]), scriptOf(runes[len(runes)-1])
	return edges{edge(first, runes), edge(last, runes)}
}

func edge(s script, runes []rune) script {
	switch {
	case s == spaced, s == katakana:
		return s
	case s == han && len(runes) == 1:
		return s
	case s == hiragana && len(runes) <= 2 && all(runes, hiragana):
		return s
	}
	return other
}

func all(runes []rune, s script) bool {
	for _, r := range runes {
		if scriptOf(r) != s {
			return false
		}
	}
	return true
}

// allow reports whether the word may stand at text[start:end].
func (e edges) allow(text []rune, start, end int) bool {
	if e.before != other && start > 0 && scriptOf(text[start-1]) == e.before {
		return false
	}
	return e.after == other || end == len(text) || scriptOf(text[end]) != e.after
}
