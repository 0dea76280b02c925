package lexicon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Check looks at every item of the desk and reports what is not as it must be: a
// submission that counts other votes than there are, or whose state contradicts
// itself; a vote or a step without its submission; a term without its names or its
// places in lists, and names and places without their term; a quiz whose points do
// not add up; a user's items without the user. It changes nothing, and may run
// while the desk is used.
func (d *Desk) Check(ctx context.Context, report func(where, what string)) error {
	promises := map[string]map[string]model.Promise{
		submissions.Env: {
			"Submission": model.PromiseOf(d.checkSubmission),
			"Vote":       model.PromiseOf(d.checkVote),
			"Audit":      model.PromiseOf(d.checkStep),
		},
		terms.Env: {
			"Term":     model.PromiseOf(d.checkTerm),
			"Spelling": model.PromiseOf(d.checkSpelling),
			"Variant":  model.PromiseOf(d.checkVariant),
			"Listing":  model.PromiseOf(d.checkListing),
		},
		users.Env: {
			"Usage":       model.PromiseOf(d.checkUsage),
			"Submitted":   model.PromiseOf(func(ctx context.Context, s *submitted) ([]string, error) { return d.ofUser(ctx, s.UserID) }),
			"QuizDay":     model.PromiseOf(d.checkQuizDay),
			"QuizSession": model.PromiseOf(d.checkSession),
		},
		translations.Env: {
			"Translation": model.PromiseOf(func(ctx context.Context, t *Translation) ([]string, error) { return d.ofUser(ctx, t.UserID) }),
		},
	}
	for i := range d.o.Schema.Tables {
		table := &d.o.Schema.Tables[i]
		if err := table.Audit(ctx, d.db, promises[table.Env], report); err != nil {
			return err
		}
	}
	return nil
}

// faults is what is wrong with one item.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// missing notes that something is not there, and lets other errors through.
func (f *faults) missing(err error, format string, args ...any) error {
	if errors.Is(err, model.ErrNotFound) || errors.Is(err, errs.NotFound) {
		f.add(format, args...)
		return nil
	}
	return err
}

// ofUser says that the user of an item is gone: a profile goes last.
func (d *Desk) ofUser(ctx context.Context, id string) ([]string, error) {
	var f faults
	_, err := d.User(ctx, id)
	err = f.missing(err, "there is no user %s", id)
	return f, err
}

// expired reports whether something may be removed at any moment.
func (d *Desk) expired(ttl int64) bool { return ttl > 0 && !time.Unix(ttl, 0).After(d.o.Now()) }

func (d *Desk) checkSubmission(ctx context.Context, s *Submission) ([]string, error) {
	var f faults
	if n, problem := spell(s.Term); problem != "" || n.slug != s.Slug {
		f.add("%q is not written under the slug %s", s.Term, s.Slug)
	}
	if !s.Open() && s.Validation == pendingValidation {
		f.add("it is %s, and still waits to be validated", s.Status)
	}
	if s.Open() && s.ReviewedAt != "" {
		f.add("it is %s, and was decided at %s", s.Status, s.ReviewedAt)
	}
	if s.Approved() && s.ReviewedAt == "" {
		f.add("it is %s, and nobody decided it", s.Status)
	}
	going, err := d.going(ctx, s)
	if err != nil || going {
		return f, err
	}
	err = d.checkVotes(ctx, s, &f)
	return f, err
}

// going reports whether votes and steps of a submission may be removed before it.
func (d *Desk) going(ctx context.Context, s *Submission) (bool, error) {
	if d.expired(s.TTL) {
		return true, nil
	}
	p, err := d.User(ctx, s.UserID)
	if errors.Is(err, errs.NotFound) {
		return false, nil
	}
	return p.Status == Cancelled, err
}

