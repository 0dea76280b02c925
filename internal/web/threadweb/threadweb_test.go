package threadweb_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/auth"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/internal/thread"
	"pressroom/internal/web"
	"pressroom/internal/web/threadweb"
	"pressroom/internal/web/webtest"
)

const report = "Two people are missing after the River Wend burst its banks in Harrowmere on Friday night. The water rose by 3.4 metres in an hour. Mayor Ada Finch asked people to stay indoors."

const debate = "Ada Finch told the council that the River Wend had risen by 3.4 metres in Harrowmere, and that two people were missing."

// storyPage is the page of a story, as a desk has one.
var storyPage = fstest.MapFS{"story.html": {Data: []byte(`<h1>{{.Title}}</h1>{{range .Data.Passages}}<p id="speech-{{.ID}}"><b>{{.Speaker}}</b> {{.Text}}</p>{{end}}{{template "standing" .Standing}}`)}}

type newsroom struct {
	*webtest.Site
	t             *testing.T
	wire, minutes *storytest.Desk
	follower      *thread.Follower
}

func text(id, title, source, body, listed string) story.Text {
	return story.Text{Story: story.Story{
		Ref: story.Ref{ID: id}, Title: title, Summary: body[:60] + "…", Language: "en", Published: listed, Source: story.Source{Name: source},
	}, Body: body}
}

// open returns a site on which two papers print one report, and a council debates it.
func open(t *testing.T) *newsroom {
	t.Helper()
	n := &newsroom{Site: webtest.Open(t), t: t}
	n.wire = n.Stories.Desk("wire",
		text("a", "Two missing as River Wend floods Harrowmere", "Meridian Wire", report, "2026-11-14T09:00:00.000Z"),
		text("b", "River Wend floods Harrowmere", "Northmoor Post", report, "2026-11-14T10:00:00.000Z"))
	for i, w := range []string{"bakery", "chapel", "museum", "ferry", "orchard", "castle", "garden", "station"} {
		n.wire.Put(t, text(w, "The "+w+" opens", "The "+w+" Times", "The "+w+" of "+string(rune('A'+i))+"town opens again after the long and cold winter of this year.", "2026-11-1"+string(rune('0'+i%4))+"T09:00:00.000Z"))
	}
	said := text("c", "Council hears of the Harrowmere flood", "Harrowmere Council", debate, "2026-11-15T08:00:00.000Z")
	said.People = []string{"Ada Finch"}
	said.Passages = []story.Passage{{ID: "1", Path: "/minutes/posts/c#speech-1", Speaker: "Ada Finch", Text: debate}}
	n.minutes = n.Stories.Desk("minutes", said)
	for i, desk := range []string{"wire", "minutes"} {
		n.Front(web.FrontSection{Desk: desk, Key: "styleguide.kicker." + string(rune('1'+i)), Path: "/" + desk, Order: i})
	}
	load := func(ctx context.Context, ref story.Ref) (story.Text, error) {
		if ref.Desk == "wire" {
			return n.wire.Load(ctx, ref.ID)
		}
		return n.minutes.Load(ctx, ref.ID)
	}
	views, err := n.Templates(storyPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/wire/posts/{id}", "/minutes/posts/{id}"} {
		n.Site.Site.Get(path, auth.Everyone, func(w http.ResponseWriter, r *http.Request) error {
			ref := story.Ref{Desk: strings.Split(r.URL.Path, "/")[1], ID: r.PathValue("id")}
			full, err := load(r.Context(), ref)
			if err != nil {
				return err
			}
			standing, err := n.Standing(r, ref)
			if err != nil {
				return err
			}
			return n.Render(w, r, views, "story", web.Page{Title: full.Title, Standing: standing, Data: full})
		})
	}
	if err := threadweb.Register(n.Site.Site, n.Threads, load); err != nil {
		t.Fatal(err)
	}
	n.follower = thread.NewFollower(n.Threads, &n.wire.Shelf, &n.minutes.Shelf)
	n.catchUp()
	return n
}

func (n *newsroom) catchUp() {
	n.t.Helper()
	if err := n.Stories.RelayOnce(n.t.Context()); err != nil {
		n.t.Fatal(err)
	}
	if err := n.Stories.CatchUp(n.t.Context(), n.follower.Consumer()); err != nil {
		n.t.Fatal(err)
	}
}

// path is of the thread's page.
func (n *newsroom) path() string {
	n.t.Helper()
	v, err := n.Threads.OfStory(n.t.Context(), story.Ref{Desk: "wire", ID: "a"})
	if err != nil || v == nil {
		n.t.Fatal(v, err)
	}
	return web.ThreadPath(v.ID)
}

// headlines counts those of a story of the wire.
func headlines(page *webtest.Reply, id string) int {
	return page.Count(`main h3 a[href="/wire/posts/`+id+`"]`) + page.Count(`main h2 a[href="/wire/posts/`+id+`"]`)
}

