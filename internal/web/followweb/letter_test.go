package followweb

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/follow"
	"pressroom/internal/story"
	"pressroom/internal/web/webtest"
)

// From the draft to the archive, in both languages: a test to oneself, the schedule, the
// counts, and a story that is withdrawn afterwards.
func TestNewsletters(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			p := open(t)
			in := "?lang=" + lang
			must(t, p.Stories.SetPaper(t.Context(), &story.Paper{Name: "The Paper", Zone: "Asia/Tokyo"}, nil))
			for _, id := range []string{"1", "2"} {
				card := story.Text{Story: story.Story{Ref: story.Ref{ID: id}, Title: "Story <" + id + ">"}}
				card.Published = webtest.Now.AddDate(0, 0, -1).UTC().Format(time.RFC3339)
				p.desk.Put(t, card)
			}
			ann, err := p.follows.Owner(t.Context(), "ann@reader.example", lang, "")
			must(t, err)
			must(t, p.follows.Follow(t.Context(), ann.ID, follow.Subject{Kind: follow.Newsletter, Name: follow.Newsletter}, "", nil))
			if p.status(p.Get(t, auth.Everyone, letterRoot+in), 200).Count(".empty") != 1 || p.Get(t, auth.Everyone, letterRoot+in).Count(`a[href^="/follow?kind=newsletter&"]`) != 1 {
				t.Error("the archive is not empty, or cannot be followed")
			}
			p.status(p.Get(t, auth.Author, letterOffice+in), 403)
			p.status(p.Post(t, auth.Author, letterOffice+in, url.Values{"title": {"x"}}), 403)
			p.status(p.Post(t, auth.Moderator, letterOffice+in, url.Values{"title": {""}}), 422)
			at := p.status(p.Post(t, auth.Moderator, letterOffice+in, url.Values{"title": {"The week"}}), 303).Header.Get("Location")
			id := strings.TrimPrefix(at, letterOffice+"/")
			edit := p.status(p.Get(t, auth.Moderator, at+in), 200)
			if edit.Count(`input[name=story]`) != 2 {
				t.Fatalf("%d stories are offered", edit.Count(`input[name=story]`))
			}
			form := url.Values{"title": {"The week"}, "intro": {"Hello\r\n\r\n<b>readers</b>"}, "do": {"schedule"}}
			p.status(p.Post(t, auth.Moderator, at+in, form), 422) // no stories
			form["story"], form["do"] = []string{"toys/2", "toys/1"}, []string{"save"}
			form["segment"] = []string{"nonsense x"}
			p.status(p.Post(t, auth.Moderator, at+in, form), 422)
			form["segment"] = []string{"\n"}
			p.status(p.Post(t, auth.Moderator, at+in, form), 303)
			if got := p.Get(t, auth.Moderator, at+in).Text("pre"); !strings.HasPrefix(got, "Hello <b>readers</b> Story <2>") {
				t.Errorf("the preview is %q", got)
			}
			frame := p.Get(t, auth.Moderator, at+in).Attr("iframe[sandbox]", "src")
			html := httptest.NewRecorder() // no page of the site: it has styles of its own
			p.Mux.ServeHTTP(html, httptest.NewRequestWithContext(auth.With(t.Context(), webtest.As(auth.Moderator)), http.MethodGet, frame, nil))
			if body := html.Body.String(); !strings.Contains(body, `<html lang="`+lang+`"`) || !strings.Contains(body, "&lt;b&gt;readers") || !strings.Contains(body, ">The Paper</h1>") || !strings.Contains(html.Header().Get("Content-Security-Policy"), "frame-ancestors 'self'") {
				t.Errorf("the preview with markup, at %s: %d %v %s", frame, html.Code, html.Header(), body)
			}
			p.status(p.Get(t, auth.Author, frame), 403)
			p.status(p.Get(t, auth.Everyone, letterRoot+"/"+id+in), 404) // a draft is nobody's business
			form["do"] = []string{"test"}
			p.status(p.Post(t, auth.Moderator, at+in, form), 422) // whose address is not confirmed
			editor := webtest.As(auth.Moderator)
			editor.Email, editor.Confirmed = "ed@news.example", true
			r := httptest.NewRequestWithContext(auth.With(t.Context(), editor), http.MethodPost, at+in, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			p.status(p.Do(t, auth.Everyone, r), 303)
			if len(p.outbox.letters) != 1 || p.outbox.letters[0].To != editor.Email || !strings.Contains(p.outbox.letters[0].Text, "Story <1>") {
				t.Errorf("the test went to %+v", p.outbox.letters)
			}
			form["do"], form["at"] = []string{"schedule"}, []string{"soon"}
			p.status(p.Post(t, auth.Moderator, at+in, form), 422)
			form["at"] = []string{"2030-01-02T07:00"}
			p.status(p.Post(t, auth.Moderator, at+in, form), 303)
			due, err := p.follows.Letter(t.Context(), id)
			if must(t, err); due.At != "2030-01-01T22:00:00.000Z" {
				t.Errorf("seven in Tokyo is %s", due.At)
			}
			if page := p.Get(t, auth.Moderator, at+in); page.Attr("#at", "value") != "2030-01-02T07:00" || !strings.Contains(page.Text("form"), "Asia/Tokyo") {
				t.Errorf("the schedule is shown as %q", page.Attr("#at", "value"))
			}
			form["at"] = []string{""}
			p.status(p.Post(t, auth.Moderator, at+in, form), 303)
			n, err := p.follows.Mail(t.Context(), p.ledger, p.Stories.Stories)
			if must(t, err); n != 1 {
				t.Fatalf("%d newsletters went", n)
			}
			p.status(p.Post(t, auth.Moderator, at+in, form), 409)
			if got := p.status(p.Get(t, auth.Moderator, at+in), 200).Text("section li"); !strings.Contains(got, "1") {
				t.Errorf("the counts are %q", got)
			}
			sent, err := p.ledger.Recent(t.Context(), ann.ID, 10)
			if must(t, err); len(sent) != 1 || sent[0].Desk != follow.Newsletter || sent[0].State != deliver.Waiting {
				t.Errorf("in the ledger: %+v", sent)
			}
			page := p.status(p.Get(t, auth.Everyone, letterRoot+"/"+id+in), 200)
			if !strings.Contains(page.Body, "Story &lt;1&gt;") || !strings.Contains(page.Body, "&lt;b&gt;readers") || page.Count(".story") != 2 {
				t.Errorf("the archive: %s", page.Body)
			}
			p.desk.TakeBack(t, "1")
			if page := p.Get(t, auth.Everyone, letterRoot+"/"+id+in); strings.Contains(page.Body, "Story &lt;1&gt;") || page.Count(".story") != 1 {
				t.Errorf("a withdrawn story is in the archive: %s", page.Body)
			}
			if p.Get(t, auth.Everyone, letterRoot+in).Count(".story") != 1 {
				t.Error("the archive does not list it")
			}
		})
	}
}
