// Package xmldoc reads XML that strangers wrote: a stream of tokens from the
// standard library's decoder, with what that leaves to its caller.
//
// It promises that nothing outside the file is ever fetched and that no entity
// stands for more than a few characters; that depth, attributes and the length of a
// token are bounded, so that memory is; that a file has one root, no attribute twice
// and the encoding that it declares; and that every fault names its file and line.
//
// Start with [New] and [Decoder.Next].
package xmldoc

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"pressroom/internal/desk/minutes/assembly"
)

// The bounds. A speech of a whole day in one paragraph is within them.
const (
	MaxToken    = 2 << 20 // bytes of one text, tag or comment
	MaxAttrs    = 256     // attributes of a tag
	MaxDepth    = 128     // elements within one another
	maxEntity   = 16      // characters that an entity stands for
	maxEntities = 4096
)

// Decoder reads a document. It is not safe for concurrent use.
type Decoder struct {
	name    string
	in      *meter
	xml     *xml.Decoder
	utf16   bool   // the bytes were UTF-16 and have been decoded
	other   string // the single-byte encoding that is declared
	refused map[string]string
	depth   int
	root    bool
	err     error
}

// New returns a decoder of a file. The name is for errors.
func New(name string, r io.Reader) *Decoder {
	d := &Decoder{name: name, in: &meter{r: r, left: MaxToken}}
	buffered := bufio.NewReader(d.in)
	head, _ := buffered.Peek(4)
	var plain io.Reader = buffered
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = buffered.Discard(3) // peeked already
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("<\x00")):
		d.utf16, plain = true, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(buffered)
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\x00<")):
		d.utf16, plain = true, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(buffered)
	}
	d.xml = xml.NewDecoder(plain)
	d.xml.Entity = maps.Clone(xml.HTMLEntity)
	d.xml.CharsetReader = d.charset
	return d
}

// charset decodes a text that declares another encoding than UTF-8.
func (d *Decoder) charset(label string, input io.Reader) (io.Reader, error) {
	lower := strings.ToLower(label)
	if d.utf16 {
		if !strings.HasPrefix(lower, "utf-16") {
			return nil, fmt.Errorf("it declares %s and is UTF-16", label)
		}
		return input, nil
	}
	if strings.HasPrefix(lower, "utf-16") {
		return nil, fmt.Errorf("it declares %s and is something else", label)
	}
	encoding, name := charset.Lookup(label)
	if encoding == nil || name == "replacement" {
		return nil, fmt.Errorf("it declares the encoding %.40q, which is not known", label)
	}
	d.other = label
	return encoding.NewDecoder().Reader(input), nil
}

// meter counts the bytes of the token that is being read.
type meter struct {
	r    io.Reader
	left int
	// A text may be UTF-8 and declare something else: none counts the bytes beyond
	// ASCII that are not UTF-8, until there is one, and some the characters that are.
	none, some int
	tail       []byte
}

var errToken = fmt.Errorf("a text or tag is longer than %d MB", MaxToken>>20)

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errToken
	}
	n, err := m.r.Read(p[:min(len(p), m.left)])
	m.left -= n
	if m.none == 0 {
		m.look(p[:n])
	}
	return n, err
}

func (m *meter) look(p []byte) {
	text := append(m.tail, p...)
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			text = text[1:]
			continue
		}
		if !utf8.FullRune(text) {
			break
		}
		if _, n := utf8.DecodeRune(text); n == 1 {
			m.none++
			text = text[1:]
		} else {
			m.some++
			text = text[n:]
		}
	}
	m.tail = append(m.tail[:0], text...)
}

// Line returns the line that is being read.
func (d *Decoder) Line() int {
	line, _ := d.xml.InputPos()
	return line
}

// Errorf returns a fault at the line that is being read.
func (d *Decoder) Errorf(format string, args ...any) error {
	return &assembly.FileError{File: d.name, Line: d.Line(), Err: fmt.Errorf(format, args...)}
}

// Next returns the next start, end or text. At the end of a whole document it
// returns io.EOF; any other error is an *assembly.FileError, and final. Texts are
// the decoder's until the next call.
func (d *Decoder) Next() (xml.Token, error) {
	for d.err == nil {
		d.in.left = MaxToken
		token, err := d.xml.Token()
		if err != nil {
			d.err = d.fault(err)
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			if d.err = d.start(t); d.err == nil {
				return t, nil
			}
		case xml.EndElement:
			d.depth--
			return t, nil
		case xml.CharData:
			if d.depth > 0 {
				return t, nil
			}
			if len(bytes.TrimSpace(t)) > 0 {
				d.err = d.Errorf("text outside of the document: %.40q", bytes.TrimSpace(t))
			}
		case xml.Directive:
			d.err = d.directive(t)
		}
	}
	return nil, d.err
}

