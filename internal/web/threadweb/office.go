package threadweb

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/thread"
	"pressroom/internal/web"
)

// decisionsShown is how many decisions a page shows.
const decisionsShown = 30

type officePage struct {
	listPage
	Decisions []thread.Decision
}

// onePage is a thread as editors see it.
type onePage struct {
	*thread.View
	Path      string
	Items     []editable
	Decisions []thread.Decision
}

type editable struct {
	web.Story
	ID     string // desk/id
	Shares []string
}

func (p *pages) decisions(r *http.Request, of string) ([]thread.Decision, error) {
	var out []thread.Decision
	for d, err := range p.threads.Decisions(r.Context()) {
		if err != nil {
			return nil, err
		}
		if of == "" || d.Thread == of || d.Other == of {
			out = append(out, d)
		}
		if len(out) == decisionsShown {
			break
		}
	}
	return out, nil
}

func (p *pages) officeList(w http.ResponseWriter, r *http.Request) error {
	return p.renderList(w, r, nil)
}

func (p *pages) renderList(w http.ResponseWriter, r *http.Request, problem error) error {
	rows, err := p.rows(r)
	if err != nil {
		return err
	}
	decisions, err := p.decisions(r, "")
	if err != nil {
		return err
	}
	page := web.Page{Title: p.site.T(r, "thread.office.title"), NoIndex: true, Private: true, Data: officePage{rows, decisions}}
	if problem != nil {
		page.Problem, page.Status = problem, web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "office", page)
}

// mergeChosen puts threads that were chosen in the list into the first of them.
func (p *pages) mergeChosen(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return errs.Wrap(err, errs.Malformed, "The form could not be read.")
	}
	chosen := r.PostForm["thread"]
	if len(chosen) < 2 {
		return p.renderList(w, r, errs.New(errs.Invalid, "Choose at least two threads."))
	}
	for _, id := range chosen[1:] {
		if err := p.threads.Merge(r.Context(), auth.NameOf(r.Context()), chosen[0], id); err != nil {
			if forEditor(err) {
				return p.renderList(w, r, err)
			}
			return err
		}
	}
	p.site.Flash(w, r, web.Good, "thread.office.done")
	return p.site.Redirect(w, r, office+"/"+url.PathEscape(chosen[0]))
}

// forEditor tells of mistakes that the form shows.
func forEditor(err error) bool {
	kind := errs.KindOf(err)
	return kind == errs.Invalid || kind == errs.Conflict || kind == errs.NotFound
}

func (p *pages) officeOne(w http.ResponseWriter, r *http.Request) error {
	return p.renderOne(w, r, nil)
}

func (p *pages) renderOne(w http.ResponseWriter, r *http.Request, problem error) error {
	id := r.PathValue("id")
	v, err := p.threads.Get(r.Context(), id)
	if errors.Is(err, errs.NotFound) {
		return errs.Wrap(err, errs.NotFound, "There is no such thread.")
	}
	if err != nil {
		return err
	}
	if v.ID != id {
		return p.site.Redirect(w, r, office+"/"+url.PathEscape(v.ID))
	}
	data := onePage{View: v, Path: office + "/" + url.PathEscape(v.ID)}
	for i := range v.Items {
		one := editable{Story: p.site.Found(p.site.Lang(r), &v.Items[i].Story), ID: v.Items[i].Ref.String()}
		for _, s := range v.Items[i].Shares {
			one.Shares = append(one.Shares, s.Text)
		}
		data.Items = append(data.Items, one)
	}
	if data.Decisions, err = p.decisions(r, v.ID); err != nil {
		return err
	}
	page := web.Page{Title: v.Name, NoIndex: true, Private: true, Data: data}
	if problem != nil {
		page.Problem, page.Status = problem, web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "one", page)
}

// decide splits, merges or names a thread.
func (p *pages) decide(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return errs.Wrap(err, errs.Malformed, "The form could not be read.")
	}
	ctx, by, id := r.Context(), auth.NameOf(r.Context()), r.PathValue("id")
	var err error
	switch r.PostFormValue("decision") {
	case thread.ToSplit:
		_, err = p.threads.Split(ctx, by, id, r.PostForm["story"])
	case thread.ToMerge:
		err = p.threads.Merge(ctx, by, id, named(r.PostFormValue("other")))
	case thread.ToName:
		err = p.threads.Rename(ctx, by, id, r.PostFormValue("name"))
	default:
		err = errs.New(errs.Invalid, "Choose what to do.")
	}
	if err != nil {
		if forEditor(err) {
			return p.renderOne(w, r, err)
		}
		return err
	}
	p.site.Flash(w, r, web.Good, "thread.office.done")
	return p.site.Redirect(w, r, office+"/"+url.PathEscape(id))
}

// named reads what an editor typed: a thread's address or id, or desk/id of a story.
func named(text string) string {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil {
		text = u.Path
	}
	for _, before := range []string{office + "/", root + "/"} {
		if id, ok := strings.CutPrefix(text, before); ok {
			return strings.Trim(id, "/")
		}
	}
	return strings.Trim(text, "/")
}

func (p *pages) undo(w http.ResponseWriter, r *http.Request) error {
	err := p.threads.Undo(r.Context(), auth.NameOf(r.Context()), r.PostFormValue("decision"))
	if err != nil {
		if forEditor(err) {
			return p.renderList(w, r, err)
		}
		return err
	}
	p.site.Flash(w, r, web.Good, "thread.office.undone")
	return p.site.Redirect(w, r, office)
}
