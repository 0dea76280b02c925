package readerweb

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/deliver/channel"
	"pressroom/internal/follow"
	letter "pressroom/internal/mail"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/internal/web/followweb"
	"pressroom/internal/web/webtest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// office is a mail server that others wrote, on loopback.
type office struct {
	mu      sync.Mutex
	letters []string
	to      []string
}

func newOffice(t testing.TB) (*office, *channel.Mail) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	o := &office{}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &visit{o}, nil }))
	s.Domain, s.ErrorLog = "here", log.New(io.Discard, "", 0)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	c := &channel.Mail{Line: &letter.Line{Server: &letter.Server{Addr: l.Addr().String()}}, From: mail.Address{Address: "news@example.org"}, ListName: "follow"}
	t.Cleanup(c.Line.Close)
	return o, c
}

type visit struct{ *office }

func (v *visit) Reset()                               {}
func (v *visit) Logout() error                        { return nil }
func (v *visit) Mail(string, *smtp.MailOptions) error { return nil }

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.to = append(v.to, to)
	return nil
}

func (v *visit) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.letters = append(v.letters, string(body))
	return err
}

// place is a newsroom with letters, follows and accounts.
type place struct {
	*webtest.Site
	t       *testing.T
	office  *office
	ledger  *deliver.Ledger
	follows *follow.Follows
	matcher *follow.Matcher
	pages   *Pages
	desk    *storytest.Desk
	cookies map[string]*http.Cookie
}

// open returns a newsroom; base is where its letters lead.
func open(t *testing.T, joining string, mails bool) *place {
	t.Helper()
	s := webtest.Open(t, follow.Schema, deliver.Schema)
	p := &place{Site: s, t: t, cookies: map[string]*http.Cookie{}}
	var err error
	p.follows, err = follow.New(s.DB, nil)
	must(t, err)
	o := Options{Auth: s.Auth, Joining: joining, Base: "http://news.example", Moved: p.follows.Move, Kept: map[string]func(context.Context, *auth.Account) (any, error){
		"toys": func(_ context.Context, a *auth.Account) (any, error) { return "of " + a.Name, nil },
	}}
	if mails {
		var sender *channel.Mail
		p.office, sender = newOffice(t)
		composer := &follow.Composer{Follows: p.follows, Stories: s.Stories.Stories, Ledger: func() *deliver.Ledger { return p.ledger }, Name: "Pressroom", Base: o.Base}
		p.ledger, err = deliver.New(s.DB, &deliver.Options{Channels: map[string]deliver.Channel{"mail": {Sender: sender}}, Compose: func(ctx context.Context, d *deliver.Delivery) (*deliver.Message, error) {
			if d.Desk == deliver.Account {
				return p.pages.Compose(ctx, d)
			}
			return composer.Compose(ctx, d)
		}})
		must(t, err)
		o.Ledger = p.ledger
		p.desk = s.Stories.Desk("toys")
		p.matcher = &follow.Matcher{Follows: p.follows, Ledger: p.ledger, Stories: s.Stories.Stories, Desks: []string{"toys"}, Load: func(ctx context.Context, ref story.Ref) (story.Text, error) { return p.desk.Load(ctx, ref.ID) }}
		must(t, followweb.Register(s.Site, followweb.Options{Follows: p.follows, Matcher: p.matcher, Ledger: p.ledger, Mail: sender}))
	}
	p.pages, err = Register(s.Site, o)
	must(t, err)
	return p
}

