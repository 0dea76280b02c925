package minutesweb

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// speechPage is one speech of the record, by itself.
type speechPage struct {
	place
	Article minutes.Article
	Speech  minutes.Dialog
	Lang    string
	Person  string // path
	Back    string
	Record  template.HTML
	Part    int
	Pages   []web.Tab
}

func partQuery(part int) string {
	if part <= 1 {
		return ""
	}
	return "?part=" + strconv.Itoa(part)
}

func (p *pages) showSpeech(w http.ResponseWriter, r *http.Request) error {
	full, err := p.desk.GetFull(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	order, err := strconv.Atoi(r.PathValue("order"))
	if err != nil {
		return fmt.Errorf("speech %q: %w", r.PathValue("order"), errs.NotFound)
	}
	for _, d := range full.Asset.Dialogs {
		if d.Order == order {
			return p.renderSpeech(w, r, &full.Article, d)
		}
	}
	return errs.New(errs.NotFound, "This meeting has no statement %d.", order)
}

func (p *pages) renderSpeech(w http.ResponseWriter, r *http.Request, a *minutes.Article, d minutes.Dialog) error {
	text := strings.ToValidUTF8(d.OriginalText, "")
	found, _ := passages(d.Order, text, quotesOf(d))
	ends := parts(text, found)
	part := 1
	if asked := r.URL.Query().Get("part"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > len(ends) {
			return errs.New(errs.NotFound, "The statement has no such part.")
		}
		part = n
	}
	from := 0
	if part > 1 {
		from = ends[part-2]
	}
	at, err := p.place(r, a.Assembly)
	if err != nil {
		return err
	}
	path := articlePath(a.ID) + "/speeches/" + strconv.Itoa(d.Order)
	d.SourceURL = webAddress(d.SourceURL)
	data := speechPage{
		Article: *a, Speech: d, place: at, Lang: cmp.Or(langOf(text[:min(len(text), 300)]), a.Language), Person: pathOf(a.Assembly, minutes.ByPerson, d.Speaker), Part: part,
		Back: articlePath(a.ID) + "#s-" + strconv.Itoa(d.Order), Record: marked(text, from, ends[part-1], found),
	}
	for n := range ends {
		if len(ends) > 1 {
			data.Pages = append(data.Pages, web.Tab{Title: strconv.Itoa(n + 1), Path: path + partQuery(n+1), Current: n+1 == part})
		}
	}
	return p.site.Render(w, r, p.views, "speech", web.Page{
		Title: p.site.T(r, "minutes.speech.title", d.Order, d.Speaker), Description: a.Title, Canonical: path + partQuery(part), Data: data,
	})
}
