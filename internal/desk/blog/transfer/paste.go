package transfer

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"pressroom/internal/desk/blog"
)

// Pasted makes blocks of what a browser has on its clipboard: HTML if there is any, as
// word processors and pages give it, otherwise a text that may be Markdown. Pictures that
// are not on the web are left out, and so is whatever could run.
func Pasted(page, text string) []blog.Block {
	b := &builder{}
	if strings.TrimSpace(page) != "" {
		b.html(rewritten(page))
	} else {
		b.markdown(text)
	}
	blocks := slices.DeleteFunc(b.done(), func(each blog.Block) bool {
		if each.Type != blog.Image && each.Type != blog.Video {
			return strings.TrimSpace(each.Content) == ""
		}
		u, err := url.Parse(each.Content)
		return err != nil || u.Scheme != "https" && u.Scheme != "http"
	})
	for i := range blocks {
		blocks[i].Layout = blog.Full
	}
	return blocks[:min(len(blocks), blog.MaxBlocks)]
}

// rewritten is HTML in which what word processors say by styles is said by elements.
func rewritten(page string) string {
	if len(page) > maxText {
		return page
	}
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	restyle(doc)
	var b strings.Builder
	if html.Render(&b, doc) != nil {
		return page
	}
	return b.String()
}

var (
	bold    = regexp.MustCompile(`(?i)font-weight:\s*(bold|[6-9]00)`)
	regular = regexp.MustCompile(`(?i)font-weight:\s*(normal|[1-5]00)`)
	slanted = regexp.MustCompile(`(?i)font-style:\s*italic`)
	ignored = regexp.MustCompile(`(?i)mso-list:\s*ignore`)
)

// restyle rewrites what is below a node. Google Docs puts everything into a b that is not
// bold, and makes words bold by style; Word writes the items of a list as paragraphs with
// a sign before them. Comments, of which Word's are instructions, go.
func restyle(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		style := attr(c, "style")
		switch {
		case c.Type == html.CommentNode, c.Type == html.ElementNode && ignored.MatchString(style):
			n.RemoveChild(c)
			c = next
			continue
		case c.DataAtom == atom.B && regular.MatchString(style):
			rename(c, atom.Div)
		case c.DataAtom == atom.Span && bold.MatchString(style):
			rename(c, atom.Strong)
		case c.DataAtom == atom.Span && slanted.MatchString(style):
			rename(c, atom.Em)
		case c.DataAtom == atom.P && strings.HasPrefix(attr(c, "class"), "MsoListParagraph"):
			rename(c, atom.Li)
			into := lastElement(c)
			if into == nil || into.DataAtom != atom.Ul || attr(into, "data-word") == "" {
				into = &html.Node{Type: html.ElementNode, Attr: []html.Attribute{{Key: "data-word", Val: "list"}}}
				rename(into, atom.Ul)
				n.InsertBefore(into, c)
			}
			n.RemoveChild(c)
			into.AppendChild(c)
		case c.DataAtom == atom.P && attr(c, "class") == "MsoTitle":
			rename(c, atom.H1)
		}
		restyle(c)
		c = next
	}
}

// lastElement is the element before a node, if nothing but space is between them.
func lastElement(n *html.Node) *html.Node {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode {
			return p
		}
		if p.Type != html.TextNode || strings.TrimSpace(p.Data) != "" {
			return nil
		}
	}
	return nil
}

func rename(n *html.Node, to atom.Atom) { n.DataAtom, n.Data = to, to.String() }
