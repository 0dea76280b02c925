package builtin

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pressroom/llm"
)

// translate finds the glossary's terms in the text, and replaces them if the
// request's purpose, or a field of its schema, is a translation.
func (d *document) translate(req *llm.Request) {
	if len(req.Glossary) == 0 {
		return
	}
	replaced, applied := replace(d.text(), req.Glossary)
	d.applied = applied
	if strings.Contains(req.Labels.Purpose, "translat") || req.Schema != nil && hasTranslation(req.Schema) {
		d.translated = replaced
	}
}

func hasTranslation(s *llm.Schema) bool {
	for name := range s.Tree().Properties {
		if is(translationNames, name) {
			return true
		}
	}
	return false
}

// replace puts the meaning in place of each term, the longest that fits, without
// regard to case; terms with Latin letters at an end must end there as words do. It
// also returns the entries that it used, in the order of the glossary.
func replace(text string, glossary []llm.Gloss) (string, []llm.Gloss) {
	byFirst := index(glossary)
	used := make([]bool, len(glossary))
	var b strings.Builder
	before := rune(0)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		length, entry := 0, -1
		for _, g := range byFirst[fold(r)] {
			if n := match(text[i:], glossary[g].Term, before); n > 0 {
				length, entry = n, g
				break
			}
		}
		if entry < 0 {
			b.WriteString(text[i : i+size])
			before, i = r, i+size
			continue
		}
		used[entry] = true
		b.WriteString(glossary[entry].Meaning)
		i += length
		before, _ = utf8.DecodeLastRuneInString(text[:i])
	}
	applied := []llm.Gloss{}
	for i, g := range glossary {
		if used[i] {
			applied = append(applied, g)
		}
	}
	return b.String(), applied
}

// index lists entries by the first character of their term, longest first.
func index(glossary []llm.Gloss) map[rune][]int {
	out := map[rune][]int{}
	for i, g := range glossary {
		if r, size := utf8.DecodeRuneInString(g.Term); size > 0 && g.Meaning != "" {
			out[fold(r)] = append(out[fold(r)], i)
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(len(glossary[b].Term), len(glossary[a].Term)) })
	}
	return out
}

// match returns how many bytes at the start of text are the term, 0 for none.
func match(text, term string, before rune) int {
	n := 0
	var first, last rune
	for i, want := range term {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || fold(r) != fold(want) {
			return 0
		}
		if i == 0 {
			first = r
		}
		last, n = r, n+size
	}
	after, _ := utf8.DecodeRuneInString(text[n:])
	if joined(before, first) || n < len(text) && joined(last, after) {
		return 0
	}
	return n
}

// joined tells whether two characters are of one word in a script with spaces.
func joined(a, b rune) bool {
	return isWord(a) && isWord(b)
}

func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !isCJK(r)
}
