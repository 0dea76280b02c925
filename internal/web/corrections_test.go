package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
)

var mika = story.Word{By: "Mika <b>", Reason: "The budget was 3 million, <i>not</i> 30."}

// What people correct and withdraw is on the page and in the feeds with the next
// request, and of what is gone no word is left.
func TestCorrections(t *testing.T) {
	s := webtest.Open(t)
	a := mount(t, s, "a", 1)
	if text := s.Get(t, auth.Everyone, "/corrections").Text(".empty h2"); text != "No corrections yet" {
		t.Errorf("an empty list says %q", text)
	}
	title := a.add(time.Now(), "en")
	a.Correct(t, story.Text{Story: story.Story{Ref: story.Ref{ID: "0"}, Title: title + " again"}}, mika)
	page := s.Get(t, auth.Everyone, "/corrections").Want(http.StatusOK)
	if page.Count(".corrections > li") != 1 || page.Text(".corrections h2") != title+" again" || !strings.Contains(page.Text(".corrections"), mika.Reason) || !strings.Contains(page.Text(".corrections"), mika.By) {
		t.Errorf("the list is %q", page.Text(".corrections"))
	}
	for _, ending := range []string{"atom", "json"} {
		if feed := s.Get(t, auth.Everyone, "/corrections/feed."+ending).Want(http.StatusOK); !strings.Contains(feed.Body, "The budget was 3 million") || !strings.Contains(feed.Body, title+" again") {
			t.Errorf("the feed is %s", feed.Body)
		}
	}
	a.Retract(t, "0", story.Word{By: "Jun", Reason: "None of it happened."})
	for _, path := range []string{"/corrections", "/corrections?lang=ja", "/corrections/feed.atom", "/corrections/feed.json"} {
		got := s.Get(t, auth.Everyone, path).Want(http.StatusOK).Body
		if strings.Contains(got, ">"+title) || strings.Contains(got, title+" again") || strings.Contains(got, "3 million") || !strings.Contains(got, "None of it happened.") {
			t.Errorf("%s has of what was withdrawn: %s", path, got)
		}
	}
	gone := s.Get(t, auth.Everyone, "/report?desk=a&id=0").Want(http.StatusGone)
	if text := gone.Text(".failure"); !strings.Contains(text, "None of it happened.") || !strings.Contains(text, "Jun") || strings.Contains(gone.Body, title+" again") {
		t.Errorf("the page of what was withdrawn says %q", text)
	}
	if text := s.Get(t, auth.Everyone, "/report?desk=a&id=0&lang=ja").Text("h1"); text != "取り下げられました" {
		t.Errorf("in Japanese it says %q", text)
	}
	s.Get(t, auth.Everyone, "/corrections?cursor=x").Want(http.StatusBadRequest)
}

