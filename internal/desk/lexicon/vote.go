package lexicon

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/model"
)

type vote struct {
	Slug       string `dynamodbav:"slug"`
	Submission string `dynamodbav:"voted_submission"`
	VoterID    string `dynamodbav:"voter_id"`
	VotedAt    Stamp  `dynamodbav:"voted_at"`
}

func (v *vote) key() model.Values {
	return model.Values{"slug": v.Slug, "voted_submission": v.Submission, "voter_id": v.VoterID}
}

const (
	namedVoters = 1000 // upvoted_by has no more
	firstVotes  = 20   // so many votes put a submission first
	// What votes and confidence are worth in the queue, as age.
	voteAge       = 6 * time.Hour
	confidenceAge = 48 * time.Hour
)

// Vote counts a user's vote for an open submission, once, and returns how many
// there are. Errors are NotFound; Duplicate for a second vote; Forbidden for one's
// own submission; Conflict for one that is decided.
func (d *Desk) Vote(ctx context.Context, userID, submissionID string) (int, error) {
	if _, err := d.active(ctx, userID); err != nil {
		return 0, err
	}
	s, err := d.Submission(ctx, submissionID)
	if err != nil {
		return 0, err
	}
	v := vote{Slug: s.Slug, Submission: s.ID, VoterID: userID, VotedAt: d.now()}
	if s.Version < 0 {
		if err := d.adoptSubmission(ctx, &s); err != nil {
			return 0, err
		}
	}
	for try := 1; ; try++ {
		if err := votable(&s, userID); err != nil {
			return 0, err
		}
		err = d.transact(ctx, d.votes.CreatePiece(&v), d.countPiece(&s, userID))
		if failedPiece(err, 0) {
			return 0, errs.Wrap(err, errs.Duplicate, "You have voted for this term already.")
		}
		if err != nil && (!failedPiece(err, 1) || try == conflictTries) {
			return 0, failure(err)
		}
		failed := err != nil
		if s, err = d.submissions.Get(ctx, s.key()); err != nil {
			return 0, failure(err)
		}
		if !failed {
			break
		}
		// Decided in the meantime, or the thousandth name was just written.
	}
	d.count(s.Slug, uses{votes: 1})
	return s.Upvotes, d.rerank(ctx, &s)
}

// votable says why a user cannot vote for a submission.
func votable(s *Submission, userID string) error {
	switch {
	case s.UserID == userID:
		return errs.New(errs.Forbidden, "You cannot vote for your own term.")
	case !s.Open():
		return errs.New(errs.Conflict, "This term is decided: %s.", s.Status)
	case slices.Contains(s.UpvotedBy, userID): // another program may have counted it
		return errs.New(errs.Duplicate, "You have voted for this term already.")
	}
	return nil
}

// countPiece counts a vote, with the voter's name if there is room for it. What
// it depends on is in its condition, since s may be old.
func (d *Desk) countPiece(s *Submission, userID string) model.Piece {
	upvotedBy := expression.Name("upvoted_by")
	update := expression.Add(expression.Name("upvotes"), expression.Value(1))
	room := upvotedBy.Size().GreaterThanEqual(expression.Value(namedVoters))
	if len(s.UpvotedBy) < namedVoters {
		update = update.Add(upvotedBy, expression.Value(&types.AttributeValueMemberSS{Value: []string{userID}}))
		room = upvotedBy.AttributeNotExists().Or(upvotedBy.Size().LessThan(expression.Value(namedVoters)))
	}
	other := expression.Name("user_id").NotEqual(expression.Value(userID)).And(expression.Not(upvotedBy.Contains(userID)))
	return d.submissions.UpdatePiece(s.key(), update, isOpen(), other, room)
}

func isOpen() expression.ConditionBuilder {
	return expression.Name("status").In(expression.Value(Pending), expression.Value(Validated))
}

// Voted reports whether a user voted for a submission.
func (d *Desk) Voted(ctx context.Context, userID string, s *Submission) (bool, error) {
	if slices.Contains(s.UpvotedBy, userID) {
		return true, nil
	}
	v := vote{Slug: s.Slug, Submission: s.ID, VoterID: userID}
	_, err := d.votes.Get(ctx, v.key())
	if errors.Is(err, model.ErrNotFound) {
		return false, nil
	}
	return err == nil, failure(err)
}

// VotesOf lists the submissions a user voted for, by id, the newest vote first.
func (d *Desk) VotesOf(ctx context.Context, userID string, p PageOptions) (Page[string], error) {
	page, err := list(ctx, d.views.votesBy, model.Values{"voter_id": userID}, p, model.Window{})
	out := Page[string]{Next: page.Next}
	for _, v := range page.Items {
		out.Items = append(out.Items, v.Submission)
	}
	return out, err
}

// Unvote takes a vote back. That there is none is no error.
func (d *Desk) Unvote(ctx context.Context, userID, submissionID string) error {
	s, err := d.Submission(ctx, submissionID)
	if err != nil {
		return err
	}
	if err := d.unvote(ctx, &vote{Slug: s.Slug, Submission: s.ID, VoterID: userID}); err != nil {
		return err
	}
	if s, err = d.submissions.Get(ctx, s.key()); err != nil {
		return failure(err)
	}
	return d.rerank(ctx, &s)
}

// unvote removes a vote and its count; without the submission, the vote alone.
func (d *Desk) unvote(ctx context.Context, v *vote) error {
	there := expression.AttributeExists(expression.Name("PK"))
	update := expression.Add(expression.Name("upvotes"), expression.Value(-1)).
		Delete(expression.Name("upvoted_by"), expression.Value(&types.AttributeValueMemberSS{Value: []string{v.VoterID}}))
	err := d.transact(ctx, d.votes.DeletePiece(v.key(), there),
		d.submissions.UpdatePiece(model.Values{"slug": v.Slug, "submission_id": v.Submission}, update))
	switch {
	case failedPiece(err, 0):
		return nil // gone already
	case failedPiece(err, 1):
		return failure(d.votes.Delete(ctx, v.key()))
	}
	return failure(err)
}

// place sets where the submission stands in the queue. Votes and confidence make
// it older than it is, so that its place does not change with time.
func (s *Submission) place() {
	s.QueueRank = "1"
	if s.Upvotes >= firstVotes {
		s.QueueRank = "0"
	}
	age := time.Duration(min(s.Upvotes, firstVotes)) * voteAge
	if s.Judgement != nil {
		age += time.Duration(s.Judgement.Confidence * float64(confidenceAge))
	}
	s.QueueAt = stampOf(s.CreatedAt.Time().Add(-age))
}

// misplaced reports whether the submission must move in the queue.
func (s *Submission) misplaced() bool {
	moved := *s
	moved.place()
	return moved.QueueRank != s.QueueRank || moved.QueueAt != s.QueueAt
}

var errInPlace = errors.New("it is in its place")

// rerank brings a submission to its place in the queue. Whoever votes last does
// it last, so that the place is right in the end.
func (d *Desk) rerank(ctx context.Context, s *Submission) error {
	if !s.misplaced() {
		return nil
	}
	for try := 1; ; try++ {
		_, err := d.submissions.Modify(ctx, s.key(), func(now *Submission) error {
			if !now.misplaced() {
				return errInPlace
			}
			now.place()
			return nil
		})
		switch {
		case errors.Is(err, errInPlace), errors.Is(err, model.ErrNotFound):
			return nil
		case !errors.Is(err, model.ErrStale) || try == conflictTries:
			return failure(err)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}
