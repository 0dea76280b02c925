package newswireweb

import (
	"html"
	"net/http"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/rights"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

// serveFeed answers with a list of articles: each with what readers may see of it
// and its source.
func (p *pages) serveFeed(w http.ResponseWriter, r *http.Request, from source) error {
	found, err := from.find(r.Context(), pageOf(r))
	if err != nil {
		return err
	}
	shown, err := p.desk.Show(r.Context(), found.Items, rights.Readers)
	if err != nil {
		return err
	}
	notes := map[string]string{} // who wrote what is shown
	for i := range shown {
		note := p.site.T(r, "newswire.excerpt.note")
		if !shown[i].Decision.May(rights.Summarise) {
			note = p.site.T(r, "newswire.excerpt.only")
		}
		if s := shown[i].Summary; s != nil {
			note = newswire.Disclaimer(s.Disclaimer, p.site.Lang(r))
		}
		notes[shown[i].Article.StoryID()] = note
	}
	f := web.StoryFeed{Title: from.Title, Description: p.site.T(r, "newswire.description"), Home: from.Path, Next: found.Next}
	if f.Stories, err = p.site.Stories(r.Context(), newswire.Schema.Name, idsOf(found.Items)); err != nil {
		return err
	}
	f.HTML = func(st *story.Story) (string, error) {
		text := ""
		if st.Summary != "" {
			text = string(paragraphs(st.Summary)) + "<p><em>" + html.EscapeString(notes[st.ID]) + "</em></p>"
		}
		return text + `<p><a href="` + html.EscapeString(st.Source.URL) + `">` + html.EscapeString(p.site.T(r, "newswire.source", st.Source.Name)) + "</a></p>", nil
	}
	return p.site.ServeFeed(w, r, f)
}
