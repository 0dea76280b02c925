package lexicon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/model"
)

func TestUsers(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	f.user("ann", Free)
	f.clock.advance(time.Second)
	p, err := f.SetTier(ctx, "ann", Premium)
	if want(t, err, nil); p.Tier != Premium || p.UpdatedAt <= p.CreatedAt {
		t.Errorf("profile %+v", p)
	}
	again, err := f.EnsureUser(ctx, "ann", "other@example.org")
	if want(t, err, nil); again.Email != "ann@example.org" || again.Tier != Premium {
		t.Errorf("a second sign-in changed the profile: %+v", again)
	}
	f.user("bob", Free)
	f.user("cat", Free)
	report, err := f.TierReport(ctx)
	want(t, err, nil)
	if diff := cmp.Diff(map[string]int{Free: 2, Premium: 1}, report); diff != "" {
		t.Error(diff)
	}
	page, err := f.UsersByTier(ctx, Premium, PageOptions{})
	if want(t, err, nil); len(page.Items) != 1 || page.Items[0].UserID != "ann" || page.Items[0].UpdatedAt == "" {
		t.Errorf("premium: %+v", page.Items)
	}
	for _, bad := range []struct{ id, email string }{{"", "a@b.c"}, {"a", "x"}, {strings.Repeat("x", 200), "a@b.c"}, {"a\u202Eb", "a@b.c"}} {
		_, err := f.EnsureUser(ctx, bad.id, bad.email)
		want(t, err, errs.Invalid)
	}
	_, err = f.SetTier(ctx, "ann", "gold")
	want(t, err, errs.Invalid)
	_, err = f.SetTier(ctx, "nobody", Free)
	want(t, err, errs.NotFound)
	_, err = f.SetStatus(ctx, "ann", Cancelled)
	want(t, err, errs.Invalid)
}

// A thousand translations at once never pass the day's limit, also over midnight.
func TestLimitTogether(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	f.term(Term{Term: "rizz", Plain: map[string]string{"en": "charm"}})
	f.user("ann", Free)
	for day := range 2 {
		n := together(t, crowd, []errs.Kind{errs.RateLimited}, func(int) error {
			_, err := f.Translate(ctx, "ann", TranslateRequest{Text: "he has rizz"})
			return err
		})
		if n != 10 {
			t.Errorf("day %d: %d translations, want 10", day, n)
		}
		u, limits, err := f.Usage(ctx, "ann")
		if want(t, err, nil); u.Used != 10 || limits.Translations != 10 {
			t.Errorf("day %d: usage %+v", day, u)
		}
		f.clock.advance(24 * time.Hour)
	}
}

// What changes nothing is not charged, also under contention.
func TestNothingChargedForNothing(t *testing.T) {
	f := open(t, nil, Options{})
	f.user("ann", Free)
	for range 15 {
		got, err := f.Translate(t.Context(), "ann", TranslateRequest{Text: "plain words"})
		if want(t, err, nil); got.Changed || got.Kept {
			t.Errorf("changed: %+v", got)
		}
	}
	u, _, err := f.Usage(t.Context(), "ann")
	if want(t, err, nil); u.Used != 0 {
		t.Errorf("%d were charged", u.Used)
	}
}

func TestMidnight(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	want(t, err, nil)
	f := open(t, nil, Options{Zone: tokyo})
	f.clock.advance(time.Date(2026, 11, 15, 14, 59, 59, 0, time.UTC).Sub(begin)) // a second before midnight in Tokyo
	f.term(Term{Term: "rizz", Plain: map[string]string{"en": "charm"}})
	f.user("ann", Free)
	translate := func() error {
		_, err := f.Translate(t.Context(), "ann", TranslateRequest{Text: "rizz"})
		return err
	}
	for range 10 {
		want(t, translate(), nil)
	}
	err = translate()
	want(t, err, errs.RateLimited)
	if after, _ := errs.RetryAfter(err); after > 2*time.Second {
		t.Errorf("to be tried again after %s", after)
	}
	f.clock.advance(time.Second)
	want(t, translate(), nil)
}

// broken is a store that fails when told to.
type broken struct {
	model.DB
	down atomic.Bool
}

var errDown = errors.New("the store is down")

func (b *broken) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if b.down.Load() && strings.Contains(fmt.Sprint(in.Key["SK"]), "USAGE") {
		return nil, errDown
	}
	return b.DB.GetItem(ctx, in, o...)
}

