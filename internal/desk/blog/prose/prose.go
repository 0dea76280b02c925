// Package prose turns what editors write into what pages show: Markdown, code,
// quotes, images and videos into HTML, and all of it into plain text.
//
// It promises HTML that a strict Content-Security-Policy accepts and that runs
// nothing: no script, no handler, no inline style, no address that is not of the
// web. Markdown is rendered without its raw HTML and then sanitised; everything
// else is built from escaped text. And it promises an end: a page has a budget of
// work, which stops when its reader leaves; what would cost more is shown as plain
// text.
//
// Start with [Writer]; budget.go has the budget.
package prose

import (
	"bytes"
	"context"
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// Picture is an image that a page can show.
type Picture struct {
	Src           string
	SrcSet        string // "" if there is one size
	Width, Height int    // 0 if unknown
}

// Heading is an entry of a table of contents.
type Heading struct {
	Level int    `json:"level"` // 2 to 6; 1 is the page's own
	ID    string `json:"id"`    // the fragment of its address
	Text  string `json:"text"`
}

// Writer writes the parts of one page: names of headings are unique over all of
// them. It is for one goroutine.
type Writer struct {
	budget   *budget
	pictures func(ref string) (Picture, bool)
	headings []Heading
	names    map[string]int
	words    []string
}

// NewWriter returns a writer. It stops its work when ctx ends; what it has written
// then is not worth showing. pictures finds the image behind an address in the text,
// and says false for one that may not be shown.
func NewWriter(ctx context.Context, pictures func(ref string) (Picture, bool)) *Writer {
	return &Writer{budget: newBudget(ctx), pictures: pictures, names: map[string]int{}}
}

// Headings returns the headings so far, in order.
func (w *Writer) Headings() []Heading { return w.headings }

// Words returns the words so far, without signs of Markdown, addresses and code,
// each part on lines of its own.
func (w *Writer) Words() string { return strings.Join(w.words, "\n") }

func (w *Writer) note(words ...string) {
	for _, s := range words {
		if s != "" {
			w.words = append(w.words, s)
		}
	}
}

// markdown parses GitHub's Markdown with the rules for East Asian text. Cells
// are aligned by attribute, because styles are not allowed.
var markdown = paidFor(goldmark.New(
	goldmark.WithExtensions(
		extension.Linkify, extension.Strikethrough, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.NewCJK(extension.WithEastAsianLineBreaks(), extension.WithEscapedSpace()),
	),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 1))),
))

func paidFor(m goldmark.Markdown) goldmark.Markdown {
	m.Parser().AddOptions(paid{})
	return m
}

// Text writes Markdown. Headings begin at the second level.
func (w *Writer) Text(source string) string {
	src := []byte(source)
	doc, ok := w.budget.parse(src, w)
	if !ok {
		w.note(squeeze(source))
		return paragraphs(source)
	}
	w.prepare(doc, src)
	w.note(plainOf(doc, src))
	var b bytes.Buffer
	// A bytes.Buffer takes everything, and the renderers have no errors of
	// their own.
	_ = markdown.Renderer().Render(&b, src, doc)
	return policy.SanitizeReader(&b).String()
}

// paragraphs writes text as it is.
func paragraphs(source string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.ReplaceAll(source, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			b.WriteString("<p>" + html.EscapeString(part) + "</p>\n")
		}
	}
	return b.String()
}

// prepare shifts and collects headings, looks up images and colours code.
func (w *Writer) prepare(doc ast.Node, src []byte) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(n.Level+1, 6)
			id, _ := n.AttributeString("id")
			name, _ := id.([]byte)
			w.headings = append(w.headings, Heading{Level: n.Level, ID: string(name), Text: plainOf(n, src)})
		case *ast.Image:
			if p, ok := w.pictures(string(n.Destination)); ok {
				n.SetAttributeString("picture", p)
			}
		case *ast.FencedCodeBlock:
			n.SetAttributeString("coloured", w.budget.highlighted(string(n.Lines().Value(src)), string(n.Language(src))))
		case *ast.CodeBlock:
			n.SetAttributeString("coloured", w.budget.highlighted(string(n.Lines().Value(src)), ""))
		}
		return ast.WalkContinue, nil
	})
}

// Generate makes the name of a heading from its text; it is parser.IDs.
func (w *Writer) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	b.WriteString("s") // no name that a script or a form could go by
	dash := true
	for _, r := range strings.ToLower(string(value)) {
		if !isWord(r) {
			dash = true
			continue
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		if b.Len() > 80 {
			break
		}
		b.WriteRune(r)
	}
	name := b.String()
	w.names[name]++
	if n := w.names[name]; n > 1 {
		name += "-" + strconv.Itoa(n)
		w.names[name]++
	}
	return []byte(name)
}

// Put notes a name that is taken; it is parser.IDs.
func (w *Writer) Put(value []byte) { w.names[string(value)]++ }

// Quote writes words of someone else, and whose they are.
func (w *Writer) Quote(source, caption string) string {
	text := w.Text(source)
	w.note(caption)
	return `<figure class="quote"><blockquote>` + text + `</blockquote>` + figcaption(caption) + `</figure>`
}

// Code writes a program, highlighted if its language is known.
func (w *Writer) Code(source, language, caption string) string {
	w.note(caption)
	return `<figure class="code">` + w.budget.highlighted(source, language) + figcaption(caption) + `</figure>`
}

// Image writes a picture. One that may not be shown is its description.
func (w *Writer) Image(ref, alt, caption string) string {
	w.note(alt, caption)
	p, ok := w.pictures(ref)
	if !ok {
		return `<figure class="image missing"><p>` + html.EscapeString(alt) + `</p>` + figcaption(caption) + `</figure>`
	}
	return `<figure class="image">` + p.tag(alt) + figcaption(caption) + `</figure>`
}

// tag writes the picture as HTML.
func (p Picture) tag(alt string) string {
	var b strings.Builder
	b.WriteString(`<img src="` + html.EscapeString(p.Src) + `"`)
	if p.SrcSet != "" {
		b.WriteString(` srcset="` + html.EscapeString(p.SrcSet) + `" sizes="(min-width: 60em) 50em, 100vw"`)
	}
	if p.Width > 0 && p.Height > 0 {
		b.WriteString(` width="` + strconv.Itoa(p.Width) + `" height="` + strconv.Itoa(p.Height) + `"`)
	}
	b.WriteString(` alt="` + html.EscapeString(alt) + `" loading="lazy" decoding="async" referrerpolicy="no-referrer">`)
	return b.String()
}

func figcaption(caption string) string {
	if caption == "" {
		return ""
	}
	return `<figcaption>` + html.EscapeString(caption) + `</figcaption>`
}

// nodes renders what the desk has its own form for: images and code.
type nodes struct{}

func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindCodeBlock, renderCode)
}

func renderImage(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	alt := plainOf(n, src)
	found, _ := n.AttributeString("picture")
	p, ok := found.(Picture)
	if !ok {
		_, err := w.WriteString(html.EscapeString(alt))
		return ast.WalkSkipChildren, err
	}
	_, err := w.WriteString(p.tag(alt))
	return ast.WalkSkipChildren, err
}

func renderCode(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	found, _ := n.AttributeString("coloured")
	coloured, _ := found.(string)
	_, err := w.WriteString(coloured)
	return ast.WalkSkipChildren, err
}
