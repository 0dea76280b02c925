package cli

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/lexicon"
	"pressroom/internal/ops"
)

// What the server does by itself: it judges proposals and counts days, and writes
// what was counted in memory before its store closes.
func TestLexiconJobs(t *testing.T) {
	set := testSettings(t)
	set.Data = t.TempDir()
	st, err := openStore(set.storeSettings, set.endpointSettings, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := prepareStore(t.Context(), set, st); err != nil {
		t.Fatal(err)
	}
	var passed atomic.Int64
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 0, int(passed.Load()), 0, time.UTC) }
	desk, err := lexicon.New(st.tables, nil, &lexicon.Options{Log: quiet, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := desk.SaveTerm(ctx, &lexicon.Term{Term: "rizz", Gloss: "charm", Confidence: 1, Momentum: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Member(ctx, "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.SetTier(ctx, "ann", lexicon.Premium); err != nil {
		t.Fatal(err)
	}
	s, err := desk.Submit(ctx, "ann", lexicon.Draft{Term: "zorp", Meaning: "good", Example: "so zorp"})
	if err != nil {
		t.Fatal(err)
	}

	desk.CountSearch("rizz")
	counting, cancel := context.WithCancel(ctx)
	cancel()
	desk.KeepCounts(counting)
	passed.Store(24 * 60 * 60)

	scheduler, err := ops.New(st.tables, &ops.Options{Table: set.OperationsTable, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	jobs := lexiconJobs(desk)
	if err := scheduler.Add(jobs...); err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		if err := job.Run(ctx, &ops.Progress{}); err != nil {
			t.Fatalf("%s: %v", job.Name, err)
		}
	}
	if s, err = desk.Submission(ctx, s.ID); err != nil || s.Status != lexicon.Validated {
		t.Errorf("the proposal is %s, %v", s.Status, err)
	}
	if page, err := desk.Trending(ctx, lexicon.PageRequest{}); err != nil || len(page.Items) != 1 || page.Items[0].Slug != "rizz" {
		t.Errorf("trending: %+v, %v", page, err)
	}
	if _, err := (&lexiconDeskSettings{LexiconTimeZone: "Mars"}).lexiconZone(); err == nil || errs.KindOf(err) != errs.Usage {
		t.Errorf("a time zone that is none: %v", err)
	}
}

// The limits of the tiers are settings, in every part that is set.
func TestLexiconTiers(t *testing.T) {
	set := testSettings(t)
	if diff := cmp.Diff(lexicon.DefaultTiers(), set.tiers()); diff != "" {
		t.Errorf("by default:\n%s", diff)
	}
	const free = "translations=3,characters=20,history=true,submissions=1,quiz-questions=5"
	rows, _ := settingsOf(t, []string{"PRESSROOM_LEXICON_FREE=" + free})
	if got := rows["lexicon-free"]; got.Value != free || got.Source != "environment" {
		t.Errorf("shown as %+v", got)
	}
	var l tierLimits
	if err := l.UnmarshalText([]byte(free)); err != nil || lexicon.Limits(l) != (lexicon.Limits{Translations: 3, Characters: 20, History: true, Submissions: 1, QuizQuestions: 5}) {
		t.Errorf("%+v, %v", l, err)
	}
	for _, text := range []string{"", "translations", "translations=-1", "translations=many", "history=perhaps", "apples=3"} {
		if err := l.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken as %s", text, l)
		}
	}
}
