package lexiconweb

import (
	"net/http"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// mePage is what the lexicon knows of a reader.
type mePage struct {
	Profile lexicon.Profile
	Usage   lexicon.Usage
	Limits  lexicon.Limits
	Stats   lexicon.QuizStats
	Days    []lexicon.QuizDay
	Tiers   []tierRow
}

// tierRow is a tier with what it allows.
type tierRow struct {
	Name   string
	Mine   bool
	Users  int
	Limits lexicon.Limits
}

func (p *pages) me(w http.ResponseWriter, r *http.Request) error { return p.mePage(w, r, nil) }

func (p *pages) mePage(w http.ResponseWriter, r *http.Request, problem error) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	data, err := p.profile(r, m)
	if err != nil {
		return err
	}
	page := web.Page{Title: p.site.T(r, "lexicon.me.title"), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "me", page)
}

// profile gathers what there is of a user.
func (p *pages) profile(r *http.Request, m lexicon.Profile) (*mePage, error) {
	data := &mePage{Profile: m}
	var err error
	if data.Usage, data.Limits, err = p.desk.Usage(r.Context(), m.UserID); err != nil {
		return nil, err
	}
	if data.Stats, err = p.desk.QuizStats(r.Context(), m.UserID); err != nil {
		return nil, err
	}
	days, err := p.desk.QuizDays(r.Context(), m.UserID, lexicon.PageOptions{Limit: 14})
	if err != nil {
		return nil, err
	}
	data.Days = days.Items
	for _, tier := range []string{lexicon.Free, lexicon.Premium} {
		data.Tiers = append(data.Tiers, tierRow{Name: tier, Mine: tier == m.Tier, Limits: p.desk.Limits(tier)})
	}
	return data, nil
}

// deleteMe removes all that the lexicon keeps of a reader. The account itself is
// the operator's to delete.
func (p *pages) deleteMe(w http.ResponseWriter, r *http.Request) error {
	if r.PostFormValue("sure") != "true" {
		return p.mePage(w, r, errs.Validation(errs.Field{Name: "sure", Message: "must be ticked: it cannot be undone"}))
	}
	if err := p.desk.DeleteAccount(r.Context(), actor(r)); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.me.deleted")
	return p.site.Redirect(w, r, "/lexicon")
}
