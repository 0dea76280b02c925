package blogweb

import (
	"net/http"
	"net/url"

	"pressroom/internal/desk/blog"
	"pressroom/internal/web"
)

// inboxPage is readers' letters.
type inboxPage struct {
	Letters []letter
	Next    string
}

type letter struct{ blog.Message }

// Answer is a link that begins an answer.
func (l letter) Answer() string {
	u := url.URL{Scheme: "mailto", Opaque: url.PathEscape(l.Email)}
	u.RawQuery = "subject=" + url.PathEscape("Re: "+l.Subject)
	return u.String()
}

func (p *pages) showInbox(w http.ResponseWriter, r *http.Request) error {
	page, err := p.desk.Inbox(r.Context(), blog.PageOptions{Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	data := inboxPage{Next: page.Next}
	for _, m := range page.Items {
		data.Letters = append(data.Letters, letter{m})
	}
	return p.site.Render(w, r, p.office, "inbox", web.Page{Title: p.site.T(r, "blog.inbox"), NoIndex: true, Private: true, Data: data})
}

func (p *pages) deleteLetter(w http.ResponseWriter, r *http.Request) error {
	if err := p.desk.DeleteMessage(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "blog.inbox.deleted")
	return p.site.Redirect(w, r, "/office/blog/inbox")
}
