package embedded

import (
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// reading names the fields of one reading of a text: its terms, or its bases.
// How much a term weighs in a document is decided when the document is written:
// what weighs much is in the field strong too, and what weighs something in
// middle. Scores are then read off bitmaps, without a look at frequencies.
type reading struct{ text, title, middle, strong string }

var (
	readTerms = reading{fieldText, fieldTitle, fieldMiddle, fieldStrong}
	readBases = reading{fieldTextBases, fieldTitleBases, fieldMidBases, fieldHardBases}
)

// BM25 as everyone has it, with the length that is usual.
const (
	saturation = 1.2
	lengthBias = 0.75
	textLength = 250
)

// impact is what a term counts that occurs so often in so long a text: 1 for
// once in a usual one, at most 2.2.
func impact(freq, length int) float64 {
	f := float64(freq)
	return f * (saturation + 1) / (f + saturation*(1-lengthBias+lengthBias*float64(length)/textLength))
}

// The impacts from which a term is in middle or in strong, and what it then
// counts; what is in neither counts weakImpact.
const (
	middleFrom, strongFrom                 = 0.85, 1.4
	weakImpact, middleImpact, strongImpact = 0.6, 1.1, 1.7
)

// content is the text of a document as terms. It is read when the first of its
// fields is asked for, by the goroutine that analyses the document.
type content struct {
	title, rest string
	japanese    bool
	read        map[string][]text.Token // by field; nil before
}

func newContent(d *search.Document) *content {
	rest := strings.Join([]string{d.Summary, strings.Join(d.Tags, "\n"), cut(d.Body, maxIndexed)}, "\n")
	return &content{title: d.Title, rest: rest, japanese: text.IsJapanese(d.Title) || text.IsJapanese(rest)}
}

type contentField struct {
	name    string
	options index.FieldIndexingOptions
}

// fields lists the fields that the content fills.
func (c *content) fields() []contentField {
	list := []contentField{
		{fieldText, phraseOptions}, {fieldTitle, filterOptions}, {fieldMiddle, filterOptions}, {fieldStrong, filterOptions},
		{fieldLetters, filterOptions},
	}
	if c.japanese {
		list = append(list, contentField{fieldTextBases, filterOptions}, contentField{fieldTitleBases, filterOptions}, contentField{fieldMidBases, filterOptions}, contentField{fieldHardBases, filterOptions})
	}
	return list
}

// tokens returns what a field holds.
func (c *content) tokens(field string) []text.Token {
	if c.read == nil {
		c.read = map[string][]text.Token{}
		c.readTerms()
		if c.japanese {
			c.readBases()
		}
	}
	return c.read[field]
}

func (c *content) readTerms() {
	title, all := text.Terms(c.title), text.Terms(c.rest)
	if n := len(title); n > 0 {
		for i := range all {
			all[i].Pos += title[n-1].Pos + 2 // no phrase goes on from the title
		}
	}
	all = append(title[:len(title):len(title)], all...)
	counts := c.weigh(readTerms, title, all)
	c.read[fieldText], c.read[fieldLetters] = all, letters(counts)
}

// readBases is called when the dictionary has been loaded: see prepare.
func (c *content) readBases() {
	title, _ := text.Bases(c.title)
	rest, _ := text.Bases(c.rest)
	all := append(title[:len(title):len(title)], rest...)
	counts := c.weigh(readBases, title, all)
	c.read[fieldTextBases] = make([]text.Token, 0, len(counts))
	for term := range counts {
		c.read[fieldTextBases] = append(c.read[fieldTextBases], text.Token{Text: term, Pos: 1})
	}
}

// weigh fills the fields title, middle and strong of a reading, and returns how
// often each term occurs.
func (c *content) weigh(r reading, title, all []text.Token) map[string]int {
	counts := make(map[string]int, len(all))
	for i := range all {
		counts[all[i].Text]++
	}
	for term, n := range counts {
		field := ""
		switch w := impact(n, len(all)); {
		case w >= strongFrom:
			field = r.strong
		case w >= middleFrom:
			field = r.middle
		default:
			continue
		}
		c.read[field] = append(c.read[field], text.Token{Text: term, Pos: 1})
	}
	c.read[r.title] = title
	return counts
}

// letters returns the single letters of Japanese in terms: bigrams have them all.
func letters(terms map[string]int) []text.Token {
	seen := map[rune]bool{}
	var out []text.Token
	for term := range terms {
		for _, r := range term {
			if !seen[r] && text.IsLetter(string(r)) {
				seen[r] = true
				out = append(out, text.Token{Text: string(r), Pos: 1})
			}
		}
	}
	return out
}
