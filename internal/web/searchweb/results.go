package searchweb

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

// found is a hit as the page shows it: what the index marked in it, and its story.
type found struct {
	web.Story
	TitleHTML, ExcerptHTML template.HTML
	Tags                   []link
	Why                    []string
}

// lead is a page that the search names.
type lead struct {
	Kind, Name, Path, Lang string
	Notes                  []string
	Why                    string
}

// limit is words of the search that were read as a filter.
type limit struct{ Words, Value, Without string }

type link struct {
	Name, Path string
	Count      int
	Current    bool
}

// resultsPage is what was found.
type resultsPage struct {
	asked
	Found   []found
	Total   int
	AtMost  bool
	Relaxed bool
	Next    string
	Leads   []lead
	Limits  []limit
	// Corrected is what was searched for instead, and AsTyped the search as it was typed.
	Corrected, AsTyped string
	// Mean is a search that would find something.
	Mean, MeanPath string
	Feed           web.FeedLink
	// What can be chosen instead.
	Desks, Languages, Tags, Sorts []link
	Filtered                      bool
}

func (p *pages) show(w http.ResponseWriter, r *http.Request) error {
	a := read(r)
	lang := p.site.Lang(r)
	data := resultsPage{asked: a, Filtered: a != asked{Text: a.Text, Sort: a.Sort}}
	title := p.site.T(r, "search.title")
	if a.Text != "" {
		title = p.site.T(r, "search.title.for", a.Text)
	}
	page := web.Page{Title: title, Description: p.site.T(r, "search.description"), NoIndex: true, Block: "results"}
	if !a.empty() {
		results, err := p.search(r.Context(), a, lang, r.URL.Query().Get("cursor"))
		switch {
		case errors.Is(err, errs.Invalid):
			page.Problem, page.Status = err, web.StatusOf(err)
			if r.Header.Get("HX-Request") == "true" {
				page.Status = http.StatusOK // htmx shows nothing else
			}
		case err != nil:
			return err
		default:
			data.Feed = web.FeedLink{Path: path + "/feed", Query: a.address("", ""), Title: title}
			page.Feeds = []web.FeedLink{data.Feed}
			data.Found = p.shown(r, a, results)
			data.Leads, data.Limits = p.leads(r, results.Leads), p.limits(r, a, results.Limits)
			if results.Corrected != "" {
				data.Corrected, data.AsTyped = results.Corrected, a.path("q", quoted(a.Text))
			}
			data.Total, data.AtMost, data.Relaxed, data.Next = results.Total, results.AtMost, results.Relaxed, results.Next
			if results.DidYouMean != "" {
				data.Mean, data.MeanPath = results.DidYouMean, a.path("q", results.DidYouMean)
			}
			p.choices(r, &data, results.Facets)
		}
	}
	page.Data = data
	// Posts may have pictures from elsewhere.
	w.Header().Set("Content-Security-Policy", policy)
	return p.site.Render(w, r, p.views, "search", page)
}

const policy = "default-src 'self'; img-src 'self' https: http:; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"

// search asks the index, for everyone.
func (p *pages) search(ctx context.Context, a asked, lang, cursor string) (*search.Results, error) {
	q, err := a.query(p.site.Desks(lang))
	if err != nil {
		return nil, err
	}
	q.Cursor, q.Level = cursor, search.Public
	return p.service.Search(ctx, q)
}

// shown is what the hits are, as the page has them.
func (p *pages) shown(r *http.Request, a asked, results *search.Results) []found {
	var all []found
	lang := p.site.Lang(r)
	for _, hit := range results.Hits {
		f := found{Story: p.site.Found(lang, &hit.Story), TitleHTML: hit.TitleHTML, ExcerptHTML: hit.ExcerptHTML}
		f.Level, f.Image = 2, ""
		if f.TitleHTML == "" {
			f.TitleHTML = template.HTML(template.HTMLEscapeString(f.Title)) //nolint:gosec // escaped
		}
		for _, tag := range hit.Tags[:min(len(hit.Tags), shownTags)] {
			f.Tags = append(f.Tags, link{Name: tag, Path: a.path("tag", tag), Current: tag == a.Tag})
		}
		for _, w := range hit.Why {
			if w.Found == "" {
				f.Why = append(f.Why, p.site.T(r, "search.why."+w.Kind, w.Asked))
			} else {
				f.Why = append(f.Why, p.site.T(r, "search.why."+w.Kind+".found", w.Asked, w.Found))
			}
		}
		all = append(all, f)
	}
	return all
}

