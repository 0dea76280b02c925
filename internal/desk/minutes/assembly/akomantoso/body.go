package akomantoso

import (
	"encoding/xml"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/xmldoc"
)

// section reads a section of the debate to its end; vote is the one whose list it
// is in. An element that is not known is a section.
func (r *reader) section(t xml.StartElement, vote *assembly.Vote) error {
	kind := orElse(xmldoc.Attr(t, "name"), t.Name.Local)
	side := t.Name.Local == "debateSection" && (r.options[kind] || vote != nil && optionWords[strings.ToLower(kind)] != "")
	own := idOf(t)
	mine := r.voteAt(own)
	if vote == nil && mine == nil && kind == "division" {
		mine = &assembly.Vote{ID: own}
	}
	if mine != nil {
		vote = mine
	}
	if t.Name.Local != "debateBody" && !side {
		r.level++
		defer func() { r.level-- }()
		r.waiting = append(r.waiting, assembly.Item{
			ID: idOf(t), Kind: kind, Level: r.level, Attrs: xmldoc.Attrs(t, "eId", "id", "name"),
		})
	}
	depth := len(r.waiting)
	for {
		token, err := r.Within()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.CharData:
			if text := assembly.Squeeze(string(t)); text != "" {
				r.flush()
				r.Note(assembly.Note{Kind: kind, Text: text}, 0)
			}
		case xml.EndElement:
			if depth > 0 && len(r.waiting) == depth {
				r.flush()
			}
			if mine != nil && (len(mine.Counts) > 0 || len(mine.Positions) > 0) {
				r.vote(mine)
			}
			return nil
		case xml.StartElement:
			if !leaves[t.Name.Local] {
				if err := r.element(t, vote); err != nil {
					return err
				}
				break
			}
			n, err := r.Tree(t)
			if err != nil {
				return err
			}
			if contains(&n, "speech") {
				return r.Errorf("a speech within <%s>, where it would be lost", t.Name.Local)
			}
			r.flush()
			v := r.voteAt(idOf(t))
			switch {
			case v != nil && vote != nil && len(vote.Counts) == 0: // a division that is counted here
				v.Positions = append(vote.Positions, v.Positions...)
				*vote = *v
			case v != nil:
				if mine != nil {
					r.vote(mine)
				}
				mine, vote = v, v
			case vote == nil && contains(&n, "vote"):
				mine = &assembly.Vote{ID: own}
				vote = mine
			}
			if !side || !r.position(&n, kind, vote) {
				r.outside(&n, vote)
			}
		}
		if err := r.Err(); err != nil {
			return r.Errorf("%w", err)
		}
	}
}

// vote gives out a vote. An id that many voters share stands for nobody.
func (r *reader) vote(v *assembly.Vote) {
	times := map[string]int{}
	for _, p := range v.Positions {
		times[p.Person]++
	}
	for i := range v.Positions {
		if p := &v.Positions[i]; times[p.Person] > 2 {
			p.Person = ""
		}
	}
	r.Vote(*v)
}

// voteAt takes the vote that stands at an id.
func (r *reader) voteAt(id string) *assembly.Vote {
	votes := r.votings[id]
	if id == "" || len(votes) == 0 {
		return nil
	}
	r.votings[id] = votes[1:]
	return votes[0]
}

// leftover gives out the votes that stand at no place of the debate. One whose
// figures are those of a list of voters is the vote of that list.
func (r *reader) leftover() {
	for _, at := range slices.Sorted(maps.Keys(r.votings)) {
	next:
		for _, v := range r.votings[at] {
			for _, list := range r.Meeting.Votes() {
				if len(list.Counts) == 0 && tallies(list.Positions, v.Counts) {
					v.Positions, v.At = list.Positions, list.At
					*list = *v
					continue next
				}
			}
			r.Vote(*v)
		}
	}
}

