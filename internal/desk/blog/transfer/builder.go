package transfer

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/prose"
)

// builder makes blocks from what other systems have as the body of a post.
type builder struct {
	base   *url.URL // what relative addresses are relative to; nil to leave them
	breaks bool     // an empty line is a paragraph, and the end of a line one too: WordPress before blocks

	blocks []blog.Block
	pieces []string // of a text block that is being written
	size   int
	losses []string
}

// lose notes what is not taken along.
func (b *builder) lose(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if !slices.Contains(b.losses, what) {
		b.losses = append(b.losses, what)
	}
}

// maxPiece leaves room in a block for what separates its pieces.
const maxPiece = blog.MaxContent - 4<<10

// para adds a paragraph, heading, list or table in Markdown.
func (b *builder) para(markdown string) {
	markdown = strings.Trim(markdown, "\n")
	if strings.TrimSpace(markdown) == "" {
		return
	}
	for len(markdown) > maxPiece {
		cut := strings.LastIndexAny(markdown[:maxPiece], " \n。")
		if cut < maxPiece/2 {
			cut = maxPiece
			for cut > 0 && markdown[cut]&0xc0 == 0x80 {
				cut--
			}
		}
		b.para(markdown[:cut])
		markdown = markdown[cut:]
	}
	if b.size+len(markdown) > maxPiece {
		b.flush()
	}
	b.pieces = append(b.pieces, markdown)
	b.size += len(markdown) + 2
}

func (b *builder) flush() {
	if len(b.pieces) > 0 {
		b.blocks = append(b.blocks, blog.Block{Type: blog.Text, Content: strings.Join(b.pieces, "\n\n")})
	}
	b.pieces, b.size = nil, 0
}

// add adds a block that is not text. Code and quotes that are too long are cut up.
func (b *builder) add(block blog.Block) {
	b.flush()
	for len(block.Content) > blog.MaxContent && (block.Type == blog.Code || block.Type == blog.Quote) {
		cut := strings.LastIndexByte(block.Content[:maxPiece], '\n') + 1
		if cut == 0 {
			cut = len(strings.ToValidUTF8(block.Content[:maxPiece], ""))
		}
		first := block
		first.Content = block.Content[:cut]
		b.blocks = append(b.blocks, first)
		block.Content = block.Content[cut:]
	}
	b.blocks = append(b.blocks, block)
}

func (b *builder) done() []blog.Block {
	b.flush()
	return b.blocks
}

// html adds HTML.
func (b *builder) html(text string) {
	if len(text) > maxText {
		b.lose("its text was longer than %d MB; the rest is left out", maxText>>20)
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil { // nested too deeply
		b.lose("its HTML cannot be read (%v); its words are taken", err)
		b.words(text)
		return
	}
	body := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	w := &walker{builder: b, block: map[*html.Node]bool{}}
	w.mark(body)
	w.flow(body)
}

// words adds what the text between tags says.
func (b *builder) words(text string) {
	z := html.NewTokenizer(strings.NewReader(text))
	var words strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			b.para(escape(strings.Join(strings.Fields(words.String()), " ")))
			return
		case html.TextToken:
			words.Write(z.Text())
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "script" || string(name) == "style" {
				z.Next() // its text is one token
			}
			words.WriteByte(' ')
		}
	}
}

// address makes an address absolute; "" is one that no page may have.
func (b *builder) address(text string) string {
	text = strings.TrimSpace(clean(text))
	u, err := url.Parse(text)
	if err != nil || text == "" || strings.HasPrefix(text, "#") {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "mailto":
		return u.String()
	case "":
		if b.base != nil {
			return b.base.ResolveReference(u).String()
		}
		return u.String()
	}
	return ""
}

func destination(address string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\\", "%5C", "\n", "").Replace(address)
}

func cutName(s string) string { return prose.Shorten(cleanLine(s), 80) }

// linkLine adds a link on a line of its own.
func (b *builder) linkLine(address, title, caption string) {
	href := b.address(address)
	if href == "" {
		b.lose("a link to %s is left out", cutName(address))
		return
	}
	line := href
	if title != "" && title != href {
		line = "[" + escape(title) + "](" + destination(href) + ")"
	}
	if caption != "" {
		line += " " + escape(caption)
	}
	b.para(line)
}

// picture adds an image, whose address is looked at later.
func (b *builder) picture(src, alt, caption string) {
	address := b.address(src)
	if strings.HasPrefix(src, "data:image/") {
		address = src
	}
	if address == "" || strings.HasPrefix(address, "mailto:") {
		b.lose("a picture at %s is left out", cutName(src))
		b.para(escape(alt))
		return
	}
	b.add(blog.Block{Type: blog.Image, Content: address, Alt: alt, Caption: caption})
}

func (b *builder) embedAddress(src, caption string) {
	if strings.HasPrefix(src, "//") {
		src = "https:" + src
	}
	address := b.address(src)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		b.lose("an embedded %s is left out", cutName("page "+src))
		return
	}
	if _, ok := prose.PlayerOf(address); ok {
		b.add(blog.Block{Type: blog.Video, Content: address, Caption: caption})
		return
	}
	b.lose("what %s showed in the post is a link now", u.Hostname())
	b.linkLine(address, "", caption)
}
