package builtin

import (
	"strings"
	"unicode"
)

// features returns what a sentence is about: pairs of characters where words are
// not separated, stems of words where they are. Pairs of hiragana alone, which are
// grammar, and common words are left out. Repetitions are kept.
func features(text string) []string {
	var out []string
	for _, w := range words(text) {
		switch {
		case !w.cjk:
			if s := stem(w.text); s != "" && !stopwords[w.text] {
				out = append(out, s)
			}
		default:
			out = append(out, pairs(w.text)...)
		}
	}
	return out
}

// word is a run of letters and digits of one kind, folded.
type word struct {
	text string
	cjk  bool
}

// words cuts a text into runs. Full-width letters and digits become plain ones, and
// all become lower case.
func words(text string) []word {
	var out []word
	var b strings.Builder
	cjk := false
	flush := func() {
		if b.Len() > 0 {
			out = append(out, word{strings.Trim(b.String(), "'"), cjk})
			b.Reset()
		}
	}
	for _, r := range text {
		r = fold(r)
		inWord := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == 'ー' || r == '\'' || r == '々'
		if !inWord {
			flush()
			continue
		}
		if wide := isCJK(r); wide != cjk {
			flush()
			cjk = wide
		}
		b.WriteRune(r)
	}
	flush()
	return out
}

func fold(r rune) rune {
	if r >= 0xff01 && r <= 0xff5e {
		r -= 0xfee0
	}
	if r == '’' {
		r = '\''
	}
	return unicode.ToLower(r)
}

func pairs(text string) []string {
	runes := []rune(text)
	if len(runes) == 1 {
		if unicode.Is(unicode.Han, runes[0]) {
			return []string{text}
		}
		return nil
	}
	var out []string
	for i := range len(runes) - 1 {
		if unicode.Is(unicode.Hiragana, runes[i]) && unicode.Is(unicode.Hiragana, runes[i+1]) {
			continue
		}
		out = append(out, string(runes[i:i+2]))
	}
	return out
}

// stem takes the commonest English endings off a word, so that "taxes" and "taxed"
// are one. It is "" for words of one letter.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	if len(w) < 2 {
		return ""
	}
	switch {
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && len(w) > 3 && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ingly", "edly", "ing", "ed", "ly"} {
		if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			w = undouble(base)
			break
		}
	}
	if len(w) > 4 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// undouble takes the second letter of "stopp" away, not that of "pass".
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// stopwords are the commonest words of English, which say nothing about a text.
var stopwords = set(`a about above after again all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing down during each few for from further had has have having he her
here hers him his how i if in into is it it's its itself just like many may me might more most much must my no nor not now of
off on once one only or other our out over own said same say says she should so some such than that the their them then
there these they this those through to too under until up upon us very was we were what when where which while who whom
why will with would yes you your don't isn't`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}
