package minutes

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/llm"
)

var mika = story.Word{By: "mika", Reason: "the sum was wrong"}

// A person's edit is a new revision with a name and a reason, and the machine does not
// write over it.
func TestEdit(t *testing.T) {
	d := newDesk(t, llm.Validated(honest()), Options{})
	ctx := t.Context()
	m := sample(1, "2026-11-02", 4, 3)
	take(t, d, m)
	work(t, d)
	full, err := d.GetFull(ctx, m.IssueID)
	noErr(t, err)
	if p := full.Provenance; p.Model == "" || p.Prompt == "" || p.Made != full.UpdatedAt || p.Reviewer != "" || !strings.HasSuffix(p.Digital(), "/trainedAlgorithmicMedia") {
		t.Errorf("provenance of a machine's article: %+v", p)
	}
	point := "dialogs[1].summary_sections[0].bullets[0].point"
	for name, refused := range map[string]struct {
		texts map[string]string
		word  story.Word
		kind  errs.Kind
	}{
		"no reason":    {map[string]string{"title": "新しい題"}, story.Word{By: "mika"}, errs.Invalid},
		"no place":     {map[string]string{"dialogs[1].original_text": "言っていない。"}, mika, errs.Invalid},
		"no title":     {map[string]string{"title": " "}, mika, errs.Invalid},
		"no change":    {map[string]string{"title": full.Title}, mika, errs.Invalid},
		"contradicted": {map[string]string{point: "自転車道の整備に900億円を要すると述べた。"}, mika, errs.Invalid},
	} {
		if _, err := d.Edit(ctx, m.IssueID, full.Version, refused.texts, refused.word); err == nil || errs.KindOf(err) != refused.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Edit(ctx, m.IssueID, full.Version+1, map[string]string{"title": "新しい題"}, mika); errs.KindOf(err) != errs.Stale {
		t.Errorf("another version: %v", err)
	}
	was := d.ownAsset(&full.Article)
	_, err = d.Edit(ctx, m.IssueID, full.Version, map[string]string{"title": "新しい題", "key_points[0]": "", point: "自転車道の整備に2億円を要すると述べた。"}, mika)
	noErr(t, err)
	edited, err := d.GetFull(ctx, m.IssueID)
	noErr(t, err)
	if edited.Title != "新しい題" || len(edited.Asset.KeyPoints) != len(full.Asset.KeyPoints)-1 || edited.Asset.Dialogs[1].Sections[0].Bullets[0].Point != "自転車道の整備に2億円を要すると述べた。" {
		t.Errorf("edited: %s", asJSON(edited))
	}
	counted, articles, err := d.In("").SharesOfMonth(ctx, "2026-11")
	noErr(t, err)
	if diff := cmp.Diff(edited.Shares(), edited.Article.Shares); diff != "" || cmp.Equal(full.Article.Shares, edited.Article.Shares) || articles != 1 || !cmp.Equal(counted, edited.Shares()) {
		t.Errorf("shares %+v of %d articles, of which the article keeps %+v: %s", counted, articles, edited.Article.Shares, diff)
	}
	if p := edited.Provenance; p.Reviewer != "mika" || p.Version != edited.Version || !p.Edited || p.Model != full.Provenance.Model {
		t.Errorf("provenance of an edited article: %+v", p)
	}
	notes, err := d.o.Stories.Notes(ctx, refOf(m.IssueID))
	noErr(t, err)
	if len(notes) != 1 || notes[0].By != "mika" || notes[0].Reason != mika.Reason || notes[0].What != story.Corrected {
		t.Errorf("notes: %+v", notes)
	}
	page, err := d.Articles(ctx, Filter{House: m.House}, PageOptions{})
	noErr(t, err)
	if len(page.Items) != 1 || page.Items[0].Title != "新しい題" {
		t.Errorf("the list has %s", asJSON(page.Items))
	}
	if _, err := d.Asset(ctx, was); !errors.Is(err, errs.NotFound) {
		t.Errorf("the text before is still served: %v", err)
	}

	// The machine's next version waits for a person.
	noErr(t, d.Requeue(ctx, m.IssueID, true))
	if r := work(t, d); r.Review != 1 {
		t.Errorf("the machine's next version: %+v", r)
	}
	if now, err := d.GetArticle(ctx, m.IssueID); err != nil || now.Title != "新しい題" {
		t.Errorf("the machine wrote over a person's text: %q, %v", now.Title, err)
	}
	noErr(t, d.PublishReviewed(ctx, m.IssueID, "jun"))
	if now, err := d.GetArticle(ctx, m.IssueID); err != nil || now.Title != full.Title || now.Provenance.Reviewer != "jun" || now.Provenance.Edited {
		t.Errorf("approved: %q %+v, %v", now.Title, now.Provenance, err)
	}
}

// What a person withdrew is gone from all lists and objects, says why, and comes back
// by a person alone.
func TestWithdraw(t *testing.T) {
	d := newDesk(t, llm.Validated(honest()), Options{})
	ctx := t.Context()
	m := sample(1, "2026-11-02", 4, 3)
	take(t, d, m)
	work(t, d)
	full, err := d.GetFull(ctx, m.IssueID)
	noErr(t, err)
	if err := d.Withdraw(ctx, m.IssueID, story.Word{By: "mika"}); errs.KindOf(err) != errs.Invalid {
		t.Errorf("without a reason: %v", err)
	}
	if err := d.Withdraw(ctx, "none", mika); errs.KindOf(err) != errs.NotFound {
		t.Errorf("what never was: %v", err)
	}
	noErr(t, d.Withdraw(ctx, m.IssueID, mika))
	noErr(t, d.Withdraw(ctx, m.IssueID, mika)) // again does no harm
	checkRows(t, d)
	var gone *story.GoneError
	if _, err := d.GetFull(ctx, m.IssueID); !errors.As(err, &gone) || gone.Reason != mika.Reason || errs.KindOf(err) != errs.Gone {
		t.Errorf("withdrawn: %v", err)
	}
	if _, err := d.objects.read(ctx, url(d.objects.assets.Name, d.ownAsset(&full.Article))); !errors.Is(err, errNoObject) {
		t.Errorf("its asset is still there: %v", err)
	}
	noErr(t, d.TakeOver(ctx, m.IssueID))
	noErr(t, d.Requeue(ctx, m.IssueID, true))
	if r := work(t, d); r.Review != 1 {
		t.Errorf("the machine tells it again: %+v", r)
	}
	if _, err := d.GetArticle(ctx, m.IssueID); !errors.Is(err, errs.NotFound) {
		t.Errorf("the machine brought it back: %v", err)
	}
	noErr(t, d.PublishReviewed(ctx, m.IssueID, "jun"))
	if _, err := d.GetFull(ctx, m.IssueID); err != nil {
		t.Errorf("a person could not bring it back: %v", err)
	}
}

// An edit or a withdrawal that dies at any of its writes has happened with its note, its
// event and all lists, or not at all.
func TestEditDiesAtAnyWrite(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*Desk, *Article) error{
		"edit": func(d *Desk, a *Article) error {
			_, err := d.Edit(t.Context(), a.ID, a.Version, map[string]string{"title": "新"}, mika)
			return err
		},
		"withdraw": func(d *Desk, a *Article) error { return d.Withdraw(t.Context(), a.ID, mika) },
	} {
		for _, entries := range []int{5, 110} { // in one transaction, and staged
			t.Run(fmt.Sprint(name, " ", entries), func(t *testing.T) {
				t.Parallel()
				for writes, dead := int64(0), true; dead; writes++ {
					dead = changeDiesAt(t, writes, entries, do)
				}
			})
		}
	}
}

