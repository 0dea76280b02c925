package followweb

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/deliver/bounce"
	"pressroom/internal/follow"
	"pressroom/internal/web/webtest"
)

// returned is a bounce of a letter to an address.
func returned(key bounce.Key, to string) string {
	return "From: MAILER-DAEMON@mx.example\r\nTo: <" + key.Return("bounces@news.example", to) + ">\r\nSubject: failure notice\r\n\r\n<" + to + ">: 550 5.1.1 User unknown\r\n"
}

// A bounce ends letters to its address, which the reader and operators see, until an
// operator lifts it. Without the token, or the stamp, nothing happens.
func TestBounces(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			p := open(t)
			reader, err := p.follows.Owner(t.Context(), "ann@reader.example", lang, "")
			must(t, err)
			page := "/follows?lang=" + lang + "&key=" + reader.Link(follow.ForManaging)
			office := addresses + "?lang=" + lang
			told := func() bool {
				t.Helper()
				doc := p.status(p.Get(t, auth.Everyone, page), 200).Doc
				return strings.Contains(doc.Find(".notice.bad").Text(), "ann@reader.example")
			}
			take := func(token, mail string) *webtest.Reply {
				return p.Do(t, auth.Everyone, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/bounces/"+token, strings.NewReader(mail)))
			}
			p.status(take("wrong", returned(bounce.Key("k"), "ann@reader.example")), 404)
			p.status(take("door", returned(bounce.Key("forged"), "ann@reader.example")), 200)
			if told() {
				t.Fatal("a stranger's bounce counts")
			}
			if body := p.status(p.Get(t, auth.Operator, office), 200).Body; !strings.Contains(body, "/bounces/door") || strings.Contains(body, "ann@") {
				t.Errorf("operators see %s", body)
			}
			reply := p.status(take("door", returned(bounce.Key("k"), "ann@reader.example")), 200)
			if !strings.Contains(reply.Body, `"verdict":"gone"`) || !told() {
				t.Fatalf("the bounce does not count: %s", reply.Body)
			}
			p.status(p.Get(t, auth.Moderator, office), 403)
			doc := p.status(p.Get(t, auth.Operator, office), 200).Doc
			if row := doc.Find("tbody tr").Text(); !strings.Contains(row, "ann@reader.example") || !strings.Contains(row, "User unknown") {
				t.Errorf("operators see %q", row)
			}
			form := url.Values{"channel": {"mail"}, "address": {"ann@reader.example"}}
			p.status(p.Post(t, auth.Moderator, addresses+"/lift", form), 403)
			p.status(p.Post(t, auth.Operator, addresses+"/lift", form), 303)
			if told() {
				t.Error("it was not lifted")
			}
		})
	}
}
