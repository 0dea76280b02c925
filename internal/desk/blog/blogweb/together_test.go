package blogweb_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogweb"
	"pressroom/internal/story"
	"pressroom/internal/web/webtest"
)

// The history of a post as pages: paged, compared, restored; for authors alone.
func TestHistoryPages(t *testing.T) {
	r := open(t)
	p := r.put(t, content("History", nil, "one", "two words here"), blog.Draft)
	for n := range 22 {
		var err error
		if p, err = r.desk.Save(t.Context(), p.ID, p.Version, content("History", nil, "one", fmt.Sprint("two words there ", n))); err != nil {
			t.Fatal(err)
		}
	}
	path := "/office/blog/posts/" + p.ID + "/revisions"
	page := r.Get(t, auth.Author, path).Want(http.StatusOK)
	if page.Count("tbody tr") != 20 || page.Text("tbody tr:first-child th") != "Version 23" {
		t.Errorf("%d revisions, the first %q", page.Count("tbody tr"), page.Text("tbody tr:first-child th"))
	}
	next := r.Get(t, auth.Author, page.Attr(`a[href*="cursor="]`, "href")).Want(http.StatusOK)
	if next.Count("tbody tr") != 3 || next.Text("tbody tr:last-child td:nth-child(4)") != "Created" {
		t.Errorf("the next page has %d, the last %q", next.Count("tbody tr"), next.Text("tbody tr:last-child td:nth-child(4)"))
	}
	second := next.Attr("tbody tr:nth-child(2) a", "href")
	one := r.Get(t, auth.Author, second).Want(http.StatusOK)
	if one.Text(".compare del") != "here" || one.Text(".compare ins") != "there 0" {
		t.Errorf("gone %q, new %q", one.Text(".compare del"), one.Text(".compare ins"))
	}
	if since := r.Get(t, auth.Author, second+"?with=now").Want(http.StatusOK); since.Text(".compare ins") != "21" {
		t.Errorf("since then %q", since.Text(".compare ins"))
	}
	r.Get(t, auth.Reader, path).Want(http.StatusForbidden)
	r.Get(t, auth.Author, path+"/01ARZ3NDEKTSV4RRFFQ69G5FAV").Want(http.StatusNotFound)
	r.Post(t, auth.Author, second+"/restore", url.Values{"version": {"1"}}).Want(http.StatusPreconditionFailed)
	r.Post(t, auth.Author, second+"/restore", url.Values{"version": {one.Attr("[name=version]", "value")}}).Want(http.StatusSeeOther)
	if now, err := r.desk.Get(t.Context(), p.ID); err != nil || now.Blocks[1].Content != "two words there 0" {
		t.Errorf("restored: %+v %v", now.Blocks, err)
	}
}

// An address that a post had leads to the one that it has; the id goes on working.
func TestAddressPages(t *testing.T) {
	r := open(t)
	p := r.put(t, content("予算案が可決", nil, "text"), blog.Published)
	c := p.Content
	c.Slug = "予算"
	if _, err := r.desk.Save(t.Context(), p.ID, p.Version, c); err != nil {
		t.Fatal(err)
	}
	if got := r.Get(t, auth.Everyone, "/blog/posts/"+url.PathEscape("予算案が可決")).Want(http.StatusMovedPermanently).Header.Get("Location"); got != "/blog/posts/"+url.PathEscape("予算") {
		t.Errorf("led to %s", got)
	}
	for _, address := range []string{"予算", p.ID} {
		page := r.Get(t, auth.Everyone, "/blog/posts/"+url.PathEscape(address)).Want(http.StatusOK)
		if got := page.Attr("link[rel=canonical]", "href"); !strings.HasSuffix(got, "/blog/posts/"+url.PathEscape("予算")) || page.Text("h1") != c.Title {
			t.Errorf("%s: %q at %s", address, page.Text("h1"), got)
		}
	}
	r.Get(t, auth.Everyone, "/blog/posts/"+url.PathEscape("予")).Want(http.StatusNotFound)
}

