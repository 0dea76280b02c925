package transfer

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/prose"
)

// walker makes blocks of a parsed text.
type walker struct {
	*builder
	block map[*html.Node]bool // nodes that are blocks, or hold some
}

// mark finds the nodes that cannot stand in a line of text.
func (w *walker) mark(n *html.Node) bool {
	found := n.Type == html.ElementNode && !inlineTags[n.DataAtom] || n.Type == html.CommentNode
	for c := range n.ChildNodes() {
		if w.mark(c) {
			found = true
		}
	}
	w.block[n] = found
	return found
}

// flow adds what is below a node.
func (w *walker) flow(n *html.Node) {
	var run []*html.Node
	for c := range n.ChildNodes() {
		if !w.block[c] && c.Type != html.CommentNode {
			run = append(run, c)
			continue
		}
		w.line(run)
		run = nil
		w.one(c)
	}
	w.line(run)
}

// line adds a run of inline nodes as paragraphs.
func (w *walker) line(run []*html.Node) {
	if len(run) == 0 {
		return
	}
	var b strings.Builder
	for _, n := range run {
		b.WriteString(w.inline(n))
	}
	for part := range strings.SplitSeq(b.String(), paragraphEnd) {
		w.paragraph(part)
	}
}

// paragraph adds a paragraph; an address alone in one is what WordPress embeds.
func (w *walker) paragraph(part string) {
	part = tidy(part)
	if w.breaks && bareAddress.MatchString(part) {
		if _, ok := prose.PlayerOf(part); ok {
			w.add(blog.Block{Type: blog.Video, Content: part})
			return
		}
	}
	w.para(lineStarts(part))
}

var bareAddress = regexp.MustCompile(`^https?://\S+$`)

var emptyLine = regexp.MustCompile(`\n[ \t]*\n\s*`)

var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Svg: true, atom.Form: true, atom.Input: true, atom.Button: true, atom.Select: true, atom.Textarea: true,
	atom.Noscript: true, atom.Template: true, atom.Math: true, atom.Canvas: true, atom.Link: true, atom.Meta: true, atom.Base: true, atom.Applet: true, atom.Title: true,
	atom.Frame: true, atom.Frameset: true, atom.Head: true,
}

// drop notes an element that is left out.
func (w *walker) drop(n *html.Node) {
	switch n.DataAtom {
	case atom.Noscript, atom.Link, atom.Meta, atom.Template, atom.Head, atom.Title:
	default:
		w.lose("a %s element is left out", n.Data)
	}
}

// one adds a node that is a block or holds some.
func (w *walker) one(n *html.Node) {
	switch {
	case n.Type == html.CommentNode:
		w.comment(n.Data)
		return
	case n.Type != html.ElementNode:
		return
	case dropped[n.DataAtom]:
		w.drop(n)
		return
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		level := int(n.Data[1] - '0')
		if words := tidy(w.inlines(n)); words != "" {
			w.para(strings.Repeat("#", level) + " " + strings.ReplaceAll(words, "\\\n", " "))
		}
	case atom.Ul, atom.Ol, atom.Menu:
		w.para(w.list(n))
	case atom.Blockquote:
		w.quote(n, "")
	case atom.Pre:
		w.code(n, "")
	case atom.Figure:
		w.figure(n)
	case atom.Img:
		w.image(n, "")
	case atom.Table:
		w.table(n)
	case atom.Hr:
		w.para("***")
	case atom.Iframe, atom.Embed, atom.Object, atom.Video, atom.Audio:
		w.embed(n, "")
	case atom.Dt:
		w.para(around(tidy(w.inlines(n)), "**"))
	default:
		w.flow(n)
	}
}

// list writes a list in Markdown.
func (w *walker) list(n *html.Node) string {
	var items []string
	number := 1
	if start, err := strconv.Atoi(attr(n, "start")); err == nil && start >= 0 && start < 1e8 {
		number = start
	}
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || dropped[c.DataAtom] {
			continue
		}
		sign := "- "
		if n.DataAtom == atom.Ol {
			sign = strconv.Itoa(number) + ". "
		}
		number++
		indent := strings.Repeat(" ", len(sign))
		text := strings.Join(w.markdown(c), "\n\n")
		items = append(items, sign+strings.TrimLeft(strings.ReplaceAll(indent+strings.ReplaceAll(text, "\n", "\n"+indent), "\n"+indent+"\n", "\n\n"), " "))
	}
	return strings.Join(items, "\n")
}

