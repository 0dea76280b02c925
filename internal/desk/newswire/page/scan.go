package page

import (
	"bytes"
	"golang.org/x/net/html"
	"strings"

	"golang.org/x/net/html/atom"
)

// A page is read tag by tag, without building a tree of it: what it says about
// itself, its links and a marked body do not need one, and the tree costs ten times
// as much as the reading. The rules are those of the HTML standard's tokenizer, as
// far as they decide what is a tag and what is text.

// tokenKind is what a token is. Comments and declarations are no tokens.
type tokenKind byte

const (
	textToken tokenKind = iota
	startToken
	endToken
)

// token is a piece of a page. It is valid until the next one is read.
type token struct {
	kind  tokenKind
	name  atom.Atom // of a tag; 0 if HTML does not know it
	tag   []byte    // the name as it is written
	raw   []byte    // of a text: as it is written
	plain bool      // of a text: it has no character references
	empty bool      // of a tag: it ends with a slash
	attrs []attribute
}

type attribute struct{ key, value []byte }

// scanner reads the tokens of a page.
type scanner struct {
	src    []byte
	pos    int
	inside atom.Atom // the element whose content is text only
	tok    token
}

// textOnly are the elements that contain no tags. In title and textarea there are
// character references.
func textOnly(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes, atom.Xmp, atom.Plaintext:
		return true
	}
	return false
}

