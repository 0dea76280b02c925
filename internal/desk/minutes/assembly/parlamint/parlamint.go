// Package parlamint reads the corpora of the ParlaMint project: parliaments' debates
// in TEI XML, one file a sitting or an item of it, with lists of people (listPerson)
// and organisations (listOrg) beside them or in the corpus's own file.
//
// It promises that every utterance (u) is a speech, in order; that notes, gaps,
// gestures and noises are notes, at their place and never in the text. Where the
// notes of a vote say which side they count, there is a vote as well. The annotated
// form of a corpus can be read in place of the plain one.
//
// Start with [Format]; people.go reads the lists.
package parlamint

import (
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/xmldoc"
)

// Format reads ParlaMint.
type Format struct {
	// Annotated reads the files with linguistic annotation (.ana.xml) instead of the
	// plain ones. A corpus often has both of the same sittings.
	Annotated bool
}

var _ assembly.Format = Format{}

// Takes tells whether the format reads a file.
func (f Format) Takes(name string) bool {
	base := path.Base(name)
	if !strings.HasSuffix(base, ".xml") || strings.Contains(base, "-taxonomy-") {
		return false
	}
	lists := strings.Contains(base, "-listPerson") || strings.Contains(base, "-listOrg")
	return lists || strings.HasSuffix(base, ".ana.xml") == f.Annotated
}

// Meetings yields the sitting of a file, or those of a corpus in one file.
func (f Format) Meetings(file assembly.File) iter.Seq2[*assembly.Meeting, error] {
	return func(yield func(*assembly.Meeting, error) bool) {
		in, err := file.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		d := xmldoc.New(file.Name, in)
		var whole *assembly.Meeting // of a file that is one sitting, until its end
		root := ""
		for {
			token, err := d.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				yield(nil, err)
				return
			}
			t, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if root == "" {
				root = t.Name.Local
			}
			switch t.Name.Local {
			case "TEI":
				m, err := sitting(d, t)
				if err != nil {
					yield(nil, err)
					return
				}
				if root == "TEI" {
					whole = m
				} else if !yield(m, nil) {
					return
				}
			case "teiHeader", "listPerson", "listOrg", "taxonomy":
				err := d.Skip()
				if err != nil {
					yield(nil, err)
					return
				}
			case "teiCorpus", "include":
			default:
				if root == t.Name.Local {
					yield(nil, d.Errorf("<%s> is not the beginning of a ParlaMint file", root))
					return
				}
			}
		}
		if whole != nil {
			yield(whole, nil)
		}
	}
}

// reader reads one sitting.
type reader struct {
	*xmldoc.Decoder
	assembly.Builder
	level int            // of the divisions that have begun
	div   *assembly.Item // a division that says something of itself, until its head is read
	label string         // what the note before an utterance calls the speaker
	vote  assembly.Vote  // whose notes are being read
}

func sitting(d *xmldoc.Decoder, start xml.StartElement) (*assembly.Meeting, error) {
	r := &reader{Decoder: d}
	m := &r.Meeting
	m.ID = strings.TrimSuffix(xmldoc.Attr(start, "id"), ".ana")
	m.Language = xmldoc.Attr(start, "lang")
	m.Attrs = xmldoc.Attrs(start, "id", "lang")
	err := r.children(func(t xml.StartElement) error {
		switch t.Name.Local {
		case "teiHeader":
			return r.header(t)
		case "text":
			return r.text(t)
		}
		return r.extra(t)
	})
	if err != nil {
		return nil, err
	}
	whole, err := r.Done()
	if err != nil {
		return nil, d.Errorf("%w", err)
	}
	return whole, nil
}

// children calls a function for every element within the one that has started. The
// function reads it to its end. Texts between them are passed over.
func (r *reader) children(each func(xml.StartElement) error) error {
	for {
		token, err := r.Within()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := each(t); err != nil {
				return err
			}
			if err := r.Err(); err != nil {
				return r.Errorf("%w", err)
			}
		case xml.EndElement:
			return nil
		}
	}
}

