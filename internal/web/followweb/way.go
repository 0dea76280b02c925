package followweb

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

// changeFeed gives a reader a private feed under a new address, or takes it away.
func (p *pages) changeFeed(w http.ResponseWriter, r *http.Request) error {
	key := r.PostFormValue("key")
	reader, err := p.reader(r, key)
	if err != nil {
		return err
	}
	if r.PostFormValue("do") == "end" {
		err = p.Follows.EndFeed(r.Context(), reader.ID)
	} else {
		_, err = p.Follows.NewFeed(r.Context(), reader.ID)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "follows.changed")
	return p.site.Redirect(w, r, at(key))
}

// fed is how many stories a private feed has.
const fed = 50

// feed is what a reader was told of, for programs that cannot sign in.
func (p *pages) feed(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	reader, err := p.Follows.Fed(r.Context(), key)
	if err != nil {
		return err
	}
	told, err := p.Ledger.Recent(r.Context(), reader.ID, 4*fed)
	if err != nil {
		return err
	}
	var refs []story.Ref
	for _, d := range told {
		if d.Channel == deliver.Feed && !slices.Contains(refs, d.Ref) && len(refs) < fed {
			refs = append(refs, d.Ref)
		}
	}
	stories, err := p.Matcher.Stories.Get(r.Context(), refs...)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("X-Robots-Tag", "noindex")
	return p.site.ServeFeed(w, r, web.StoryFeed{Title: p.site.T(r, "follows.title"), Home: "/follows", Query: url.Values{"key": {key}}, Stories: stories})
}

// subscription is what a browser says of its push service.
type subscription struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
}

func (p *pages) addBrowser(w http.ResponseWriter, r *http.Request) error {
	if p.PushKey == "" {
		return errs.NotFound
	}
	reader, err := p.reader(r, r.PostFormValue("key"))
	if err != nil {
		return err
	}
	var s subscription
	if err := json.Unmarshal([]byte(r.PostFormValue("subscription")), &s); err != nil {
		return errs.Wrap(err, errs.Malformed, "The request could not be read.")
	}
	keys, err := p.PushKeys(s.Keys.P256dh, s.Keys.Auth)
	if err != nil {
		return errs.Wrap(err, errs.Invalid, "The browser's keys cannot be used.")
	}
	if err := p.Follows.AddBrowser(r.Context(), reader.ID, s.Endpoint, keys, r.UserAgent()); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "follows.push.begun")
	return p.site.Redirect(w, r, at(r.PostFormValue("key")))
}

func (p *pages) removeBrowser(w http.ResponseWriter, r *http.Request) error {
	key := r.PostFormValue("key")
	reader, err := p.reader(r, key)
	if err != nil {
		return err
	}
	if err := p.Follows.RemoveBrowser(r.Context(), reader.ID, r.PostFormValue("browser")); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "follows.changed")
	return p.site.Redirect(w, r, at(key))
}

// worker is the script that a browser runs when it is told something. It stands at the
// root because a worker sees no pages above its own address.
func (p *pages) worker(w http.ResponseWriter, _ *http.Request) error {
	script, err := files.ReadFile("worker.js")
	if err != nil {
		return errors.Join(errs.Internal, err)
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, err = w.Write(script)
	return err
}
