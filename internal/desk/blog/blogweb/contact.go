package blogweb

import (
	"net/http"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/web"
)

func (p *pages) showContact(w http.ResponseWriter, r *http.Request) error {
	return p.contactPage(w, r, blog.NewMessage{}, nil)
}

func (p *pages) contactPage(w http.ResponseWriter, r *http.Request, l blog.NewMessage, problem error) error {
	page := web.Page{Title: p.site.T(r, "blog.contact"), Description: p.site.T(r, "blog.contact.lead"), Problem: problem, Data: l}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "contact", page)
}

func (p *pages) sendLetter(w http.ResponseWriter, r *http.Request) error {
	l := blog.NewMessage{
		Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Subject: r.PostFormValue("subject"),
		Body: r.PostFormValue("body"), Website: r.PostFormValue("website"),
	}
	err := p.public.Send(r.Context(), front.ClientAddr(r.Context()).String(), l)
	if err != nil {
		switch errs.KindOf(err) {
		case errs.Invalid, errs.RateLimited, errs.Unavailable:
			return p.contactPage(w, r, l, err) // what was typed stays
		}
		return err
	}
	p.site.Flash(w, r, web.Good, "blog.contact.sent")
	return p.site.Redirect(w, r, "/blog/contact")
}
