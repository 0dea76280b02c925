package readerweb

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/web"
)

func (p *Pages) passkeyRoutes() {
	for pattern, h := range map[string]web.Handler{"GET /sign-in/passkey": p.askPasskey, "POST /sign-in/passkey/start": p.startSignIn, "POST /sign-in/passkey": p.finishSignIn} {
		p.site.Route(front.Route{Pattern: pattern, Access: auth.Everyone, Rate: asking}, h)
	}
	for pattern, h := range map[string]web.Handler{
		"GET /account/passkeys": p.showPasskeys, "POST /account/passkeys/start": p.startPasskey, "POST /account/passkeys": p.finishPasskey, "POST /account/passkeys/remove": p.removePasskey,
	} {
		p.site.Route(front.Route{Pattern: pattern, Access: auth.Reader, Rate: asking}, h)
	}
}

// origin is the address that browsers know the site by, which a passkey belongs to.
func (p *Pages) origin(r *http.Request) string {
	return strings.TrimSuffix(p.site.Absolute(r, "/"), "/")
}

// maxAnswer is how long what a browser says of a passkey may be.
const maxAnswer = 32 << 10

func answer(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	if err != nil {
		return nil, errs.Wrap(err, errs.Malformed, "The request could not be read.")
	}
	return body, nil
}

func reply(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-store")
	return json.NewEncoder(w).Encode(v)
}

func (p *Pages) askPasskey(w http.ResponseWriter, r *http.Request) error {
	return p.site.Render(w, r, p.views, "passkey", web.Page{
		Title: p.site.T(r, "reader.passkey.title"), NoIndex: true, Private: true, Data: struct{ Return string }{auth.LocalPath(r.URL.Query().Get("return"))},
	})
}

func (p *Pages) startSignIn(w http.ResponseWriter, r *http.Request) error {
	ask, err := p.Auth.StartPasskeySignIn(w, r, p.origin(r))
	if err != nil {
		return err
	}
	return reply(w, ask)
}

func (p *Pages) finishSignIn(w http.ResponseWriter, r *http.Request) error {
	body, err := answer(r)
	if err != nil {
		return err
	}
	if _, err := p.Auth.FinishPasskeySignIn(w, r, p.origin(r), body); err != nil {
		return err
	}
	return reply(w, map[string]string{"to": auth.LocalPath(r.URL.Query().Get("return"))})
}

func (p *Pages) showPasskeys(w http.ResponseWriter, r *http.Request) error {
	keys, err := all(r.Context(), auth.From(r.Context()).ID, p.Auth.Passkeys)
	if err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "passkeys", web.Page{
		Title: p.site.T(r, "reader.passkeys.title"), NoIndex: true, Private: true, Data: struct{ Keys []auth.Passkey }{keys},
	})
}

// startPasskey asks for the password: a stranger at the screen must not make a way in of
// their own.
func (p *Pages) startPasskey(w http.ResponseWriter, r *http.Request) error {
	id := auth.From(r.Context()).ID
	if err := p.Auth.CheckPassword(r.Context(), id, r.PostFormValue("old")); err != nil {
		return err
	}
	ask, err := p.Auth.StartPasskey(w, r, p.origin(r), id)
	if err != nil {
		return err
	}
	return reply(w, ask)
}

func (p *Pages) finishPasskey(w http.ResponseWriter, r *http.Request) error {
	body, err := answer(r)
	if err != nil {
		return err
	}
	if err := p.Auth.FinishPasskey(w, r, p.origin(r), auth.From(r.Context()).ID, r.URL.Query().Get("label"), body); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "reader.passkeys.made")
	return reply(w, map[string]string{"to": "/account/passkeys"})
}

func (p *Pages) removePasskey(w http.ResponseWriter, r *http.Request) error {
	if err := p.Auth.RemovePasskey(r.Context(), auth.From(r.Context()).ID, r.PostFormValue("passkey")); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "reader.passkeys.removed")
	return p.site.Redirect(w, r, "/account/passkeys")
}
