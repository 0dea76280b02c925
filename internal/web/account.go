package web

import (
	"errors"
	"net/http"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// accountPage is what a signed-in reader sees of their own account.
type accountPage struct {
	Sessions []auth.Session
	Tokens   []auth.Token
	Next     string // of the sessions
	Secret   string // of the token that was just made; shown once
	Made     string // its name
	Scopes   []Choice
	Lasting  []Choice
}

// lasting are the lives of a token that the form offers, in days; 0 is for ever.
var lasting = []struct {
	value string
	days  int
}{{"30", 30}, {"90", 90}, {"365", 365}, {"0", 0}}

// scopes are those that the form offers; the API takes narrower ones too.
var scopes = []string{"read", "write", "admin"}

func (s *Site) showAccount(w http.ResponseWriter, r *http.Request) error {
	return s.accountPage(w, r, accountPage{}, nil)
}

// accountPage renders the page with what is wrong with one of its forms, or with
// the secret of a new token.
func (s *Site) accountPage(w http.ResponseWriter, r *http.Request, data accountPage, problem error) error {
	account := auth.From(r.Context())
	sessions, err := s.o.Auth.Sessions(r.Context(), account.ID, auth.List{Limit: 20, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	tokens, err := s.o.Auth.Tokens(r.Context(), account.ID, auth.List{Limit: 100})
	if err != nil {
		return err
	}
	data.Sessions, data.Next, data.Tokens = sessions.Items, sessions.Next, tokens.Items
	for i, session := range data.Sessions {
		data.Sessions[i].Current = session.Current || (session.ID != "" && session.ID == account.Via.Session)
	}
	for _, scope := range scopes {
		data.Scopes = append(data.Scopes, Choice{scope, s.T(r, "account.scope."+scope)})
	}
	for _, l := range lasting {
		data.Lasting = append(data.Lasting, Choice{l.value, s.T(r, "account.lasting."+l.value)})
	}
	page := Page{Title: s.T(r, "account.title"), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "account", page)
}

// changePassword ends all sessions, this one too: the reader signs in with the
// new password, which proves that they know it.
func (s *Site) changePassword(w http.ResponseWriter, r *http.Request) error {
	account := auth.From(r.Context())
	err := SameTwice(r)
	if err == nil {
		err = s.o.Auth.ChangePassword(w, r, account.ID, r.PostFormValue("old"), r.PostFormValue("password"))
	}
	switch {
	case err == nil:
		s.Flash(w, r, Good, "account.password.changed")
		return s.Redirect(w, r, "/account")
	case errors.Is(err, errs.Invalid), errors.Is(err, errs.RateLimited):
		return s.accountPage(w, r, accountPage{}, err)
	case errors.Is(err, errs.Unauthenticated), errors.Is(err, errs.Forbidden):
		return s.accountPage(w, r, accountPage{}, errs.Validation(errs.Field{Name: "old", Message: "is not your password"}))
	}
	return err
}

// revokeSession ends one session of the account, or all.
func (s *Site) revokeSession(w http.ResponseWriter, r *http.Request) error {
	account, id := auth.From(r.Context()), r.PostFormValue("session")
	var err error
	if id == "all" {
		err = s.o.Auth.RevokeSessions(r.Context(), account.ID)
	} else {
		err = s.o.Auth.RevokeSession(r.Context(), account.ID, id)
	}
	if err != nil {
		return err
	}
	s.Flash(w, r, Good, "account.session.ended")
	return s.Redirect(w, r, "/account")
}

// addToken makes a token and shows its secret on the answer itself, the only
// place where it ever is.
func (s *Site) addToken(w http.ResponseWriter, r *http.Request) error {
	account := auth.From(r.Context())
	if err := r.ParseForm(); err != nil {
		return errs.Wrap(err, errs.Malformed, "The form could not be read.")
	}
	made := auth.NewToken{Name: r.PostFormValue("token_name"), Expires: s.expiry(r.PostFormValue("lasting"))}
	for _, scope := range r.PostForm["scope"] {
		made.Scopes = append(made.Scopes, auth.Scope(scope))
	}
	secret, token, err := s.o.Auth.AddToken(r.Context(), account.ID, made)
	if err != nil {
		if errors.Is(err, errs.Invalid) || errors.Is(err, errs.Conflict) {
			return s.accountPage(w, r, accountPage{}, asTokenForm(err))
		}
		return err
	}
	return s.accountPage(w, r, accountPage{Secret: secret, Made: token.Name}, nil)
}

// asTokenForm names the fields as the page has them, where "name" would be
// another form's.
func asTokenForm(err error) error {
	fields := errs.Fields(err)
	if len(fields) == 0 {
		return err
	}
	renamed := make([]errs.Field, len(fields))
	for i, f := range fields {
		switch f.Name {
		case "name":
			f.Name = "token_name"
		case "scopes":
			f.Name = "scope"
		}
		renamed[i] = f
	}
	return errs.Validation(renamed...)
}

func (s *Site) expiry(choice string) time.Time {
	for _, l := range lasting {
		if l.value == choice && l.days > 0 {
			return s.o.Now().AddDate(0, 0, l.days)
		}
	}
	return time.Time{}
}

func (s *Site) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := s.o.Auth.RevokeToken(r.Context(), auth.From(r.Context()).ID, r.PostFormValue("token")); err != nil {
		return err
	}
	s.Flash(w, r, Good, "account.token.ended")
	return s.Redirect(w, r, "/account")
}
