package assembly

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Person is somebody who speaks or votes.
type Person struct {
	ID    string   `json:"id"`
	Names []Name   `json:"names,omitempty"`
	Sex   string   `json:"sex,omitempty"`
	Birth string   `json:"birth,omitempty"`
	Death string   `json:"death,omitempty"`
	Links []string `json:"links,omitempty"`
	// Offices are seats, offices and parties, each with its time.
	Offices []Office  `json:"offices,omitempty"`
	Attrs   Attrs     `json:"attrs,omitempty"`
	Extra   []Element `json:"extra,omitempty"`
}

// Name is a name, and where and when it is used.
type Name struct {
	Text     string `json:"text"`
	Family   string `json:"family,omitempty"`
	Given    string `json:"given,omitempty"`
	Short    bool   `json:"short,omitempty"` // an abbreviation
	Language string `json:"language,omitempty"`
	From     string `json:"from,omitempty"`
	Until    string `json:"until,omitempty"`
}

// Office is a person's place in an organisation over a time: a seat in a house, a
// ministry, a party.
type Office struct {
	Organisation string `json:"organisation,omitempty"`
	// Role is the format's word: member, head, minister.
	Role   string `json:"role,omitempty"`
	Titles []Name `json:"titles,omitempty"`
	// Area is what the person sits for.
	Area string `json:"area,omitempty"`
	// Party is the organisation on whose behalf.
	Party string    `json:"party,omitempty"`
	From  string    `json:"from,omitempty"`
	Until string    `json:"until,omitempty"`
	Attrs Attrs     `json:"attrs,omitempty"`
	Extra []Element `json:"extra,omitempty"`
}

// Kind is what an organisation is.
type Kind string

// The kinds of organisations that matter here; any other is the format's word.
const (
	Party       Kind = "party"
	Group       Kind = "group" // within a house
	House       Kind = "house"
	Cabinet     Kind = "government"
	Ministry    Kind = "ministry"
	CommitteeOf Kind = "committee"
)

// Organisation is a house, party, group, ministry or committee.
type Organisation struct {
	ID    string    `json:"id"`
	Kind  Kind      `json:"kind,omitempty"`
	Names []Name    `json:"names,omitempty"`
	From  string    `json:"from,omitempty"`
	Until string    `json:"until,omitempty"`
	Links []string  `json:"links,omitempty"`
	Attrs Attrs     `json:"attrs,omitempty"`
	Extra []Element `json:"extra,omitempty"`
}

// Register is the people and organisations of one assembly. The zero value is
// empty. It is filled by one goroutine; after that it may be read by many.
type Register struct {
	People        map[string]*Person
	Organisations map[string]*Organisation
	// aliases are other ids of a person: of a seat, of an office.
	aliases map[string]string
	size    int
}

// Person adds to a person, and returns them. Files may say different things of the
// same person; all is kept.
func (r *Register) Person(id string) *Person {
	if r.People == nil {
		r.People = map[string]*Person{}
	}
	p := r.People[id]
	if p == nil {
		p = &Person{ID: id}
		r.People[id] = p
	}
	return p
}

// Organisation adds to an organisation, and returns it.
func (r *Register) Organisation(id string) *Organisation {
	if r.Organisations == nil {
		r.Organisations = map[string]*Organisation{}
	}
	o := r.Organisations[id]
	if o == nil {
		o = &Organisation{ID: id}
		r.Organisations[id] = o
	}
	return o
}

// Join lets an id stand for a person. What was said of somebody with that id is
// theirs.
func (r *Register) Join(id, person string) {
	if id == person {
		return
	}
	if r.aliases == nil {
		r.aliases = map[string]string{}
	}
	r.aliases[id] = person
	if old := r.People[id]; old != nil {
		delete(r.People, id)
		p := r.Person(person)
		p.Offices = append(p.Offices, old.Offices...)
		add(&p.Names, old.Names, 0)
		p.Extra = append(p.Extra, old.Extra...)
	}
}

// Who returns the id of the person that an id stands for.
func (r *Register) Who(id string) string {
	if person, ok := r.aliases[id]; ok {
		return person
	}
	return id
}

// Take charges for about n bytes that are kept, and refuses what no register needs.
func (r *Register) Take(n int) error {
	r.size += n
	if r.size > MaxRegister {
		return fmt.Errorf("the register of people takes more than %d MB: %w", MaxRegister>>20, ErrTooLarge)
	}
	return nil
}

// Find returns the person that an id stands for, or nil.
func (r *Register) Find(id string) *Person {
	if p := r.People[id]; p != nil {
		return p
	}
	return r.People[r.Who(id)]
}

