package lexiconweb

import (
	"net/http"
	"path"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// feedSize is how many terms a feed has.
const feedSize = 50

// feedOf is a list for those who follow it.
type feedOf func(r *http.Request) (title string, terms []lexicon.Term, err error)

// feeds registers the two feeds of a list.
func (p *pages) feeds(at string, of feedOf) {
	serve := func(w http.ResponseWriter, r *http.Request) error {
		title, terms, err := of(r)
		if err != nil {
			return err
		}
		f := web.StoryFeed{Title: title, Description: p.site.T(r, "lexicon.description"), Home: path.Dir(r.URL.EscapedPath())}
		if f.Stories, err = p.site.Stories(r.Context(), lexicon.Schema.Name, slugs(terms)); err != nil {
			return err
		}
		return p.site.ServeFeed(w, r, f)
	}
	p.site.Get(at+"/feed.atom", auth.Everyone, serve)
	p.site.Get(at+"/feed.json", auth.Everyone, serve)
}

func slugs(terms []lexicon.Term) []string {
	all := make([]string, len(terms))
	for i := range terms {
		all[i] = terms[i].Slug
	}
	return all
}

// newest is the feed of the whole lexicon.
func (p *pages) newest(r *http.Request) (string, []lexicon.Term, error) {
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return "", nil, err
	}
	return p.site.T(r, "lexicon.title"), book.Latest(feedSize), nil
}

// termsOf returns the terms of a list of trends that are still there.
func termsOf(book *lexicon.Book, rows []lexicon.TrendRow) []lexicon.Term {
	var terms []lexicon.Term
	for _, row := range rows {
		if t, ok := book.Term(row.Slug); ok {
			terms = append(terms, t)
		}
	}
	return terms
}
