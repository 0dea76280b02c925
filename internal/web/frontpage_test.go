package web_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/story"
	"pressroom/internal/web/webtest"
)

// editor pins stories through the page, as a browser does.
type editor struct {
	*webtest.Site
	t    *testing.T
	lang string
}

func (e *editor) do(action, desk, id string, more ...string) *webtest.Reply {
	e.t.Helper()
	page := e.Get(e.t, auth.Moderator, "/office/front?language="+e.lang).Want(200)
	form := url.Values{"language": {e.lang}, "version": {page.Attr("input[name=version]", "value")}, "action": {action}, "desk": {desk}, "id": {id}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return e.Post(e.t, auth.Moderator, "/office/front", form)
}

// top are the headlines of the page in a language, and checks that no story is there twice.
func (e *editor) top(lang string) string {
	e.t.Helper()
	got := e.Get(e.t, auth.Everyone, "/?lang="+lang).Want(200)
	all := titles(got)
	if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(all) {
		e.t.Errorf("a story is there twice: %v", all)
	}
	if len(all) != 24 {
		e.t.Errorf("the page has %d stories", len(all))
	}
	return strings.Join(all[:6], " ")
}

func TestEditedFront(t *testing.T) {
	s := webtest.Open(t)
	a, b := mount(t, s, "a", 1), mount(t, s, "b", 2)
	for i := range 20 {
		a.add(webtest.Now.Add(-time.Duration(2*i)*time.Hour), "en")
		b.add(webtest.Now.Add(-time.Duration(2*i+1)*time.Hour), "ja")
	}
	e := &editor{s, t, "en"}
	want := func(lang, want string) {
		t.Helper()
		if got := e.top(lang); got != want {
			t.Errorf("the page in %s leads with %q, want %q", lang, got, want)
		}
	}
	want("en", "a0 a1 a2 b0 b1 b2")
	// Pinned ones lead in their order; automatic below. The other language is as it was.
	e.do("pin", "a", "9").Want(303)
	e.do("pin", "b", "1").Want(303)
	want("en", "a9 b1 a0 a1 a2 b0")
	want("ja", "b0 b1 b2 a0 a1 a2")
	e.do("up", "b", "1").Want(303)
	want("en", "b1 a9 a0 a1 a2 b0")
	e.do("down", "b", "1").Want(303)
	want("en", "a9 b1 a0 a1 a2 b0")
	if next := s.Get(t, auth.Everyone, s.Get(t, auth.Everyone, "/?lang=en").Attr("a[rel=next]", "href")).Want(200); slices.Contains(titles(next), "a9") || slices.Contains(titles(next), "b1") {
		t.Error("a pinned story comes again on the second page")
	}
	// What is withdrawn is gone with the next request, and its place falls to the next.
	a.TakeBack(t, "9")
	want("en", "b1 a0 a1 a2 b0 b2")
	page := s.Get(t, auth.Moderator, "/office/front?language=en").Want(200)
	if page.Text(".places > li:first-child .badge") != "withdrawn; readers do not see it" {
		t.Errorf("the editor is told %q", page.Text("ol.places"))
	}
	// Times are the paper's: from 19:00 until 20:00 in Tokyo, while it is 18:30 there.
	savePaper(t, s, paperOf(nil), nil).Want(303)
	e.do("times", "b", "1", "from", "2026-11-15T19:00", "until", "2026-11-15T20:00").Want(303)
	want("en", "a0 a1 a2 b0 b1 b2")
	if preview := s.Get(t, auth.Moderator, "/office/front/preview?lang=en&at=2026-11-15T19:30").Want(200); titles(preview)[0] != "b1" {
		t.Errorf("the preview leads with %v", titles(preview)[:3])
	}
	begin := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	for at, lead := range map[time.Duration]string{-time.Millisecond: "a0", 0: "b1", time.Hour - time.Millisecond: "b1", time.Hour: "a0"} {
		s.Clock(begin.Add(at))
		if got := e.top("en"); got[:2] != lead {
			t.Errorf("%v after its beginning %s leads, want %s", at, got, lead)
		}
	}
	// A page that was kept just before the end does not outlive it.
	s.Clock(begin.Add(time.Hour - 10*time.Millisecond))
	e.top("en")
	s.Clock(begin.Add(time.Hour))
	if got := e.top("en"); got[:2] != "a0" {
		t.Errorf("a kept page leads with %s after the end", got)
	}
	e.do("remove", "b", "1").Want(303)
	e.do("remove", "a", "9").Want(303)
	s.Clock(begin.Add(30 * time.Minute))
	want("en", "a0 a1 a2 b0 b1 b2")
}

func TestFrontRefuses(t *testing.T) {
	s := webtest.Open(t)
	a := mount(t, s, "a", 1)
	for i := range 30 {
		a.add(webtest.Now.Add(-time.Duration(i)*time.Hour), "en")
	}
	e := &editor{s, t, "en"}
	e.do("pin", "a", "none").Want(422)
	e.do("pin", "elsewhere", "1").Want(422)
	e.do("remove", "a", "1").Want(412)
	e.do("pin", "a", "1").Want(303)
	e.do("pin", "a", "1").Want(422) // a place already
	e.do("nothing", "a", "1").Want(400)
	e.do("times", "a", "1", "from", "2026-11-15T19:00", "until", "2026-11-15T18:00").Want(422)
	e.do("times", "a", "1", "from", "soon").Want(422)
	e.do("remove", "a", "1", "version", "0").Want(412) // somebody else was faster
	for i := 2; i <= story.MaxPlaces; i++ {
		e.do("pin", "a", strconv.Itoa(i)).Want(303)
	}
	e.do("pin", "a", "29").Want(422)
	page := s.Get(t, auth.Moderator, "/office/front?language=en&moved=a/3&way=up").Want(200)
	if page.Count("ol.places > li") != story.MaxPlaces || page.Count("button[value=pin]") != 0 {
		t.Error("a full page offers more places")
	}
	if page.Count("button[autofocus]") != 1 || page.Count("button[value=up][autofocus]") != 1 {
		t.Error("who moved a story with the keyboard does not find the button again")
	}
	// Six lead, and the others are told to have no room.
	if page.Count(".badge.good") != 6 || page.Count(".badge.warn") != story.MaxPlaces-6 {
		t.Errorf("%d are shown", page.Count(".badge.good"))
	}
	if got := s.Get(t, auth.Everyone, "/").Want(200); strings.Join(titles(got)[:8], " ") != "a1 a2 a3 a4 a5 a6 a0 a7" {
		t.Errorf("the page leads with %v", titles(got)[:8])
	}
	if ja := s.Get(t, auth.Moderator, "/office/front?lang=ja").Want(200); ja.Text("h1") != "トップページの編集" {
		t.Errorf("in Japanese: %q", ja.Text("h1"))
	}
}
