// Package parlparse reads the XML of ParlParse (Hansard and the records of the
// devolved parliaments of Britain, as Public Whip and TheyWorkForYou use it) and of
// OpenAustralia, which took the form over.
//
// It promises that every speech, written question and answer with a speaker is a
// speech, in order; that what the record itself says (nospeaker) is a note; that
// interruptions in brackets are notes at their place; and that a file which a later
// one replaces (latest="no") holds no meeting.
//
// Start with [Format]; people.go reads the lists of members.
package parlparse

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/xmldoc"
)

// Format reads ParlParse.
type Format struct{}

var _ assembly.Format = Format{}

// Takes tells whether the format reads a file.
func (Format) Takes(name string) bool { return path.Ext(name) == ".xml" }

// reader reads one file.
type reader struct {
	*xmldoc.Decoder
	assembly.Builder
	replaced bool
	empty    bool // there has been nothing but heads of people
	kind     string
}

var dayIn = regexp.MustCompile(`[12][0-9]{3}-[0-9]{2}-[0-9]{2}`)

// Meetings yields the day that a file holds.
func (Format) Meetings(file assembly.File) iter.Seq2[*assembly.Meeting, error] {
	return func(yield func(*assembly.Meeting, error) bool) {
		in, err := file.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		r := &reader{Decoder: xmldoc.New(file.Name, in), empty: true}
		if err := r.read(file.Name); err != nil {
			yield(nil, err)
			return
		}
		if r.replaced || r.empty {
			return
		}
		m, err := r.Done()
		if err != nil {
			err = &assembly.FileError{File: file.Name, Err: err}
		}
		yield(m, err)
	}
}

func (r *reader) read(name string) error {
	m := &r.Meeting
	m.ID = strings.TrimSuffix(path.Base(name), ".xml")
	if days := dayIn.FindAllString(m.ID, -1); len(days) > 0 {
		m.Date = days[len(days)-1] // a committee's name has the day of its beginning first
	}
	m.Language = "en"
	root := true
	for {
		token, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		t, ok := token.(xml.StartElement)
		if !ok {
			if text, ok := token.(xml.CharData); ok && !root && strings.TrimSpace(string(text)) != "" {
				r.Note(assembly.Note{Kind: "text", Text: clean(string(text))}, 0)
			}
			continue
		}
		if root {
			root = false
			if done, err := r.root(t); done || err != nil {
				return err
			}
			continue
		}
		n, err := r.Tree(t)
		if err != nil {
			return err
		}
		r.element(&n)
		if err := r.Err(); err != nil {
			return r.Errorf("%w", err)
		}
	}
}

// root reads the first element; done tells that there is no meeting in the file.
func (r *reader) root(t xml.StartElement) (done bool, err error) {
	m := &r.Meeting
	switch t.Name.Local {
	case "publicwhip", "debates":
	case "members", "people", "ministers", "divisions", "constituencies", "aliases", "memberchanges":
		return true, nil
	default:
		return true, r.Errorf("<%s> is not the beginning of a ParlParse file", t.Name.Local)
	}
	m.Attrs = xmldoc.Attrs(t)
	version := orElse(xmldoc.Attr(t, "scraperversion"), xmldoc.Attr(t, "scrapeversion"))
	switch xmldoc.Attr(t, "latest") {
	case "no":
		r.replaced = true
	case "yes":
		// What replaces it later has the same id.
		m.ID = strings.TrimSuffix(m.ID, version)
	}
	return false, nil
}

var levels = map[string]int{"oral-heading": 1, "major-heading": 1, "minor-heading": 2}

// element reads what is in a day.
func (r *reader) element(n *xmldoc.Node) {
	if r.replaced {
		return
	}
	if id := n.Attr("id"); id != "" {
		r.learn(id)
	}
	switch n.Name {
	case "oral-heading", "major-heading", "minor-heading":
		r.empty = false
		r.Item(assembly.Item{
			ID: n.Attr("id"), Title: clean(n.Flat()), Level: levels[n.Name], Kind: strings.TrimSuffix(n.Name, "-heading"), Attrs: xmldoc.Attrs(n.Start, "id", "nospeaker"),
		})
	case "speech", "ques", "reply":
		r.empty = false
		r.speech(n)
	case "division", "divisioncount":
		r.empty = false
		r.division(n)
	case "gidredirect":
		r.Extra(n.Element())
	default:
		if n.Name != "place-holder" && n.Name != "bill" && n.Name != "bills" && n.Name != "committee" {
			r.Warn("line %d: <%s> is not known and is kept aside", r.Line(), n.Name)
		}
		r.Extra(n.Element())
	}
}

