// Package search finds what the desks publish: one index over all of them, in
// Japanese and English. It holds the nouns (Document, Query, Results), the
// interface that an index satisfies, and Feed, which keeps an index equal to the
// stories by reading the log of what happens to them.
//
// It promises that nobody is shown what they may not see: a document that is not
// public is kept apart from the public ones, every search is filtered by the
// caller's level, and Service reads the card of each hit before it shows it, so that
// not even a moment lies between taking a story back and no longer finding it. What a
// desk acknowledged is found after a moment, also if the process dies in between; an
// index that is lost or damaged is made again from the stories.
//
// Start with Document and Query, then Service. Index has two implementations:
// embedded (in this process, on disk) and opensearch (for more than one machine).
// feed.go is how changes arrive, rebuild.go how an index is made from nothing.
package search

import (
	"context"
	"html/template"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
)

// Level is how far somebody may see: a reader sees the documents of their level
// and below. Levels are those of the roles.
type Level int

// The levels between which others lie.
const (
	Public   Level = 0 // everyone
	MaxLevel Level = 9
)

// Key names a document: its desk, and its id there, as the story does.
type Key struct{ Desk, ID string }

func (k Key) ref() story.Ref { return story.Ref{Desk: k.Desk, ID: k.ID} }

// String returns the name as it is in the index.
func (k Key) String() string { return k.Desk + "/" + k.ID }

// Document is something that can be found.
type Document struct {
	Key
	Kind     string    // what it is: post, article, term, …
	Language string    // ja, en; "" if unknown
	Title    string    // plain text
	Summary  string    // plain text
	Body     string    // plain text
	Hidden   string    // plain text that the document is found by and no hit shows
	Tags     []string  // as they are shown
	Source   string    // who said it first, or who wrote it
	Names    []Name    // what it names and has a page of its own
	Date     time.Time // when it was published
	URL      string    // where it is, below the site
	Level    Level     // who may see it; Public for everyone
	Revision int       // of the story
}

// Sort is an order of results.
type Sort string

// The orders.
const (
	Relevance Sort = "relevance" // how well it fits and how new it is
	Newest    Sort = "newest"    // by date alone
)

// Query is what somebody looks for. The zero value lists everything public, the
// newest first.
type Query struct {
	Text      string // words, "phrases", -exclusions; see text.Parse
	Desks     []string
	Kinds     []string
	Languages []string
	Sources   []string
	Tags      []string  // all of them
	From, To  time.Time // beginnings of the first and the last day, in any zone; zero for no limit
	Sort      Sort      // default Relevance, or Newest if there is no text
	Limit     int       // 1 to 100; default 20
	Cursor    string    // Next of the page before
	Level     Level     // who asks
	// Synonyms are words of the text and others that may stand in their place.
	Synonyms []text.Synonyms
}

// Limits of a query.
const (
	DefaultLimit = 20
	MaxLimit     = 100
	MaxText      = 500 // letters
)

// Day is how long the last day of a query is.
const Day = 24 * time.Hour