// markdown writes what is below a node as pieces of Markdown, blocks and all.
func (w *walker) markdown(n *html.Node) []string {
	if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol { // a list right below a list
		return []string{w.list(n)}
	}
	inner := &walker{builder: &builder{base: w.base, breaks: w.breaks}, block: w.block}
	inner.flow(n)
	var pieces []string
	for _, b := range inner.done() {
		switch b.Type {
		case blog.Text:
			pieces = append(pieces, b.Content)
		case blog.Quote:
			pieces = append(pieces, "> "+strings.ReplaceAll(b.Content, "\n", "\n> "))
		case blog.Code:
			fence := fenceFor(b.Content)
			pieces = append(pieces, fence+b.Language+"\n"+b.Content+"\n"+fence)
		case blog.Image:
			pieces = append(pieces, "!["+escape(strings.Join(strings.Fields(b.Alt), " "))+"]("+destination(b.Content)+")")
		case blog.Video:
			pieces = append(pieces, b.Content)
		}
		if b.Caption != "" {
			pieces = append(pieces, escape(b.Caption))
		}
	}
	for _, l := range inner.losses {
		w.lose("%s", l)
	}
	return pieces
}

// fenceFor is a fence that does not occur in the code.
func fenceFor(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence
}

func (w *walker) quote(n *html.Node, caption string) {
	if c := first(n, atom.Cite); c != nil && caption == "" {
		caption = strings.Join(strings.Fields(textOf(c)), " ")
		c.Parent.RemoveChild(c)
	}
	if text := strings.Join(w.markdown(n), "\n\n"); strings.TrimSpace(text) != "" {
		w.add(blog.Block{Type: blog.Quote, Content: text, Caption: caption})
	}
}

var languageClass = regexp.MustCompile(`(?:^|\s)(?:language-|lang-|brush:\s*)([A-Za-z0-9+#._-]{1,32})`)

func (w *walker) code(n *html.Node, caption string) {
	language := ""
	for _, c := range []*html.Node{n, first(n, atom.Code)} {
		if c != nil {
			if m := languageClass.FindStringSubmatch(attr(c, "class")); m != nil {
				language = strings.ToLower(m[1])
			}
		}
	}
	text := strings.Trim(strings.ReplaceAll(textOf(n), "\r\n", "\n"), "\n")
	if strings.TrimSpace(text) != "" {
		w.add(blog.Block{Type: blog.Code, Content: text, Language: codeLanguage(language), Caption: caption})
	}
}

var languageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+#._ -]{0,31}$`)

// codeLanguage is a language as a block may have it.
func codeLanguage(s string) string {
	if s = strings.ToLower(strings.TrimSpace(s)); languageName.MatchString(s) {
		return s
	}
	return ""
}

// figure adds what a figure shows, with its caption.
func (w *walker) figure(n *html.Node) {
	caption := ""
	if c := first(n, atom.Figcaption); c != nil {
		caption = strings.Join(strings.Fields(textOf(c)), " ")
		c.Parent.RemoveChild(c)
	}
	if q := first(n, atom.Blockquote); q != nil {
		w.quote(q, caption)
		return
	}
	if pre := first(n, atom.Pre); pre != nil {
		w.code(pre, caption)
		return
	}
	var images []*html.Node
	each(n, func(c *html.Node) {
		if c.DataAtom == atom.Img {
			images = append(images, c)
		}
	})
	class := attr(n, "class")
	switch {
	case strings.Contains(class, "kg-bookmark-card"):
		w.bookmark(n, caption)
		return
	case strings.Contains(class, "wp-block-embed"):
		if address := strings.TrimSpace(textOf(n)); bareAddress.MatchString(address) {
			w.embedAddress(address, caption)
			return
		}
	case len(images) > 0 && first(n, atom.Table) == nil && first(n, atom.Video) == nil:
		for i, img := range images {
			if i == len(images)-1 {
				w.image(img, caption)
			} else {
				w.image(img, "")
			}
		}
		return
	}
	for _, a := range []atom.Atom{atom.Iframe, atom.Video, atom.Audio, atom.Embed, atom.Object} {
		if e := first(n, a); e != nil {
			w.embed(e, caption)
			return
		}
	}
	w.flow(n)
	if caption != "" {
		w.para("*" + escape(caption) + "*")
	}
}

