package minutesapi

import (
	"context"
	"strconv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
)

func (s *service) readers(a *api.API) {
	api.Get(a, "/minutes/articles", auth.Everyone, api.Op{
		ID: "listArticlesOfMinutes", Summary: "Articles about meetings, the newest meeting first", Share: time.Second,
		Doc: "All filters that are given hold together. Names are found however their characters are typed (NFKC); keywords also in any case.",
	}, s.list)
	api.Get(a, "/minutes/articles/{id}", auth.Everyone, api.Op{
		ID: "getArticleOfMinutes", Summary: "An article with its summaries, dialog and record", Share: time.Second,
		Doc: "Every summary names the speeches that it rests on in based_on_orders, and every point quotes words that stand in original_text.",
	}, s.get)
	api.Get(a, "/minutes/persons", auth.Everyone, api.Op{ID: "listPersonsOfMinutes", Summary: "Who spoke in the latest meetings, the most frequent first", Share: time.Second}, s.facet(minutes.ByPerson))
	api.Get(a, "/minutes/persons/{name}", auth.Everyone, api.Op{
		ID: "getPersonOfMinutes", Summary: "A person, and the meetings in which they spoke, the newest first",
	}, s.person)
	api.Get(a, "/minutes/issues", auth.Everyone, api.Op{ID: "listIssuesOfMinutes", Summary: "Bills and agenda items of the latest meetings, the most frequent first", Share: time.Second}, s.facet(minutes.ByIssue))
	api.Get(a, "/minutes/issues/{issue}", auth.Everyone, api.Op{
		ID: "getTimelineOfIssue", Summary: "What happened to a bill or agenda item across meetings and houses, from its beginning",
	}, s.timeline)
	api.Get(a, "/minutes/facets", auth.Everyone, api.Op{ID: "listFacetsOfMinutes", Summary: "What the latest articles can be filtered by, with how many there are", Share: time.Second}, s.facets)
}

// assembly says of which assembly something is.
type assembly struct {
	Assembly string `query:"assembly" max:"32" doc:"the code of an assembly; without it, the Diet" example:"gb-commons"`
}

type listArticles struct {
	api.Page
	assembly
	Category  string `query:"category" max:"200" example:"国土交通"`
	Person    string `query:"person" max:"200" doc:"a speaker"`
	Keyword   string `query:"keyword" max:"200"`
	ImageKind string `query:"image_kind" max:"100" doc:"the kind of record" example:"会議録"`
	Session   string `query:"session" max:"10" doc:"the number of the session" example:"219"`
	House     string `query:"house" max:"200" example:"衆議院"`
	Meeting   string `query:"meeting" max:"200" doc:"the name of the committee or sitting" example:"予算委員会"`
	Issue     string `query:"issue" max:"800" doc:"a bill, an agenda item, or a meeting's own id"`
	Month     string `query:"month" max:"7" example:"2026-11"`
	From      string `query:"from" max:"10" doc:"the first day" example:"2026-11-01"`
	Until     string `query:"until" max:"10" doc:"the last day" example:"2026-11-30"`
}

func (s *service) list(ctx context.Context, in *listArticles) (*api.List[minutes.Light], error) {
	page, err := s.desk.Articles(ctx, minutes.Filter{
		Assembly: in.Assembly,
		Category: in.Category, Person: in.Person, Keyword: in.Keyword, ImageKind: in.ImageKind, Session: in.Session,
		House: in.House, Meeting: in.Meeting, Issue: in.Issue, Month: in.Month, From: in.From, Until: in.Until,
	}, pageOf(in.Page))
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, same), nil
}

// Article is an article with its asset.
type Article struct{ minutes.Full }

// Tag is the version of the article, which counts its saves.
func (a *Article) Tag() string { return strconv.Itoa(a.Version) }

type byID struct {
	ID string `path:"id" min:"1" max:"128" doc:"the meeting's issueID; of other assemblies than the Diet @code:id"`
}

func (s *service) get(ctx context.Context, in *byID) (*Article, error) {
	full, err := s.desk.GetFull(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &Article{full}, nil
}

// Person is who spoke, with a page of the meetings in which they did.
type Person struct {
	Name       string               `json:"name"`
	Yomi       string               `json:"yomi,omitempty" doc:"how the name is read"`
	Group      string               `json:"group,omitempty" doc:"at the last meeting"`
	Position   string               `json:"position,omitempty" doc:"at the last meeting"`
	Items      []minutes.Appearance `json:"items"`
	NextCursor string               `json:"next_cursor" empty:"null" doc:"where the next page begins; null at the end"`
}

func (s *service) person(ctx context.Context, in *struct {
	api.Page
	assembly
	Name string `path:"name" min:"1" max:"200"`
}) (*Person, error) {
	p, err := s.desk.In(in.Assembly).GetPerson(ctx, in.Name, pageOf(in.Page))
	if err != nil {
		return nil, err
	}
	return &Person{Name: p.Name, Yomi: p.Yomi, Group: p.Group, Position: p.Position, Items: p.Appearances, NextCursor: p.Next}, nil
}

func (s *service) timeline(ctx context.Context, in *struct {
	api.Page
	assembly
	Issue string `path:"issue" min:"1" max:"800"`
}) (*api.List[minutes.Light], error) {
	page, err := s.desk.In(in.Assembly).Timeline(ctx, in.Issue, pageOf(in.Page))
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, same), nil
}

// Facet is a value under which articles are found.
type Facet struct {
	Value string `json:"value"`
	Count int    `json:"count" doc:"how many of the latest articles have it"`
}

// Facets are values of one kind.
type Facets struct {
	Items []Facet `json:"items"`
}

func facetsOf(list []minutes.Facet) []Facet {
	out := make([]Facet, len(list))
	for i, f := range list {
		out[i] = Facet(f)
	}
	return out
}

func (s *service) facet(kind minutes.Kind) func(context.Context, *struct{ assembly }) (*Facets, error) {
	return func(ctx context.Context, in *struct{ assembly }) (*Facets, error) {
		all, err := s.desk.In(in.Assembly).Facets(ctx)
		if err != nil {
			return nil, err
		}
		return &Facets{facetsOf(all[kind])}, nil
	}
}

// AllFacets are the values of each kind.
type AllFacets struct {
	Categories []Facet `json:"categories"`
	Persons    []Facet `json:"persons"`
	Keywords   []Facet `json:"keywords"`
	ImageKinds []Facet `json:"image_kinds"`
	Sessions   []Facet `json:"sessions"`
	Houses     []Facet `json:"houses"`
	Meetings   []Facet `json:"meetings"`
	Issues     []Facet `json:"issues"`
}

func (s *service) facets(ctx context.Context, in *struct{ assembly }) (*AllFacets, error) {
	all, err := s.desk.In(in.Assembly).Facets(ctx)
	if err != nil {
		return nil, err
	}
	return &AllFacets{
		Categories: facetsOf(all[minutes.ByCategory]), Persons: facetsOf(all[minutes.ByPerson]), Keywords: facetsOf(all[minutes.ByKeyword]),
		ImageKinds: facetsOf(all[minutes.ByImageKind]), Sessions: facetsOf(all[minutes.BySession]), Houses: facetsOf(all[minutes.ByHouse]),
		Meetings: facetsOf(all[minutes.ByMeeting]), Issues: facetsOf(all[minutes.ByIssue]),
	}, nil
}