func TestFrontPage(t *testing.T) {
	n := open(t)
	home := n.Get(t, auth.Everyone, "/").Want(http.StatusOK)
	for _, id := range []string{"a", "b"} {
		if headlines(home, id) > 0 {
			t.Errorf("%s has a place of its own beside its thread", id)
		}
	}
	if got := home.Count(`main a.thread[href="` + n.path() + `"]`); got != 1 {
		t.Errorf("the thread has %d places on the front page", got)
	}
	if got := home.Count("main article"); got != 9 {
		t.Errorf("%d stories are on the front page, want 8 and one for the thread", got)
	}
	wire := n.Get(t, auth.Everyone, "/?desk=wire").Want(http.StatusOK)
	if got := wire.Text(`.story:has(a[href="/wire/posts/b"]) .also`); !strings.Contains(got, "Also reported by Meridian Wire") || !strings.Contains(got, "3 stories") {
		t.Errorf("the desk's list says %q", got)
	}
	if feed := n.Get(t, auth.Everyone, "/feed.atom").Want(http.StatusOK); strings.Contains(feed.Body, "/wire/posts/a<") || !strings.Contains(feed.Body, "/wire/posts/b") || !strings.Contains(feed.Body, "/minutes/posts/c") {
		t.Error("the feed does not fold printings, or folds more than them")
	}
	ja := n.Get(t, auth.Everyone, "/?desk=wire&lang=ja").Want(http.StatusOK)
	if got := ja.Text(`.story:has(a[href="/wire/posts/b"]) .also`); !strings.Contains(got, "ほかの掲載：") {
		t.Errorf("in Japanese the list says %q", got)
	}

	// What is withdrawn is gone with the next request, and another takes the place.
	n.minutes.TakeBack(t, "c")
	home = n.Get(t, auth.Everyone, "/").Want(http.StatusOK)
	if home.Count(`main a[href="/minutes/posts/c"]`) > 0 || headlines(home, "b") != 1 {
		t.Error("the thread does not stand where its newest story is")
	}
	n.wire.TakeBack(t, "b")
	home = n.Get(t, auth.Everyone, "/").Want(http.StatusOK)
	if headlines(home, "a") != 1 || home.Count(".also") > 0 || strings.Contains(home.Body, "Northmoor") {
		t.Error("one story is left, and is shown as a thread")
	}
}

// A story that editors pin takes the one place of its thread.
func TestPinnedStory(t *testing.T) {
	n := open(t)
	front := story.Front{Language: "en", Places: []story.Place{{Ref: story.Ref{Desk: "wire", ID: "a"}}}}
	if err := n.Stories.SetFront(t.Context(), &front); err != nil {
		t.Fatal(err)
	}
	home := n.Get(t, auth.Everyone, "/").Want(http.StatusOK)
	if home.Attr(".lead > .story h2 a", "href") != "/wire/posts/a" || headlines(home, "a") != 1 || headlines(home, "b") != 0 || home.Count(`main a[href="/minutes/posts/c"]`) != 0 {
		t.Errorf("pinned, the thread has %d places", home.Count(`main a.thread[href="`+n.path()+`"]`))
	}
	if got := home.Count("main article"); got != 9 {
		t.Errorf("%d stories are on the front page, want 8 and one for the thread", got)
	}
	n.wire.TakeBack(t, "a") // and the thread's newest has it again
	if home := n.Get(t, auth.Everyone, "/").Want(http.StatusOK); headlines(home, "a") != 0 || home.Count(`main h2 a[href="/minutes/posts/c"], main h3 a[href="/minutes/posts/c"]`) != 1 {
		t.Errorf("what was pinned is taken back, and the page has %s", home.Text("main h2, main h3"))
	}
}

func TestPages(t *testing.T) {
	n := open(t)
	list := n.Get(t, auth.Everyone, "/threads").Want(http.StatusOK)
	if got := list.Text("main li h2"); got != "Two missing as River Wend floods Harrowmere" {
		t.Errorf("the list has %q", got)
	}
	page := n.Get(t, auth.Everyone, n.path()).Want(http.StatusOK)
	if got := page.Text(".facing"); !strings.Contains(got, "Ada Finch") || !strings.Contains(got, "3.4") {
		t.Errorf("why they are together: %q", got)
	}
	if page.Count(".timeline > li") != 2 || page.Attr(".passage a", "href") != "/minutes/posts/c#speech-1" {
		t.Errorf("the timeline: %s", page.Text(".timeline"))
	}
	if page.Count(`a[href^="/office"]`) > 0 {
		t.Error("a reader is led into the office")
	}
	for _, path := range []string{"/feed.atom", "/feed.json"} {
		if feed := n.Get(t, auth.Everyone, n.path()+path).Want(http.StatusOK); !strings.Contains(feed.Body, "/minutes/posts/c") {
			t.Errorf("%s: %s", path, feed.Body)
		}
		n.Get(t, auth.Everyone, "/threads"+path).Want(http.StatusOK)
	}
	n.Get(t, auth.Everyone, "/threads/nobody").Want(http.StatusNotFound)
	n.Get(t, auth.Everyone, "/threads?cursor=!").Want(http.StatusBadRequest)
	if got := n.Get(t, auth.Everyone, "/wire/posts/a").Want(http.StatusOK).Attr("a.thread", "href"); got != n.path() {
		t.Errorf("a story leads to %q", got)
	}
}