// tallies tells whether there are as many positions as were counted.
func tallies(positions []assembly.Position, counts []assembly.Count) bool {
	tally := map[string]int{}
	for _, p := range positions {
		tally[p.Option]++
	}
	for _, c := range counts {
		if c.Value >= 0 && tally[c.Option] != c.Value {
			return false
		}
		delete(tally, c.Option)
	}
	return len(positions) > 0 && len(tally) == 0
}

// flush opens the items whose headings have been read.
func (r *reader) flush() {
	for _, item := range r.waiting {
		if item.Title != "" || item.ID != "" || len(item.Attrs) > 0 {
			r.Item(item)
		}
	}
	r.waiting = r.waiting[:0]
}

// element reads a speech, a heading or a section.
func (r *reader) element(t xml.StartElement, vote *assembly.Vote) error {
	switch t.Name.Local {
	case "speech", "question", "answer":
		n, err := r.Tree(t)
		if err != nil {
			return err
		}
		r.flush()
		r.speech(&n)
		return nil
	case "heading", "subheading", "num":
		n, err := r.Tree(t)
		if err != nil {
			return err
		}
		r.heading(&n)
		return nil
	}
	return r.section(t, vote)
}

// leaves are the elements of a section that hold text and no speech.
var leaves = map[string]bool{
	"p": true, "narrative": true, "scene": true, "summary": true, "other": true, "table": true, "ul": true, "ol": true, "blockList": true,
	"tocItem": true, "toc": true, "recordedTime": true, "outcome": true, "from": true, "person": true, "img": true,
}

func contains(n *xmldoc.Node, name string) bool {
	return slices.ContainsFunc(n.Children, func(c xmldoc.Node) bool { return c.Name == name || contains(&c, name) })
}

// heading gives the section that waits its title, or opens a part of it.
func (r *reader) heading(n *xmldoc.Node) {
	text := n.Flat()
	if len(r.waiting) == 0 || n.Name != "num" && r.waiting[len(r.waiting)-1].Title != "" {
		if text != "" {
			r.Item(assembly.Item{ID: idOf(n.Start), Title: text, Level: r.level + 1, Kind: n.Name})
		}
		return
	}
	item := &r.waiting[len(r.waiting)-1]
	if n.Name == "num" {
		item.Attrs = item.Attrs.Put("num", text)
		return
	}
	item.Title = text
	if time := find(n, "recordedTime"); time != nil {
		item.Attrs = item.Attrs.Put("time", time.Attr("time"))
	}
	for i := range n.Children {
		if c := &n.Children[i]; c.Name != "" && len(c.Start.Attr) > 0 {
			item.Extra = append(item.Extra, c.Element())
		}
	}
}

func find(n *xmldoc.Node, name string) *xmldoc.Node {
	for i := range n.Children {
		c := &n.Children[i]
		if c.Name == name {
			return c
		}
		if c = find(c, name); c != nil {
			return c
		}
	}
	return nil
}

// position reads one line of a list of those who voted for a side.
func (r *reader) position(n *xmldoc.Node, side string, vote *assembly.Vote) bool {
	person := find(n, "person")
	if vote == nil || person == nil {
		return false
	}
	vote.Positions = append(vote.Positions, r.voter(person, strings.TrimPrefix(person.Attr("refersTo"), "#"), side))
	return true
}

func (r *reader) voter(n *xmldoc.Node, local, side string) assembly.Position {
	p := assembly.Position{Option: option(side), Name: strings.TrimRight(n.Flat(), ".;, "), Attrs: xmldoc.Attrs(n.Start, "refersTo", "by", "eId", "id")}
	if known, ok := r.refs[local]; ok && known.class == "TLCPerson" {
		p.Person = known.id()
	} else {
		p.Person = local
	}
	return p
}

