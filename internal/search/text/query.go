package text

import "strings"

// Unit is one thing that a reader asks for: a word between spaces, or what
// stands in quotation marks.
type Unit struct {
	Text  string
	Terms []Token // all of them, directly after each other
	Loose []Loose // or all of these, anywhere; none if only the letters count
	Not   bool    // what must not be there
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
// as they are written, -words are not wanted. Every text is a query; one without
// a letter has no units. It never waits for the dictionary.
func Parse(q string) []Unit {
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
			u.Loose = loose(p.text)
		}
		out = append(out, u)
	}
	return out
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
