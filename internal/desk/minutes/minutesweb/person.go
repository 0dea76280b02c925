package minutesweb

import (
	"net/http"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// personPage is who spoke, and in which meetings.
type personPage struct {
	place
	minutes.Person
	Follow    string     // the name under which the group is followed
	Divisions []division // how the person voted lately
	Lang      string
	Stories   []appearance
	Feed      web.FeedLink
	Narrow    string // the list with this person, to be narrowed
}

// appearance is a meeting in which the person spoke.
type appearance struct {
	Story    web.Story
	Said     string
	Position string
}

func (p *pages) showPerson(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("value")
	assembly := r.PathValue("assembly")
	at, err := p.place(r, assembly)
	if err != nil {
		return err
	}
	person, err := p.person(r, assembly, name, minutes.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	f := minutes.Filter{Assembly: assembly, Person: person.Name}
	title := p.title(r, at, &f)
	data := personPage{place: at, Person: person, Follow: minutes.SubjectName(f.Assembly, person.Group), Lang: langOf(person.Name), Feed: feedOf(&f, title), Narrow: at.Base + "?" + query(&f).Encode()}
	if data.Divisions, err = p.votingRecord(r, assembly, person.Name); err != nil {
		return err
	}
	for _, one := range person.Appearances {
		story := p.story(r, one.Light)
		story.Level, story.Summary = 2, ""
		if one.As.Summary == "" {
			story.Summary = one.Description
		}
		position := one.As.Position
		if position == "" {
			position = one.As.Role
		}
		data.Stories = append(data.Stories, appearance{story, one.As.Summary, position})
	}
	return p.site.Render(w, r, p.views, "person", web.Page{
		Title: person.Name, Description: p.site.T(r, "minutes.person.description", person.Name), Canonical: pathOf(assembly, minutes.ByPerson, person.Name),
		Feeds: []web.FeedLink{data.Feed}, Block: "appearances", Kind: "profile", Data: data,
	})
}

// issuePage is the life of a bill or agenda item.
type issuePage struct {
	place
	Name   string
	Follow string // the name under which it is followed
	Lang   string
	Steps  []step
	Houses []string
	Next   string
	Feed   web.FeedLink
	Narrow string
	Stands *step // the last step that says how far it came; nil if none does
}

// step is a meeting that dealt with it.
type step struct {
	minutes.Light
	Path  string
	Found *outcome // what the meeting did with it; nil if its record does not say
}

func (p *pages) showIssue(w http.ResponseWriter, r *http.Request) error {
	issue, cursor := r.PathValue("value"), r.URL.Query().Get("cursor")
	assembly := r.PathValue("assembly")
	at, err := p.place(r, assembly)
	if err != nil {
		return err
	}
	page, err := p.desk.In(assembly).Timeline(r.Context(), issue, minutes.PageOptions{Limit: 50, Cursor: cursor})
	if err != nil {
		return err
	}
	if len(page.Items) == 0 && cursor == "" {
		return errs.New(errs.NotFound, "No meeting dealt with this.")
	}
	data := issuePage{place: at, Name: issue, Follow: minutes.SubjectName(r.PathValue("assembly"), issue), Next: page.Next}
	for _, l := range page.Items {
		one := step{Light: l, Path: articlePath(l.ID)}
		if l.Progress != nil {
			found := p.outcome(r, assembly, l.Progress)
			one.Found = &found
		}
		data.Steps = append(data.Steps, one)
		if l.Label != "" {
			data.Name = l.Label
		}
	}
	if len(data.Steps) == 1 && data.Name == data.Steps[0].ID {
		// A meeting's own id has a timeline of one.
		return p.site.Redirect(w, r, data.Steps[0].Path)
	}
	for i := range data.Steps {
		if page.Next == "" && data.Steps[i].Found != nil {
			data.Stands = &data.Steps[i]
		}
	}
	f := minutes.Filter{Assembly: assembly, Issue: data.Name}
	data.Lang, data.Feed, data.Narrow = langOf(data.Name), feedOf(&f, p.title(r, at, &f)), at.Base+"?"+query(&f).Encode()
	return p.site.Render(w, r, p.views, "issue", web.Page{
		Title: data.Name, Description: p.site.T(r, "minutes.issue.description", data.Name), Canonical: pathOf(assembly, minutes.ByIssue, data.Name),
		Feeds: []web.FeedLink{data.Feed}, Block: "steps", Data: data,
	})
}