// send asks as a browser that keeps cookies, from an address.
func (p *place) send(method, path string, form url.Values, want int) *webtest.Reply {
	p.t.Helper()
	r := httptest.NewRequestWithContext(p.t.Context(), method, path, strings.NewReader(form.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for _, c := range p.cookies {
		r.AddCookie(c)
	}
	reply := p.Do(p.t, auth.Everyone, r)
	for _, c := range reply.Cookies() {
		if delete(p.cookies, c.Name); c.MaxAge >= 0 {
			p.cookies[c.Name] = c
		}
	}
	if reply.StatusCode != want {
		p.t.Fatalf("%s %s answered %s: %s", method, path, reply.Status, reply.Doc.Find("main").Text())
	}
	return reply
}

var tokens = regexp.MustCompile(`token=3D([A-Za-z0-9_=\r\n-]+)`)

// post delivers what is written down, and returns the letters that came since, as
// "address: subject", with the token of the last.
func (p *place) post() (came []string, token string) {
	p.t.Helper()
	before := len(p.office.letters)
	must(p.t, p.ledger.Drain(p.t.Context()))
	for i := before; i < len(p.office.letters); i++ {
		m, err := mail.ReadMessage(strings.NewReader(p.office.letters[i]))
		must(p.t, err)
		came = append(came, p.office.to[i]+": "+m.Header.Get("Subject"))
		if found := tokens.FindStringSubmatch(p.office.letters[i]); found != nil {
			token = strings.NewReplacer("=\r\n", "", "=\n", "").Replace(found[1])
			token = token[:43]
		}
	}
	return came, token
}

const password = "correct horse battery"

// An account from its beginning to its end, in both languages.
func TestAccount(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			p := open(t, Open, true)
			in := "?lang=" + lang
			// What is followed by address alone becomes the account's.
			reader, err := p.follows.Owner(t.Context(), "ann@example.org", "en", "")
			must(t, err)
			must(t, p.follows.Follow(t.Context(), reader.ID, follow.Subject{Kind: follow.Topic, Name: "Boats"}, "Boats", nil))

			p.send("GET", "/register"+in, nil, 200)
			p.send("POST", "/register"+in, url.Values{"email": {"Ann@example.org"}}, 200)
			came, token := p.post()
			if len(came) != 1 || !strings.HasPrefix(came[0], "ann@example.org: ") {
				t.Fatalf("letters: %q", came)
			}
			at := "/register/confirm" + in + "&token=" + token
			p.send("GET", at, nil, 200)
			choice := url.Values{"token": {token}, "name": {"ann"}, "password": {password}, "again": {password}}
			p.send("POST", "/register/confirm"+in, url.Values{"token": {token}, "name": {"ann"}, "password": {password}, "again": {"x"}}, 422)
			p.send("POST", "/register/confirm"+in, choice, 303)
			p.send("GET", at, nil, 404)
			p.send("POST", "/register/confirm"+in, choice, 404)
			if body := p.send("GET", "/account"+in, nil, 200).Body; !strings.Contains(body, "ann@example.org") || !strings.Contains(body, "/account/delete") {
				t.Error("the account's page")
			}
			if body := p.send("GET", "/follows"+in, nil, 200).Body; !strings.Contains(body, "Boats") {
				t.Error("what was followed by the address is not the account's")
			}
			p.send("POST", "/follow"+in, url.Values{"kind": {"topic"}, "name": {"Cars"}}, 303) // without a letter
			if came, _ := p.post(); len(came) != 0 {
				t.Errorf("letters: %q", came)
			}

			p.send("GET", "/account/address"+in, nil, 200)
			p.send("POST", "/account/address"+in, url.Values{"email": {"new@example.org"}, "old": {"wrong"}}, 422)
			p.send("POST", "/account/address"+in, url.Values{"email": {"new@example.org"}, "old": {password}}, 200)
			came, token = p.post()
			if len(came) != 2 {
				t.Fatalf("letters: %q", came)
			}
			p.send("GET", "/account/address/confirm"+in+"&token="+token, nil, 200)
			p.send("POST", "/account/address/confirm"+in, url.Values{"token": {token}}, 303)
			p.send("POST", "/account/address/confirm"+in, url.Values{"token": {token}}, 404)
			if came, _ = p.post(); len(came) != 1 || !strings.HasPrefix(came[0], "ann@example.org: ") {
				t.Errorf("letters after the move: %q", came)
			}
			if body := p.send("GET", "/follows"+in, nil, 200).Body; !strings.Contains(body, "Boats") || !strings.Contains(body, "new@example.org") {
				t.Error("what is followed stayed behind")
			}

			var out struct {
				Account  map[string]any
				Sessions []any
				Kept     map[string]any
			}
			reply := p.send("GET", "/account/export", nil, 200)
			must(t, json.Unmarshal([]byte(reply.Body), &out))
			if out.Account["email"] != "new@example.org" || len(out.Sessions) != 1 || out.Kept["toys"] != "of ann" || strings.Contains(reply.Body, "argon2") {
				t.Errorf("exported %s", reply.Body)
			}

			p.send("POST", "/sign-out", nil, 303)
			p.send("GET", "/reset"+in, nil, 200)
			p.send("POST", "/reset"+in, url.Values{"email": {"new@example.org"}}, 200)
			_, token = p.post()
			p.send("GET", "/reset/confirm"+in+"&token="+token, nil, 200)
			p.send("POST", "/reset/confirm"+in, url.Values{"token": {token}, "password": {"another long word"}, "again": {"another long word"}}, 303)
			p.send("POST", "/reset/confirm"+in, url.Values{"token": {token}, "password": {"another long word"}, "again": {"another long word"}}, 404)
			p.send("GET", "/account/delete"+in, nil, 200)
			p.send("POST", "/account/delete"+in, url.Values{"old": {password}}, 422)
			p.send("POST", "/account/delete"+in, url.Values{"old": {"another long word"}}, 303)
			p.send("GET", "/account"+in, nil, 303)
			if _, err := p.Auth.Named(t.Context(), "ann"); err == nil {
				t.Error("the account is there")
			}
		})
	}
}

