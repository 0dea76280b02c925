package lexicon

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Audit is one step in the life of a submission. Steps are never changed.
type Audit struct {
	Slug       string            `dynamodbav:"slug" json:"-"`
	Submission string            `dynamodbav:"audited_submission" json:"submission_id"`
	ID         string            `dynamodbav:"audit_id" json:"audit_id"`
	Action     string            `dynamodbav:"action" json:"action"`
	Actor      string            `dynamodbav:"actor" json:"actor"` // a user, or Validator
	At         Stamp             `dynamodbav:"at" json:"at"`
	Reason     string            `dynamodbav:"reason,omitempty" json:"reason,omitempty"`
	From       string            `dynamodbav:"from_status,omitempty" json:"from_status,omitempty"`
	To         string            `dynamodbav:"to_status,omitempty" json:"to_status,omitempty"`
	Changes    map[string]Change `dynamodbav:"changes,omitempty" json:"changes,omitempty"`
}

// Change is what a field was and became.
type Change struct {
	From string `dynamodbav:"from" json:"from"`
	To   string `dynamodbav:"to" json:"to"`
}

// Validator is the actor of what the background validation does.
const Validator = "validator"

// Audit lists what was done with a submission, the newest step first.
func (d *Desk) Audit(ctx context.Context, submissionID string, p PageOptions) (Page[Audit], error) {
	s, err := d.Submission(ctx, submissionID)
	if err != nil {
		return Page[Audit]{}, err
	}
	return listOf(ctx, d.audits, "AuditOfSubmission", model.Values{"slug": s.Slug, "audited_submission": s.ID}, p)
}

func (d *Desk) step(s *Submission, action, actor, reason string) Audit {
	return Audit{Slug: s.Slug, Submission: s.ID, ID: d.ids.New(), Action: action, Actor: actor, At: d.now(), Reason: reason, To: s.Status}
}

// Edit is how a moderator corrects a submission; empty fields stay as they are.
// The term may be written another way, as long as its slug stays.
type Edit struct {
	Term    string `json:"slang_term,omitempty"`
	Meaning string `json:"meaning,omitempty"`
	Example string `json:"example_usage,omitempty"`
	Context string `json:"context,omitempty"`
}