func changeDiesAt(t *testing.T, writes int64, entries int, do func(*Desk, *Article) error) (dead bool) {
	now := newClock()
	d := newDesk(t, nil, Options{Now: now.now})
	ctx := t.Context()
	old := wide("旧", "2026-11-01", 0, entries)
	noErr(t, d.objects.put(ctx, old.AssetURL, Asset{}))
	noErr(t, d.save(ctx, old, saving{}))
	mortal := &dying{DB: d.db}
	mortal.left.Store(writes)
	stories, err := story.New(mortal, &story.Options{Now: now.now})
	noErr(t, err)
	d2, err := New(mortal, d.objects.client, nil, &Options{Now: now.now, Stories: stories})
	noErr(t, err)
	err = do(d2, old)
	if dead = err != nil; dead && !errors.Is(err, errDied) {
		t.Fatalf("after %d writes: %v", writes, err)
	}
	next := copied(old)
	next.Title = "新"
	check := func(when string) {
		t.Helper()
		notes, err := d.o.Stories.Notes(ctx, refOf(old.ID))
		noErr(t, err)
		cards, err := d.o.Stories.Get(ctx, refOf(old.ID))
		noErr(t, err)
		want := expected(old)
		switch {
		case len(notes) == 0 && dead:
		case len(notes) == 1 && notes[0].What == story.Withdrawn && len(cards) == 0:
			want = expected(nil)
		case len(notes) == 1 && notes[0].What == story.Corrected && len(cards) == 1 && cards[0].Title == "新":
			want = expected(next)
		default:
			t.Fatalf("died after %d writes, %s: notes %+v, cards %+v", writes, when, notes, cards)
		}
		if got := seen(t, d, old); !cmp.Equal(got, want) {
			t.Fatalf("died after %d writes, %s: notes %+v, and %s", writes, when, notes, cmp.Diff(want, got))
		}
	}
	check("before recovery")
	now.t = now.t.Add(time.Hour)
	_, err = d.Recover(ctx)
	noErr(t, err)
	check("after recovery")
	return dead
}
