package lexicon

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Submission is a term that a user proposes.
type Submission struct {
	ID        string `dynamodbav:"submission_id" json:"submission_id"`
	UserID    string `dynamodbav:"user_id" json:"user_id"`
	Slug      string `dynamodbav:"slug" json:"slug"`
	Term      string `dynamodbav:"slang_term" json:"slang_term"`
	Meaning   string `dynamodbav:"meaning" json:"meaning"`
	Example   string `dynamodbav:"example_usage" json:"example_usage"`
	Context   string `dynamodbav:"context" json:"context"`
	Status    string `dynamodbav:"status" json:"status"`
	CreatedAt Stamp  `dynamodbav:"created_at" json:"created_at"`
	// ReviewedAt, ReviewedBy, ApprovalType and Reason say who decided, how and
	// why; empty while nobody has.
	ReviewedAt   Stamp      `dynamodbav:"reviewed_at,omitempty" json:"reviewed_at,omitempty"`
	ApprovalType string     `dynamodbav:"approval_type,omitempty" json:"approval_type,omitempty"`
	ReviewedBy   string     `dynamodbav:"reviewed_by,omitempty" json:"reviewed_by,omitempty"`
	Reason       string     `dynamodbav:"reason,omitempty" json:"reason,omitempty"`
	Validation   string     `dynamodbav:"llm_validation_status" json:"llm_validation_status"`
	Judgement    *Judgement `dynamodbav:"llm_validation_result,omitempty" json:"llm_validation_result,omitempty"`
	Upvotes      int        `dynamodbav:"upvotes" json:"upvotes"`
	// UpvotedBy are the first thousand voters.
	UpvotedBy []string `dynamodbav:"upvoted_by,stringset,omitempty" json:"-"`
	TTL       int64    `dynamodbav:"ttl,omitempty" json:"-"`

	QueueRank   string `dynamodbav:"queue_rank" json:"-"`
	QueueAt     Stamp  `dynamodbav:"queue_at" json:"-"`
	DecidedFrom string `dynamodbav:"decided_from,omitempty" json:"-"`
	Attempts    int    `dynamodbav:"attempts,omitempty" json:"-"`
	NextAttempt Stamp  `dynamodbav:"next_attempt_at,omitempty" json:"-"`
	LeaseOwner  string `dynamodbav:"lease_owner,omitempty" json:"-"`
	LeaseUntil  Stamp  `dynamodbav:"lease_until,omitempty" json:"-"`
	LastError   string `dynamodbav:"last_error,omitempty" json:"-"`
	Version     int    `dynamodbav:"version" json:"version"`
}

// The states of a submission.
const (
	Pending       = "pending"        // nobody has looked
	Validated     = "validated"      // waits for a moderator
	AutoApproved  = "auto_approved"  // is in the lexicon, by the validator
	Rejected      = "rejected"       // by the validator
	AdminApproved = "admin_approved" // is in the lexicon, by a moderator
	AdminRejected = "admin_rejected" // by a moderator
)

// pendingValidation is the validation status of what the validator must look at.
const pendingValidation = "pending_validation"

// Open reports whether nobody has decided yet.
func (s *Submission) Open() bool { return s.Status == Pending || s.Status == Validated }

// Approved reports whether it is in the lexicon.
func (s *Submission) Approved() bool { return s.Status == AutoApproved || s.Status == AdminApproved }

func (s *Submission) key() model.Values {
	return model.Values{"slug": s.Slug, "submission_id": s.ID}
}

// SubmissionRow is what SubmissionsStatusIndex has of a submission.
type SubmissionRow struct {
	ID        string `dynamodbav:"submission_id" json:"submission_id"`
	UserID    string `dynamodbav:"user_id" json:"user_id"`
	Slug      string `dynamodbav:"slug" json:"slug"`
	Term      string `dynamodbav:"slang_term" json:"slang_term"`
	Context   string `dynamodbav:"context" json:"context"`
	Status    string `dynamodbav:"status" json:"status"`
	CreatedAt Stamp  `dynamodbav:"created_at" json:"created_at"`
}

