// Package followweb lets readers follow in the browser: a form for the address under
// /follow, the link that confirms it, and under /follows what a reader follows, how they
// are told, what would have come last week, what was sent, and the end of it all.
//
// It promises that nothing is done by merely opening a link, because mail programs open
// links: a page asks first, but for the one-click end of RFC 8058, which is a POST. What
// the pages answer does not tell whether an address is known.
//
// Start with [Register].
package followweb

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/deliver/bounce"
	"pressroom/internal/errs"
	"pressroom/internal/follow"
	"pressroom/internal/front"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

//go:embed *.html locales static
//go:embed worker.js
var files embed.FS

// Options are what the pages stand on; all are needed but Now.
type Options struct {
	Follows *follow.Follows
	Matcher *follow.Matcher
	Ledger  *deliver.Ledger
	// Mail sends the links that confirm, at once: a reader waits for them.
	Mail deliver.Sender
	// Label is what a subject is called; nil if it is its name. One that there is not is
	// errs.NotFound.
	Label func(context.Context, follow.Subject) (string, error)
	// Sample is a newsletter before it goes.
	Sample func(ctx context.Context, l *follow.Letter, to, language string) (*deliver.Message, error)
	// PushKey is what browsers subscribe with, to be told by push; "" for no push.
	PushKey string
	// PushKeys checks the keys of a subscription, and joins them.
	PushKeys func(p256dh, auth string) ([]byte, error)
	// Bounces takes in what comes back of letters, from whoever has the token; nil takes
	// nothing.
	Bounces     *bounce.Intake
	BounceToken string
	Now         func() time.Time // default time.Now
}

type pages struct {
	Options
	site  *web.Site
	views *web.Templates
}

// asking limits forms that send letters or look at many stories.
var asking = front.Rate{PerSecond: 0.5, Burst: 20}

// Register puts following on the site. Its errors are mistakes in the embedded files.
func Register(site *web.Site, o Options) error {
	views, err := site.Templates(files)
	if err != nil {
		return err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &pages{o, site, views}
	for pattern, h := range map[string]web.Handler{
		"GET /follow": p.ask, "POST /follow": p.request,
		"GET /follow/confirm": p.askConfirm, "POST /follow/confirm": p.confirm,
		"GET /follows": p.show, "POST /follows": p.change, "POST /follows/end": p.end,
		"GET /follows/leave": p.askLeave, "POST /follows/leave": p.leave,
		"POST /follows/feed": p.changeFeed, "GET /follows/feed.atom": p.feed, "GET /follows/feed.json": p.feed,
		"POST /follows/push": p.addBrowser, "POST /follows/push/end": p.removeBrowser, "GET /service-worker.js": p.worker,
	} {
		site.Route(front.Route{Pattern: pattern, Access: auth.Everyone, Rate: asking}, h)
	}
	p.office()
	p.newsletters()
	site.Follow("/follow")
	return nil
}

// asked is what the address of a form says is to be followed.
type asked struct {
	Subject follow.Subject
	Label   string
	Search  *follow.Search
	Address string
	Own     bool // the address is that of whoever is signed in, and confirmed
	Sent    bool
}

// read is what an address or a form asks for, with what it is called.
func (p *pages) read(ctx context.Context, values url.Values) (asked, error) {
	a, err := read(values)
	if err == nil && p.Label != nil && a.Search == nil {
		var label string
		if label, err = p.Label(ctx, a.Subject); label != a.Subject.Name {
			a.Label = label
		}
	}
	return a, err
}

func read(values url.Values) (asked, error) {
	a := asked{Subject: follow.Subject{Kind: values.Get("kind"), Name: values.Get("name")}, Label: cmp.Or(values.Get("label"), values.Get("name")), Address: values.Get("address")}
	if q := values.Get("q"); q != "" {
		a.Search, a.Label = &follow.Search{Text: q, Desks: some(values["desk"]), Languages: some(values["language"]), Topics: some(values["tag"])}, q
		a.Subject = follow.Subject{Kind: follow.Saved, Name: a.Search.ID()}
	}
	if !slices.Contains(follow.Kinds, a.Subject.Kind) || a.Subject.Name == "" || a.Subject.Kind == follow.Saved && a.Search == nil {
		return a, errs.New(errs.NotFound, "There is nothing to follow here.")
	}
	return a, nil
}

// some are the values that say something.
func some(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" })
}

func (p *pages) ask(w http.ResponseWriter, r *http.Request) error {
	a, err := p.read(r.Context(), r.URL.Query())
	if err != nil {
		return err
	}
	if account := auth.From(r.Context()); account != nil {
		a.Address, a.Own = account.Email, account.Confirmed
	}
	return p.form(w, r, a, nil)
}

// mine returns the reader of whoever is signed in with a confirmed address; nobody else
// needs no letter.
func (p *pages) mine(r *http.Request) (reader follow.Reader, ok bool, err error) {
	account := auth.From(r.Context())
	if account == nil || !account.Confirmed {
		return reader, false, nil
	}
	reader, err = p.Follows.Owner(r.Context(), account.Email, p.site.Lang(r), r.PostFormValue("zone"))
	return reader, err == nil, err
}

// reader returns whose follows a page is about: of the key in a letter's link, or of
// whoever is signed in.
func (p *pages) reader(r *http.Request, key string) (follow.Reader, error) {
	if key != "" {
		return p.Follows.Linked(r.Context(), key, follow.ForManaging)
	}
	reader, ok, err := p.mine(r)
	if err == nil && !ok {
		err = errs.New(errs.NotFound, "Open the link in a letter, or sign in and confirm your address, to see what you follow.")
	}
	return reader, err
}

// at is where the page of a reader is.
func at(key string) string {
	if key == "" {
		return "/follows"
	}
	return "/follows?" + url.Values{"key": {key}}.Encode()
}

func (p *pages) form(w http.ResponseWriter, r *http.Request, a asked, problem error) error {
	page := web.Page{Title: p.site.T(r, "follow.title"), NoIndex: true, Private: true, Problem: problem, Data: a}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "follow", page)
}