// leadNotes is how many offices are shown of somebody.
const leadNotes = 3

// leads are the pages that come before what was found.
func (p *pages) leads(r *http.Request, list []search.Lead) []lead {
	var out []lead
	for _, l := range list {
		one := lead{Kind: p.site.T(r, "search.lead."+l.Kind), Name: l.Name.Name, Path: l.Path, Lang: story.LanguageOf(l.Name.Name)}
		one.Notes = append(one.Notes, l.Offices[:min(len(l.Offices), leadNotes)]...)
		if l.Note != "" {
			one.Notes = append(one.Notes, l.Note)
		}
		if l.Why != "" {
			one.Why = p.site.T(r, "search.lead.why."+l.Why)
		}
		out = append(out, one)
	}
	return out
}

// limits are the filters that words of the search were read as, with the search without them.
func (p *pages) limits(r *http.Request, a asked, list []search.Limit) []limit {
	var out []limit
	for _, l := range list {
		one := limit{Words: l.Words, Value: l.Value, Without: a.path("q", without(a.Text, l.Words))}
		switch l.Kind {
		case "date":
			one.Value = l.From.Format(time.DateOnly)
			if !l.To.Equal(l.From) {
				one.Value += " – " + l.To.Format(time.DateOnly)
			}
		case "language":
			one.Value = p.site.T(r, "search.language."+l.Value)
		case "desk":
			for _, d := range p.site.Desks(p.site.Lang(r)) {
				if d.Name == l.Value {
					one.Value = d.Title
				}
			}
		}
		out = append(out, one)
	}
	return out
}

// without takes words out of a search. What is of another width is taken for the same.
func without(query, words string) string {
	query = norm.NFKC.String(query)
	at := strings.Index(strings.ToLower(query), strings.ToLower(words))
	if at < 0 {
		return query
	}
	return strings.TrimSpace(strings.TrimSpace(query[:at]) + " " + strings.TrimSpace(query[at+len(words):]))
}

// quoted is a search for its words as they were typed.
func quoted(query string) string {
	return `"` + strings.Join(strings.Fields(strings.ReplaceAll(query, `"`, " ")), `" "`) + `"`
}

// How many labels a hit shows, and how many can be chosen from.
const (
	shownTags  = 4
	choiceTags = 12
)

// choices are the filters, with how much each would find.
func (p *pages) choices(r *http.Request, data *resultsPage, facets search.Facets) {
	a := data.asked
	counts := func(list []search.Count) map[string]int {
		out := map[string]int{}
		for _, c := range list {
			out[c.Value] = c.Count
		}
		return out
	}
	desks, languages := counts(facets.Desks), counts(facets.Languages)
	data.Desks = []link{{Name: p.site.T(r, "search.desk.any"), Path: a.path("desk", ""), Current: a.Desk == "", Count: -1}}
	for _, d := range p.site.Desks(p.site.Lang(r)) {
		data.Desks = append(data.Desks, link{d.Title, a.path("desk", d.Name), desks[d.Name], a.Desk == d.Name})
	}
	data.Languages = []link{{Name: p.site.T(r, "search.language.any"), Path: a.path("language", ""), Current: a.Language == "", Count: -1}}
	for _, lang := range web.Languages {
		data.Languages = append(data.Languages, link{p.site.T(r, "search.language."+lang), a.path("language", lang), languages[lang], a.Language == lang})
	}
	if a.Tag != "" {
		data.Tags = []link{{Name: p.site.T(r, "search.tag.any"), Path: a.path("tag", ""), Count: -1}}
	}
	for _, c := range facets.Tags[:min(len(facets.Tags), choiceTags)] {
		data.Tags = append(data.Tags, link{c.Value, a.path("tag", c.Value), c.Count, c.Value == a.Tag})
	}
	if a.Text == "" {
		return
	}
	for _, sort := range []search.Sort{search.Relevance, search.Newest} {
		value := string(sort)
		if sort == search.Relevance {
			value = "" // the default
		}
		current := a.Sort == value || a.Sort == string(sort)
		data.Sorts = append(data.Sorts, link{p.site.T(r, "search.sort."+string(sort)), a.path("sort", value), -1, current})
	}
}
