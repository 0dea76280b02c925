package assembly

import (
	"context"
	"errors"
)

// Preview is what a reading would bring, counted without keeping anything.
type Preview struct {
	People   int `json:"people"`
	Meetings int `json:"meetings"`
	Items    int `json:"items"`
	Speeches int `json:"speeches"`
	Notes    int `json:"notes"`
	Votes    int `json:"votes"`
	// Positions is how many members' votes are known.
	Positions int `json:"positions"`
	// Speakers is how many different people speak. Named is the speeches that have
	// a name, Partied those that have a party, Roled those that have a role.
	Speakers int `json:"speakers"`
	Named    int `json:"named"`
	Partied  int `json:"partied"`
	Roled    int `json:"roled"`
	// First and Last are the days of the first and the last meeting.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	// Languages counts the speeches by their language.
	Languages map[string]int `json:"languages,omitempty"`
	Warnings  []string       `json:"warnings,omitempty"`
	// Errors are the files that cannot be read.
	Errors []string `json:"errors,omitempty"`
	// Cut tells that the preview ended before the sources did.
	Cut bool `json:"cut,omitempty"`
}

// maxListed is how many warnings and errors a preview lists.
const maxListed = 50

func list(into *[]string, text string) {
	if len(*into) < maxListed {
		*into = append(*into, text)
	}
}

// PreviewOf reads up to most meetings, all of them if most is 0, and counts.
func PreviewOf(ctx context.Context, r *Reading, most int) (Preview, error) {
	p := Preview{Languages: map[string]int{}}
	for err := range r.People(ctx) {
		list(&p.Errors, err.Error())
	}
	p.People = len(r.Register.People)
	speakers := map[string]bool{}
	for m, err := range r.Meetings(ctx) {
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		if err != nil {
			list(&p.Errors, err.Error())
			continue
		}
		if most > 0 && p.Meetings == most {
			p.Cut = true
			break
		}
		p.count(m, speakers)
	}
	p.Speakers = len(speakers)
	return p, errors.Join(ctx.Err())
}

func (p *Preview) count(m *Meeting, speakers map[string]bool) {
	p.Meetings++
	if p.First == "" || m.Date < p.First {
		p.First = m.Date
	}
	p.Last = max(p.Last, m.Date)
	for _, w := range m.Warnings {
		list(&p.Warnings, m.ID+": "+w)
	}
	for _, part := range m.Parts {
		switch {
		case part.Item != nil:
			p.Items++
		case part.Note != nil:
			p.Notes++
		case part.Vote != nil:
			p.Votes++
			p.Positions += len(part.Vote.Positions)
		default:
			p.speech(m, part.Speech, speakers)
		}
	}
}

func (p *Preview) speech(m *Meeting, s *Speech, speakers map[string]bool) {
	p.Speeches++
	p.Notes += len(s.Notes)
	for _, language := range []string{s.Language, m.Language, "und"} {
		if language != "" {
			p.Languages[language]++
			break
		}
	}
	if who := s.Person + "\x00" + s.Name; who != "\x00" {
		if s.Person != "" {
			who = s.Person
		}
		speakers[who] = true
	}
	if s.Name != "" {
		p.Named++
	}
	if s.Party != "" {
		p.Partied++
	}
	if s.Role != "" {
		p.Roled++
	}
}