// request sends the link that confirms, to the address and nowhere else.
func (p *pages) request(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return errs.Wrap(err, errs.Malformed, "The form could not be read.")
	}
	a, err := p.read(r.Context(), r.PostForm)
	if err != nil {
		return err
	}
	if mine, ok, err := p.mine(r); err != nil {
		return err
	} else if ok {
		a.Own, a.Address = true, mine.Address
		if err := p.Follows.Follow(r.Context(), mine.ID, a.Subject, a.Label, a.Search); errors.Is(err, errs.Invalid) {
			return p.form(w, r, a, err)
		} else if err != nil {
			return err
		}
		p.site.Flash(w, r, web.Good, "follow.confirmed")
		return p.site.Redirect(w, r, "/follows")
	}
	lang := p.site.Lang(r)
	token, err := p.Follows.Request(r.Context(), follow.Ask{
		Address: a.Address, From: front.ClientAddr(r.Context()).String(), Language: lang, Zone: r.PostFormValue("zone"),
		Subject: a.Subject, Label: a.Label, Search: a.Search,
	})
	if errors.Is(err, errs.Invalid) || errors.Is(err, errs.RateLimited) {
		return p.form(w, r, a, err)
	}
	if err != nil {
		return err
	}
	to, err := follow.Address(a.Address)
	if err != nil {
		return err
	}
	link := p.site.Absolute(r, "/follow/confirm?"+url.Values{"token": {token}, "lang": {lang}}.Encode())
	m := &deliver.Message{ID: strings.ToLower(rand.Text()), To: to, Language: lang, Subject: p.site.T(r, "follow.mail.subject", a.Label), Text: p.site.T(r, "follow.mail.text", a.Label) + "\n\n" + link + "\n\n" + p.site.T(r, "follow.mail.ignore")}
	if err := p.Mail.Send(r.Context(), m); err != nil {
		var refusal *deliver.Refusal
		if !errors.As(err, &refusal) { // what the server says of an address is nobody's business
			return errs.Wrap(err, errs.Unavailable, "The mail server cannot be reached. Try again in a while.")
		}
	}
	a.Sent = true
	return p.form(w, r, a, nil)
}

func (p *pages) askConfirm(w http.ResponseWriter, r *http.Request) error {
	return p.sure(w, r, "follow.confirm", "/follow/confirm", "token", false)
}

func (p *pages) askLeave(w http.ResponseWriter, r *http.Request) error {
	return p.sure(w, r, "follow.leave", "/follows/leave", "key", false)
}

// sure is a page with one button.
type sure struct {
	Words, Action, Name, Value string
	Done                       bool
}

func (p *pages) sure(w http.ResponseWriter, r *http.Request, words, action, name string, done bool) error {
	return p.site.Render(w, r, p.views, "sure", web.Page{
		Title: p.site.T(r, words+".title"), NoIndex: true, Private: true, Data: sure{words, action, name, r.URL.Query().Get(name), done},
	})
}

