package search_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/story"
)

// A story whose source does not want to be found is not in the index: not when it
// comes, not when its source changes its mind, and not after the index was made again.
func TestUnfound(t *testing.T) {
	s := newShelf(t)
	put := func(id string, unfound bool) {
		t.Helper()
		s.Put(t, story.Text{Story: story.Story{Ref: story.Ref{ID: id}, Kind: "book", Language: "en", Path: "/" + id, Title: "whale " + id, Unfound: unfound}})
	}
	put("open", false)
	put("shy", true)
	x := openIndex(t, "")
	f := s.feed(x)
	want := func(what string, ids map[string]string) {
		t.Helper()
		s.settle(t, f)
		if diff := cmp.Diff(ids, titles(t, x, "whale")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if _, err := f.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want("made", map[string]string{"open": "whale open"})
	put("new", true)
	want("come", map[string]string{"open": "whale open"})
	put("open", true)
	want("withdrawn from search", map[string]string{})
	put("shy", false)
	want("allowed", map[string]string{"shy": "whale shy"})
	if _, err := f.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want("made again", map[string]string{"shy": "whale shy"})
}
