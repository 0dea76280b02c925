package web

import (
	"net/http"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// signInForm is what the sign-in page shows.
type signInForm struct {
	Name     string
	Return   string
	Provider bool // there is another way in
}

func (s *Site) signInPage(w http.ResponseWriter, r *http.Request, form signInForm, problem error) error {
	form.Provider = s.o.Auth.HasOIDC()
	page := Page{Title: s.T(r, "signin.title"), NoIndex: true, Private: true, Problem: problem, Data: form}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "signin", page)
}

// showSignIn asks for name and password, unless there is nothing to ask for.
func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) error {
	back := auth.LocalPath(r.URL.Query().Get("return"))
	if auth.From(r.Context()) != nil {
		return s.Redirect(w, r, back)
	}
	return s.signInPage(w, r, signInForm{Return: back}, nil)
}

// signIn checks name and password. What is wrong with them is said on the same
// page, in words that do not tell whether the name exists.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) error {
	form := signInForm{Name: r.PostFormValue("name"), Return: auth.LocalPath(r.PostFormValue("return"))}
	_, err := s.o.Auth.SignIn(w, r, auth.Credentials{
		Name: form.Name, Password: r.PostFormValue("password"), Addr: front.ClientAddr(r.Context()),
	})
	if err == nil {
		return s.Redirect(w, r, form.Return)
	}
	switch errs.KindOf(err) {
	case errs.Unauthenticated, errs.Invalid, errs.RateLimited, errs.Forbidden:
		return s.signInPage(w, r, form, err)
	}
	return err
}

func (s *Site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.o.Auth.SignOut(w, r); err != nil {
		return err
	}
	s.Flash(w, r, Good, "signin.out")
	return s.Redirect(w, r, "/")
}

// startProvider sends the browser to the provider's own sign-in page.
func (s *Site) startProvider(w http.ResponseWriter, r *http.Request) error {
	target, err := s.o.Auth.StartOIDC(w, r, auth.LocalPath(r.PostFormValue("return")))
	if err != nil {
		return err
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// finishProvider takes what the provider says about who came back.
func (s *Site) finishProvider(w http.ResponseWriter, r *http.Request) error {
	_, back, err := s.o.Auth.FinishOIDC(w, r)
	if err != nil {
		if kind := errs.KindOf(err); kind == errs.Unauthenticated || kind == errs.Forbidden {
			return s.signInPage(w, r, signInForm{Return: "/"}, err)
		}
		return err
	}
	return s.Redirect(w, r, back)
}
