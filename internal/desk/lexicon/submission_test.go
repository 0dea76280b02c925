package lexicon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/model"
)

func TestSubmitErrors(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	ann := f.user("ann", Premium)
	good := Draft{Term: "skibidi", Meaning: "nonsense", Example: "so skibidi"}
	tests := []struct {
		name   string
		change func(*Draft)
		want   []string
	}{
		{"empty", func(w *Draft) { *w = Draft{} }, []string{"slang_term", "meaning", "example_usage"}},
		{"long term", func(w *Draft) { w.Term = strings.Repeat("x", 10_000) }, []string{"slang_term"}},
		{"homoglyph", func(w *Draft) { w.Term = "ѕkibidi" }, []string{"slang_term"}},
		{"script", func(w *Draft) { w.Meaning = "x<script src=//e>" }, []string{"meaning"}},
		{"hidden", func(w *Draft) { w.Context = "a\u200Bb" }, []string{"context"}},
		{"long meaning", func(w *Draft) { w.Meaning = strings.Repeat("語", 301) }, []string{"meaning"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := good
			tt.change(&w)
			_, err := f.Submit(ctx, ann, w)
			if diff := cmp.Diff(tt.want, fields(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	_, err := f.Submit(ctx, f.user("bob", Free), good)
	want(t, err, errs.Forbidden)
	_, err = f.Submit(ctx, "nobody", good)
	want(t, err, errs.Forbidden)
	f.term(Term{Term: "Skib-idi"})
	_, err = f.Submit(ctx, ann, good)
	want(t, err, errs.Duplicate)
}

func TestSubmitLimits(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	ann := f.user("ann", Premium)
	for i := range 10 {
		f.propose(ann, fmt.Sprintf("term %c", 'a'+i))
	}
	_, err := f.Submit(ctx, ann, Draft{Term: "one more", Meaning: "m", Example: "e"})
	want(t, err, errs.RateLimited)
	if after, _ := errs.RetryAfter(err); after != 24*time.Hour {
		t.Errorf("to be tried again after %s", after)
	}
	f.clock.advance(24*time.Hour + time.Second)
	f.propose(ann, "one more")
	_, err = f.Submit(ctx, ann, Draft{Term: "Term A", Meaning: "m", Example: "e"})
	want(t, err, errs.Duplicate)
	f.clock.advance(7 * 24 * time.Hour)
	f.propose(ann, "term a")
}

// Of many at once, as many as the limit go through, and of many for one term one.
func TestSubmitTogether(t *testing.T) {
	f := open(t, nil, Options{})
	ann := f.user("ann", Premium)
	n := together(t, 50, []errs.Kind{errs.RateLimited}, func(i int) error {
		_, err := f.Submit(t.Context(), ann, Draft{Term: fmt.Sprintf("word %d", i), Meaning: "m", Example: "e"})
		return err
	})
	if n != 10 {
		t.Errorf("%d of 50 went through, want 10", n)
	}
	page, err := f.SubmissionsOf(t.Context(), ann, PageOptions{Limit: 100})
	if want(t, err, nil); len(page.Items) != 10 {
		t.Errorf("%d submissions are there", len(page.Items))
	}
	for i := range 20 {
		f.user(fmt.Sprint("u", i), Premium)
	}
	n = together(t, 20, []errs.Kind{errs.Duplicate}, func(i int) error {
		_, err := f.Submit(t.Context(), fmt.Sprint("u", i), Draft{Term: "same", Meaning: "m", Example: "e"})
		return err
	})
	if n != 1 {
		t.Errorf("a term was submitted %d times", n)
	}
}

const crowd = 1000

// A thousand people vote at once, each twice; each vote counts once.
func TestVotesTogether(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	ann := f.user("ann", Premium)
	s := f.propose(ann, "rizz")
	_, err := f.Validate(ctx, 10)
	want(t, err, nil)
	for i := range crowd {
		f.user(fmt.Sprint("voter", i), Free)
	}
	n := together(t, 2*crowd, []errs.Kind{errs.Duplicate}, func(i int) error {
		_, err := f.Vote(ctx, fmt.Sprint("voter", i%crowd), s.ID)
		return err
	})
	if n != crowd {
		t.Errorf("%d votes were taken, want %d", n, crowd)
	}
	_, err = f.Vote(ctx, ann, s.ID)
	want(t, err, errs.Forbidden)
	got, err := f.Submission(ctx, s.ID)
	want(t, err, nil)
	if got.Upvotes != crowd || len(got.UpvotedBy) != crowd || got.QueueRank != "0" {
		t.Errorf("%d votes, %d names, rank %s", got.Upvotes, len(got.UpvotedBy), got.QueueRank)
	}
	// The next is counted and not named.
	if _, err = f.Vote(ctx, f.user("late", Free), s.ID); err != nil {
		t.Fatal(err)
	}
	if got, err = f.Submission(ctx, s.ID); err != nil || got.Upvotes != crowd+1 || len(got.UpvotedBy) != crowd {
		t.Errorf("%d votes, %d names, %v", got.Upvotes, len(got.UpvotedBy), err)
	}
	voted, err := f.Voted(ctx, "late", &got)
	if want(t, err, nil); !voted {
		t.Error("the late vote is not there")
	}
	want(t, f.Unvote(ctx, "late", s.ID), nil)
	want(t, f.Unvote(ctx, "late", s.ID), nil)
	if got, err = f.Submission(ctx, s.ID); err != nil || got.Upvotes != crowd {
		t.Errorf("%d votes after one was taken back, %v", got.Upvotes, err)
	}
}

func TestVoteErrors(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	bob := f.user("bob", Free)
	_, err := f.Vote(ctx, bob, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
	want(t, err, errs.NotFound)
	_, err = f.Vote(ctx, bob, "")
	want(t, err, errs.NotFound)
	_, err = f.Vote(ctx, "nobody", s.ID)
	want(t, err, errs.Forbidden)
	_, err = f.SetStatus(ctx, bob, Suspended)
	want(t, err, nil)
	_, err = f.Vote(ctx, bob, s.ID)
	want(t, err, errs.Forbidden)
	_, err = f.SetStatus(ctx, bob, Active)
	want(t, err, nil)
	_, err = f.Reject(ctx, "mod", s.ID, "no")
	want(t, err, nil)
	_, err = f.Vote(ctx, bob, s.ID)
	want(t, err, errs.Conflict)
}

// A vote on what was read before a decision is not counted, nor is one's own.
func TestStaleVote(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	want(t, f.transact(ctx, f.countPiece(&s, "ann")), model.ErrCondition)
	want(t, f.transact(ctx, f.countPiece(&s, "bob")), nil)
	_, err := f.Reject(ctx, "mod", s.ID, "no")
	want(t, err, nil)
	want(t, f.transact(ctx, f.countPiece(&s, "cat")), model.ErrCondition)
}

// Age, votes and confidence make the order; twenty votes are before all.
func TestQueueOrder(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	ann := f.user("ann", Premium)
	ids := map[string]string{}
	for _, term := range []string{"oldest", "liked", "loved", "newest"} {
		ids[f.propose(ann, term).ID] = term
		f.clock.advance(time.Hour)
	}
	_, err := f.Validate(ctx, 10)
	want(t, err, nil)
	for id, term := range ids {
		votes := map[string]int{"liked": 2, "loved": 20}[term]
		for i := range votes {
			_, err := f.Vote(ctx, f.user(fmt.Sprint("v", i), Free), id)
			want(t, err, nil)
		}
	}
	page, err := f.Queue(ctx, PageOptions{})
	want(t, err, nil)
	var got []string
	for _, s := range page.Items {
		got = append(got, s.Term)
		if s.Meaning == "" {
			t.Errorf("%s has no meaning", s.Term)
		}
	}
	if diff := cmp.Diff([]string{"loved", "liked", "oldest", "newest"}, got); diff != "" {
		t.Error(diff)
	}
}
