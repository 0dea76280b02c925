package parlparse

import (
	"encoding/xml"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/xmldoc"
)

// People reads lists of members: seats (all-members.xml, representatives.xml), whose
// they are (people.xml) and offices (ministers.xml). A seat whose person no list
// names is a person of its own. The later form of these lists is Popolo JSON.
func (Format) People(file assembly.File, into *assembly.Register) error {
	root, person := "", ""
	return xmldoc.Elements(file, func(d *xmldoc.Decoder, t xml.StartElement) (more bool, err error) {
		if root == "" {
			root = t.Name.Local
		}
		at := func(name string) string { return xmldoc.Attr(t, name) }
		switch root + "/" + t.Name.Local {
		case "publicwhip/publicwhip":
			// A day's debates and a list of members begin alike; the next element tells.
		case "debates/debates":
			return false, nil
		case "publicwhip/speech", "publicwhip/ques", "publicwhip/major-heading", "publicwhip/minor-heading", "publicwhip/oral-heading",
			"publicwhip/division", "publicwhip/gidredirect", "publicwhip/bill", "publicwhip/committee":
			return false, nil
		case "people/person", "publicwhip/person":
			person = at("id")
			into.Person(person).Names = appendName(into.Person(person).Names, assembly.Name{Text: at("latestname")})
		case "people/office", "publicwhip/office":
			into.Join(at("id"), person)
		case "members/member", "publicwhip/member", "publicwhip/lord", "publicwhip/member_ni", "publicwhip/member_sp":
			seat(t, into)
		case "ministers/moffice", "publicwhip/moffice":
			id := "ministry/" + at("dept")
			o := into.Organisation(id)
			o.Kind = assembly.Ministry
			o.Names = appendName(o.Names, assembly.Name{Text: at("dept")})
			p := into.Person(into.Who(at("matchid")))
			p.Offices = append(p.Offices, assembly.Office{
				Organisation: id, Role: "minister", Titles: []assembly.Name{{Text: strings.TrimSpace(at("position") + ", " + at("dept"))}},
				From: at("fromdate"), Until: at("todate"), Attrs: xmldoc.Attrs(t, "fromdate", "todate", "matchid", "dept", "position"),
			})
		}
		if err := into.Take(300); err != nil {
			return false, d.Errorf("%w", err)
		}
		return true, nil
	})
}

func appendName(names []assembly.Name, n assembly.Name) []assembly.Name {
	for _, old := range names {
		if old == n {
			return names
		}
	}
	if n.Text == "" {
		return names
	}
	return append(names, n)
}

// seat adds a member's time in a house.
func seat(t xml.StartElement, into *assembly.Register) {
	at := func(name string) string { return xmldoc.Attr(t, name) }
	id, party := at("id"), at("party")
	p := into.Person(into.Who(id))
	name := assembly.FullName(at("firstname"), "", orElse(at("lastname"), at("lordname")), "en")
	if name == "" {
		name = strings.TrimSpace(at("title") + " " + at("lordofname_full"))
	}
	p.Names = appendName(p.Names, assembly.Name{Text: name, Given: at("firstname"), Family: at("lastname")})
	if party != "" {
		o := into.Organisation("party/" + party)
		o.Kind = assembly.Party
		o.Names = appendName(o.Names, assembly.Name{Text: party, Short: true})
		party = o.ID
	}
	house := into.Organisation("house/" + orElse(at("house"), "house"))
	house.Kind = assembly.House
	house.Names = appendName(house.Names, assembly.Name{Text: at("house")})
	p.Offices = append(p.Offices, assembly.Office{
		Organisation: house.ID, Role: "member", Area: orElse(at("constituency"), at("division")), Party: party, From: at("fromdate"), Until: at("todate"),
		Attrs: xmldoc.Attrs(t, "fromdate", "todate", "firstname", "lastname", "party", "house", "constituency", "division"),
	})
}
