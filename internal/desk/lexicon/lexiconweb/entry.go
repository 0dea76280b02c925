package lexiconweb

import (
	"fmt"
	"net/http"
	"strings"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/story"
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
		if n := t.SourceCounts[text]; n > 0 {
			s.Text += fmt.Sprintf(" (%g)", n)
		}
		if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
			s.URL = text
		}
		data.Sources = append(data.Sources, s)
	}
	standing, err := p.site.Standing(r, story.Ref{Desk: lexicon.Schema.Name, ID: t.Slug})
	if err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "entry", web.Page{
		Standing: standing, Title: t.Term, Description: data.Gloss, Kind: "article", Data: data,
	})
}
