package blogweb

import (
	"errors"
	"net/http"
	"net/url"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// libraryPage is the images.
type libraryPage struct {
	Unused bool
	Media  []picture
	Next   string
}

// picture is an image with the address of its small size.
type picture struct {
	blog.Media
	Small string `json:"small"`
	Path  string `json:"-"`
}

func (p *pages) pictureOf(m blog.Media) picture {
	return picture{m, p.desk.ImageURL(m.Ref, pickWidth), "/office/blog/media/" + url.PathEscape(m.ID)}
}

func (p *pages) showLibrary(w http.ResponseWriter, r *http.Request) error {
	return p.libraryPage(w, r, nil)
}

func (p *pages) libraryPage(w http.ResponseWriter, r *http.Request, problem error) error {
	query := r.URL.Query()
	data := libraryPage{Unused: query.Get("show") == "unused"}
	list := p.desk.Library
	if data.Unused {
		list = p.desk.Unused
	}
	page, err := list(r.Context(), blog.PageOptions{Limit: 40, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	data.Next = page.Next
	for _, m := range page.Items {
		data.Media = append(data.Media, p.pictureOf(m))
	}
	out := web.Page{Title: p.site.T(r, "blog.library"), NoIndex: true, Private: true, Block: "pick", Problem: problem, Data: data}
	if problem != nil {
		out.Status, out.Block = web.StatusOf(problem), "trouble"
	}
	return p.site.Render(w, r, p.office, "library", out)
}

// upload takes an image from the form or from the editor's script.
func (p *pages) upload(w http.ResponseWriter, r *http.Request) error {
	m, err := p.takeUpload(r)
	if err != nil {
		if kind := errs.KindOf(err); kind == errs.Invalid || kind == errs.TooLarge {
			return p.libraryPage(w, r, err)
		}
		return err
	}
	if r.Header.Get("HX-Request") == "true" {
		return answerJSON(w, http.StatusCreated, p.pictureOf(m))
	}
	p.site.Flash(w, r, web.Good, "blog.library.added", m.Name)
	return p.site.Redirect(w, r, p.pictureOf(m).Path)
}

// maxFields is how many bytes of an upload that are no file stay in memory.
const maxFields = 1 << 20

func (p *pages) takeUpload(r *http.Request) (blog.Media, error) {
	if err := r.ParseMultipartForm(blog.MaxUpload + maxFields); err != nil {
		return blog.Media{}, unread(err)
	}
	file, header, err := r.FormFile("file")
	if err != nil {
		return blog.Media{}, errs.Validation(errs.Field{Name: "file", Message: "is missing"})
	}
	defer func() { _ = file.Close() }()
	n := blog.NewMedia{Name: header.Filename, Alt: r.FormValue("alt")}
	if account := auth.From(r.Context()); account != nil {
		n.Uploader = account.Name
	}
	return p.desk.AddMedia(r.Context(), n, file)
}

// mediaPage is one image and where it is shown.
type mediaPage struct {
	picture
	Posts []blog.Card
}

func (p *pages) showMedia(w http.ResponseWriter, r *http.Request) error {
	return p.mediaPage(w, r, nil)
}

func (p *pages) mediaPage(w http.ResponseWriter, r *http.Request, problem error) error {
	m, err := p.desk.GetMedia(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	posts, err := p.desk.UsedBy(r.Context(), m.ID)
	if err != nil {
		return err
	}
	page := web.Page{Title: m.Name, NoIndex: true, Private: true, Problem: problem, Data: mediaPage{p.pictureOf(m), posts}}
	if page.Title == "" {
		page.Title = p.site.T(r, "blog.library.one")
	}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.office, "media", page)
}

func (p *pages) describeMedia(w http.ResponseWriter, r *http.Request) error {
	m, err := p.desk.SetAlt(r.Context(), r.PathValue("id"), r.PostFormValue("alt"))
	if errors.Is(err, errs.Invalid) {
		return p.mediaPage(w, r, err)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "blog.library.described")
	return p.site.Redirect(w, r, p.pictureOf(m).Path)
}

func (p *pages) deleteMedia(w http.ResponseWriter, r *http.Request) error {
	err := p.desk.DeleteMedia(r.Context(), r.PathValue("id"))
	if errors.Is(err, errs.Conflict) {
		return p.mediaPage(w, r, err)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "blog.library.deleted")
	return p.site.Redirect(w, r, "/office/blog/media")
}
