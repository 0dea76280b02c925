package web

import (
	"net/http"
	"net/url"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// inviteUser makes a link for somebody who will choose name and password themselves.
func (s *Site) inviteUser(w http.ResponseWriter, r *http.Request) error {
	role, err := formRole(r)
	if err != nil {
		return err
	}
	token, err := s.o.Auth.Invite(r.Context(), auth.From(r.Context()).ID, role)
	if err != nil {
		return err
	}
	link := s.Absolute(r, "/invited?"+url.Values{"token": {token}}.Encode())
	return s.usersPage(w, r, usersPage{Form: auth.NewAccount{Role: role}, Invitation: link}, nil)
}

// invitedForm is what the page of an invitation shows.
type invitedForm struct{ Token, Name, Email, Role string }

func (s *Site) invitedPage(w http.ResponseWriter, r *http.Request, form invitedForm, problem error) error {
	role, err := s.o.Auth.Invited(r.Context(), form.Token)
	if err != nil {
		return err
	}
	form.Role = s.T(r, "role."+role.String())
	page := Page{Title: s.T(r, "invited.title"), NoIndex: true, Private: true, Problem: problem, Data: form}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "invited", page)
}

func (s *Site) showInvited(w http.ResponseWriter, r *http.Request) error {
	return s.invitedPage(w, r, invitedForm{Token: r.URL.Query().Get("token")}, nil)
}

// acceptInvited makes the account and signs it in.
func (s *Site) acceptInvited(w http.ResponseWriter, r *http.Request) error {
	form := invitedForm{Token: r.PostFormValue("token"), Name: r.PostFormValue("name"), Email: r.PostFormValue("email")}
	n := auth.NewAccount{Name: form.Name, Email: form.Email, Password: r.PostFormValue("password")}
	from := front.ClientAddr(r.Context())
	err := SameTwice(r)
	var account *auth.Account
	if err == nil {
		account, err = s.o.Auth.Accept(r.Context(), from, form.Token, n)
	}
	if err != nil {
		if errs.KindOf(err) == errs.Invalid {
			return s.invitedPage(w, r, form, err)
		}
		return err
	}
	if _, err := s.o.Auth.SignIn(w, r, auth.Credentials{Name: account.Name, Password: n.Password, Addr: from}); err != nil {
		return err
	}
	s.Flash(w, r, Good, "invited.done", account.Name)
	if account.Role.Allows(auth.Author) {
		return s.Redirect(w, r, "/office")
	}
	return s.Redirect(w, r, "/")
}