func (r *reader) extra(t xml.StartElement) error {
	n, err := r.Tree(t)
	if err == nil {
		r.Extra(n.Element())
	}
	return err
}

// header reads what the file says of the sitting.
func (r *reader) header(t xml.StartElement) error {
	n, err := r.Tree(t)
	if err != nil {
		return err
	}
	m := &r.Meeting
	var titles []assembly.Name
	var org, city string
	var walk func(n, parent *xmldoc.Node)
	walk = func(n, parent *xmldoc.Node) {
		switch n.Name {
		case "title":
			if parent.Name == "titleStmt" {
				titles = append(titles, assembly.Name{Text: n.Flat(), Language: n.Attr("lang"), Short: n.Attr("type") == "sub"})
			}
		case "meeting":
			r.counting(n)
		case "date":
			switch {
			case parent.Name == "setting" && m.Date == "":
				m.Date = day(n.Attr("when"), n.Attr("from"))
			case parent.Name == "bibl" && m.Attrs["source.date"] == "":
				m.Attrs = m.Attrs.Put("source.date", day(n.Attr("when"), n.Attr("from")))
			}
		case "idno":
			if parent.Name == "bibl" && m.URL == "" && strings.HasPrefix(n.Flat(), "http") {
				m.URL = n.Flat()
			}
		case "licence":
			m.Attrs = m.Attrs.Put("licence", n.Flat())
		case "name":
			switch n.Attr("type") {
			case "org":
				org = n.Flat()
			case "city":
				city = n.Flat()
			}
		}
		for i := range n.Children {
			walk(&n.Children[i], n)
		}
	}
	walk(&n, &n)
	m.Title = assembly.NameIn(titles, m.Language, "", true)
	m.Attrs = m.Attrs.Put("setting", org).Put("city", city)
	if m.Date == "" {
		m.Date = m.Attrs["source.date"]
	}
	return nil
}

func day(texts ...string) string {
	for _, s := range texts {
		if len(s) >= 10 {
			return s[:10]
		}
	}
	return ""
}

// counting reads how the parliament counts: term, session, meeting, sitting.
func (r *reader) counting(n *xmldoc.Node) {
	m := &r.Meeting
	if lang := n.Attr("lang"); lang != "" && lang != m.Language && len(m.Attrs["meeting"]) > 0 {
		return // the same in another language
	}
	ana := strings.Fields(n.Attr("ana"))
	has := func(what string) bool { return slices.Contains(ana, "#parla."+what) }
	number := n.Attr("n")
	if number == "" {
		number = n.Flat()
	}
	switch {
	case has("term"):
		m.Term = number
	case has("session"):
		m.Session = number
	case has("sitting"):
		m.Number = number
	case has("meeting"):
		m.Attrs = m.Attrs.Put("meeting", number)
		if m.Number == "" {
			m.Number = number
		}
	case has("committee"):
		m.Body = n.Flat()
	default:
		m.Attrs = m.Attrs.Put("counted."+strings.Join(ana, " "), number)
	}
	if house := strings.TrimPrefix(n.Attr("corresp"), "#"); m.House == "" {
		m.House, _, _ = strings.Cut(house, " ")
	}
	for _, chamber := range []string{"lower", "upper", "uni"} {
		if has(chamber) {
			m.Attrs = m.Attrs.Put("chamber", chamber)
		}
	}
}

func (r *reader) text(t xml.StartElement) error {
	if lang := xmldoc.Attr(t, "lang"); lang != "" {
		r.Meeting.Language = lang
	}
	return r.children(func(t xml.StartElement) error {
		if t.Name.Local == "body" {
			return r.children(r.block)
		}
		return r.extra(t)
	})
}

