package lexiconweb

import (
	"net/http"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// userPage is one user, for operators.
type userPage struct {
	*mePage
	Name string
	Path string
}

func (p *pages) user(w http.ResponseWriter, r *http.Request) error { return p.userPage(w, r, nil) }

func (p *pages) userPage(w http.ResponseWriter, r *http.Request, problem error) error {
	m, err := p.desk.User(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	data := &userPage{Path: userPath(m.UserID)}
	if data.mePage, err = p.profile(r, m); err != nil {
		return err
	}
	if data.Name, err = p.name(r.Context(), m.UserID); err != nil {
		return err
	}
	page := web.Page{Title: p.site.T(r, "lexicon.user.title", data.Name), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "user", page)
}

func (p *pages) setTier(w http.ResponseWriter, r *http.Request) error {
	return p.changeUser(w, r, "lexicon.user.tier.changed", func(id string) (lexicon.Profile, error) {
		return p.desk.SetTier(r.Context(), id, r.PostFormValue("tier"))
	})
}

func (p *pages) setStatus(w http.ResponseWriter, r *http.Request) error {
	return p.changeUser(w, r, "lexicon.user.status.changed", func(id string) (lexicon.Profile, error) {
		return p.desk.SetStatus(r.Context(), id, r.PostFormValue("status"))
	})
}

func (p *pages) changeUser(w http.ResponseWriter, r *http.Request, key string, change func(id string) (lexicon.Profile, error)) error {
	m, err := change(r.PathValue("id"))
	if err != nil {
		if formError(err) {
			return p.userPage(w, r, err)
		}
		return err
	}
	p.site.Flash(w, r, web.Good, key)
	return p.site.Redirect(w, r, userPath(m.UserID))
}

func (p *pages) deleteUser(w http.ResponseWriter, r *http.Request) error {
	m, err := p.desk.User(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if r.PostFormValue("sure") != "true" {
		return p.userPage(w, r, errs.Validation(errs.Field{Name: "sure", Message: "must be ticked: it cannot be undone"}))
	}
	if err := p.desk.DeleteAccount(r.Context(), m.UserID); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.user.deleted")
	return p.site.Redirect(w, r, "/lexicon/users")
}

// Standing is what the page shares with the user's own.
func (u *userPage) Standing() *mePage { return u.mePage }
