package minutesweb

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// home is where the pages of an assembly begin; "" is the Diet.
func home(assembly string) string {
	if assembly == "" {
		return "/minutes"
	}
	return "/assemblies/" + url.PathEscape(assembly)
}

// place is the assembly that a page is about.
type place struct {
	Base    string // where its pages begin
	Home    string // its name, in the language of the page
	About   string // what its pages are, in a sentence
	Nav     []web.Tab
	Licence *licence // nil for the Diet
}

// licence is what may be done with the records, and whose they are.
type licence struct{ Name, URL, Attribution, Homepage string }

// place returns the assembly of a page, or errs.NotFound.
func (p *pages) place(r *http.Request, code string) (place, error) {
	if code == "" {
		return place{Base: "/minutes", Home: p.site.T(r, "minutes.title"), About: p.site.T(r, "minutes.description")}, nil
	}
	one, err := p.desk.KeptAssembly(r.Context(), code)
	if err != nil {
		return place{}, err
	}
	at := place{Base: home(code), Home: one.Name.In(p.site.Lang(r), "en")}
	at.About = p.site.T(r, "assemblies.about", at.Home)
	at.Licence = &licence{one.Licence.Name, webAddress(one.Licence.URL), one.Licence.Attribution, webAddress(one.Homepage)}
	for _, page := range []struct{ key, path string }{
		{"front", ""}, {"calendar", "/calendar"}, {"members", "/members"}, {"issues", "/issues"}, {"votes", "/votes"},
	} {
		path := at.Base + page.path
		at.Nav = append(at.Nav, web.Tab{Title: p.site.T(r, "assemblies.nav."+page.key), Path: path, Current: r.URL.Path == path})
	}
	at.Nav = append(at.Nav, web.Tab{Title: p.site.T(r, "assemblies.nav.search"), Path: "/search?" + url.Values{"desk": {minutes.Schema.Name}, "tag": {"@" + code}}.Encode()})
	return at, nil
}

// assemblies are the pages that other assemblies have besides.
func (p *pages) assemblies(get func(pattern string, h web.Handler)) {
	get("/assemblies", p.showAssemblies)
	get("/assemblies/{assembly}/calendar", p.showCalendar)
	get("/assemblies/{assembly}/members", p.showMembers)
	get("/assemblies/{assembly}/votes", p.showVotes)
}

// assemblyLink is an assembly in the index.
type assemblyLink struct {
	Name, Own, OwnLang, Path, Place, Licence string
	Meetings                                 int
	Collected                                string
}