func TestOffice(t *testing.T) {
	n := open(t)
	path := n.path()
	desk := "/office" + path
	n.Get(t, auth.Author, "/office/threads").Want(http.StatusForbidden)
	n.Get(t, auth.Everyone, desk)
	n.Post(t, auth.Author, desk, url.Values{"decision": {"name"}, "name": {"x"}}).Want(http.StatusForbidden)
	n.Get(t, auth.Moderator, "/office/threads").Want(http.StatusOK)
	n.Get(t, auth.Moderator, desk).Want(http.StatusOK)
	n.Post(t, auth.Moderator, desk, url.Values{"decision": {"split"}}).Want(http.StatusUnprocessableEntity)
	n.Post(t, auth.Moderator, desk, url.Values{"decision": {"merge"}, "other": {"/threads/nobody"}}).Want(http.StatusNotFound)

	n.Post(t, auth.Moderator, desk, url.Values{"decision": {"split"}, "story": {"minutes/c"}}).Want(http.StatusSeeOther)
	if page := n.Get(t, auth.Everyone, path).Want(http.StatusOK); strings.Contains(page.Text("main"), "Council hears") {
		t.Error("what was split is still there")
	}
	n.catchUp()
	n.Post(t, auth.Moderator, desk, url.Values{"decision": {"name"}, "name": {"The flood <b>"}}).Want(http.StatusSeeOther)
	n.Post(t, auth.Moderator, desk, url.Values{"decision": {"merge"}, "other": {" wire/chapel "}}).Want(http.StatusSeeOther)
	if got := n.Get(t, auth.Everyone, path).Want(http.StatusOK).Text("h1"); got != "The flood <b>" {
		t.Errorf("it is called %q", got)
	}
	office := n.Get(t, auth.Moderator, "/office/threads").Want(http.StatusOK)
	if office.Count("form[action='/office/threads/undo'] button") != 3 {
		t.Errorf("the decisions: %s", office.Text("section"))
	}
	for range 3 {
		office = n.Get(t, auth.Moderator, "/office/threads").Want(http.StatusOK)
		n.Post(t, auth.Moderator, "/office/threads/undo", url.Values{"decision": {office.Attr("input[name=decision]", "value")}}).Want(http.StatusSeeOther)
		n.catchUp()
	}
	page := n.Get(t, auth.Everyone, path).Want(http.StatusOK)
	if diff := cmp.Diff("Two missing as River Wend floods Harrowmere", page.Text("h1")); diff != "" || page.Count(".timeline > li") != 2 {
		t.Errorf("after all was undone: %s%s", diff, page.Text(".timeline"))
	}
	n.Post(t, auth.Moderator, "/office/threads", url.Values{"thread": {"one"}}).Want(http.StatusUnprocessableEntity)
}

// From a headline to its thread, and to the passage of the debate.
func TestBrowser(t *testing.T) {
	n := open(t)
	b := webtest.OpenBrowser(t, n.Site)
	const secret = "correct horse battery staple"
	if _, err := n.Auth.Add(t.Context(), auth.NewAccount{Name: "mika", Password: secret, Role: auth.Moderator}); err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"en", "ja"} {
		b.Desktop()
		b.Go("/?lang=" + lang)
		b.Axe("the front page, " + lang)
		b.Shot("thread-home-" + lang)
		b.Follow("main a.thread")
		if b.Path() != n.path() {
			t.Fatalf("the headline's thread is at %s", b.Path())
		}
		b.Axe("a thread, " + lang)
		b.Shot("thread-" + lang)
		b.Phone()
		b.Go(n.path() + "?lang=" + lang)
		b.Axe("a thread on a phone, " + lang)
		b.Shot("thread-phone-" + lang)
		b.Go("/threads?lang=" + lang)
		b.Axe("threads on a phone, " + lang)
		b.Shot("threads-phone-" + lang)
		b.Desktop()
		b.Go(n.path() + "?lang=" + lang)
		b.Follow(".passage a")
		if b.Path() != "/minutes/posts/c" {
			t.Errorf("the passage is at %s", b.Path())
		}
		if got := webtest.Eval[string](b, "document.querySelector(':target').textContent"); !strings.Contains(got, "3.4 metres") {
			t.Errorf("the passage says %q", got)
		}
	}
	b.Go("/sign-in?return=/office/threads")
	b.Type("#name", "mika")
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
	for _, lang := range []string{"en", "ja"} {
		b.Go("/office" + n.path() + "?lang=" + lang)
		b.Axe("a thread in the office, " + lang)
		b.Shot("thread-office-" + lang)
		b.Go("/office/threads?lang=" + lang)
		b.Axe("threads in the office, " + lang)
	}
	b.Go("/office" + n.path())
	b.Click("input[value='minutes/c']")
	b.Follow("button[value=split]")
	b.Axe("after a decision")
	b.Shot("thread-office-decided")
	b.Follow("form[action='/office/threads/undo'] button")
	if got := webtest.Eval[int](b, "document.querySelectorAll('#decisions ~ ol button').length"); got != 0 {
		t.Errorf("%d decisions stand after it was undone", got)
	}
}
