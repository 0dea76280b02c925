package embedded

import (
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// reading names the fields of one reading of a text: its terms, or its bases.
type reading struct{ text, title, often string }

var (
	readTerms = reading{fieldText, fieldTitle, fieldOften}
	readBases = reading{fieldTextBases, fieldTitleBases, fieldOftenBases}
	// Sounds are those of the title and the summary, which are in all titles' place.
	readSounds = reading{text: fieldSounds, title: fieldSounds}
)

// A score is read off bitmaps, without a look at frequencies and lengths: when a
// document is written, it is noted which terms it has often, and whether it is
// short or long.
const (
	oftenFrom = 3   // times
	shortTo   = 100 // terms
	longFrom  = 400

	isShort, isLong = "short", "long" // of fieldLength
)

// afterTitle is how far after the title the rest begins: farther than a phrase
// reaches, so that none goes on from the title.
const afterTitle = 1000

// content is the text of a document as terms. It is read when the first of its
// fields is asked for, by the goroutine that analyses the document.
type content struct {
	title, summary, rest string
	japanese             bool
	read                 map[string]index.TokenFrequencies // by field; nil before
}

func newContent(d *search.Document) *content {
	rest := strings.Join([]string{d.Summary, strings.Join(d.Tags, "\n"), cut(d.Body, maxIndexed), cut(d.Hidden, maxIndexed)}, "\n")
	return &content{title: d.Title, summary: d.Summary, rest: rest, japanese: text.IsJapanese(d.Title) || text.IsJapanese(rest)}
}

// fields returns the fields that the content fills.
func (c *content) fields() []*termField {
	names := []string{fieldText, fieldTitle, fieldOften, fieldLetters, fieldLength}
	if c.japanese {
		names = append(names, fieldTextBases, fieldTitleBases, fieldOftenBases, fieldSounds)
	}
	out := make([]*termField, len(names))
	for i, name := range names {
		out[i] = &termField{name: name, options: filterOptions, terms: func() index.TokenFrequencies { return c.field(name) }}
	}
	out[0].options = phraseOptions
	return out
}

func (c *content) field(name string) index.TokenFrequencies {
	if c.read == nil {
		c.read = map[string]index.TokenFrequencies{}
		c.readTerms()
		if c.japanese {
			c.readBases()
		}
	}
	return c.read[name]
}

func (c *content) readTerms() {
	title, rest := text.Terms(c.title), text.Terms(c.rest)
	if n := len(title); n > 0 {
		for i := range rest {
			rest[i].Pos += title[n-1].Pos + afterTitle
		}
	}
	all := append(title[:len(title):len(title)], rest...)
	t := c.note(readTerms, title, all)
	c.read[fieldText] = t.located(all)
	c.read[fieldLetters] = distinct(letters(t.terms))
	switch n := len(all); {
	case n <= shortTo:
		c.read[fieldLength] = distinct([]string{isShort})
	case n >= longFrom:
		c.read[fieldLength] = distinct([]string{isLong})
	}
}

// readBases is called when the dictionary has been loaded: see prepare.
func (c *content) readBases() {
	title, _ := text.Bases(c.title)
	rest, _ := text.Bases(c.rest)
	t := c.note(readBases, title, append(title[:len(title):len(title)], rest...))
	c.read[fieldTextBases] = distinct(t.terms)
	sounds, _ := text.Sounds(c.title + "\n" + c.summary)
	c.read[fieldSounds] = distinct(count(sounds).terms)
}

// note fills the fields title and often of a reading, and returns it counted.
func (c *content) note(r reading, title, all []text.Token) *tally {
	t := count(all)
	var often []string
	for i, n := range t.counts {
		if n >= oftenFrom {
			often = append(often, t.terms[i])
		}
	}
	c.read[r.often] = distinct(often)
	c.read[r.title] = distinct(count(title).terms)
	return t
}

// letters returns the single letters of Japanese in terms: bigrams have them all.
func letters(terms []string) []string {
	seen := map[rune]bool{}
	var out []string
	for _, term := range terms {
		for _, r := range term {
			if r >= 0x80 && !seen[r] {
				seen[r] = true
				if l := string(r); text.IsLetter(l) {
					out = append(out, l)
				}
			}
		}
	}
	return out
}