func (p *pages) showAssemblies(w http.ResponseWriter, r *http.Request) error {
	all, err := p.desk.KeptAssemblies(r.Context())
	if err != nil {
		return err
	}
	list := []assemblyLink{{Name: p.site.T(r, "assemblies.diet"), Path: "/minutes", Place: "JP"}}
	for _, one := range all {
		l := assemblyLink{Name: one.Name.In(p.site.Lang(r), "en"), Path: home(one.Code), Place: one.Place, Licence: one.Licence.Name, Collected: one.Kept.CollectedAt}
		for _, tag := range one.Languages {
			if own := one.Name[tag]; own != "" && own != l.Name {
				l.Own, l.OwnLang = own, tag
				break
			}
		}
		if one.Kept.Report != nil {
			l.Meetings = one.Kept.Report.Meetings
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list[1:], func(a, b assemblyLink) int { return strings.Compare(a.Name, b.Name) })
	return p.site.Render(w, r, p.views, "assemblies", web.Page{
		Title: p.site.T(r, "assemblies.title"), Description: p.site.T(r, "assemblies.text"), Canonical: "/assemblies", Data: list,
	})
}

// calendarPage is the meetings of a month by day.
type calendarPage struct {
	place
	Month, Before, After string // as in 2026-11
	Name                 string
	Days                 []calendarDay
}

type calendarDay struct {
	Date     string
	Meetings []minutes.Light
}

func (p *pages) showCalendar(w http.ResponseWriter, r *http.Request) error {
	code := r.PathValue("assembly")
	at, err := p.place(r, code)
	if err != nil {
		return err
	}
	month := r.URL.Query().Get("month")
	if month == "" {
		months, err := p.desk.In(code).Months(r.Context(), 1)
		if err != nil {
			return err
		}
		month = time.Now().UTC().Format("2006-01")
		if len(months) > 0 {
			month = months[0]
		}
	}
	first, err := time.Parse("2006-01", month)
	if err != nil {
		return errs.New(errs.NotFound, "There is no such month.")
	}
	page := calendarPage{
		place: at, Month: month, Name: monthName(p.site.Lang(r), month),
		Before: first.AddDate(0, -1, 0).Format("2006-01"), After: first.AddDate(0, 1, 0).Format("2006-01"),
	}
	for a, err := range p.desk.In(code).OfMonth(r.Context(), month) {
		if err != nil {
			return err
		}
		if n := len(page.Days); n == 0 || page.Days[n-1].Date != a.Date {
			page.Days = append(page.Days, calendarDay{Date: a.Date})
		}
		last := &page.Days[len(page.Days)-1]
		last.Meetings = append(last.Meetings, a.Light())
	}
	slices.Reverse(page.Days)
	return p.site.Render(w, r, p.views, "calendar", web.Page{
		Title: p.site.T(r, "assemblies.calendar", at.Home, page.Name), Canonical: at.Base + "/calendar?month=" + month, Description: at.About,
		NoIndex: len(page.Days) == 0, Data: page,
	})
}

// Path is the page of a meeting in the calendar.
func (calendarDay) Path(id string) string { return articlePath(id) }

// membersPage is who spoke, by party.
type membersPage struct {
	place
	Meetings int
	Parties  []party
}

type party struct {
	Name    string
	Follow  string // the name under which it is followed
	Members []memberLink
}

type memberLink struct {
	minutes.Member
	Path string
}

func (p *pages) showMembers(w http.ResponseWriter, r *http.Request) error {
	code := r.PathValue("assembly")
	at, err := p.place(r, code)
	if err != nil {
		return err
	}
	members, meetings, err := p.desk.In(code).Members(r.Context())
	if err != nil {
		return err
	}
	page := membersPage{place: at, Meetings: meetings}
	for _, m := range members {
		if n := len(page.Parties); n == 0 || page.Parties[n-1].Name != m.Party {
			page.Parties = append(page.Parties, party{Name: m.Party, Follow: minutes.SubjectName(code, m.Party)})
		}
		last := &page.Parties[len(page.Parties)-1]
		last.Members = append(last.Members, memberLink{m, pathOf(code, minutes.ByPerson, m.Name)})
	}
	return p.site.Render(w, r, p.views, "members", web.Page{
		Title: p.site.T(r, "assemblies.members", at.Home), Description: p.site.T(r, "assemblies.members.text", strconv.Itoa(meetings)), Data: page,
	})
}

// votesPage is the votes of an assembly.
type votesPage struct {
	place
	Divisions []division
	Next      string
}

// division is a vote with its chart.
type division struct {
	minutes.Division
	Path   string // of the meeting
	Date   string
	State  string // what the record says of the outcome
	Tone   web.Tone
	Chart  *bar
	Bars   []bar  // by party
	Own    string // how the one member voted whose record it is
	People []position
}

type position struct{ Name, Path, Party, Option string }

// bar is the positions of the house, or of a party.
type bar struct {
	Name          string
	Label         string // in words
	Aye, No, Rest int
	Total         int
}

// After is where the votes for neither side begin.
func (b bar) After() int { return b.Aye + b.No }

func (p *pages) newBar(r *http.Request, name string, counts []minutes.Tally) bar {
	b := bar{Name: name}
	var said []string
	for _, c := range counts {
		if c.Value < 0 {
			continue
		}
		switch c.Option {
		case "aye":
			b.Aye += c.Value
		case "no":
			b.No += c.Value
		default:
			b.Rest += c.Value
		}
		said = append(said, p.option(r, c.Option)+" "+strconv.Itoa(c.Value))
	}
	b.Total, b.Label = b.Aye+b.No+b.Rest, strings.Join(said, " · ")
	return b
}

// option is what an option of a vote is called.
func (p *pages) option(r *http.Request, option string) string {
	switch option {
	case "aye", "no", "abstain", "both", "absent":
		return p.site.T(r, "assemblies.option."+option)
	}
	return option
}

func (p *pages) divisions(r *http.Request, code string, all []minutes.Division) []division {
	var out []division
	for _, v := range all {
		d := division{Division: v, Tone: web.Note, State: v.Outcome}
		switch v.Outcome {
		case "passed":
			d.Tone, d.State = web.Good, p.site.T(r, "minutes.outcome.passed")
		case "rejected":
			d.Tone, d.State = web.Bad, p.site.T(r, "minutes.outcome.rejected")
		case "withdrawn":
			d.State = p.site.T(r, "minutes.outcome.withdrawn")
		}
		if whole := p.newBar(r, "", v.Counts); whole.Total > 0 {
			d.Chart = &whole
		}
		for _, one := range v.Parties {
			d.Bars = append(d.Bars, p.newBar(r, one.Party, one.Counts))
		}
		for _, one := range v.Positions {
			d.People = append(d.People, position{one.Name, pathOf(code, minutes.ByPerson, one.Name), one.Party, p.option(r, one.Option)})
		}
		out = append(out, d)
	}
	return out
}

func (p *pages) showVotes(w http.ResponseWriter, r *http.Request) error {
	code := r.PathValue("assembly")
	at, err := p.place(r, code)
	if err != nil {
		return err
	}
	found, err := p.desk.In(code).Votes(r.Context(), minutes.PageOptions{Limit: 10, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	page := votesPage{place: at, Next: found.Next}
	for _, m := range found.Items {
		for _, d := range p.divisions(r, code, m.Votes) {
			d.Path, d.Date, d.People = articlePath(m.ID), m.Date, nil // the meeting's page has them
			page.Divisions = append(page.Divisions, d)
		}
	}
	return p.site.Render(w, r, p.views, "votes", web.Page{
		Title: p.site.T(r, "assemblies.votes.of", at.Home), Description: p.site.T(r, "assemblies.votes.text"), Canonical: at.Base + "/votes", Block: "votes", Data: page,
	})
}

// votingRecord is how a member voted in the latest meetings with votes.
func (p *pages) votingRecord(r *http.Request, code, name string) ([]division, error) {
	if code == "" {
		return nil, nil
	}
	found, err := p.desk.In(code).VotesOf(r.Context(), name, minutes.PageOptions{})
	if err != nil {
		return nil, err
	}
	var out []division
	for _, m := range found.Items {
		for _, d := range p.divisions(r, code, m.Votes) {
			d.Path, d.Date, d.Own = articlePath(m.ID)+"#votes", m.Date, p.option(r, d.Positions[0].Option)
			out = append(out, d)
		}
	}
	return out, nil
}

// person is somebody who spoke, or in other assemblies only voted.
func (p *pages) person(r *http.Request, code, name string, o minutes.PageOptions) (minutes.Person, error) {
	found, err := p.desk.In(code).GetPerson(r.Context(), name, o)
	if code == "" || !errors.Is(err, errs.NotFound) {
		return found, err
	}
	voted, err2 := p.desk.In(code).VotesOf(r.Context(), name, minutes.PageOptions{})
	if err2 != nil || len(voted.Items) == 0 {
		return found, errors.Join(err2, err)
	}
	as := voted.Items[0].Votes[0].Positions[0]
	return minutes.Person{Name: as.Name, Group: as.Party}, nil
}
