package lexiconweb

import (
	"errors"
	"net/http"

	"pressroom/internal/errs"
	"pressroom/internal/web"
)

func (p *pages) proposal(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visible(r)
	if err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "proposal", web.Page{
		Title: p.site.T(r, "lexicon.proposal.title", v.Term), NoIndex: true, Private: true, Data: v,
	})
}

// visible returns the proposal of the path, if whoever asks may know of it.
func (p *pages) visible(r *http.Request) (*proposalView, error) {
	m, err := p.member(r)
	if err != nil {
		return nil, err
	}
	s, err := p.desk.Submission(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	v, err := p.viewOf(r.Context(), m.UserID, s)
	return &v, err
}

func (p *pages) vote(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visible(r)
	if err != nil {
		return err
	}
	// A second click says nothing new.
	if _, err := p.desk.Vote(r.Context(), actor(r), v.ID); err != nil && !errors.Is(err, errs.Duplicate) {
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.vote.done", v.Term)
	return p.site.Redirect(w, r, backTo(r, v.Path))
}

func (p *pages) unvote(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visible(r)
	if err != nil {
		return err
	}
	if err := p.desk.Unvote(r.Context(), actor(r), v.ID); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Note, "lexicon.vote.undone", v.Term)
	return p.site.Redirect(w, r, backTo(r, v.Path))
}

// backTo is where the form was.
func backTo(r *http.Request, otherwise string) string {
	if path := r.PostFormValue("return"); path != "" {
		return path
	}
	return otherwise
}
