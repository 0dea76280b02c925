package lexiconweb

import (
	"net/http"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// proposePage is the form for a term that the lexicon lacks.
type proposePage struct {
	Draft  lexicon.Draft
	Limits lexicon.Limits
	Tier   string
}

func (p *pages) showPropose(w http.ResponseWriter, r *http.Request) error {
	return p.proposeForm(w, r, lexicon.Draft{Term: r.URL.Query().Get("term")}, nil)
}

func (p *pages) proposeForm(w http.ResponseWriter, r *http.Request, draft lexicon.Draft, problem error) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	page := web.Page{
		Title: p.site.T(r, "lexicon.propose.title"), NoIndex: true, Private: true, Problem: problem,
		Data: &proposePage{draft, p.desk.Limits(m.Tier), m.Tier},
	}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "propose", page)
}

func (p *pages) propose(w http.ResponseWriter, r *http.Request) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	draft := lexicon.Draft{
		Term: r.PostFormValue("slang_term"), Meaning: r.PostFormValue("meaning"),
		Example: r.PostFormValue("example_usage"), Context: r.PostFormValue("context"),
	}
	made, err := p.desk.Submit(r.Context(), m.UserID, draft)
	if err != nil {
		if formError(err) {
			return p.proposeForm(w, r, draft, err)
		}
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.propose.done", made.Term)
	return p.site.Redirect(w, r, "/lexicon/proposals/"+made.ID)
}
