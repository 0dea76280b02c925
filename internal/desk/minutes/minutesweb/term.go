package minutesweb

import (
	"html/template"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/web"
)

// term is a word that the article explains itself.
type term struct {
	minutes.Term
	ID   string
	used bool
}

// texts are the pieces of an article in which words are explained, each word the
// first time that it occurs.
type texts struct {
	terms  []term
	pieces []*template.HTML
}

func newTexts(terms []minutes.Term) *texts {
	t := &texts{}
	for i, one := range terms {
		t.terms = append(t.terms, term{Term: one, ID: "word-" + strconv.Itoa(i+1)})
	}
	return t
}

// put writes a text to its place, with the article's own terms explained. The place
// must stay where it is.
func (t *texts) put(place *template.HTML, text string) {
	if text == "" {
		return
	}
	var b strings.Builder
	for text != "" {
		at, which := t.next(text)
		if which == nil {
			break
		}
		which.used = true
		template.HTMLEscape(&b, []byte(text[:at]))
		which.write(&b)
		text = text[at+len(which.Term.Term):]
	}
	template.HTMLEscape(&b, []byte(text))
	*place = template.HTML(b.String()) //nolint:gosec // all text is escaped
	t.pieces = append(t.pieces, place)
}

// next finds the first term that was not explained yet; of those that begin at one
// place, the longest.
func (t *texts) next(text string) (int, *term) {
	at, found := -1, (*term)(nil)
	for i := range t.terms {
		one := &t.terms[i]
		if one.used {
			continue
		}
		n := indexWord(text, one.Term.Term)
		if n >= 0 && (at < 0 || n < at || n == at && len(one.Term.Term) > len(found.Term.Term)) {
			at, found = n, one
		}
	}
	return at, found
}

// indexWord finds a word that is not part of a longer one; words of languages
// without spaces may stand anywhere.
func indexWord(text, word string) int {
	if word == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		if !joins(before, first) && !joins(last, after) {
			return i
		}
		from = i + len(word)
	}
}

func joins(a, b rune) bool { return latin(a) && latin(b) }

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) || unicode.IsDigit(r) }

// write is the term in place: a link to its entry, with the meaning beside it. The
// meaning is a dfn, in which the glossary looks for nothing.
func (t *term) write(b *strings.Builder) {
	b.WriteString(`<span class="term"><a href="#` + t.ID + `" aria-describedby="gloss-` + t.ID + `">`)
	template.HTMLEscape(b, []byte(t.Term.Term))
	b.WriteString(`</a><dfn class="gloss" role="tooltip" id="gloss-` + t.ID + `">`)
	template.HTMLEscape(b, []byte(t.Definition))
	b.WriteString(`</dfn></span>`)
}

// between separates pieces on their way to the glossary; escaped text has no tags.
const between = "<hr>"

// explain lets the glossary mark the words that it knows, once in the whole article.
func (t *texts) explain(v *web.View) {
	if len(t.pieces) == 0 {
		return
	}
	all := make([]string, len(t.pieces))
	for i, piece := range t.pieces {
		all[i] = string(*piece)
	}
	out := v.Explain(template.HTML(strings.Join(all, between))) //nolint:gosec // each piece is safe
	explained := strings.Split(string(out), between)
	if len(explained) != len(all) {
		return // it is not as it was: better without
	}
	for i, piece := range t.pieces {
		*piece = template.HTML(explained[i]) //nolint:gosec // the glossary returns safe HTML
	}
}

// langOf is the language of a text, as far as a page must say it.
func langOf(text string) string {
	for _, r := range text {
		if unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) {
			return "ja"
		}
	}
	return ""
}
