// Package readerweb lets readers make accounts and keep them by themselves: /register and
// /reset with the links of letters, another mail address, passkeys, all that is kept about them as
// a file, and the end of the account.
//
// It promises that what a page answers does not tell whether an address has an account;
// that nothing is done by merely opening a link, because mail programs open links; and
// that a form which could not work is not shown: the page says what is missing.
//
// Letters are written down in the ledger of deliveries before they are sent, which calls
// [Pages.Compose] for their words. Start with [Register].
package readerweb

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

// Who may make an account.
const (
	Open    = "open"    // everybody who confirms an address
	Approve = "approve" // whom an operator then lets in
	Closed  = "closed"  // nobody: operators make accounts
)

// Options are what the pages stand on.
type Options struct {
	Auth *auth.Auth
	// Joining is who may make an account; Open if empty.
	Joining string
	// Ledger is where letters are written down; nil if none can be sent.
	Ledger *deliver.Ledger
	// Base is the address of the site, for links in letters.
	Base string
	// Moved is told of an account's new address.
	Moved func(ctx context.Context, from, to string) error
	// Kept are those who keep something about an account, by name, and what that is.
	Kept map[string]func(ctx context.Context, a *auth.Account) (any, error)
}

// Pages are the pages of readers' own accounts.
type Pages struct {
	Options
	site  *web.Site
	views *web.Templates
}

// asking limits forms beside the counts that package auth keeps.
var asking = front.Rate{PerSecond: 0.5, Burst: 20}

// Register puts the pages on the site. Its errors are mistakes in the embedded files.
// Where people sign in through a provider alone, there are no local forms.
func Register(site *web.Site, o Options) (*Pages, error) {
	views, err := site.Templates(files)
	if err != nil {
		return nil, err
	}
	if o.Joining == "" {
		o.Joining = Open
	}
	p := &Pages{o, site, views}
	o.Auth.OnApprove(func(ctx context.Context, a *auth.Account) error {
		l, err := o.Auth.Tell(ctx, a, auth.Approved)
		if err != nil || l == nil || o.Ledger == nil {
			return err
		}
		return p.post(ctx, l)
	})
	for pattern, h := range map[string]web.Handler{"GET /account/export": p.export, "GET /account/delete": p.askDelete, "POST /account/delete": p.delete} {
		site.Route(front.Route{Pattern: pattern, Access: auth.Reader, Rate: asking}, h)
	}
	mails := o.Ledger != nil
	if !o.Auth.Passwords() {
		site.Readers(web.Readers{Follows: mails})
		return p, nil
	}
	for pattern, h := range map[string]web.Handler{
		"GET /register": p.askJoin, "POST /register": p.requestJoin, "GET /register/confirm": p.chooseName, "POST /register/confirm": p.join,
		"GET /reset": p.askReset, "POST /reset": p.requestReset, "GET /reset/confirm": p.choosePassword, "POST /reset/confirm": p.reset,
	} {
		site.Route(front.Route{Pattern: pattern, Access: auth.Everyone, Rate: asking}, h)
	}
	for pattern, h := range map[string]web.Handler{
		"GET /account/address": p.askMove, "POST /account/address": p.requestMove, "GET /account/address/confirm": p.confirmMove, "POST /account/address/confirm": p.move,
	} {
		site.Route(front.Route{Pattern: pattern, Access: auth.Reader, Rate: asking}, h)
	}
	p.passkeyRoutes()
	site.Readers(web.Readers{Register: mails && o.Joining != Closed, Reset: mails, Passkeys: true, Follows: mails})
	return p, nil
}

// post writes letters down to be sent.
func (p *Pages) post(ctx context.Context, all ...*auth.Letter) error {
	for _, l := range all {
		_, err := p.Ledger.Add(ctx, deliver.Delivery{Ref: story.Ref{Desk: deliver.Account, ID: l.ID}, Recipient: l.Recipient(), Channel: "mail", Revision: 1, What: story.Published})
		if err != nil {
			return err
		}
	}
	return nil
}

// linked is where the link of a letter leads.
var linked = map[auth.Purpose]string{auth.ToJoin: "/register/confirm", auth.ToReset: "/reset/confirm", auth.ToMove: "/account/address/confirm"}

