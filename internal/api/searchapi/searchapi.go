// Package searchapi is search in JSON: GET /api/v1/search over all desks, and
// GET /api/v1/search/suggestions while one types.
//
// It promises that a caller is given only what everyone may read at this moment;
// the desks are asked about each hit. Start with [Register].
package searchapi

import (
	"context"
	"net/url"
	"strings"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/search"
	"pressroom/internal/story"
)

// What one address may ask for.
var (
	searching = front.Rate{PerSecond: 5, Burst: 40}
	typing    = front.Rate{PerSecond: 20, Burst: 60}
)

// service is search behind the operations.
type service struct{ search *search.Service }

// Register puts search on the API.
func Register(a *api.API, s *search.Service) {
	own := &service{s}
	api.Get(a, "/search", auth.Everyone, api.Op{
		ID: "search", Tool: "search", Summary: "What the desks published, by words, filters or both", Rate: searching, Share: time.Second,
		Choices: map[string][]string{"desk": s.Desks()},
		Doc: `All words must occur, in any form: a quoted "phrase" as it stands, a -word not at all. Japanese is found both by
its characters and by the dictionary forms of its words. If nothing has all the words, relaxed is true and the hits
have some of them; if others that are spelt nearly so are found, corrected says which. Words that mean a time, a desk, a
language or a source, such as yesterday or 先週, are filters, in limits. Words in kana find what is read so, and the
glossary's terms find their synonyms. Who or what is named by the query leads to its page, in leads. Without words, what the filters let through is listed, the newest first.`,
	}, own.find)
	api.Get(a, "/search/suggestions", auth.Everyone, api.Op{
		ID: "suggest", Summary: "Titles that complete what somebody types", Rate: typing, Share: time.Second,
	}, own.suggest)
}

type query struct {
	api.Page
	Text     string `query:"q" max:"500" doc:"words, \"phrases\" and -exclusions" example:"訪れる"`
	Desk     string `query:"desk"`
	Kind     string `query:"kind" enum:"article,post,term"`
	Language string `query:"language" enum:"ja,en"`
	Tag      string `query:"tag" max:"200"`
	From     string `query:"from" max:"10" doc:"the first day, in UTC" example:"2026-11-01"`
	To       string `query:"to" max:"10" doc:"the last day, in UTC" example:"2026-11-30"`
	Sort     string `query:"sort" enum:"relevance,newest" doc:"relevance by default, or newest if there are no words"`
}

// Hit is something that was found.
type Hit struct {
	Desk     string    `json:"desk"`
	Kind     string    `json:"kind" doc:"article, post or term"`
	ID       string    `json:"id" doc:"the last part of its path"`
	Story    string    `json:"story" doc:"the story's id at its desk, as /stories has it"`
	Title    string    `json:"title"`
	Language string    `json:"language" doc:"ja, en, or empty if it cannot be told"`
	Tags     []string  `json:"tags"`
	Date     time.Time `json:"date"`
	Path     string    `json:"path" doc:"its page on this site"`
	Item     string    `json:"item" doc:"its JSON on this site"`
	// TitleHTML and ExcerptHTML are safe to put into a page.
	TitleHTML   string         `json:"title_html" doc:"the title with what was looked for in <mark>; all else is escaped"`
	ExcerptHTML string         `json:"excerpt_html" doc:"the part of the text that fits best, likewise"`
	Score       float64        `json:"score"`
	Summary     string         `json:"summary,omitempty"`
	Citation    story.Citation `json:"citation" doc:"of the summary"`
	Why         []Why          `json:"why" doc:"how it fits, where it has something else than a word that was asked for"`
}

// Why is a word that was asked for, and what a hit has in its place.
type Why struct {
	Kind  string `json:"kind" doc:"reading or synonym"`
	Asked string `json:"asked"`
	Found string `json:"found,omitempty"`
}

// Lead is a page that the query names.
type Lead struct {
	Kind    string   `json:"kind" doc:"person, bill or term"`
	Name    string   `json:"name"`
	Reading string   `json:"reading,omitempty" doc:"in kana"`
	Offices []string `json:"offices"`
	Note    string   `json:"note,omitempty" doc:"what else tells it from others of the name"`
	Path    string   `json:"path" doc:"its page on this site"`
	Why     string   `json:"why,omitempty" doc:"reading, synonym, office or correction, if it is not the name that was asked for"`
}

// Limit is words of the query that were read as a filter. In quotation marks they are words.
type Limit struct {
	Kind  string `json:"kind" doc:"date, desk, language or source"`
	Words string `json:"words"`
	Value string `json:"value,omitempty"`
	From  string `json:"from,omitempty" doc:"the first day"`
	To    string `json:"to,omitempty" doc:"the last day"`
}

