package newswire

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model"
)

// broken is a store that does the first transactions, and dies with the next.
type broken struct {
	model.DB
	left int
}

var errBroken = errors.New("the process has died")

func (b *broken) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if b.left--; b.left < 0 {
		return nil, errBroken
	}
	return b.DB.TransactWriteItems(ctx, in, o...)
}

// People edit summaries and withdraw articles, with their word on it, and the machine
// leaves both alone.
func TestEditAndWithdraw(t *testing.T) {
	asked := 0
	provider := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply {
		asked++
		return reply("The council of A voted. It agreed on a budget.", 1, 2)
	})
	d, _, _ := newsdesk(t, llm.New(provider, llm.Options{}), map[string]any{"/a": newsPage("A", "2026-11-10T09:00:00Z")})
	ctx, mika := t.Context(), story.Word{By: "mika", Reason: "the budget was for roads"}
	if _, err := d.Summarise(ctx, 10); err != nil {
		t.Fatal(err)
	}
	a := only(t, d, "/a")
	const better = "The council of A voted on a budget for roads."
	if _, err := d.EditSummary(ctx, a.ArticleID, a.SummaryID, better, story.Word{By: "mika"}); errs.KindOf(err) != errs.Invalid {
		t.Errorf("without a reason: %v", err)
	}
	if _, err := d.EditSummary(ctx, a.ArticleID, "another", better, mika); errs.KindOf(err) != errs.Stale {
		t.Errorf("of another summary: %v", err)
	}
	if _, err := d.EditSummary(ctx, a.ArticleID, a.SummaryID, "", mika); errs.KindOf(err) != errs.Invalid {
		t.Errorf("an empty one: %v", err)
	}
	real := d.db
	d.db = &broken{DB: real}
	if _, err := d.EditSummary(ctx, a.ArticleID, a.SummaryID, better, mika); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	d.db = real
	if notes, err := d.opt.Stories.Notes(ctx, a.ref()); err != nil || len(notes) != 0 || only(t, d, "/a").SummaryID != a.SummaryID {
		t.Errorf("half of an edit happened: %+v, %v", notes, err)
	}
	s, err := d.EditSummary(ctx, a.ArticleID, a.SummaryID, better, mika)
	if err != nil || s.Number != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	read, err := d.ReadArticle(ctx, a.ArticleID, rights.Readers)
	if err != nil || read.Summary == nil || read.Summary.SummaryText != better || read.Summary.Disclaimer != DisclaimerEdited {
		t.Errorf("readers see %+v, %v", read.Summary, err)
	}
	if p := read.Provenance(); p.Reviewer != "mika" || !p.Edited || p.Model == "" || p.Version != 2 {
		t.Errorf("provenance %+v", p)
	}
	if err := d.SummariseArticle(ctx, a.ArticleID); err != nil || asked != 1 || only(t, d, "/a").SummaryID != s.SummaryID {
		t.Errorf("the machine was asked %d times about what a person edited: %v", asked, err)
	}
	if err := d.Withdraw(ctx, a.ArticleID, mika); err != nil {
		t.Fatal(err)
	}
	var gone *story.GoneError
	for _, to := range []rights.Audience{rights.Readers, rights.Staff} {
		if _, err := d.ReadArticle(ctx, a.ArticleID, to); !errors.As(err, &gone) || gone.Reason != mika.Reason {
			t.Errorf("%v read what was withdrawn: %v", to, err)
		}
	}
	shown, err := d.Show(ctx, []Article{only(t, d, "/a")}, rights.Readers)
	if visible, err2 := d.Visible(ctx, []Article{only(t, d, "/a")}); err != nil || err2 != nil || len(shown)+len(visible) != 0 {
		t.Errorf("lists have %d and %d of what was withdrawn, %v, %v", len(shown), len(visible), err, err2)
	}
	crawlNow(t, d, "site")
	notes, err := d.opt.Stories.Notes(ctx, a.ref())
	if err != nil || len(notes) != 2 || notes[0].What != story.Corrected || notes[1].What != story.Withdrawn {
		t.Errorf("notes %+v, %v", notes, err)
	}
	if err := d.Restore(ctx, a.ArticleID, story.Word{By: "jun", Reason: "it was right after all"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ReadArticle(ctx, a.ArticleID, rights.Readers); err != nil {
		t.Errorf("restored: %v", err)
	}
}
