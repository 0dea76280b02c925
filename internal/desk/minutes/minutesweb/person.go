package minutesweb

import (
	"net/http"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// personPage is who spoke, and in which meetings.
type personPage struct {
	minutes.Person
	Lang    string
	Stories []appearance
	Feed    web.FeedLink
	Narrow  string // the list with this person, to be narrowed
}

// appearance is a meeting in which the person spoke.
type appearance struct {
	Story    web.Story
	Said     string
	Position string
}

func (p *pages) showPerson(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("value")
	person, err := p.desk.GetPerson(r.Context(), name, minutes.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	f := minutes.Filter{Person: person.Name}
	title := p.title(r, &f)
	data := personPage{Person: person, Lang: langOf(person.Name), Feed: feedOf(&f, title), Narrow: "/minutes?" + query(&f).Encode()}
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
		Title: person.Name, Description: p.site.T(r, "minutes.person.description", person.Name), Canonical: pathOf(minutes.ByPerson, person.Name),
		Feeds: []web.FeedLink{data.Feed}, Block: "appearances", Kind: "profile", Data: data,
	})
}

// issuePage is the life of a bill or agenda item.
type issuePage struct {
	Name   string
	Lang   string
	Steps  []step
	Houses []string
	Next   string
	Feed   web.FeedLink
	Narrow string
}

// step is a meeting that dealt with it.
type step struct {
	minutes.Light
	Path string
}

func (p *pages) showIssue(w http.ResponseWriter, r *http.Request) error {
	issue, cursor := r.PathValue("value"), r.URL.Query().Get("cursor")
	page, err := p.desk.Timeline(r.Context(), issue, minutes.PageOptions{Limit: 50, Cursor: cursor})
	if err != nil {
		return err
	}
	if len(page.Items) == 0 && cursor == "" {
		return errs.New(errs.NotFound, "No meeting dealt with this.")
	}
	data := issuePage{Name: issue, Next: page.Next}
	for _, l := range page.Items {
		data.Steps = append(data.Steps, step{l, articlePath(l.ID)})
		if l.Label != "" {
			data.Name = l.Label
		}
	}
	if len(data.Steps) == 1 && data.Name == data.Steps[0].ID {
		// A meeting's own id has a timeline of one.
		return p.site.Redirect(w, r, data.Steps[0].Path)
	}
	f := minutes.Filter{Issue: data.Name}
	data.Lang, data.Feed, data.Narrow = langOf(data.Name), feedOf(&f, p.title(r, &f)), "/minutes?"+query(&f).Encode()
	return p.site.Render(w, r, p.views, "issue", web.Page{
		Title: data.Name, Description: p.site.T(r, "minutes.issue.description", data.Name), Canonical: pathOf(minutes.ByIssue, data.Name),
		Feeds: []web.FeedLink{data.Feed}, Block: "steps", Data: data,
	})
}
