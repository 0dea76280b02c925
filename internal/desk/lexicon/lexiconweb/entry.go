package lexiconweb

import (
	"net/http"
	"strings"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// entryPage is a term with all that is known of it.
type entryPage struct {
	Term       *lexicon.Term
	Gloss      string
	GlossLang  string
	Also       map[string]string // the gloss in the other languages
	Trend      *lexicon.Trend
	Tags       []label
	Categories []label
	Regions    []label
	Sources    []source
	Related    []card
	Path       string
}

// source is where a term is from: a name, or an address.
type source struct{ Text, URL string }

func (p *pages) entry(w http.ResponseWriter, r *http.Request) error {
	e, err := p.desk.Entry(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	lang, t := p.site.Lang(r), &e.Term
	data := &entryPage{
		Term: t, Gloss: t.GlossIn(lang), GlossLang: glossLang(lang, t.Glosses, t.Language), Also: map[string]string{}, Trend: e.Trend,
		Tags: labelsOf(lexicon.ByTag, t.Tags), Categories: labelsOf(lexicon.ByCategory, t.Categories), Regions: labelsOf(lexicon.ByRegion, t.Regions),
		Related: cardsOf(lang, e.Related), Path: termPath(t.Slug),
	}
	for other, gloss := range t.Glosses {
		if gloss != data.Gloss {
			data.Also[other] = gloss
		}
	}
	for _, text := range t.Sources {
		s := source{Text: text}
		if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
			s.URL = text
		}
		data.Sources = append(data.Sources, s)
	}
	return p.site.Render(w, r, p.views, "entry", web.Page{
		Title: t.Term, Description: data.Gloss, Kind: "article", Data: data,
	})
}
