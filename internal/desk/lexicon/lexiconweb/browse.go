package lexiconweb

import (
	"net/http"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// browsePage is the terms under a label.
type browsePage struct {
	Facet, Value string
	Path         string
	Terms        []card
	Next         string
	Others       []label // of the same facet
	Young        bool    // without what is not for young readers
}

func (p *pages) browse(w http.ResponseWriter, r *http.Request) error {
	facet, value := r.PathValue("facet"), r.PathValue("value")
	list, err := p.desk.Browse(r.Context(), facet, value, pageOf(r))
	if err != nil {
		return err
	}
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return err
	}
	most := 40
	if facet == lexicon.ByInitial {
		most = 200
	}
	path := facetPath(facet, value)
	young := r.FormValue("young") == "1"
	if young {
		list.Items = book.ForYoung(list.Items)
	}
	data := &browsePage{
		Facet: facet, Value: value, Path: path, Terms: cardsOf(p.site.Lang(r), list.Items), Next: list.Next, Young: young,
		Others: countedLabels(facet, book.Facets(facet), most),
	}
	title := p.site.T(r, "lexicon.browse."+facet, value)
	return p.site.Render(w, r, p.views, "browse", web.Page{
		Title: title, Description: p.site.T(r, "lexicon.browse.description", value), Canonical: path, NoIndex: len(list.Items) == 0,
		Feeds: []web.FeedLink{{Path: path + "/feed", Title: title}}, Block: "terms", Data: data,
	})
}

// browsed is the feed of a label.
func (p *pages) browsed(r *http.Request) (string, []lexicon.Term, error) {
	facet, value := r.PathValue("facet"), r.PathValue("value")
	list, err := p.desk.Browse(r.Context(), facet, value, lexicon.PageOptions{Limit: feedSize})
	if err != nil {
		return "", nil, err
	}
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return "", nil, err
	}
	var terms []lexicon.Term
	for _, l := range list.Items {
		if t, ok := book.Term(l.Slug); ok {
			terms = append(terms, t)
		}
	}
	return p.site.T(r, "lexicon.browse."+facet, value), terms, nil
}
