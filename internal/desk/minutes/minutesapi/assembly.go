package minutesapi

import (
	"context"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
)

func (s *service) assemblies(a *api.API) {
	api.Get(a, "/minutes/assemblies", auth.Everyone, api.Op{
		ID: "listAssemblies", Summary: "Parliaments and councils beside the Diet, by code", Share: time.Second,
		Doc: "The articles, persons, issues and facets of one are asked for with its code in the parameter assembly. Nothing of one assembly is in a list of another.",
	}, s.listAssemblies)
	api.Get(a, "/minutes/assemblies/{code}", auth.Everyone, api.Op{ID: "getAssembly", Summary: "An assembly: its names, its languages, whose its records are", Share: time.Second}, s.getAssembly)
	api.Get(a, "/minutes/assemblies/{code}/members", auth.Everyone, api.Op{ID: "listMembers", Summary: "Who spoke in the latest meetings, with party and attendance", Share: time.Second}, s.members)
	api.Get(a, "/minutes/assemblies/{code}/votes", auth.Everyone, api.Op{
		ID: "listVotes", Summary: "Meetings with their votes, the newest first",
		Doc: "With member, only the votes in which that member took part, each with that position alone. A page may then be empty though others follow.",
	}, s.votes)
}

// Assembly is a parliament or a council.
type Assembly struct {
	Code        string            `json:"code"`
	Name        map[string]string `json:"name" doc:"by language"`
	Place       string            `json:"place,omitempty" doc:"ISO 3166"`
	Zone        string            `json:"zone"`
	Languages   []string          `json:"languages"`
	Homepage    string            `json:"homepage,omitempty"`
	Licence     string            `json:"licence"`
	LicenceURL  string            `json:"licence_url,omitempty"`
	Attribution string            `json:"attribution,omitempty"`
	CollectedAt string            `json:"collected_at,omitempty"`
}

func assemblyOf(d minutes.Declared) Assembly {
	return Assembly{
		Code: d.Code, Name: d.Name, Place: d.Place, Zone: d.Zone, Languages: d.Languages, Homepage: d.Homepage,
		Licence: d.Licence.Name, LicenceURL: d.Licence.URL, Attribution: d.Licence.Attribution, CollectedAt: d.Kept.CollectedAt,
	}
}

// Assemblies are all of them.
type Assemblies struct {
	Items []Assembly `json:"items"`
}

func (s *service) listAssemblies(ctx context.Context, _ *struct{}) (*Assemblies, error) {
	all, err := s.desk.KeptAssemblies(ctx)
	if err != nil {
		return nil, err
	}
	out := &Assemblies{Items: []Assembly{}}
	for _, one := range all {
		out.Items = append(out.Items, assemblyOf(one))
	}
	return out, nil
}

type byCode struct {
	Code string `path:"code" min:"1" max:"32" example:"gb-commons"`
}

func (s *service) getAssembly(ctx context.Context, in *byCode) (*Assembly, error) {
	one, err := s.desk.KeptAssembly(ctx, in.Code)
	if err != nil {
		return nil, err
	}
	out := assemblyOf(one)
	return &out, nil
}

// Members are those who spoke lately.
type Members struct {
	Meetings int              `json:"meetings" doc:"how many of the latest meetings were looked at"`
	Items    []minutes.Member `json:"items"`
}

func (s *service) members(ctx context.Context, in *byCode) (*Members, error) {
	if _, err := s.desk.KeptAssembly(ctx, in.Code); err != nil {
		return nil, err
	}
	list, meetings, err := s.desk.In(in.Code).Members(ctx)
	if err != nil {
		return nil, err
	}
	return &Members{meetings, append([]minutes.Member{}, list...)}, nil
}

func (s *service) votes(ctx context.Context, in *struct {
	api.Page
	byCode
	Member string `query:"member" max:"200" doc:"a member's name"`
}) (*api.List[minutes.Voted], error) {
	if _, err := s.desk.KeptAssembly(ctx, in.Code); err != nil {
		return nil, err
	}
	page, err := s.desk.In(in.Code).VotesOf(ctx, in.Member, pageOf(in.Page))
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, same), nil
}