// Plans are typed in the paper's time zone.
func TestPlanForm(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	r := open(t)
	if err := r.Stories.SetPaper(t.Context(), &story.Paper{Zone: "Asia/Tokyo"}, nil); err != nil {
		t.Fatal(err)
	}
	p := r.put(t, content("Later", nil, "text"), blog.Draft)
	edit := "/office/blog/posts/" + p.ID
	at := r.Now().Add(48 * time.Hour).In(tokyo).Format("2006-01-02T15:04")
	r.Post(t, auth.Author, edit+"/plan", url.Values{"publish_at": {at}}).Want(http.StatusSeeOther)
	plan, err := r.desk.PlanOf(t.Context(), p.ID)
	if err != nil || plan.PublishAt.In(tokyo).Format("2006-01-02T15:04") != at || plan.By != "author" {
		t.Errorf("planned: %+v %v", plan, err)
	}
	page := r.Get(t, auth.Author, edit)
	if page.Attr("#publish_at", "value") != at || !strings.Contains(page.Text(".plan"), "Asia/Tokyo") {
		t.Errorf("the form says %q", page.Attr("#publish_at", "value"))
	}
	page = r.Post(t, auth.Author, edit+"/plan", url.Values{"publish_at": {"2001-01-01T00:00"}}).Want(http.StatusUnprocessableEntity)
	if page.Attr("#publish_at", "value") != "2001-01-01T00:00" || !strings.Contains(page.Text("#trouble"), "must lie in the future") {
		t.Errorf("a time that has passed: %q", page.Text("#trouble"))
	}
	r.Post(t, auth.Author, edit+"/plan", url.Values{"publish_at": {"soon"}}).Want(http.StatusUnprocessableEntity)
	r.Post(t, auth.Author, edit+"/plan", url.Values{"do": {"cancel"}, "publish_at": {at}}).Want(http.StatusSeeOther)
	if plan, err := r.desk.PlanOf(t.Context(), p.ID); err != nil || plan != (blog.Plan{}) {
		t.Errorf("cancelled: %+v %v", plan, err)
	}
}

// Where editors publish, authors ask; moderators do not.
func TestApprovalPages(t *testing.T) {
	r := openWith(t, func(*webtest.Site) *blogweb.Options { return &blogweb.Options{Approval: true} })
	p := r.put(t, content("Asked", nil, "one", "two"), blog.Draft)
	edit := "/office/blog/posts/" + p.ID
	if page := r.Get(t, auth.Author, edit); page.Count(`[value="publish"]`) != 0 {
		t.Error("an author is offered to publish")
	}
	f := form("publish", "1", p.Content)
	r.Post(t, auth.Author, edit, f).Want(http.StatusConflict)
	r.Post(t, auth.Author, edit+"/plan", url.Values{"publish_at": {"2026-12-24T12:00"}}).Want(http.StatusConflict)
	r.Post(t, auth.Author, "/office/blog/bulk", url.Values{"action": {"publish"}, "id": {p.ID}}).Want(http.StatusConflict)
	r.Post(t, auth.Author, edit+"/review", url.Values{"do": {"ask"}, "note": {"Please look."}}).Want(http.StatusSeeOther)
	if got := r.Get(t, auth.Author, edit+"/review").Text(".notice"); !strings.Contains(got, "Please look.") {
		t.Errorf("the review says %q", got)
	}
	r.Post(t, auth.Moderator, edit, f).Want(http.StatusSeeOther)
	r.Get(t, auth.Everyone, "/blog/posts/"+p.ID).Want(http.StatusOK)
}

// The button that adds an image adds one, and its picture can be uploaded.
func TestBrowserAddEveryBlock(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "ann", auth.Author)
	b.Go("/office/blog/new")
	for i, kind := range []string{"text", "image", "code", "quote", "video"} {
		b.Click(fmt.Sprintf(`[data-add=%q]`, kind))
		eventually(t, "there is a block of the kind "+kind, func() bool {
			return webtest.Eval[string](b, fmt.Sprintf(`document.querySelector(".blocks > li:nth-child(%d)")?.dataset.kind ?? ""`, i+2)) == kind
		})
	}
	if !shown(b, ".blocks > li:nth-child(3) [data-choose]") {
		t.Error("a new image cannot be uploaded")
	}
	b.Axe("a block of each kind")
}

