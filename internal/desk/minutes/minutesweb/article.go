package minutesweb

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/web"
)

// articlePage is an article as its page shows it.
type articlePage struct {
	minutes.Article
	Lang      string // of its texts
	SourceURL string
	Origin    minutes.Origin
	Summary   cited
	Soft      cited
	Middle    []cited
	KeyPoints []template.HTML
	Corrected []correction
	Outcomes  []outcome // what was decided, and the bills that were dealt with
	Turns     []turn    // all that was said
	People    []person
	Shares    []shareTable
	Tags      []facetGroup
	Bills     []facetLink
	Heading   []chip // what the meeting was, with the lists that it is in
	Sitting   string // path of the meeting's list
	place
	Agenda    []minutes.AgendaItem
	Divisions []division

	texts *texts
}

// turn is a statement, or several in a row that are procedure alone.
type turn struct {
	*speech
	Procedure []*speech
}

// cited is a text with the statements that it rests on.
type cited struct {
	HTML   template.HTML
	Orders []reference
}

// reference is a link to a statement.
type reference struct {
	Order   int
	Speaker string
}

// speech is one statement: what was made of it, and what was said.
type speech struct {
	minutes.Dialog
	ID         string
	PersonPath string
	Parts      []section
	React      template.HTML
	Soft       template.HTML
	Opening    string        // the first words, for statements that nothing was made of
	Record     template.HTML // the speech with its passages marked; "" if it is too long to stand here
	Path       string        // of the speech's own page
}

type section struct {
	Title   string
	Bullets []bullet
}

// shownPoints is how many points of a section are open; the others wait to be asked for.
const shownPoints = 3

// Shown are the points that are open.
func (s section) Shown() []bullet { return s.Bullets[:min(shownPoints, len(s.Bullets))] }

// More are the points that are not.
func (s section) More() []bullet { return s.Bullets[min(shownPoints, len(s.Bullets)):] }

type bullet struct {
	Point, Detail template.HTML
	Quote         string // "" if the point is the quote
	Link          string // to the passage
}

// person is a participant with their statements.
type person struct {
	minutes.Participant
	Path   string
	Orders []int
}

// Glossary is the words that the article explains.
func (a *articlePage) Glossary() []term { return a.texts.terms }

// Explained lets the glossary mark the words that it knows. It is for the template,
// which has the view.
func (a *articlePage) Explained(v *web.View) *articlePage {
	a.texts.explain(v)
	return a
}

