package lexiconweb

import (
	"context"
	"net/http"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web/feed"
)

// feedSize is how many terms a feed has.
const feedSize = 50

// feedOf is a list for those who follow it.
type feedOf func(r *http.Request) (title string, terms []lexicon.Term, err error)

// feeds registers the two feeds of a list.
func (p *pages) feeds(path string, of feedOf) {
	serve := func(w http.ResponseWriter, r *http.Request) error {
		title, terms, err := of(r)
		if err != nil {
			return err
		}
		return feed.Serve(w, r, p.feedDocument(r, title, terms))
	}
	p.site.Get(path+"/feed.atom", auth.Everyone, serve)
	p.site.Get(path+"/feed.json", auth.Everyone, serve)
}

func (p *pages) feedDocument(r *http.Request, title string, terms []lexicon.Term) feed.Feed {
	lang := p.site.Lang(r)
	home := strings.TrimSuffix(strings.TrimSuffix(r.URL.EscapedPath(), "/feed.atom"), "/feed.json")
	f := feed.Feed{
		Title: title, Description: p.site.T(r, "lexicon.description"), Lang: lang,
		Home: p.site.Absolute(r, home), Self: p.site.Absolute(r, r.URL.EscapedPath()),
	}
	for i := range terms {
		t := &terms[i]
		link := p.site.Absolute(r, termPath(t.Slug))
		f.Items = append(f.Items, feed.Item{
			ID: link, URL: link, Title: t.Term, Summary: t.GlossIn(lang), Published: t.LastUpdated.Time(),
			Author: strings.Join(t.Sources, ", "), Tags: t.Categories, Lang: t.Language,
		})
	}
	return f
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

// sitemap yields the page of every term.
func (p *pages) sitemap(ctx context.Context, _ string, yield func(path string, changed time.Time) bool) error {
	book, err := p.desk.Book(ctx)
	if err != nil {
		return err
	}
	for _, t := range book.Latest(book.Len()) {
		if !yield(termPath(t.Slug), t.LastUpdated.Time()) {
			return nil
		}
	}
	return nil
}
