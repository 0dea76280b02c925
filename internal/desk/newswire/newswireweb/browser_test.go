package newswireweb_test

import (
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/web/webtest"
)

const secret = "correct horse battery staple"

// signIn makes an operator and signs the browser in.
func signIn(t *testing.T, r *room, b *webtest.Browser) {
	t.Helper()
	if _, err := r.Auth.Add(t.Context(), auth.NewAccount{Name: "ann", Password: secret, Role: auth.Operator}); err != nil {
		t.Fatal(err)
	}
	b.Go("/sign-in?return=/office/newswire")
	b.Type("#name", "ann")
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
	if b.Path() != "/office/newswire" {
		t.Fatalf("sign-in leads to %s", b.Path())
	}
}

var headlines = []string{
	"Tram to the hospital comes first, council decides", "Bridge over the river stays closed until March", "Ferry fees: a petition with nine hundred names",
	"港湾局、新しい岸壁の整備計画を発表しました", "Library stays open on Sundays", "Harbour festival returns in spring",
}

// A site's life in a real browser: looked at, saved, crawled, read.
func TestBrowserLife(t *testing.T) {
	r := open(t, headlines...)
	b := webtest.OpenBrowser(t, r.Site)
	signIn(t, r, b)
	b.Axe("sites, empty")
	b.Shot("newswire-sites-empty-desktop")
	b.Follow(".empty a.button")
	b.Type("#baseUrl", r.paper.URL+"/")
	b.Type("#name", "The Harbour Paper")
	b.Type("#siteId", "harbour")
	b.Type("#crawlWindows", "06:30-07:15")
	webtest.Eval[string](b, `document.querySelector("#requestIntervalMs").value = "0"`)
	b.Axe("add")
	b.Shot("newswire-add-desktop")
	b.Follow("button[value=look]")
	if !strings.Contains(b.Text(".wire-preview"), "The Harbour Paper") {
		t.Fatalf("the preview: %s", b.Text("main"))
	}
	b.Axe("preview")
	b.Shot("newswire-preview-desktop")
	b.Phone()
	b.Axe("preview on a phone")
	b.Shot("newswire-preview-phone")
	b.Desktop()
	b.Follow("button[value=save]")
	if b.Path() != "/office/newswire/sites/harbour" {
		t.Fatalf("saved: %s %s", b.Path(), b.Text("main"))
	}
	b.Axe("site")
	b.Shot("newswire-site-desktop")

	// The crawl waits at its first article, so that it is seen under way.
	r.paper.gate = make(chan struct{})
	b.Follow("form[action$='/crawl'] button")
	run := b.Path()
	b.Axe("run under way")
	b.Shot("newswire-run-live-desktop")
	eventually(t, "the page shows by itself how far the run is", func() bool {
		return strings.Contains(b.Text("#progress .bar"), "of ") && !strings.Contains(b.Text("#progress .bar"), " 0 pages")
	})
	close(r.paper.gate)
	eventually(t, "the page shows by itself that the run ended", func() bool { return strings.Contains(b.Text("#progress .badge"), "Partial") })
	if b.Path() != run || !strings.Contains(b.Text("#h-met ~ .scroll"), headlines[1]) {
		t.Errorf("the run that ended: %s", b.Text("main"))
	}
	b.Axe("run")
	b.Shot("newswire-run-desktop")
	b.Phone()
	b.Axe("run on a phone")
	b.Shot("newswire-run-phone")
	b.Go("/office/newswire/retries")
	b.Axe("retries on a phone")
	b.Shot("newswire-retries-phone")
	b.Desktop()
	b.Go("/office/newswire/backlog")
	b.Axe("backlog")
	b.Shot("newswire-backlog-desktop")
}

// What readers see, on both screens, in both languages and both themes.
func TestBrowserReading(t *testing.T) {
	r := open(t, headlines...)
	r.crawl(t)
	feed, err := r.desk.Feed(t.Context(), newswire.PageOptions{})
	check(t, err)
	for i, a := range feed.Items {
		_, err := r.desk.SetTopics(t.Context(), a.ArticleID, 0, [][]string{{"harbour", "budget"}, {"transport"}, {"港湾"}}[i%3])
		check(t, err)
	}
	b := webtest.OpenBrowser(t, r.Site)
	b.Go("/newswire")
	look := func(name, path string) {
		for _, screen := range []string{"phone", "desktop"} {
			if screen == "phone" {
				b.Phone()
			} else {
				b.Desktop()
			}
			for _, view := range [][2]string{{"en", "light"}, {"ja", "dark"}} {
				b.Go(path + "?lang=" + view[0])
				webtest.Eval[string](b, "document.documentElement.dataset.theme = '"+view[1]+"'")
				full := strings.Join([]string{"newswire", name, screen, view[1], view[0]}, "-")
				b.Axe(full)
				b.Shot(full)
			}
		}
	}
	look("feed", "/newswire")
	look("article", "/newswire/articles/"+feed.Items[0].ArticleID)
	look("front", "/")
	signIn(t, r, b)
	look("sites", "/office/newswire")
	look("runs", "/office/newswire/runs")
}
