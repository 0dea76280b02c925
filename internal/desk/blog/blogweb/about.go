package blogweb

import (
	"net/http"

	"pressroom/internal/web"
)

func (p *pages) showAbout(w http.ResponseWriter, r *http.Request) error {
	about := p.public.About()
	title := p.site.T(r, "blog.about")
	allowPictures(w)
	return p.site.Render(w, r, p.views, "about", web.Page{
		Title: title, Description: about.Text, Image: about.Avatar, Kind: "profile", Data: about,
	})
}