// QueueRow is what the moderators' queue shows of a submission.
type QueueRow struct {
	ID      string `dynamodbav:"submission_id" json:"submission_id"`
	UserID  string `dynamodbav:"user_id" json:"user_id"`
	Slug    string `dynamodbav:"slug" json:"slug"`
	Term    string `dynamodbav:"slang_term" json:"slang_term"`
	Context string `dynamodbav:"context" json:"context"`
	Upvotes int    `dynamodbav:"upvotes" json:"upvotes"`
}

type recent struct {
	Slug  string `dynamodbav:"slug"`
	Until Stamp  `dynamodbav:"until"`
	TTL   int64  `dynamodbav:"ttl"`
}

type submitted struct {
	UserID  string  `dynamodbav:"user_id"`
	Times   []Stamp `dynamodbav:"times"`
	Version int     `dynamodbav:"version"`
}

// Draft is what a user writes to propose a term.
type Draft struct {
	Term    string `json:"slang_term"`
	Meaning string `json:"meaning"`
	Example string `json:"example_usage"`
	Context string `json:"context"` // where it is said; may be empty
}

const (
	submitWindow = 24 * time.Hour
	termPause    = 7 * 24 * time.Hour
)

// check cleans the draft in place.
func (w *Draft) check() (name, error) {
	var p problems
	n, problem := spell(w.Term)
	if problem != "" {
		p.add("slang_term", "%s", problem)
	}
	w.Term = n.text
	w.Meaning = p.text("meaning", w.Meaning, maxExample, true)
	w.Example = p.text("example_usage", w.Example, maxExample, true)
	w.Context = p.text("context", w.Context, maxExample, false)
	return n, p.err()
}

// Submit proposes a term. Errors are Invalid; Forbidden for a tier that may not;
// Duplicate for a term that is in the lexicon or was proposed in the last seven
// days; RateLimited after so many in 24 hours.
func (d *Desk) Submit(ctx context.Context, userID string, w Draft) (Submission, error) {
	n, err := w.check()
	if err != nil {
		return Submission{}, err
	}
	p, err := d.active(ctx, userID)
	if err != nil {
		return Submission{}, err
	}
	limit := d.o.Tiers[p.Tier].Submissions
	if limit == 0 {
		return Submission{}, errs.New(errs.Forbidden, "Proposing terms needs the premium tier.")
	}
	if err := d.unknown(ctx, n); err != nil {
		return Submission{}, err
	}
	now := d.now()
	s := Submission{
		ID: d.ids.New(), UserID: userID, Slug: n.slug, Term: w.Term, Meaning: w.Meaning, Example: w.Example, Context: w.Context,
		Status: Pending, Validation: pendingValidation, CreatedAt: now, QueueRank: "1", QueueAt: now,
	}
	return s, d.submit(ctx, &s, limit)
}

// unknown refuses a term that the lexicon has, under whatever spelling.
func (d *Desk) unknown(ctx context.Context, n name) error {
	slugs, err := d.named(ctx, n.skeleton)
	if err != nil {
		return err
	}
	if len(slugs) > 0 {
		return errs.New(errs.Duplicate, "The lexicon has this term already, as “%s”.", slugs[0])
	}
	return nil
}

// submit writes the submission, its first step in the audit, the pause of the
// term and the user's count, all or nothing.
func (d *Desk) submit(ctx context.Context, s *Submission, limit int) error {
	for try := 1; ; try++ {
		mine, err := d.submittedLately(ctx, s, limit)
		if err != nil {
			return err
		}
		until := s.CreatedAt.Time().Add(termPause)
		pausing := recent{Slug: s.Slug, Until: stampOf(until), TTL: until.Unix()}
		over := expression.AttributeNotExists(expression.Name("PK")).Or(expression.Name("until").LessThanEqual(expression.Value(s.CreatedAt)))
		step := d.step(s, "submitted", s.UserID, "")
		err = d.transact(ctx, d.submitted.PutPiece(mine), d.recents.PutPiece(&pausing, over), d.submissions.CreatePiece(s), d.audits.CreatePiece(&step))
		switch {
		case failedPiece(err, 1):
			return errs.Wrap(err, errs.Duplicate, "Someone proposed “%s” in the last seven days. Look for it among the proposals and vote for it.", s.Term)
		case failedPiece(err, 0) && try < conflictTries:
			if err := pause(ctx, try); err != nil {
				return err
			}
		default:
			return failure(err)
		}
	}
}

