// Package rights decides what may be shown of other people's work. Every page,
// feed, JSON answer, search document and share card asks Show, and shows nothing
// of a crawled article but its title, its address and what Show returns.
//
// It promises that a reader gets at most Cap characters of a text: as an excerpt
// where there is no summary, or as what a summary of ours has copied from it. The
// same work always gives the same view, so that a list, a page and a search
// together tell no more than one of them. What it does not know it takes for the
// narrower case.
//
// Start with Show; copied.go finds what a summary has copied, cut.go shortens.
package rights

import (
	"strings"
	"unicode/utf8"
)

// Basis is what allows us to show somebody else's work.
type Basis string

// Quotation allows a short quotation beside the name of the source and a link to
// it. It is the basis of every source that has declared none, and the only one yet.
const Quotation Basis = "quotation"

// Audience is who is shown something.
type Audience int

// The audiences.
const (
	Readers Audience = iota // everyone, signed in or not
	Staff                   // who works on the article: authors and the roles above
)

// Work is an article of another's, and what we have made of it.
type Work struct {
	Basis Basis
	// Text is the article's own text. Its first few thousand characters are enough
	// if there is no summary, or an extractive one.
	Text string
	// Summary is ours; "" if there is none.
	Summary string
	// Extractive tells that the summary consists of sentences of the text.
	Extractive bool
}

// View is what may be shown of a work, as plain text.
type View struct {
	Summary string // the summary; "" if there is none, or nothing of it may be shown
	Excerpt string // how the text begins, where there is no summary
	Text    string // the whole text; "" for readers
	Cut     bool   // the summary goes on where it ends here with an ellipsis
}

// Lead is the summary, or the excerpt where there is none.
func (v View) Lead() string {
	if v.Summary != "" {
		return v.Summary
	}
	return v.Excerpt
}

// The cap of a quotation.
const (
	capChars = 200 // characters
	capShare = 10  // one part in so many of the text
)

// Cap is how many characters of a text of n characters readers may be shown: 200
// or a tenth, whichever is less.
func Cap(n int) int { return min(capChars, n/capShare) }

// Show decides what may be shown of a work. Every basis is Quotation today, so that
// an unknown one is not given more.
func Show(w Work, to Audience) View {
	if to == Staff {
		return View{Summary: w.Summary, Text: w.Text}
	}
	most := Cap(utf8.RuneCountInString(w.Text))
	if w.Summary == "" {
		text := strings.Join(strings.Fields(w.Text), " ")
		return View{Excerpt: shorten(text, quota([]span{{0, len(text)}}, text, most))}
	}
	runs := []span{{0, len(w.Summary)}}
	if !w.Extractive {
		runs = copied(w.Summary, w.Text)
	}
	end := quota(runs, w.Summary, most)
	if end == len(w.Summary) {
		return View{Summary: w.Summary}
	}
	return View{Summary: shorten(w.Summary, end), Cut: true}
}
