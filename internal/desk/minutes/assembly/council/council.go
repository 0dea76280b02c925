// Package council reads the pages on which councils publish their minutes. Where a
// page marks its speeches with elements, a declaration names them with selectors;
// where it is running text, the usual marks tell who speaks: ○議長（山田太郎君）, 【山田議長】,
// or a name in bold.
//
// It promises that every line of the record is in the result, in order: of a speech,
// or as a note. What stands before the first speech is notes.
//
// Start with [Format]; mark.go has the marks.
package council

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"pressroom/internal/desk/minutes/assembly"
)

// MaxPage bounds a page, in bytes.
const MaxPage = 16 << 20

// Selectors say in CSS where a page has what. All may be empty.
type Selectors struct {
	// Record is the element that holds the minutes; the page's body if empty.
	Record string `toml:"record"`
	Title  string `toml:"title"`
	Date   string `toml:"date"`
	Body   string `toml:"body"` // the committee
	// Item is a heading of the agenda, within the record.
	Item string `toml:"item"`
	// Speech is one speech, Speaker and Text the parts of it.
	Speech  string `toml:"speech"`
	Speaker string `toml:"speaker"`
	Text    string `toml:"text"`
	// Note is what nobody said; Drop is what does not belong to the record.
	Note string `toml:"note"`
	Drop string `toml:"drop"`
}

// Format reads pages of one council.
type Format struct {
	Selectors Selectors
	// Mark is how running text marks a speaker: "circle", "bracket", "bold", "label"
	// for 議長（山田太郎君） without a sign before it, or "" for any of the first three.
	Mark string
	// Language is the BCP 47 tag of the record; if empty the page's, or else "ja".
	Language string
}

var _ assembly.Format = Format{}

// Check returns what is wrong with the selectors, by their names.
func (f Format) Check() map[string]error {
	faults := map[string]error{}
	for name, selector := range map[string]string{
		"record": f.Selectors.Record, "title": f.Selectors.Title, "date": f.Selectors.Date, "body": f.Selectors.Body, "item": f.Selectors.Item,
		"speech": f.Selectors.Speech, "speaker": f.Selectors.Speaker, "text": f.Selectors.Text, "note": f.Selectors.Note, "drop": f.Selectors.Drop,
	} {
		if selector == "" {
			continue
		}
		if _, err := cascadia.ParseGroup(selector); err != nil {
			faults[name] = err
		}
	}
	switch f.Mark {
	case "", "circle", "bracket", "bold", "label":
	default:
		faults["mark"] = fmt.Errorf("%q is not circle, bracket, bold or label", f.Mark)
	}
	return faults
}

// Takes tells whether the format reads a file.
func (f Format) Takes(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// People reads nothing: the pages name people only as they speak.
func (f Format) People(assembly.File, *assembly.Register) error { return nil }

// Meetings yields the meeting of a page.
func (f Format) Meetings(file assembly.File) iter.Seq2[*assembly.Meeting, error] {
	return func(yield func(*assembly.Meeting, error) bool) {
		m, err := f.read(file)
		if err != nil {
			var named *assembly.FileError
			if !errors.As(err, &named) {
				err = &assembly.FileError{File: file.Name, Err: err}
			}
			m = nil
		}
		yield(m, err)
	}
}

func (f Format) read(file assembly.File) (*assembly.Meeting, error) {
	for name, err := range f.Check() {
		return nil, fmt.Errorf("selector %s: %w", name, err)
	}
	in, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	page, err := io.ReadAll(io.LimitReader(in, MaxPage+1))
	if err != nil {
		return nil, err
	}
	if len(page) > MaxPage {
		return nil, fmt.Errorf("the page has more than %d MB: %w", MaxPage>>20, assembly.ErrTooLarge)
	}
	encoding, _, _ := charset.DetermineEncoding(page, "")
	text, err := encoding.NewDecoder().Bytes(page)
	if err != nil {
		return nil, err
	}
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r := &reader{Format: f}
	return r.page(goquery.NewDocumentFromNode(root), file.Name)
}

// reader reads one page.
type reader struct {
	Format
	assembly.Builder
	is map[*html.Node]string // what the selectors say a node is
}

func (r *reader) page(doc *goquery.Document, name string) (*assembly.Meeting, error) {
	m := &r.Meeting
	s := r.Selectors
	first := func(selector string) string {
		if selector == "" {
			return ""
		}
		return assembly.Squeeze(doc.Find(selector).First().Text())
	}
	m.ID = strings.TrimSuffix(path.Base(name), path.Ext(name))
	if m.Language = r.Language; m.Language == "" {
		m.Language = doc.Find("html").AttrOr("lang", "ja")
	}
	m.Title, m.Body = first(s.Title), first(s.Body)
	if m.Title == "" {
		m.Title = assembly.Squeeze(doc.Find("title").First().Text())
	}
	for _, text := range []string{first(s.Date), m.Title, assembly.Squeeze(doc.Find("body").Text())} {
		if m.Date = Day(text); m.Date != "" {
			break
		}
	}
	if href, ok := doc.Find("link[rel=canonical]").Attr("href"); ok {
		m.URL = href
	}
	record := doc.Find("body")
	if s.Record != "" {
		if record = doc.Find(s.Record); record.Length() == 0 {
			return nil, fmt.Errorf("nothing on the page matches the selector of the record, %q", s.Record)
		}
	}
	record.Find("script, style, noscript, template, nav").Remove()
	if s.Drop != "" {
		record.Find(s.Drop).Remove()
	}
	r.is = map[*html.Node]string{}
	for _, part := range [][2]string{{"note", s.Note}, {"item", s.Item}, {"speech", s.Speech}} {
		if part[1] == "" {
			continue
		}
		for _, n := range record.Find(part[1]).Nodes {
			r.is[n] = part[0]
		}
	}
	for _, n := range record.Nodes {
		r.node(n, false)
	}
	if len(m.Speeches()) == 0 {
		r.Warn("no speech was found: neither the selectors nor the marks match")
	}
	return r.Done()
}

// node reads an element that holds lines, or is one of those that selectors name;
// laid tells that its text is laid out in lines already.
func (r *reader) node(n *html.Node, laid bool) {
	laid = laid || n.DataAtom == atom.Pre
	switch r.is[n] {
	case "speech":
		r.marked(n)
		return
	case "item":
		r.item(flat(n), 1)
		return
	case "note":
		r.End()
		r.Note(assembly.Note{Kind: "note", Text: flat(n)}, 0)
		return
	}
	var line line
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			rest := c.Data
			for laid {
				before, after, more := strings.Cut(rest, "\n")
				if rest = after; !more {
					rest = before
					break
				}
				line.text += before
				r.line(&line)
			}
			line.text += rest
		case c.Type != html.ElementNode:
		case c.DataAtom == atom.Br || c.DataAtom == atom.Hr:
			r.line(&line)
		case r.is[c] != "" || isBlock(c) || r.holds(c):
			r.line(&line)
			r.node(c, laid)
		default:
			line.bold = line.bold || isBold(c) && strings.TrimSpace(line.text) == ""
			if line.bold && line.name == "" {
				line.name = flat(c)
			}
			line.text += all(c)
		}
	}
	r.line(&line)
}

