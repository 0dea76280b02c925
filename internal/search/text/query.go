package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Unit is one thing that a reader asks for: a word between spaces, or what
// stands in quotation marks.
type Unit struct {
	Text  string
	Terms []Token // all of them, directly after each other
	Loose []Loose // or all of these, anywhere; none if only the letters count
	Also  []Also  // or one of these
	Not   bool    // what must not be there
}

// Also is something that may stand in the place of what a reader asks for.
type Also struct {
	Text  string
	Terms []Token // all of them, directly after each other
	Sound bool    // the terms are those of Sounds
	Why   string  // Reading or Synonym
}

// Why something else fits.
const (
	Reading = "reading" // it is read so
	Synonym = "synonym" // it means the same
)

// Synonyms are words of a query and others that mean the same.
type Synonyms struct {
	Words string
	Or    []string
}

// Loose is a term that counts wherever it stands.
type Loose struct {
	Text string
	Base bool // a dictionary form; otherwise a term
}

// MaxUnits is how many words of a query are looked at.
const MaxUnits = 16

// maxUnit is how many letters of one word are looked at.
const maxUnit = 80

// Parse reads a query: words are all wanted, "words in quotation marks" (or 「」)
// as they are written, -words are not wanted. A word in kana also stands for what is read
// so, and words for others that mean the same. Every text is a query; one without a letter
// has no units. It never waits for the dictionary.
func Parse(q string, synonyms ...Synonyms) []Unit {
	var out []Unit
	for _, p := range pieces(q) {
		if len(out) == MaxUnits {
			break
		}
		if r := []rune(p.text); len(r) > maxUnit {
			p.text = string(r[:maxUnit])
		}
		u := Unit{Text: p.text, Terms: Terms(p.text), Not: p.not}
		if len(u.Terms) == 0 {
			continue
		}
		if !p.exact && !p.not {
			u.Loose, u.Also = loose(p.text), read(p.text)
		}
		out = append(out, u)
	}
	for _, same := range synonyms {
		out = join(out, same)
	}
	return out
}

// read returns what a word in kana may be the reading of.
func read(s string) []Also {
	folded := string(Fold(s).Runes)
	if utf8.RuneCountInString(folded) < leastKana || !IsKana(folded) {
		return nil
	}
	var out []Also
	for _, other := range append([]string{strings.Map(hiragana, folded), strings.Map(katakana, folded)}, homonyms(folded)...) {
		if other != folded {
			out = append(out, Also{Text: other, Terms: Terms(other), Why: Reading})
		}
	}
	if terms := soundTerms(folded); len(terms) > 1 {
		out = append(out, Also{Text: folded, Terms: terms, Sound: true, Why: Reading})
	}
	return out
}

// join makes one unit of those that are the words of synonyms, each of them anywhere, and
// adds the others.
func join(units []Unit, same Synonyms) []Unit {
	for i := range units {
		var text []string
		for j := i; j < len(units) && !units[j].Not; j++ {
			if text = append(text, units[j].Text); strings.Join(text, " ") != same.Words {
				continue
			}
			u := units[i]
			if j > i {
				u = Unit{Text: same.Words, Terms: Terms(same.Words)}
				for _, part := range units[i : j+1] {
					for _, t := range part.Terms {
						u.Loose = append(u.Loose, Loose{Text: t.Text})
					}
				}
			}
			for _, other := range same.Or {
				if terms := Terms(other); len(terms) > 0 {
					u.Also = append(u.Also, Also{Text: other, Terms: terms, Why: Synonym})
				}
			}
			return slices.Replace(units, i, j+1, u)
		}
	}
	return units
}

// loose returns the dictionary forms of the Japanese in a word and the stems of
// the rest. Without a dictionary in memory there are none yet.
func loose(s string) []Loose {
	bases, ok := TryBases(s)
	if !ok || len(bases) == 0 || compound(s, bases) {
		return nil
	}
	var out []Loose
	for _, b := range bases {
		out = append(out, Loose{Text: b.Text, Base: true})
	}
	for _, t := range Terms(s) {
		if classOf([]rune(t.Text)[0]) == word {
			out = append(out, Loose{Text: t.Text})
		}
	}
	return out
}

// compound tells of nouns without anything between them, 東京都, which mean
// together what they do not mean apart.
func compound(s string, bases []Token) bool {
	var b strings.Builder
	for _, t := range bases {
		if t.Inflects {
			return false
		}
		b.WriteString(t.Text)
	}
	return len(bases) > 1 && b.String() == string(Fold(s).Runes)
}

type piece struct {
	text       string
	exact, not bool
}

// closing has the quotation marks that a reader may use.
var closing = map[rune]rune{'"': '"', '“': '”', '「': '」', '『': '』', '＂': '＂'}

func pieces(q string) []piece {
	var out []piece
	var b strings.Builder
	var p piece
	var until rune
	flush := func() {
		if b.Len() > 0 {
			p.text = b.String()
			out = append(out, p)
		}
		b.Reset()
		p, until = piece{}, 0
	}
	for _, r := range q {
		switch {
		case until != 0 && r == until, until == 0 && (r == ' ' || r == '　' || r == '\t' || r == '\n'):
			flush()
		case until == 0 && b.Len() == 0 && !p.not && (r == '-' || r == '－'):
			p.not = true
		case until == 0 && closing[r] != 0:
			not := p.not && b.Len() == 0
			flush()
			p.exact, p.not, until = true, not, closing[r]
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return out
}
