package minutesweb

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

// listPage is a list of articles, whole or filtered.
type listPage struct {
	place
	Filter  minutes.Filter
	Follow  story.Subject // what readers of the list can follow; zero for nothing
	Name    string        // what the one filter is about; "" without one or with several
	Chips   []chip
	Stories []web.Story
	Next    string
	Feed    web.FeedLink
	Form    []web.Field
	Browse  []facetGroup
	Months  []facetLink
}

// facetGroup is what can be chosen of one kind.
type facetGroup struct {
	Title string
	All   string // path of the whole list; may be empty
	Links []facetLink
}

type facetLink struct {
	Name, Path string
	Count      int
}

func (p *pages) showLatest(w http.ResponseWriter, r *http.Request) error {
	if tidy, changed := tidied(r.URL); changed && isPart(r) {
		w.Header().Set("HX-Push-Url", tidy)
	} else if changed {
		return p.site.Redirect(w, r, tidy)
	}
	return p.showList(w, r, filterOf(r))
}

// tidied is the address without the parameters that a form sends empty, and whether
// it had any.
func tidied(u *url.URL) (string, bool) {
	all := u.Query()
	before := len(all)
	maps.DeleteFunc(all, func(_ string, values []string) bool { return strings.Join(values, "") == "" })
	if len(all) == 0 {
		return u.EscapedPath(), before > 0
	}
	return u.EscapedPath() + "?" + all.Encode(), len(all) < before
}

// isPart reports whether htmx asks for the list alone.
func isPart(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

func (p *pages) showFiltered(one filter) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f := filterOf(r)
		*one.field(&f) = r.PathValue("value")
		return p.showList(w, r, f)
	}
}

// title names a list by its filter.
func (p *pages) title(r *http.Request, at place, f *minutes.Filter) string {
	set := chosen(f)
	switch len(set) {
	case 0:
		return at.Home
	case 1:
		return p.site.T(r, "minutes.title."+set[0].name, p.valueName(r, set[0].name, *set[0].field(f)))
	}
	var values []string
	for _, one := range set {
		values = append(values, p.valueName(r, one.name, *one.field(f)))
	}
	return p.site.T(r, "minutes.title.several", strings.Join(values, p.site.T(r, "minutes.title.and")))
}

// followed is what readers of a list can follow: the assembly, or the one thing that the
// list is narrowed to.
func followed(f *minutes.Filter) story.Subject {
	set := chosen(f)
	switch {
	case len(set) == 0:
		return story.Subject{Kind: "assembly", Name: minutes.SubjectName(f.Assembly, "")}
	case len(set) > 1:
		return story.Subject{}
	}
	kinds := map[string]string{"house": "assembly", "meeting": "committee"}
	switch name := *set[0].field(f); set[0].name {
	case "house", "meeting":
		return story.Subject{Kind: kinds[set[0].name], Name: minutes.SubjectName(f.Assembly, name)}
	case "category", "keyword":
		return story.Subject{Kind: "topic", Name: name}
	}
	return story.Subject{}
}

func (p *pages) showList(w http.ResponseWriter, r *http.Request, f minutes.Filter) error {
	at, err := p.place(r, f.Assembly)
	if err != nil {
		return err
	}
	title := p.title(r, at, &f)
	page := web.Page{Title: title, Description: at.About, Canonical: address(&f), Block: "articles"}
	list := listPage{place: at, Follow: followed(&f), Filter: f, Chips: p.chips(r, f), Feed: feedOf(&f, title)}
	found, err := p.desk.Articles(r.Context(), f, minutes.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	switch {
	case errors.Is(err, errs.Invalid):
		// The form is shown again, with what is wrong in it.
		page.Problem, page.Status, page.NoIndex = err, web.StatusOf(err), true
		if isPart(r) {
			page.Status = http.StatusOK // htmx shows nothing else
		}
	case err != nil:
		return err
	default:
		page.Feeds = []web.FeedLink{list.Feed}
	}
	list.Next = found.Next
	if list.Stories, err = p.site.Cards(r, minutes.Schema.Name, idsOf(found.Items)); err != nil {
		return err
	}
	if set := chosen(&f); len(set) == 1 {
		list.Name = p.valueName(r, set[0].name, *set[0].field(&f))
	} else if len(set) > 1 {
		page.NoIndex = true // there are more combinations than anyone looks for
	}
	if len(list.Stories) == 0 && len(list.Chips) > 0 {
		page.NoIndex = true
	}
	if err := p.fillAside(r, &list); err != nil {
		return err
	}
	page.Data = list
	return p.site.Render(w, r, p.views, "list", page)
}

func idsOf(list []minutes.Light) []string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	return ids
}

// asideFor is how long it is kept at most.
const asideFor = 20 * time.Second

// asideMonths is how many months are offered.
const asideMonths = 12

