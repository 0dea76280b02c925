package blogweb

import (
	"net/http"

	"pressroom/internal/desk/blog"
	"pressroom/internal/web"
)

// countsPage is the tags, or the months.
type countsPage struct {
	Tags  []tagLink
	Years []year
	Next  string
}

// year is a year of the archive.
type year struct {
	Name   string
	Months []monthLink
}

func (p *pages) showTags(w http.ResponseWriter, r *http.Request) error {
	page, err := p.public.Tags(r.Context(), blog.PageOptions{Limit: blog.MaxLimit, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	data := countsPage{Next: page.Next}
	for _, c := range page.Items {
		data.Tags = append(data.Tags, tagLink{c.Name, tagPath(c.Name), c.Count})
	}
	return p.site.Render(w, r, p.views, "tags", web.Page{Title: p.site.T(r, "blog.tags"), Data: data})
}

func (p *pages) showArchive(w http.ResponseWriter, r *http.Request) error {
	page, err := p.public.Months(r.Context(), blog.PageOptions{Limit: blog.MaxLimit, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	data := countsPage{Next: page.Next}
	lang := p.site.Lang(r)
	for _, c := range page.Items {
		name := c.Name[:min(4, len(c.Name))]
		if len(data.Years) == 0 || data.Years[len(data.Years)-1].Name != name {
			data.Years = append(data.Years, year{Name: name})
		}
		last := &data.Years[len(data.Years)-1]
		last.Months = append(last.Months, monthLink{monthName(lang, c.Name), monthPath(c.Name), c.Count})
	}
	return p.site.Render(w, r, p.views, "archive", web.Page{Title: p.site.T(r, "blog.archive"), Data: data})
}
