package newswireweb

import (
	"net/http"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/web"
)

// versionRow is how an article became what it is, or was next.
type versionRow struct {
	At            string // when the change was seen
	Before, After string // its titles, if they differ
	Changes       [][]newswire.Piece
}

// versionsPage is how an article changed, the latest change first.
type versionsPage struct {
	Path, Title string
	Lang        string
	Rows        []versionRow
}

// showVersions is for staff: the changes together tell more of a text than its readers
// may see.
func (p *pages) showVersions(w http.ResponseWriter, r *http.Request) error {
	a, err := p.desk.GetArticle(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	versions, err := p.desk.Versions(r.Context(), a.ArticleID)
	if err != nil {
		return err
	}
	data := versionsPage{Path: articlePath(a.ArticleID), Title: a.Title, Lang: languageOf(a.Title + a.BodyPlain)}
	title, text := a.Title, a.BodyPlain // as much of it as a version has
	for _, v := range versions {
		row := versionRow{At: v.ReplacedAt, Changes: newswire.Difference(v.BodyPlain, text)}
		if v.Title != title {
			row.Before, row.After = v.Title, title
		}
		data.Rows = append(data.Rows, row)
		title, text = v.Title, v.BodyPlain
	}
	return p.site.Render(w, r, p.views, "version", web.Page{Title: p.site.T(r, "newswire.versions"), NoIndex: true, Private: true, Data: data})
}