// Two people in one post see each other; what they save is put together; where both
// changed the same, both are shown and one chooses.
func TestBrowserTogether(t *testing.T) {
	r := open(t)
	ann, ben := webtest.OpenBrowser(t, r.Site), webtest.OpenBrowser(t, r.Site)
	p := r.put(t, content("Shared", nil, "first", "second", "third"), blog.Draft)
	r.signIn(t, ann, "ann", auth.Author)
	r.signIn(t, ben, "ben", auth.Author)
	edit := "/office/blog/posts/" + p.ID
	ann.Go(edit)
	ben.Go(edit)
	heartbeat := func(b *webtest.Browser) {
		webtest.Eval[bool](b, `(document.dispatchEvent(new Event("visibilitychange")), true)`)
	}
	eventually(t, "Ben sees Ann", func() bool { return strings.HasPrefix(ben.Text("#here"), "ann ") })
	heartbeat(ann)
	eventually(t, "Ann sees Ben", func() bool { return strings.HasPrefix(ann.Text("#here"), "ben ") })

	ann.Type(blockAt(1, "content"), kb.End+" by Ann")
	ann.Click("[data-save]")
	state(t, ann, "Saved")
	heartbeat(ben)
	eventually(t, "Ben is told that Ann saved", func() bool { return shown(ben, "#newer") && strings.HasPrefix(ben.Text("#newer"), "ann ") })
	ben.Axe("somebody else saved")
	ben.Shot("blog-editor-together")
	ben.Type(blockAt(3, "content"), kb.End+" by Ben")
	ben.Click("[data-save]")
	eventually(t, "Ben is told that both are merged", func() bool { return shown(ben, "#merged") && strings.Contains(ben.Text("#merged"), "ann") })
	state(t, ben, "Saved")
	if got := webtest.Eval[string](ben, `[...document.querySelectorAll('[data-blocks] [name="b.content"]')].map(e => e.value).join("|")`); got != "first by Ann|second|third by Ben" {
		t.Errorf("merged: %s", got)
	}

	// Both change the second block.
	ben.Type(blockAt(2, "content"), kb.End+" of Ben")
	ben.Click("[data-save]")
	state(t, ben, "Saved")
	ann.Type(blockAt(2, "content"), kb.End+" of Ann")
	ann.Click("[data-save]")
	eventually(t, "Ann is shown both", func() bool { return shown(ann, "#clash") })
	if ann.Text("#clash [data-mine]") != "second of Ann" || ann.Text("#clash [data-theirs]") != "second of Ben" || !strings.Contains(ann.Text("#clash h2"), "ben") {
		t.Errorf("the clash: %q", ann.Text("#clash"))
	}
	ann.Axe("a clash")
	ann.Shot("blog-editor-clash")
	ann.Click("#clash [data-keep=both]")
	state(t, ann, "Not saved yet")
	ann.Click("[data-save]")
	state(t, ann, "Saved")
	now, err := r.desk.Get(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, each := range now.Blocks {
		texts = append(texts, each.Content)
	}
	if got := strings.Join(texts, "|"); got != "first by Ann|second of Ben|second of Ann|third by Ben" {
		t.Errorf("in the end: %s", got)
	}

	// The other two choices.
	for i, keep := range []string{"mine", "theirs"} {
		heartbeat(ben)
		ben.Go(edit)
		ben.Type(blockAt(4, "content"), kb.End+fmt.Sprint(" B", i))
		ben.Click("[data-save]")
		state(t, ben, "Saved")
		ann.Type(blockAt(4, "content"), kb.End+fmt.Sprint(" A", i))
		ann.Click("[data-save]")
		eventually(t, "Ann is shown both", func() bool { return shown(ann, "#clash") })
		ann.Click("#clash [data-keep=" + keep + "]")
		eventually(t, "it is settled", func() bool { return !shown(ann, "#clash") })
		ann.Click("[data-save]")
		state(t, ann, "Saved")
	}
	if now, err = r.desk.Get(t.Context(), p.ID); err != nil || now.Blocks[3].Content != "third by Ben A0 B1" {
		t.Errorf("mine, then theirs: %q %v", now.Blocks[3].Content, err)
	}
}

// The history, the schedule and the review of a post, in both languages.
func TestBrowserRoom(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "ann", auth.Author)
	p := r.put(t, content("The budget passed", nil, "The budget passed by 204 votes.", "It has three parts."), blog.Draft)
	if _, err := r.desk.Save(t.Context(), p.ID, p.Version, content("The budget passed", nil, "The budget passed by 208 votes.", "It has four parts.", "More follows.")); err != nil {
		t.Fatal(err)
	}
	edit := "/office/blog/posts/" + p.ID
	b.Go(edit)
	b.Axe("the editor with its schedule")
	b.Follow("[data-history]")
	b.Axe("history")
	b.Shot("blog-history")
	b.Follow("tbody tr:first-child a")
	b.Axe("a revision")
	b.Shot("blog-revision")
	b.Follow(".tags li:last-child a")
	b.Go(edit + "/revisions?lang=ja")
	b.Axe("history in Japanese")
	b.Follow("tbody tr:last-child a")
	b.Axe("a revision in Japanese")
	b.Shot("blog-revision-ja")
	webtest.Eval[bool](b, `(window.confirm = () => true, true)`)
	b.Follow(`form[action$="/restore"] button`)
	if now, err := r.desk.Get(t.Context(), p.ID); err != nil || len(now.Blocks) != 2 {
		t.Errorf("restored: %d blocks, %v", len(now.Blocks), err)
	}
	b.Go(edit + "?lang=en")
	b.Type(blockAt(1, "content"), kb.End+" At last.") // what is not saved is saved first
	webtest.Eval[bool](b, fmt.Sprintf(`(() => { document.querySelector("#publish_at").value = %q; return true; })()`, r.Now().Add(72*time.Hour).UTC().Format("2006-01-02T15:04")))
	b.Shot("blog-editor-plan")
	b.Click(`.plan [value="plan"]`) // saves, sends the form and comes back
	b.Wait(`document.readyState == "complete" && document.querySelector('.plan [value="cancel"]') != null`)
	if plan, err := r.desk.PlanOf(t.Context(), p.ID); err != nil || plan.PublishAt.IsZero() {
		t.Errorf("the plan is %+v, %v", plan, err)
	}
	if now, err := r.desk.Get(t.Context(), p.ID); err != nil || !strings.HasSuffix(now.Blocks[0].Content, " At last.") {
		t.Errorf("what was typed before it was scheduled: %+v, %v", now.Blocks, err)
	}
	b.Axe("a scheduled post")
	b.Follow(`.plan [value="cancel"]`)
	b.Follow("[data-review]")
	b.Axe("review")
	b.Click(".review-blocks > li:first-child .say summary")
	b.Type("#say-1", "Where is this from?")
	b.Follow(".review-blocks > li:first-child .say button")
	b.Axe("a comment")
	b.Shot("blog-review")
	b.Follow(".comment button")
	b.Type("#note", "Ready, I think.")
	b.Follow(`[value="ask"]`)
	b.Go(edit + "/review?lang=ja")
	b.Axe("review in Japanese")
	b.Shot("blog-review-ja")
	b.Follow(`[value="back"]`)
	if _, there, err := r.desk.Proposed(t.Context(), p.ID); there || err != nil {
		t.Errorf("taken back, and it waits: %v", err)
	}
	b.Go(edit + "?lang=ja")
	b.Axe("the editor in Japanese")
	b.Phone()
	b.Shot("blog-editor-plan-phone")
	b.Axe("the editor on a phone")
}
