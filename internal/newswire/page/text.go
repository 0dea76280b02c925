package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// blocks are the elements that begin and end a paragraph.
var blocks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Section: true, atom.Article: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
	atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Blockquote: true, atom.Pre: true, atom.Table: true, atom.Tr: true, atom.Dl: true, atom.Dt: true, atom.Dd: true,
	atom.Figure: true, atom.Figcaption: true, atom.Header: true, atom.Footer: true, atom.Main: true, atom.Hr: true, atom.Address: true,
}

// skipped are the elements whose text nobody reads.
var skipped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Svg: true, atom.Rt: true, atom.Rp: true, atom.Button: true,
}

// Plain returns the text of a part of a page, paragraphs with an empty line
// between them. The reading aids over Japanese words (ruby) are left out.
func Plain(root *html.Node) string {
	w := &writer{}
	w.node(root, 0)
	w.end()
	return strings.Join(w.paragraphs, "\n\n")
}

type writer struct {
	paragraphs []string
	line       strings.Builder
}

// maxNesting is where a page is no longer written for people.
const maxNesting = 500

func (w *writer) node(n *html.Node, depth int) {
	switch {
	case depth > maxNesting || n.Type == html.ElementNode && skipped[n.DataAtom]:
		return
	case n.Type == html.TextNode:
		w.line.WriteString(n.Data)
		return
	case n.DataAtom == atom.Br || n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		w.line.WriteByte(' ')
	}
	block := n.Type == html.ElementNode && blocks[n.DataAtom]
	if block {
		w.end()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, depth+1)
	}
	if block {
		w.end()
	}
}

func (w *writer) end() {
	if text := clean(w.line.String()); text != "" {
		w.paragraphs = append(w.paragraphs, text)
	}
	w.line.Reset()
}

// textOf returns the text in a node, on one line.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return clean(b.String())
}

// clean makes one line of a text: one space for several, no control characters
// and no characters that turn text around or hide in it. Between Japanese
// characters a line break of the source is nothing.
func clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	var b strings.Builder
	b.Grow(len(text))
	var last rune
	gap, broken := false, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) && r != '\u3000':
			gap = true
			broken = broken || r == '\n'
			continue
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && r != '\u200d':
			continue
		}
		if gap && last != 0 && !(broken && IsWide(last) && IsWide(r)) {
			b.WriteByte(' ')
		}
		gap, broken, last = false, false, r
		b.WriteRune(r)
	}
	return strings.Trim(b.String(), " \u3000")
}

// IsWide reports whether the character is written without spaces between words:
// Han, Hiragana, Katakana and their marks.
func IsWide(r rune) bool {
	return r >= 0x2e80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r == 'ー' || r >= 0xff00 && r <= 0xff65)
}

// Words counts words as word processors do: in Japanese and Chinese each
// character is one, elsewhere each run of letters and digits.
func Words(text string) int {
	count, inside := 0, false
	for _, r := range text {
		switch {
		case r >= 0x2e80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'):
			count++
			inside = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inside {
				count++
			}
			inside = true
		case unicode.Is(unicode.M, r), r == '\'', r == '’', r == '-', r == '.' && inside, r == ',' && inside:
			// part of the word around it: don't, follow-up, 3.14, 1,000
		default:
			inside = false
		}
	}
	return count
}

// Cut returns at most n characters of the text, ending with a sentence if one
// ends in the second half of them, otherwise with a word.
func Cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)[:n]
	for i := n - 1; i > n/2; i-- {
		if strings.ContainsRune("。!?！？", runes[i]) || strings.ContainsRune(".\n", runes[i]) && (i+1 == n || unicode.IsSpace(runes[i+1])) {
			return strings.TrimSpace(string(runes[:i+1]))
		}
	}
	for i := n - 1; i > n/2; i-- {
		if unicode.IsSpace(runes[i]) {
			return strings.TrimSpace(string(runes[:i]))
		}
	}
	return string(runes)
}

func cutRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// Clean makes one line of plain text of any length: one space for several, no
// control characters, none that turn text around or hide in it.
func Clean(text string) string { return clean(text) }

// Line makes one line of a title that may have markup in it, at most 500
// characters long.
func Line(text string) string {
	if strings.ContainsAny(text, "<&") {
		if doc, err := html.Parse(strings.NewReader(text)); err == nil {
			text = strings.ReplaceAll(Plain(doc), "\n\n", " ")
		}
	}
	return cutRunes(clean(text), maxTitle)
}