// learn takes the day and the kind of the record from an id such as
// uk.org.publicwhip/debate/2009-10-26b.1.2.
func (r *reader) learn(id string) {
	if r.kind != "" {
		return
	}
	parts := strings.Split(id, "/")
	if len(parts) < 3 {
		return
	}
	r.kind = parts[1]
	m := &r.Meeting
	m.House = r.kind
	if m.Date == "" {
		m.Date = dayIn.FindString(id)
	}
	if m.Date != "" && !strings.ContainsAny(m.ID, "abcdefghijklmnopqrstuvwxyz") {
		m.ID = r.kind + m.ID // a file that is only named after its day
	}
}

var chairWords = regexp.MustCompile(`(?i)\b(speaker|chair|chairman|chairwoman|presiding officer|llywydd|president of the senate|the president)\b`)
var officeWords = regexp.MustCompile(`(?i)(minister|secretary|chancellor|attorney|solicitor[ -]general|advocate|lord president|leader of the house|treasurer|comptroller)`)

func (r *reader) speech(n *xmldoc.Node) {
	speaker, name := n.Attr("person_id"), clean(n.Attr("speakername"))
	if speaker == "" {
		speaker = n.Attr("speakerid")
	}
	if speaker == "unknown" {
		speaker = ""
	}
	if n.Attr("nospeaker") == "true" || speaker == "" && name == "" {
		r.outside(n)
		return
	}
	s := assembly.Speech{
		ID: n.Attr("id"), Person: speaker, Name: name, Office: clean(n.Attr("speakeroffice")), Written: n.Name != "speech", URL: n.Attr("url"),
		Attrs: xmldoc.Attrs(n.Start, "id", "speakerid", "person_id", "speakername", "speakeroffice", "url", "time"), Time: r.clock(n.Attr("time")),
	}
	if n.Name != "speech" {
		s.Attrs = s.Attrs.Put("element", n.Name)
	}
	s.Attrs = s.Attrs.Put("speakerid", n.Attr("speakerid"))
	if s.Time == "" {
		s.Attrs = s.Attrs.Put("time", n.Attr("time"))
	}
	switch {
	case chairWords.MatchString(name) || chairWords.MatchString(s.Office) && !officeWords.MatchString(s.Office):
		s.Role = assembly.Chair
	case officeWords.MatchString(s.Office):
		s.Role = assembly.Government
	case s.Person != "":
		s.Role = assembly.Member
	}
	r.Speech(s)
	for _, p := range blocks(n, nil) {
		r.Said(p)
	}
	r.End()
}

// outside reads what nobody said.
func (r *reader) outside(n *xmldoc.Node) {
	var lines []string
	for _, p := range blocks(n, nil) {
		lines = append(lines, p.Text)
	}
	r.End()
	r.Note(assembly.Note{ID: n.Attr("id"), Kind: "procedure", Text: strings.Join(lines, "\n"), Attrs: xmldoc.Attrs(n.Start, "id", "nospeaker")}, 0)
}

var clockIn = regexp.MustCompile(`^0?([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?$`)