// Compose is [deliver.Options.Compose] for letters about accounts.
func (p *Pages) Compose(ctx context.Context, d *deliver.Delivery) (*deliver.Message, error) {
	l, err := p.Auth.Letter(ctx, d.Ref.ID)
	if errors.Is(err, errs.NotFound) {
		return nil, &deliver.Unwanted{Reason: "its link was used, or is too old"}
	}
	if err != nil {
		return nil, err
	}
	say := func(part string, args ...any) string {
		return p.site.TIn(l.Language, "reader.mail."+string(l.Purpose)+part, args...)
	}
	text := say("", l.Other)
	link := ""
	switch path := linked[l.Purpose]; {
	case path != "":
		link = p.Base + path + "?" + url.Values{"token": {l.Token}, "lang": {l.Language}}.Encode()
	case l.Purpose == auth.Known, l.Purpose == auth.Approved:
		link = p.Base + "/sign-in"
	case l.Purpose == auth.Unknown && p.Joining != Closed:
		link = p.Base + "/register"
	}
	if link != "" {
		text += "\n\n" + link
	}
	return &deliver.Message{To: l.Address, Language: l.Language, Subject: say(".subject"), Text: text + "\n\n" + p.site.TIn(l.Language, "reader.mail.end")}, nil
}

// form is a page with one field or few.
type form struct {
	Words   string // the beginning of its keys
	Action  string
	Missing string // the key of why there is no form; "" if there is one
	Done    string // the key of what happened; "" if nothing did yet

	Address, Name, Token string
	Password             bool // the present one is asked for
}

func (p *Pages) form(w http.ResponseWriter, r *http.Request, view string, f form, problem error) error {
	page := web.Page{Title: p.site.T(r, f.Words+".title"), NoIndex: true, Private: true, Problem: problem, Data: f}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, view, page)
}

// missing says why a form could not work.
func (p *Pages) missing(joins bool) string {
	switch {
	case joins && p.Joining == Closed:
		return "reader.closed"
	case p.Ledger == nil:
		return "reader.nomail"
	}
	return ""
}

func (p *Pages) joinForm() form {
	return form{Words: "reader.join", Action: "/register", Missing: p.missing(true)}
}

func (p *Pages) resetForm() form {
	return form{Words: "reader.reset", Action: "/reset", Missing: p.missing(false)}
}

func (p *Pages) moveForm(a *auth.Account) form {
	return form{Words: "reader.move", Action: "/account/address", Missing: p.missing(false), Password: a.Local}
}

func (p *Pages) askJoin(w http.ResponseWriter, r *http.Request) error {
	return p.form(w, r, "ask", p.joinForm(), nil)
}

func (p *Pages) askReset(w http.ResponseWriter, r *http.Request) error {
	return p.form(w, r, "ask", p.resetForm(), nil)
}

func (p *Pages) askMove(w http.ResponseWriter, r *http.Request) error {
	return p.form(w, r, "ask", p.moveForm(auth.From(r.Context())), nil)
}

func (p *Pages) requestJoin(w http.ResponseWriter, r *http.Request) error {
	return p.request(w, r, p.joinForm(), func(address string) ([]*auth.Letter, error) {
		l, err := p.Auth.AskJoin(r.Context(), front.ClientAddr(r.Context()), address, p.site.Lang(r))
		return []*auth.Letter{l}, err
	})
}

func (p *Pages) requestReset(w http.ResponseWriter, r *http.Request) error {
	return p.request(w, r, p.resetForm(), func(address string) ([]*auth.Letter, error) {
		l, err := p.Auth.AskReset(r.Context(), front.ClientAddr(r.Context()), address, p.site.Lang(r))
		return []*auth.Letter{l}, err
	})
}

func (p *Pages) requestMove(w http.ResponseWriter, r *http.Request) error {
	account := auth.From(r.Context())
	return p.request(w, r, p.moveForm(account), func(address string) ([]*auth.Letter, error) {
		if err := p.Auth.CheckPassword(r.Context(), account.ID, r.PostFormValue("old")); err != nil {
			return nil, err
		}
		return p.Auth.AskMove(r.Context(), front.ClientAddr(r.Context()), account.ID, address, p.site.Lang(r))
	})
}

