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

// scripts is a set of them.
type scripts uint8

func (s scripts) has(one script) bool { return s&(1<<one) != 0 }

func only(all ...script) (s scripts) {
	for _, one := range all {
		s |= 1 << one
	}
	return s
}

// edges say beside which scripts a word cannot stand, because it would be a part
// of a longer word.
type edges struct{ before, after scripts }

// edgesOf decides by the ends of a word. Words with spaces between them, and
// katakana, go on as long as their script does. Japanese writes other words
// without a sign of where they end; only those so short that they are parts of
// many others must stand alone: one character of han, and up to two of hiragana,
// which behind han or katakana are mostly the ending of a word (残り, サボり).
func edgesOf(runes []rune) edges {
	e := edges{edge(scriptOf(runes[0]), runes), edge(scriptOf(runes[len(runes)-1]), runes)}
	if e.before.has(hiragana) {
		e.before |= only(han, katakana)
	}
	return e
}

func edge(s script, runes []rune) scripts {
	switch {
	case s == spaced, s == katakana:
		return only(s)
	case s == han && len(runes) == 1:
		return only(s)
	case s == hiragana && len(runes) <= 2 && all(runes, hiragana):
		return only(s)
	}
	return 0
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
	if start > 0 && e.before.has(scriptOf(text[start-1])) {
		return false
	}
	return end == len(text) || !e.after.has(scriptOf(text[end]))
}
