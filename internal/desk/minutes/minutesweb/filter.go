package minutesweb

import (
	"net/http"
	"net/url"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/web"
)

// filter is one way to narrow a list: a parameter of /minutes, and a folder in which
// each value has a page of its own.
type filter struct {
	name   string // of the parameter; minutes.filter.<name> is what it is called
	folder string // "" if it has no pages of its own
	kind   minutes.Kind
	input  string // the form's
	field  func(*minutes.Filter) *string
}

var filters = []filter{
	{"category", "categories", minutes.ByCategory, "select", func(f *minutes.Filter) *string { return &f.Category }},
	{"house", "houses", minutes.ByHouse, "select", func(f *minutes.Filter) *string { return &f.House }},
	{"meeting", "meetings", minutes.ByMeeting, "text", func(f *minutes.Filter) *string { return &f.Meeting }},
	{"person", "people", minutes.ByPerson, "text", func(f *minutes.Filter) *string { return &f.Person }},
	{"keyword", "keywords", minutes.ByKeyword, "text", func(f *minutes.Filter) *string { return &f.Keyword }},
	{"issue", "issues", minutes.ByIssue, "text", func(f *minutes.Filter) *string { return &f.Issue }},
	{"session", "sessions", minutes.BySession, "text", func(f *minutes.Filter) *string { return &f.Session }},
	{"kind", "kinds", minutes.ByImageKind, "select", func(f *minutes.Filter) *string { return &f.ImageKind }},
	{"month", "months", "", "month", func(f *minutes.Filter) *string { return &f.Month }},
	{"from", "", "", "date", func(f *minutes.Filter) *string { return &f.From }},
	{"until", "", "", "date", func(f *minutes.Filter) *string { return &f.Until }},
}

// filterOf returns what a request asks for.
func filterOf(r *http.Request) minutes.Filter {
	var out minutes.Filter
	out.Assembly = r.PathValue("assembly")
	query := r.URL.Query()
	for _, f := range filters {
		*f.field(&out) = query.Get(f.name)
	}
	return out
}

// chosen returns the filters that are set.
func chosen(f *minutes.Filter) []filter {
	var out []filter
	for _, one := range filters {
		if *one.field(f) != "" {
			out = append(out, one)
		}
	}
	return out
}

// query is the filter as parameters.
func query(f *minutes.Filter) url.Values {
	out := url.Values{}
	for _, one := range chosen(f) {
		out.Set(one.name, *one.field(f))
	}
	return out
}

// path is the page of one value in an assembly.
func (f filter) path(assembly, value string) string {
	if f.folder == "" || value == "." || value == ".." {
		return home(assembly) + "?" + url.Values{f.name: {value}}.Encode()
	}
	return home(assembly) + "/" + f.folder + "/" + url.PathEscape(value)
}

// address is the best address of a list: the value's own page if one filter is set,
// a query otherwise.
func address(f *minutes.Filter) string {
	set := chosen(f)
	switch len(set) {
	case 0:
		return home(f.Assembly)
	case 1:
		return set[0].path(f.Assembly, *set[0].field(f))
	}
	return home(f.Assembly) + "?" + query(f).Encode()
}

// feedOf is the feed of a list. All filters work on the desk's own feed.
func feedOf(f *minutes.Filter, title string) web.FeedLink {
	return web.FeedLink{Path: home(f.Assembly) + "/feed", Query: query(f).Encode(), Title: title}
}

// pathOf is the page of a value of a kind.
func pathOf(assembly string, kind minutes.Kind, value string) string {
	for _, f := range filters {
		if f.kind == kind {
			return f.path(assembly, value)
		}
	}
	return home(assembly)
}

// chip is a filter that is set, with the way to a list without it.
type chip struct{ Name, Value, Without string }

func (p *pages) chips(r *http.Request, f minutes.Filter) []chip {
	var out []chip
	for _, one := range chosen(&f) {
		rest := f
		*one.field(&rest) = ""
		out = append(out, chip{p.site.T(r, "minutes.filter."+one.name), p.valueName(r, one.name, *one.field(&f)), address(&rest)})
	}
	return out
}

// valueName is a filter's value as readers write it.
func (p *pages) valueName(r *http.Request, name, value string) string {
	switch name {
	case "month":
		return monthName(p.site.Lang(r), value)
	case "session":
		return p.site.T(r, "minutes.session", value)
	case "kind":
		if value == minutes.KindRecord || value == minutes.KindVotes {
			return p.site.T(r, "assemblies.kind."+value)
		}
	}
	return value
}