// bookmark adds a card that leads elsewhere, as a link.
func (w *walker) bookmark(n *html.Node, caption string) {
	a := first(n, atom.A)
	if a == nil {
		w.flow(n)
		return
	}
	title := ""
	each(n, func(c *html.Node) {
		if strings.Contains(attr(c, "class"), "kg-bookmark-title") {
			title = strings.Join(strings.Fields(textOf(c)), " ")
		}
	})
	w.linkLine(attr(a, "href"), title, caption)
}

func (w *walker) image(n *html.Node, caption string) {
	src, alt := source1(n), strings.Join(strings.Fields(attr(n, "alt")), " ")
	w.picture(src, alt, caption)
}

// source1 is the address of an image, wherever a page hides it.
func source1(n *html.Node) string {
	for _, name := range []string{"data-src", "data-lazy-src", "data-orig-file", "src"} {
		if v := strings.TrimSpace(attr(n, name)); v != "" && (name == "src" || !strings.HasPrefix(v, "data:")) {
			return v
		}
	}
	return ""
}

// embed adds what a page of another site shows here, as a link.
func (w *walker) embed(n *html.Node, caption string) {
	src := attr(n, "src")
	if src == "" {
		src = attr(n, "data")
	}
	if s := first(n, atom.Source); src == "" && s != nil {
		src = attr(s, "src")
	}
	w.embedAddress(src, caption)
}

// table adds a table in Markdown.
func (w *walker) table(n *html.Node) {
	var rows [][]string
	width := 0
	each(n, func(c *html.Node) {
		if c.DataAtom == atom.Table && c != n {
			w.lose("a table in a table is text now")
		}
		if c.DataAtom != atom.Tr {
			return
		}
		var row []string
		for cell := range c.ChildNodes() {
			if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				text := strings.ReplaceAll(tidy(w.inlines(cell)), "\\\n", " ")
				row = append(row, text)
				if attr(cell, "colspan") != "" && attr(cell, "colspan") != "1" || attr(cell, "rowspan") != "" && attr(cell, "rowspan") != "1" {
					w.lose("joined cells of a table stand apart")
				}
			}
		}
		if len(row) > 0 {
			rows = append(rows, row)
			width = max(width, len(row))
		}
	})
	if c := first(n, atom.Caption); c != nil {
		w.para("*" + escape(strings.Join(strings.Fields(textOf(c)), " ")) + "*")
	}
	if width == 0 || width > 200 {
		return
	}
	var b strings.Builder
	for i, row := range rows {
		for len(row) < width {
			row = append(row, "")
		}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", width) + "\n")
		}
	}
	w.para(b.String())
}

// comment looks at what WordPress' editor keeps in comments.
func (w *walker) comment(text string) {
	name, ok := strings.CutPrefix(strings.TrimSpace(text), "wp:")
	if !ok || !strings.HasSuffix(name, "/") {
		return // the block's HTML follows
	}
	name, _, _ = strings.Cut(strings.TrimSuffix(name, "/"), " ")
	switch name {
	case "more", "nextpage", "separator", "spacer":
	case "block":
		w.lose("a reusable block is left out")
	default:
		w.lose("the block %s, which made its content itself, is left out", cutName(name))
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	each(n, func(c *html.Node) {
		switch {
		case c.Type == html.TextNode && (c.Parent == nil || !dropped[c.Parent.DataAtom]):
			b.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	})
	return b.String()
}

// each visits a node and all below it.
func each(n *html.Node, fn func(*html.Node)) {
	fn(n)
	for c := range n.ChildNodes() {
		each(c, fn)
	}
}

func first(n *html.Node, a atom.Atom) *html.Node {
	for c := range n.Descendants() {
		if c.DataAtom == a {
			return c
		}
	}
	return nil
}
