// Package safehtml makes text from outside, and text from a model, safe to show.
//
// It promises that what it returns contains no script, no style, no form, no
// frame, no id or class that could touch the page around it, and no link that is
// neither http, https, mailto nor a path; and that what it returns is well-formed, so
// that an open tag cannot swallow the rest of the page. Links to other sites carry
// rel="nofollow noopener".
//
// Start with [Sanitise] for HTML that was found, [Text] for one line without any
// markup.
package safehtml

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// Max is how many bytes of a text are read; the rest is cut off.
const Max = 1 << 20

var (
	policy = sync.OnceValue(newPolicy)
	strict = sync.OnceValue(bluemonday.StrictPolicy)
)

// blocks are the tags that end a line, and so a word.
var blocks = regexp.MustCompile(`(?i)</?(?:p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|h[1-6]|section|article|figcaption|blockquote|pre)\b`)

// newPolicy allows what an article is made of.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "strong", "em", "b", "i", "s", "del", "ins",
		"sub", "sup", "small", "mark", "code", "kbd", "samp", "pre", "blockquote", "q", "cite", "ul", "ol", "li",
		"dl", "dt", "dd", "figure", "figcaption", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
		"ruby", "rt", "rp", "details", "summary", "abbr", "time", "span", "div")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("title").OnElements("abbr")
	p.AllowAttrs("datetime").Matching(bluemonday.ISO8601).OnElements("time")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("td", "th")
	p.AllowAttrs("lang").Matching(bluemonday.SpaceSeparatedTokens).Globally()
	p.AllowAttrs("src").OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(bluemonday.Number).OnElements("img")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(false)
	return p
}

// Sanitise returns the part of some HTML that is safe.
func Sanitise(untrusted string) template.HTML {
	return template.HTML(policy().Sanitize(cut(untrusted)))
}

// Text returns the words of some HTML without any markup, spaces joined. It is
// plain text: whoever shows it escapes it.
func Text(untrusted string) string {
	spaced := blocks.ReplaceAllString(cut(untrusted), " $0")
	return strings.Join(strings.Fields(html.UnescapeString(strict().Sanitize(spaced))), " ")
}

// cut keeps a text within Max, at a rune's beginning.
func cut(text string) string {
	if len(text) <= Max {
		return text
	}
	return strings.ToValidUTF8(text[:Max], "")
}