// next reads a token; nil at the end of the page.
func (s *scanner) next() *token {
	if s.inside != 0 {
		if t := s.content(); t != nil {
			return t
		}
	}
	begin := s.pos
	for s.pos < len(s.src) {
		i := bytes.IndexByte(s.src[s.pos:], '<')
		if i < 0 || s.pos+i+1 >= len(s.src) {
			break
		}
		s.pos += i
		c := s.src[s.pos+1]
		if c == '/' {
			if s.pos+2 >= len(s.src) {
				break
			}
			if !isLetter(s.src[s.pos+2]) {
				c = '?' // as good as a comment
			}
		}
		if c != '/' && c != '?' && c != '!' && !isLetter(c) {
			s.pos++ // a bracket that is text
			continue
		}
		if s.pos > begin {
			return s.text(begin, s.pos, false)
		}
		switch c {
		case '/':
			return s.readTag(endToken, 2)
		case '?', '!':
			s.skipMarkup()
			begin = s.pos
		default:
			return s.readTag(startToken, 1)
		}
	}
	if begin < len(s.src) {
		return s.text(begin, len(s.src), false)
	}
	return nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (s *scanner) text(from, to int, plain bool) *token {
	s.pos = to
	t := &s.tok // in place: there are thousands in a page
	t.kind, t.name, t.raw, t.plain = textToken, 0, s.src[from:to], plain
	return t
}

// content reads what is in an element without tags, up to its end tag; nil if
// there is nothing in it.
func (s *scanner) content() *token {
	inside := s.inside
	s.inside = 0
	end := len(s.src)
	if inside != atom.Plaintext {
		end = s.pos + endOf(s.src[s.pos:], inside)
	}
	if end == s.pos {
		return nil
	}
	return s.text(s.pos, end, inside != atom.Title && inside != atom.Textarea)
}

// endOf returns how far away the end tag of an element is.
func endOf(rest []byte, inside atom.Atom) int {
	name := []byte(inside.String())
	for i := 0; ; i += 2 {
		at := bytes.Index(rest[i:], []byte("</"))
		if at < 0 {
			return len(rest)
		}
		i += at
		if isTag(rest[i+2:], name) {
			if inside == atom.Script && bytes.Contains(rest[:i], []byte("<!--")) {
				return scriptEnd(rest)
			}
			return i
		}
	}
}

// scriptEnd is endOf for a script with a comment in it: if a script begins in the
// comment, the next end tag is that script's.
func scriptEnd(rest []byte) int {
	name := []byte("script")
	comment, inner := false, false
	for i := range rest {
		switch tail := rest[i:]; {
		case !comment && bytes.HasPrefix(tail, []byte("<!--")):
			comment = true
		case comment && bytes.HasPrefix(tail, []byte("-->")):
			comment, inner = false, false
		case comment && tail[0] == '<' && isTag(tail[1:], name):
			inner = true
		case !bytes.HasPrefix(tail, []byte("</")) || !isTag(tail[2:], name):
		case inner:
			inner = false
		default:
			return i
		}
	}
	return len(rest)
}

// isTag reports whether a text begins with the name of an element, and the name
// ends there.
func isTag(text, name []byte) bool {
	n := len(name)
	return len(text) > n && (isSpace(text[n]) || text[n] == '/' || text[n] == '>') && bytes.EqualFold(text[:n], name)
}

// skipMarkup goes past a comment, a declaration or what is taken for one.
func (s *scanner) skipMarkup() {
	rest := s.src[s.pos:]
	if !bytes.HasPrefix(rest, []byte("<!--")) {
		s.skipTo(rest, []byte(">"), 0)
		return
	}
	for _, short := range []string{"<!-->", "<!--->"} {
		if bytes.HasPrefix(rest, []byte(short)) {
			s.pos += len(short)
			return
		}
	}
	// Most comments end with -->, and the few with --!> are not worth a search of
	// the whole page for each of the others.
	end := bytes.Index(rest[4:], []byte("--"))
	for i := 4; end >= 0; end = bytes.Index(rest[i:], []byte("--")) {
		i += end + 2
		after := rest[i:]
		if bytes.HasPrefix(after, []byte(">")) || bytes.HasPrefix(after, []byte("!>")) {
			s.skipTo(after, []byte(">"), i)
			return
		}
		i-- // the second dash may be the first of the next
	}
	s.pos = len(s.src)
}

func (s *scanner) skipTo(rest, end []byte, offset int) {
	i := bytes.Index(rest, end)
	if i < 0 {
		s.pos = len(s.src)
		return
	}
	s.pos += offset + i + len(end)
}

// What bytes mean in a tag.
const (
	space   byte = 1 << iota // between attributes
	nameEnd                  // it ends the name of a tag
	keyEnd                   // it ends the name of an attribute
)

var meaning = [256]byte{
	' ': space | nameEnd | keyEnd, '\n': space | nameEnd | keyEnd, '\t': space | nameEnd | keyEnd,
	'\r': space | nameEnd | keyEnd, '\f': space | nameEnd | keyEnd,
	'>': nameEnd | keyEnd, '/': nameEnd | keyEnd, '=': keyEnd,
}

func isSpace(c byte) bool { return meaning[c]&space != 0 }

// readTag reads a tag whose name begins after the given bytes. A tag that the
// page breaks off in is none.
func (s *scanner) readTag(kind tokenKind, skip int) *token {
	src, i := s.src, s.pos+skip
	begin := i
	for i < len(src) && meaning[src[i]]&nameEnd == 0 {
		i++
	}
	t := &s.tok
	t.kind, t.tag, t.name, t.attrs, t.empty = kind, src[begin:i], atomOf(src[begin:i]), t.attrs[:0], false
	for {
		for i < len(src) && (isSpace(src[i]) || src[i] == '/') {
			t.empty = src[i] == '/'
			i++
		}
		if i >= len(src) {
			s.pos = len(src)
			return nil
		}
		if src[i] == '>' {
			break
		}
		t.empty = false
		var a attribute
		a, i = readAttribute(src, i)
		t.attrs = append(t.attrs, a)
	}
	s.pos = i + 1
	if kind == startToken && textOnly(t.name) {
		s.inside = t.name
	}
	return t
}

// readAttribute reads the attribute that begins at i, and returns where it ends.
func readAttribute(src []byte, i int) (a attribute, end int) {
	begin := i
	i++ // a name may begin with an equals sign
	for i < len(src) && meaning[src[i]]&keyEnd == 0 {
		i++
	}
	a.key = src[begin:min(i, len(src))]
	after := i
	for after < len(src) && isSpace(src[after]) {
		after++
	}
	if after >= len(src) || src[after] != '=' {
		return a, i
	}
	i = after + 1
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	if i >= len(src) || src[i] == '>' {
		return a, i
	}
	if quote := src[i]; quote == '"' || quote == '\'' {
		i++
		n := bytes.IndexByte(src[i:], quote)
		if n < 0 {
			return a, len(src)
		}
		a.value = src[i : i+n]
		return a, i + n + 1
	}
	begin = i
	for i < len(src) && src[i] != '>' && !isSpace(src[i]) {
		i++
	}
	a.value = src[begin:i]
	return a, i
}

// atomOf looks up a name in any case.
func atomOf(name []byte) atom.Atom {
	var lower [24]byte
	if len(name) > len(lower) {
		return 0
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return atom.Lookup(lower[:len(name)])
}

// attr returns the value of an attribute; "" if there is none.
func (t *token) attr(name string) string {
	value, _ := t.find(name)
	return value
}

// find returns the value of an attribute, and whether there is one.
func (t *token) find(name string) (string, bool) {
	for _, a := range t.attrs {
		if len(a.key) == len(name) && strings.EqualFold(string(a.key), name) {
			return unescape(a.value), true
		}
	}
	return "", false
}

// is reports whether an attribute has a value, in any case.
func (t *token) is(name, value string) bool {
	for _, a := range t.attrs {
		if len(a.key) == len(name) && strings.EqualFold(string(a.key), name) {
			return strings.EqualFold(string(a.value), value)
		}
	}
	return false
}

// text returns a text with its character references resolved.
func (t *token) text() string {
	if t.plain {
		return string(t.raw)
	}
	return unescape(t.raw)
}

func unescape(raw []byte) string {
	if bytes.IndexByte(raw, '&') < 0 {
		return string(raw)
	}
	return html.UnescapeString(string(raw))
}

// ahead is how many tokens a heading or a date has at most.
const ahead = 64

// textUntil returns the text up to an end tag, on one line, without going there.
func (s *scanner) textUntil(name atom.Atom) string {
	look := scanner{src: s.src, pos: s.pos, inside: s.inside}
	var b strings.Builder
	for range ahead {
		t := look.next()
		if t == nil || t.kind == endToken && t.name == name {
			break
		}
		if t.kind == textToken {
			b.WriteString(t.text())
		}
	}
	return clean(b.String())
}