// Count is a value and how many results have it.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Results is a page of what was found.
type Results struct {
	api.List[Hit]
	Total      int     `json:"total" doc:"how many there are"`
	AtMost     bool    `json:"at_most" doc:"whether there may be fewer than total"`
	Relaxed    bool    `json:"relaxed" doc:"whether the hits have only some of the words"`
	Corrected  string  `json:"corrected,omitempty" doc:"the words that were searched for, if they are not those that were asked for"`
	Leads      []Lead  `json:"leads" doc:"the pages of whom or what the query names; they come before the hits"`
	Limits     []Limit `json:"limits" doc:"words that were read as filters"`
	DidYouMean string  `json:"did_you_mean,omitempty" doc:"words that would find something"`
	Desks      []Count `json:"desks" doc:"what each desk would give"`
	Kinds      []Count `json:"kinds"`
	Languages  []Count `json:"languages"`
	Tags       []Count `json:"tags" doc:"of the best thousand"`
}

func (s *service) find(ctx context.Context, in *query) (*Results, error) {
	q := search.Query{
		Text: in.Text, Desks: one(in.Desk), Kinds: one(in.Kind), Languages: one(in.Language), Tags: one(in.Tag),
		Sort: search.Sort(in.Sort), Limit: in.Limit, Cursor: in.Cursor, Level: search.Public,
	}
	var err error
	if q.From, err = day("from", in.From); err != nil {
		return nil, err
	}
	if q.To, err = day("to", in.To); err != nil {
		return nil, err
	}
	found, err := s.search.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	if api.ForAgent(ctx) {
		for i := range found.Hits {
			if h := &found.Hits[i]; h.Story.Unread {
				h.Story.Summary, h.ExcerptHTML = "", ""
			}
		}
	}
	out := &Results{
		List: *api.ListOf(found.Hits, found.Next, shown), Total: found.Total, AtMost: found.AtMost,
		Relaxed: found.Relaxed, DidYouMean: found.DidYouMean, Corrected: found.Corrected, Leads: leads(found.Leads), Limits: limits(found.Limits),
		Desks: counts(found.Facets.Desks), Kinds: counts(found.Facets.Kinds), Languages: counts(found.Facets.Languages), Tags: counts(found.Facets.Tags),
	}
	return out, nil
}

func shown(h search.Hit) Hit {
	st := h.Story
	return Hit{
		Summary: st.Summary, Citation: st.Cite(story.Passage{ID: story.SummaryPassage, Path: st.Path, Text: st.Summary}),
		Desk: h.Desk, Kind: h.Kind, ID: idOf(h.URL), Story: st.ID, Title: h.Title, Language: h.Language, Tags: append([]string{}, h.Tags...), Date: h.Date,
		Why: whys(h.Why), Path: h.URL, Item: api.Base + h.URL, TitleHTML: string(h.TitleHTML), ExcerptHTML: string(h.ExcerptHTML), Score: h.Score,
	}
}

func whys(list []search.Why) []Why {
	out := make([]Why, len(list))
	for i, w := range list {
		out[i] = Why(w)
	}
	return out
}

func leads(list []search.Lead) []Lead {
	out := make([]Lead, len(list))
	for i, l := range list {
		out[i] = Lead{Kind: l.Kind, Name: l.Name.Name, Reading: l.Reading, Offices: append([]string{}, l.Offices...), Note: l.Note, Path: l.Path, Why: l.Why}
	}
	return out
}

func limits(list []search.Limit) []Limit {
	out := make([]Limit, len(list))
	for i, l := range list {
		out[i] = Limit{Kind: l.Kind, Words: l.Words, Value: l.Value}
		if l.Kind == "date" {
			out[i].From, out[i].To = l.From.Format(time.DateOnly), l.To.Format(time.DateOnly)
		}
	}
	return out
}

// one is a filter on one value, or none.
func one(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

func day(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, errs.Validation(errs.Field{Name: name, Message: "must be a date as in 2026-11-15"})
	}
	return t, nil
}

// idOf is the last part of an address: pages are /desk/things/id, and their JSON is
// at the same place of the API.
func idOf(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	if id, err := url.PathUnescape(last); err == nil {
		return id
	}
	return last
}

func counts(list []search.Count) []Count {
	out := make([]Count, len(list))
	for i, c := range list {
		out[i] = Count(c)
	}
	return out
}

// Suggestion completes what somebody types.
type Suggestion struct {
	Desk  string `json:"desk"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
	Path  string `json:"path"`
}

// Suggestions are titles, the best first.
type Suggestions struct {
	Items []Suggestion `json:"items"`
}

func (s *service) suggest(ctx context.Context, in *struct {
	Text  string `query:"q" min:"1" max:"500" doc:"what was typed" required:"true"`
	Limit int    `query:"limit" min:"1" max:"20" default:"8"`
}) (*Suggestions, error) {
	found, err := s.search.Suggest(ctx, in.Text, search.Public, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &Suggestions{Items: make([]Suggestion, len(found))}
	for i, f := range found {
		out.Items[i] = Suggestion{f.Desk, f.Kind, f.Title, f.URL}
	}
	return out, nil
}
