package akomantoso

import (
	"encoding/xml"
	"path"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/xmldoc"
)

// ref is somebody or something that the document refers to.
type ref struct {
	class, local, href, name string
}

// id is the same in all documents, if the document says who is meant.
func (r ref) id() string {
	if href := strings.Trim(r.href, "/"); href != "" && href != "#" {
		return href
	}
	return r.local
}

// idOf returns the id of an element, under its names in the versions of the format.
func idOf(t xml.StartElement) string {
	for _, name := range []string{"eId", "id", "wId"} {
		if id := xmldoc.Attr(t, name); id != "" {
			return id
		}
	}
	return ""
}

// meta reads the head of the document.
func (r *reader) meta(t xml.StartElement) error {
	n, err := r.Tree(t)
	if err != nil {
		return err
	}
	for i := range n.Children {
		c := &n.Children[i]
		switch c.Name {
		case "":
		case "identification":
			r.identify(c)
		case "references":
			for j := range c.Children {
				if e := &c.Children[j]; e.Name != "" {
					local := idOf(e.Start)
					if local == "" {
						local = path.Base(e.Attr("href"))
					}
					r.refs[local] = ref{e.Name, local, e.Attr("href"), e.Attr("showAs")}
					if e.Name != "TLCPerson" {
						r.Extra(e.Element())
					}
				}
			}
		case "analysis":
			r.analysis(c)
		case "publication":
			r.Meeting.Number = c.Attr("number")
			r.days["publication"] = day(c.Attr("date"))
			r.Extra(c.Element())
		default:
			r.Extra(c.Element())
		}
	}
	r.nameOptions()
	return nil
}

// identify reads which debate it is.
func (r *reader) identify(n *xmldoc.Node) {
	m := &r.Meeting
	for i := range n.Children {
		work := &n.Children[i]
		for j := range work.Children {
			c := &work.Children[j]
			value := c.Attr("value")
			switch work.Name + "/" + c.Name {
			case "FRBRWork/FRBRthis":
				if m.Attrs["uri"] == "" {
					m.Attrs = m.Attrs.Put("this", value)
					m.ID = orElse(uri(strings.TrimSuffix(strings.TrimSuffix(value, "/!main"), "/main")), m.ID)
				}
			case "FRBRWork/FRBRuri":
				m.Attrs = m.Attrs.Put("uri", value)
				m.ID = orElse(uri(value), m.ID)
			case "FRBRWork/FRBRdate":
				r.days["work"] = day(c.Attr("date"))
			case "FRBRWork/FRBRauthor":
				if m.House == "" {
					m.House = path.Base("/" + strings.Trim(c.Attr("href"), "#/"))
					m.House = strings.Trim(m.House, "/")
				}
			case "FRBRWork/FRBRcountry":
				m.Attrs = m.Attrs.Put("country", value)
			case "FRBRExpression/FRBRlanguage":
				m.Language = tag(c.Attr("language"))
			case "FRBRManifestation/FRBRdate":
				m.Attrs = m.Attrs.Put("published", c.Attr("date"))
			}
		}
	}
}

var dayIn = regexp.MustCompile(`[12][0-9]{3}-[01][0-9]-[0-3][0-9]`)

// day returns the day of a date, or "". A year that is far away stands for none.
func day(date string) string { return dayIn.FindString(date[:min(len(date), 10)]) }

// date decides which day it was: the one that the title page has, or that of the
// address, or that of the head. The head's may be that of the document instead.
func (r *reader) date() {
	m := &r.Meeting
	for _, d := range []string{r.days["docDate"], r.days["date"], dayIn.FindString(m.ID), r.days["time"], r.days["work"], r.days["publication"]} {
		if m.Date == "" {
			m.Date = d
		}
	}
}

// uri is the address of a work without what all of them begin with.
func uri(s string) string { return strings.Trim(strings.TrimPrefix(s, "/akn/"), "/") }

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// tag returns the tag of a language; one that says that there are several is none.
func tag(s string) string {
	t, err := language.Parse(s)
	if err != nil || s == "mul" || s == "und" {
		return ""
	}
	return t.String()
}