// Pages of a story say how its text came about, in words and for programs.
func TestStanding(t *testing.T) {
	s := webtest.Open(t)
	a := mount(t, s, "a", 1)
	a.add(time.Now(), "en")
	a.Correct(t, story.Text{Story: story.Story{Ref: story.Ref{ID: "0"}, Title: "Bridge </script><script>x", Language: "en", Provenance: story.Provenance{
		Model: "openai/gpt-5", Prompt: "7", Made: "2026-11-15T09:00:00.000Z", Reviewer: "Mika", Reviewed: "2026-11-16T09:00:00.000Z", Version: 2,
	}}}, mika)
	for name, want := range map[string]struct {
		p       story.Provenance
		digital string
	}{
		"model":      {story.Provenance{Model: "m"}, "trainedAlgorithmicMedia"},
		"extractive": {story.Provenance{Model: "builtin", Extractive: true}, "algorithmicMedia"},
		"edited":     {story.Provenance{Model: "m", Edited: true}, "compositeWithTrainedAlgorithmicMedia"},
		"person":     {story.Provenance{Author: "Mika"}, ""},
	} {
		if got := want.p.Digital(); want.digital == "" && got != "" || !strings.HasSuffix(got, want.digital) {
			t.Errorf("%s: %s", name, got)
		}
	}
	views, err := s.Templates(fstest.MapFS{"one.html": {Data: []byte(`<h1>One</h1>{{template "corrected" .Standing}}{{template "standing" .Standing}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	s.Site.Get("/a/0", auth.Everyone, func(w http.ResponseWriter, r *http.Request) error {
		standing, err := s.Standing(r, story.Ref{Desk: "a", ID: "0"})
		if err != nil {
			return err
		}
		return s.Render(w, r, views, "one", web.Page{Title: "One", Standing: standing})
	})
	page := s.Get(t, auth.Everyone, "/a/0").Want(http.StatusOK)
	var ld map[string]any
	if err := json.Unmarshal([]byte(page.Doc.Find(`script[type="application/ld+json"]`).Text()), &ld); err != nil {
		t.Fatalf("%v in %s", err, page.Body)
	}
	if ld["digitalSourceType"] != "https://schema.org/TrainedAlgorithmicMediaDigitalSource" || ld["headline"] != "Bridge </script><script>x" ||
		ld["editor"].(map[string]any)["name"] != "Mika" || len(ld["correction"].([]any)) != 1 {
		t.Errorf("linked data %v", ld)
	}
	if got := page.Attr(`meta[property="iptcExt:DigitalSourceType"]`, "content"); got != "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia" {
		t.Errorf("the meta element says %q", got)
	}
	if text := page.Text(".standing"); strings.Contains(text, "<") || page.Attr(".standing time", "datetime") == "" {
		t.Errorf("a date is no element: %s", text)
	}
	if text := page.Text(".standing"); !strings.Contains(text, "openai/gpt-5") || !strings.Contains(text, "Mika reviewed version 2") || !strings.Contains(text, "Version of the prompt: 7") {
		t.Errorf("the page says %q", text)
	}
	if text := page.Text(".correction"); !strings.Contains(text, mika.Reason) {
		t.Errorf("the correction says %q", text)
	}
}

// Anyone may report a mistake, without an account and without JavaScript, as often as
// the limits let them, and no reader sees it.
func TestReport(t *testing.T) {
	s := webtest.Open(t)
	a := mount(t, s, "a", 1)
	a.add(time.Now(), "en")
	s.Get(t, auth.Everyone, "/report").Want(http.StatusNotFound)
	s.Get(t, auth.Everyone, "/report?desk=a&id=9").Want(http.StatusNotFound)
	form := s.Get(t, auth.Everyone, "/report?desk=a&id=0").Want(http.StatusOK)
	if form.Count("form textarea[maxlength='1000']") != 1 || form.Attr(`input[name="id"]`, "value") != "0" {
		t.Errorf("the form is %s", form.Body)
	}
	send := func(text string) *webtest.Reply {
		return s.Post(t, auth.Everyone, "/report", url.Values{"desk": {"a"}, "id": {"0"}, "text": {text}})
	}
	if long := send(strings.Repeat("x", 1001)).Want(http.StatusUnprocessableEntity); long.Text(".wrong") == "" {
		t.Error("a long text is not told what is wrong")
	}
	send("<script>alert(1)</script> It is wrong.").Want(http.StatusSeeOther)
	send("<script>alert(1)</script>  it is WRONG").Want(http.StatusSeeOther)
	ref := story.Ref{Desk: "a", ID: "0"}
	r, err := s.Stories.GetReport(t.Context(), ref)
	if err != nil || len(r.Texts) != 1 || r.Texts[0].Count != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	var last *webtest.Reply
	for i := range 5 {
		last = send(fmt.Sprint("Again ", i))
	}
	if last.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the eighth report of one address is answered with %d", last.StatusCode)
	}
	for _, path := range []string{"/", "/corrections", "/feed.atom", "/report?desk=a&id=0"} {
		if got := s.Get(t, auth.Everyone, path).Body; strings.Contains(got, "It is wrong") {
			t.Errorf("%s shows what a reader reported", path)
		}
	}
	if errs.KindOf(s.Stories.SettleReport(t.Context(), ref, 0)) != errs.Stale {
		t.Error("settled unread")
	}
}
