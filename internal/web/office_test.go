package web_test

import (
	"context"
	"net/url"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
)

// The first run is told by looking: what is done folds, and all of it can be put away.
func TestFirstSteps(t *testing.T) {
	s := webtest.Open(t)
	done := false
	s.Step(web.Step{Key: "site", Path: "/office/newswire/add", Order: 15, Done: func(context.Context) (bool, error) { return done, nil }})
	todo := func(lang string) []string {
		var all []string
		for _, n := range s.Get(t, auth.Operator, "/office?lang="+lang).Want(200).Doc.Find(".steps ol h3").EachIter() {
			all = append(all, n.Text())
		}
		return all
	}
	want := func(want ...string) {
		t.Helper()
		if got := todo("en"); len(got) != len(want) {
			t.Errorf("to do: %q, want %q", got, want)
		} else {
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("to do: %q, want %q", got, want)
				}
			}
		}
	}
	want("Name the paper", "Add the first site", "Invite people")
	if got := todo("ja"); len(got) != 3 || got[0] != "新聞に名前を付ける" {
		t.Errorf("in Japanese: %q", got)
	}
	// An empty front page leads operators here, and nobody else.
	if path := s.Get(t, auth.Operator, "/").Want(200).Attr(".empty a", "href"); path != "/office" {
		t.Errorf("the empty page leads to %q", path)
	}
	if s.Get(t, auth.Everyone, "/").Want(200).Count(".empty a") != 0 {
		t.Error("the empty page leads readers into the office")
	}
	savePaper(t, s, paperOf(nil), nil).Want(303)
	want("Add the first site", "Invite people")
	done = true
	want("Invite people")
	for _, name := range []string{"ann", "ben"} {
		if _, err := s.Auth.Add(t.Context(), auth.NewAccount{Name: name, Password: secret, Role: auth.Author}); err != nil {
			t.Fatal(err)
		}
	}
	want()
	got := s.Get(t, auth.Operator, "/office").Want(200)
	if got.Count(".steps details li a") != 3 || got.Count(".steps details[open]") != 0 {
		t.Error("what is done is not folded away")
	}
	if s.Get(t, auth.Author, "/office").Want(200).Count(".steps") != 0 {
		t.Error("an author sees the operator's steps")
	}
	for away, count := range map[string]int{"true": 0, "false": 1} {
		s.Post(t, auth.Operator, "/office/steps", url.Values{"away": {away}}).Want(303)
		if got := s.Get(t, auth.Operator, "/office").Want(200); got.Count(".steps") != count || got.Text(".nameplate") != "The Harbour Post" {
			t.Errorf("away=%s: %d times the steps", away, got.Count(".steps"))
		}
	}
}
