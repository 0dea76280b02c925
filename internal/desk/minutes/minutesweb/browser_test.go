package minutesweb_test

import (
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/web/webtest"
)

const secret = "correct horse battery"

// A reader follows a sentence to the words that it rests on, and an operator decides
// about an answer that has no such words, in a real browser.
func TestBrowserMinutes(t *testing.T) {
	meetings := sittings(9)
	for i := range meetings {
		if meetings[i].Date == "2026-11-02" {
			meetings[i] = minutestest.Sitting(100, "2026-11-02")
		}
	}
	p := open(t, lying(), meetings...)
	b := webtest.OpenBrowser(t, p.Site)
	if _, err := p.Auth.Add(t.Context(), auth.NewAccount{Name: "ann", Password: secret, Role: auth.Operator}); err != nil {
		t.Fatal(err)
	}

	b.Go("/minutes?lang=ja")
	b.Axe("minutes, Japanese")
	b.Shot("minutes-desktop-ja")
	b.Go("/minutes?house=参議院")
	b.Follow(".minutes-stories h2 a")
	b.Axe("article")
	b.Shot("minutes-article-desktop")
	visible := "getComputedStyle(document.querySelector(':target')).backgroundColor + ' ' + (document.querySelector(':target').getClientRects().length > 0)"
	b.Click("#s-3 .evidence summary")
	quote := b.Text("#s-3 a.quote")
	b.Click("#s-3 a.quote")
	if at := webtest.Eval[string](b, visible); strings.HasSuffix(at, "false") || strings.Contains(at, "rgba(0, 0, 0, 0)") {
		t.Errorf("the passage is not highlighted: %s", at)
	}
	if got := b.Text(":target"); got == "" || !strings.Contains(got, strings.Trim(quote, "「」“”↓ ")) {
		t.Errorf("%q leads to %q", quote, got)
	}
	b.Shot("minutes-passage-desktop")
	b.Click("#summary + .telling .cites a")
	if got := webtest.Eval[string](b, "document.querySelector(':target').id"); !strings.HasPrefix(got, "s-") {
		t.Errorf("a citation leads to %q", got)
	}

	for _, page := range []struct{ name, path string }{
		{"list", "/minutes"}, {"list-ja", "/minutes?lang=ja&house=参議院&category=国土交通"}, {"article", "/minutes/articles/" + meetings[0].IssueID + "?lang=ja"},
		{"person", "/minutes/people/田中花子"}, {"bill", "/minutes/issues/" + minutestest.Bill}, {"people", "/minutes/people"}, {"bills", "/minutes/issues"},
		{"speech", "/minutes/articles/" + meetings[0].IssueID + "/speeches/3#p-3-1"}, {"wrong", "/minutes?month=x"},
	} {
		b.Desktop()
		b.Go(page.path)
		b.Axe(page.name)
		b.Shot("minutes-" + page.name + "-desktop")
		b.Phone()
		b.Go(page.path)
		b.Axe(page.name + " on a phone")
		b.Shot("minutes-" + page.name + "-phone")
	}
	b.Desktop()

	b.Go("/sign-in?return=/office/minutes&lang=en")
	b.Type("#name", "ann")
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
	b.Axe("queue")
	b.Shot("minutes-queue-desktop")
	b.Follow("tbody a")
	b.Axe("review")
	b.Shot("minutes-review-desktop")
	webtest.Eval[string](b, "document.documentElement.dataset.theme = 'dark'")
	b.Axe("review, dark")
	webtest.Eval[string](b, "document.documentElement.dataset.theme = 'light'")
	b.Phone()
	b.Axe("review on a phone")
	b.Shot("minutes-review-phone")
	b.Desktop()
	b.Follow("button[value=publish]")
	if !strings.Contains(b.Text(".flash"), "accepted") {
		t.Errorf("after the decision: %s", b.Text("main"))
	}
	b.Go("/minutes/articles/" + minutestest.Sitting(100, "2026-11-02").IssueID)
	b.Click("#s-3 .evidence summary")
	if strings.Contains(b.Text("main"), "捏造") || b.Text("#s-3 a.quote") == "" {
		t.Error("what is published is not what stood up to the record")
	}
	webtest.Eval[string](b, "document.documentElement.dataset.theme = 'dark'")
	b.Axe("article, dark")
	b.Shot("minutes-article-desktop-dark")
}