// preface reads what the debate is called, and the day where the head has none.
func (r *reader) preface(t xml.StartElement) error {
	n, err := r.Tree(t)
	if err != nil {
		return err
	}
	m := &r.Meeting
	var titles []string
	var walk func(*xmldoc.Node)
	walk = func(n *xmldoc.Node) {
		switch n.Name {
		case "docTitle":
			if title := n.Flat(); title != "" {
				titles = append(titles, title)
			}
		case "docDate", "date":
			if r.days[n.Name] == "" {
				r.days[n.Name] = day(n.Attr("date"))
			}
		case "docCommittee":
			m.Body = orElse(m.Body, n.Flat())
		case "session":
			m.Session = orElse(m.Session, n.Flat())
		case "legislature":
			m.Term = orElse(m.Term, n.Flat())
		case "link", "ref":
			if href := n.Attr("href"); m.URL == "" && strings.HasPrefix(href, "http") {
				m.URL = href
			}
		}
		for i := range n.Children {
			walk(&n.Children[i])
		}
	}
	walk(&n)
	if len(titles) > 0 {
		m.Title = titles[len(titles)-1]
	}
	r.Extra(n.Element())
	return nil
}

// analysis reads the votes that the document counts.
func (r *reader) analysis(n *xmldoc.Node) {
	for i := range n.Children {
		c := &n.Children[i]
		if c.Name != "parliamentary" {
			if c.Name != "" {
				r.Extra(c.Element())
			}
			continue
		}
		for j := range c.Children {
			v := &c.Children[j]
			switch v.Name {
			case "":
			case "voting":
				vote := &assembly.Vote{
					ID: idOf(v.Start), Outcome: strings.TrimPrefix(v.Attr("outcome"), "#"), Title: strings.TrimPrefix(v.Attr("refersTo"), "#"),
					Attrs: xmldoc.Attrs(v.Start, "eId", "id", "outcome"),
				}
				for k := range v.Children {
					switch e := &v.Children[k]; e.Name {
					case "":
					case "count":
						option := strings.TrimPrefix(e.Attr("refersTo"), "#")
						value, err := strconv.Atoi(strings.TrimSpace(e.Attr("value")))
						if err != nil || value < 0 {
							value = -1
						}
						r.options[option] = true
						vote.Counts = append(vote.Counts, assembly.Count{Option: option, Value: value})
					default:
						vote.Extra = append(vote.Extra, e.Element())
					}
				}
				at := strings.TrimPrefix(v.Attr("href"), "#")
				r.votings[at] = append(r.votings[at], vote)
			default:
				r.Extra(v.Element())
			}
		}
	}
}

// The words for the sides of a vote, in the documents tried.
var optionWords = map[string]string{
	"ta": assembly.Aye, "nil": assembly.No, "staon": assembly.Abstain,
	"ayes": assembly.Aye, "noes": assembly.No, "aye": assembly.Aye, "no": assembly.No, "abstentions": assembly.Abstain, "abstain": assembly.Abstain,
	"afavor": assembly.Aye, "encontra": assembly.No, "seabstiene": assembly.Abstain, "abstencion": assembly.Abstain,
	"for": assembly.Aye, "against": assembly.No, "favorevoli": assembly.Aye, "contrari": assembly.No, "astenuti": assembly.Abstain,
	"favor": assembly.Aye, "contra": assembly.No, "pour": assembly.Aye, "contre": assembly.No,
}

func option(word string) string {
	return orElse(optionWords[strings.ToLower(word)], word)
}

// nameOptions gives what was counted the names of this project, and keeps the
// document's beside them.
func (r *reader) nameOptions() {
	for _, votes := range r.votings {
		for _, v := range votes {
			v.Outcome = orElse(r.refs[v.Outcome].name, v.Outcome)
			v.Title = r.refs[v.Title].name
			for i := range v.Counts {
				c := &v.Counts[i]
				c.Text = orElse(r.refs[c.Option].name, c.Option)
				c.Option = option(c.Option)
			}
		}
	}
}