// The pages say the same whoever has the address, and refuse what is none; letters are
// counted.
func TestPagesTellNothing(t *testing.T) {
	p := open(t, Open, true)
	p.send("POST", "/register", url.Values{"email": {"ann@example.org"}}, 200)
	_, token := p.post()
	p.send("POST", "/register/confirm", url.Values{"token": {token}, "name": {"ann"}, "password": {password}, "again": {password}}, 303)
	p.cookies = map[string]*http.Cookie{}
	for _, path := range []string{"/register", "/reset"} {
		known := p.send("POST", path, url.Values{"email": {"ann@example.org"}}, 200).Body
		unknown := p.send("POST", path, url.Values{"email": {"bob@example.org"}}, 200).Body
		if strings.ReplaceAll(known, "ann@", "bob@") != unknown {
			t.Errorf("%s tells who has an account", path)
		}
		came, _ := p.post()
		if len(came) != 2 {
			t.Errorf("%s: letters %q", path, came)
		}
		for _, bad := range []string{"x\r\nBcc: all@example.org", "ann@example.org\nBcc: b@example.org", "a@example.org,b@example.org", ""} {
			p.send("POST", path, url.Values{"email": {bad}}, 422)
		}
	}
	for range 10 {
		p.Post(t, auth.Everyone, "/reset", url.Values{"email": {"bob@example.org"}})
	}
	if came, _ := p.post(); len(came) != 2 { // besides the two that were sent before
		t.Errorf("%d more letters to one address", len(came))
	}
	for _, text := range p.office.letters {
		m, err := mail.ReadMessage(strings.NewReader(text))
		must(t, err)
		if m.Header.Get("Bcc") != "" {
			t.Errorf("a header was injected: %s", text)
		}
	}
}

// Operators may want to look first, or not at all; without mail the pages say so.
func TestJoining(t *testing.T) {
	p := open(t, Approve, true)
	p.send("POST", "/register", url.Values{"email": {"ann@example.org"}}, 200)
	_, token := p.post()
	choice := url.Values{"token": {token}, "name": {"ann"}, "password": {password}, "again": {password}}
	p.send("POST", "/register/confirm", choice, 200)
	p.send("POST", "/sign-in", url.Values{"name": {"ann"}, "password": {password}}, 401)
	ann, err := p.Auth.Named(t.Context(), "ann")
	must(t, err)
	if reply := p.Get(t, auth.Operator, "/office/users"); !strings.Contains(reply.Body, "Approve") {
		t.Error("operators do not see who waits")
	}
	p.Post(t, auth.Operator, "/office/users/"+ann.ID+"/disabled", url.Values{"disabled": {"false"}})
	if came, _ := p.post(); len(came) != 1 {
		t.Errorf("letters: %q", came)
	}
	p.send("POST", "/sign-in", url.Values{"name": {"ann@example.org"}, "password": {password}}, 303)

	for name, p := range map[string]*place{"reader.closed": open(t, Closed, true), "reader.nomail": open(t, Open, false)} {
		page := p.send("GET", "/register", nil, 200)
		if page.Count("main form") != 0 || !strings.Contains(page.Body, strings.Split(p.TIn("en", name), "'")[0][:30]) {
			t.Errorf("%s: %s", name, page.Doc.Find("main").Text())
		}
		p.send("POST", "/register", url.Values{"email": {"bob@example.org"}}, 409)
		if sign := p.send("GET", "/sign-in", nil, 200); strings.Contains(sign.Body, `href="/register"`) {
			t.Errorf("%s: sign-in leads to a form that cannot work", name)
		}
	}
}