// block reads what stands between utterances.
func (r *reader) block(t xml.StartElement) error {
	switch t.Name.Local {
	case "div":
		r.opened()
		r.level++
		kind := xmldoc.Attr(t, "type")
		if kind != "debateSection" || xmldoc.Attr(t, "n") != "" || xmldoc.Attr(t, "ana") != "" {
			r.div = &assembly.Item{ID: xmldoc.Attr(t, "id"), Level: r.level, Kind: kind, Attrs: xmldoc.Attrs(t, "id", "type")}
		}
		err := r.children(r.block)
		r.level--
		r.opened()
		return err
	case "head":
		text, err := r.Text()
		item := assembly.Item{
			ID: xmldoc.Attr(t, "id"), Title: text, Level: max(r.level, 1), Kind: xmldoc.Attr(t, "type"),
			Language: xmldoc.Attr(t, "lang"), Attrs: xmldoc.Attrs(t, "id", "type", "lang"),
		}
		if r.div != nil {
			for name, value := range r.div.Attrs {
				item.Attrs = item.Attrs.Put(name, value)
			}
			r.div = nil
		}
		r.opened()
		r.Item(item)
		return err
	case "u":
		r.opened()
		return r.utterance(t)
	}
	r.opened()
	if !asides[t.Name.Local] {
		r.Warn("line %d: <%s> is not known here and is taken for a note", r.Line(), t.Name.Local)
	}
	return r.note(t, 0)
}

// opened gives out what waits for something that has not come.
func (r *reader) opened() {
	r.endVote()
	if r.div != nil {
		r.Item(*r.div)
		r.div = nil
	}
}

// asides are the elements of what nobody said.
var asides = map[string]bool{"note": true, "gap": true, "kinesic": true, "vocal": true, "incident": true, "writing": true, "pb": true}

var roles = map[string]assembly.Role{"#chair": assembly.Chair, "#regular": assembly.Member, "#guest": assembly.Guest, "#government": assembly.Government, "#minister": assembly.Government}

func (r *reader) utterance(t xml.StartElement) error {
	r.endVote()
	s := assembly.Speech{
		ID: xmldoc.Attr(t, "id"), Person: strings.TrimPrefix(xmldoc.Attr(t, "who"), "#"), Language: xmldoc.Attr(t, "lang"),
		Attrs: xmldoc.Attrs(t, "id", "who", "lang"), Time: clock(xmldoc.Attr(t, "start")),
	}
	for _, word := range strings.Fields(xmldoc.Attr(t, "ana")) {
		if role := roles[word]; role != "" {
			s.Role = role
		}
	}
	if source := xmldoc.Attr(t, "source"); strings.HasPrefix(source, "http") {
		s.URL = source
	}
	s.Attrs = s.Attrs.Put("label", r.label)
	if s.Person == "" {
		s.Name = strings.TrimRight(r.label, ":. ")
	}
	r.label = ""
	r.Speech(s)
	err := r.said()
	r.endVote()
	r.End()
	return err
}

// said reads an utterance to its end. Whatever is no note was said.
func (r *reader) said() error {
	var loose running // text that stands in no paragraph
	end := func() {
		r.Paragraph(assembly.Paragraph{Text: loose.String()})
		loose = running{}
	}
	for {
		token, err := r.Within()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			end()
			return nil
		case xml.CharData:
			loose.Add(string(t))
		case xml.StartElement:
			end()
			switch {
			case t.Name.Local == "u":
				return r.Errorf("an utterance within another")
			case asides[t.Name.Local]:
				err = r.note(t, 0)
			default:
				err = r.paragraph(t)
			}
			if err == nil && r.Err() != nil {
				err = r.Errorf("%w", r.Err())
			}
			if err != nil {
				return err
			}
		}
	}
}

var clockIn = regexp.MustCompile(`T([0-9]{2}:[0-9]{2}:[0-9]{2})`)

