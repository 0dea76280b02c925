package lexicon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"html/template"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Explain marks the terms of the lexicon in an article: the first time that each
// of them occurs in running text, with its meaning in the language beside it.
// Headings, links, code, forms and what else holds no prose are left alone, and so
// are terms that are ordinary words too. The HTML must be safe already and stays
// so. If the terms cannot be read, it is returned as it is: an article is more
// than its notes.
//
// A term becomes
//
//	<span class="term"><a href="…" aria-describedby="id">word</a><span class="gloss" role="tooltip" id="id">meaning</span></span>
//
// which needs no script: a style sheet shows the inner part on hover and focus. The
// ids are made of the article, so that two articles on one page do not share any
// and the same article is always marked the same.
func (d *Desk) Explain(ctx context.Context, lang string, article template.HTML) template.HTML {
	book, err := d.Book(ctx)
	if err != nil {
		d.log.Warn("terms are not explained", "error", err)
		return article
	}
	e := explainer{book: book, lang: lang, path: d.o.TermPath, left: d.o.MaxExplained, seen: map[string]bool{}}
	e.id = crc32.ChecksumIEEE([]byte(article))
	out, err := e.run(string(article))
	if err != nil {
		d.log.Warn("terms are not explained", "error", err)
		return article
	}
	return template.HTML(out) //nolint:gosec // what is added is escaped, what was there is unchanged
}

// ExplainText returns where the terms that Explain would mark stand in plain text,
// each the first time.
func (b *Book) ExplainText(text string) []Span {
	var first []Span
	seen := map[string]bool{}
	for _, s := range b.Find(text) {
		if !s.Term.PlainWord && !seen[s.Term.Slug] {
			seen[s.Term.Slug] = true
			first = append(first, s)
		}
	}
	return first
}

// silent are the elements whose text is not explained.
var silent = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.Audio: true, atom.Button: true, atom.Canvas: true, atom.Code: true, atom.Dfn: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Head: true, atom.Iframe: true,
	atom.Kbd: true, atom.Label: true, atom.Math: true, atom.Noscript: true, atom.Object: true, atom.Option: true, atom.Pre: true,
	atom.Ruby: true, atom.Samp: true, atom.Script: true, atom.Select: true, atom.Style: true, atom.Summary: true, atom.Svg: true,
	atom.Template: true, atom.Textarea: true, atom.Title: true, atom.Video: true,
}

type explainer struct {
	book *Book
	lang string
	path string
	id   uint32 // of the article
	left int    // terms that may still be marked
	seen map[string]bool
	out  bytes.Buffer
}

// run copies the HTML token by token, byte by byte, but for the texts that it
// marks.
func (e *explainer) run(article string) (string, error) {
	z := html.NewTokenizer(strings.NewReader(article))
	var open []atom.Atom // the silent elements around
	for {
		kind := z.Next()
		raw := append([]byte(nil), z.Raw()...)
		switch kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return "", fmt.Errorf("read HTML: %w", err)
			}
			e.out.Write(raw)
			return e.out.String(), nil
		case html.StartTagToken:
			if t := z.Token(); silent[t.DataAtom] {
				open = append(open, t.DataAtom)
			}
		case html.EndTagToken:
			if t := z.Token(); len(open) > 0 && open[len(open)-1] == t.DataAtom {
				open = open[:len(open)-1]
			}
		case html.TextToken:
			if len(open) == 0 && e.left > 0 && e.text(string(z.Text())) {
				continue
			}
		}
		e.out.Write(raw)
	}
}

// text marks the terms of a text and reports whether there were any.
func (e *explainer) text(text string) bool {
	at, marked := 0, false
	for _, s := range e.book.Find(text) {
		if s.Term.PlainWord || e.seen[s.Term.Slug] || e.left == 0 {
			continue
		}
		e.seen[s.Term.Slug], marked = true, true
		e.left--
		e.out.WriteString(html.EscapeString(text[at:s.Start]))
		e.mark(text[s.Start:s.End], s.Term)
		at = s.End
	}
	if marked {
		e.out.WriteString(html.EscapeString(text[at:]))
	}
	return marked
}

func (e *explainer) mark(word string, t *Term) {
	id := fmt.Sprintf("term-%08x-%d", e.id, len(e.seen))
	fmt.Fprintf(&e.out, `<span class="term"><a href="%s" aria-describedby="%s">%s</a><span class="gloss" role="tooltip" id="%s">%s</span></span>`,
		html.EscapeString(e.path+url.PathEscape(t.Slug)), id, html.EscapeString(word), id, html.EscapeString(t.GlossIn(e.lang)))
}
