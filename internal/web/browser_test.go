package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
	"pressroom/model"
)

// newspaper opens a site with three desks' worth of stories on the front page.
func newspaper(t *testing.T) *webtest.Site {
	t.Helper()
	s := webtest.Open(t)
	tell := func(id, n string, back int) story.Text {
		text := func(lang, key string) string { return s.T(langRequest(lang), key) }
		return story.Text{Story: story.Story{
			Ref: story.Ref{ID: id}, Title: text("en", "styleguide.story."+n), Section: text("en", "styleguide.kicker."+n),
			Summary: text("en", "styleguide.summary."+n), Summaries: map[string]string{"ja": text("ja", "styleguide.summary."+n)},
			Path: "/styleguide", Published: model.FormatTime(webtest.Now.AddDate(0, 0, -back)), Language: "en",
			Source: story.Source{Name: text("en", "styleguide.source.1"), URL: "https://kokkai.ndl.go.jp/"},
		}}
	}
	for i, n := range []string{"1", "2", "3"} {
		s.Nav(web.NavItem{Path: "/desk" + n, Key: "styleguide.kicker." + n, Order: i})
		s.Front(web.FrontSection{Desk: "desk" + n, Key: "styleguide.kicker." + n, Path: "/desk" + n, Order: i})
		d := s.Stories.Desk("desk" + n)
		for back, m := range []string{"1", "2", "3", "2", "3", "1", "2"} {
			d.Put(t, tell(strconv.Itoa(back), m, back+i))
		}
	}
	s.Trending(web.Words{Path: "/desk1", Load: func(context.Context, string, int) ([]web.Word, error) {
		return []web.Word{{Term: "タイパ", Path: "/desk1", Gloss: "Time performance", Lang: "ja"}, {Term: "rizz", Path: "/desk1", Gloss: "Charm"}}, nil
	}})
	s.Search(web.Search{Path: "/search", Suggest: "/search/suggest"})
	s.Site.Get("/fault", auth.Everyone, func(http.ResponseWriter, *http.Request) error { return errs.Internal })
	return s
}

func langRequest(lang string) *http.Request {
	return &http.Request{URL: &url.URL{RawQuery: "lang=" + lang}}
}

