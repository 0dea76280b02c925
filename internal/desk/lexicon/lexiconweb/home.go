package lexiconweb

import (
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// homePage is the lexicon's front.
type homePage struct {
	Total      int
	Letters    [][]label // Latin and the rest, kana, kanji
	Categories []label
	Tags       []label
	Regions    []label
	Trending   []card
	Newest     []card
}

func (p *pages) home(w http.ResponseWriter, r *http.Request) error {
	book, err := p.desk.Book(r.Context())
	if err != nil {
		return err
	}
	rows, err := p.desk.Trending(r.Context(), lexicon.PageOptions{Limit: 10})
	if err != nil {
		return err
	}
	lang := p.site.Lang(r)
	data := homePage{
		Total: book.Len(), Letters: letters(book),
		Categories: countedLabels(lexicon.ByCategory, book.Facets(lexicon.ByCategory), 24),
		Tags:       countedLabels(lexicon.ByTag, book.Facets(lexicon.ByTag), 24),
		Regions:    countedLabels(lexicon.ByRegion, book.Facets(lexicon.ByRegion), 12),
		Trending:   termCards(lang, termsOf(book, rows.Items)), Newest: termCards(lang, book.Latest(8)),
	}
	return p.site.Render(w, r, p.views, "home", web.Page{
		Title: p.site.T(r, "lexicon.title"), Description: p.site.T(r, "lexicon.description"),
		Feeds: []web.FeedLink{{Path: "/lexicon/feed", Title: p.site.T(r, "lexicon.title")}}, Data: data,
	})
}

// starterTime is how long the starter lexicon may take.
const starterTime = 2 * time.Minute

// loadStarter writes the terms that come with the program, if there are none yet.
func (p *pages) loadStarter(w http.ResponseWriter, r *http.Request) error {
	report, done, err := p.desk.Init(r.Context(), lexicon.ImportOptions{})
	if err != nil {
		return err
	}
	if done {
		p.site.Flash(w, r, web.Good, "lexicon.starter.done", strconv.Itoa(report.Written))
	}
	return p.site.Redirect(w, r, "/lexicon")
}

func termCards(lang string, terms []lexicon.Term) []card {
	cards := make([]card, len(terms))
	for i := range terms {
		l := listingOf(&terms[i])
		cards[i] = cardOf(lang, &l)
	}
	return cards
}

// letters are the initials of all terms, by script.
func letters(book *lexicon.Book) [][]label {
	groups := make([][]label, 3)
	var signs []label
	for _, l := range countedLabels(lexicon.ByInitial, book.Facets(lexicon.ByInitial), 500) {
		group := 0
		if utf8.RuneCountInString(l.Value) > 1 { // what begins with no letter
			l.Value = "#"
			signs = append(signs, l)
			continue
		}
		switch first, _ := utf8.DecodeRuneInString(l.Value); {
		case unicode.In(first, unicode.Hiragana, unicode.Katakana):
			group = 1
		case unicode.Is(unicode.Han, first):
			group = 2
		}
		groups[group] = append(groups[group], l)
	}
	groups[0] = append(groups[0], signs...)
	return slices.DeleteFunc(groups, func(g []label) bool { return len(g) == 0 })
}
