package lexicon

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
)

// deref shows what an attribute holds, all of it.
func deref(value types.AttributeValue) any {
	var v any
	_ = attributevalue.Unmarshal(value, &v)
	return v
}

// quizTerms writes terms for quizzes.
func quizTerms(f *fixture) {
	for i := range 12 {
		f.term(Term{Term: fmt.Sprint("word", i), Gloss: fmt.Sprint("meaning ", i), Examples: []string{"e"}, Categories: []string{"people"}, Confidence: 1, Momentum: 1 - float64(i)/20, QuizEligible: true})
	}
}

func TestQuizPlayed(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	quizTerms(f)
	want(t, f.PutQuizPool(ctx, QuizPool{Category: "people", WrongAnswers: []string{"w1", "w2", "w3", "w4", "w5"}}), nil)
	ann := f.user("ann", Premium)
	quiz, err := f.StartQuiz(ctx, ann, QuizRequest{Category: "people", Questions: 12})
	want(t, err, nil)
	seen := map[string]bool{}
	score := 0.0
	for i := 1; i <= 12; i++ {
		q, err := f.Ask(ctx, ann, quiz.ID)
		want(t, err, nil)
		c := q.Current
		if c == nil || c.Number != i || len(c.Options) != 4 || seen[c.Term] {
			t.Fatalf("question %d: %+v", i, c)
		}
		seen[c.Term] = true
		stored, err := f.session(ctx, ann, quiz.ID)
		want(t, err, nil)
		right := stored.Questions[i-1].Correct
		f.clock.advance(15 * time.Second)
		again, err := f.Ask(ctx, ann, quiz.ID) // going on does not stop the clock
		want(t, err, nil)
		c.Seconds = 15
		if diff := cmp.Diff(c, again.Current); diff != "" {
			t.Error(diff)
		}
		choice := right
		if i == 12 {
			choice = (right + 1) % 4
		}
		out, err := f.Answer(ctx, ann, quiz.ID, i, choice)
		want(t, err, nil)
		points := 5.5
		if i == 12 {
			points = 0
		}
		if score += points; out.Points != points || out.Correct != right || out.Quiz.Score != score || out.Gloss == "" || c.Options[out.Correct] != out.Gloss {
			t.Errorf("question %d: %+v, want %v points", i, out, points)
		}
		_, err = f.Answer(ctx, ann, quiz.ID, i, right)
		want(t, err, errs.Conflict)
	}
	_, err = f.Ask(ctx, ann, quiz.ID)
	want(t, err, errs.Conflict)
	over, all, err := f.Review(ctx, ann, quiz.ID)
	want(t, err, nil)
	if over.Status != QuizCompleted || len(all) != 12 || over.Possible != 120 || all[0].Gloss == "" || all[0].Slug == "" {
		t.Errorf("the result is %+v", over)
	}
	stats, err := f.QuizStats(ctx, ann)
	want(t, err, nil)
	if stats.Questions != 12 || stats.Score != score || stats.Possible != 120 || stats.Streak != 1 || stats.Remaining != -1 {
		t.Errorf("statistics %+v", stats)
	}
}

func TestPoints(t *testing.T) {
	for seconds, want := range map[float64]float64{-5: 10, 0: 10, 1: 9.7, 10: 7, 29: 1.3, 30: 1, 31: 1, 1e6: 1} {
		if got := points(time.Duration(seconds * float64(time.Second))); got != want {
			t.Errorf("after %v s there are %v points, want %v", seconds, got, want)
		}
	}
}

// A thousand answers to one question count once.
func TestAnswersTogether(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	quizTerms(f)
	ann := f.user("ann", Free)
	quiz, err := f.StartQuiz(ctx, ann, QuizRequest{})
	want(t, err, nil)
	together(t, 100, nil, func(int) error {
		_, err := f.Ask(ctx, ann, quiz.ID)
		return err
	})
	stats, err := f.QuizStats(ctx, ann)
	if want(t, err, nil); stats.Today.Questions != 1 {
		t.Errorf("a question asked for 100 times counts %d times", stats.Today.Questions)
	}
	n := together(t, crowd, []errs.Kind{errs.Conflict}, func(i int) error {
		_, err := f.Answer(ctx, ann, quiz.ID, 1, i%4)
		return err
	})
	if n != 1 {
		t.Errorf("%d answers counted", n)
	}
	got, err := f.Quiz(ctx, ann, quiz.ID)
	want(t, err, nil)
	stats, err = f.QuizStats(ctx, ann)
	want(t, err, nil)
	if got.Answered != 1 || got.Possible != 10 || stats.Possible != 10 || stats.Score != got.Score {
		t.Errorf("quiz %+v, statistics %+v", got, stats)
	}
}

