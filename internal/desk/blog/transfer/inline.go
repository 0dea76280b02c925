package transfer

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var inlineTags = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true, atom.Br: true, atom.Cite: true, atom.Code: true,
	atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Ins: true, atom.Kbd: true,
	atom.Label: true, atom.Mark: true, atom.Q: true, atom.Rp: true, atom.Rt: true, atom.Ruby: true, atom.S: true, atom.Samp: true, atom.Small: true,
	atom.Span: true, atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true,
	atom.Var: true, atom.Wbr: true,
}

// Marks within a run of text, until it is put together. No text holds them: they are
// control characters, which are taken out of it first.
const (
	paragraphEnd = "\x01"
	lineEnd      = "\x02"
)

// tidy puts spaces and ends of lines right.
func tidy(s string) string {
	lines := strings.Split(s, lineEnd)
	for i, l := range lines {
		lines[i] = strings.Join(strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }), " ")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return strings.Join(lines, "\\\n")
}

var lineStart = regexp.MustCompile(`(?m)^([-+=#>]|\d{1,9}[.)])`)

// lineStarts escapes what would begin a list, a heading or a quote.
func lineStarts(s string) string {
	return lineStart.ReplaceAllStringFunc(s, func(m string) string {
		return m[:len(m)-1] + `\` + m[len(m)-1:]
	})
}

// escape writes text so that Markdown shows it as it is.
func escape(s string) string {
	s = clean(s)
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		before, after := ' ', ' '
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		special := strings.ContainsRune("\\`*[]<|", r) ||
			r == '_' && (!isWord(before) || !isWord(after)) ||
			r == '~' && (before == '~' || after == '~') ||
			r == '&' && (unicode.IsLetter(after) || after == '#')
		if special {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// inline writes an inline node as Markdown.
func (w *walker) inline(n *html.Node) string {
	if n.Type == html.TextNode {
		text := strings.ReplaceAll(n.Data, "\r\n", "\n")
		if w.breaks {
			text = emptyLine.ReplaceAllString(text, "\x03")
			text = strings.ReplaceAll(text, "\n", "\x04")
		}
		return strings.NewReplacer("\x03", paragraphEnd, "\x04", lineEnd).Replace(escapeKeeping(text))
	}
	if n.Type != html.ElementNode {
		return ""
	}
	if n.DataAtom == atom.Br {
		return lineEnd
	}
	if n.DataAtom == atom.Img {
		src, alt := w.address(source1(n)), attr(n, "alt")
		if src == "" {
			return escape(alt)
		}
		return "![" + escape(strings.Join(strings.Fields(alt), " ")) + "](" + destination(src) + ")"
	}
	if n.DataAtom == atom.Code || n.DataAtom == atom.Kbd || n.DataAtom == atom.Samp || n.DataAtom == atom.Tt {
		return codeSpan(textOf(n))
	}
	if dropped[n.DataAtom] {
		w.drop(n)
		return ""
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(w.inline(c))
	}
	inner := b.String()
	switch n.DataAtom {
	case atom.Em, atom.I:
		return around(inner, "*")
	case atom.Strong, atom.B:
		return around(inner, "**")
	case atom.Del, atom.S, atom.Strike:
		return around(inner, "~~")
	case atom.A:
		return w.link(n, inner)
	case atom.Rt:
		return "(" + inner + ")"
	case atom.Rp:
		return ""
	}
	return inner
}

// escapeKeeping is escape, with the marks of ends kept.
func escapeKeeping(s string) string {
	var b strings.Builder
	for {
		cut := strings.IndexAny(s, "\x03\x04")
		if cut < 0 {
			b.WriteString(escape(s))
			return b.String()
		}
		b.WriteString(escape(s[:cut]))
		b.WriteByte(s[cut])
		s = s[cut+1:]
	}
}

// around puts signs around words, and the space around words outside of the signs.
func around(s, sign string) string {
	if strings.Contains(s, paragraphEnd) {
		parts := strings.Split(s, paragraphEnd)
		for i := range parts {
			parts[i] = around(parts[i], sign)
		}
		return strings.Join(parts, paragraphEnd)
	}
	core := strings.Trim(s, " \t\n"+lineEnd)
	if core == "" || strings.HasPrefix(core, sign) {
		return s
	}
	start := strings.Index(s, core)
	return s[:start] + sign + core + sign + s[start+len(core):]
}

func codeSpan(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(clean(s), "\n", " "))
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

func (w *walker) link(n *html.Node, inner string) string {
	href := w.address(attr(n, "href"))
	words := strings.TrimSpace(strings.NewReplacer(paragraphEnd, " ", lineEnd, " ").Replace(inner))
	switch {
	case href == "":
		if raw := strings.TrimSpace(attr(n, "href")); raw != "" && !strings.HasPrefix(raw, "#") {
			w.lose("a link to %s is left out", cutName(raw))
		}
		return inner
	case words == "":
		return inner
	case words == href:
		return href
	}
	return "[" + words + "](" + destination(href) + ")"
}

// inlines writes all below a node as one run of text.
func (w *walker) inlines(n *html.Node) string {
	var b strings.Builder
	for c := range n.ChildNodes() {
		if w.block[c] && c.Type == html.ElementNode && c.DataAtom != atom.Img && !dropped[c.DataAtom] {
			b.WriteString(lineEnd + w.inlines(c) + lineEnd)
			continue
		}
		b.WriteString(w.inline(c))
	}
	return strings.ReplaceAll(b.String(), paragraphEnd, lineEnd)
}