// line is a line of the record.
type line struct {
	text string
	bold bool   // it begins with a name in bold
	name string // that name
}

// holds tells whether an element of running text holds blocks after all.
func (r *reader) holds(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (r.is[c] != "" || c.DataAtom == atom.Br || isBlock(c) || r.holds(c)) {
			return true
		}
	}
	return false
}

var blockAtoms = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Table: true,
	atom.Tbody: true, atom.Thead: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Section: true, atom.Article: true, atom.Main: true, atom.Pre: true,
	atom.Blockquote: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Footer: true,
	atom.Center: true, atom.Form: true, atom.Body: true, atom.Hr: true,
}

func isBlock(n *html.Node) bool { return blockAtoms[n.DataAtom] }

func isBold(n *html.Node) bool { return n.DataAtom == atom.B || n.DataAtom == atom.Strong }

// all returns the text of a node as it stands.
func all(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(all(c))
	}
	return b.String()
}

func flat(n *html.Node) string { return tidy(all(n)) }

var lineEnd = regexp.MustCompile(`[ \t\r]*\n\s*`)
var blanks = regexp.MustCompile(`[ \t\r\x{a0}]+`)

// tidy joins the lines of a text, without a space between two that are written
// without spaces, and trims it. Wide spaces within it stay.
func tidy(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range lineEnd.FindAllStringIndex(s, -1) {
		b.WriteString(s[at:m[0]])
		before, _ := utf8.DecodeLastRuneInString(s[:m[0]])
		after, _ := utf8.DecodeRuneInString(s[m[1]:])
		if before < 0x2e80 || after < 0x2e80 {
			b.WriteByte(' ')
		}
		at = m[1]
	}
	b.WriteString(s[at:])
	return strings.TrimSpace(blanks.ReplaceAllString(b.String(), " "))
}

// marked reads a speech that selectors name.
func (r *reader) marked(n *html.Node) {
	doc := goquery.NewDocumentFromNode(n)
	speech := assembly.Speech{}
	if r.Selectors.Speaker != "" {
		found := doc.Find(r.Selectors.Speaker).First()
		speech = spoken(assembly.Squeeze(found.Text()))
		if r.Selectors.Text == "" {
			found.Remove()
		}
	}
	if id, ok := doc.Attr("id"); ok {
		speech.ID = id
	}
	r.Speech(speech)
	nodes := []*html.Node{n}
	if r.Selectors.Text != "" {
		nodes = doc.Find(r.Selectors.Text).Nodes
	}
	for _, n := range nodes {
		r.paragraphs(n)
	}
	r.End()
}

// paragraphs adds the text of a speech that selectors name.
func (r *reader) paragraphs(n *html.Node) {
	var b strings.Builder
	end := func() {
		r.say(b.String())
		b.Reset()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Type != html.ElementNode:
		case r.is[c] == "note":
			end()
			r.Note(assembly.Note{Kind: "note", Text: flat(c)}, 0)
		case c.DataAtom == atom.Br:
			end()
		case isBlock(c) || r.holds(c):
			end()
			r.paragraphs(c)
		default:
			b.WriteString(all(c))
		}
	}
	end()
}

func (r *reader) item(title string, level int) {
	if title != "" {
		r.Item(assembly.Item{Title: title, Level: level})
	}
}

var eraDay = regexp.MustCompile(`(令和|平成|昭和|大正|明治)\s*([0-9元]{1,2})\s*年\s*([0-9]{1,2})\s*月\s*([0-9]{1,2})\s*日`)
var plainDay = regexp.MustCompile(`([12][0-9]{3})\s*[-/.年]\s*([0-9]{1,2})\s*[-/.月]\s*([0-9]{1,2})`)
