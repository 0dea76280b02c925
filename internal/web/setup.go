package web

import (
	"net/http"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// setupForm is what the first-run page shows.
type setupForm struct{ Token, Name, Email string }

func (s *Site) setupPage(w http.ResponseWriter, r *http.Request, form setupForm, problem error) error {
	page := Page{Title: s.T(r, "setup.title"), NoIndex: true, Private: true, Problem: problem, Data: form}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "setup", page)
}

// showSetup is reached through the link that the terminal prints while there is
// no operator. Without the right token there is nothing here.
func (s *Site) showSetup(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	if err := s.o.Auth.CheckSetup(r.Context(), token); err != nil {
		return err
	}
	return s.setupPage(w, r, setupForm{Token: token}, nil)
}

// setUp makes the first operator and signs them in.
func (s *Site) setUp(w http.ResponseWriter, r *http.Request) error {
	form := setupForm{Token: r.PostFormValue("token"), Name: r.PostFormValue("name"), Email: r.PostFormValue("email")}
	password := r.PostFormValue("password")
	err := SameTwice(r)
	if err == nil {
		_, err = s.o.Auth.Setup(r.Context(), form.Token, auth.NewAccount{Name: form.Name, Email: form.Email, Password: password, Role: auth.Operator})
	}
	if err != nil {
		if kind := errs.KindOf(err); kind == errs.Invalid || kind == errs.Duplicate {
			return s.setupPage(w, r, form, err)
		}
		return err
	}
	if _, err := s.o.Auth.SignIn(w, r, auth.Credentials{Name: form.Name, Password: password, Addr: front.ClientAddr(r.Context())}); err != nil {
		return err
	}
	s.Flash(w, r, Good, "setup.done", form.Name)
	return s.Redirect(w, r, "/office")
}

// SameTwice checks that a new password was typed the same way twice.
func SameTwice(r *http.Request) error {
	if r.PostFormValue("password") == r.PostFormValue("again") {
		return nil
	}
	return errs.Validation(errs.Field{Name: "again", Message: "is not the same password"})
}
