package followweb

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/deliver/bounce"
	"pressroom/internal/follow"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/internal/web/webtest"
)

type outbox struct{ letters []*deliver.Message }

func (o *outbox) Send(_ context.Context, m *deliver.Message) error {
	o.letters = append(o.letters, m)
	return nil
}

type place struct {
	*webtest.Site
	follows *follow.Follows
	desk    *storytest.Desk
	outbox  *outbox
	ledger  *deliver.Ledger
	t       *testing.T
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *place {
	t.Helper()
	s := webtest.Open(t, follow.Schema, deliver.Schema)
	follows, err := follow.New(s.DB, &follow.Options{Now: func() time.Time { return webtest.Now }})
	must(t, err)
	ledger, err := deliver.New(s.DB, nil)
	must(t, err)
	p := &place{s, follows, s.Stories.Desk("toys"), &outbox{}, ledger, t}
	must(t, Register(s.Site, Options{
		Sample:  (&follow.Composer{Follows: follows, Stories: s.Stories.Stories, Name: "Newsroom", Base: "https://news.example"}).Sample,
		Bounces: &bounce.Intake{Ledger: ledger, Key: bounce.Key("k")}, BounceToken: "door",
		PushKey: "key", PushKeys: func(p256dh, _ string) ([]byte, error) {
			if p256dh != "good" {
				return nil, errors.New("no keys")
			}
			return []byte("keys"), nil
		},
		Follows: follows, Ledger: ledger, Mail: p.outbox, Now: func() time.Time { return webtest.Now },
		Matcher: &follow.Matcher{Follows: follows, Ledger: ledger, Stories: s.Stories.Stories, Desks: []string{"toys"}, Load: func(ctx context.Context, ref story.Ref) (story.Text, error) { return p.desk.Load(ctx, ref.ID) }},
	}))
	return p
}

func (p *place) status(reply *webtest.Reply, want int) *webtest.Reply {
	p.t.Helper()
	if reply.StatusCode != want {
		p.t.Fatalf("answered %s: %s", reply.Status, reply.Body)
	}
	return reply
}

var linked = regexp.MustCompile(`token=([A-Z0-9]+)`)

// From the button to the end: nothing happens by opening a link.
func TestPages(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			p := open(t)
			in := "&lang=" + lang
			card := story.Text{Story: story.Story{Ref: story.Ref{ID: "1"}, Title: "A <b>car</b>", Topics: []string{"Toys"}}}
			card.Published = webtest.Now.AddDate(0, 0, -1).UTC().Format(time.RFC3339)
			p.desk.Put(t, card)
			p.status(p.Get(t, auth.Everyone, "/follow?kind=topic&name=Toys"+in), 200)
			form := url.Values{"kind": {"topic"}, "name": {"Toys"}, "address": {"Ann@example.org"}, "zone": {"Asia/Tokyo"}}
			reply := p.status(p.Post(t, auth.Everyone, "/follow?x=1"+in, form), 200)
			if len(p.outbox.letters) != 1 || p.outbox.letters[0].To != "ann@example.org" {
				t.Fatalf("letters: %+v", p.outbox.letters)
			}
			found := linked.FindStringSubmatch(p.outbox.letters[0].Text)
			if found == nil || strings.Contains(reply.Body, found[1]) {
				t.Fatalf("the token is missing in the letter, or is on the page: %q", found)
			}
			token := found[1]
			for range 2 { // a mail program looks
				p.status(p.Get(t, auth.Everyone, "/follow/confirm?token="+token+in), 200)
			}
			reply = p.status(p.Post(t, auth.Everyone, "/follow/confirm?x=1"+in, url.Values{"token": {token}}), 303)
			at := reply.Header.Get("Location")
			p.status(p.Post(t, auth.Everyone, "/follow/confirm?x=1"+in, url.Values{"token": {token}}), 404)
			reply = p.status(p.Get(t, auth.Everyone, at+in), 200)
			if !strings.Contains(reply.Body, "A &lt;b&gt;car&lt;/b&gt;") || reply.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("the preview: %s %s", reply.Header.Get("Cache-Control"), reply.Body)
			}
			key, err := url.ParseQuery(strings.TrimPrefix(at, "/follows?"))
			must(t, err)
			p.status(p.Post(t, auth.Everyone, "/follows?x=1"+in, url.Values{"key": {key.Get("key")}, "pace": {"once"}, "zone": {"Mars"}}), 422)
			p.status(p.Post(t, auth.Everyone, "/follows?x=1"+in, url.Values{"key": {key.Get("key")}, "pace": {"weekly"}, "zone": {"Asia/Tokyo"}, "language": {lang}}), 303)
			reader, err := p.follows.Linked(t.Context(), key.Get("key"), follow.ForManaging)
			if must(t, err); reader.Pace != follow.Weekly || reader.Language != lang {
				t.Errorf("changed to %+v", reader)
			}
			p.status(p.Post(t, auth.Everyone, "/follows/end?x=1"+in, url.Values{"key": {key.Get("key")}, "kind": {"topic"}, "name": {"toys"}}), 303)
			for one := range p.follows.Following(t.Context(), reader.ID) {
				t.Errorf("still follows %+v", one)
			}
			// A mail program's one click: a POST from a server, without a browser's headers.
			leave := "/follows/leave?key=" + reader.Link(follow.ForLeaving)
			p.status(p.Get(t, auth.Everyone, leave+in), 200)
			if _, err := p.follows.Reader(t.Context(), reader.ID); err != nil {
				t.Fatalf("left by opening a link: %v", err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, leave, strings.NewReader("List-Unsubscribe=One-Click"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			p.status(p.Do(t, auth.Everyone, r), 200)
			if _, err := p.follows.Reader(t.Context(), reader.ID); err == nil {
				t.Error("the one click did nothing")
			}
			p.status(p.Get(t, auth.Everyone, at+in), 404)
		})
	}
}

// What strangers send is refused, and what is answered tells nothing of addresses.
func TestStrangers(t *testing.T) {
	p := open(t)
	ask := func(form url.Values) *webtest.Reply { return p.Post(t, auth.Everyone, "/follow", form) }
	p.status(ask(url.Values{"kind": {"topic"}, "name": {"Toys"}, "address": {"a@b.example\r\nBcc: c@d.example"}}), 422)
	p.status(ask(url.Values{"kind": {"nonsense"}, "name": {"Toys"}, "address": {"a@b.example"}}), 404)
	p.status(ask(url.Values{"kind": {"search"}, "name": {"x"}, "address": {"a@b.example"}}), 404)
	p.status(p.Get(t, auth.Everyone, "/follows?key=x.y"), 404)
	if len(p.outbox.letters) != 0 {
		t.Fatalf("%d letters", len(p.outbox.letters))
	}
	form := url.Values{"q": {`"paper boat"`}, "desk": {"toys", ""}, "address": {"ann@example.org"}}
	unknown := p.status(ask(form), 200).Body
	token := linked.FindStringSubmatch(p.outbox.letters[0].Text)[1]
	p.status(p.Post(t, auth.Everyone, "/follow/confirm", url.Values{"token": {token}}), 303)
	if known := p.status(ask(form), 200).Body; known != unknown {
		t.Error("the page tells that the address is known")
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/follow", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	p.status(p.Do(t, auth.Everyone, r), 403)
	for range 10 {
		ask(form)
	}
	if n := len(p.outbox.letters); n != 4 {
		t.Errorf("%d letters to one address", n)
	}
}