// Check fills in defaults and refuses what makes no sense: an errs.Invalid that
// names the field.
func (q *Query) Check() error {
	var bad []errs.Field
	if len([]rune(q.Text)) > MaxText {
		bad = append(bad, errs.Field{Name: "q", Message: "is too long"})
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		bad = append(bad, errs.Field{Name: "limit", Message: "must be from 1 to 100"})
	}
	switch {
	case q.Sort == "" && q.Text == "":
		q.Sort = Newest
	case q.Sort == "":
		q.Sort = Relevance
	case q.Sort != Relevance && q.Sort != Newest:
		bad = append(bad, errs.Field{Name: "sort", Message: "must be relevance or newest"})
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.To.Before(q.From) {
		bad = append(bad, errs.Field{Name: "to", Message: "must not be before from"})
	}
	if bad != nil {
		return errs.Validation(bad...)
	}
	return nil
}

// Hit is a document that was found, as it is shown.
type Hit struct {
	Key
	Kind     string
	Language string
	Title    string
	Tags     []string
	Date     time.Time
	URL      string
	Revision int // of the story when it was indexed
	Score    float64
	// TitleHTML and ExcerptHTML are the title and the part of the text that fits
	// best, with what was looked for in <mark>; all else is escaped.
	TitleHTML, ExcerptHTML template.HTML
	// Why says how the hit fits, where it has something else than a word that was asked for.
	Why []Why
	// Story is the card as it is now. It is the service that reads it.
	Story story.Story
}

// Why is a word that was asked for, and what a hit has in its place.
type Why struct {
	Kind  string // text.Reading or text.Synonym
	Asked string
	Found string // "" where it is not known
}

// Name is somebody or something with a page of its own.
type Name = story.Name

// Named is a name, and the newest document that has it.
type Named struct {
	Name
	Key
	Revision int
	Form     string // that was found
	Date     time.Time
}

// Nearness is how much of a name must be as it was written.
type Nearness int

// How names are found.
const (
	Whole  Nearness = iota // the name
	Begins                 // its beginning
	Near                   // all but a letter or two
)

// Count is a value of a field and how many of the results have it.
type Count struct {
	Value string
	Count int
}

// Facets are the results by field, the most frequent first. Desks, kinds and
// languages are counted without the query's own filter on them, so that a reader
// sees what another choice would give; tags are counted among the best thousand.
type Facets struct{ Desks, Kinds, Languages, Tags []Count }

// Results is a page of what was found.
type Results struct {
	Hits []Hit
	// Total is how many there are; if AtMost, there may be fewer.
	Total  int
	AtMost bool
	// Relaxed tells that nothing has all the words, and these have some.
	Relaxed bool
	Facets  Facets
	// Next is the cursor of the next page; "" on the last. By relevance there are
	// pages up to the best few thousand, by date to the end.
	Next string
	// DidYouMean is a query that would find something, if this one does not.
	DidYouMean string

	// The rest is how the service has read the query.

	// Leads are the pages of whom or what the query names, before the hits.
	Leads []Lead
	// Limits are the words of the query that were read as filters.
	Limits []Limit
	// Corrected is the text that was searched for, if it is not the one that was typed.
	Corrected string
}

// Lead is a page that the query names.
type Lead struct {
	Named
	// Why is how the query names it: "" by its name, or Reading, Synonym (another name),
	// Office or Correction.
	Why string
}

// Limit is words of a query that were read as a filter.
type Limit struct {
	Kind     string // date, desk, language, source
	Words    string
	Value    string    // of a desk, a language or a source
	From, To time.Time // of dates
	Without  string    // the query without the words
}

// Suggestion completes what somebody types.
type Suggestion struct {
	Key
	Kind     string
	Title    string
	URL      string
	Revision int
}

// Batch is a change of an index, made as a whole.
type Batch struct {
	Put    []Document
	Delete []Key
	// Checkpoints say how far in the log the index is with this batch.
	Checkpoints Checkpoints
}

// Checkpoints say how far an index is. Indexes keep them and do not look at them.
type Checkpoints map[string]string

// Counts is the size of an index.
type Counts struct {
	Documents int
	Private   int // of them, those that not everyone may see
	Bytes     int64
	Segments  int // parts that a search looks into; 0 if it is not known
}

// Writer takes changes.
type Writer interface {
	// Apply makes a change durable before it returns. A document that is put
	// replaces the one of its name. Apply is called by one goroutine at a time.
	Apply(ctx context.Context, b Batch) error
}

// Build is an index that nobody searches yet.
type Build interface {
	Writer
	// Commit puts it in the place of the index at once, and removes the old one.
	Commit(ctx context.Context) error
	// Abort removes it. It does nothing after Commit.
	Abort() error
}

// Index holds documents and finds them. Search and Suggest may be called by many
// at once, also while changes are made.
type Index interface {
	Writer
	Search(ctx context.Context, q Query) (*Results, error)
	Suggest(ctx context.Context, prefix string, level Level, limit int) ([]Suggestion, error)
	// Names returns some of the names that have one of the forms, as [Forms] gives them.
	Names(ctx context.Context, forms []string, how Nearness, level Level) ([]Named, error)
	// Checkpoints returns the last ones that were applied; none if the index has
	// never been built or was lost.
	Checkpoints(ctx context.Context) (Checkpoints, error)
	Counts(ctx context.Context) (Counts, error)
	// Rebuild begins an empty index.
	Rebuild(ctx context.Context) (Build, error)
	Close() error
}