// The free tier has ten questions a day, in however many quizzes.
func TestQuizLimitTogether(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	quizTerms(f)
	ann := f.user("ann", Free)
	var ids []string
	for range 50 {
		quiz, err := f.StartQuiz(ctx, ann, QuizRequest{Questions: 1})
		want(t, err, nil)
		ids = append(ids, quiz.ID)
	}
	n := together(t, 50, []errs.Kind{errs.RateLimited}, func(i int) error {
		_, err := f.Ask(ctx, ann, ids[i])
		return err
	})
	if n != 10 {
		t.Errorf("%d questions were asked, want 10", n)
	}
	f.clock.advance(24 * time.Hour)
	quiz, err := f.StartQuiz(ctx, ann, QuizRequest{Questions: 1})
	want(t, err, nil)
	_, err = f.Ask(ctx, ann, quiz.ID)
	want(t, err, nil)
	stats, err := f.QuizStats(ctx, ann)
	if want(t, err, nil); stats.Streak != 2 || stats.Longest != 2 || stats.Remaining != 9 {
		t.Errorf("statistics %+v", stats)
	}
}

func TestQuizErrors(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	ann := f.user("ann", Free)
	_, err := f.StartQuiz(ctx, ann, QuizRequest{})
	want(t, err, errs.NotFound)
	quizTerms(f)
	for _, r := range []QuizRequest{{Difficulty: "hard"}, {Questions: -1}, {Questions: 21}, {Language: "fr"}} {
		_, err := f.StartQuiz(ctx, ann, r)
		want(t, err, errs.Invalid)
	}
	quiz, err := f.StartQuiz(ctx, ann, QuizRequest{Difficulty: Advanced, Category: "people"})
	want(t, err, nil)
	if quiz.Questions != 4 { // those of a score below 0.65
		t.Errorf("%d advanced questions", quiz.Questions)
	}
	bob := f.user("bob", Free)
	for _, id := range []string{quiz.ID, "", "x", "../" + quiz.ID, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "QUIZ_SESSION#" + quiz.ID} {
		_, err := f.Ask(ctx, bob, id)
		want(t, err, errs.NotFound)
		_, err = f.Answer(ctx, bob, id, 1, 1)
		want(t, err, errs.NotFound)
		_, _, err = f.Review(ctx, bob, id)
		want(t, err, errs.NotFound)
	}
	_, err = f.Answer(ctx, ann, quiz.ID, 1, 1) // not asked
	want(t, err, errs.Conflict)
	_, err = f.Ask(ctx, ann, quiz.ID)
	want(t, err, nil)
	for _, choice := range []int{-1, 4} {
		_, err = f.Answer(ctx, ann, quiz.ID, 1, choice)
		want(t, err, errs.Invalid)
	}
	for _, number := range []int{-1, 0, 5} {
		_, err = f.Answer(ctx, ann, quiz.ID, number, 1)
		want(t, err, errs.Invalid)
	}
	_, err = f.Answer(ctx, ann, quiz.ID, 2, 1)
	want(t, err, errs.Conflict)
	_, _, err = f.Review(ctx, ann, quiz.ID)
	want(t, err, errs.Conflict)
	f.clock.advance(quizIdle + time.Second)
	_, err = f.Answer(ctx, ann, quiz.ID, 1, 1)
	want(t, err, errs.Conflict)
	got, err := f.Quiz(ctx, ann, quiz.ID)
	if want(t, err, nil); got.Status != QuizExpired || got.Current != nil {
		t.Errorf("it is %+v", got)
	}
	page, err := f.Quizzes(ctx, ann, PageOptions{})
	if want(t, err, nil); len(page.Items) != 1 {
		t.Errorf("%d quizzes", len(page.Items))
	}
	f.clock.advance(quizKept)
	_, err = f.Quiz(ctx, ann, quiz.ID)
	want(t, err, errs.NotFound)
}

func TestStreaks(t *testing.T) {
	tests := []struct {
		days             []string
		current, longest int
	}{
		{nil, 0, 0},
		{[]string{"2026-11-15"}, 1, 1},
		{[]string{"2026-11-14", "2026-11-13"}, 2, 2},
		{[]string{"2026-11-13", "2026-11-12"}, 0, 2},
		{[]string{"2026-11-15", "2026-11-13", "2026-11-12", "2026-11-11"}, 1, 3},
		{[]string{"2026-11-15", "2026-11-14", "2026-10-01", "2026-09-30"}, 2, 2},
	}
	for _, tt := range tests {
		current, longest := streaks(tt.days, "2026-11-15")
		if current != tt.current || longest != tt.longest {
			t.Errorf("%v: %d, %d", tt.days, current, longest)
		}
	}
}
