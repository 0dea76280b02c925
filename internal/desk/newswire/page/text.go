package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// breaks reports whether an element begins and ends a paragraph.
func breaks(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Pre, atom.Table, atom.Tr, atom.Dl, atom.Dt, atom.Dd,
		atom.Figure, atom.Figcaption, atom.Header, atom.Footer, atom.Main, atom.Hr, atom.Address:
		return true
	}
	return false
}

// skipped reports whether an element is one whose text nobody reads.
func skipped(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Svg, atom.Rt, atom.Rp, atom.Button:
		return true
	}
	return false
}

// Plain returns the text of a part of a page, paragraphs with an empty line
// between them. The reading aids over Japanese words (ruby) are left out.
func Plain(root *html.Node) string {
	w := &writer{}
	w.node(root, 0)
	w.end()
	return string(w.out)
}

// writer writes paragraphs.
type writer struct {
	out  []byte // paragraphs, with an empty line between them
	line []byte // the one that is being written, not yet clean
}

// maxNesting is where a page is no longer written for people.
const maxNesting = 500

func (w *writer) node(n *html.Node, depth int) {
	switch {
	case depth > maxNesting || n.Type == html.ElementNode && skipped(n.DataAtom):
		return
	case n.Type == html.TextNode:
		w.line = append(w.line, n.Data...)
		return
	case n.DataAtom == atom.Br || n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		w.line = append(w.line, ' ')
	}
	block := n.Type == html.ElementNode && breaks(n.DataAtom)
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
	line := w.line
	w.line = w.line[:0]
	if !isClean(line) {
		line = []byte(clean(string(line)))
	}
	if len(line) == 0 {
		return
	}
	if len(w.out) > 0 {
		w.out = append(w.out, '\n', '\n')
	}
	w.out = append(w.out, line...)
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
	if isClean(text) {
		return text
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	var b strings.Builder
	b.Grow(len(text))
	var last rune
	gap, broken := false, false
	for _, r := range text {
		switch {
		case r > ' ' && r < 0x7f:
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

// isClean recognises most of the texts that are clean, quickly: words in ASCII
// with one space between them.
func isClean[T string | []byte](text T) bool {
	space := true // as if there were one before
	for i := range len(text) {
		c := text[i]
		if c > '~' || c < ' ' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || len(text) == 0
}

// IsWide reports whether the character is written without spaces between words:
// Han, Hiragana, Katakana and their marks.
func IsWide(r rune) bool {
	return r >= 0x2e80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r == 'ー' || r >= 0xff00 && r <= 0xff65)
}

// How ASCII characters make words; the others end them.
const (
	begins byte = 1 // letters and digits
	goesOn byte = 2 // don't, follow-up, 3.14, 1,000
)

var inWord = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case isLetter(c) || '0' <= c && c <= '9':
			table[c] = begins
		case c == '\'' || c == '-' || c == '.' || c == ',':
			table[c] = goesOn
		}
	}
	return table
}()

// Words counts words as word processors do: in Japanese and Chinese each
// character is one, elsewhere each run of letters and digits.
func Words(text string) int {
	count, inside := 0, byte(0) // inside is 1 in a word
	for i := 0; i < len(text); {
		// Most characters of many texts are ASCII, and where words end cannot be
		// foreseen: no branches.
		if c := text[i]; c < utf8.RuneSelf {
			kind := inWord[c]
			count += int(kind & begins &^ inside)
			inside = kind&begins | kind>>1&inside
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r >= 0x2e80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'):
			count++
			inside = 0
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			count += int(1 &^ inside)
			inside = 1
		case r >= 0x300 && unicode.Is(unicode.M, r), r == '’':
			// part of the word around it
		default:
			inside = 0
		}
	}
	return count
}

// Cut returns at most n characters of the text, ending with a sentence if one
// ends in the second half of them, otherwise with a word.
func Cut(text string, n int) string {
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
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
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
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
