// Package popolo reads people, organisations, memberships and votes in Popolo JSON:
// one object with a list for each class (EveryPolitician, ParlParse's people.json),
// the pages of an API ({"result": […]}), a plain list, or one object a line.
//
// It promises that files of any length are read object by object, in any order of
// the classes; that a membership's own id stands for its person, as the records of
// ParlParse use it; and that fields which it does not know are kept. Votes of the
// same day and organisation are one meeting.
//
// Start with [Format].
package popolo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
)

// MaxObject bounds one object of a file, in bytes.
const MaxObject = 8 << 20

// Format reads Popolo.
type Format struct{}

var _ assembly.Format = Format{}

// Takes tells whether the format reads a file.
func (Format) Takes(name string) bool {
	ending := path.Ext(name)
	return ending == ".json" || ending == ".jsonl" || ending == ".ndjson"
}

// object is one object of a file, by its fields.
type object map[string]json.RawMessage

// text returns a field that is a string or a number.
func (o object) text(names ...string) string {
	for _, name := range names {
		raw := o[name]
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return strings.ToValidUTF8(s, "\ufffd")
		}
		if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
			return string(raw)
		}
	}
	return ""
}

// list returns the objects of a field.
func (o object) list(name string) []object {
	var all []object
	_ = json.Unmarshal(o[name], &all)
	return all
}

// child returns the object of a field; nil if it is none.
func (o object) child(name string) object {
	var c object
	_ = json.Unmarshal(o[name], &c)
	return c
}

// rest returns the fields that are not among those named.
func (o object) rest(except ...string) []assembly.Element {
	var all []assembly.Element
	for _, name := range slices.Sorted(maps.Keys(o)) {
		raw := string(o[name])
		if slices.Contains(except, name) || raw == "null" || raw == `""` || raw == "[]" || raw == "{}" {
			continue
		}
		all = append(all, assembly.Element{Name: name, Text: raw})
	}
	return all
}

// classOf says what an object is that stands in no list of its class.
func (o object) classOf() string {
	has := func(name string) bool { return o[name] != nil }
	switch {
	case has("person_id"):
		return "memberships"
	case has("votes") || has("counts") || has("motion") || has("motion_id"):
		return "vote_events"
	case has("vote_events"):
		return "motions"
	case has("organization_id") && has("label"):
		return "posts"
	case has("classification"):
		return "organizations"
	case has("name") || has("other_names") || has("family_name"):
		return "persons"
	}
	return ""
}

var classes = map[string]string{
	"persons": "persons", "people": "persons", "organizations": "organizations", "organisations": "organizations", "memberships": "memberships",
	"posts": "posts", "vote_events": "vote_events", "votes": "vote_events", "motions": "motions", "result": "", "results": "", "items": "", "collection": "",
}

// source is a file that is being read.
type source struct {
	name string
	r    io.Reader
	dec  *json.Decoder
	left int
	// lines counts the line ends before the place of the decoder; ends are those
	// after it, that have been read already.
	lines int
	ends  []int64
	read  int64
}

var errObject = fmt.Errorf("an object is longer than %d MB", MaxObject>>20)

func (s *source) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errObject
	}
	n, err := s.r.Read(p[:min(len(p), s.left)])
	s.left -= n
	for i, c := range p[:n] {
		if c == '\n' {
			s.ends = append(s.ends, s.read+int64(i))
		}
	}
	s.read += int64(n)
	return n, err
}

// line returns the line of a place that is not before the last one asked for.
func (s *source) line(place int64) int {
	passed := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] >= place })
	s.lines += passed
	s.ends = append(s.ends[:0], s.ends[passed:]...)
	return s.lines + 1
}