// A first day with the newsroom, in a real browser.
func TestBrowserDay(t *testing.T) {
	s := newspaper(t)
	b := webtest.OpenBrowser(t, s)
	token, _, err := s.Auth.SetupToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	b.Go("/setup?token=" + url.QueryEscape(token))
	b.Axe("setup")
	b.Shot("setup-desktop")
	b.Type("#name", "ann")
	b.Type("#password", secret)
	b.Type("#again", secret)
	b.Follow("main button[type=submit]")
	if b.Path() != "/office" || !strings.Contains(b.Text(".flash"), "ann") {
		t.Fatalf("set-up leads to %s: %s", b.Path(), b.Text("main"))
	}

	b.Follow(".facts form button")
	if b.Text(".flash") != "You are signed out." {
		t.Fatalf("signed out: %q", b.Text(".flash"))
	}
	b.Go("/account")
	if !strings.HasPrefix(b.Path(), "/sign-in") {
		t.Fatalf("/account leads to %s", b.Path())
	}
	b.Axe("sign-in")
	b.Type("#name", "ann")
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
	if b.Path() != "/account" {
		t.Fatalf("sign-in leads to %s", b.Path())
	}

	b.Follow("button[value=ja]")
	if lang := webtest.Eval[string](b, "document.documentElement.lang"); lang != "ja" || b.Path() != "/account" || b.Text("h1") != "アカウント" {
		t.Fatalf("language is %s on %s: %s", lang, b.Path(), b.Text("h1"))
	}
	checkGlyphs(t, b)

	paper := "getComputedStyle(document.body).backgroundColor"
	light := webtest.Eval[string](b, paper)
	b.Click("button[value=dark]")
	if dark := webtest.Eval[string](b, paper); dark == light {
		t.Errorf("dark mode is %s, as before", dark)
	}
	// The choice was saved in the background and holds on the next page.
	eventually(t, "the theme is saved", func() bool {
		b.Go("/account")
		return webtest.Eval[string](b, "document.documentElement.dataset.theme ?? ''") == "dark"
	})
	b.Axe("account, dark, Japanese")
	b.Shot("account-desktop-dark-ja")

	b.Follow(".facts form button")
	if b.Path() != "/" || b.Text(".flash") != "サインアウトしました。" {
		t.Errorf("signed out: %s %q", b.Path(), b.Text(".flash"))
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

// checkGlyphs draws two Japanese characters in the page's own font: without a
// font for them both are the same box.
func checkGlyphs(t *testing.T, b *webtest.Browser) {
	t.Helper()
	same := webtest.Eval[bool](b, `(() => {
		const draw = (c) => {
			const canvas = new OffscreenCanvas(64, 64);
			const pen = canvas.getContext("2d");
			pen.font = "40px " + getComputedStyle(document.querySelector("h1")).fontFamily;
			pen.fillText(c, 4, 50);
			return pen.getImageData(0, 0, 64, 64).data.join();
		};
		return draw("国") === draw("会");
	})()`)
	if same {
		t.Error("Japanese characters are drawn as boxes; is fonts-noto-cjk installed?")
	}
}

// Every page of the shell is accessible and fits, on both screens, in both
// languages and both themes.
func TestBrowserPages(t *testing.T) {
	s := newspaper(t)
	b := webtest.OpenBrowser(t, s)
	if _, err := s.Auth.Add(t.Context(), auth.NewAccount{Name: "ann", Password: secret, Role: auth.Operator}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Auth.Add(t.Context(), auth.NewAccount{Name: "花子", Email: "hanako@example.org", Password: secret, Role: auth.Author}); err != nil {
		t.Fatal(err)
	}
	signedOut := []struct{ name, path string }{
		{"home", "/"}, {"styleguide", "/styleguide"}, {"sign-in", "/sign-in"}, {"not-found", "/nothing"}, {"fault", "/fault"},
	}
	signedIn := []struct{ name, path string }{{"account", "/account"}, {"users", "/office/users"}}
	b.Go("/")
	look := func(name, path string) {
		for _, screen := range []string{"phone", "desktop"} {
			if screen == "phone" {
				b.Phone()
			} else {
				b.Desktop()
			}
			for _, lang := range []string{"en", "ja"} {
				theme := map[string]string{"en": "light", "ja": "dark"}[lang]
				if screen == "desktop" {
					theme = map[string]string{"en": "dark", "ja": "light"}[lang]
				}
				mark := "?"
				if strings.Contains(path, "?") {
					mark = "&"
				}
				b.Go(path + mark + "lang=" + lang)
				webtest.Eval[string](b, "document.documentElement.dataset.theme = '"+theme+"'")
				full := strings.Join([]string{name, screen, theme, lang}, "-")
				b.Axe(full)
				b.Shot(full)
			}
		}
	}
	for _, page := range signedOut {
		look(page.name, page.path)
	}
	b.Desktop()
	b.Go("/sign-in")
	b.Type("#name", "ann")
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
	for _, page := range signedIn {
		look(page.name, page.path)
	}
}

// A term explains itself to the pointer, to the keyboard and to a finger.
func TestBrowserTerm(t *testing.T) {
	s := newspaper(t)
	b := webtest.OpenBrowser(t, s)
	b.Go("/styleguide")
	shown := func() bool {
		return webtest.Eval[bool](b, `getComputedStyle(document.querySelector("#term-1")).display === "block"`)
	}
	if shown() {
		t.Fatal("the gloss shows by itself")
	}
	webtest.Eval[any](b, `document.querySelector(".term > a").focus()`)
	if !shown() {
		t.Error("the gloss does not show on focus")
	}
	webtest.Eval[any](b, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})), 0`)
	if shown() {
		t.Error("Escape does not hide the gloss")
	}
	// htmx brings a part of the page. Before it is there, the link leads elsewhere.
	eventually(t, "htmx is there", func() bool { return webtest.Eval[bool](b, `"htmx" in window && document.readyState === "complete"`) })
	b.Click("[hx-target='#more']")
	eventually(t, "htmx brings more stories", func() bool {
		return webtest.Eval[int](b, `document.querySelectorAll("#more .story").length`) == 3
	})
}
