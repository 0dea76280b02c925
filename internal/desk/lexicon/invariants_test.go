package lexicon

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// exhibit is a desk with a term of each origin, a submission with votes, a quiz
// half done and translations.
type exhibit struct {
	*fixture
	terms, submissions, users, translations modeltest.Damage
	open                                    Submission
	quiz                                    Quiz
}

func openExhibit(t *testing.T) *exhibit {
	t.Helper()
	e := &exhibit{fixture: open(t, nil, Options{})}
	e.untold = true
	damage := func(env string) modeltest.Damage {
		for i := range e.o.Schema.Tables {
			if table := &e.o.Schema.Tables[i]; table.Env == env {
				return modeltest.Damage{T: t, DB: e.store, Table: table}
			}
		}
		t.Fatalf("there is no table of %s", env)
		return modeltest.Damage{}
	}
	e.terms, e.submissions, e.users, e.translations = damage(terms.Env), damage(submissions.Env), damage(users.Env), damage(translations.Env)
	ctx := t.Context()
	for i := range 5 {
		e.term(Term{Term: fmt.Sprint("word", i), QuizEligible: true, Tags: []string{"net"}})
	}
	e.term(Term{Term: "no cap", Variants: []string{"nocapp"}, Tags: []string{"chat"}, Regions: []string{"us"}, Categories: []string{"talk"}, QuizEligible: true})
	ann, ben := e.user("ann", Premium), e.user("ben", Premium)
	approved := e.propose(ann, "rizz")
	_, err := e.Approve(ctx, "mod", approved.ID, Approval{})
	want(t, err, nil)
	e.open = e.propose(ann, "mid")
	_, err = e.Vote(ctx, ben, e.open.ID)
	want(t, err, nil)
	rejected := e.propose(ann, "nah")
	_, err = e.Vote(ctx, ben, rejected.ID)
	want(t, err, nil)
	_, err = e.Reject(ctx, "mod", rejected.ID, "no")
	want(t, err, nil)
	e.quiz, err = e.StartQuiz(ctx, ann, QuizRequest{Difficulty: Intermediate, Questions: 3})
	want(t, err, nil)
	_, err = e.Ask(ctx, ann, e.quiz.ID)
	want(t, err, nil)
	_, err = e.Answer(ctx, ann, e.quiz.ID, 1, 0)
	want(t, err, nil)
	_, err = e.Translate(ctx, ann, TranslateRequest{Text: "no cap"})
	want(t, err, nil)
	return e
}

func (e *exhibit) session() []string { return []string{"USER#ann", "QUIZ_SESSION#" + e.quiz.ID} }

func (e *exhibit) submission() []string {
	return []string{"TERM#mid", "SUBMISSION#" + e.open.ID}
}

// questions changes the questions of the quiz.
func (e *exhibit) questions(t *testing.T, change func([]question)) {
	t.Helper()
	s, err := e.Desk.session(t.Context(), "ann", e.quiz.ID)
	want(t, err, nil)
	change(s.Questions)
	e.users.Set("questions", s.Questions, e.session()...)
}

func TestCheckFindsNothing(t *testing.T) {
	e := openExhibit(t)
	modeltest.WantSound(t, e.Check)
	want(t, e.Unvote(t.Context(), "ben", e.open.ID), nil)
	want(t, e.DeleteTerm(t.Context(), "no-cap"), nil)
	modeltest.WantSound(t, e.Check)
	want(t, e.DeleteAccount(t.Context(), "ann"), nil)
	modeltest.WantSound(t, e.Check)
}

