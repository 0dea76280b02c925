package lexiconweb

import (
	"net/http"

	"pressroom/internal/web"
)

// historyPage is a reader's translations.
type historyPage struct {
	Items []translated
	Next  string
	Keeps bool // the tier keeps them
}

func (p *pages) history(w http.ResponseWriter, r *http.Request) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	list, err := p.desk.History(r.Context(), m.UserID, pageOf(r))
	if err != nil {
		return err
	}
	data := &historyPage{Next: list.Next, Keeps: p.desk.Limits(m.Tier).History}
	for i := range list.Items {
		data.Items = append(data.Items, *mark(&list.Items[i], 100*i))
	}
	return p.site.Render(w, r, p.views, "history", web.Page{
		Title: p.site.T(r, "lexicon.history.title"), NoIndex: true, Private: true, Data: data,
	})
}

func (p *pages) deleteTranslation(w http.ResponseWriter, r *http.Request) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	if err := p.desk.DeleteTranslation(r.Context(), m.UserID, r.PathValue("id")); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.history.deleted")
	return p.site.Redirect(w, r, "/lexicon/translations")
}

func (p *pages) deleteHistory(w http.ResponseWriter, r *http.Request) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	if err := p.desk.DeleteTranslations(r.Context(), m.UserID); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.history.emptied")
	return p.site.Redirect(w, r, "/lexicon/translations")
}
