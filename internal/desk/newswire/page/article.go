package page

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements bounds the work on one page.
const maxElements = 50000

// Least characters of text that make an article: of a page that says it is one,
// and of one that does not.
const (
	saidLength   = 40
	unsaidLength = 400
)

// SaysArticle reports whether the page says of itself that it is an article.
func (p *Page) SaysArticle() bool {
	return p.kind == "article" || strings.HasPrefix(p.kind, "article:") || p.hints.ldType != "" ||
		p.hints.articles == 1 && (!p.Published.IsZero() || p.heading != "")
}

// Text takes the article's text out of the page: paragraphs with an empty line
// between them. listed tells that a feed or a sitemap names the page as an
// article. It returns "" for a page that is none, such as a list of links, or that
// is nested more deeply than browsers show.
func (p *Page) Text(listed bool) string {
	said := listed || p.SaysArticle()
	if said {
		if text := p.markedText(); text != "" {
			return text
		}
	}
	if !said && (p.kind == "website" && p.URL.Path == "/" || p.hints.articles > 1) {
		return ""
	}
	doc, err := html.Parse(bytes.NewReader(p.text))
	if err != nil || !said && !readability.CheckDocument(doc) {
		return ""
	}
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	parser.CharThresholds = 200
	parser.DisableJSONLD = true // it was read before
	article, err := parser.ParseAndMutate(doc, p.URL)
	if err != nil || article.Node == nil {
		return ""
	}
	p.Author = first(p.Author, byline(article.Byline()))
	text := p.belowHeading(Plain(article.Node))
	least := unsaidLength
	switch {
	case listed:
		least = 1
	case said:
		least = saidLength
	}
	if utf8.RuneCountInString(text) < least || !said && mostlyLinks(article.Node, text) {
		return ""
	}
	return text
}

// belowHeading drops the headline from the beginning of a text, which is what stands
// below it.
func (p *Page) belowHeading(text string) string {
	line, rest, _ := strings.Cut(text, "\n\n")
	if line == p.heading || line == p.Title {
		return rest
	}
	return text
}

// mostlyLinks tells a list of headlines from a text.
func mostlyLinks(root *html.Node, text string) bool {
	return linkedLength(root)*2 > utf8.RuneCountInString(text)
}

// by begins the line that names an author.
var by = regexp.MustCompile(`^(?i:by\s+|文[=:/]\s*|記者[=:]\s*|取材・文[=:]\s*)`)

func byline(text string) string { return cutRunes(by.ReplaceAllString(clean(text), ""), maxName) }

func linkedLength(root *html.Node) int {
	total := 0
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.A {
			total += utf8.RuneCountInString(textOf(n))
		}
	}
	return total
}
