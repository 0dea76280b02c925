package page

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// Most news pages mark their text: one <article>, or an articleBody. There, the
// paragraphs can be read as they stand, which is many times faster than to score
// every element of the page, and does not depend on what else is on it.

// asideNames are names, in class or id, of what stands in an article and is not its
// text.
var asideNames = regexp.MustCompile(`(?i)\b(share|sharing|social|related|recommend\w*|promo\w*|advert\w*|ads?|banner|newsletter|comment\w*|breadcrumb\w*|byline|caption|tags?|toolbar|widget|sponsor\w*|subscribe|paywall|sns|kanren)\b`)

// markedLength is the least text that makes a marked body worth taking.
const markedLength = 300

// usualLength is what most texts are shorter than, in bytes.
const usualLength = 16 << 10

// markedText returns the text of the element that the page marks as its body; ""
// if it marks none, or several, or one without much text in paragraphs.
func (p *Page) markedText() string {
	from := p.hints.body
	if from.at == 0 {
		if p.hints.articles != 1 {
			return ""
		}
		from = p.hints.article
	}
	b := body{root: from.name, scanner: scanner{src: p.text, pos: from.at}}
	b.out = make([]byte, 0, min(len(p.text)-from.at, usualLength))
	b.read()
	text := string(b.out)
	if n := utf8.RuneCountInString(text); n < markedLength || b.linked*4 > n {
		return ""
	}
	return text
}

// mode is what is done with the content of an element.
type mode byte

const (
	descend mode = iota // look for text in the elements in it
	take                // it is text
	skip                // it is none
)

// frame is an open element.
type frame struct {
	name  atom.Atom
	mode  mode
	block bool // it begins and ends a paragraph
}

// body takes the text out of a marked body.
type body struct {
	scanner
	writer
	root    atom.Atom
	open    []frame // within the body
	links   int     // how many of them are links
	drawing int     // and drawings
	linked  int     // characters of links
}

// read reads up to the end tag of the body.
func (b *body) read() {
	for t := b.next(); t != nil; t = b.next() {
		switch t.kind {
		case textToken:
			b.words(t)
		case startToken:
			b.begin(t)
		case endToken:
			if !b.end(t) {
				b.writer.end()
				return
			}
		}
	}
	b.writer.end()
}

func (b *body) mode() mode {
	if len(b.open) == 0 {
		return descend
	}
	return b.open[len(b.open)-1].mode
}

func (b *body) words(t *token) {
	if b.mode() != take {
		return
	}
	if b.links > 0 {
		b.linked += utf8.RuneCountInString(clean(t.text()))
	}
	if t.plain || bytes.IndexByte(t.raw, '&') < 0 {
		b.line = append(b.line, t.raw...)
	} else {
		b.line = append(b.line, t.text()...)
	}
}

func (b *body) begin(t *token) {
	b.closeImplied(t.name)
	f := frame{name: t.name, mode: b.modeOf(t)}
	f.block = f.mode == take && (breaks(t.name) || b.mode() == descend)
	if f.mode == take {
		switch {
		case f.block:
			b.writer.end()
		case t.name == atom.Br || t.name == atom.Td || t.name == atom.Th:
			b.line = append(b.line, ' ')
		}
	}
	if drawn := t.name == atom.Svg || b.drawing > 0; drawn {
		b.inside = 0 // in a drawing, no element is text only
		if t.empty {
			return
		}
	}
	if isVoid(t.name) || len(b.open) > maxNesting {
		return
	}
	if t.name == atom.Svg {
		b.drawing++
	}
	if t.name == atom.A {
		b.links++
	}
	b.open = append(b.open, f)
}

// modeOf decides about an element by where it stands and what it is.
func (b *body) modeOf(t *token) mode {
	switch outer := b.mode(); {
	case outer == skip || skipped(t.name):
		return skip
	case outer == take:
		return take
	}
	switch t.name {
	case atom.P, atom.H2, atom.H3, atom.H4, atom.Blockquote, atom.Pre, atom.Li, atom.Dd, atom.Dt, atom.Td:
		return take
	case atom.H1, atom.Header, atom.Time, atom.Aside, atom.Nav, atom.Footer, atom.Form, atom.Figure, atom.Select, atom.Dialog:
		return skip
	}
	name := t.attr("class") + " " + t.attr("id")
	if name != " " && asideNames.MatchString(strings.ReplaceAll(name, "_", " ")) {
		return skip
	}
	return descend
}

// end closes an element, and those in it that were left open; false if it is the
// body that ends. An end tag of what is not open says nothing.
func (b *body) end(t *token) bool {
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i].name == t.name {
			b.pop(i)
			return true
		}
	}
	switch t.name {
	case b.root, atom.Article, atom.Div, atom.Section, atom.Main, atom.Body, atom.Html:
		return false // the body's own, or of what it stands in
	}
	return true
}

// pop closes the open elements from the i-th on.
func (b *body) pop(i int) {
	for _, f := range b.open[i:] {
		switch f.name {
		case atom.A:
			b.links--
		case atom.Svg:
			b.drawing--
		}
		if f.block {
			b.writer.end()
		}
	}
	b.open = b.open[:i]
}

// closeImplied closes the elements whose end tags may be left out where a start
// tag stands: a paragraph before the next one, an item of a list before the next.
func (b *body) closeImplied(name atom.Atom) {
	for i := len(b.open) - 1; i >= 0 && ends(name, b.open[i].name); i-- {
		b.pop(i)
	}
}

// ends reports whether the start tag of one element ends another that is open.
func ends(begins, open atom.Atom) bool {
	switch open {
	case atom.P:
		switch begins {
		case atom.Td, atom.Th, atom.Aside, atom.Nav, atom.Form, atom.Fieldset, atom.Details, atom.Menu:
			return true
		}
		return breaks(begins)
	case atom.Li:
		return begins == atom.Li
	case atom.Dt, atom.Dd:
		return begins == atom.Dt || begins == atom.Dd
	case atom.Td, atom.Th:
		return begins == atom.Td || begins == atom.Th || begins == atom.Tr
	case atom.Tr:
		return begins == atom.Tr
	case atom.Rt, atom.Rp:
		return begins == atom.Rt || begins == atom.Rp
	}
	return false
}

// isVoid reports whether an element has no end tag.
func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}