// request has letters written and says that they are on their way, in the same words
// whoever has the address.
func (p *Pages) request(w http.ResponseWriter, r *http.Request, f form, ask func(address string) ([]*auth.Letter, error)) error {
	if f.Missing != "" {
		return p.form(w, r, "ask", f, errs.New(errs.Conflict, "This cannot be done here."))
	}
	f.Address = strings.TrimSpace(r.PostFormValue("email"))
	letters, err := ask(f.Address)
	if errors.Is(err, errs.Invalid) || errors.Is(err, errs.RateLimited) {
		return p.form(w, r, "ask", f, err)
	}
	if err == nil {
		err = p.post(r.Context(), letters...)
	}
	if err != nil {
		return err
	}
	f.Done = "reader.sent"
	return p.form(w, r, "ask", f, nil)
}

// opened finds the letter whose link was followed, in the address or in the form.
func (p *Pages) opened(r *http.Request, purpose auth.Purpose) (token string, l *auth.Letter, err error) {
	token = r.FormValue("token")
	l, err = p.Auth.CheckLink(r.Context(), token, purpose)
	return token, l, over(err)
}

// over says what is wrong with a link.
func over(err error) error {
	if errors.Is(err, errs.NotFound) {
		return errs.New(errs.NotFound, "This link was used before, or is too old. Ask for a new one.")
	}
	return err
}

func (p *Pages) chooseName(w http.ResponseWriter, r *http.Request) error {
	token, l, err := p.opened(r, auth.ToJoin)
	if err != nil {
		return err
	}
	return p.form(w, r, "choose", form{Words: "reader.join", Action: "/register/confirm", Token: token, Address: l.Address, Missing: p.missing(true)}, nil)
}

func (p *Pages) join(w http.ResponseWriter, r *http.Request) error {
	token, l, err := p.opened(r, auth.ToJoin)
	if err != nil {
		return err
	}
	f := form{Words: "reader.join", Action: "/register/confirm", Token: token, Address: l.Address, Name: r.PostFormValue("name"), Missing: p.missing(true)}
	if f.Missing != "" {
		return p.form(w, r, "choose", f, errs.New(errs.Conflict, "This cannot be done here."))
	}
	password := r.PostFormValue("password")
	if err = web.SameTwice(r); err == nil {
		_, err = p.Auth.Join(r.Context(), front.ClientAddr(r.Context()), token, auth.NewAccount{Name: f.Name, Password: password}, p.Joining == Approve)
	}
	if errors.Is(err, errs.Invalid) || errors.Is(err, errs.RateLimited) {
		return p.form(w, r, "choose", f, err)
	}
	if err != nil {
		return over(err)
	}
	if p.Joining == Approve {
		f.Done = "reader.join.waits"
		return p.form(w, r, "choose", f, nil)
	}
	return p.enter(w, r, f.Name, password, "reader.join.done", "/account")
}

// enter signs somebody in who has just chosen a password.
func (p *Pages) enter(w http.ResponseWriter, r *http.Request, name, password, flash, to string) error {
	_, err := p.Auth.SignIn(w, r, auth.Credentials{Name: name, Password: password, Addr: front.ClientAddr(r.Context())})
	if errors.Is(err, errs.Unauthenticated) || errors.Is(err, errs.RateLimited) { // disabled; or others guess
		to = "/sign-in"
	} else if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, flash)
	return p.site.Redirect(w, r, to)
}

func (p *Pages) choosePassword(w http.ResponseWriter, r *http.Request) error {
	token, l, err := p.opened(r, auth.ToReset)
	if err != nil {
		return err
	}
	return p.form(w, r, "choose", form{Words: "reader.reset", Action: "/reset/confirm", Token: token, Address: l.Address}, nil)
}

func (p *Pages) reset(w http.ResponseWriter, r *http.Request) error {
	token, l, err := p.opened(r, auth.ToReset)
	if err != nil {
		return err
	}
	var account *auth.Account
	if err = web.SameTwice(r); err == nil {
		account, err = p.Auth.Reset(r.Context(), token, r.PostFormValue("password"))
	}
	if errors.Is(err, errs.Invalid) {
		return p.form(w, r, "choose", form{Words: "reader.reset", Action: "/reset/confirm", Token: token, Address: l.Address}, err)
	}
	if err != nil {
		return over(err)
	}
	return p.enter(w, r, account.Name, r.PostFormValue("password"), "reader.reset.done", "/account")
}

