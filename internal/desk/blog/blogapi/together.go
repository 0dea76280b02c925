package blogapi

import (
	"context"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

// mayPublish refuses authors where an editor publishes.
func (s *service) mayPublish(ctx context.Context) error {
	if account := auth.From(ctx); !s.ask || account != nil && account.Role.Allows(auth.Moderator) {
		return nil
	}
	return errs.New(errs.Conflict, "An editor publishes posts here. Save it, and ask for a review.")
}

func (s *service) plan(ctx context.Context, in *byID) (*blog.Plan, error) {
	if _, err := s.desk.Version(ctx, in.ID); err != nil {
		return nil, err
	}
	plan, err := s.desk.PlanOf(ctx, in.ID)
	return &plan, err
}

// PlanInput is when a post shall be published and archived.
type PlanInput struct {
	PublishAt  time.Time `json:"publish_at,omitzero"`
	WithdrawAt time.Time `json:"withdraw_at,omitzero"`
}

func (s *service) setPlan(ctx context.Context, in *struct {
	byID
	Body PlanInput
}) (*blog.Plan, error) {
	if !in.Body.PublishAt.IsZero() {
		if err := s.mayPublish(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.desk.SetPlan(ctx, in.ID, blog.Plan{PublishAt: in.Body.PublishAt, WithdrawAt: in.Body.WithdrawAt}); err != nil {
		return nil, err
	}
	plan, err := s.desk.PlanOf(ctx, in.ID)
	return &plan, err
}

// ProposalInput is what an author says to the editor.
type ProposalInput struct {
	Note string `json:"note,omitempty" max:"2000"`
}

func (s *service) propose(ctx context.Context, in *struct {
	byID
	Body ProposalInput
}) (*api.None, error) {
	return &api.None{}, s.desk.Propose(ctx, in.ID, in.Body.Note)
}

func (s *service) takeBack(ctx context.Context, in *byID) (*api.None, error) {
	if _, err := s.desk.Version(ctx, in.ID); err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.Decline(ctx, in.ID, "")
}

func (s *service) comments(ctx context.Context, in *struct {
	byID
	api.Page
}) (*api.List[blog.Comment], error) {
	return list(s.desk.Comments(ctx, in.ID, options(in.Page)))
}

// CommentInput is something that is said of a post.
type CommentInput struct {
	Text  string `json:"text" min:"1" max:"2000"`
	Block int    `json:"block,omitempty" min:"1" max:"5000" doc:"the number of the block; the post itself if it is not there"`
}

func (s *service) addComment(ctx context.Context, in *struct {
	byID
	Body CommentInput
}) (*api.Created[blog.Comment], error) {
	c, err := s.desk.AddComment(ctx, in.ID, in.Body.Block, in.Body.Text)
	if err != nil {
		return nil, err
	}
	return &api.Created[blog.Comment]{Location: "/blog/sources/" + in.ID + "/comments", Body: c}, nil
}

func (s *service) settleComment(ctx context.Context, in *struct {
	byID
	Comment string `path:"comment" min:"26" max:"26"`
}) (*api.None, error) {
	return &api.None{}, s.desk.SettleComment(ctx, in.ID, in.Comment)
}
