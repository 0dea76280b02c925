package lexicon

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model"
)

var home = netip.MustParseAddr("192.0.2.7")

// Guests are told apart by network and day, and not by what they could be known by.
func TestGuest(t *testing.T) {
	f := open(t, nil, Options{})
	same := f.Guest(netip.MustParseAddr("2001:db8::1"))
	if same != f.Guest(netip.MustParseAddr("2001:db8::ffff:2")) || same == f.Guest(netip.MustParseAddr("2001:db8:0:1::1")) {
		t.Error("the guest is not the network")
	}
	guest := f.Guest(home)
	if guest != f.Guest(netip.MustParseAddr("::ffff:192.0.2.7")) || strings.Contains(guest, "192") || !isGuest(guest) {
		t.Errorf("the guest is %s", guest)
	}
	f.clock.advance(24 * time.Hour)
	if f.Guest(home) == guest {
		t.Error("a guest is known again the day after")
	}
	_, err := f.EnsureUser(t.Context(), guest, "")
	want(t, err, errs.Invalid)
}

// sound wants that a check of all tables finds nothing wrong.
func sound(t *testing.T, f *fixture) {
	t.Helper()
	want(t, f.Check(t.Context(), func(where, what string) { t.Errorf("%s: %s", where, what) }), nil)
}

func TestGuestQuiz(t *testing.T) {
	f := open(t, nil, Options{Tiers: map[string]Limits{Guest: {QuizQuestions: 5}, Free: {}, Premium: {}}})
	ctx := t.Context()
	quizTerms(f)
	guest := f.Guest(home)
	quiz, err := f.StartQuiz(ctx, guest, QuizRequest{Questions: 3})
	want(t, err, nil)
	for n := 1; n <= 3; n++ {
		// Wherever the guest is by now.
		q, err := f.Ask(ctx, f.Guest(netip.MustParseAddr("198.51.100.1")), quiz.ID)
		want(t, err, nil)
		out, err := f.Answer(ctx, guest, quiz.ID, n, 0)
		want(t, err, nil)
		if q.Current.Number != n || out.Quiz.Answered != n {
			t.Errorf("question %d: %+v, %+v", n, q, out)
		}
	}
	over, all, err := f.Review(ctx, guest, quiz.ID)
	want(t, err, nil)
	if over.Status != QuizCompleted || len(all) != 3 {
		t.Errorf("the result is %+v", over)
	}
	// Nobody with an account has it, and it is in nobody's statistics.
	_, err = f.Quiz(ctx, f.user("ann", Free), quiz.ID)
	want(t, err, errs.NotFound)
	stats, err := f.QuizStats(ctx, guest)
	want(t, err, nil)
	if stats.Score != 0 || stats.Possible != 0 || stats.Remaining != 2 {
		t.Errorf("statistics of a guest: %+v", stats)
	}
	// Questions count when the quiz begins, and one that does not begin has none.
	_, err = f.StartQuiz(ctx, guest, QuizRequest{Questions: 3})
	want(t, err, errs.RateLimited)
	_, err = f.StartQuiz(ctx, guest, QuizRequest{Category: "nothing", Questions: 2})
	want(t, err, errs.NotFound)
	_, err = f.StartQuiz(ctx, guest, QuizRequest{Questions: 2})
	want(t, err, nil)
	_, err = f.StartQuiz(ctx, guest, QuizRequest{Questions: 1})
	want(t, err, errs.RateLimited)
	// Elsewhere there is a whole day left, and no more than that.
	long, err := f.StartQuiz(ctx, f.Guest(netip.MustParseAddr("198.51.100.1")), QuizRequest{Category: "people", Questions: 20})
	want(t, err, nil)
	if long.Questions != 5 {
		t.Errorf("a quiz of %d questions", long.Questions)
	}
	sound(t, f)
	f.clock.advance(3 * 24 * time.Hour)
	_, err = f.Quiz(ctx, guest, quiz.ID)
	want(t, err, errs.NotFound)

	none := open(t, nil, Options{Tiers: map[string]Limits{Free: {}, Premium: {}}})
	quizTerms(none)
	_, err = none.StartQuiz(ctx, none.Guest(home), QuizRequest{})
	want(t, err, errs.Unauthenticated)
	_, err = none.Translate(ctx, none.Guest(home), TranslateRequest{Text: "x"})
	want(t, err, errs.Unauthenticated)
}

// The language model costs money: guests have what the operator gives to all of them.
func TestGuestTranslation(t *testing.T) {
	for name, most := range map[string]int{"builtin": 0, "model": 2} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			f := open(t, llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply {
				asked++
				return llmtest.Reply{Text: `{"translation": "Honestly.", "confidence": 0.9}`}
			}), Options{GuestModel: most})
			slang(f)
			try := func(addr string) (Translated, error) {
				return f.Translate(t.Context(), f.Guest(netip.MustParseAddr(addr)), TranslateRequest{Text: "no cap"})
			}
			for i := range 5 {
				got, err := try("192.0.2.7")
				want(t, err, nil)
				if byModel := i < most; byModel != (got.Model != Builtin) || !got.Changed || got.Kept || got.ID != "" {
					t.Errorf("translation %d: %+v", i+1, got)
				}
			}
			_, err := try("192.0.2.7")
			want(t, err, errs.RateLimited)
			got, err := try("192.0.2.8")
			want(t, err, nil)
			if got.Model != Builtin || asked != most {
				t.Errorf("the model was asked %d times for guests, and may be asked %d times", asked, most)
			}
			_, err = f.Translate(t.Context(), f.user("ann", Free), TranslateRequest{Text: "no cap"})
			want(t, err, nil)
			if asked != most+1 {
				t.Error("the limit of guests keeps others from the model")
			}
			sound(t, f)
			f.clock.advance(24 * time.Hour)
			got, err = try("192.0.2.7")
			want(t, err, nil)
			if (got.Model != Builtin) != (most > 0) {
				t.Errorf("the day after: %+v", got)
			}
		})
	}
}

// Nothing that is kept of a guest stays.
func TestGuestExpires(t *testing.T) {
	f := open(t, nil, Options{})
	slang(f)
	quizTerms(f)
	guest := f.Guest(home)
	_, err := f.Translate(t.Context(), guest, TranslateRequest{Text: "no cap"})
	want(t, err, nil)
	quiz, err := f.StartQuiz(t.Context(), guest, QuizRequest{Questions: 1})
	want(t, err, nil)
	for _, owner := range []string{guest, quizOwner(guest, quiz.ID)} {
		items := 0
		for item, err := range f.views.everything.All(t.Context(), model.Values{"user_id": owner}, model.Window{}) {
			want(t, err, nil)
			var kept struct {
				TTL int64 `dynamodbav:"ttl"`
			}
			want(t, item.As(&kept), nil)
			if items++; kept.TTL == 0 || time.Unix(kept.TTL, 0).After(f.clock.now().Add(guestKept)) {
				t.Errorf("%s of a guest goes at %d", item.Entity.Name, kept.TTL)
			}
		}
		if items == 0 {
			t.Errorf("nothing is counted for %s", owner)
		}
	}
}