func (d *Decoder) start(t xml.StartElement) error {
	switch {
	case d.depth == 0 && d.root:
		return d.Errorf("a second document begins with <%s>", t.Name.Local)
	case d.depth == MaxDepth:
		return d.Errorf("more than %d elements within one another", MaxDepth)
	case len(t.Attr) > MaxAttrs:
		return d.Errorf("<%s> has %d attributes, and %d are allowed", t.Name.Local, len(t.Attr), MaxAttrs)
	}
	for i, a := range t.Attr {
		for _, b := range t.Attr[:i] {
			if a.Name == b.Name {
				return d.Errorf("<%s> has the attribute %s twice", t.Name.Local, a.Name.Local)
			}
		}
	}
	d.root = true
	d.depth++
	return nil
}

// fault turns an error of the decoder into one that says what is wrong.
func (d *Decoder) fault(err error) error {
	var file *assembly.FileError
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && !d.root:
		return d.Errorf("there is no XML in the file")
	case errors.Is(err, io.EOF) && d.other != "" && d.in.none == 0 && d.in.some > 0:
		return d.Errorf("it declares %s, but its %d letters beyond ASCII are UTF-8", d.other, d.in.some)
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.As(err, &file):
		return &assembly.FileError{File: file.File, Line: d.Line(), Err: file.Err}
	case errors.Is(err, errToken):
		return d.Errorf("%w", errToken)
	case !errors.As(err, &syntax):
		return d.Errorf("%w", err)
	}
	msg := syntax.Msg
	switch {
	case msg == "unexpected EOF":
		msg = "the file ends too early"
	case strings.Contains(msg, "invalid UTF-8"):
		msg = "it is not the UTF-8 that it declares"
	case strings.HasPrefix(msg, "invalid character entity &"):
		name, _, _ := strings.Cut(strings.TrimPrefix(msg, "invalid character entity &"), ";")
		if why := d.refused[strings.TrimSpace(name)]; why != "" {
			msg = fmt.Sprintf("the entity &%s; is not read: %s", name, why)
		}
	}
	return &assembly.FileError{File: d.name, Line: syntax.Line, Err: errors.New(msg)}
}

var entityDecl = regexp.MustCompile(`<!ENTITY\s+(%\s+)?([^\s%"'<>]+)\s+(?:(SYSTEM|PUBLIC)\b|"([^"]*)"|'([^']*)')`)
var charRef = regexp.MustCompile(`^&#(x[0-9A-Fa-f]{1,6}|[0-9]{1,7});`)

// directive takes the entities of a document type that stand for characters. All
// others are refused when they are used: those that are outside of the file, and
// those that are made of others.
func (d *Decoder) directive(t xml.Directive) error {
	declared := entityDecl.FindAllSubmatch(t, maxEntities+1)
	if len(declared) > maxEntities {
		return d.Errorf("more than %d entities are declared", maxEntities)
	}
	for _, m := range declared {
		name, value := string(m[2]), string(m[4])+string(m[5])
		plain, err := characters(value)
		switch {
		case len(m[1]) > 0:
			continue
		case len(m[3]) > 0:
			d.refuse(name, "it stands for something outside of the file")
		case err != nil:
			d.refuse(name, err.Error())
		default:
			d.xml.Entity[name] = plain
		}
	}
	return nil
}

func (d *Decoder) refuse(name, why string) {
	if d.refused == nil {
		d.refused = map[string]string{}
	}
	d.refused[name] = why
	delete(d.xml.Entity, name)
}

// characters decodes the value of an entity.
func characters(value string) (string, error) {
	var b strings.Builder
	for value != "" {
		if b.Len() > maxEntity*utf8.UTFMax {
			return "", errors.New("it stands for more than a few characters")
		}
		if ref := charRef.FindStringSubmatch(value); ref != nil {
			digits, base := ref[1], 10
			if digits[0] == 'x' {
				digits, base = digits[1:], 16
			}
			n, err := strconv.ParseInt(digits, base, 32)
			if err != nil || !utf8.ValidRune(rune(n)) || n < ' ' {
				return "", errors.New("it stands for no character")
			}
			b.WriteRune(rune(n))
			value = value[len(ref[0]):]
			continue
		}
		if strings.ContainsRune("&%<", rune(value[0])) {
			return "", errors.New("it is made of other entities or of tags")
		}
		b.WriteByte(value[0])
		value = value[1:]
	}
	if !utf8.ValidString(b.String()) {
		return "", errors.New("it stands for no characters")
	}
	return b.String(), nil
}

