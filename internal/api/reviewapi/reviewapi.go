// Package reviewapi is the review desk in JSON: what waits for a person, one item, a check of
// texts, and decisions. Start with [Register].
package reviewapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/internal/review"
)

type service struct{ board *review.Board }

// Register puts the review desk on the API.
func Register(a *api.API, board *review.Board) {
	s := &service{board}
	api.Get(a, "/review/items", auth.Moderator, api.Op{ID: "listReview", Summary: "What waits for a person, the oldest first", Doc: "At most 100 of each queue."}, s.list)
	api.Get(a, "/review/item", auth.Moderator, api.Op{
		ID: "getReviewItem", Summary: "An item with its texts, claims and passages",
		Doc: "The queue published has every text that a desk lets people change, by desk/id of its story.",
	}, s.get)
	api.Post(a, "/review/checks", auth.Moderator, api.Op{ID: "checkReviewTexts", Summary: "Hold texts of an item against its passages; nothing is saved"}, s.check)
	api.Post(a, "/review/decisions", auth.Moderator, api.Op{
		ID: "decideReview", Summary: "Decide about an item", Fails: []errs.Kind{errs.Conflict, errs.Stale},
		Doc: "approve, edit (with texts), back, withdraw, take or release, as far as the item can. seen is the mark of the version that was read.",
	}, s.decide)
}

// Items is what waits.
type Items struct {
	Items []review.Item `json:"items"`
}

func (s *service) list(ctx context.Context, in *struct {
	Queue string `query:"queue" doc:"of one queue; of all without it"`
}) (*Items, error) {
	items, err := s.board.List(ctx, in.Queue)
	if items == nil {
		items = []review.Item{}
	}
	return &Items{items}, err
}

func (s *service) get(ctx context.Context, in *struct {
	Queue string `query:"queue"`
	ID    string `query:"id"`
}) (*review.Item, error) {
	item, err := s.board.Get(ctx, in.Queue, in.ID)
	return &item, err
}

// Check is texts of an item, by their places.
type Check struct {
	Queue string            `json:"queue"`
	ID    string            `json:"id"`
	Texts map[string]string `json:"texts"`
}

// Claims are what texts say.
type Claims struct {
	Claims []proof.Claim `json:"claims"`
}

func (s *service) check(ctx context.Context, in *struct{ Body Check }) (*Claims, error) {
	claims, err := s.board.Check(ctx, in.Body.Queue, in.Body.ID, in.Body.Texts)
	if claims == nil {
		claims = []proof.Claim{}
	}
	return &Claims{claims}, err
}

// Decision is what a person decides.
type Decision struct {
	Queue    string            `json:"queue"`
	ID       string            `json:"id"`
	Decision string            `json:"decision" enum:"approve,edit,back,withdraw,take,release"`
	Reason   string            `json:"reason,omitempty" max:"500"`
	Seen     string            `json:"seen,omitempty"`
	Texts    map[string]string `json:"texts,omitempty"`
}

// Done says that a decision was carried out.
type Done struct {
	Done bool `json:"done"`
}

func (s *service) decide(ctx context.Context, in *struct{ Body Decision }) (*Done, error) {
	d := review.Decision{Verb: review.Verb(in.Body.Decision), By: auth.NameOf(ctx), Reason: in.Body.Reason, Seen: in.Body.Seen, Texts: in.Body.Texts}
	if account := auth.From(ctx); account != nil {
		d.Person = account.ID
	}
	if err := s.board.Decide(ctx, in.Body.Queue, in.Body.ID, d); err != nil {
		return nil, err
	}
	return &Done{true}, nil
}
