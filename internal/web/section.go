package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"pressroom/internal/story"
	"pressroom/internal/thread"
)

// Story is an article as lists and the front page show it.
type Story struct {
	Title   string
	Path    string // of the article's page
	Desk    string // its name, where stories of several stand together
	Kicker  string // a category, a committee; may be empty
	Summary string // plain text
	Date    time.Time
	// Source is who said it first, and SourceURL where; both empty for the
	// paper's own.
	Source, SourceURL string
	Image, ImageText  string
	ImageSet          string // its sizes, as srcset
	Focus             string // classes, see [FocusClass]
	Lang              string // of the title and summary; the page's if empty
	Author            string
	Level             int // of the headline; 3 by default
	// Also are others that print the same report.
	Also []Also
	// Thread is the thread that it is part of; nil if it stands alone.
	Thread *ThreadLink
}

// Heading is the headline's level.
func (s Story) Heading() int {
	if s.Level == 2 {
		return 2
	}
	return 3
}

// card is a story as pages in a language show it.
func (s *Site) card(lang string, st *story.Story) Story {
	section := st.Section
	if section != "" {
		section = s.textOr(lang, st.Desk+".category."+section, section)
	}
	c := Story{
		Title: st.Title, Path: st.Path, Kicker: section, Summary: shorten(st.SummaryIn(lang), summaryShown), Date: story.Time(st.Listed),
		Source: st.Source.Name, SourceURL: st.Source.URL, Image: st.Picture.Path, ImageText: st.Picture.Text, ImageSet: st.Picture.Set, Focus: FocusClass(st.Picture.Focus), Lang: st.Language, Author: JoinNames(lang, st.Provenance.Authors()),
	}
	if c.Source != "" {
		c.Source = s.textOr(lang, st.Desk+".from", c.Source)
	}
	if c.Lang == lang || st.Summaries[lang] != "" { // the summary is longer than the title
		c.Lang = ""
	}
	return c
}

// JoinNames lists names as the language does.
func JoinNames(lang string, names []string) string {
	if lang == "ja" {
		return strings.Join(names, "、")
	}
	return strings.Join(names, ", ")
}

// focusStep is how exactly a picture is placed: the style sheet has a class for each
// step, because the Content-Security-Policy forbids styles in a page.
const focusStep = 5

// FocusClass returns the classes that keep a point of a picture in sight where it is cut.
// Anything that [story.Focus] cannot read is the middle, which needs none.
func FocusClass(point string) string {
	x, y, ok := story.Focus(point)
	if !ok {
		return ""
	}
	step := func(n int) int { return (n + focusStep/2) / focusStep * focusStep }
	return fmt.Sprintf("fx-%d fy-%d", step(x), step(y))
}

// summaryShown is how many letters of a summary a list shows.
const summaryShown = 240

// shorten cuts a text to so many letters, with a sign that something is missing.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimSpace(string(runes[:most-1])) + "…"
}

// Stories returns stories of a desk as they are now, in the order of their ids; those
// that are not to be seen are left out.
func (s *Site) Stories(ctx context.Context, desk string, ids []string) ([]story.Story, error) {
	if s.o.Stories == nil || len(ids) == 0 {
		return nil, nil
	}
	refs := make([]story.Ref, len(ids))
	for i, id := range ids {
		refs[i] = story.Ref{Desk: desk, ID: id}
	}
	return s.o.Stories.Get(ctx, refs...)
}

// Cards is Stories as a desk's own pages list them: of several that print one report,
// the first, with the names of the others.
func (s *Site) Cards(r *http.Request, desk string, ids []string) ([]Story, error) {
	stories, err := s.Stories(r.Context(), desk, ids)
	if err != nil {
		return nil, err
	}
	around, err := s.around(r.Context(), stories)
	if err != nil {
		return nil, err
	}
	var cards []Story
	for i := range stories {
		earlier := func(p *thread.Item) bool {
			return slices.ContainsFunc(stories[:i], func(st story.Story) bool { return st.Ref == p.Ref })
		}
		if slices.ContainsFunc(around.printings(stories[i].Ref), earlier) {
			continue // it stands there with the others that print it
		}
		card := s.card(s.Lang(r), &stories[i])
		card.Level = 2
		around.on(s, s.Lang(r), stories[i].Ref, &card)
		cards = append(cards, card)
	}
	return cards, nil
}

// Found is what was found of a desk, as a page in a language shows it.
func (s *Site) Found(lang string, st *story.Story) Story {
	c := s.card(lang, st)
	c.Desk = s.nameOf(lang, st.Desk)
	return c
}

// FrontSection is a desk whose stories are on the front page.
type FrontSection struct {
	// Desk is the desk's name in addresses, and that of its stories: "minutes".
	Desk string
	// Key is of the desk's name, and Path is where its own pages begin.
	Key, Path string
	// Order is the desk's place among the others.
	Order int
	// Minor desks have no headlines at the top of the page, and a few stories a day.
	Minor bool
	// Lists yields the desk's pages that are no story, for the sitemap; nil for none. It
	// stops when yield returns false.
	Lists func(ctx context.Context, yield func(path string) bool) error
}

// Front adds a desk's stories to the front page, to the site's feed and to the sitemap.
func (s *Site) Front(section FrontSection) {
	s.front = append(s.front, section)
	slices.SortStableFunc(s.front, func(a, b FrontSection) int { return cmp.Compare(a.Order, b.Order) })
	s.Sitemap(s.storyMap(section))
}

// section returns a desk by its name.
func (s *Site) section(desk string) (FrontSection, bool) {
	for _, section := range s.front {
		if section.Desk == desk {
			return section, true
		}
	}
	return FrontSection{}, false
}

// nameOf is a desk's name in a language; "" if there is no such desk.
func (s *Site) nameOf(lang, desk string) string {
	section, ok := s.section(desk)
	if !ok {
		return ""
	}
	return s.text(lang, section.Key)
}

// Desk is a desk as other pages name it.
type Desk struct{ Name, Title, Path string }

// Desks returns the desks of the front page in their order, with their names in a
// language.
func (s *Site) Desks(lang string) []Desk {
	desks := make([]Desk, len(s.front))
	for i, section := range s.front {
		desks[i] = Desk{section.Desk, s.text(lang, section.Key), section.Path}
	}
	return desks
}

// Word is a term of the glossary as the front page shows it.
type Word struct {
	Term, Path, Gloss string
	Lang, GlossLang   string // if they are not the page's
}

// Words are the terms that are used most, and where more of them are.
type Words struct {
	// Path is of the page with all of them.
	Path string
	// Load returns the first so many, the most used first.
	Load func(ctx context.Context, lang string, most int) ([]Word, error)
}

// Trending puts terms that are used most on the front page.
func (s *Site) Trending(w Words) { s.trending = &w }
