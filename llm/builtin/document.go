package builtin

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pressroom/llm"
)

// document is the text that a request is about, cut and ranked.
type document struct {
	passages   []llm.Passage
	all        scope
	glossary   []llm.Gloss
	applied    []llm.Gloss // The glossary's entries that occur in the text.
	translated string      // The text with them replaced, if that was asked for.
	hint       string      // The messages, for facts such as a date.
}

// scope is a part of the document: all of it, some passages, or one.
type scope struct {
	doc       *document
	from, to  int // Indexes of passages.
	sentences []*sentence
}

// newDocument takes the passages, or the last message if there are none. Passages
// of the same order in a row are pieces of one and are put together.
func newDocument(req *llm.Request) *document {
	doc := &document{glossary: req.Glossary}
	for _, m := range req.Messages {
		doc.hint += m.Text + "\n"
	}
	passages := req.Passages
	if len(passages) == 0 {
		passages = []llm.Passage{{Order: 1, Text: req.Messages[len(req.Messages)-1].Text}}
	}
	for _, p := range passages {
		if n := len(doc.passages); n > 0 && doc.passages[n-1].Order == p.Order {
			doc.passages[n-1].Text += p.Text
			continue
		}
		doc.passages = append(doc.passages, p)
	}
	for i, p := range doc.passages {
		doc.cut(i, p)
	}
	vectorize(doc.all.sentences)
	rank(doc.all.sentences)
	doc.all.doc, doc.all.to = doc, len(doc.passages)
	doc.translate(req)
	return doc
}

// address is the speaker's name that minutes put in front of what is said.
var address = regexp.MustCompile(`^[○◯●〇][^\s　。]{1,40}[\s　]+`)

// cut appends the sentences of a passage.
func (d *document) cut(i int, p llm.Passage) {
	for n, s := range split(p.Text) {
		text := p.Text[s.start:s.end]
		text = text[len(address.FindString(text)):]
		d.all.sentences = append(d.all.sentences, &sentence{
			text: text, passage: i, order: p.Order, index: len(d.all.sentences), first: n == 0,
		})
	}
}

// text is all of the document.
func (d *document) text() string {
	var texts []string
	for _, p := range d.passages {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// part returns the scope of some passages.
func (s scope) part(from, to int) scope {
	out := scope{doc: s.doc, from: from, to: to}
	for _, sentence := range s.sentences {
		if sentence.passage >= from && sentence.passage < to {
			out.sentences = append(out.sentences, sentence)
		}
	}
	return out
}

// best returns the n best sentences in the order of the text.
func (s scope) best(n int) []*sentence {
	out := diverse(s.sentences, n)
	out = slices.Clone(out)
	slices.SortFunc(out, func(a, b *sentence) int { return cmp.Compare(a.index, b.index) })
	return out
}

// wrapped is a line break inside a sentence.
var wrapped = regexp.MustCompile(`[ \t]*[\r\n]+[ \t]*`)

// join puts sentences into one paragraph: with spaces, unless the script has none.
func join(sentences []*sentence) string {
	var b strings.Builder
	for _, s := range sentences {
		text := wrapped.ReplaceAllString(s.text, " ")
		if last, _ := utf8.DecodeLastRuneInString(b.String()); b.Len() > 0 && !isCJK(last) {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// orders returns where sentences come from, sorted, each once.
func orders(sentences []*sentence) []int {
	out := []int{}
	for _, s := range sentences {
		out = append(out, s.order)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// speakers returns the names of who speaks in the scope, in order, each once.
func (s scope) speakers() []string {
	var out []string
	for _, p := range s.doc.passages[s.from:s.to] {
		if p.Speaker != "" && !slices.Contains(out, p.Speaker) {
			out = append(out, p.Speaker)
		}
	}
	return out
}

// headline is the best of the sentences cut to a line, "" without any.
func headline(sentences []*sentence) string {
	best := diverse(sentences, 1)
	if len(best) == 0 {
		return ""
	}
	return shorten(connective.ReplaceAllString(join(best), ""), 76)
}

// connective ties a sentence to the one before it, which a headline has not.
var connective = regexp.MustCompile(`^(?:よって|したがって|従って|そこで|また|そして|なお|まず|次に|さらに|しかし|しかしながら|一方|However|Therefore|Moreover|Also|So|But|And)[、，,]\s*`)

// shorten cuts a text to so many columns, at a comma or a space, and takes the full
// stop away.
func shorten(text string, columns int) string {
	text = strings.TrimRight(text, "。．.")
	if width(text) <= columns {
		return text
	}
	used, end := 0, 0
	for i, r := range text {
		used++
		if isCJK(r) {
			used++
		}
		if used >= columns {
			end = i
			break
		}
	}
	head := text[:end]
	if i := strings.LastIndexAny(head, "、，,;； "); i > len(head)/2 {
		head = head[:i]
	}
	return strings.TrimSpace(head) + "…"
}

var dates = []*regexp.Regexp{
	regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`),
	regexp.MustCompile(`(\d{4})年\s*(\d{1,2})月\s*(\d{1,2})日`),
	regexp.MustCompile(`\b(\d{4})/(\d{1,2})/(\d{1,2})\b`),
}

// date returns the first date that messages or text name, as 2006-01-02.
func (d *document) date() string {
	for _, text := range []string{d.hint, d.text()} {
		for _, pattern := range dates {
			if m := pattern.FindStringSubmatch(text); m != nil {
				return m[1] + "-" + pad(m[2]) + "-" + pad(m[3])
			}
		}
	}
	return ""
}

func pad(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}

// language is "ja" if the text has kana, else "en".
func (d *document) language() string {
	for _, r := range d.text() {
		if r >= 0x3041 && r <= 0x30fe {
			return "ja"
		}
	}
	return "en"
}
