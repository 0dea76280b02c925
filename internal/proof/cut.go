package proof

import (
	"fmt"
	"slices"
	"strings"
)

// Verdicts are the strictest verdicts on the sentences of a text, by their places.
type Verdicts map[string]Verdict

// ByPlace returns the verdict on each sentence: the strictest of its claims'.
func ByPlace(claims []Claim) Verdicts {
	v := Verdicts{}
	for _, c := range claims {
		if old, ok := v[c.Where]; !ok || c.Verdict.rank() > old.rank() {
			v[c.Where] = c.Verdict
		}
	}
	return v
}

// Worse returns of each sentence that is worse than a verdict the claim that makes it so, in the order of the sentences.
func Worse(claims []Claim, than Verdict) []Claim {
	v := ByPlace(claims)
	var out []Claim
	for _, c := range claims {
		said := func(o Claim) bool { return o.Where == c.Where }
		if c.Verdict.rank() > than.rank() && c.Verdict == v[c.Where] && !slices.ContainsFunc(out, said) {
			out = append(out, c)
		}
	}
	return out
}

// Keeps tells whether what stands at a place is no worse than a verdict. What was not checked is kept.
func (v Verdicts) Keeps(where string, worst Verdict) bool {
	got, ok := v[where]
	return !ok || got.rank() <= worst.rank()
}

// Text returns the sentences of a text that are no worse than a verdict, with what stands between them.
func (v Verdicts) Text(where, text string, worst Verdict) string {
	runes := []rune(text)
	var out strings.Builder
	from := 0
	for i, s := range split(fold(text), language(text)) {
		if v.Keeps(placeOf(where, i), worst) {
			out.WriteString(string(runes[from:s.to]))
		}
		from = s.to
	}
	return strings.TrimSpace(out.String())
}

// Split returns the sentences of a text with their places, as [Verdicts.Text] knows them.
func Split(where, text string, orders []int) []Sentence {
	var out []Sentence
	runes := []rune(text)
	for i, s := range split(fold(text), language(text)) {
		out = append(out, Sentence{Where: placeOf(where, i), Text: strings.TrimSpace(string(runes[s.from:s.to])), Orders: orders})
	}
	return out
}

// placeOf names a sentence of a text: the first has the text's own name.
func placeOf(where string, i int) string {
	if i == 0 {
		return where
	}
	return fmt.Sprintf("%s#%d", where, i+1)
}