// clock reads a time of the day; some have a digit too many.
func (r *reader) clock(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || s == "unknown" {
		return ""
	}
	m := clockIn.FindStringSubmatch(s)
	if m != nil {
		t, err := time.Parse("15:4:5", fmt.Sprintf("%s:%s:%s", m[1], m[2], orElse(m[3], "00")))
		if err == nil {
			return t.Format(time.TimeOnly)
		}
	}
	r.Warn("line %d: %.20q is not a time", r.Line(), s)
	return ""
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// lists are the names for those who voted one way, by house.
var lists = map[string]bool{"mplist": true, "lordlist": true, "msplist": true, "memberlist": true, "mlalist": true, "mslist": true}

// options are the words for the sides.
var options = map[string]string{
	"aye": assembly.Aye, "ayes": assembly.Aye, "no": assembly.No, "noes": assembly.No, "content": assembly.Aye, "not-content": assembly.No,
	"for": assembly.Aye, "against": assembly.No, "abstentions": assembly.Abstain, "abstention": assembly.Abstain, "abstain": assembly.Abstain,
	"both": assembly.Both, "absent": assembly.Absent,
}

func option(s string) string { return orElse(options[strings.ToLower(s)], s) }

// division reads a vote.
func (r *reader) division(n *xmldoc.Node) {
	r.End()
	v := assembly.Vote{
		ID: n.Attr("id"), Number: n.Attr("divnumber"), Title: clean(n.Attr("divisiontitle")), URL: n.Attr("url"), Time: r.clock(n.Attr("time")),
		Attrs: xmldoc.Attrs(n.Start, "id", "divnumber", "url", "time", "nospeaker", "ayes", "noes"),
	}
	r.counts(&v, n)
	for i := range n.Children {
		c := &n.Children[i]
		switch {
		case c.Name == "divisioncount":
			r.counts(&v, c)
			for name, value := range xmldoc.Attrs(c.Start) {
				v.Attrs = v.Attrs.Put(name, value)
			}
		case lists[c.Name]:
			r.positions(&v, c)
		case c.Name != "":
			v.Extra = append(v.Extra, c.Element())
		case clean(c.Text) != "":
			v.Extra = append(v.Extra, assembly.Element{Name: "text", Text: clean(c.Text)})
		}
	}
	r.Vote(v)
}

// counts reads the figures. A house has words of its own, and may have ayes beside
// them that say nothing.
func (r *reader) counts(v *assembly.Vote, n *xmldoc.Node) {
	seen := map[string]bool{}
	for _, word := range []string{"content", "not-content", "for", "against", "ayes", "noes", "abstentions"} {
		value, err := strconv.Atoi(n.Attr(word))
		if err != nil || value < 0 || seen[options[word]] {
			continue
		}
		seen[options[word]] = true
		v.Counts = append(v.Counts, assembly.Count{Option: options[word], Value: value})
	}
}

func (r *reader) positions(v *assembly.Vote, n *xmldoc.Node) {
	for i := range n.Children {
		c := &n.Children[i]
		if c.Name == "" {
			continue
		}
		p := assembly.Position{
			Person: orElse(c.Attr("person_id"), orElse(c.Attr("id"), c.Attr("memberid"))), Name: orElse(clean(c.Flat()), c.Attr("membername")),
			Option: option(orElse(c.Attr("vote"), n.Attr("vote"))), Teller: c.Attr("teller") == "yes" || c.Attr("teller") == "true",
			Attrs: xmldoc.Attrs(c.Start, "person_id", "id", "memberid", "vote", "teller"),
		}
		if p.Person == "unknown" {
			p.Person = ""
		}
		v.Positions = append(v.Positions, p)
	}
}

// inlines are the elements of running text.
var inlines = map[string]bool{
	"a": true, "b": true, "i": true, "I": true, "em": true, "strong": true, "sup": true, "sub": true, "phrase": true, "span": true, "inline": true,
	"citation": true, "place-holder": true, "br": true, "q": true, "u": true, "font": true,
}

// blocks returns the paragraphs of a node. Running text that stands in none is one.
func blocks(n *xmldoc.Node, all []assembly.Paragraph) []assembly.Paragraph {
	if n.Name == "tr" {
		var cells []string
		for i := range n.Children {
			if c := &n.Children[i]; c.Name != "" {
				cells = append(cells, clean(c.Flat()))
			}
		}
		return append(all, assembly.Paragraph{ID: n.Attr("pid"), Text: strings.Join(cells, " | ")})
	}
	var text xmldoc.Run
	end := func() {
		if s := clean(text.String()); s != "" {
			p := assembly.Paragraph{Text: s}
			if n.Name == "p" {
				p.ID, p.Attrs = n.Attr("pid"), xmldoc.Attrs(n.Start, "pid")
			}
			all = append(all, p)
		}
		text = xmldoc.Run{}
	}
	for i := range n.Children {
		switch c := &n.Children[i]; {
		case c.Name == "":
			text.Add(c.Text)
		case inlines[c.Name] && !holds(c):
			inline(c, &text)
		default:
			end()
			all = blocks(c, all)
		}
	}
	end()
	return all
}

// holds tells whether an element of running text holds blocks after all.
func holds(n *xmldoc.Node) bool {
	for i := range n.Children {
		if c := &n.Children[i]; c.Name != "" && (!inlines[c.Name] || holds(c)) {
			return true
		}
	}
	return false
}

func inline(n *xmldoc.Node, into *xmldoc.Run) {
	if n.Name == "br" {
		into.Break()
	}
	into.Add(n.Text)
	for i := range n.Children {
		inline(&n.Children[i], into)
	}
}

// clean squeezes white space, but for new lines, and puts right the characters that
// Windows had where Unicode has none.
func clean(s string) string {
	s = strings.Map(func(c rune) rune {
		if c >= 0x80 && c <= 0x9f {
			return charmap.Windows1252.DecodeByte(byte(c))
		}
		return c
	}, s)
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = assembly.Squeeze(lines[i])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
