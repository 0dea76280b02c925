package blogdesk

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/desktest"
	"pressroom/internal/errs"
	"pressroom/internal/review"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
	"pressroom/model/modeltest"
)

var quiet = slog.New(slog.DiscardHandler)

// Only a published post is a story; that its state changed, or anything
// else of it, is a change that concerns it.
func TestShelf(t *testing.T) {
	s := modeltest.OpenStores(t, nil, blog.Schema, story.Schema)
	s.Embedded(t, "it reads the stream of the engine")
	ctx := t.Context()
	stories, err := story.New(s.Tables, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := blog.New(s.Tables, s.Objects, &blog.Options{Stories: stories, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	shelf := d.Shelf()
	write := func(title string) blog.Post {
		p, err := d.Create(ctx, blog.Content{
			Facts: blog.Facts{Title: title, Summary: "about " + title, Author: "Ann"}, Tags: []string{"旅行", "Kyoto"},
			Blocks: []blog.Block{{Type: blog.Text, Layout: blog.Full, Content: "寺を**訪れた**。"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	began := time.Now().Truncate(time.Millisecond) // as times are kept
	draft, open, archived := write("draft"), write("秋の京都で"), write("archived")
	for _, p := range []blog.Post{open, archived} {
		if _, err := d.Publish(ctx, p.ID, blog.AnyVersion); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Archive(ctx, archived.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{open.ID}, desktest.All(t, shelf)); diff != "" {
		t.Errorf("in the catalogue: %s", diff)
	}
	found, err := shelf.Load(ctx, open.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := story.Text{Body: "寺を訪れた。\nAnn", Passages: []story.Passage{{ID: "1", Path: "/blog/posts/" + open.ID, Text: "寺を訪れた。"}}, Story: story.Story{
		Ref: story.Ref{Desk: "blog", ID: open.ID}, Kind: "post", Language: "ja", Title: "秋の京都で", Summary: "about 秋の京都で",
		Topics: []string{"旅行", "Kyoto"}, Path: "/blog/posts/" + open.ID, Provenance: story.Provenance{Author: "Ann"},
	}}
	if at, err := model.ParseTime(found.Published); err != nil || at.Before(began) || at.After(time.Now()) || found.Updated != found.Published || found.Digest == "" {
		t.Errorf("its dates are %s and %s, %v", found.Published, found.Updated, err)
	}
	found.Published, found.Updated, found.Digest = "", "", ""
	storytest.Told(t, stories, shelf)
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	desktest.Hidden(t, shelf, draft.ID, archived.ID, "nothing")
	ids := []string{draft.ID, open.ID, archived.ID}
	if slices.Sort(ids); !slices.Equal(ids, desktest.Affected(t, s.DB, shelf)) {
		t.Errorf("changes concern %v, want %v", desktest.Affected(t, s.DB, shelf), ids)
	}
	if _, err := d.Unpublish(ctx, open.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	desktest.Hidden(t, shelf, open.ID)
	storytest.Told(t, stories, shelf)
}

// Readers' messages wait for somebody.
func TestInbox(t *testing.T) {
	s := modeltest.OpenStores(t, nil, blog.Schema)
	posts, err := blog.New(desktest.NoScans{DB: s.Tables}, s.Objects, &blog.Options{Log: quiet, Secret: []byte("0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	if err := posts.Public().Send(t.Context(), "visitor", blog.NewMessage{Name: "Ben", Email: "ben@example.org", Subject: "Hello", Body: "I like it."}); err != nil {
		t.Fatal(err)
	}
	if _, q := desktest.Queue(t, inbox(posts), "blog inbox"); q.Items["waiting"] != 1 || q.Oldest.IsZero() {
		t.Errorf("one message waits: %+v", q)
	}
}

// A post that its author wants published waits at the review desk, where it is approved
// as it was seen, edited, or sent back with a word.
func TestReview(t *testing.T) {
	s := modeltest.OpenStores(t, nil, blog.Schema, story.Schema)
	stories, err := story.New(s.Tables, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := blog.New(s.Tables, s.Objects, &blog.Options{Stories: stories, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	board := &review.Board{Stories: stories, Queues: []review.Queue{proposed(d)}}
	ctx := t.Context()
	ask := func(title string) blog.Post {
		p, err := d.Create(ctx, blog.Content{Facts: blog.Facts{Title: title, Summary: "S"}, Blocks: []blog.Block{{Type: blog.Text, Content: "words"}}})
		if err == nil {
			err = d.Propose(ctx, p.ID, "Please.")
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	decide := func(p blog.Post, verb review.Verb, texts map[string]string) {
		t.Helper()
		item, err := board.Get(ctx, "blog", p.ID)
		if err == nil {
			err = board.Decide(ctx, "blog", p.ID, review.Decision{Verb: verb, By: "Ed", Reason: "Not yet.", Seen: item.Seen, Texts: texts})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	good, fair, bad := ask("Good"), ask("Fair"), ask("Bad")
	if list, err := board.List(ctx, ""); err != nil || len(list) != 3 || list[0].Title != "Good" {
		t.Fatalf("waiting: %+v %v", list, err)
	}
	if err := board.Decide(ctx, "blog", good.ID, review.Decision{Verb: review.Approve, Seen: "7"}); !errors.Is(err, errs.Stale) {
		t.Errorf("approving what was not seen: %v", err)
	}
	decide(good, review.Approve, nil)
	decide(fair, review.Edit, map[string]string{"title": "Fairer", "blocks[0]": "better words"})
	decide(bad, review.Back, nil)
	for p, want := range map[*blog.Post]string{&good: "published Good words", &fair: "published Fairer better words", &bad: "draft Bad words"} {
		now, err := d.Get(ctx, p.ID)
		if got := string(now.Status) + " " + now.Title + " " + now.Blocks[0].Content; err != nil || got != want {
			t.Errorf("%s, not %s: %v", got, want, err)
		}
	}
	if list, err := board.List(ctx, "blog"); err != nil || len(list) != 0 {
		t.Errorf("left: %+v %v", list, err)
	}
	if said, err := d.Comments(ctx, bad.ID, blog.PageOptions{}); err != nil || len(said.Items) != 1 || said.Items[0].Text != "Not yet." {
		t.Errorf("said: %+v %v", said.Items, err)
	}
}
