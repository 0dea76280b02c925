// Package rights decides what may be done with other people's work, and what may be
// shown of it. Every page, feed, JSON answer, search document, share card and
// notification asks Show, and shows nothing of a crawled article but its title, its
// address and what Show returns.
//
// It promises that a reader gets at most Cap characters of a text whose source has
// allowed no more: as an excerpt where there is no summary, or as what a summary of
// ours has copied from it. The same work always gives the same view, so that a list,
// a page and a search together tell no more than one of them. Of everything that a
// source says the strictest holds; what cannot be read, and what is not known, is
// taken for the narrower case.
//
// Start with Decide and Show; basis.go has what allows us something, said.go what
// sources say, and directive.go, tdm.go, usage.go and rsl.go read how they say it.
// copied.go finds what a summary has copied, cut.go shortens.
package rights

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Audience is who is shown something.
type Audience int

// The audiences.
const (
	Readers  Audience = iota // everyone, signed in or not, in whatever format
	Staff                    // who works on the article: authors and the roles above
	Machines                 // programs that act for others: agents
)

// Work is an article of another's, and what we have made of it.
type Work struct {
	Basis Basis
	Said  []Said // by the source, about this article
	// Text is the article's own text. Its first few thousand characters are enough
	// if there is no summary, or an extractive one, and the basis is a quotation.
	Text string
	// Summary is ours; "" if there is none.
	Summary string
	// Extractive tells that the summary consists of sentences of the text.
	Extractive bool
	// Now is the time to decide for.
	Now time.Time
}

// View is what may be shown of a work, as plain text.
type View struct {
	Hidden  bool   // nothing may be shown, not even that there is such a work
	Summary string // the summary; "" if there is none, or nothing of it may be shown
	Excerpt string // how the text begins, where there is no summary
	Text    string // the whole text; "" where it may not be shown
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

// Cap is how many characters of a text of n characters readers may be shown of a
// quotation: 200 or a tenth, whichever is less.
func Cap(n int) int { return min(capChars, n/capShare) }

// most is how many characters of a text of n may be shown in parts.
func (d Decision) most(n int) int {
	most := Cap(n)
	if d.Basis.covers(Excerpt) {
		most = n
	}
	if d.Most >= 0 {
		most = min(most, d.Most)
	}
	if !d.May(Excerpt) {
		most = 0
	}
	return most
}

// Show decides what an audience may be shown of a work.
func Show(w Work, to Audience) View {
	if to == Staff {
		return View{Summary: w.Summary, Text: w.Text}
	}
	d := Decide(w.Basis, w.Said, w.Now)
	switch {
	case !d.May(Keep):
		return View{Hidden: true}
	case to == Machines && !d.May(Agents):
		return View{}
	}
	var view View
	if d.May(Text) {
		view.Text = w.Text
	}
	most := d.most(utf8.RuneCountInString(w.Text))
	if w.Summary == "" || !d.May(Summarise) {
		text := strings.Join(strings.Fields(w.Text), " ")
		view.Excerpt = shorten(text, quota([]span{{0, len(text)}}, text, min(most, capChars)))
		return view
	}
	runs := []span{{0, len(w.Summary)}}
	if !w.Extractive {
		runs = copied(w.Summary, w.Text)
	}
	end := quota(runs, w.Summary, most)
	view.Summary, view.Cut = shorten(w.Summary, end), end < len(w.Summary)
	return view
}
