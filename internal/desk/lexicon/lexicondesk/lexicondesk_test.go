package lexicondesk

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk"
	"pressroom/internal/desk/desktest"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model/modeltest"
)

var quiet = slog.New(slog.DiscardHandler)

// A term is a story once it is in the lexicon; a proposal is not, whatever
// becomes of it short of that.
func TestShelf(t *testing.T) {
	s := modeltest.OpenStores(t, nil, lexicon.Schema, story.Schema)
	s.Embedded(t, "it reads the stream of the engine")
	ctx := t.Context()
	stories, err := story.New(s.Tables, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := lexicon.New(s.Tables, nil, &lexicon.Options{Stories: stories, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	shelf := d.Shelf()
	term := &lexicon.Term{
		Term: "エモい", Gloss: "stirring", Glosses: map[string]string{"en": "stirring", "ja": "心が動かされるさま"}, Variants: []string{"えもい"},
		Examples: []string{"夕日がエモい"}, Categories: []string{"emotion"}, Tags: []string{"feeling", "emotion"}, Confidence: 1, Momentum: 1, Language: "ja",
	}
	if err := d.SaveTerm(ctx, term); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Member(ctx, "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SetTier(ctx, "ann", lexicon.Premium); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Submit(ctx, "ann", lexicon.Draft{Term: "zorp", Meaning: "good", Example: "so zorp"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"エモい"}, desktest.All(t, shelf)); diff != "" {
		t.Error(diff)
	}
	// A submission is looked at too: another program may have written it.
	if diff := cmp.Diff([]string{"zorp", "エモい"}, desktest.Affected(t, s.DB, shelf)); diff != "" {
		t.Errorf("changes concern: %s", diff)
	}
	found, err := shelf.Load(ctx, "エモい")
	if err != nil {
		t.Fatal(err)
	}
	want := story.Text{Names: []story.Name{{Kind: "term", Name: "エモい", Path: "/lexicon/terms/%E3%82%A8%E3%83%A2%E3%81%84", Aliases: []string{"えもい"}, Note: "stirring"}}, Body: "えもい\nstirring\n心が動かされるさま\n夕日がエモい", Passages: []story.Passage{{ID: "example-1", Path: "/lexicon/terms/%E3%82%A8%E3%83%A2%E3%81%84", Text: "夕日がエモい"}}, Story: story.Story{
		Ref: story.Ref{Desk: "lexicon", ID: "エモい"}, Kind: "term", Language: "ja", Title: "エモい", Summary: "stirring", Section: "emotion",
		Summaries: map[string]string{"en": "stirring", "ja": "心が動かされるさま"},
		Subjects:  []story.Subject{{Kind: "term", Name: "エモい"}},
		Topics:    []string{"emotion", "feeling"}, Path: "/lexicon/terms/%E3%82%A8%E3%83%A2%E3%81%84", Published: found.Published, Digest: found.Digest,
	}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	storytest.Told(t, stories, shelf)
	desktest.Hidden(t, shelf, "zorp")
	for id := range shelf.Affected(ctx, "LexiconTable", types.Record{}) {
		t.Errorf("a change of nothing concerns %v", id)
	}
	if err := d.DeleteTerm(ctx, "エモい"); err != nil {
		t.Fatal(err)
	}
	storytest.Told(t, stories, shelf)
}

func TestSubmissions(t *testing.T) {
	s := modeltest.OpenStores(t, nil, lexicon.Schema)
	words, err := lexicon.New(desktest.NoScans{DB: s.Tables}, nil, &lexicon.Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := words.Member(t.Context(), "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := words.SetTier(t.Context(), "ann", lexicon.Premium); err != nil {
		t.Fatal(err)
	}
	if _, err := words.Submit(t.Context(), "ann", lexicon.Draft{Term: "zorp", Meaning: "good", Example: "so zorp"}); err != nil {
		t.Fatal(err)
	}
	if _, q := desktest.Queue(t, submissions(words), "lexicon validation"); q.Items["waiting"] != 1 || q.Oldest.IsZero() {
		t.Errorf("one proposal waits: %+v", q)
	}
}

// What the server does by itself: it judges proposals and counts days, and writes
// what was counted in memory before its store closes.
func TestJobs(t *testing.T) {
	st := modeltest.OpenStores(t, nil, lexicon.Schema, ops.Schema)
	var passed atomic.Int64
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 0, int(passed.Load()), 0, time.UTC) }
	d, err := lexicon.New(st.Tables, nil, &lexicon.Options{Log: quiet, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := d.SaveTerm(ctx, &lexicon.Term{Term: "rizz", Gloss: "charm", Confidence: 1, Momentum: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Member(ctx, "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SetTier(ctx, "ann", lexicon.Premium); err != nil {
		t.Fatal(err)
	}
	s, err := d.Submit(ctx, "ann", lexicon.Draft{Term: "zorp", Meaning: "good", Example: "so zorp"})
	if err != nil {
		t.Fatal(err)
	}

	d.CountSearch("rizz")
	counting, cancel := context.WithCancel(ctx)
	cancel()
	d.KeepCounts(counting)
	passed.Store(24 * 60 * 60)

	scheduler, err := ops.New(st.Tables, &ops.Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	all := jobs(d)
	if err := scheduler.Add(all...); err != nil {
		t.Fatal(err)
	}
	for _, job := range all {
		if err := job.Run(ctx, &ops.Progress{}); err != nil {
			t.Fatalf("%s: %v", job.Name, err)
		}
	}
	if s, err = d.Submission(ctx, s.ID); err != nil || s.Status != lexicon.Validated {
		t.Errorf("the proposal is %s, %v", s.Status, err)
	}
	if page, err := d.Trending(ctx, lexicon.PageOptions{}); err != nil || len(page.Items) != 1 || page.Items[0].Slug != "rizz" {
		t.Errorf("trending: %+v, %v", page, err)
	}
	if _, err := build(ctx, &desk.Room{Settings: &Settings{LexiconTimeZone: "Mars"}}); err == nil || errs.KindOf(err) != errs.Usage {
		t.Errorf("a time zone that is none: %v", err)
	}
}

// A tier's text is its limits, in every part that is set.
func TestTiers(t *testing.T) {
	const free = "translations=3,characters=20,history=true,submissions=1,quiz-questions=5"
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
