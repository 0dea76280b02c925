package blogweb

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"pressroom/internal/desk/blog"
)

// blockWriter writes the editor's blocks. They are written here and not in a
// template because a post may have 5,000 of them, each with some seventy values
// that are the same in all: a template takes a second for what takes milliseconds.
type blockWriter struct {
	desk  *blog.Desk
	words map[string]string // by key without "blog.", escaped
	kinds map[blog.Kind]string
	rows  map[blog.Layout]string
}

// blockKeys are the words on a block.
var blockKeys = []string{
	"block", "block.grip", "block.type", "block.layout", "block.content", "block.up", "block.down", "block.copy", "block.drop",
	"block.upload", "block.library", "block.alt", "block.caption", "block.language",
}

func (p *pages) newBlockWriter(r *http.Request) *blockWriter {
	w := &blockWriter{desk: p.desk, words: map[string]string{}, kinds: map[blog.Kind]string{}, rows: map[blog.Layout]string{}}
	for _, key := range blockKeys {
		w.words[key] = html.EscapeString(p.site.T(r, "blog."+key))
	}
	for _, chosen := range kinds {
		w.kinds[chosen] = options(kinds, chosen, func(k blog.Kind) string { return p.site.T(r, "blog.kind."+string(k)) })
	}
	for _, chosen := range layouts {
		w.rows[chosen] = options(layouts, chosen, func(l blog.Layout) string { return p.site.T(r, "blog.layout."+string(l)) })
	}
	return w
}

// options writes the choices of a select.
func options[T ~string](all []T, chosen T, label func(T) string) string {
	var b strings.Builder
	for _, each := range all {
		selected := ""
		if each == chosen {
			selected = " selected"
		}
		fmt.Fprintf(&b, `<option value="%s"%s>%s</option>`, html.EscapeString(string(each)), selected, html.EscapeString(label(each)))
	}
	return b.String()
}

// blockBytes is about how much a block with a paragraph takes.
const blockBytes = 2 << 10

// A browser takes about a millisecond for the fields of a block. Of a post with more
// than wholeBlocks blocks only the first get them at once; the script makes those of
// the others when they come near the window.
const (
	wholeBlocks = 60
	firstBlocks = 8
)

// rest writes the blocks that have no fields as a single one: it is sent with the
// form, so that a post stays whole even if the script never runs.
func (w *blockWriter) rest(blocks []blog.Block) (template.HTML, error) {
	// encoding/json writes <, > and & as escapes, so that the text cannot end the field.
	data, err := json.Marshal(blocks)
	if err != nil {
		return "", err
	}
	return template.HTML(`<textarea name="rest" hidden>` + string(data) + `</textarea>`), nil //nolint:gosec // as said
}

// all writes the blocks of a post.
func (w *blockWriter) all(blocks []blog.Block) template.HTML {
	var b strings.Builder
	b.Grow(len(blocks) * blockBytes)
	for i := range blocks {
		w.write(&b, strconv.Itoa(i), i+1, &blocks[i])
	}
	return template.HTML(b.String()) //nolint:gosec // every value is escaped below
}

// blank writes the block that the script makes new ones of; it numbers whatever it
// adds and moves.
func (w *blockWriter) blank() template.HTML {
	var b strings.Builder
	w.write(&b, "new", 1, &blog.Block{Type: blog.Text, Layout: blog.Full})
	return template.HTML(b.String()) //nolint:gosec // as above
}

// write writes a block with as few elements as do the work: a large post has
// thousands of each. What only some kinds have, and what needs the script, the
// style sheet hides.
func (w *blockWriter) write(b *strings.Builder, i string, n int, block *blog.Block) {
	t := w.words
	put := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(part)
		}
	}
	kinds, ok := w.kinds[block.Type]
	if !ok {
		kinds = w.kinds[blog.Text]
	}
	rows, ok := w.rows[block.Layout]
	if !ok {
		rows = w.rows[blog.Full]
	}
	put("\n", `<li class="block" data-block data-kind="`, html.EscapeString(string(block.Type)), `" data-layout="`, html.EscapeString(string(block.Layout)), `"><fieldset>`)
	put(`<legend><span class="hush">`, t["block"], ` </span><span data-number>`, strconv.Itoa(n), `</span></legend><div class="block-bar">`)
	put(`<button type="button" class="tool grip" draggable="true" data-grip title="`, t["block.grip"], `"></button>`)
	put(`<select name="b.type" class="fit" aria-label="`, t["block.type"], `">`, kinds, `</select>`)
	put(`<select name="b.layout" class="fit" aria-label="`, t["block.layout"], `">`, rows, `</select><span class="tools">`)
	for _, tool := range [...][2]string{{"up", "↑"}, {"down", "↓"}, {"copy", ""}, {"drop", "×"}} {
		label := t["block."+tool[0]]
		put(`<button class="tool" name="do" value="`, tool[0], ":", i, `" formnovalidate data-do="`, tool[0], `" title="`, label, `">`, tool[1], `</button>`)
	}
	put(`</span></div>`)
	w.picture(b, block)
	lines := "3"
	if block.Type == blog.Text {
		lines = "5"
	}
	put(`<textarea id="blocks[`, i, `].content" name="b.content" rows="`, lines, `" data-part="content" aria-label="`, t["block.content"], `">`)
	put("\n", html.EscapeString(block.Content), `</textarea>`) // a parser drops the first line's end
	put(`<p class="row block-files" data-files><button type="button" class="button small" data-choose>`, t["block.upload"], `</button> <button type="button" class="button small" data-library>`, t["block.library"], `</button></p><div class="block-more">`)
	for _, part := range [...][4]string{
		{"alt", "image", block.Alt, `maxlength="500"`},
		{"language", "code", block.Language, `maxlength="32" list="languages" autocapitalize="none" spellcheck="false"`},
		{"caption", "image code quote video", block.Caption, `maxlength="500"`},
	} {
		put(`<label data-for="`, part[1], `">`, t["block."+part[0]], ` <input id="blocks[`, i, `].`, part[0], `" name="b.`, part[0], `" value="`, html.EscapeString(part[2]), `" `, part[3], ` data-part="`, part[0], `"></label>`)
	}
	put(`</div></fieldset></li>`)
}

// picture writes what an image block shows, small.
func (w *blockWriter) picture(b *strings.Builder, block *blog.Block) {
	address := ""
	if block.Type == blog.Image {
		address = w.desk.ImageURL(strings.TrimSpace(block.Content), pickWidth)
	}
	if address == "" {
		b.WriteString(`<div class="block-picture" data-picture hidden></div>`)
		return
	}
	b.WriteString(`<div class="block-picture" data-picture><img src="` + html.EscapeString(address) + `" alt="" referrerpolicy="no-referrer"></div>`)
}
