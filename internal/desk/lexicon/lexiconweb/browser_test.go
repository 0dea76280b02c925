package lexiconweb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web/webtest"
)

const password = "correct horse battery"

// person makes an account and, for readers who propose, puts it on premium.
func (p *paper) person(name string, role auth.Role) string {
	p.t.Helper()
	a, err := p.Auth.Add(p.t.Context(), auth.NewAccount{Name: name, Password: password, Role: role})
	check(p.t, err)
	p.premium(a.ID)
	return a.ID
}

// as signs someone in.
func as(b *webtest.Browser, name string) {
	if b.Text(".facts form button") != "" {
		b.Follow(".facts form button")
	}
	b.Go("/sign-in")
	b.Type("#name", name)
	b.Type("#password", password)
	b.Follow("main button[type=submit]")
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

// Propose, vote from another account, moderate, find the term, translate, play a
// quiz to the end.
func TestBrowserLife(t *testing.T) {
	p := open(t)
	b := webtest.OpenBrowser(t, p.Site)
	p.person("ann", auth.Reader)
	p.person("bob", auth.Reader)
	p.person("max", auth.Moderator)

	b.Go("/")
	as(b, "ann")
	b.Go("/lexicon/propose")
	b.Type("#slang_term", "zorpy")
	b.Type("#meaning", "so good that one has no other word for it")
	b.Type("#example_usage", "That goal was zorpy.")
	b.Follow("main form button[type=submit]")
	mine := b.Path()
	if !strings.HasPrefix(mine, "/lexicon/proposals/") || !strings.Contains(b.Text("main"), "being checked") {
		t.Fatalf("proposed: %s %s", mine, b.Text("main"))
	}
	_, err := p.desk.Validate(t.Context(), 5)
	check(t, err)

	as(b, "bob")
	b.Go("/lexicon/proposals")
	b.Axe("proposals")
	b.Shot("lexicon-proposals-desktop")
	b.Follow(".ballot button")
	if b.Text(".votes strong") != "1" {
		t.Fatalf("voted: %s", b.Text("main"))
	}

	as(b, "max")
	b.Go("/lexicon/moderation")
	b.Follow(".proposal h2 a")
	b.Axe("review")
	b.Type("#categories", "approval")
	b.Follow("form[action$='/approve'] button.primary")
	if !strings.Contains(b.Text(".flash"), "in the lexicon") {
		t.Fatalf("approved: %s", b.Text("main"))
	}
	b.Shot("lexicon-review-desktop")

	as(b, "ann")
	b.Go(mine)
	if !strings.Contains(b.Text("main"), "accepted") {
		t.Errorf("ann is not told: %s", b.Text("main"))
	}
	b.Go("/lexicon")
	b.Type("#q", "ZORPY")
	b.Follow(".lookup button")
	if b.Path() != "/lexicon/terms/zorpy" {
		t.Fatalf("found at %s", b.Path())
	}

	b.Go("/lexicon/translate")
	b.Type("#text", "That party was zorpy and has rizz")
	b.Click("#translator form button")
	eventually(t, "the translation is there", func() bool { return b.Text(".result .said") != "" })
	if n := webtest.Eval[int](b, `document.querySelectorAll(".result .term").length`); n != 2 {
		t.Errorf("%d terms are marked: %s", n, b.Text(".result"))
	}
	b.Axe("translated")
	b.Shot("lexicon-translated-desktop")

	// The quiz by keyboard, on a phone's screen.
	b.Phone()
	b.Go("/lexicon/quiz")
	b.Axe("quiz")
	b.Shot("lexicon-quiz-phone")
	b.Follow("main form button[type=submit]")
	b.Axe("question")
	b.Shot("lexicon-question-phone")
	for n := 1; n <= 10; n++ {
		eventually(t, fmt.Sprintf("question %d is asked", n), func() bool {
			return webtest.Eval[string](b, `document.querySelector("input[name=number]")?.value ?? ""`) == fmt.Sprint(n)
		})
		press(b, "2")
		eventually(t, fmt.Sprintf("question %d is answered", n), func() bool {
			return webtest.Eval[bool](b, `document.activeElement?.matches("[data-next]") ?? false`)
		})
		if n == 1 {
			b.Axe("outcome")
			b.Shot("lexicon-outcome-phone")
		}
		if n < 10 {
			webtest.Eval[any](b, `document.activeElement.click(), 0`) // as Enter does
		}
	}
	b.Follow("[data-next]")
	if !strings.HasSuffix(b.Path(), "/result") || b.Text("h1") != "Your result" {
		t.Fatalf("the quiz ends at %s", b.Path())
	}
	b.Axe("result")
	b.Shot("lexicon-result-phone")
	b.Desktop()
	b.Shot("lexicon-result-desktop")
}

func press(b *webtest.Browser, key string) {
	webtest.Eval[any](b, fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true})), 0`, key))
}

// Every page is accessible and fits, on both screens, in both languages and
// themes.
func TestBrowserPages(t *testing.T) {
	p := open(t)
	b := webtest.OpenBrowser(t, p.Site)
	ann := p.person("ann", auth.Reader)
	for i := range 6 {
		s := p.propose(ann, []string{"zorp", "glorpy", "めちゃほん", "blimpish", "ぬるぽよ", "snazzle"}[i])
		if i == 5 {
			_, err := p.desk.Reject(t.Context(), ann, s.ID, "Nobody but you says it yet. Show where others do.")
			check(t, err)
		}
	}
	eve := p.person("eve", auth.Operator)
	_, err := p.desk.Translate(t.Context(), eve, lexicon.TranslateRequest{Text: "That outfit ate, no cap"})
	check(t, err)
	for _, slug := range []string{"rizz", "rizz", "エモい", "slay", "slay", "slay", "no-cap", "推し"} {
		p.desk.CountSearch(slug)
	}
	check(t, p.desk.FlushCounts(t.Context()))
	p.pass(24 * time.Hour)
	_, err = p.desk.RunTrends(t.Context())
	check(t, err)
	list, err := p.desk.Queue(t.Context(), lexicon.PageOptions{})
	check(t, err)

	b.Go("/")
	as(b, "eve")
	pages := []struct{ name, path string }{
		{"home", "/lexicon"}, {"entry", "/lexicon/terms/rizz"}, {"browse", "/lexicon/browse/initial/s"}, {"trending", "/lexicon/trending"},
		{"lookup", "/lexicon/terms?q=some+rizz+thing"}, {"propose", "/lexicon/propose"}, {"proposals", "/lexicon/proposals"}, {"proposal", "/lexicon/proposals/" + list.Items[0].ID},
		{"moderation", "/lexicon/moderation"}, {"review", "/lexicon/moderation/" + list.Items[0].ID}, {"refused", "/lexicon/moderation?state=admin_rejected"},
		{"quiz", "/lexicon/quiz"}, {"translate", "/lexicon/translate"}, {"history", "/lexicon/translations"}, {"me", "/lexicon/me"},
		{"users", "/lexicon/users?tier=premium"}, {"user", "/lexicon/users/" + ann}, {"write", "/lexicon/terms/rizz/edit"},
	}
	for _, page := range pages {
		for _, screen := range []string{"phone", "desktop"} {
			lang, theme := "en", "light"
			if screen == "phone" {
				b.Phone()
				lang, theme = "ja", "dark"
			} else {
				b.Desktop()
			}
			mark := "?"
			if strings.Contains(page.path, "?") {
				mark = "&"
			}
			b.Go(page.path + mark + "lang=" + lang)
			webtest.Eval[string](b, "document.documentElement.dataset.theme = '"+theme+"'")
			full := strings.Join([]string{"lexicon", page.name, screen, theme, lang}, "-")
			b.Axe(full)
			b.Shot(full)
		}
	}
}
