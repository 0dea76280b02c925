package lexiconweb

import (
	"html/template"
	"net/http"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// translatePage is the translator.
type translatePage struct {
	Form   lexicon.TranslateRequest
	Result *translated
	Usage  *lexicon.Usage
	Limits lexicon.Limits
	Left   int
	Recent []translated
	Ways   []web.Choice
	Langs  []web.Choice
}

// translated is a translation with its terms marked.
type translated struct {
	lexicon.Translation
	Before, After template.HTML
	Percent       int // of confidence
	Changed, Kept bool
}

func (p *pages) translator(w http.ResponseWriter, r *http.Request) error {
	form := lexicon.TranslateRequest{Text: r.URL.Query().Get("text"), Direction: lexicon.FromSlang}
	return p.translatePage(w, r, form, nil, nil)
}

func (p *pages) translatePage(w http.ResponseWriter, r *http.Request, form lexicon.TranslateRequest, result *translated, problem error) error {
	data := &translatePage{Form: form, Result: result, Limits: p.desk.Limits(lexicon.Guest)}
	for _, way := range []string{lexicon.FromSlang, lexicon.ToSlang} {
		data.Ways = append(data.Ways, web.Choice{Value: way, Label: p.site.T(r, "lexicon.translate."+way)})
	}
	for _, lang := range []string{"", "en", "ja"} {
		data.Langs = append(data.Langs, web.Choice{Value: lang, Label: p.site.T(r, "lexicon.language."+lang)})
	}
	if auth.From(r.Context()) != nil {
		if err := p.addUsage(r, data); err != nil {
			return err
		}
	}
	page := web.Page{
		Title: p.site.T(r, "lexicon.translate.title"), Description: p.site.T(r, "lexicon.translate.description"),
		Block: "translator", Problem: problem, Data: data,
	}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "translate", page)
}

// addUsage adds what is left of the day, and the last translations.
func (p *pages) addUsage(r *http.Request, data *translatePage) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	usage, limits, err := p.desk.Usage(r.Context(), m.UserID)
	if err != nil {
		return err
	}
	data.Usage, data.Limits, data.Left = &usage, limits, max(0, limits.Translations-usage.Used)
	list, err := p.desk.History(r.Context(), m.UserID, lexicon.PageOptions{Limit: 4})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if data.Result != nil && list.Items[i].ID == data.Result.ID {
			continue
		}
		data.Recent = append(data.Recent, *mark(&list.Items[i], 100*(i+1)))
	}
	return nil
}

func (p *pages) translate(w http.ResponseWriter, r *http.Request) error {
	userID, err := p.player(r)
	if err != nil {
		return err
	}
	form := lexicon.TranslateRequest{
		// Browsers send line ends as two characters, which nobody typed.
		Text:      strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n"),
		Direction: r.PostFormValue("direction"), Language: r.PostFormValue("language"),
	}
	done, err := p.desk.Translate(r.Context(), userID, form)
	if err != nil {
		if formError(err) {
			return p.translatePage(w, r, form, nil, err)
		}
		return err
	}
	result := mark(&done.Translation, 0)
	result.Changed, result.Kept = done.Changed, done.Kept
	return p.translatePage(w, r, form, result, nil)
}

// mark shows the terms that a translation made use of, in the text that they stand
// in. Numbers of terms begin after first.
func mark(t *lexicon.Translation, first int) *translated {
	out := &translated{Translation: *t, Percent: int(100*t.Confidence + 0.5), Changed: true, Kept: t.ID != ""}
	if t.Direction == lexicon.ToSlang {
		out.Before, out.After = escaped(t.Original), marked(t.Translated, t.Applied, first)
	} else {
		out.Before, out.After = marked(t.Original, t.Applied, first), escaped(t.Translated)
	}
	return out
}

func escaped(text string) template.HTML {
	return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
}

// marked is a text with links on its terms. Places that do not fit the text, or
// each other, are left alone.
func marked(text string, applied []lexicon.Applied, first int) template.HTML {
	var b strings.Builder
	at := 0
	for i, a := range applied {
		if a.Start < at || a.End <= a.Start || a.End > len(text) {
			continue
		}
		b.WriteString(template.HTMLEscapeString(text[at:a.Start]))
		b.WriteString(string(web.TermLink(first+i+1, text[a.Start:a.End], termPath(a.Slug), a.Gloss)))
		at = a.End
	}
	b.WriteString(template.HTMLEscapeString(text[at:]))
	return template.HTML(b.String()) //nolint:gosec // all parts are escaped
}