func (s *source) fault(err error) error {
	var file *assembly.FileError
	var syntax *json.SyntaxError
	place := s.dec.InputOffset()
	switch {
	case errors.As(err, &file):
		err = file.Err
	case errors.As(err, &syntax):
		place = max(place, syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err, place = errors.New("the file ends too early"), s.read
	}
	return &assembly.FileError{File: s.name, Line: s.line(place), Err: err}
}

// each calls a function for every object of a file.
func each(file assembly.File, call func(class string, o object) error) error {
	in, err := file.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	s := &source{name: file.Name, r: in, left: MaxObject}
	s.dec = json.NewDecoder(s)
	stem, _, _ := strings.Cut(path.Base(file.Name), ".")
	class := classes[strings.ToLower(stem)]
	for first := true; ; first = false {
		s.left = MaxObject
		token, err := s.dec.Token()
		if errors.Is(err, io.EOF) && !first {
			return nil
		}
		if err == nil {
			switch token {
			case json.Delim('['):
				err = s.array(class, call)
			case json.Delim('{'):
				err = s.top(class, call)
			default:
				err = fmt.Errorf("%v is not an object of Popolo", token)
			}
		}
		if err != nil {
			return s.fault(err)
		}
	}
}

// array reads a list of objects to its end.
func (s *source) array(class string, call func(string, object) error) error {
	for s.dec.More() {
		s.left = MaxObject
		var o object
		if err := s.dec.Decode(&o); err != nil {
			return err
		}
		s.line(s.dec.InputOffset())
		of := class
		if of == "" {
			of = o.classOf()
		}
		if err := call(of, o); err != nil {
			return err
		}
	}
	_, err := s.dec.Token()
	return err
}

// top reads an object that holds lists of classes, or is one of a class itself.
func (s *source) top(class string, call func(string, object) error) error {
	own := object{}
	size := 0
	for s.dec.More() {
		s.left = MaxObject
		token, err := s.dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		of, known := classes[name]
		if !known || own["id"] != nil { // a field of an object; its votes are not a list of vote events
			var raw json.RawMessage
			if err := s.dec.Decode(&raw); err != nil {
				return err
			}
			if size += len(name) + len(raw); size > MaxObject {
				return errObject
			}
			own[name] = raw
			continue
		}
		token, err = s.dec.Token()
		switch {
		case err != nil:
			return err
		case token == json.Delim('['):
			if of == "" {
				of = class
			}
			err = s.array(of, call)
		case token == json.Delim('{'):
			err = s.top(of, call)
		}
		if err != nil {
			return err
		}
	}
	if _, err := s.dec.Token(); err != nil {
		return err
	}
	if own["id"] == nil {
		return nil
	}
	if class == "" {
		class = own.classOf()
	}
	return call(class, own)
}

// People reads persons, organisations, posts and memberships.
func (Format) People(file assembly.File, into *assembly.Register) error {
	return each(file, func(class string, o object) error {
		size := 0
		for _, raw := range o {
			size += len(raw) + 128
		}
		switch class {
		case "persons":
			person(o, into)
		case "organizations":
			organisation(o, into)
		case "posts":
			post(o, into)
		case "memberships":
			membership(o, o.text("person_id"), into)
		default:
			return nil
		}
		return into.Take(size)
	})
}

func person(o object, into *assembly.Register) {
	id := o.text("id")
	if id == "" {
		return
	}
	p := into.Person(id)
	if n := name(o); n.Text != "" {
		p.Names = append(p.Names, n)
	}
	for _, other := range o.list("other_names") {
		if n := name(other); n.Text != "" {
			p.Names = append(p.Names, n)
		}
	}
	p.Sex, p.Birth, p.Death = o.text("gender"), o.text("birth_date"), o.text("death_date")
	for _, field := range []string{"links", "sources"} {
		for _, link := range o.list(field) {
			if url := link.text("url"); url != "" {
				p.Links = append(p.Links, url)
			}
		}
	}
	for _, m := range o.list("memberships") {
		membership(m, id, into)
	}
	p.Extra = append(p.Extra, o.rest("id", "name", "family_name", "given_name", "other_names", "gender", "birth_date", "death_date", "links", "sources", "memberships")...)
}

func name(o object) assembly.Name {
	n := assembly.Name{
		Family: o.text("family_name", "surname", "lordname"), Given: o.text("given_name"), Language: o.text("lang"),
		From: o.text("start_date"), Until: o.text("end_date"),
	}
	if n.Text = o.text("name"); n.Text == "" {
		n.Text = assembly.FullName(strings.TrimSpace(o.text("honorific_prefix")+" "+n.Given), "", n.Family, n.Language)
		if of := o.text("lordofname"); of != "" {
			n.Text = assembly.Squeeze(n.Text + " of " + of)
		}
	}
	return n
}

var kinds = map[string]assembly.Kind{
	"party": assembly.Party, "political party": assembly.Party, "legislature": assembly.House, "chamber": assembly.House, "house": assembly.House,
	"parliamentary group": assembly.Group, "parliamentary_group": assembly.Group, "faction": assembly.Group, "group": assembly.Group,
	"executive": assembly.Cabinet, "government": assembly.Cabinet, "cabinet": assembly.Cabinet, "ministry": assembly.Ministry, "department": assembly.Ministry,
	"committee": assembly.CommitteeOf,
}

func organisation(o object, into *assembly.Register) {
	id := o.text("id")
	if id == "" {
		return
	}
	org := into.Organisation(id)
	classification := strings.ToLower(o.text("classification"))
	if org.Kind = kinds[classification]; org.Kind == "" {
		org.Kind = assembly.Kind(classification)
	}
	if n := name(o); n.Text != "" {
		org.Names = append(org.Names, n)
	}
	for _, other := range o.list("other_names") {
		n := name(other)
		n.Short = strings.Contains(strings.ToLower(other.text("note")), "abbrev") || other.text("note") == "acronym"
		org.Names = append(org.Names, n)
	}
	org.From, org.Until = o.text("founding_date"), o.text("dissolution_date")
	org.Extra = append(org.Extra, o.rest("id", "name", "classification", "other_names", "founding_date", "dissolution_date")...)
}

// post keeps a post as an organisation: a seat that people hold.
func post(o object, into *assembly.Register) {
	id := o.text("id")
	if id == "" {
		return
	}
	org := into.Organisation(id)
	org.Kind = "post"
	if label := o.text("label", "name"); label != "" {
		org.Names = append(org.Names, assembly.Name{Text: label})
	}
	org.Attrs = org.Attrs.Put("organisation", o.text("organization_id")).Put("area", o.child("area").text("name")).Put("role", o.text("role"))
	org.Extra = append(org.Extra, o.rest("id", "label", "organization_id", "role")...)
}

func membership(o object, who string, into *assembly.Register) {
	if who == "" {
		return
	}
	office := assembly.Office{
		Organisation: o.text("organization_id"), Role: o.text("role"), Party: o.text("on_behalf_of_id"), From: o.text("start_date"), Until: o.text("end_date"),
		Area: o.child("area").text("name"), Extra: o.rest("id", "person_id", "organization_id", "role", "on_behalf_of_id", "start_date", "end_date"),
	}
	if office.Organisation == "" {
		office.Organisation = o.text("post_id")
	}
	if label := o.text("label", "role"); label != "" && label != "member" {
		office.Titles = []assembly.Name{{Text: label}}
	}
	if id := o.text("id"); id != "" {
		into.Join(id, who)
	}
	p := into.Person(into.Who(who))
	p.Offices = append(p.Offices, office)
}

// Meetings yields the votes of a file, one meeting for those that follow one
// another on the same day in the same organisation.
func (Format) Meetings(file assembly.File) iter.Seq2[*assembly.Meeting, error] {
	return func(yield func(*assembly.Meeting, error) bool) {
		var b *assembly.Builder
		motions := map[string]string{}
		size := 0
		stop := errors.New("stop")
		flush := func() error {
			if b == nil {
				return nil
			}
			m, err := b.Done()
			if b = nil; err != nil {
				return err
			}
			if !yield(m, nil) {
				return stop
			}
			return nil
		}
		event := func(o object, title, day string) error {
			v := vote(o)
			if v.Title == "" {
				v.Title = title
			}
			if v.Title == "" {
				v.Title = motions[o.text("motion_id")]
			}
			if d := o.text("start_date", "date", "end_date"); len(d) >= 10 {
				day = d[:10]
			}
			house := o.text("organization_id")
			if b != nil && (b.Meeting.Date != day || b.Meeting.House != house) {
				if err := flush(); err != nil {
					return err
				}
			}
			if b == nil {
				b = &assembly.Builder{}
				b.Meeting.Date, b.Meeting.House, b.Meeting.Session = day, house, o.text("legislative_session_id")
				b.Meeting.ID = strings.Trim("votes-"+house+"-"+day, "-")
			}
			b.Vote(v)
			return b.Err()
		}
		err := each(file, func(class string, o object) error {
			switch class {
			case "motions":
				title := o.text("text", "name")
				if size += len(title) + 128; size > assembly.MaxMeeting {
					return assembly.ErrTooLarge
				}
				motions[o.text("id")] = title
				for _, e := range o.list("vote_events") {
					if e["organization_id"] == nil {
						e["organization_id"] = o["organization_id"]
					}
					if err := event(e, title, o.text("date")); err != nil {
						return err
					}
				}
			case "vote_events":
				return event(o, "", "")
			}
			return nil
		})
		if err == nil {
			if err = flush(); err != nil && !errors.Is(err, stop) {
				err = &assembly.FileError{File: file.Name, Err: err}
			}
		}
		if err != nil && !errors.Is(err, stop) {
			yield(nil, err)
		}
	}
}

var options = map[string]string{
	"yes": assembly.Aye, "aye": assembly.Aye, "for": assembly.Aye, "no": assembly.No, "against": assembly.No, "abstain": assembly.Abstain,
	"absent": assembly.Absent, "not voting": assembly.Absent, "both": assembly.Both,
}

func option(s string) string {
	if known := options[strings.ToLower(s)]; known != "" {
		return known
	}
	return s
}

func vote(o object) assembly.Vote {
	v := assembly.Vote{
		ID: o.text("id"), Number: o.text("identifier"), Title: o.child("motion").text("text", "name"), Outcome: o.text("result"),
		Extra: o.rest("id", "identifier", "result", "counts", "votes", "organization_id"),
	}
	if t := o.text("start_date"); len(t) >= 19 {
		v.Time = t[11:19]
	}
	for _, c := range o.list("counts") {
		count := assembly.Count{Option: option(c.text("option")), Value: -1, Text: c.text("option")}
		if json.Unmarshal(c["value"], &count.Value) != nil || count.Value < 0 {
			count.Value = -1
		}
		v.Counts = append(v.Counts, count)
	}
	for _, c := range o.list("votes") {
		p := assembly.Position{Person: c.text("voter_id"), Name: c.text("voter_name"), Option: option(c.text("option")), PartyID: c.text("group_id"), Teller: c.text("role") == "teller"}
		if voter := c.child("voter"); voter != nil {
			if p.Person == "" {
				p.Person = voter.text("id")
			}
			p.Name = voter.text("name")
		}
		v.Positions = append(v.Positions, p)
	}
	return v
}