// beside is what stands beside every list: the same for all readers.
type beside struct {
	facets map[minutes.Kind][]minutes.Facet
	months []string
}

func (p *pages) besides(ctx context.Context, assembly string) (beside, error) {
	var failed error
	read := func(ctx context.Context) (b beside, good bool) {
		if b.facets, failed = p.desk.In(assembly).Facets(ctx); failed == nil {
			b.months, failed = p.desk.In(assembly).Months(ctx, asideMonths)
		}
		return b, failed == nil
	}
	b, mine, ok, err := p.aside.Get(ctx, assembly, read)
	if err == nil && !mine && !ok { // whoever looked for all could not
		b, _ = read(ctx)
	}
	return b, errors.Join(err, failed)
}

// browseLinks is how many values of each kind stand beside a list.
const browseLinks = 12

func (p *pages) fillAside(r *http.Request, list *listPage) error {
	beside, err := p.besides(r.Context(), list.Filter.Assembly)
	if err != nil {
		return err
	}
	for _, f := range filters {
		list.Form = append(list.Form, p.formField(r, f, list.Filter, beside.facets[f.kind]))
		if f.kind == "" || len(beside.facets[f.kind]) == 0 {
			continue
		}
		g := facetGroup{Title: p.site.T(r, "minutes.browse."+f.name)}
		if f.kind == minutes.ByPerson || f.kind == minutes.ByIssue {
			g.All = list.Base + "/" + f.folder
		}
		g.Links = facetLinks(list.Filter.Assembly, f, beside.facets[f.kind], browseLinks)
		for i := range g.Links {
			g.Links[i].Name = p.valueName(r, f.name, g.Links[i].Name)
		}
		list.Browse = append(list.Browse, g)
	}
	for _, month := range beside.months {
		list.Months = append(list.Months, facetLink{Name: monthName(p.site.Lang(r), month), Path: list.Base + "/months/" + month})
	}
	return nil
}

func facetLinks(assembly string, f filter, facets []minutes.Facet, most int) []facetLink {
	var out []facetLink
	for _, facet := range facets[:min(most, len(facets))] {
		out = append(out, facetLink{facet.Value, f.path(assembly, facet.Value), facet.Count})
	}
	return out
}

// suggested is how many values an input offers.
const suggested = 100

// formField is the form's input for a filter.
func (p *pages) formField(r *http.Request, f filter, set minutes.Filter, facets []minutes.Facet) web.Field {
	value := *f.field(&set)
	field := web.Field{Name: f.name, ID: f.name, Label: p.site.T(r, "minutes.filter."+f.name), Kind: f.input, Value: value, Max: 300}
	switch f.input {
	case "select":
		field.Choices = []web.Choice{{Value: "", Label: p.site.T(r, "minutes.filter.any")}}
		for _, facet := range facets {
			field.Choices = append(field.Choices, web.Choice{Value: facet.Value, Label: p.valueName(r, f.name, facet.Value)})
		}
		known := func(c web.Choice) bool { return c.Value == value }
		if !slices.ContainsFunc(field.Choices, known) {
			field.Choices = append(field.Choices, web.Choice{Value: value, Label: value})
		}
	case "text":
		for _, facet := range facets[:min(suggested, len(facets))] {
			field.Choices = append(field.Choices, web.Choice{Value: facet.Value, Label: facet.Value})
		}
	case "month":
		field.Placeholder, field.Max = "2026-11", 7
	case "date":
		field.Placeholder, field.Max = "2026-11-15", 10
	}
	if f.name == "session" {
		field.Inputmode = "numeric"
	}
	return field
}

// monthName writes a month as readers do; what is none stays as it is.
func monthName(lang, month string) string {
	t, err := time.Parse("2006-01", month)
	switch {
	case err != nil:
		return month
	case lang == "ja":
		return t.Format("2006年1月")
	}
	return t.Format("January 2006")
}

// indexPage is all values of a kind in the latest articles.
type indexPage struct {
	place
	Kind  string
	Links []facetLink
}

// showIndex lists the people, or the bills, of the latest meetings.
func (p *pages) showIndex(kind minutes.Kind) web.Handler {
	i := slices.IndexFunc(filters, func(f filter) bool { return f.kind == kind })
	f := filters[i]
	return func(w http.ResponseWriter, r *http.Request) error {
		assembly := r.PathValue("assembly")
		at, err := p.place(r, assembly)
		if err != nil {
			return err
		}
		beside, err := p.besides(r.Context(), assembly)
		if err != nil {
			return err
		}
		return p.site.Render(w, r, p.views, "index", web.Page{
			Title: p.site.T(r, "minutes.index."+f.name), Description: p.site.T(r, "minutes.index."+f.name+".text"),
			Data: indexPage{at, f.name, facetLinks(assembly, f, beside.facets[kind], len(beside.facets[kind]))},
		})
	}
}
