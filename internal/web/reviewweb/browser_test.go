package reviewweb_test

import (
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/web/webtest"
)

// A moderator decides 50 items in a row by the keyboard alone: approves, edits (and sees
// the text checked while typing), sends back and takes over.
func TestBrowserFifty(t *testing.T) {
	s, h := open(t, 50)
	b := webtest.OpenBrowser(t, s)
	const secret = "correct horse battery staple"
	if _, err := s.Auth.Add(t.Context(), auth.NewAccount{Name: "mika", Password: secret, Role: auth.Moderator}); err != nil {
		t.Fatal(err)
	}
	b.Go("/sign-in?return=/office/review")
	b.Type("#name", "mika")
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
	for _, lang := range []string{"en", "ja"} {
		b.Go("/office/review?lang=" + lang)
		b.Axe("the list, " + lang)
		b.Shot("review-list-" + lang)
		b.Go("/office/review/item?queue=minutes&id=000&lang=" + lang)
		b.Axe("an item, " + lang)
		b.Shot("review-item-" + lang)
		b.Phone()
		b.Axe("an item on a phone, " + lang)
		b.Shot("review-item-phone-" + lang)
		b.Go("/office/review?lang=" + lang)
		b.Axe("the list on a phone, " + lang)
		b.Shot("review-list-phone-" + lang)
		b.Desktop()
	}
	b.Go("/office/review")
	b.Keys("?")
	if webtest.Eval[bool](b, "document.getElementById('review-help').hidden") {
		t.Error("? shows no help")
	}
	b.Keys("?")
	b.Keys("j")
	b.KeysFollow("\r")
	for i := range 50 {
		if !strings.HasPrefix(b.Path(), "/office/review/item") {
			t.Fatalf("after %d decisions the page is %s", i, b.Path())
		}
		switch i % 10 {
		case 3: // an edit: first a lie, which is seen, then the truth
			b.Keys("e")
			webtest.Eval[int](b, "document.activeElement.select(), 0")
			b.Keys("図書館連携法案は否決された。")
			webtest.Eval[bool](b, "new Promise(done => { const look = () => document.querySelector('#claims .badge.bad') ? done(true) : setTimeout(look, 50); look(); })")
			webtest.Eval[int](b, "document.activeElement.select(), 0")
			b.Keys("図書館連携法案は可決された。")
			b.Keys("\x1b")
			b.KeysFollow("s")
		case 5:
			b.Keys("r")
			b.Keys("say it shorter")
			b.KeysFollow("\r")
		case 7:
			b.KeysFollow("t")
			b.KeysFollow("a")
		default:
			b.KeysFollow("a")
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.decided) != 50 || len(h.texts) != 0 {
		t.Errorf("%d are decided, %d wait", len(h.decided), len(h.texts))
	}
	counts := map[string]int{}
	for _, d := range h.decided {
		counts[strings.Fields(d)[1]]++
	}
	if counts["back"] != 5 || counts["edit"] != 5 || counts["approve"] != 40 {
		t.Errorf("decided: %v", counts)
	}
}