func TestCheckFinds(t *testing.T) {
	noTerm := []string{"TERM#no-cap", "METADATA#lexicon"}
	for _, tt := range []struct {
		name   string
		damage func(*testing.T, *exhibit)
		words  []string
	}{
		{"votes miscounted", func(_ *testing.T, e *exhibit) { e.submissions.Set("upvotes", 7, e.submission()...) }, []string{"counts 7 votes, and there are 1"}},
		{"vote gone", func(_ *testing.T, e *exhibit) { e.submissions.Delete("TERM#mid", "VOTE#"+e.open.ID+"#ben") }, []string{"names ben among its voters"}},
		{"vote of no submission", func(_ *testing.T, e *exhibit) { e.submissions.Delete(e.submission()...) }, []string{"VOTE#", "there is no submission"}},
		{"step of no submission", func(_ *testing.T, e *exhibit) { e.submissions.Delete(e.submission()...) }, []string{"AUDIT#", "there is no submission"}},
		{"no step", func(t *testing.T, e *exhibit) {
			_, steps, err := e.hangingOn(t.Context(), &e.open)
			want(t, err, nil)
			for _, s := range steps {
				e.submissions.Delete("TERM#mid", "AUDIT#"+e.open.ID+"#"+s["audit_id"])
			}
		}, []string{"no step of it is recorded"}},
		{"decided and open", func(_ *testing.T, e *exhibit) {
			e.submissions.Set("reviewed_at", "2026-11-15T01:00:00.000Z", e.submission()...)
		}, []string{"it is pending, and was decided"}},
		{"rejected and to be validated", func(_ *testing.T, e *exhibit) { e.submissions.Set("status", "admin_rejected", e.submission()...) }, []string{"still waits to be validated"}},
		{"approved by nobody", func(_ *testing.T, e *exhibit) { e.submissions.Set("status", "admin_approved", e.submission()...) }, []string{"nobody decided it"}},
		{"submission under another slug", func(_ *testing.T, e *exhibit) { e.submissions.Set("slang_term", "other", e.submission()...) }, []string{"not written under the slug mid"}},
		{"term of a submission that was not approved", func(t *testing.T, e *exhibit) {
			page, err := e.Submissions(t.Context(), AdminApproved, PageOptions{})
			want(t, err, nil)
			e.submissions.Set("status", "pending", "TERM#rizz", "SUBMISSION#"+page.Items[0].ID)
		}, []string{"TERM#rizz", "which it came of, is pending"}},

		{"term under another slug", func(_ *testing.T, e *exhibit) { e.terms.Set("term", "other", noTerm...) }, []string{"not written under the slug no-cap"}},
		{"quiz fields wrong", func(_ *testing.T, e *exhibit) { e.terms.Set("quiz_difficulty", "advanced", noTerm...) }, []string{"its place in quizzes"}},
		{"spelling not guarded", func(_ *testing.T, e *exhibit) { e.terms.Delete("NAME#nocap", "MAIN") }, []string{"nothing guards its spelling"}},
		{"spelling of another", func(_ *testing.T, e *exhibit) { e.terms.Set("spells", "word1", "NAME#nocap", "MAIN") }, []string{"its spelling is taken by word1"}},
		{"spelling of another term", func(_ *testing.T, e *exhibit) { e.terms.Set("spells", "word1", "NAME#nocap", "MAIN") }, []string{"NAME#nocap", "is not spelled so"}},
		{"variant gone", func(_ *testing.T, e *exhibit) { e.terms.Delete("NAME#nocapp", "TERM#no-cap") }, []string{"not found by its variant nocapp"}},
		{"variant too many", func(_ *testing.T, e *exhibit) {
			e.terms.Copy([]string{"NAME#nocapp", "TERM#no-cap"}, []string{"NAME#other", "TERM#no-cap"})
		}, []string{"NAME#other", "has no such variant"}},
		{"listing gone", func(_ *testing.T, e *exhibit) { e.terms.Delete("BROWSE#tag#chat", "no-cap") }, []string{"not listed under the tag chat"}},
		{"listing differs", func(_ *testing.T, e *exhibit) { e.terms.Set("gloss", "other", "BROWSE#region#us", "no-cap") }, []string{"the list of the region us says something else"}},
		{"listing too many", func(_ *testing.T, e *exhibit) {
			e.terms.Copy([]string{"BROWSE#tag#chat", "no-cap"}, []string{"BROWSE#tag#other", "no-cap"})
		}, []string{"BROWSE#tag#other", "does not belong here"}},
		{"term gone", func(_ *testing.T, e *exhibit) { e.terms.Delete(noTerm...) }, []string{"BROWSE#initial#n", "there is no term no-cap"}},

		{"user gone", func(_ *testing.T, e *exhibit) { e.users.Delete("USER#ann", "PROFILE") }, []string{"USAGE#LIMITS", "there is no user ann"}},
		{"user of translations gone", func(_ *testing.T, e *exhibit) { e.users.Delete("USER#ann", "PROFILE") }, []string{"TRANSLATION#", "there is no user ann"}},
		{"usage beyond all limits", func(_ *testing.T, e *exhibit) { e.users.Set("daily_used", 101, "USER#ann", "USAGE#LIMITS") }, []string{"101 translations are counted"}},
		{"usage below nothing", func(_ *testing.T, e *exhibit) { e.users.Set("daily_used", -1, "USER#ann", "USAGE#LIMITS") }, []string{"-1 translations are counted"}},
		{"more points than possible", func(_ *testing.T, e *exhibit) { e.users.Set("total_score", 11, "USER#ann", "QUIZ_DAILY#2026-11-15") }, []string{"11 of 10 points"}},
		{"score wrong", func(_ *testing.T, e *exhibit) { e.users.Set("total_score", 29, e.session()...) }, []string{"its score is 29"}},
		{"possible wrong", func(_ *testing.T, e *exhibit) { e.users.Set("total_possible", 30, e.session()...) }, []string{"30 points were possible with 1 answers"}},
		{"completed too early", func(_ *testing.T, e *exhibit) { e.users.Set("session_status", "completed", e.session()...) }, []string{"1 of 3 questions are answered"}},
		{"no right answer", func(t *testing.T, e *exhibit) { e.questions(t, func(q []question) { q[2].Correct = 9 }) }, []string{"question 3 has no right answer"}},
		{"question left out", func(t *testing.T, e *exhibit) { e.questions(t, func(q []question) { q[2].AnsweredAt = "x" }) }, []string{"question 3 is answered, and one before"}},
		{"answered and not asked", func(t *testing.T, e *exhibit) { e.questions(t, func(q []question) { q[0].AskedAt = "" }) }, []string{"was not asked"}},
		{"points for a wrong answer", func(t *testing.T, e *exhibit) {
			e.questions(t, func(q []question) { q[0].Choice, q[0].Points = (q[0].Correct+1)%4, 5 })
		}, []string{"answered wrong, and has 5 points"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := openExhibit(t)
			tt.damage(t, e)
			modeltest.WantFinding(t, e.Check, tt.words...)
		})
	}
}

