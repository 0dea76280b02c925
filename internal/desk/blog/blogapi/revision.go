package blogapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/desk/blog"
)

func (s *service) revisions(ctx context.Context, in *struct {
	byID
	api.Page
}) (*api.List[blog.Revision], error) {
	return list(s.desk.Revisions(ctx, in.ID, options(in.Page)))
}

// RevisionView is a revision with its content.
type RevisionView struct {
	blog.Revision
	Content    blog.Content    `json:"content"`
	Difference blog.Difference `json:"difference"`
}

func (s *service) revision(ctx context.Context, in *struct {
	byID
	Revision string `path:"revision" min:"26" max:"26"`
	With     string `query:"with" enum:"before,now" doc:"before if it is not there"`
}) (*RevisionView, error) {
	one, content, err := s.desk.Revision(ctx, in.ID, in.Revision)
	if err != nil {
		return nil, err
	}
	view := &RevisionView{Revision: one, Content: content}
	if in.With == "now" {
		post, err := s.desk.Get(ctx, in.ID)
		view.Difference = blog.Compare(content, post.Content)
		return view, err
	}
	before, there, err := s.desk.Before(ctx, in.ID, one.ID)
	if err != nil {
		return nil, err
	}
	var was blog.Content
	if there {
		if _, was, err = s.desk.Revision(ctx, in.ID, before.ID); err != nil {
			return nil, err
		}
	}
	view.Difference = blog.Compare(was, content)
	return view, nil
}

// Restoration says which revision a post becomes again.
type Restoration struct {
	Revision string `json:"revision" min:"26" max:"26"`
}

func (s *service) restore(ctx context.Context, in *struct {
	edit
	Body Restoration
}) (*Source, error) {
	version, err := s.version(ctx, &in.edit)
	if err != nil {
		return nil, err
	}
	return source(s.desk.Restore(ctx, in.ID, version, in.Body.Revision))
}