// outside reads what stands outside of speeches: notes, and lists of votes.
func (r *reader) outside(n *xmldoc.Node, vote *assembly.Vote) {
	for i := range n.Children {
		if c := &n.Children[i]; c.Name == "outcome" && contains(c, "vote") {
			r.outcome(c, vote)
		}
	}
	if n.Name == "outcome" && contains(n, "vote") {
		r.outcome(n, vote)
	}
	var lines []string
	for _, p := range r.blocks(n, nil) {
		lines = append(lines, p.Text)
	}
	if time := find(n, "recordedTime"); time != nil && r.days["time"] == "" {
		r.days["time"] = day(time.Attr("time"))
	}
	note := assembly.Note{
		ID: idOf(n.Start), Kind: n.Name, Text: strings.Join(lines, "\n"), Language: xmldoc.Attr(n.Start, "lang"),
		Attrs: xmldoc.Attrs(n.Start, "eId", "id", "lang"),
	}
	for i := range n.Children {
		if c := &n.Children[i]; c.Name != "" && c.Name != "p" && c.Name != "outcome" && len(c.Start.Attr) > 0 {
			note.Extra = append(note.Extra, c.Element())
		}
	}
	if note.Text != "" || len(note.Attrs) > 0 || len(note.Extra) > 0 {
		r.Note(note, 0)
	}
}

// outcome reads those who voted for one side.
func (r *reader) outcome(n *xmldoc.Node, vote *assembly.Vote) {
	if vote == nil {
		return
	}
	side := strings.TrimPrefix(n.Attr("refersTo"), "#")
	for i := range n.Children {
		c := &n.Children[i]
		if c.Name != "vote" {
			continue
		}
		voter := r.voter(c, strings.TrimPrefix(c.Attr("by"), "#"), side)
		voter.Attrs = xmldoc.Attrs(c.Start, "by")
		vote.Positions = append(vote.Positions, voter)
	}
}

var chairWords = regexp.MustCompile(`(?i)\b(speaker|chair|chairman|chairperson|ch?eann comhairle|ch?athaoirleach|président|president[ea]?|presiding|präsident|acting)\b`)
var titled = regexp.MustCompile(`(?i)^(the|an|el|la|le|der|die|mr\.?|madam|mrs\.?|tuan|deputy|acting)?\s*(deputy |acting |temporary )*(speaker|chair|president|presiding|minister|prime|secretary)`)
var governmentWords = regexp.MustCompile(`(?i)(minist|taoiseach|tánaiste|secretary of state)`)

// speech reads a speech, a question or an answer.
func (r *reader) speech(n *xmldoc.Node) {
	local, as := strings.TrimPrefix(n.Attr("by"), "#"), strings.TrimPrefix(n.Attr("as"), "#")
	s := assembly.Speech{
		ID: idOf(n.Start), Language: n.Attr("lang"), Written: n.Name == "question",
		Attrs: xmldoc.Attrs(n.Start, "eId", "id", "by", "as", "lang", "startTime"), Time: clock(n.Attr("startTime")),
	}
	if n.Name != "speech" {
		s.Attrs = s.Attrs.Put("element", n.Name)
	}
	known, ok := r.refs[local]
	switch {
	case ok && known.class == "TLCPerson":
		s.Person, s.Name = known.id(), known.name
	case ok: // a role speaks, and the document does not say who has it
		s.Office = orElse(known.name, local)
	default:
		s.Person = local
	}
	if as != "" {
		s.Office = orElse(r.refs[as].name, strings.ReplaceAll(as, "_", " "))
	}
	if from := n.Child("from"); from != nil {
		label := strings.TrimRight(from.Flat(), ":.- ")
		s.Attrs = s.Attrs.Put("label", label)
		s.Name = orElse(s.Name, label)
		if role := find(from, "role"); s.Office == "" && role != nil {
			s.Office = orElse(r.refs[strings.TrimPrefix(role.Attr("refersTo"), "#")].name, role.Flat())
			if strings.HasPrefix(s.Office, "/") {
				s.Office = role.Flat()
			}
		}
		if time := find(from, "recordedTime"); time != nil && s.Time == "" {
			s.Time = clock(time.Attr("time"))
		}
	}
	as = s.Office
	if as == "" && titled.MatchString(s.Name) {
		as = s.Name // many documents know the chair and ministers by their offices alone
	}
	switch {
	case chairWords.MatchString(as):
		s.Role = assembly.Chair
	case governmentWords.MatchString(as):
		s.Role = assembly.Government
	}
	for i := range n.Children {
		if c := &n.Children[i]; c.Name == "heading" || c.Name == "num" {
			r.Item(assembly.Item{ID: idOf(c.Start), Title: c.Flat(), Level: r.level + 1, Kind: n.Name})
		}
	}
	r.Speech(s)
	for i := range n.Children {
		c := &n.Children[i]
		if c.Name == "from" || c.Name == "heading" || c.Name == "num" {
			continue
		}
		for _, p := range r.blocks(c, r.Open()) {
			r.Said(p)
		}
	}
	r.End()
}

