// Package excerpt picks sentences of a news text, word for word, without a language model.
//
// It promises that every sentence stands in the text as it is; that none is cut inside
// quotation marks; that a sentence which turns on another stands directly behind it;
// that nothing is said twice; and that what the headline promises is in it, as far as the
// text says it in so few sentences. It understands nothing: where it is unsure whether a
// sentence stands alone, the sentence does not.
//
// Start with [Make]; sentence.go cuts a text, noise.go leaves out what is no part of it,
// english.go and japanese.go tell which sentences turn on others, keyword.go finds names
// and terms.
package excerpt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt is what was picked.
type Excerpt struct {
	Sentences []string // in the order of the text
	Keywords  []string // names and terms of the text
}

// Text is the sentences as one paragraph.
func (e Excerpt) Text() string {
	var b strings.Builder
	for _, s := range e.Sentences {
		if last, _ := utf8.DecodeLastRuneInString(b.String()); b.Len() > 0 && !wide(last) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// The measures of an excerpt.
const (
	maxPicked = 4   // sentences that are picked, besides those that they need
	maxNeeded = 3   // sentences that one picked sentence brings with it, at most
	maxWidth  = 640 // columns, two for a character of a wide script
	minWidth  = 150 // columns, below which the lead goes on
	sameShare = 0.7 // of the words that two sentences share if they say the same
)

// Make picks an excerpt of a text whose paragraphs have an empty line between them.
func Make(title, text string) Excerpt {
	t := read(title, text)
	if len(t.sentences) == 0 {
		return Excerpt{}
	}
	p := picker{text: t, missing: t.promised(), most: max(min(maxWidth, columns(text)/2), columns(t.sentences[0].text))}
	p.take([]int{0}) // nothing before it is left out
	p.goOn()
	for n := 1; n < maxPicked; n++ {
		best := p.best()
		if best == nil {
			break
		}
		p.take(best)
	}
	slices.Sort(p.taken)
	e := Excerpt{Keywords: t.keywords()}
	for _, i := range p.taken {
		e.Sentences = append(e.Sentences, t.sentences[i].text)
	}
	return e
}

// text is a news text, cut.
type text struct {
	title     string
	japanese  bool
	known     map[string]bool // words of the headline
	sentences []sentence
}

// sentence is a sentence of a text.
type sentence struct {
	text  string
	words map[string]bool
	opens bool // a paragraph
	hangs bool // it turns on the sentence before it
}

func read(title, body string) *text {
	t := &text{title: title, japanese: isJapanese(title + body), known: words(title)}
	for _, paragraph := range articleOf(body) {
		for i, s := range split(paragraph) {
			t.sentences = append(t.sentences, sentence{text: s, words: words(s), opens: i == 0})
		}
	}
	if len(t.sentences) == 0 {
		return t
	}
	known := union(t.known, t.sentences[0].words)
	for i := range t.sentences {
		s := &t.sentences[i]
		if t.japanese {
			s.hangs = hangsJapanese(s.text, known)
		} else {
			s.hangs = hangsEnglish(s, known)
		}
	}
	return t
}

// promised are the words of the headline that the text has.
func (t *text) promised() map[string]bool {
	out := map[string]bool{}
	for w := range t.known {
		if slices.ContainsFunc(t.sentences, func(s sentence) bool { return s.words[w] }) {
			out[w] = true
		}
	}
	return out
}

// picker picks sentences.
type picker struct {
	*text
	missing map[string]bool // what the headline promises and nothing picked says
	taken   []int
	most    int // columns
}

// needs are a sentence and those before it that it turns on, nil if they are too many.
func (p *picker) needs(i int) []int {
	list := []int{i}
	for i > 0 && p.sentences[i].hangs && !slices.Contains(p.taken, i-1) {
		if i--; len(list) > maxNeeded {
			return nil
		}
		list = append(list, i)
	}
	return list
}

func (p *picker) take(list []int) {
	for _, i := range list {
		if !slices.Contains(p.taken, i) {
			p.taken = append(p.taken, i)
		}
		for w := range p.sentences[i].words {
			delete(p.missing, w)
		}
	}
}

func (p *picker) width() int {
	sum := 0
	for _, i := range p.taken {
		sum += columns(p.sentences[i].text)
	}
	return sum
}

// best are the sentences that say most of what is missing in fewest words, nil if none
// says any of it.
func (p *picker) best() []int {
	var best []int
	most := 0.0
	for i := range p.sentences {
		if slices.Contains(p.taken, i) || isQuestion(p.sentences[i].text) {
			continue
		}
		list := p.needs(i)
		if list == nil || p.repeats(list) || p.tooLong(list) {
			continue
		}
		gain := 0.0
		for w := range p.missing {
			if slices.ContainsFunc(list, func(i int) bool { return p.sentences[i].words[w] }) {
				gain += weigh(w)
			}
		}
		if gain -= 0.3 * float64(len(list)-1); gain >= 1 && gain > most {
			best, most = list, gain
		}
	}
	return best
}

func (p *picker) tooLong(list []int) bool {
	sum := p.width()
	for _, i := range list {
		sum += columns(p.sentences[i].text)
	}
	return sum > p.most
}

// repeats tells whether a sentence says what a picked one says.
func (p *picker) repeats(list []int) bool {
	return slices.ContainsFunc(list, func(i int) bool {
		return slices.ContainsFunc(p.taken, func(j int) bool {
			return i != j && alike(p.sentences[i].words, p.sentences[j].words)
		})
	})
}

// goOn takes the sentences after the lead until the excerpt is long enough.
func (p *picker) goOn() {
	for i := 1; i < len(p.sentences) && p.width() < minWidth; i++ {
		if slices.Contains(p.taken, i) {
			continue
		}
		if isQuestion(p.sentences[i].text) || p.repeats([]int{i}) || p.tooLong([]int{i}) {
			return
		}
		p.take([]int{i})
	}
}

// alike tells whether a says what b says: most of its words, and no other figure.
func alike(a, b map[string]bool) bool {
	n := 0
	for w := range a {
		if r, _ := utf8.DecodeRuneInString(w); b[w] {
			n++
		} else if unicode.IsDigit(r) {
			return false
		}
	}
	return n > 0 && float64(n) >= sameShare*float64(min(len(a), len(b)))
}

func union(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	for w := range a {
		out[w] = true
	}
	for w := range b {
		out[w] = true
	}
	return out
}

// weigh is how much a word of the headline counts: a figure most.
func weigh(w string) float64 {
	r, _ := utf8.DecodeRuneInString(w)
	switch {
	case unicode.IsDigit(r):
		return 1.5
	case wide(r): // half of a word
		return 0.5
	}
	return 1
}
