package followweb

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/follow"
	"pressroom/internal/story"
	"pressroom/internal/web/webtest"
)

var feedLink = regexp.MustCompile(`/follows/feed\.atom\?key=([\w.%-]+)`)

// A private feed has what its reader was told of; its address can be changed and ended,
// and nobody guesses it.
func TestPrivateFeed(t *testing.T) {
	p := open(t)
	ctx := t.Context()
	reader, err := p.follows.Owner(ctx, "ann@example.org", "en", "")
	must(t, err)
	p.desk.Put(t, story.Text{Story: story.Story{Ref: story.Ref{ID: "1"}, Title: "A car", Topics: []string{"Toys"}}})
	key := reader.Link(follow.ForManaging)
	show := func() string {
		t.Helper()
		body := p.status(p.Get(t, auth.Everyone, at(key)), 200).Body
		if found := feedLink.FindStringSubmatch(body); found != nil {
			return found[1]
		}
		return ""
	}
	if show() != "" {
		t.Fatal("there is a feed that nobody asked for")
	}
	p.status(p.Post(t, auth.Everyone, "/follows/feed", url.Values{"key": {key}, "do": {"new"}}), 303)
	first := show()
	_, err = p.ledger.Add(ctx, deliver.Delivery{Ref: story.Ref{Desk: "toys", ID: "1"}, Recipient: reader.ID, Channel: deliver.Feed, Revision: 1, What: story.Published})
	must(t, err)
	reply := p.status(p.Get(t, auth.Everyone, "/follows/feed.atom?key="+first), 200)
	if !strings.Contains(reply.Body, "A car") || reply.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("the feed: %s %s", reply.Header.Get("Cache-Control"), reply.Body)
	}
	p.status(p.Get(t, auth.Everyone, "/follows/feed.json?key="+first), 200)
	for _, bad := range []string{"", "x", "x.y", key, strings.Split(first, ".")[0] + ".AAAA"} {
		p.status(p.Get(t, auth.Everyone, "/follows/feed.atom?key="+url.QueryEscape(bad)), 404)
	}
	p.status(p.Get(t, auth.Everyone, "/follows?key="+first), 404) // it manages nothing
	p.status(p.Post(t, auth.Everyone, "/follows/feed", url.Values{"key": {key}, "do": {"new"}}), 303)
	second := show()
	p.status(p.Get(t, auth.Everyone, "/follows/feed.atom?key="+first), 404)
	p.status(p.Get(t, auth.Everyone, "/follows/feed.atom?key="+second), 200)
	p.status(p.Post(t, auth.Everyone, "/follows/feed", url.Values{"key": {key}, "do": {"end"}}), 303)
	p.status(p.Get(t, auth.Everyone, "/follows/feed.atom?key="+second), 404)
}

// A browser subscribes and ends it; what is no push service is refused.
func TestPushPages(t *testing.T) {
	p := open(t)
	ctx := t.Context()
	reader, err := p.follows.Owner(ctx, "ann@example.org", "en", "")
	must(t, err)
	key := reader.Link(follow.ForManaging)
	subscribe := func(endpoint, keys string) *webtest.Reply {
		text, err := json.Marshal(map[string]any{"endpoint": endpoint, "keys": map[string]string{"p256dh": keys, "auth": keys}})
		must(t, err)
		return p.Post(t, auth.Everyone, "/follows/push", url.Values{"key": {key}, "subscription": {string(text)}})
	}
	for _, bad := range []string{"", "http://push.example/1", "https://u:p@push.example/", "ftp://x"} {
		p.status(subscribe(bad, "good"), 422)
	}
	p.status(subscribe("https://push.example/1", "bad"), 422)
	for range 2 {
		p.status(subscribe("https://push.example/1", "good"), 303)
	}
	for i := range 15 {
		must(t, p.follows.AddBrowser(ctx, reader.ID, "https://push.example/more"+strings.Repeat("x", i), []byte("keys"), ""))
	}
	all, err := p.follows.Browsers(ctx, reader.ID)
	must(t, err)
	now, err := p.follows.Reader(ctx, reader.ID)
	if must(t, err); len(all) != 10 || len(now.Ways) != 11 {
		t.Errorf("%d browsers, ways %v", len(all), now.Ways)
	}
	p.status(p.Post(t, auth.Everyone, "/follows/push/end", url.Values{"key": {key}, "browser": {all[0].ID}}), 303)
	if all, err = p.follows.Browsers(ctx, reader.ID); err != nil || len(all) != 9 {
		t.Errorf("%d browsers, %v", len(all), err)
	}
	if reply := p.status(p.Get(t, auth.Everyone, "/service-worker.js"), 200); !strings.HasPrefix(reply.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("the worker is %s", reply.Header.Get("Content-Type"))
	}
	must(t, p.follows.Leave(ctx, reader.ID))
	if all, err = p.follows.Browsers(ctx, reader.ID); err != nil || len(all) != 0 {
		t.Errorf("%d browsers after leaving, %v", len(all), err)
	}
}