// submittedLately returns the user's count with this submission in it.
func (d *Desk) submittedLately(ctx context.Context, s *Submission, limit int) (*submitted, error) {
	mine, err := d.submitted.Get(ctx, model.Values{"user_id": s.UserID})
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return nil, failure(err)
	}
	now := s.CreatedAt.Time()
	since := stampOf(now.Add(-submitWindow))
	mine.UserID = s.UserID
	mine.Times = slices.DeleteFunc(mine.Times, func(t Stamp) bool { return t <= since })
	if len(mine.Times) >= limit {
		e := errs.RateLimit(slices.Min(mine.Times).Time().Add(submitWindow).Sub(now))
		e.Message = "You have proposed as many terms as 24 hours allow. Come back later."
		return nil, e
	}
	mine.Times = append(mine.Times, s.CreatedAt)
	return &mine, nil
}

// Submission returns a submission by its id, or NotFound.
func (d *Desk) Submission(ctx context.Context, id string) (Submission, error) {
	if id == "" || len(id) > idMax {
		return Submission{}, errs.NotFound
	}
	v, err := d.submissions.View("GetSubmission")
	if err != nil {
		return Submission{}, err
	}
	s, err := v.One(ctx, model.Values{"submission_id": id})
	if err != nil {
		return s, failure(err)
	}
	// The index may be a moment behind the table.
	s, err = d.submissions.Get(ctx, s.key())
	return s, failure(err)
}

// SubmissionsOf lists a user's submissions, the newest first.
func (d *Desk) SubmissionsOf(ctx context.Context, userID string, p PageOptions) (Page[Submission], error) {
	return listOf(ctx, d.submissions, "SubmissionsByUser", model.Values{"user_id": userID}, p)
}

// Submissions lists the submissions in a state, the oldest first, with what the
// index has of them; Whole reads the rest.
func (d *Desk) Submissions(ctx context.Context, status string, p PageOptions) (Page[SubmissionRow], error) {
	if !slices.Contains(submissionStates, status) {
		return Page[SubmissionRow]{}, invalid("status", "is no state of a submission")
	}
	return list(ctx, d.views.byStatus, model.Values{"status": status}, p, model.Window{})
}

// Whole returns the submissions of a list with everything there is; those that
// are gone in the meantime are left out.
func (d *Desk) Whole(ctx context.Context, rows []SubmissionRow) ([]Submission, error) {
	keys := make([]model.Values, len(rows))
	for i, r := range rows {
		keys[i] = model.Values{"slug": r.Slug, "submission_id": r.ID}
	}
	all, err := d.submissions.BatchGet(ctx, keys)
	return all, failure(err)
}

// Queue lists what waits for a moderator: first what twenty people voted for, then
// by age, to which votes and the validator's confidence add. It is also the list
// to vote on.
func (d *Desk) Queue(ctx context.Context, p PageOptions) (Page[Submission], error) {
	rows, err := list(ctx, d.views.queue, nil, p, model.Window{})
	if err != nil {
		return Page[Submission]{}, err
	}
	keys := make([]model.Values, len(rows.Items))
	for i, r := range rows.Items {
		keys[i] = model.Values{"slug": r.Slug, "submission_id": r.ID}
	}
	all, err := d.submissions.BatchGet(ctx, keys)
	return Page[Submission]{Items: all, Next: rows.Next}, failure(err)
}