func clock(s string) string {
	if m := clockIn.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// paragraph reads a seg: its text, and the notes in it.
func (r *reader) paragraph(t xml.StartElement) error {
	r.endVote()
	p := assembly.Paragraph{ID: xmldoc.Attr(t, "id"), Language: xmldoc.Attr(t, "lang"), Attrs: xmldoc.Attrs(t, "id", "lang")}
	if t.Name.Local != "seg" {
		p.Attrs = p.Attrs.Put("element", t.Name.Local)
	}
	var text running
	if err := r.words(&text); err != nil {
		return err
	}
	p.Text = text.String()
	r.Paragraph(p)
	return nil
}

// running is the text of a paragraph, of characters or of tokens.
type running struct {
	xmldoc.Run
	tokens bool // white space between elements says nothing
	glued  bool // the token before joins what follows
}

// words reads running text to the end of an element.
func (r *reader) words(into *running) error {
	for {
		token, err := r.Within()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.CharData:
			if !into.tokens || strings.TrimSpace(string(t)) != "" {
				into.Add(string(t))
			}
		case xml.EndElement:
			return nil
		case xml.StartElement:
			switch name := t.Name.Local; {
			case asides[name]:
				into.Gap()
				err = r.note(t, into.Len())
			case name == "linkGrp" || name == "standOff" || name == "join":
				err = r.Skip() // of the annotation
			case name == "w" || name == "pc":
				err = r.word(into, t)
			case name == "u":
				err = r.Errorf("an utterance within another")
			default: // s, name, phr, num, ref, foreign, emph, hi
				err = r.words(into)
			}
			if err == nil {
				err = r.Err()
			}
			if err != nil {
				return err
			}
		}
	}
}

// word reads a token of the annotation. A word that is made of words has its own
// text before them.
func (r *reader) word(into *running, t xml.StartElement) error {
	n, err := r.Tree(t)
	if err != nil {
		return err
	}
	var own strings.Builder
	nested := false
	for i := range n.Children {
		own.WriteString(n.Children[i].Text)
		nested = nested || n.Children[i].Name == "w"
	}
	word := assembly.Squeeze(own.String())
	if word == "" && nested {
		word = n.Flat()
	}
	join := n.Attr("join")
	into.tokens = true
	if word != "" {
		into.Word(word, into.glued || join == "left" || join == "both")
		into.glued = join == "right" || join == "both"
	}
	return nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// sides are the notes that count one side of a vote.
var sides = map[string]string{
	"vote-ayes": assembly.Aye, "vote-noes": assembly.No, "vote-abstention": assembly.Abstain, "vote-abstain": assembly.Abstain,
	"vote-absent": assembly.Absent,
}

// note reads what nobody said.
func (r *reader) note(t xml.StartElement, offset int) error {
	n, err := r.Tree(t)
	if err != nil {
		return err
	}
	kind := n.Attr("type")
	attrs := xmldoc.Attrs(t, "id", "lang", "type")
	switch {
	case n.Name == "note" && kind == "":
		kind = "comment"
	case n.Name != "note" && kind == "":
		kind = n.Name
	case n.Name != "note":
		attrs = attrs.Put("element", n.Name)
	}
	note := assembly.Note{ID: n.Attr("id"), Kind: kind, Text: n.Flat(), Language: n.Attr("lang"), Attrs: attrs}
	for i := range n.Children {
		if c := &n.Children[i]; c.Name != "" {
			if len(c.Start.Attr) > 0 {
				note.Extra = append(note.Extra, c.Element())
			}
			if note.Language == "" && c.Name == "desc" {
				note.Language = c.Attr("lang")
			}
		}
	}
	if side := sides[kind]; side != "" {
		count := assembly.Count{Option: side, Value: -1, Text: note.Text}
		if all := digits.FindAllString(note.Text, 2); len(all) == 1 {
			if n, err := strconv.Atoi(all[0]); err == nil {
				count.Value = n
			}
		}
		if slices.ContainsFunc(r.vote.Counts, func(c assembly.Count) bool { return c.Option == side }) {
			r.endVote()
		}
		r.vote.Counts = append(r.vote.Counts, count)
	} else {
		r.endVote()
	}
	if kind == "speaker" {
		r.label = note.Text
	}
	if n.Name == "pb" {
		note.Kind = "page"
		note.Text = n.Attr("n")
	}
	r.Note(note, offset)
	return nil
}

// endVote gives out the vote whose notes have ended.
func (r *reader) endVote() {
	if len(r.vote.Counts) > 0 {
		r.Vote(r.vote)
		r.vote = assembly.Vote{}
	}
}
