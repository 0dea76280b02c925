// Package deliverapi is the addresses that get nothing, in JSON: GET
// /api/v1/suppressions lists those of a channel, and DELETE lifts one.
//
// It promises that operators alone see addresses. Start with [Register].
package deliverapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/deliver"
)

type service struct{ ledger *deliver.Ledger }

// Register puts suppressions on the API.
func Register(a *api.API, ledger *deliver.Ledger) {
	s := &service{ledger}
	api.Get(a, "/suppressions", auth.Operator, api.Op{ID: "listSuppressions", Summary: "Addresses that get nothing, the last first"}, s.list)
	api.Delete(a, "/suppressions/{channel}", auth.Operator, api.Op{ID: "liftSuppression", Summary: "Let an address be written to again"}, s.lift)
}

type listInput struct {
	Channel string `query:"channel" enum:"mail,webhook,chat,push" default:"mail"`
	Limit   int    `query:"limit" min:"1" max:"1000" default:"100"`
}

func (s *service) list(ctx context.Context, in *listInput) (*api.List[deliver.Suppression], error) {
	out := &api.List[deliver.Suppression]{Items: []deliver.Suppression{}}
	for one, err := range s.ledger.Suppressions(ctx, in.Channel) {
		if err != nil {
			return nil, err
		}
		if out.Items = append(out.Items, one); len(out.Items) == in.Limit {
			break
		}
	}
	return out, nil
}

func (s *service) lift(ctx context.Context, in *struct {
	Channel string `path:"channel" enum:"mail,webhook,chat,push"`
	Address string `query:"address" required:"true" max:"1000"`
}) (*api.None, error) {
	return &api.None{}, s.ledger.Unsuppress(ctx, in.Channel, in.Address)
}
