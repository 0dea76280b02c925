package lexiconweb

import (
	"errors"
	"net/http"
	"net/url"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// usersPage is the operators' report of tiers.
type usersPage struct {
	Tier  string
	Tiers []tierRow
	Tabs  []web.Tab
	Users []userRow
	Next  string
	Name  string // that was looked for
	Model string
	Made  []madeRow // translations of a model
}

type userRow struct {
	lexicon.UserRow
	Name, Path string
}

type madeRow struct {
	lexicon.ModelRow
	Name, Path string
}

func userPath(id string) string { return "/lexicon/users/" + url.PathEscape(id) }

func (p *pages) users(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if name := query.Get("name"); name != "" {
		return p.findUser(w, r, name)
	}
	return p.usersPage(w, r, "", nil)
}

// findUser leads to an account by its name, whether or not it was at the lexicon
// before.
func (p *pages) findUser(w http.ResponseWriter, r *http.Request, name string) error {
	account, err := p.people.Named(r.Context(), name)
	if errors.Is(err, errs.NotFound) {
		return p.usersPage(w, r, name, errs.Validation(errs.Field{Name: "name", Message: "is nobody's name"}))
	}
	if err != nil {
		return err
	}
	if _, err := p.desk.Member(r.Context(), account.ID, account.Email); err != nil {
		return err
	}
	return p.site.Redirect(w, r, userPath(account.ID))
}

func (p *pages) usersPage(w http.ResponseWriter, r *http.Request, name string, problem error) error {
	report, err := p.desk.TierReport(r.Context())
	if err != nil {
		return err
	}
	tier := r.URL.Query().Get("tier")
	if tier == "" {
		tier = lexicon.Free
	}
	data := &usersPage{Tier: tier, Name: name, Model: r.URL.Query().Get("model")}
	for _, t := range []string{lexicon.Free, lexicon.Premium} {
		data.Tiers = append(data.Tiers, tierRow{Name: t, Users: report[t], Limits: p.desk.Limits(t)})
		data.Tabs = append(data.Tabs, web.Tab{Title: p.site.T(r, "lexicon.tier."+t), Path: "/lexicon/users?tier=" + t, Current: t == tier})
	}
	if err := p.addUsers(r, data); err != nil {
		return err
	}
	page := web.Page{Title: p.site.T(r, "lexicon.users.title"), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "users", page)
}

// addUsers adds the tier's users, and who used a model if that is asked for.
func (p *pages) addUsers(r *http.Request, data *usersPage) error {
	list, err := p.desk.UsersByTier(r.Context(), data.Tier, pageOf(r))
	if err != nil {
		return err
	}
	data.Next = list.Next
	name := p.namer(r.Context())
	for _, u := range list.Items {
		called, err := name(u.UserID)
		if err != nil {
			return err
		}
		data.Users = append(data.Users, userRow{u, called, userPath(u.UserID)})
	}
	if data.Model == "" {
		return nil
	}
	made, err := p.desk.TranslationsByModel(r.Context(), data.Model, lexicon.PageOptions{Limit: 50})
	if err != nil {
		return err
	}
	for _, m := range made.Items {
		called, err := name(m.UserID)
		if err != nil {
			return err
		}
		data.Made = append(data.Made, madeRow{m, called, userPath(m.UserID)})
	}
	return nil
}