func (p *pages) confirm(w http.ResponseWriter, r *http.Request) error {
	reader, err := p.Follows.Confirm(r.Context(), r.PostFormValue("token"))
	if errors.Is(err, errs.NotFound) {
		return errs.New(errs.NotFound, "This link was used before, or is older than two days. Ask for a new one.")
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "follow.confirmed")
	return p.site.Redirect(w, r, at(reader.Link(follow.ForManaging)))
}

// leave ends everything; the key may be in the address, as a mail program sends it, or in
// the form.
func (p *pages) leave(w http.ResponseWriter, r *http.Request) error {
	reader, err := p.Follows.Linked(r.Context(), r.FormValue("key"), follow.ForLeaving)
	if err == nil {
		err = p.Follows.Leave(r.Context(), reader.ID)
	}
	if err != nil && !errors.Is(err, errs.NotFound) { // who has left may leave again
		return err
	}
	return p.sure(w, r, "follow.leave", "", "key", true)
}

// managed is what a reader sees of their follows.
type managed struct {
	Key, Leave string
	Reader     follow.Reader
	Follows    []follow.Follow
	Paces      []web.Choice
	PushKey    string
	Browsers   []follow.Browser
	Feed       string // the address of the private feed; "" for none
	Suppressed bool   // mail to the address came back
	Preview    []story.Story
	Sent       []deliver.Delivery
}

func (p *pages) show(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	reader, err := p.reader(r, key)
	if err != nil {
		return err
	}
	return p.manage(w, r, key, reader, nil)
}

func (p *pages) manage(w http.ResponseWriter, r *http.Request, key string, reader follow.Reader, problem error) error {
	data := managed{Key: key, Leave: reader.Link(follow.ForLeaving), Reader: reader}
	for one, err := range p.Follows.Following(r.Context(), reader.ID) {
		if err != nil {
			return err
		}
		if one.Label == "" {
			one.Label = one.Name
		}
		data.Follows = append(data.Follows, one)
	}
	for _, pace := range []follow.Pace{follow.AtOnce, follow.Daily, follow.Weekly} {
		data.Paces = append(data.Paces, web.Choice{Value: string(pace), Label: p.site.T(r, "follow.pace."+string(pace))})
	}
	data.PushKey = p.PushKey
	if link := reader.FeedLink(); link != "" {
		data.Feed = p.site.Absolute(r, "/follows/feed.atom?"+url.Values{"key": {link}}.Encode())
	}
	_, err := p.Ledger.Suppressed(r.Context(), "mail", reader.Address)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return err
	}
	data.Suppressed = err == nil
	if data.Browsers, err = p.Follows.Browsers(r.Context(), reader.ID); err != nil {
		return err
	}
	if data.Preview, err = p.Matcher.Preview(r.Context(), reader.ID, p.Now().AddDate(0, 0, -7)); err != nil {
		return err
	}
	sent, err := p.Ledger.Recent(r.Context(), reader.ID, 20)
	if err != nil {
		return err
	}
	for _, d := range sent {
		if d.Desk != deliver.Digest && d.Desk != deliver.Account && d.Channel != deliver.Feed {
			data.Sent = append(data.Sent, d)
		}
	}
	page := web.Page{Title: p.site.T(r, "follows.title"), NoIndex: true, Private: true, Problem: problem, Canonical: "/follows", Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "follows", page)
}

func (p *pages) change(w http.ResponseWriter, r *http.Request) error {
	key := r.PostFormValue("key")
	reader, err := p.reader(r, key)
	if err != nil {
		return err
	}
	_, err = p.Follows.Change(r.Context(), reader.ID, func(now *follow.Reader) error {
		now.Pace, now.Zone = follow.Pace(r.PostFormValue("pace")), r.PostFormValue("zone")
		if lang := r.PostFormValue("language"); slices.Contains(web.Languages, lang) {
			now.Language = lang
		}
		return nil
	})
	if errors.Is(err, errs.Invalid) {
		return p.manage(w, r, key, reader, err)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "follows.changed")
	return p.site.Redirect(w, r, at(key))
}

func (p *pages) end(w http.ResponseWriter, r *http.Request) error {
	key := r.PostFormValue("key")
	reader, err := p.reader(r, key)
	if err != nil {
		return err
	}
	if err := p.Follows.Unfollow(r.Context(), reader.ID, follow.Subject{Kind: r.PostFormValue("kind"), Name: r.PostFormValue("name")}); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "follows.ended")
	return p.site.Redirect(w, r, at(key))
}