// checkVotes compares the count of votes with the votes.
func (d *Desk) checkVotes(ctx context.Context, s *Submission, f *faults) error {
	names := map[string]bool{}
	for _, name := range s.UpvotedBy {
		names[name] = true
	}
	votes := 0
	for v, err := range d.votes.All(ctx, "VotesOfSubmission", model.Values{"slug": s.Slug, "voted_submission": s.ID}) {
		if err != nil {
			return failure(err)
		}
		votes++
		delete(names, v.VoterID)
	}
	if votes != s.Upvotes {
		f.add("it counts %d votes, and there are %d", s.Upvotes, votes)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f.add("it names %s among its voters, of whom there is no vote", name)
	}
	for _, err := range d.audits.All(ctx, "AuditOfSubmission", model.Values{"slug": s.Slug, "audited_submission": s.ID}) {
		return failure(err) // there is a step
	}
	f.add("no step of it is recorded")
	return nil
}

// hanging is what hangs on a submission.
type hanging struct {
	Slug       string `dynamodbav:"slug"`
	Voted      string `dynamodbav:"voted_submission"`
	Audited    string `dynamodbav:"audited_submission"`
	TTL        int64  `dynamodbav:"ttl"`
	submission string
}

func (d *Desk) checkVote(ctx context.Context, h *hanging) ([]string, error) {
	h.submission = h.Voted
	return d.checkHanging(ctx, h)
}

func (d *Desk) checkStep(ctx context.Context, h *hanging) ([]string, error) {
	h.submission = h.Audited
	return d.checkHanging(ctx, h)
}

func (d *Desk) checkHanging(ctx context.Context, h *hanging) ([]string, error) {
	if d.expired(h.TTL) {
		return nil, nil
	}
	var f faults
	_, err := d.submissions.Get(ctx, model.Values{"slug": h.Slug, "submission_id": h.submission})
	err = f.missing(err, "there is no submission %s", h.submission)
	return f, err
}

