package newswireapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
)

func (s *service) retries(a *api.API) {
	api.Get(a, "/newswire/retries", auth.Operator, api.Op{
		ID: "listRetries", Summary: "What is to be tried again, the first due first",
		Doc: "First pages that were not fetched, then summaries; with a kind, those alone. What was given up comes last.",
	}, s.listRetries)
	api.Post(a, "/newswire/retries/{kind}/{id}/requeue", auth.Operator, api.Op{
		ID: "requeueRetry", Summary: "Try something again now, also if it was given up", Fails: []errs.Kind{errs.Conflict},
		Doc: "All attempts are before it again. For a summary that nothing waits for, the article is made pending.",
	}, s.requeue)
	api.Delete(a, "/newswire/retries/{kind}/{id}", auth.Operator, api.Op{ID: "dropRetry", Summary: "Do not try something again; it stays failed"}, s.drop)
}

func (s *service) listRetries(ctx context.Context, in *struct {
	api.Page
	Kind string `query:"kind" enum:"fetch,summary"`
}) (*api.List[newswire.Retry], error) {
	return list(s.desk.RetryBacklog(ctx, in.Kind, options(in.Page)))
}

type byRetry struct {
	Kind string `path:"kind" enum:"fetch,summary"`
	byID
}

func (s *service) requeue(ctx context.Context, in *byRetry) (*api.None, error) {
	if err := s.record(ctx, "requeue", in.Kind+" "+in.ID, ""); err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.Requeue(ctx, in.Kind, in.ID)
}

func (s *service) drop(ctx context.Context, in *byRetry) (*api.None, error) {
	if err := s.record(ctx, "drop", in.Kind+" "+in.ID, ""); err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.Drop(ctx, in.Kind, in.ID)
}