func (p *pages) showArticle(w http.ResponseWriter, r *http.Request) error {
	full, err := p.desk.GetFull(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	path := articlePath(full.ID)
	standing, err := p.site.Standing(r, full.Ref())
	if err != nil {
		return err
	}
	at, err := p.place(r, full.Assembly)
	if err != nil {
		return err
	}
	data := p.compose(r, &full)
	data.place = at
	data.Agenda, data.Divisions = full.Asset.Agenda, p.divisions(r, full.Assembly, full.Asset.Votes)
	return p.site.Render(w, r, p.views, "article", web.Page{
		Standing: standing, Title: full.Title, Description: full.Description, Kind: "article", Canonical: path,
		Feeds: []web.FeedLink{{Path: home(full.Assembly) + "/feed", Title: at.Home}},
		Data:  data,
	})
}

// inlineSpeech and inlineAll bound what of the record stands on the article's own
// page; longer speeches have a page of theirs.
const (
	inlineSpeech = 48 << 10
	inlineAll    = 1 << 20
)

// compose puts the page together. Texts are explained in the order in which they are
// read.
func (p *pages) compose(r *http.Request, full *minutes.Full) *articlePage {
	a := &articlePage{
		Article: full.Article, Lang: cmp.Or(full.Language, langOf(full.Title+full.Asset.Summary.Summary)), SourceURL: webAddress(full.Asset.SourceURL),
		Origin: full.Asset.GeneratedBy, texts: newTexts(full.Terms),
	}
	speakers := map[int]string{}
	for _, d := range full.Asset.Dialogs {
		speakers[d.Order] = d.Speaker
	}
	cite := func(place *cited, c minutes.Cited) {
		a.texts.put(&place.HTML, c.Summary)
		for _, order := range c.BasedOnOrders {
			if speaker, ok := speakers[order]; ok {
				place.Orders = append(place.Orders, reference{order, speaker})
			}
		}
	}
	cite(&a.Summary, full.Asset.Summary)
	a.KeyPoints = make([]template.HTML, len(full.Asset.KeyPoints))
	for i, point := range full.Asset.KeyPoints {
		a.texts.put(&a.KeyPoints[i], point)
	}
	cite(&a.Soft, full.Asset.SoftSummary)
	a.Middle = make([]cited, len(full.Asset.MiddleSummary))
	for i, c := range full.Asset.MiddleSummary {
		cite(&a.Middle[i], c)
	}
	room := inlineAll
	for _, d := range full.Asset.Dialogs {
		a.add(newSpeech(a.texts, full.ID, d, &room), slices.Contains(full.Asset.Procedural, d.Order) || d.Speaker == minutes.Heading)
	}
	a.Outcomes, a.Corrected = p.outcomes(r, full.Assembly, full.Progress), p.corrected(r, full.Asset.Corrections)
	a.People, a.Shares = peopleOf(full), p.shareTables(r, full.Assembly, full.Shares())
	p.links(r, a)
	return a
}

// add appends a statement; procedure stands together.
func (a *articlePage) add(s *speech, procedure bool) {
	last := len(a.Turns) - 1
	switch {
	case !procedure:
		a.Turns = append(a.Turns, turn{speech: s})
	case last >= 0 && a.Turns[last].Procedure != nil:
		a.Turns[last].Procedure = append(a.Turns[last].Procedure, s)
	default:
		a.Turns = append(a.Turns, turn{Procedure: []*speech{s}})
	}
}

// newSpeech puts one statement together; room is what of the record still fits on
// the page.
func newSpeech(t *texts, id string, d minutes.Dialog, room *int) *speech {
	text := strings.ToValidUTF8(d.OriginalText, "")
	s := &speech{Dialog: d, ID: "s-" + strconv.Itoa(d.Order), Path: articlePath(id) + "/speeches/" + strconv.Itoa(d.Order)}
	s.Dialog.SourceURL = webAddress(d.SourceURL)
	s.PersonPath = pathOf(minutes.AssemblyOf(id), minutes.ByPerson, d.Speaker)
	if strings.TrimSpace(d.Speaker) == "" || d.Speaker == minutes.Heading {
		s.PersonPath = ""
	}
	found, where := passages(d.Order, text, quotesOf(d))
	ends := parts(text, found)
	inline := len(text) <= inlineSpeech && len(text) <= *room
	if inline {
		*room -= len(text)
		s.Record = marked(text, 0, len(text), found)
	}
	n := 0
	s.Parts = make([]section, len(d.Sections))
	for i, from := range d.Sections {
		s.Parts[i] = section{Title: from.Title, Bullets: make([]bullet, len(from.Bullets))}
		for j, b := range from.Bullets {
			one := &s.Parts[i].Bullets[j]
			t.put(&one.Point, b.Point)
			t.put(&one.Detail, b.Detail)
			if one.Quote = b.Quote; strings.Join(strings.Fields(b.Quote), "") == strings.Join(strings.Fields(b.Point), "") {
				one.Quote = ""
			}
			if at := where[n]; at >= 0 && inline {
				one.Link = "#" + found[at].id
			} else if at >= 0 {
				one.Link = s.Path + partQuery(partOf(ends, found[at])) + "#" + found[at].id
			}
			n++
		}
	}
	t.put(&s.React, d.Reaction)
	t.put(&s.Soft, d.SoftLanguage)
	s.Opening = opening(text)
	return s
}

func quotesOf(d minutes.Dialog) []string {
	var quotes []string
	for _, s := range d.Sections {
		for _, b := range s.Bullets {
			quotes = append(quotes, b.Quote)
		}
	}
	return quotes
}

// Bare reports whether nothing was made of the statement: it is a chair's word or
// the heading of the minutes.
func (s *speech) Bare() bool { return len(s.Parts) == 0 && s.React == "" && s.Soft == "" }

// opening is the beginning of a speech, without the name that minutes put before it.
func opening(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "○"); ok {
		if i := strings.IndexAny(rest, "　 \n"); i > 0 && i < 100 {
			text = strings.TrimSpace(rest[i:])
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	const most = 60
	runes := []rune(text[:min(len(text), 4*most)])
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// peopleOf are the participants with the numbers of their statements.
func peopleOf(full *minutes.Full) []person {
	orders := map[string][]int{}
	for _, d := range full.Asset.Dialogs {
		orders[d.Speaker] = append(orders[d.Speaker], d.Order)
	}
	var out []person
	for _, one := range full.Participants {
		out = append(out, person{one, pathOf(full.Assembly, minutes.ByPerson, one.Name), orders[one.Name]})
	}
	return out
}

// links are the lists that the article is in.
func (p *pages) links(r *http.Request, a *articlePage) {
	group := func(kind minutes.Kind, key string, values ...string) {
		g := facetGroup{Title: p.site.T(r, key)}
		for _, v := range values {
			g.Links = append(g.Links, facetLink{Name: v, Path: pathOf(a.Assembly, kind, v)})
		}
		if len(g.Links) > 0 {
			a.Tags = append(a.Tags, g)
		}
	}
	group(minutes.ByCategory, "minutes.browse.category", a.Categories...)
	group(minutes.ByKeyword, "minutes.browse.keyword", a.Keywords...)
	for _, bill := range a.Issues {
		a.Bills = append(a.Bills, facetLink{Name: bill, Path: pathOf(a.Assembly, minutes.ByIssue, bill)})
	}
	session := strconv.Itoa(a.Session)
	a.Sitting = pathOf(a.Assembly, minutes.ByMeeting, a.Meeting)
	a.Heading = slices.DeleteFunc([]chip{
		{p.site.T(r, "minutes.filter.house"), a.House, pathOf(a.Assembly, minutes.ByHouse, a.House)},
		{p.site.T(r, "minutes.filter.meeting"), a.Meeting, pathOf(a.Assembly, minutes.ByMeeting, a.Meeting)},
		{p.site.T(r, "minutes.filter.session"), p.site.T(r, "minutes.session", session), pathOf(a.Assembly, minutes.BySession, session)},
		{p.site.T(r, "minutes.filter.kind"), p.valueName(r, "kind", a.ImageKind), pathOf(a.Assembly, minutes.ByImageKind, a.ImageKind)},
	}, func(c chip) bool {
		return c.Value == "" || a.Assembly != "" && a.Session == 0 && c.Name == p.site.T(r, "minutes.filter.session")
	})
}

// webAddress is an address that a page may link to; "" for any other.
func webAddress(text string) string {
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
		return text
	}
	return ""
}
