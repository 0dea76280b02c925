package blogweb

import (
	"context"
	"net/http"
	"strconv"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// postsPage is the authors' list of posts.
type postsPage struct {
	Status  blog.Status // "" for all
	Tag     string
	Posts   []blog.Card
	Next    string
	Refused []refusal // of a bulk action
}

// refusal is a post that a bulk action could not be done to.
type refusal struct{ ID, Reason string }

func (p *pages) showPosts(w http.ResponseWriter, r *http.Request) error {
	return p.postsPage(w, r, nil)
}

func (p *pages) postsPage(w http.ResponseWriter, r *http.Request, refused []refusal) error {
	query := r.URL.Query()
	data := postsPage{Status: blog.Status(query.Get("status")), Tag: query.Get("tag"), Refused: refused}
	page, err := p.listPosts(r.Context(), data, query.Get("cursor"))
	if err != nil {
		return err
	}
	data.Posts, data.Next = page.Items, page.Next
	out := web.Page{Title: p.site.T(r, "blog.office.title"), NoIndex: true, Private: true, Data: data}
	if len(refused) > 0 {
		out.Status = http.StatusConflict
	}
	return p.site.Render(w, r, p.office, "posts", out)
}

func (p *pages) listPosts(ctx context.Context, data postsPage, cursor string) (blog.Page[blog.Card], error) {
	o := blog.PageOptions{Limit: 50, Cursor: cursor}
	switch {
	case data.Tag != "":
		return p.desk.ListByTag(ctx, data.Tag, o)
	case data.Status == "":
		return p.desk.List(ctx, o)
	case data.Status == blog.Draft, data.Status == blog.Published, data.Status == blog.Archived:
		return p.desk.ListByStatus(ctx, data.Status, o)
	}
	return blog.Page[blog.Card]{}, errs.Validation(errs.Field{Name: "status", Message: "is no state of a post"})
}

// bulk does the same to all posts that were ticked.
func (p *pages) bulk(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return unread(err)
	}
	ids := r.PostForm["id"]
	if len(ids) == 0 {
		p.site.Flash(w, r, web.Warn, "blog.bulk.none")
		return p.site.Redirect(w, r, r.PostFormValue("return"))
	}
	if r.PostFormValue("action") == string(blog.DoPublish) && !p.mayPublish(r) {
		return errAsk
	}
	results, err := p.desk.Bulk(r.Context(), blog.Action(r.PostFormValue("action")), ids)
	if err != nil {
		return err
	}
	var refused []refusal
	for _, result := range results {
		if result.Err != nil {
			refused = append(refused, refusal{result.ID, reasonOf(result.Err)})
		}
	}
	if len(refused) > 0 {
		return p.postsPage(w, r, refused)
	}
	p.site.Flash(w, r, web.Good, "blog.bulk.done", strconv.Itoa(len(results)))
	return p.site.Redirect(w, r, r.PostFormValue("return"))
}

// reasonOf is why something was not done, in a sentence of the program.
func reasonOf(err error) string {
	if fields := errs.Fields(err); len(fields) > 0 {
		return fields[0].Name + " " + fields[0].Message
	}
	return errs.Message(err)
}

func (p *pages) copyPost(w http.ResponseWriter, r *http.Request) error {
	post, err := p.desk.Duplicate(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "blog.done.copy")
	return p.site.Redirect(w, r, editPath(post.ID))
}

func (p *pages) deletePost(w http.ResponseWriter, r *http.Request) error {
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil {
		version = blog.AnyVersion
	}
	if err := p.desk.Delete(r.Context(), r.PathValue("id"), version); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "blog.done.delete")
	return p.site.Redirect(w, r, "/office/blog")
}