// Sorted returns the people by their ids.
func (r *Register) Sorted() []*Person {
	return slices.SortedFunc(maps.Values(r.People), func(a, b *Person) int { return cmp.Compare(a.ID, b.ID) })
}

// within tells whether a day lies between two dates, both included. A date may be
// a year or a month, or go on with a time; an empty one is open.
func within(day, from, until string) bool {
	if day == "" {
		return true
	}
	from, until = from[:min(len(from), len(day))], until[:min(len(until), len(day))]
	return from <= day && (until == "" || day[:len(until)] <= until)
}

// NameIn returns the name to show on a day, in a language if there is one in it.
func NameIn(names []Name, language, day string, short bool) string {
	best, score := "", -1
	for _, n := range names {
		s := 0
		if within(day, n.From, n.Until) {
			s += 8
		}
		if n.Short == short {
			s += 4
		}
		switch {
		case language != "" && n.Language == language:
			s += 2
		case n.Language == "":
			s++
		}
		if n.Text != "" && s > score {
			best, score = n.Text, s
		}
	}
	return best
}

// PartyOn returns the id of the person's group, or else party, on a day. A stated
// time counts more than none, and of two times the one that began later.
func (r *Register) PartyOn(p *Person, day string) string {
	best, score, since := "", -1, ""
	for _, o := range p.Offices {
		if !within(day, o.From, o.Until) {
			continue
		}
		for _, id := range []string{o.Organisation, o.Party} {
			org := r.Organisations[id]
			if org == nil {
				continue
			}
			s := 0
			switch org.Kind {
			case Group:
				s = 4
			case Party:
				s = 2
			default:
				continue
			}
			if o.From != "" || o.Until != "" {
				s += 3
			}
			if s > score || s == score && o.From > since {
				best, score, since = id, s, o.From
			}
		}
	}
	return best
}

// officeOn returns the title of the person's office in the government on a day.
func (r *Register) officeOn(p *Person, language, day string) string {
	for _, o := range p.Offices {
		org := r.Organisations[o.Organisation]
		if org == nil || org.Kind != Cabinet && org.Kind != Ministry || !within(day, o.From, o.Until) {
			continue
		}
		if title := NameIn(o.Titles, language, day, false); title != "" && o.Role != "member" {
			return title
		}
	}
	return ""
}

// Resolve gives the speakers and voters of a meeting their names, offices and
// parties, as the register has them on the meeting's day. What the record itself
// says stays. An id that the register does not know is warned of once.
func (r *Register) Resolve(m *Meeting) {
	missing := map[string]bool{}
	find := func(id string) *Person {
		if id == "" || len(r.People) == 0 {
			return nil
		}
		p := r.Find(id)
		if p == nil && !missing[id] {
			missing[id] = true
			m.warn("nobody in the register has the id %q", id)
		}
		return p
	}
	for _, part := range m.Parts {
		switch {
		case part.Speech != nil:
			s := part.Speech
			if p := find(s.Person); p != nil {
				r.complete(m, p, &s.Person, &s.Name, &s.Party, &s.PartyID)
				if s.Office == "" && s.Role != Chair {
					if s.Office = r.officeOn(p, m.Language, m.Date); s.Office != "" && s.Role == Member {
						s.Role = Government
					}
				}
			}
		case part.Vote != nil:
			for i := range part.Vote.Positions {
				v := &part.Vote.Positions[i]
				if p := find(v.Person); p != nil {
					r.complete(m, p, &v.Person, &v.Name, &v.Party, &v.PartyID)
				}
			}
		}
	}
}

func (r *Register) complete(m *Meeting, p *Person, id, name, party, partyID *string) {
	*id = p.ID
	if *name == "" {
		*name = NameIn(p.Names, m.Language, m.Date, false)
	}
	if *party == "" {
		if *partyID = r.PartyOn(p, m.Date); *partyID != "" {
			names := r.Organisations[*partyID].Names
			*party = cmp.Or(NameIn(names, m.Language, m.Date, true), *partyID)
		}
	}
}

// FullName joins the parts of a name as its language writes them.
func FullName(given, link, family, language string) string {
	given, family = strings.TrimSpace(given), strings.TrimSpace(family)
	switch base, _, _ := strings.Cut(language, "-"); base {
	case "ja", "zh", "ko":
		return strings.TrimSpace(family + " " + given)
	case "hu":
		return Squeeze(family + " " + given)
	}
	return Squeeze(given + " " + link + " " + family)
}