// What is expired and not yet removed hangs on nothing.
func TestCheckOfExpired(t *testing.T) {
	if endpointOf() != "" {
		t.Skip("items do not expire there")
	}
	e := openExhibit(t)
	e.clock.advance(200 * 24 * time.Hour)
	for range 3 {
		modeltest.WantSound(t, e.Check)
		time.Sleep(10 * time.Millisecond) // while the sweep goes on
	}
}

// A check beside voters finds nothing.
func TestCheckBesideVoters(t *testing.T) {
	e := openExhibit(t)
	ctx, stop := context.WithCancel(t.Context())
	var voters sync.WaitGroup
	for i := range 4 {
		id := e.user(fmt.Sprint("voter", i), Free)
		voters.Go(func() {
			for ctx.Err() == nil {
				_, err := e.Vote(ctx, id, e.open.ID)
				if err == nil {
					err = e.Unvote(ctx, id, e.open.ID)
				}
				if err != nil && ctx.Err() == nil && errs.KindOf(err) != errs.Conflict {
					t.Error(err)
				}
			}
		})
	}
	for range 10 {
		modeltest.WantSound(t, e.Check)
	}
	stop()
	voters.Wait()
	if _, err := e.votes.Get(t.Context(), model.Values{"slug": "mid", "voted_submission": e.open.ID, "voter_id": "ben"}); err != nil {
		t.Error(err)
	}
}