// apply corrects the submission and returns what changed.
func (e Edit) apply(s *Submission) (map[string]Change, error) {
	draft := Draft{Term: or(e.Term, s.Term), Meaning: or(e.Meaning, s.Meaning), Example: or(e.Example, s.Example), Context: or(e.Context, s.Context)}
	n, err := draft.check()
	if err != nil {
		return nil, err
	}
	if n.slug != s.Slug {
		return nil, invalid("slang_term", "would be another term; reject this one and propose that")
	}
	changes := map[string]Change{}
	set := func(name string, field *string, to string) {
		if *field != to {
			changes[name] = Change{*field, to}
			*field = to
		}
	}
	set("slang_term", &s.Term, draft.Term)
	set("meaning", &s.Meaning, draft.Meaning)
	set("example_usage", &s.Example, draft.Example)
	set("context", &s.Context, draft.Context)
	return changes, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Approval is what a moderator adds to a submission that becomes a term. Lists
// that are nil come from the validator's judgement.
type Approval struct {
	Reason     string   `json:"reason,omitempty"`
	Edit       Edit     `json:"edit"`
	Variants   []string `json:"variants,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Categories []string `json:"categories,omitempty"`
	Regions    []string `json:"regions,omitempty"`
}

// decision is a change of a submission with all that goes with it.
type decision struct {
	action, actor, reason string
	// change changes the submission, or says why it cannot be. It may be called
	// several times, each time on what is there.
	change func(s *Submission) (map[string]Change, error)
	// also returns what must be written in the same transaction.
	also func(ctx context.Context, s *Submission) ([]model.Piece, error)
	// failed names an error of those pieces, which begin at that position.
	failed func(err error, s *Submission, first int) error
}

// decide carries a decision out: the submission, the audit and what belongs to
// them change together, and only from the state that the decision was made on. A
// vote in the meantime is no obstacle; another decision is.
func (d *Desk) decide(ctx context.Context, id string, c decision) (Submission, error) {
	var p problems
	if c.reason = p.text("reason", c.reason, 3*maxGloss, false); p.err() != nil {
		return Submission{}, p.err()
	}
	s, err := d.Submission(ctx, id)
	if err != nil {
		return s, err
	}
	for try := 1; ; try++ {
		from := s.Status
		changes, err := c.change(&s)
		if err != nil {
			return s, err
		}
		step := d.step(&s, c.action, c.actor, c.reason)
		step.From, step.Changes = from, changes
		pieces := []model.Piece{d.submissions.PutPiece(&s), d.audits.CreatePiece(&step)}
		if c.also != nil {
			more, err := c.also(ctx, &s)
			if err != nil {
				return s, err
			}
			pieces = append(pieces, more...)
		}
		err = d.transact(ctx, pieces...)
		if err == nil {
			return s, nil
		}
		if !failedPiece(err, 0) || try == conflictTries {
			if c.failed != nil {
				err = c.failed(err, &s, 2)
			}
			return s, failure(err)
		}
		if err := pause(ctx, try); err != nil {
			return s, err
		}
		if s, err = d.submissions.Get(ctx, s.key()); err != nil {
			return s, failure(err)
		}
	}
}

// settle notes who decided what on a submission.
func (d *Desk) settle(s *Submission, status, kind, by, reason string) {
	s.DecidedFrom, s.Status = s.Status, status
	s.ReviewedAt, s.ReviewedBy, s.ApprovalType, s.Reason = d.now(), by, kind, reason
	s.TTL = 0
	if status == Rejected || status == AdminRejected {
		s.TTL = d.o.Now().Add(time.Duration(d.o.RejectedDays) * 24 * time.Hour).Unix()
	}
	if s.Validation == pendingValidation {
		// Nobody needs the validator's word any more.
		s.Validation = "validated"
	}
	s.LeaseOwner, s.LeaseUntil, s.NextAttempt, s.LastError = "", "", "", ""
	s.place()
}

// undecided refuses what another decision has come before.
func undecided(s *Submission, also ...string) error {
	for _, status := range also {
		if s.Status == status {
			return nil
		}
	}
	if s.Open() {
		return nil
	}
	return errs.New(errs.Conflict, "This was decided already: %s by %s. Undo that first.", s.Status, or(s.ReviewedBy, "the validator"))
}

// Approve makes a submission a term, in one transaction. A submission that the
// validator rejected may be approved too. Errors are Conflict if it was decided
// already, and Duplicate if the lexicon has the term.
func (d *Desk) Approve(ctx context.Context, moderator, id string, a Approval) (Submission, error) {
	var term Term
	s, err := d.decide(ctx, id, decision{
		action: "approved", actor: moderator, reason: a.Reason,
		change: func(s *Submission) (map[string]Change, error) {
			if err := undecided(s, Rejected); err != nil {
				return nil, err
			}
			changes, err := a.Edit.apply(s)
			if err != nil {
				return nil, err
			}
			d.settle(s, AdminApproved, "admin", moderator, strings.TrimSpace(a.Reason))
			return changes, nil
		},
		also: func(ctx context.Context, s *Submission) ([]model.Piece, error) {
			var err error
			if term, err = a.term(s); err != nil {
				return nil, err
			}
			return d.termPieces(ctx, &term)
		},
		failed: func(err error, s *Submission, first int) error { return termFailure(err, s.Term, first) },
	})
	if err != nil {
		return s, err
	}
	return s, d.approved(ctx, &s)
}

// approved tells the rest of the desk of a new term.
func (d *Desk) approved(ctx context.Context, s *Submission) error {
	d.count(s.Slug, uses{votes: s.Upvotes})
	return d.termsChanged(ctx)
}

// term is what the submission becomes.
func (a *Approval) term(s *Submission) (Term, error) {
	t := Term{
		Term: s.Term, Gloss: s.Meaning, Examples: []string{s.Example}, Variants: a.Variants, Tags: a.Tags, Categories: a.Categories,
		Regions: a.Regions, Sources: []string{"community"}, Origin: OriginSubmission, SubmissionID: s.ID,
		QuizEligible: true, Confidence: 0.7, Momentum: 0.7, Language: languageOf(s.Term),
		FirstAttested: string(s.CreatedAt)[:len(time.DateOnly)], AttestationNote: "proposed here",
	}
	if j := s.Judgement; j != nil && !j.ByHand {
		t.Confidence, t.Momentum = j.Confidence, j.UsageScore/10
		if t.Tags == nil {
			t.Tags = j.Tags
		}
		if t.Categories == nil && j.Category != "" {
			t.Categories = []string{j.Category}
		}
	}
	var p problems
	p.normalise(&t)
	return t, p.err()
}

// languageOf tells Japanese from the rest by its letters.
func languageOf(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
		return "ja"
	}
	return "en"
}

// Reject refuses a submission; the submitter reads the reason, so there must be
// one.
func (d *Desk) Reject(ctx context.Context, moderator, id, reason string) (Submission, error) {
	if strings.TrimSpace(reason) == "" {
		return Submission{}, invalid("reason", "must not be empty: the submitter reads it")
	}
	s, err := d.decide(ctx, id, decision{
		action: "rejected", actor: moderator, reason: reason,
		change: func(s *Submission) (map[string]Change, error) {
			if err := undecided(s); err != nil {
				return nil, err
			}
			d.settle(s, AdminRejected, "admin", moderator, strings.TrimSpace(reason))
			return nil, nil
		},
	})
	if err != nil {
		return s, err
	}
	return s, d.expire(ctx, &s, s.TTL)
}

// EditSubmission corrects a submission that nobody has decided on.
func (d *Desk) EditSubmission(ctx context.Context, moderator, id string, e Edit, reason string) (Submission, error) {
	return d.decide(ctx, id, decision{
		action: "edited", actor: moderator, reason: reason,
		change: func(s *Submission) (map[string]Change, error) {
			if err := undecided(s); err != nil {
				return nil, err
			}
			changes, err := e.apply(s)
			if err == nil && len(changes) == 0 {
				err = invalid("edit", "changes nothing")
			}
			return changes, err
		},
	})
}

// Undo takes the last decision on a submission back, whoever made it: it waits for
// a moderator again, and the term that came of it is gone. A term that was changed
// since, or imported over, is a Conflict.
func (d *Desk) Undo(ctx context.Context, moderator, id, reason string) (Submission, error) {
	s, err := d.Submission(ctx, id)
	if err != nil {
		return s, err
	}
	if err := d.expire(ctx, &s, 0); err != nil {
		return s, err
	}
	removes := false
	s, err = d.decide(ctx, id, decision{
		action: "undone", actor: moderator, reason: reason,
		change: func(s *Submission) (map[string]Change, error) {
			if s.Open() {
				return nil, errs.New(errs.Conflict, "Nobody has decided on this yet.")
			}
			removes = s.Approved()
			s.Status = Validated
			if s.DecidedFrom == Rejected {
				s.Status = Rejected
			}
			s.DecidedFrom, s.ReviewedAt, s.ReviewedBy, s.ApprovalType, s.Reason, s.TTL = "", "", "", "", "", 0
			s.place()
			return nil, nil
		},
		also: func(ctx context.Context, s *Submission) ([]model.Piece, error) {
			if !removes {
				return nil, nil
			}
			return d.withdrawPieces(ctx, s)
		},
	})
	if err != nil || !removes {
		return s, err
	}
	return s, d.termsChanged(ctx)
}

// withdrawPieces removes the term that came of a submission.
func (d *Desk) withdrawPieces(ctx context.Context, s *Submission) ([]model.Piece, error) {
	t, err := d.Term(ctx, s.Slug)
	switch {
	case errors.Is(err, errs.NotFound):
		return []model.Piece{d.terms.DeletePiece(model.Values{"slug": s.Slug}, expression.AttributeNotExists(expression.Name("PK")))}, nil
	case err != nil:
		return nil, err
	case t.Origin != OriginSubmission || t.SubmissionID != s.ID || t.Version > 1:
		return nil, errs.New(errs.Conflict, "The term was changed since. Edit or delete it in the lexicon instead.")
	}
	return d.removePieces(ctx, &t)
}
