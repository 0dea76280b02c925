package web_test

import (
	"net/url"
	"strings"
	"testing"

	"pressroom/internal/web/webtest"
)

// The first operator names the paper and pins stories, by clicking and by keyboard, on
// a desk and on a phone.
func TestBrowserOffice(t *testing.T) {
	s := newspaper(t)
	b := webtest.OpenBrowser(t, s)
	token, _, err := s.Auth.SetupToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Go("/setup?token=" + url.QueryEscape(token))
	b.Type("#name", "ann")
	b.Type("#password", secret)
	b.Type("#again", secret)
	b.Follow("main button[type=submit]")
	if b.Path() != "/office" {
		t.Fatalf("set-up leads to %s", b.Path())
	}
	b.Axe("office")
	b.Shot("office-en")
	b.Follow(".steps a[href='/office/paper']")
	webtest.Eval[any](b, `document.querySelector("#name").value = "The Harbour Post", document.querySelector("#zone").value = "Asia/Tokyo", document.querySelector("#accent").value = "#0b5d3b", 0`)
	b.Axe("paper")
	b.Shot("paper-en")
	b.Follow("main button[type=submit]")
	if name := b.Text(".nameplate"); name != "The Harbour Post" || b.Text(".flash") == "" {
		t.Errorf("the paper is called %q", name)
	}
	if colour := webtest.Eval[string](b, `getComputedStyle(document.documentElement).getPropertyValue("--accent")`); !strings.Contains(colour, "#0b5d3b") {
		t.Errorf("the accent is %q", colour)
	}
	b.Go("/office/front?language=en")
	for range 3 {
		b.Follow("button[value=pin]")
	}
	first := b.Text("ol.places > li:first-child h3")
	b.Follow("ol.places > li:first-child button[value=down]")
	if got := b.Text("ol.places > li:nth-child(2) h3"); got != first {
		t.Errorf("the second is %q, want %q", got, first)
	}
	// The keyboard finds the button where it was left.
	b.KeysFollow("\r")
	if got := b.Text("ol.places > li:nth-child(3) h3"); got != first {
		t.Errorf("the third is %q, want %q", got, first)
	}
	lead := b.Text("ol.places > li:first-child h3")
	for _, lang := range []string{"en", "ja"} {
		for name, size := range map[string]func(){"desktop": b.Desktop, "phone": b.Phone} {
			size()
			for page, path := range map[string]string{"office": "/office", "paper": "/office/paper", "front": "/office/front?language=en", "home": "/", "preview": "/office/front/preview"} {
				mark := "?"
				if strings.Contains(path, "?") {
					mark = "&"
				}
				b.Go(path + mark + "lang=" + lang)
				b.Axe(page + " " + lang + " " + name)
				b.Shot(page + "-" + lang + "-" + name)
			}
		}
	}
	b.Go("/?lang=en")
	if got := b.Text(".lead > .story h2"); got != lead {
		t.Errorf("%q leads, want %q", got, lead)
	}
}