func (b *broken) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if b.down.Load() {
		return nil, errDown
	}
	return b.DB.UpdateItem(ctx, in, o...)
}

func (b *broken) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if b.down.Load() {
		return nil, errDown
	}
	return b.DB.TransactWriteItems(ctx, in, o...)
}

// Without the store's word there is no translation, no question and no vote.
func TestLimitsFailClosed(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	quizTerms(f)
	f.user("ann", Premium)
	f.user("bob", Free)
	s := f.propose("ann", "skibidi")
	store := &broken{DB: f.store}
	d, err := New(store, nil, &f.o)
	want(t, err, nil)
	quiz, err := d.StartQuiz(ctx, "bob", QuizRequest{})
	want(t, err, nil)
	store.down.Store(true)
	got, err := d.Translate(ctx, "bob", TranslateRequest{Text: "word0"})
	if want(t, err, errs.Unavailable); got.Translated != "" {
		t.Errorf("translated %q", got.Translated)
	}
	_, err = d.Ask(ctx, "bob", quiz.ID)
	want(t, err, errs.Unavailable)
	_, err = d.Vote(ctx, "bob", s.ID)
	want(t, err, errs.Unavailable)
	_, err = d.Submit(ctx, "ann", Draft{Term: "new", Meaning: "m", Example: "e"})
	want(t, err, errs.Unavailable)
	if strings.Contains(errs.Message(err), "down") {
		t.Errorf("the user reads %q", errs.Message(err))
	}
}

// Deleting an account leaves nothing that names the user in any table.
func TestDeleteAccount(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	quizTerms(f)
	f.user("ann-the-user", Premium)
	f.user("bob", Premium)
	mine := f.propose("ann-the-user", "skibidi")
	approved := f.propose("ann-the-user", "gyatt")
	theirs := f.propose("bob", "sigma")
	_, err := f.Approve(ctx, "mod", approved.ID, Approval{})
	want(t, err, nil)
	_, err = f.Vote(ctx, "ann-the-user", theirs.ID)
	want(t, err, nil)
	_, err = f.Vote(ctx, "bob", mine.ID)
	want(t, err, nil)
	_, err = f.Translate(ctx, "ann-the-user", TranslateRequest{Text: "word0"})
	want(t, err, nil)
	quiz, err := f.StartQuiz(ctx, "ann-the-user", QuizRequest{})
	want(t, err, nil)
	_, err = f.Ask(ctx, "ann-the-user", quiz.ID)
	want(t, err, nil)

	want(t, f.DeleteAccount(ctx, "ann-the-user"), nil)
	for _, table := range f.o.Schema.Tables {
		out, err := f.store.Scan(ctx, &dynamodb.ScanInput{TableName: &table.Name})
		want(t, err, nil)
		for _, item := range out.Items {
			if text := plainText(item); strings.Contains(text, "ann-the-user") || strings.Contains(text, mine.ID) {
				t.Errorf("%s still has %s", table.Name, text)
			}
		}
	}
	got, err := f.Submission(ctx, theirs.ID)
	if want(t, err, nil); got.Upvotes != 0 || len(got.UpvotedBy) != 0 {
		t.Errorf("the other's submission has %d votes of %v", got.Upvotes, got.UpvotedBy)
	}
	_, err = f.Term(ctx, "gyatt")
	want(t, err, nil)
	want(t, f.DeleteAccount(ctx, "ann-the-user"), nil)
	_, err = f.Translate(ctx, "ann-the-user", TranslateRequest{Text: "word0"})
	want(t, err, errs.Forbidden)
}

func plainText(item model.Raw) string {
	var b strings.Builder
	for name, value := range item {
		fmt.Fprintf(&b, "%s=%+v ", name, deref(value))
	}
	return b.String()
}

func TestMember(t *testing.T) {
	f := open(t, nil, Options{})
	for _, step := range []struct{ email, want string }{{"not an address", ""}, {"", ""}, {"a@example.org", "a@example.org"}, {"", "a@example.org"}, {"b@example.org", "b@example.org"}} {
		p, err := f.Member(t.Context(), "u", step.email)
		want(t, err, nil)
		if p.Email != step.want || p.Tier != Free {
			t.Errorf("after %q: %+v", step.email, p)
		}
	}
}
