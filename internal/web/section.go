package web

import (
	"cmp"
	"context"
	"slices"
	"time"
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
	Lang              string // of the title and summary; the page's if empty
	Author            string
	Level             int // of the headline; 3 by default
}

// Heading is the headline's level.
func (s Story) Heading() int {
	if s.Level == 2 {
		return 2
	}
	return 3
}

// language is the story's own, as far as it can be told.
func (s Story) language() string {
	if s.Lang != "" {
		return s.Lang
	}
	return LanguageOf(s.Title, s.Summary)
}

// FrontSection is a desk in the stream of the front page.
type FrontSection struct {
	// Desk is the desk's name in addresses and in the search index: "minutes".
	Desk string
	// Key is of the desk's name, and Path is where its own pages begin.
	Key, Path string
	// Order is the desk's place among the others.
	Order int
	// Minor desks have no headlines at the top of the page.
	Minor bool
	// Load returns the desk's stories, the newest first, from a cursor on ("" is
	// the beginning), and the cursor of those that follow; "" at the end. It sees
	// only what everyone may see.
	Load func(ctx context.Context, lang, cursor string, limit int) ([]Story, string, error)
	// Find returns the stories of these documents of the search index, by their
	// ids: those that everyone may see at this moment. Nil if none is indexed.
	Find func(ctx context.Context, lang string, ids []string) (map[string]Story, error)
}

// Front adds a desk to the front page and to the site's feed.
func (s *Site) Front(section FrontSection) {
	s.front = append(s.front, section)
	slices.SortStableFunc(s.front, func(a, b FrontSection) int { return cmp.Compare(a.Order, b.Order) })
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

// Find returns the stories of a desk's documents that everyone may see at this
// moment, by their ids; none of a desk that is unknown.
func (s *Site) Find(ctx context.Context, desk, lang string, ids []string) (map[string]Story, error) {
	section, ok := s.section(desk)
	if !ok || section.Find == nil {
		return nil, nil
	}
	return section.Find(ctx, lang, ids)
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
