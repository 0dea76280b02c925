package prose

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// policy is what HTML from Markdown may hold: what the renderer writes for
// Markdown's own elements, and nothing else.
var policy = newPolicy()

var (
	classes   = regexp.MustCompile(`^[a-z][a-z0-9_-]*( [a-z][a-z0-9_-]*)*$`)
	headingID = regexp.MustCompile(`^s(-[\p{L}\p{N}\p{M}]+)*(-[0-9]+)?$`)
	sourceSet = regexp.MustCompile(`^[^\s,"'<>]+ [0-9]+w(, [^\s,"'<>]+ [0-9]+w)*$`)
	mediaList = regexp.MustCompile(`^[a-z0-9 ().,:%-]+$`)
	number    = regexp.MustCompile(`^[0-9]{1,5}$`)
)

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "span", "blockquote",
		"ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("href").OnElements("a")
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(false)
	p.AllowAttrs("title").Matching(bluemonday.Paragraph).OnElements("a", "img")
	p.AllowAttrs("id").Matching(headingID).OnElements("h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("class").Matching(classes).OnElements("pre", "code", "span")
	p.AllowAttrs("start").Matching(number).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|right|center)$`)).OnElements("th", "td")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.AllowAttrs("src").OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("srcset").Matching(sourceSet).OnElements("img")
	p.AllowAttrs("sizes").Matching(mediaList).OnElements("img")
	p.AllowAttrs("width", "height").Matching(number).OnElements("img")
	p.AllowAttrs("loading").Matching(regexp.MustCompile(`^lazy$`)).OnElements("img")
	p.AllowAttrs("decoding").Matching(regexp.MustCompile(`^async$`)).OnElements("img")
	p.AllowAttrs("referrerpolicy").Matching(regexp.MustCompile(`^no-referrer$`)).OnElements("img")
	return p
}
