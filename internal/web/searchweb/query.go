package searchweb

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// asked is a search as its address has it. Days are as they were typed, so that a
// form can show them again.
type asked struct {
	Text, Desk, Language, Tag string
	From, To                  string
	Sort                      string
}

// names are the parameters of a search, in the order of its address.
var names = []string{"q", "desk", "language", "tag", "from", "to", "sort"}

func (a *asked) field(name string) *string {
	return map[string]*string{
		"q": &a.Text, "desk": &a.Desk, "language": &a.Language, "tag": &a.Tag, "from": &a.From, "to": &a.To, "sort": &a.Sort,
	}[name]
}

func read(r *http.Request) asked {
	var a asked
	for _, name := range names {
		*a.field(name) = strings.TrimSpace(r.URL.Query().Get(name))
	}
	return a
}

// address is the query of the search with one parameter changed, or as it is
// without a name.
func (a asked) address(name, value string) string {
	if name != "" {
		*a.field(name) = value
	}
	query := url.Values{}
	for _, name := range names {
		if value := *a.field(name); value != "" {
			query.Set(name, value)
		}
	}
	return query.Encode()
}

// path is the page of the search.
func (a asked) path(name, value string) string {
	if query := a.address(name, value); query != "" {
		return path + "?" + query
	}
	return path
}

// empty reports whether nothing is asked for.
func (a asked) empty() bool { return a == asked{Sort: a.Sort} }

// query is what the index is asked. What cannot be asked is an errs.Invalid that
// names the field.
func (a asked) query(desks []web.Desk) (search.Query, error) {
	q := search.Query{Text: a.Text, Sort: search.Sort(a.Sort)}
	var wrong []errs.Field
	if a.Desk != "" {
		q.Desks = []string{a.Desk}
		if !slices.ContainsFunc(desks, func(d web.Desk) bool { return d.Name == a.Desk }) {
			wrong = append(wrong, errs.Field{Name: "desk", Message: "is not one of the choices"})
		}
	}
	if a.Language != "" {
		q.Languages = []string{a.Language}
		if !slices.Contains(web.Languages, a.Language) {
			wrong = append(wrong, errs.Field{Name: "language", Message: "is not one of the choices"})
		}
	}
	if a.Tag != "" {
		q.Tags = []string{a.Tag}
	}
	for _, day := range []struct {
		name, text string
		into       *time.Time
	}{{"from", a.From, &q.From}, {"to", a.To, &q.To}} {
		if day.text == "" {
			continue
		}
		t, err := time.Parse(time.DateOnly, day.text)
		if err != nil {
			wrong = append(wrong, errs.Field{Name: day.name, Message: "must be a date as in 2026-11-15"})
			continue
		}
		*day.into = t
	}
	if wrong != nil {
		return q, errs.Validation(wrong...)
	}
	return q, q.Check()
}
