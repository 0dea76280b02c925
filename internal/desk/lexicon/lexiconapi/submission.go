package lexiconapi

import (
	"context"
	"strconv"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
)

func (s *service) submissions(a *api.API) {
	api.Post(a, "/lexicon/submissions", auth.Reader, api.Op{
		ID: "submitTerm", Summary: "Propose a term", Fails: []errs.Kind{errs.Duplicate, errs.RateLimited},
		Doc: "It is judged in the background; look at its status later. The tier says how many may be proposed in 24 hours.",
	}, s.submit)
	api.Get(a, "/lexicon/submissions", auth.Reader, api.Op{
		ID: "listSubmissions", Summary: "Proposals to vote on, your own, or, for moderators, those in a state",
		Doc: "Without a filter, those that wait for a moderator: first those with twenty votes, then by age, votes and confidence.",
	}, s.listSubmissions)
	api.Get(a, "/lexicon/submissions/{id}", auth.Reader, api.Op{
		ID: "getSubmission", Summary: "A proposal",
		Doc: "Its author and moderators see all of it. For others there are only those that wait for a moderator or became terms, without who proposed and why it was decided so.",
	}, s.submission)
	api.Put(a, "/lexicon/submissions/{id}/vote", auth.Reader, api.Op{ID: "vote", Summary: "Vote for a proposal, once", Fails: []errs.Kind{errs.Duplicate, errs.Conflict}}, s.vote)
	api.Delete(a, "/lexicon/submissions/{id}/vote", auth.Reader, api.Op{ID: "unvote", Summary: "Take your vote back"}, s.unvote)
}

// Submission is a proposal, as far as the caller may see it.
type Submission struct {
	ID         string             `json:"submission_id"`
	UserID     string             `json:"user_id,omitempty"`
	Slug       string             `json:"slug"`
	Term       string             `json:"slang_term"`
	Meaning    string             `json:"meaning"`
	Example    string             `json:"example_usage"`
	Context    string             `json:"context"`
	Status     string             `json:"status" enum:"pending,validated,auto_approved,rejected,admin_approved,admin_rejected"`
	CreatedAt  lexicon.Stamp      `json:"created_at"`
	Upvotes    int                `json:"upvotes"`
	Mine       bool               `json:"mine"`
	ReviewedAt lexicon.Stamp      `json:"reviewed_at,omitempty"`
	ReviewedBy string             `json:"reviewed_by,omitempty" doc:"for moderators"`
	Reason     string             `json:"reason,omitempty" doc:"why it was decided so"`
	Judgement  *lexicon.Judgement `json:"llm_validation_result,omitempty"`
	version    int
}

// Tag is the proposal's version.
func (s *Submission) Tag() string { return strconv.Itoa(s.version) }

// viewer is who looks at proposals.
type viewer struct {
	userID    string
	moderates bool
}

func (s *service) viewer(ctx context.Context) (viewer, error) {
	p, err := s.member(ctx)
	return viewer{p.UserID, auth.RoleOf(ctx).Allows(auth.Moderator)}, err
}

// shows reports whether the viewer may know of a proposal.
func (v viewer) shows(s *lexicon.Submission) bool {
	return v.moderates || s.UserID == v.userID || s.Status == lexicon.Validated || s.Approved()
}

// of returns what the viewer may see of it.
func (v viewer) of(s lexicon.Submission) Submission {
	out := Submission{
		ID: s.ID, Slug: s.Slug, Term: s.Term, Meaning: s.Meaning, Example: s.Example, Context: s.Context,
		Status: s.Status, CreatedAt: s.CreatedAt, Upvotes: s.Upvotes, Mine: s.UserID == v.userID, version: s.Version,
	}
	if out.Mine || v.moderates {
		out.UserID, out.ReviewedAt, out.Reason, out.Judgement = s.UserID, s.ReviewedAt, s.Reason, s.Judgement
	}
	if v.moderates {
		out.ReviewedBy = s.ReviewedBy
	}
	return out
}

// SubmissionInput is a term to be proposed.
type SubmissionInput struct {
	Term    string `json:"slang_term" doc:"1 to 60 characters, Latin or Japanese"`
	Meaning string `json:"meaning" doc:"plain text"`
	Example string `json:"example_usage" doc:"a sentence with the term in it"`
	Context string `json:"context,omitempty" doc:"where it is said"`
}

func (s *service) submit(ctx context.Context, in *struct{ Body SubmissionInput }) (*api.Created[Submission], error) {
	v, err := s.viewer(ctx)
	if err != nil {
		return nil, err
	}
	made, err := s.desk.Submit(ctx, v.userID, lexicon.Draft(in.Body))
	if err != nil {
		return nil, err
	}
	return &api.Created[Submission]{Location: "/lexicon/submissions/" + made.ID, Body: v.of(made)}, nil
}

type listSubmissions struct {
	api.Page
	Mine   bool   `query:"mine" doc:"only your own, the newest first"`
	Status string `query:"status" enum:"pending,validated,auto_approved,rejected,admin_approved,admin_rejected" doc:"for moderators: those in a state, the oldest first"`
}

func (s *service) listSubmissions(ctx context.Context, in *listSubmissions) (*api.List[Submission], error) {
	v, err := s.viewer(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Mine && in.Status != "":
		return nil, errs.Validation(errs.Field{Name: "status", Message: "cannot be asked for together with mine"})
	case in.Mine:
		return v.list(s.desk.SubmissionsOf(ctx, v.userID, page(in.Page)))
	case in.Status != "" && !v.moderates:
		return nil, errs.New(errs.Forbidden, "Proposals by their state are for moderators.")
	case in.Status != "":
		return v.list(s.inState(ctx, in))
	}
	return v.list(s.desk.Queue(ctx, page(in.Page)))
}

func (s *service) inState(ctx context.Context, in *listSubmissions) (lexicon.Page[lexicon.Submission], error) {
	rows, err := s.desk.Submissions(ctx, in.Status, page(in.Page))
	if err != nil {
		return lexicon.Page[lexicon.Submission]{}, err
	}
	whole, err := s.desk.Whole(ctx, rows.Items)
	return lexicon.Page[lexicon.Submission]{Items: whole, Next: rows.Next}, err
}

func (v viewer) list(p lexicon.Page[lexicon.Submission], err error) (*api.List[Submission], error) {
	if err != nil {
		return nil, err
	}
	return api.ListOf(p.Items, p.Next, v.of), nil
}

func (s *service) submission(ctx context.Context, in *byID) (*Submission, error) {
	v, err := s.viewer(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.visible(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	out := v.of(found)
	return &out, nil
}

// visible returns a proposal that the viewer may know of.
func (s *service) visible(ctx context.Context, v viewer, id string) (lexicon.Submission, error) {
	found, err := s.desk.Submission(ctx, id)
	if err == nil && !v.shows(&found) {
		err = errs.NotFound
	}
	return found, err
}

// Votes are how many people voted for a proposal.
type Votes struct {
	Upvotes int `json:"upvotes"`
}

func (s *service) vote(ctx context.Context, in *byID) (*Votes, error) {
	v, err := s.viewer(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.visible(ctx, v, in.ID); err != nil {
		return nil, err
	}
	n, err := s.desk.Vote(ctx, v.userID, in.ID)
	if err != nil {
		return nil, err
	}
	return &Votes{n}, nil
}

func (s *service) unvote(ctx context.Context, in *byID) (*api.None, error) {
	v, err := s.viewer(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.visible(ctx, v, in.ID); err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.Unvote(ctx, v.userID, in.ID)
}
