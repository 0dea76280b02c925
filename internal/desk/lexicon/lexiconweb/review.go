package lexiconweb

import (
	"net/http"
	"strings"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// reviewPage is one proposal with what a moderator can do.
type reviewPage struct {
	moderated
	Reviewer string
	Steps    []step
	Next     string
	Form     reviewForm
	Entry    string // the term's page, if it became one
}

// step is an entry of the audit with the actor's name.
type step struct {
	lexicon.Audit
	By string
}

// reviewForm is what the moderator typed, or what is proposed.
type reviewForm struct {
	Edit                                lexicon.Edit
	Variants, Tags, Categories, Regions string
	Reason                              string
}

func (p *pages) review(w http.ResponseWriter, r *http.Request) error {
	return p.reviewForm(w, r, nil, nil)
}

func (p *pages) reviewForm(w http.ResponseWriter, r *http.Request, form *reviewForm, problem error) error {
	s, err := p.desk.Submission(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	data := &reviewPage{moderated: moderated{Submission: s, Tone: tones[s.Status], Path: "/lexicon/moderation/" + s.ID}}
	if err := p.addNames(r, data); err != nil {
		return err
	}
	if s.Approved() {
		data.Entry = termPath(s.Slug)
	}
	if form == nil {
		form = proposed(&s)
	}
	data.Form = *form
	page := web.Page{Title: p.site.T(r, "lexicon.review.title", s.Term), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "review", page)
}

// addNames adds the audit, and says who is behind the ids.
func (p *pages) addNames(r *http.Request, data *reviewPage) error {
	name := p.namer(r.Context())
	var err error
	if data.By, err = name(data.UserID); err != nil {
		return err
	}
	if data.ReviewedBy != "" && data.ReviewedBy != lexicon.Validator {
		if data.Reviewer, err = name(data.ReviewedBy); err != nil {
			return err
		}
	}
	audit, err := p.desk.Audit(r.Context(), data.ID, pageOf(r))
	if err != nil {
		return err
	}
	data.Next = audit.Next
	for _, a := range audit.Items {
		one := step{Audit: a}
		if a.Actor != lexicon.Validator {
			if one.By, err = name(a.Actor); err != nil {
				return err
			}
		}
		data.Steps = append(data.Steps, one)
	}
	return nil
}

// proposed fills the form with what is there.
func proposed(s *lexicon.Submission) *reviewForm {
	form := &reviewForm{Edit: lexicon.Edit{Term: s.Term, Meaning: s.Meaning, Example: s.Example, Context: s.Context}}
	if j := s.Judgement; j != nil {
		form.Tags, form.Categories = strings.Join(j.Tags, ", "), j.Category
	}
	return form
}

func readReview(r *http.Request) *reviewForm {
	return &reviewForm{
		Edit: lexicon.Edit{
			Term: r.PostFormValue("slang_term"), Meaning: r.PostFormValue("meaning"),
			Example: r.PostFormValue("example_usage"), Context: r.PostFormValue("context"),
		},
		Variants: r.PostFormValue("variants"), Tags: r.PostFormValue("tags"), Categories: r.PostFormValue("categories"),
		Regions: r.PostFormValue("regions"), Reason: r.PostFormValue("reason"),
	}
}

func (p *pages) approve(w http.ResponseWriter, r *http.Request) error {
	form := readReview(r)
	_, err := p.desk.Approve(r.Context(), actor(r), r.PathValue("id"), lexicon.Approval{
		Reason: form.Reason, Edit: form.Edit, Variants: words(form.Variants), Tags: words(form.Tags),
		Categories: words(form.Categories), Regions: words(form.Regions),
	})
	return p.decided(w, r, form, err, "lexicon.review.approved")
}

func (p *pages) correct(w http.ResponseWriter, r *http.Request) error {
	form := readReview(r)
	_, err := p.desk.EditSubmission(r.Context(), actor(r), r.PathValue("id"), form.Edit, form.Reason)
	return p.decided(w, r, form, err, "lexicon.review.edited")
}

func (p *pages) reject(w http.ResponseWriter, r *http.Request) error {
	_, err := p.desk.Reject(r.Context(), actor(r), r.PathValue("id"), r.PostFormValue("reason"))
	return p.decided(w, r, nil, err, "lexicon.review.rejected")
}

func (p *pages) undo(w http.ResponseWriter, r *http.Request) error {
	_, err := p.desk.Undo(r.Context(), actor(r), r.PathValue("id"), r.PostFormValue("reason"))
	return p.decided(w, r, nil, err, "lexicon.review.undone")
}

// decided shows what came of a decision on the proposal's own page, where it can
// be undone.
func (p *pages) decided(w http.ResponseWriter, r *http.Request, form *reviewForm, err error, key string) error {
	if err != nil {
		if formError(err) {
			return p.reviewForm(w, r, form, err)
		}
		return err
	}
	p.site.Flash(w, r, web.Good, key)
	return p.site.Redirect(w, r, "/lexicon/moderation/"+r.PathValue("id"))
}
