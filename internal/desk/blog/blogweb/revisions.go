package blogweb

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// revisionsPage is what a post was.
type revisionsPage struct {
	Post      blog.Post
	Revisions []blog.Revision
	Next      string
}

// Path is the page of a revision.
func (revisionsPage) Path(id, revision string) string { return revisionPath(id, revision) }

func revisionPath(id, revision string) string {
	return editPath(id) + "/revisions/" + url.PathEscape(revision)
}

func (p *pages) showRevisions(w http.ResponseWriter, r *http.Request) error {
	post, err := p.desk.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	page, err := p.desk.Revisions(r.Context(), post.ID, blog.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	return p.site.Render(w, r, p.office, "revisions", web.Page{
		Title: p.site.T(r, "blog.revisions.title", post.Title), NoIndex: true, Private: true, Data: revisionsPage{post, page.Items, page.Next},
	})
}

// revisionPage is a revision beside another one.
type revisionPage struct {
	Post      blog.Post
	Revision  blog.Revision
	With      string // "" for the revision before, now for the post
	First     bool   // there is none before
	Current   bool   // it is the post
	Unchanged bool
	blog.Difference
}

// Path is the page's own.
func (p revisionPage) Path() string { return revisionPath(p.Post.ID, p.Revision.ID) }

// withNow compares a revision with the post as it is.
const withNow = "now"

func (p *pages) showRevision(w http.ResponseWriter, r *http.Request) error {
	return p.revisionPage(w, r, nil)
}

func (p *pages) revisionPage(w http.ResponseWriter, r *http.Request, problem error) error {
	ctx := r.Context()
	post, err := p.desk.Get(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	one, content, err := p.desk.Revision(ctx, post.ID, r.PathValue("revision"))
	if err != nil {
		return err
	}
	data := revisionPage{Post: post, Revision: one, With: r.URL.Query().Get("with"), Current: one.Of == post.Version}
	if data.With == withNow {
		data.Difference = blog.Compare(content, post.Content)
	} else {
		data.With = ""
		before, there, err := p.desk.Before(ctx, post.ID, one.ID)
		if err != nil {
			return err
		}
		var was blog.Content
		if data.First = !there; there {
			if _, was, err = p.desk.Revision(ctx, post.ID, before.ID); err != nil {
				return err
			}
		}
		data.Difference = blog.Compare(was, content)
	}
	data.Unchanged = data.Difference.Unchanged()
	page := web.Page{Title: p.site.T(r, "blog.revision.title", strconv.Itoa(one.Of), one.Title), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.office, "revision", page)
}

// restore makes a revision the post again.
func (p *pages) restore(w http.ResponseWriter, r *http.Request) error {
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil {
		return errs.Wrap(err, errs.Malformed, "The form could not be read.")
	}
	post, err := p.desk.Restore(r.Context(), r.PathValue("id"), version, r.PathValue("revision"))
	if errors.Is(err, errs.Stale) || errors.Is(err, errs.Invalid) {
		return p.revisionPage(w, r, err)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "blog.revision.restored")
	return p.site.Redirect(w, r, editPath(post.ID))
}