var clockIn = regexp.MustCompile(`T?([0-9]{2}:[0-9]{2}:[0-9]{2})`)

func clock(s string) string {
	if m := clockIn.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// containers hold blocks, not running text.
var containers = map[string]bool{
	"ul": true, "ol": true, "li": true, "table": true, "tbody": true, "blockList": true, "item": true, "block": true, "tblock": true, "other": true,
	"quotedStructure": true, "embeddedStructure": true, "blockContainer": true, "container": true, "foreign": true, "toc": true, "div": true,
	"listIntroduction": false, "narrative": true, "speech": true, "question": true, "answer": true,
}

// asides are what is not said, within a speech.
var asides = map[string]bool{"narrative": true, "scene": true, "summary": true, "remark": true, "authorialNote": true, "noteRef": true, "recordedTime": false}

// blocks returns the paragraphs of a node. Notes in it go to the open speech; where
// none is open, they stay in the text.
func (r *reader) blocks(n *xmldoc.Node, open *assembly.Speech) []assembly.Paragraph {
	switch {
	case n.Name == "":
		if text := assembly.Squeeze(n.Text); text != "" {
			return []assembly.Paragraph{{Text: text}}
		}
		return nil
	case open != nil && asides[n.Name]:
		r.aside(n, 0)
		return nil
	case n.Name == "tr":
		var cells []string
		for i := range n.Children {
			if c := &n.Children[i]; c.Name != "" {
				cells = append(cells, c.Flat())
			}
		}
		return []assembly.Paragraph{{Text: strings.Join(cells, " | ")}}
	case containers[n.Name] || contains(n, "p"):
		var all []assembly.Paragraph
		var loose xmldoc.Run // text that stands in no paragraph
		end := func() {
			if loose.Len() > 0 {
				all = append(all, assembly.Paragraph{Text: loose.String()})
				loose = xmldoc.Run{}
			}
		}
		for i := range n.Children {
			switch c := &n.Children[i]; {
			case c.Name == "":
				loose.Add(c.Text)
			case !containers[c.Name] && c.Name != "p" && c.Name != "tr" && !contains(c, "p"):
				r.inline(c, &loose, nil)
			default:
				end()
				all = append(all, r.blocks(c, open)...)
			}
		}
		end()
		return all
	}
	var text xmldoc.Run
	r.inline(n, &text, open)
	if text.Len() == 0 {
		return nil
	}
	return []assembly.Paragraph{{ID: idOf(n.Start), Text: text.String(), Language: n.Attr("lang"), Attrs: xmldoc.Attrs(n.Start, "eId", "id", "lang")}}
}

// inline adds running text.
func (r *reader) inline(n *xmldoc.Node, into *xmldoc.Run, open *assembly.Speech) {
	into.Add(n.Text)
	for i := range n.Children {
		c := &n.Children[i]
		switch {
		case c.Name == "br" || c.Name == "eol":
			into.Break()
		case open != nil && asides[c.Name]:
			into.Gap()
			r.aside(c, into.Len())
		default:
			r.inline(c, into, open)
		}
	}
}

func (r *reader) aside(n *xmldoc.Node, offset int) {
	note := assembly.Note{ID: idOf(n.Start), Kind: n.Name, Text: n.Flat(), Attrs: xmldoc.Attrs(n.Start, "eId", "id")}
	r.Note(note, offset)
}