func (p *Pages) confirmMove(w http.ResponseWriter, r *http.Request) error {
	token, l, err := p.opened(r, auth.ToMove)
	if err == nil && l.Account != auth.From(r.Context()).ID {
		err = over(errs.NotFound)
	}
	if err != nil {
		return err
	}
	return p.form(w, r, "sure", form{Words: "reader.move", Action: "/account/address/confirm", Token: token, Address: l.Address}, nil)
}

func (p *Pages) move(w http.ResponseWriter, r *http.Request) error {
	token, l, err := p.opened(r, auth.ToMove)
	if err != nil {
		return err
	}
	old, told, err := p.Auth.Move(r.Context(), auth.From(r.Context()).ID, token)
	if err != nil {
		return over(err)
	}
	if told != nil && p.Ledger != nil {
		if err := p.post(r.Context(), told); err != nil {
			return err
		}
	}
	if old != "" && p.Moved != nil {
		if err := p.Moved(r.Context(), old, l.Address); err != nil {
			return err
		}
	}
	p.site.Flash(w, r, web.Good, "reader.move.done")
	return p.site.Redirect(w, r, "/account")
}

// exported is all that is kept about somebody.
type exported struct {
	Account  map[string]any `json:"account"`
	Sessions []auth.Session `json:"sessions"`
	Tokens   []auth.Token   `json:"tokens"`
	Passkeys []auth.Passkey `json:"passkeys"`
	Kept     map[string]any `json:"kept"`
}

// all reads a list to its end.
func all[T any](ctx context.Context, id string, list func(context.Context, string, auth.List) (auth.Page[T], error)) ([]T, error) {
	found, next := []T{}, auth.List{Limit: 100}
	for {
		page, err := list(ctx, id, next)
		if err != nil {
			return nil, err
		}
		if found = append(found, page.Items...); page.Next == "" {
			return found, nil
		}
		next.Cursor = page.Next
	}
}

// export sends a file with all that is kept. Secrets are kept as hashes, which tell
// nobody anything, and stay here.
func (p *Pages) export(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	a := auth.From(ctx)
	out := exported{Kept: map[string]any{}, Account: map[string]any{
		"id": a.ID, "name": a.Name, "email": a.Email, "confirmed": a.Confirmed, "role": a.Role, "language": a.Language, "theme": a.Theme, "created": a.Created, "signed_in": a.SignedIn,
	}}
	var err1, err2, err3 error
	out.Sessions, err1 = all(ctx, a.ID, p.Auth.Sessions)
	out.Tokens, err2 = all(ctx, a.ID, p.Auth.Tokens)
	out.Passkeys, err3 = all(ctx, a.ID, p.Auth.Passkeys)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Kept)) {
		kept, err := p.Kept[name](ctx, a)
		if err != nil {
			return fmt.Errorf("export %s: %w", name, err)
		}
		out.Kept[name] = kept
	}
	body, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="pressroom-account.json"`)
	h.Set("Cache-Control", "private, no-store")
	_, err = w.Write(body)
	return err
}

func (p *Pages) deleteForm(r *http.Request) form {
	a := auth.From(r.Context())
	return form{Words: "reader.delete", Action: "/account/delete", Password: a.Local && p.Auth.Passwords(), Name: a.Name}
}

func (p *Pages) askDelete(w http.ResponseWriter, r *http.Request) error {
	return p.form(w, r, "delete", p.deleteForm(r), nil)
}

// delete asks for the password, or for the name of those who have none here.
func (p *Pages) delete(w http.ResponseWriter, r *http.Request) error {
	f, a := p.deleteForm(r), auth.From(r.Context())
	var err error
	if f.Password {
		err = p.Auth.CheckPassword(r.Context(), a.ID, r.PostFormValue("old"))
	} else if r.PostFormValue("name") != a.Name {
		err = errs.Validation(errs.Field{Name: "name", Message: "is not your name here"})
	}
	if err == nil {
		err = p.Auth.Delete(r.Context(), a.ID)
	}
	switch {
	case errors.Is(err, errs.Invalid), errors.Is(err, errs.RateLimited), errors.Is(err, errs.Conflict):
		return p.form(w, r, "delete", f, err)
	case err != nil:
		return err
	}
	if err := p.Auth.SignOut(w, r); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "reader.delete.done")
	return p.site.Redirect(w, r, "/")
}