// checkTerm looks for a term's names and places in lists.
func (d *Desk) checkTerm(ctx context.Context, t *Term) ([]string, error) {
	var f faults
	ours := t.Version > 0 // other programs have rules of their own
	if n, problem := spell(t.Term); ours && (problem != "" || n.skeleton != skeletonOf(t.Slug)) {
		f.add("%q is not written under the slug %s", t.Term, t.Slug)
	}
	if ours && !t.quizIsDerived() {
		f.add("its place in quizzes does not follow from its confidence and momentum")
	}
	for _, check := range []func(context.Context, *Term, *faults) error{d.checkNames, d.checkPlaces, d.checkOrigin} {
		if err := check(ctx, t, &f); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (t *Term) quizIsDerived() bool {
	want := *t
	want.setQuiz()
	if t.QuizDifficulty != want.QuizDifficulty || t.QuizCategory != want.QuizCategory || (t.QuizScore == nil) != (want.QuizScore == nil) {
		return false
	}
	return t.QuizScore == nil || *t.QuizScore == *want.QuizScore
}

func (d *Desk) checkNames(ctx context.Context, t *Term, f *faults) error {
	main, err := d.spellings.Get(ctx, model.Values{"name": skeletonOf(t.Slug)})
	if err == nil && main.Spells != t.Slug {
		f.add("its spelling is taken by %s", main.Spells)
	}
	if err := f.missing(err, "nothing guards its spelling: a term that looks the same could be added"); err != nil {
		return err
	}
	for _, name := range t.names() {
		_, err := d.variants.Get(ctx, model.Values{"name": name, "slug": t.Slug})
		if err := f.missing(err, "it is not found by its variant %s", name); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) checkPlaces(ctx context.Context, t *Term, f *faults) error {
	for _, want := range t.listings() {
		l, err := d.listings.Get(ctx, want.key())
		if err == nil && !l.same(&want) {
			f.add("the list of the %s %s says something else of it", want.Facet, want.Value)
		}
		if err := f.missing(err, "it is not listed under the %s %s", want.Facet, want.Value); err != nil {
			return err
		}
	}
	return nil
}

func (l *Listing) same(o *Listing) bool {
	return l.samePlace(*o) && l.Slug == o.Slug && l.Term == o.Term && l.Gloss == o.Gloss && l.Language == o.Language && maps.Equal(l.Glosses, o.Glosses)
}

// checkOrigin looks at the submission that a term came of, if it is still there.
func (d *Desk) checkOrigin(ctx context.Context, t *Term, f *faults) error {
	if t.Origin != OriginSubmission || t.SubmissionID == "" { // the document does not name it
		return nil
	}
	s, err := d.submissions.Get(ctx, model.Values{"slug": t.Slug, "submission_id": t.SubmissionID})
	if errors.Is(err, model.ErrNotFound) {
		return nil // it went with its user
	}
	if err == nil && !s.Approved() {
		f.add("submission %s, which it came of, is %s", s.ID, s.Status)
	}
	return failure(err)
}

// ofTerm reads the term that an item leads to, of which holds must be true.
func (d *Desk) ofTerm(ctx context.Context, slug string, holds func(*Term) bool, otherwise string) ([]string, error) {
	var f faults
	t, err := d.Term(ctx, slug)
	if err == nil && !holds(&t) {
		f.add("the term %s %s", slug, otherwise)
	}
	err = f.missing(err, "there is no term %s", slug)
	return f, err
}

func (d *Desk) checkSpelling(ctx context.Context, s *spelling) ([]string, error) {
	return d.ofTerm(ctx, s.Spells, func(t *Term) bool { return skeletonOf(t.Slug) == s.Name }, "is not spelled so")
}

func (d *Desk) checkVariant(ctx context.Context, v *variant) ([]string, error) {
	return d.ofTerm(ctx, v.Slug, func(t *Term) bool { return slices.Contains(t.names(), v.Name) }, "has no such variant")
}

func (d *Desk) checkListing(ctx context.Context, l *Listing) ([]string, error) {
	return d.ofTerm(ctx, l.Slug, func(t *Term) bool { return slices.ContainsFunc(t.listings(), l.samePlace) }, "does not belong here")
}

// checkUsage compares what a user used with the most that any tier allows.
func (d *Desk) checkUsage(ctx context.Context, u *Usage) ([]string, error) {
	most := d.o.GuestModel // of all guests together
	for _, limits := range d.o.Tiers {
		most = max(most, limits.Translations)
	}
	found, err := d.ofUser(ctx, u.UserID)
	f := faults(found)
	if u.Used < 0 || u.Used > most {
		f.add("%d translations are counted, and no tier has more than %d a day", u.Used, most)
	}
	return f, err
}

func (d *Desk) checkQuizDay(ctx context.Context, q *QuizDay) ([]string, error) {
	found, err := d.ofUser(ctx, q.UserID)
	f := faults(found)
	if q.Questions < 0 || q.Score < 0 || q.Score > q.Possible {
		f.add("%v of %v points are counted, in %d questions", q.Score, q.Possible, q.Questions)
	}
	return f, err
}

// checkSession adds up the points of a quiz.
func (d *Desk) checkSession(ctx context.Context, s *session) ([]string, error) {
	found, err := d.ofUser(ctx, s.UserID)
	f := faults(found)
	score, answered := 0.0, 0
	for i, q := range s.Questions {
		if q.Correct < 0 || q.Correct >= len(q.Options) || q.Options[q.Correct] != q.Gloss {
			f.add("question %d has no right answer", i+1)
		}
		if q.AnsweredAt == "" {
			continue
		}
		answered++
		score += q.Points
		switch {
		case i != answered-1:
			f.add("question %d is answered, and one before it is not", i+1)
		case q.AskedAt == "":
			f.add("question %d is answered, and was not asked", i+1)
		case q.Choice != q.Correct && q.Points != 0:
			f.add("question %d is answered wrong, and has %v points", i+1, q.Points)
		}
	}
	if math.Abs(score-s.Score) > 0.01*float64(len(s.Questions)+1) {
		f.add("its score is %v, and its answers have %v", s.Score, score)
	}
	if s.Possible != float64(answered)*fullPoints {
		f.add("%v points were possible with %d answers", s.Possible, answered)
	}
	if (s.Status == QuizCompleted) != (answered == len(s.Questions)) {
		f.add("it is %s, and %d of %d questions are answered", s.Status, answered, len(s.Questions))
	}
	return f, err
}
