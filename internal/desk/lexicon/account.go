package lexicon

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// DeleteAccount removes all that belongs to a user from every table: profile,
// limits, quizzes, translations, submissions with their votes and audit, and the
// user's own votes, which are then not counted any more. Terms that the lexicon
// took over stay; they do not name the user. The profile goes last, so that an
// interrupted deletion is repeated from where it was, and while it goes on the
// account can do nothing. That there is no such user is no error.
func (d *Desk) DeleteAccount(ctx context.Context, userID string) error {
	if err := checkUserID(userID); err != nil {
		return err
	}
	_, err := d.profiles.Modify(ctx, model.Values{"user_id": userID}, func(p *Profile) error {
		p.Status, p.UpdatedAt = Cancelled, d.now()
		return nil
	})
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return failure(err)
	}
	// The second time finds what was under way when the account was cancelled.
	for range 2 {
		for _, remove := range []func(context.Context, string) error{
			d.removeVotes, d.removeSubmissions, d.DeleteTranslations, d.removeUser,
		} {
			if err := remove(ctx, userID); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeVotes takes back all votes of a user.
func (d *Desk) removeVotes(ctx context.Context, userID string) error {
	for v, err := range d.views.votesBy.All(ctx, model.Values{"voter_id": userID}, model.Window{}) {
		if err != nil {
			return failure(err)
		}
		if err := d.unvote(ctx, &v); err != nil {
			return err
		}
		s, err := d.submissions.Get(ctx, model.Values{"slug": v.Slug, "submission_id": v.Submission})
		if errors.Is(err, model.ErrNotFound) {
			continue
		}
		if err != nil {
			return failure(err)
		}
		if err := d.rerank(ctx, &s); err != nil {
			return err
		}
	}
	return nil
}

// removeSubmissions removes a user's submissions with all that hangs on them. The
// submission itself goes last: it is what leads to the rest.
func (d *Desk) removeSubmissions(ctx context.Context, userID string) error {
	for s, err := range d.submissions.All(ctx, "SubmissionsByUser", model.Values{"user_id": userID}) {
		if err != nil {
			return failure(err)
		}
		if err := d.removeSubmission(ctx, &s); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) removeSubmission(ctx context.Context, s *Submission) error {
	votes, steps, err := d.hangingOn(ctx, s)
	if err != nil {
		return err
	}
	return failure(errors.Join(d.votes.BatchDelete(ctx, votes), d.audits.BatchDelete(ctx, steps), d.submissions.Delete(ctx, s.key())))
}

// hangingOn returns the keys of a submission's votes and steps.
func (d *Desk) hangingOn(ctx context.Context, s *Submission) (votes, steps []model.Values, err error) {
	for v, err := range d.votes.All(ctx, "VotesOfSubmission", model.Values{"slug": s.Slug, "voted_submission": s.ID}) {
		if err != nil {
			return nil, nil, failure(err)
		}
		votes = append(votes, v.key())
	}
	for a, err := range d.audits.All(ctx, "AuditOfSubmission", model.Values{"slug": s.Slug, "audited_submission": s.ID}) {
		if err != nil {
			return nil, nil, failure(err)
		}
		steps = append(steps, model.Values{"slug": s.Slug, "audited_submission": s.ID, "audit_id": a.ID})
	}
	return votes, steps, nil
}

// expire lets votes and steps go when their submission does; 0 lets them stay. A
// decision to remove comes before it and one to keep after it, so that what stops
// in between loses no vote.
func (d *Desk) expire(ctx context.Context, s *Submission, at int64) error {
	votes, steps, err := d.hangingOn(ctx, s)
	if err != nil {
		return err
	}
	ttl := expression.Name("ttl")
	update := expression.Remove(ttl)
	if at > 0 {
		update = expression.Set(ttl, expression.Value(at))
	}
	for _, key := range votes {
		if _, err := d.votes.Update(ctx, key, update); err != nil && !errors.Is(err, model.ErrNotFound) {
			return failure(err)
		}
	}
	for _, key := range steps {
		if _, err := d.audits.Update(ctx, key, update); err != nil && !errors.Is(err, model.ErrNotFound) {
			return failure(err)
		}
	}
	return nil
}

// removeUser empties the user's part of the users' table, the profile last.
func (d *Desk) removeUser(ctx context.Context, userID string) error {
	for item, err := range d.views.everything.All(ctx, model.Values{"user_id": userID}, model.Window{}) {
		if err != nil {
			return failure(err)
		}
		if err := d.removeItem(ctx, userID, item); err != nil {
			return err
		}
	}
	return failure(d.profiles.Delete(ctx, model.Values{"user_id": userID}))
}

func (d *Desk) removeItem(ctx context.Context, userID string, item model.Item) error {
	key := model.Values{"user_id": userID}
	var err error
	switch item.Entity.Name {
	case "Profile":
	case "Usage":
		err = d.usages.Delete(ctx, key)
	case "Submitted":
		err = d.submitted.Delete(ctx, key)
	case "QuizDay":
		var day QuizDay
		if err = item.As(&day); err == nil {
			key["day"] = day.Day
			err = d.quizDays.Delete(ctx, key)
		}
	case "QuizSession":
		var s session
		if err = item.As(&s); err == nil {
			key["session_id"] = s.ID
			err = d.sessions.Delete(ctx, key)
		}
	default:
		err = errs.New(errs.Internal, "A user has %s, which nobody knows how to remove.", item.Entity.Name)
	}
	return failure(err)
}
