// Package rightsapi is the JSON of what people and sites ask about themselves, under
// /api/v1/rights: anyone may ask, operators decide and erase.
//
// It promises what the pages promise: an operator's action is on the trail before it is
// done, and nobody silences another by a forged request. Start with [Register].
package rightsapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/rights/erase"
	"pressroom/internal/rights/request"
	"pressroom/model"
)

type service struct {
	requests *request.Requests
	erasures *erase.Erasures
	record   func(ctx context.Context, what, subject, why string) error
}

// Register puts the operations on the API.
func Register(a *api.API, requests *request.Requests, erasures *erase.Erasures, record func(ctx context.Context, what, subject, why string) error) {
	s := &service{requests, erasures, record}
	conflict := []errs.Kind{errs.Conflict}
	api.Post(a, "/rights/requests", auth.Everyone, api.Op{ID: "askForRight", Summary: "Ask for takedown, correction, reply, access or erasure",
		Doc: "The request counts when the link that is sent to the address was opened, when the code was found at the domain, or when an operator judged it."}, s.ask)
	api.Get(a, "/rights/requests", auth.Operator, api.Op{ID: "listRightsRequests", Summary: "Requests in a state, the most urgent first"}, s.list)
	api.Get(a, "/rights/requests/{id}", auth.Operator, api.Op{ID: "getRightsRequest", Summary: "A request"}, s.get)
	api.Post(a, "/rights/requests/{id}/decision", auth.Operator, api.Op{ID: "decideRightsRequest", Summary: "Grant or refuse a request, and make it so", Fails: conflict}, s.decide)
	api.Get(a, "/rights/erasures", auth.Operator, api.Op{ID: "listErasures", Summary: "What was erased, the newest first, at most 200"}, s.erased)
	api.Post(a, "/rights/erasures", auth.Operator, api.Op{ID: "erase", Summary: "Erase a story, a page, a site or a person's name",
		Doc: "It is out of sight when this answers, and scrubbed within minutes. The answer is the receipt."}, s.erase)
}

// Asked is what somebody asks for.
type Asked struct {
	Kind     string `json:"kind" enum:"takedown,correction,reply,access,erasure"`
	Name     string `json:"name" min:"1" max:"100"`
	Email    string `json:"email" min:"3" max:"254"`
	About    string `json:"about" min:"1" max:"1000" doc:"an address, or a name"`
	Text     string `json:"text" min:"1" max:"5000"`
	Language string `json:"language,omitempty" enum:"ja,en" doc:"of letters"`
}

// Taken is what whoever asks gets to know.
type Taken struct {
	ID   string `json:"id"`
	Code string `json:"code,omitempty" doc:"proves the domain: in /.well-known/pressroom-request.txt, or in a TXT record of _pressroom before the domain"`
}

func (s *service) ask(ctx context.Context, in *struct{ Body Asked }) (*Taken, error) {
	one, err := s.requests.Ask(ctx, front.ClientAddr(ctx).String(), request.New{
		Kind: request.Kind(in.Body.Kind), Name: in.Body.Name, Email: in.Body.Email, About: in.Body.About, Text: in.Body.Text, Language: in.Body.Language,
	})
	if err != nil {
		return nil, err
	}
	out := &Taken{ID: one.ID}
	if one.Domain() != "" {
		out.Code = s.requests.Code(&one)
	}
	return out, nil
}

func (s *service) list(ctx context.Context, in *struct {
	State string `query:"state" enum:"open,unproven,decided" default:"open"`
	api.Page
}) (*api.List[request.Request], error) {
	page, err := s.requests.List(ctx, in.State, model.PageOptions{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(r request.Request) request.Request { return r }), nil
}

type byID struct {
	ID string `path:"id" min:"1" max:"26"`
}

func (s *service) get(ctx context.Context, in *byID) (*request.Request, error) {
	one, err := s.requests.Get(ctx, in.ID)
	return &one, err
}

// Subject is what is erased.
type Subject struct {
	Kind string `json:"kind" enum:"story,page,site,person"`
	What string `json:"what" min:"1" max:"2000" doc:"desk/id, an address, a host, or a name; a name is not stored"`
}

// Decision ends a request.
type Decision struct {
	Granted bool     `json:"granted"`
	Reasons string   `json:"reasons" min:"1" max:"5000" doc:"for the letter"`
	Erase   *Subject `json:"erase,omitempty" doc:"what granting erases"`
}

func (s *service) decide(ctx context.Context, in *struct {
	byID
	Body Decision
}) (*request.Request, error) {
	d := request.Decision{Granted: in.Body.Granted, Reasons: in.Body.Reasons}
	if in.Body.Erase != nil {
		d.Erase = erase.Subject{Kind: erase.Kind(in.Body.Erase.Kind), Text: in.Body.Erase.What}
	}
	if err := s.record(ctx, "decide", "request "+in.ID, in.Body.Reasons); err != nil {
		return nil, err
	}
	one, err := s.requests.Decide(ctx, in.ID, who(ctx), d)
	return &one, err
}

func who(ctx context.Context) string {
	if account := auth.From(ctx); account != nil && account.Name != "" {
		return account.Name
	}
	return "unknown"
}

// Receipt is an erasure.
type Receipt struct {
	ID       string `json:"id"`
	Kind     string `json:"kind" enum:"story,page,site,person"`
	State    string `json:"state" enum:"scrubbing,done"`
	At       string `json:"at"`
	DoneAt   string `json:"done_at,omitempty"`
	Changed  int    `json:"changed" doc:"items and objects that the search for it changed"`
	Recovery string `json:"recovery" doc:"when the last recovery copy is gone"`
	Backups  string `json:"backups" doc:"when the last backup is gone"`
}

func receiptOf(e erase.Erasure) Receipt {
	return Receipt{e.ID, string(e.Kind), e.State, e.At, e.DoneAt, e.Changed, e.Recovery, e.Backups}
}

// Receipts are erasures.
type Receipts struct {
	Items []Receipt `json:"items"`
}

func (s *service) erased(ctx context.Context, _ *struct{}) (*Receipts, error) {
	out := &Receipts{Items: []Receipt{}}
	for one, err := range s.erasures.All(ctx) {
		if err != nil {
			return nil, err
		}
		if out.Items = append(out.Items, receiptOf(one)); len(out.Items) == 200 {
			break
		}
	}
	return out, nil
}

func (s *service) erase(ctx context.Context, in *struct {
	Body struct {
		Subject
		Why string `json:"why" min:"1" max:"1000" doc:"for the record; do not name a person here"`
	}
}) (*Receipt, error) {
	if err := s.record(ctx, "erase", in.Body.Kind, in.Body.Why); err != nil {
		return nil, err
	}
	one, err := s.erasures.Begin(ctx, erase.Subject{Kind: erase.Kind(in.Body.Kind), Text: in.Body.What}, who(ctx), in.Body.Why)
	if err != nil {
		return nil, err
	}
	out := receiptOf(one)
	return &out, nil
}
