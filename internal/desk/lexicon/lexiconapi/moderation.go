package lexiconapi

import (
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
)

func (s *service) moderation(a *api.API) {
	api.Post(a, "/lexicon/submissions/{id}/decisions", auth.Moderator, api.Op{
		ID: "decideSubmission", Summary: "Approve, reject or undo", Fails: []errs.Kind{errs.Conflict, errs.Duplicate},
		Doc: "An approval makes the proposal a term in the same moment. Of two decisions at once, the second is a conflict. Undo takes the last one back, with the term that came of it.",
	}, s.decide)
	api.Patch(a, "/lexicon/submissions/{id}", auth.Moderator, api.Op{ID: "editSubmission", Summary: "Correct a proposal that nobody has decided on", Fails: []errs.Kind{errs.Conflict}}, s.editSubmission)
	api.Get(a, "/lexicon/submissions/{id}/audit", auth.Moderator, api.Op{ID: "listAudit", Summary: "What was done with a proposal, the last first"}, s.audit)
}

// EditInput corrects a proposal; what is left out stays.
type EditInput struct {
	Term    string `json:"slang_term,omitempty" doc:"the same term, written another way"`
	Meaning string `json:"meaning,omitempty"`
	Example string `json:"example_usage,omitempty"`
	Context string `json:"context,omitempty"`
}

// DecisionInput is what a moderator decides.
type DecisionInput struct {
	Action     string    `json:"action" enum:"approve,reject,undo"`
	Reason     string    `json:"reason,omitempty" doc:"the one who proposed reads it; a rejection needs one"`
	Edit       EditInput `json:"edit,omitzero" doc:"of an approval"`
	Variants   []string  `json:"variants,omitempty" doc:"of an approval"`
	Tags       []string  `json:"tags,omitempty" doc:"of an approval; those of the validator if it is not there"`
	Categories []string  `json:"categories,omitempty" doc:"of an approval; that of the validator if it is not there"`
	Regions    []string  `json:"regions,omitempty" doc:"of an approval"`
}

func (s *service) decide(ctx context.Context, in *struct {
	byID
	Body DecisionInput
}) (*Submission, error) {
	who, err := actor(ctx)
	if err != nil {
		return nil, err
	}
	var done lexicon.Submission
	switch b := &in.Body; b.Action {
	case "approve":
		done, err = s.desk.Approve(ctx, who, in.ID, lexicon.Approval{
			Reason: b.Reason, Edit: lexicon.Edit(b.Edit), Variants: b.Variants, Tags: b.Tags, Categories: b.Categories, Regions: b.Regions,
		})
	case "reject":
		done, err = s.desk.Reject(ctx, who, in.ID, b.Reason)
	default:
		done, err = s.desk.Undo(ctx, who, in.ID, b.Reason)
	}
	return moderated(who, done, err)
}

func moderated(who string, done lexicon.Submission, err error) (*Submission, error) {
	if err != nil {
		return nil, err
	}
	out := viewer{who, true}.of(done)
	return &out, nil
}

// CorrectionInput corrects a proposal and says why.
type CorrectionInput struct {
	EditInput
	Reason string `json:"reason,omitempty"`
}

func (s *service) editSubmission(ctx context.Context, in *struct {
	api.Edit
	byID
	Body CorrectionInput
}) (*Submission, error) {
	who, err := actor(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.desk.Submission(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	seen := viewer{who, true}.of(now)
	if err := in.Match(seen.Tag()); err != nil {
		return nil, err
	}
	done, err := s.desk.EditSubmission(ctx, who, in.ID, lexicon.Edit(in.Body.EditInput), in.Body.Reason)
	return moderated(who, done, err)
}

func (s *service) audit(ctx context.Context, in *struct {
	api.Page
	byID
}) (*api.List[lexicon.Audit], error) {
	return list(s.desk.Audit(ctx, in.ID, page(in.Page)))
}
