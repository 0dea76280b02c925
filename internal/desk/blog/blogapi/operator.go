package blogapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
)

func (s *service) operators(a *api.API) {
	api.Get(a, "/blog/messages", auth.Operator, api.Op{ID: "listMessages", Summary: "Readers' messages that no mail server took, the newest first", Hidden: true}, s.inbox)
	api.Delete(a, "/blog/messages/{id}", auth.Operator, api.Op{ID: "deleteMessage", Summary: "Delete a message"}, s.deleteMessage)
}

func (s *service) inbox(ctx context.Context, in *struct{ api.Page }) (*api.List[blog.Message], error) {
	return list(s.desk.Inbox(ctx, options(in.Page)))
}

func (s *service) deleteMessage(ctx context.Context, in *byID) (*api.None, error) {
	return &api.None{}, s.desk.DeleteMessage(ctx, in.ID)
}
