package transfer

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"pressroom/internal/desk/blog"
)

// lexicalNode is a node of Ghost's present editor.
type lexicalNode struct {
	Type     string          `json:"type"`
	Tag      string          `json:"tag"`
	ListType string          `json:"listType"`
	Text     string          `json:"text"`
	Format   json.RawMessage `json:"format"` // bits of text, an alignment of others
	Start    int             `json:"start"`
	Children []lexicalNode   `json:"children"`
	// Pressroom is the block that an export of Pressroom was made of.
	Pressroom *blog.Block `json:"pressroom"`
	card
}

// lexical adds a document of Ghost's present editor.
func (b *builder) lexical(text string) error {
	var doc struct {
		Root lexicalNode `json:"root"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	var flow strings.Builder // HTML of nodes that are text
	for i := range doc.Root.Children {
		n := &doc.Root.Children[i]
		if n.Pressroom != nil {
			b.html(flow.String())
			flow.Reset()
			b.add(*n.Pressroom)
			continue
		}
		if out, ok := b.lexicalHTML(n, 0); ok {
			flow.WriteString(out)
			continue
		}
		b.html(flow.String())
		flow.Reset()
		b.card(n.Type, &n.card)
	}
	b.html(flow.String())
	return nil
}

// lexicalHTML writes a node that is text as HTML; false is a card.
func (b *builder) lexicalHTML(n *lexicalNode, depth int) (string, bool) {
	if depth > 100 {
		return "", true
	}
	var inner strings.Builder
	for i := range n.Children {
		out, ok := b.lexicalHTML(&n.Children[i], depth+1)
		if !ok {
			b.lose("a %s within text is left out", cutName(n.Children[i].Type))
		}
		inner.WriteString(out)
	}
	wrap := func(tag string) (string, bool) { return "<" + tag + ">" + inner.String() + "</" + tag + ">", true }
	switch n.Type {
	case "text", "extended-text", "code-highlight", "tk":
		return formatted(html.EscapeString(n.Text), n.Format), true
	case "linebreak":
		return "<br>", true
	case "tab":
		return " ", true
	case "link", "autolink", "at-link":
		return `<a href="` + html.EscapeString(n.URL) + `">` + inner.String() + "</a>", true
	case "paragraph":
		return wrap("p")
	case "heading", "extended-heading":
		if len(n.Tag) == 2 && n.Tag[0] == 'h' && n.Tag[1] >= '1' && n.Tag[1] <= '6' {
			return wrap(n.Tag)
		}
		return wrap("h2")
	case "quote", "extended-quote", "aside":
		return wrap("blockquote")
	case "list":
		if n.ListType == "number" {
			return fmt.Sprintf(`<ol start="%d">%s</ol>`, max(n.Start, 1), inner.String()), true
		}
		return wrap("ul")
	case "listitem":
		return wrap("li")
	case "root":
		return inner.String(), true
	case "code":
		return wrap("pre")
	}
	if len(n.Children) > 0 {
		return inner.String(), true
	}
	return "", false
}

// formatted puts the elements of Lexical's bits around text.
func formatted(s string, format json.RawMessage) string {
	var bits int
	if json.Unmarshal(format, &bits) != nil {
		return s
	}
	for i, tag := range []string{"strong", "em", "s", "u", "code", "sub", "sup"} {
		if bits&(1<<i) != 0 {
			s = "<" + tag + ">" + s + "</" + tag + ">"
		}
	}
	return s
}
