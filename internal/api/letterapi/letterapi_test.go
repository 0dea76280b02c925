package letterapi_test

import (
	"strings"
	"testing"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/api/apitest"
	"pressroom/internal/api/letterapi"
	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/follow"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
)

// From the draft to the schedule, by a program.
func TestNewsletters(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	tokyo := time.FixedZone("Asia/Tokyo", 9*60*60)
	h := apitest.Open(t, "/api/v1", follow.Schema, deliver.Schema, story.Schema)
	stories := storytest.On(t, h.DB)
	follows, err := follow.New(h.DB, &follow.Options{Now: func() time.Time { return now }})
	apitest.Check(t, err)
	composer := &follow.Composer{Follows: follows, Stories: stories.Stories, Name: "Newsroom", Base: "https://news.example"}
	letterapi.Register(h.API, letterapi.Options{Follows: follows, Sample: composer.Sample, Zone: func() *time.Location { return tokyo }, Now: func() time.Time { return now }})
	h.Doors(map[auth.Role]string{auth.Moderator: "GET /newsletters|POST /newsletters|GET /newsletters/{id}|PUT /newsletters/{id}|DELETE /newsletters/{id}|GET /newsletters/{id}/preview|POST /newsletters/{id}/schedule"})
	stories.Desk("toys").Put(t, story.Text{Story: story.Story{Ref: story.Ref{ID: "1"}, Title: "A <b>oat"}})
	ann, err := follows.Owner(t.Context(), "ann@example.org", "en", "")
	apitest.Check(t, err)
	apitest.Check(t, follows.Follow(t.Context(), ann.ID, follow.Subject{Kind: follow.Newsletter, Name: follow.Newsletter}, "", nil))

	ed := h.Role(auth.Moderator)
	ed.Ask(422, "POST", "/newsletters", `{"title":""}`)
	ed.Ask(422, "POST", "/newsletters", `{"title":"x","segment":[{"kind":"nonsense","name":"x"}]}`)
	made := ed.Ask(201, "POST", "/newsletters", `{"title":"The week"}`)
	draft := apitest.Read[letterapi.Letter](t, made)
	at := "/newsletters/" + draft.ID
	if !strings.HasSuffix(made.Header().Get("Location"), at) || draft.State != "draft" || draft.By != "moderator" {
		t.Errorf("made: %+v at %s", draft, made.Header())
	}
	ed.Ask(409, "GET", at+"/preview", "")
	ed.Ask(422, "POST", at+"/schedule", `{}`) // no stories
	const content = `{"title":"The week","intro":"Hello","stories":["toys/1"],"segment":[]}`
	ed.Ask(428, "PUT", at, content)
	tag := made.Header().Get("ETag")
	ed.Ask(200, "PUT", at, content, "If-Match: "+tag)
	ed.Ask(412, "PUT", at, content, "If-Match: "+tag)
	preview := apitest.Read[letterapi.Preview](t, ed.Ask(200, "GET", at+"/preview?language=ja", ""))
	if preview.Recipients != 1 || !strings.HasPrefix(preview.Text, "Hello\n\nA <b>oat") || !strings.Contains(preview.HTML, `<html lang="ja">`) || !strings.Contains(preview.HTML, "A &lt;b&gt;oat") {
		t.Errorf("the preview is %+v", preview)
	}
	ed.Ask(422, "POST", at+"/schedule", `{"at":"soon"}`)
	for _, each := range []struct{ text, want string }{
		{`{"at":"2026-11-17T07:00"}`, "2026-11-16T22:00:00.000Z"}, // by the clock of the paper
		{`{"at":"2026-11-17T07:00:00-05:00"}`, "2026-11-17T12:00:00.000Z"},
		{`{}`, "2026-11-16T12:00:00.000Z"}, // which is due
	} {
		if got := apitest.Read[letterapi.Letter](t, ed.Ask(200, "POST", at+"/schedule", each.text)); got.At != each.want || got.State != "scheduled" {
			t.Errorf("scheduled for %s: %+v", each.text, got)
		}
	}
	if all := apitest.Read[api.List[letterapi.Letter]](t, ed.Ask(200, "GET", "/newsletters?state=scheduled", "")); len(all.Items) != 1 || all.Items[0].ID != draft.ID {
		t.Errorf("scheduled: %+v", all)
	}
	ledger, err := deliver.New(h.DB, nil)
	apitest.Check(t, err)
	if n, err := follows.Mail(t.Context(), ledger, stories.Stories); n != 1 || err != nil {
		t.Fatalf("%d newsletters went: %v", n, err)
	}
	ed.Ask(409, "PUT", at, content, "If-Match: *")
	ed.Ask(409, "DELETE", at, "")
	other := apitest.Read[letterapi.Letter](t, ed.Ask(201, "POST", "/newsletters", `{"title":"Another"}`))
	ed.Ask(204, "DELETE", "/newsletters/"+other.ID, "")
	ed.Ask(404, "GET", "/newsletters/"+other.ID, "")
}
