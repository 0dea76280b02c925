package page

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Most news pages mark their text: one <article>, or an articleBody. There, the
// paragraphs can be read as they stand, which is several times faster than to
// score every element of the page, and does not depend on what else is on it.

// aside are elements and names, in class or id, of what stands in an article and
// is not its text.
var (
	asideElements = map[atom.Atom]bool{atom.Aside: true, atom.Nav: true, atom.Footer: true, atom.Form: true, atom.Figure: true, atom.Button: true, atom.Select: true, atom.Dialog: true}
	asideNames    = regexp.MustCompile(`(?i)\b(share|sharing|social|related|recommend\w*|promo\w*|advert\w*|ads?|banner|newsletter|comment\w*|breadcrumb\w*|byline|caption|tags?|toolbar|widget|sponsor\w*|subscribe|paywall|sns|kanren)\b`)
)

// markedLength is the least text that makes a marked body worth taking.
const markedLength = 300

// markedText returns the text of the element that the page marks as its body; ""
// if it marks none, or several, or one without much text in paragraphs.
func (p *Page) markedText() string {
	body := p.hints.body
	if body == nil {
		if p.hints.articles != 1 {
			return ""
		}
		body = p.hints.article
	}
	w := &writer{}
	linked := w.body(body, 0)
	w.end()
	text := strings.Join(w.paragraphs, "\n\n")
	if n := utf8.RuneCountInString(text); n < markedLength || linked*4 > n {
		return ""
	}
	return text
}

// body takes the text blocks of a marked body, and returns how many characters of
// them are links.
func (w *writer) body(n *html.Node, depth int) (linked int) {
	for c := n.FirstChild; c != nil && depth < maxNesting; c = c.NextSibling {
		if c.Type != html.ElementNode || skipped[c.DataAtom] || asideElements[c.DataAtom] {
			continue
		}
		switch c.DataAtom {
		case atom.P, atom.H2, atom.H3, atom.H4, atom.Blockquote, atom.Pre, atom.Li, atom.Dd, atom.Dt, atom.Td:
			w.end()
			w.node(c, 0)
			w.end()
			linked += linkedLength(c)
		case atom.H1, atom.Header, atom.Time:
		default:
			if name := attr(c, "class") + " " + attr(c, "id"); !asideNames.MatchString(strings.ReplaceAll(name, "_", " ")) {
				linked += w.body(c, depth+1)
			}
		}
	}
	return linked
}

func linkedLength(root *html.Node) int {
	total := 0
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.A {
			total += utf8.RuneCountInString(textOf(n))
		}
	}
	return total
}