// Attr returns an attribute by its local name, or "".
func Attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Attrs returns the attributes that are not among those named.
func Attrs(t xml.StartElement, except ...string) assembly.Attrs {
	var rest assembly.Attrs
next:
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" {
			continue
		}
		for _, name := range except {
			if a.Name.Local == name {
				continue next
			}
		}
		rest = rest.Put(a.Name.Local, a.Value)
	}
	return rest
}

// Within is Next for a caller that is within an element: a file that ends there ends
// too early.
func (d *Decoder) Within() (xml.Token, error) {
	token, err := d.Next()
	return token, d.early(err)
}

// Elements calls a function for each element of a file as it starts, until it reports
// false. The function may read the element to its end.
func Elements(file assembly.File, each func(*Decoder, xml.StartElement) (more bool, err error)) error {
	in, err := file.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	for d := New(file.Name, in); ; {
		token, err := d.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if t, ok := token.(xml.StartElement); ok {
			if more, err := each(d, t); !more || err != nil {
				return err
			}
		}
	}
}

// Skip reads to the end of the element that has just started.
func (d *Decoder) Skip() error {
	for depth := d.depth; d.depth >= depth; {
		if _, err := d.Next(); err != nil {
			return d.early(err)
		}
	}
	return nil
}

// early is the error of a caller that is within an element.
func (d *Decoder) early(err error) error {
	if errors.Is(err, io.EOF) {
		return d.Errorf("the file ends too early")
	}
	return err
}

// Text reads the element that has just started to its end, and returns its text
// with white space squeezed.
func (d *Decoder) Text() (string, error) {
	e, err := d.Tree(xml.StartElement{})
	return e.Flat(), err
}

// Node is an element with what is in it, texts and elements in their order: one
// with a Name is an element, one without a text.
type Node struct {
	Name     string
	Start    xml.StartElement
	Text     string
	Children []Node
}

// MaxNode bounds what Tree keeps, in bytes of text and of what holds it.
const MaxNode = 16 << 20

// Tree reads the element that has just started to its end.
func (d *Decoder) Tree(start xml.StartElement) (Node, error) {
	left := MaxNode
	return d.tree(start, &left)
}

func (d *Decoder) tree(start xml.StartElement, left *int) (Node, error) {
	n := Node{Name: start.Name.Local, Start: start.Copy()}
	for {
		if *left -= 200 + 100*len(n.Start.Attr); *left < 0 {
			return n, d.Errorf("<%s> holds more than %d MB: %w", n.Name, MaxNode>>20, assembly.ErrTooLarge)
		}
		token, err := d.Next()
		if err != nil {
			return n, d.early(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			child, err := d.tree(t, left)
			if err != nil {
				return n, err
			}
			n.Children = append(n.Children, child)
		case xml.CharData:
			*left -= len(t)
			n.Children = append(n.Children, Node{Text: string(t)})
		case xml.EndElement:
			return n, nil
		}
	}
}

// Attr returns an attribute by its local name, or "".
func (n *Node) Attr(name string) string { return Attr(n.Start, name) }

// Flat returns the text of a node, white space squeezed.
func (n *Node) Flat() string {
	var b strings.Builder
	n.flat(&b)
	return assembly.Squeeze(b.String())
}

func (n *Node) flat(b *strings.Builder) {
	b.WriteString(n.Text)
	for i := range n.Children {
		n.Children[i].flat(b)
	}
}

// Child returns the first element of a name within the node, or nil.
func (n *Node) Child(name string) *Node {
	for i := range n.Children {
		if n.Children[i].Name == name {
			return &n.Children[i]
		}
	}
	return nil
}

// Element returns the node in the form in which it is kept beyond the model.
func (n *Node) Element() assembly.Element {
	e := assembly.Element{Name: n.Name, Attrs: Attrs(n.Start)}
	for i := range n.Children {
		switch c := &n.Children[i]; {
		case c.Name != "":
			e.Children = append(e.Children, c.Element())
		default:
			e.Text = assembly.Squeeze(e.Text + " " + c.Text)
		}
	}
	return e
}
