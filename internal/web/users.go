package web

import (
	"net/http"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// usersPage is the operators' list of accounts.
type usersPage struct {
	Users []auth.Account
	Next  string
	Roles []Choice
	Form  auth.NewAccount // what was typed into the form for a new account
	Wrong string          // the account whose form has the problem; "" if the new one's has
	// Invitation is a link that was made just now; nobody can look it up later.
	Invitation string
}

func (s *Site) showUsers(w http.ResponseWriter, r *http.Request) error {
	return s.usersPage(w, r, usersPage{Form: auth.NewAccount{Role: auth.Reader}}, nil)
}

func (s *Site) usersPage(w http.ResponseWriter, r *http.Request, data usersPage, problem error) error {
	list, err := s.o.Auth.Accounts(r.Context(), auth.List{Limit: 50, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	data.Users, data.Next, data.Form.Password = list.Items, list.Next, ""
	for _, role := range auth.Roles() {
		data.Roles = append(data.Roles, Choice{role.String(), s.T(r, "role."+role.String())})
	}
	page := Page{Title: s.T(r, "users.title"), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "users", page)
}

func (s *Site) addUser(w http.ResponseWriter, r *http.Request) error {
	role, err := formRole(r)
	form := auth.NewAccount{Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Password: r.PostFormValue("password"), Role: role}
	if err == nil {
		_, err = s.o.Auth.Add(r.Context(), form)
	}
	if err != nil {
		if kind := errs.KindOf(err); kind == errs.Invalid || kind == errs.Duplicate {
			return s.usersPage(w, r, usersPage{Form: form}, err)
		}
		return err
	}
	s.Flash(w, r, Good, "users.added", form.Name)
	return s.Redirect(w, r, "/office/users")
}

func formRole(r *http.Request) (auth.Role, error) {
	role, err := auth.ParseRole(r.PostFormValue("role"))
	if err != nil || role == auth.Everyone {
		return auth.Reader, errs.Validation(errs.Field{Name: "role", Message: "is not a role"})
	}
	return role, nil
}

func (s *Site) setUserRole(w http.ResponseWriter, r *http.Request) error {
	role, err := formRole(r)
	if err != nil {
		return err
	}
	return s.changeUser(w, r, "users.role.changed", func(id string) error {
		return s.o.Auth.SetRole(r.Context(), id, role)
	})
}

func (s *Site) setUserDisabled(w http.ResponseWriter, r *http.Request) error {
	disabled := r.PostFormValue("disabled") == "true"
	key := "users.enabled"
	if disabled {
		key = "users.disabled"
	}
	return s.changeUser(w, r, key, func(id string) error {
		return s.o.Auth.SetDisabled(r.Context(), id, disabled)
	})
}

func (s *Site) setUserPassword(w http.ResponseWriter, r *http.Request) error {
	return s.changeUser(w, r, "users.password.changed", func(id string) error {
		return s.o.Auth.SetPassword(r.Context(), id, r.PostFormValue("password"))
	})
}

// changeUser does one thing to the account in the path and says so on the list. A
// state that does not allow it is said on the list too.
func (s *Site) changeUser(w http.ResponseWriter, r *http.Request, key string, change func(id string) error) error {
	account, err := s.o.Auth.Account(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	switch err := change(account.ID); {
	case err == nil:
		s.Flash(w, r, Good, key, account.Name)
		return s.Redirect(w, r, "/office/users")
	case errs.KindOf(err) == errs.Conflict, errs.KindOf(err) == errs.Invalid:
		return s.usersPage(w, r, usersPage{Form: auth.NewAccount{Role: auth.Reader}, Wrong: account.ID}, err)
	default:
		return err
	}
}
