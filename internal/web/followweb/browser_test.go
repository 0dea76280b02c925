package followweb

import (
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/follow"
	"pressroom/internal/story"
	"pressroom/internal/web/webtest"
)

// An editor puts a newsletter together in a real browser, sees it as readers will, and lets
// it go; everybody finds it in the archive.
func TestBrowserNewsletter(t *testing.T) {
	p := open(t)
	b := webtest.OpenBrowser(t, p.Site)
	const password = "correct horse battery"
	_, err := p.Auth.Add(t.Context(), auth.NewAccount{Name: "ed", Password: password, Role: auth.Moderator})
	must(t, err)
	for id, title := range map[string]string{"1": "A paper boat", "2": "紙の舟"} {
		p.desk.Put(t, story.Text{Story: story.Story{
			Ref: story.Ref{ID: id}, Title: title, Language: story.LanguageOf(title), Summary: "It floats.", Path: "/styleguide", Published: webtest.Now.AddDate(0, 0, -1).UTC().Format("2006-01-02T15:04:05.000Z"),
		}})
	}
	both := func(path, what string) {
		t.Helper()
		for _, lang := range []string{"ja", "en"} {
			b.Go(path + "?lang=" + lang)
			b.Axe(what + " " + lang)
		}
	}
	both(letterRoot, "archive, empty")
	b.Go("/sign-in?return=" + letterOffice)
	b.Type("#name", "ed")
	b.Type("#password", password)
	b.Follow("main button[type=submit]")
	both(letterOffice, "office, empty")
	b.Type("#title", "The week")
	b.Follow("main form button[type=submit]")
	at := b.Path()
	b.Click(`input[name=story][value="toys/1"]`)
	b.Click(`input[name=story][value="toys/2"]`)
	b.Type("#intro", "Two boats this week.")
	b.Follow(`button[value=save]`)
	if got := b.Text("pre"); b.Path() != at || !strings.Contains(got, "A paper boat") || !strings.Contains(got, "紙の舟") {
		t.Fatalf("saving leads to %s: %s", b.Path(), b.Text("main"))
	}
	b.Wait("document.querySelector('iframe').contentWindow.length === 0 && document.querySelector('iframe').offsetHeight > 300")
	for _, size := range []func(){b.Phone, b.Desktop} {
		size()
		both(at, "draft")
		both(at+"/preview", "the letter itself")
		if !strings.Contains(b.Text("body"), "Two boats this week.") || b.Text("h1") == "" {
			t.Errorf("the letter says %s", b.Text("body"))
		}
	}
	b.Go(at)
	b.Follow(`button[value=schedule]`)
	if !strings.Contains(b.Text(".badge"), "Scheduled") {
		t.Fatalf("scheduled: %s", b.Text("main"))
	}
	both(at, "scheduled")
	ann, err := p.follows.Owner(t.Context(), "ann@reader.example", "en", "")
	must(t, err)
	must(t, p.follows.Follow(t.Context(), ann.ID, follow.Subject{Kind: follow.Newsletter, Name: follow.Newsletter}, "", nil))
	if n, err := p.follows.Mail(t.Context(), p.ledger, p.Stories.Stories); n != 1 || err != nil {
		t.Fatalf("%d newsletters went: %v", n, err)
	}
	both(at, "sent")
	both(letterRoot, "archive")
	b.Follow(".stories a")
	if !strings.Contains(b.Text("main"), "A paper boat") {
		t.Errorf("the archive leads to %s: %s", b.Path(), b.Text("main"))
	}
	both(b.Path(), "newsletter")
}
