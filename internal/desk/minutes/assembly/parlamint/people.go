package parlamint

import (
	"encoding/xml"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/xmldoc"
)

// People reads the lists of people and organisations, in files of their own or in
// the head of a corpus or sitting.
func (f Format) People(file assembly.File, into *assembly.Register) error {
	language, skip := "", ""
	return xmldoc.Elements(file, func(d *xmldoc.Decoder, t xml.StartElement) (more bool, err error) {
		if language == "" {
			language = xmldoc.Attr(t, "lang")
		}
		switch t.Name.Local {
		case "TEI":
			skip = "text"
		case skip:
			return false, nil // the head is over, and there is one of them in the file
		case "teiCorpus":
			skip = ""
		case "person":
			err = person(d, t, language, into)
		case "org":
			err = organisation(d, t, into)
		case "relation":
			err = relation(d, t, into)
		}
		return true, err
	})
}

// identified reads an element that must have an id.
func identified(d *xmldoc.Decoder, t xml.StartElement, what string) (n xmldoc.Node, id string, err error) {
	line := d.Line()
	if n, err = d.Tree(t); err != nil {
		return n, "", err
	}
	if id = n.Attr("id"); id == "" {
		err = d.Errorf("the %s of line %d has no xml:id", what, line)
	}
	return n, id, err
}

func person(d *xmldoc.Decoder, t xml.StartElement, language string, into *assembly.Register) error {
	n, id, err := identified(d, t, "person")
	if err != nil {
		return err
	}
	p := into.Person(id)
	p.Attrs = xmldoc.Attrs(t, "id")
	size := 400
	for i := range n.Children {
		c := &n.Children[i]
		size += 160 + len(c.Flat())
		switch c.Name {
		case "":
		case "persName":
			p.Names = append(p.Names, personName(c, language))
		case "sex":
			p.Sex = c.Attr("value")
		case "birth":
			p.Birth = c.Attr("when")
			p.Attrs = p.Attrs.Put("birthplace", c.Flat())
		case "death":
			p.Death = c.Attr("when")
		case "idno":
			p.Links = append(p.Links, c.Flat())
		case "affiliation":
			p.Offices = append(p.Offices, office(c))
			size += 200
		default:
			p.Extra = append(p.Extra, c.Element())
		}
	}
	if err := into.Take(size); err != nil {
		return d.Errorf("%w", err)
	}
	return nil
}

func personName(n *xmldoc.Node, language string) assembly.Name {
	name := assembly.Name{Language: n.Attr("lang"), From: n.Attr("from"), Until: n.Attr("to")}
	var link string
	for i := range n.Children {
		switch c := &n.Children[i]; c.Name {
		case "surname":
			if name.Family == "" || c.Attr("lang") == "" && c.Attr("type") != "patronym" {
				name.Family = assembly.Squeeze(name.Family + " " + c.Flat())
			}
		case "forename":
			if name.Given == "" || c.Attr("lang") == "" {
				name.Given = assembly.Squeeze(name.Given + " " + c.Flat())
			}
		case "nameLink":
			link = c.Flat()
		}
	}
	in := name.Language
	if in == "" {
		in = language
	}
	if name.Text = assembly.FullName(name.Given, link, name.Family, in); name.Text == "" {
		name.Text = n.Flat()
	}
	return name
}

func office(n *xmldoc.Node) assembly.Office {
	o := assembly.Office{
		Organisation: strings.TrimPrefix(n.Attr("ref"), "#"), Role: n.Attr("role"), From: n.Attr("from"), Until: n.Attr("to"),
		Attrs: xmldoc.Attrs(n.Start, "ref", "role", "from", "to"),
	}
	for i := range n.Children {
		switch c := &n.Children[i]; c.Name {
		case "":
		case "roleName":
			o.Titles = append(o.Titles, assembly.Name{Text: c.Flat(), Language: c.Attr("lang")})
		default:
			o.Extra = append(o.Extra, c.Element())
		}
	}
	return o
}

// kinds are the roles of organisations, in all versions of the format.
var kinds = map[string]assembly.Kind{
	"parliamentaryGroup": assembly.Group, "politicalGroup": assembly.Group, "politicalParty": assembly.Party, "political_party": assembly.Party,
	"ethnic_communities": assembly.Group, "independent": assembly.Group, "coalition": assembly.Group, "senate": assembly.House,
	"chamberOfThePeople": assembly.House, "nationalCouncil": assembly.House,
	"parliament": assembly.House, "government": assembly.Cabinet,
	"ministry": assembly.Ministry, "committee": assembly.CommitteeOf, "ethnicCommunity": assembly.Group,
}

func organisation(d *xmldoc.Decoder, t xml.StartElement, into *assembly.Register) error {
	n, id, err := identified(d, t, "organisation")
	if err != nil {
		return err
	}
	o := into.Organisation(id)
	role := n.Attr("role")
	if o.Kind = kinds[role]; o.Kind == "" {
		o.Kind = assembly.Kind(role)
	}
	o.Attrs = xmldoc.Attrs(t, "id")
	size := 400
	for i := range n.Children {
		c := &n.Children[i]
		size += 200 + len(c.Flat())
		switch c.Name {
		case "":
		case "orgName":
			o.Names = append(o.Names, assembly.Name{
				Text: c.Flat(), Language: c.Attr("lang"), Short: c.Attr("full") == "abb" || c.Attr("full") == "init", From: c.Attr("from"), Until: c.Attr("to"),
			})
		case "idno":
			o.Links = append(o.Links, c.Flat())
		case "event":
			if o.From == "" && o.Until == "" {
				o.From, o.Until = c.Attr("from"), c.Attr("to")
			}
			o.Extra = append(o.Extra, c.Element())
		default:
			size += 4 * len(c.Flat())
			o.Extra = append(o.Extra, c.Element())
		}
	}
	if err := into.Take(size); err != nil {
		return d.Errorf("%w", err)
	}
	return nil
}

// relation keeps a coalition, an opposition or a renaming with the organisations
// that it is about.
func relation(d *xmldoc.Decoder, t xml.StartElement, into *assembly.Register) error {
	n, err := d.Tree(t)
	if err != nil {
		return err
	}
	for _, id := range strings.Fields(n.Attr("active") + " " + n.Attr("mutual")) {
		o := into.Organisation(strings.TrimPrefix(id, "#"))
		o.Extra = append(o.Extra, n.Element())
		if err := into.Take(300 + len(n.Attr("passive"))); err != nil {
			return d.Errorf("%w", err)
		}
	}
	return nil
}
