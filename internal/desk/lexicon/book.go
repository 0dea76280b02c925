package lexicon

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"pressroom/internal/desk/lexicon/find"
	"pressroom/internal/kept"
	"pressroom/model"
)

// Book is all terms as they were at one moment, in memory: what finds them in
// texts, relates them to each other, and counts them. It does not change.
type Book struct {
	terms  []Term
	bySlug map[string]int
	byTag  map[string][]int
	finder *find.Finder
	plain  map[string]*find.Finder // by language, the words that can become terms
	facets map[string][]Facet
	latest []int // the last changed first
}

// Facet is a tag, a region, a category or an initial, and how many terms it has.
type Facet struct {
	Value string `json:"value"`
	Terms int    `json:"terms"`
}

// NewBook returns the book of these terms. Of two with the same name, the one of
// greater confidence is found in texts.
func NewBook(terms []Term) *Book {
	b := &Book{terms: slices.Clone(terms), bySlug: map[string]int{}, byTag: map[string][]int{}, plain: map[string]*find.Finder{}}
	slices.SortStableFunc(b.terms, func(x, y Term) int {
		return cmp.Or(cmp.Compare(y.Confidence, x.Confidence), cmp.Compare(x.Slug, y.Slug))
	})
	var names, variants []find.Entry
	plain := map[string][]find.Entry{}
	for i, t := range b.terms {
		b.bySlug[t.Slug] = i
		for _, tag := range slices.Concat(t.Tags, t.Categories) {
			b.byTag[tag] = append(b.byTag[tag], i)
		}
		names = append(names, find.Entry{Text: t.Term, ID: i})
		for _, v := range t.Variants {
			variants = append(variants, find.Entry{Text: v, ID: i})
		}
		for lang, text := range t.Plain {
			if lang == t.Language {
				plain[lang] = append(plain[lang], find.Entry{Text: text, ID: i})
			}
		}
	}
	b.finder = find.New(append(names, variants...))
	for lang, entries := range plain {
		b.plain[lang] = find.New(entries)
	}
	b.facets, b.latest = b.count(), b.newestFirst()
	return b
}

func (b *Book) count() map[string][]Facet {
	counts := map[string]map[string]int{}
	for _, facet := range facets {
		counts[facet] = map[string]int{}
	}
	for _, t := range b.terms {
		for _, l := range t.listings() {
			counts[l.Facet][l.Value]++
		}
	}
	all := map[string][]Facet{}
	for facet, values := range counts {
		for v, n := range values {
			all[facet] = append(all[facet], Facet{v, n})
		}
		slices.SortFunc(all[facet], func(x, y Facet) int {
			if facet == ByInitial {
				return cmp.Compare(x.Value, y.Value)
			}
			return cmp.Or(cmp.Compare(y.Terms, x.Terms), cmp.Compare(x.Value, y.Value))
		})
	}
	return all
}

// Len returns how many terms there are.
func (b *Book) Len() int { return len(b.terms) }

// Facets returns the values of a facet, those with most terms first; initials in
// their order. The caller must not change it.
func (b *Book) Facets(facet string) []Facet { return b.facets[facet] }

// Latest returns the terms that were changed last, at most so many.
func (b *Book) Latest(most int) []Term {
	terms := make([]Term, min(max(most, 0), len(b.latest)))
	for i, at := range b.latest[:len(terms)] {
		terms[i] = b.terms[at]
	}
	return terms
}

// newestFirst orders the terms by their last change, those of one moment by slug.
func (b *Book) newestFirst() []int {
	order := make([]int, len(b.terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(b.terms[y].LastUpdated, b.terms[x].LastUpdated), cmp.Compare(b.terms[x].Slug, b.terms[y].Slug))
	})
	return order
}

// Term returns a term by its slug.
func (b *Book) Term(slug string) (Term, bool) {
	i, ok := b.bySlug[slug]
	if !ok {
		return Term{}, false
	}
	return b.terms[i], true
}

// ForYoung returns the entries of a list that are for young readers too.
func (b *Book) ForYoung(list []Listing) []Listing {
	return slices.DeleteFunc(slices.Clone(list), func(l Listing) bool {
		t, ok := b.Term(l.Slug)
		return ok && t.Mature()
	})
}

// Span is a place in a text, in bytes, where a term stands.
type Span struct {
	Start, End int
	Term       *Term // not to be changed
}

// Find returns where terms and their variants stand in a text, in order, none
// overlapping another.
func (b *Book) Find(text string) []Span { return b.spans(b.finder.Find(text)) }

func (b *Book) spans(matches []find.Match) []Span {
	spans := make([]Span, len(matches))
	for i, m := range matches {
		spans[i] = Span{m.Start, m.End, &b.terms[m.ID]}
	}
	return spans
}

// FindPlain returns where words stand that a term of the language can replace.
func (b *Book) FindPlain(lang, text string) []Span {
	f, ok := b.plain[lang]
	if !ok {
		return nil
	}
	return b.spans(f.Find(text))
}

// Related returns the terms that share most tags and categories with one, a rare
// tag counting more than a common one.
func (b *Book) Related(t Term, most int) []Listing {
	scores := map[int]float64{}
	for _, tag := range slices.Concat(t.Tags, t.Categories) {
		rare := math.Log(1 + float64(len(b.terms))/float64(1+len(b.byTag[tag])))
		for _, i := range b.byTag[tag] {
			if b.terms[i].Slug != t.Slug {
				scores[i] += rare
			}
		}
	}
	var order []int
	for i := range scores {
		if b.terms[i].Language == t.Language {
			scores[i] *= 1.2
		}
		order = append(order, i)
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(x, y)) })
	related := make([]Listing, 0, most)
	for _, i := range order[:min(most, len(order))] {
		r := b.terms[i]
		related = append(related, Listing{Slug: r.Slug, Term: r.Term, Gloss: r.Gloss, Glosses: r.Glosses, Language: r.Language})
	}
	return related
}

// bookMaxAge is after how long the terms are read again even if nobody said that
// they changed: whoever changed them may have died before saying so.
const bookMaxAge = 15 * time.Minute

// bookCache holds the present book. One caller at a time renews it. The others wait
// if it is not true any more: what was taken back is in no text that is explained
// afterwards. If it is only due to be compared, they have the old one.
type bookCache struct {
	mu      sync.Mutex
	book    *Book
	reading kept.Reading  // of the terms; nil if the store cannot tell
	changes int           // the edition that the book is of
	looked  time.Time     // when the edition was last compared
	read    time.Time     // when the terms were last read
	forgot  int           // how often this process changed terms
	knows   int           // how many of these changes the book has
	renewal chan struct{} // closed at the end of the renewal under way; nil if there is none
}

// forget makes the next caller compare editions at once.
func (c *bookCache) forget() {
	c.mu.Lock()
	c.forgot++
	c.mu.Unlock()
}

// claim returns the book to use, or nil and a channel to wait on, or nil and nil
// to a caller who must renew it.
func (c *bookCache) claim(ctx context.Context, now time.Time, refresh time.Duration) (*Book, chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	isTrue := c.book != nil && c.knows == c.forgot && (c.reading == nil || c.reading.Holds())
	isNew := now.Sub(c.looked) < refresh
	if c.reading != nil {
		isNew = now.Sub(c.read) <= bookMaxAge
	}
	switch {
	case isTrue && (isNew || c.renewal != nil):
		if c.reading != nil {
			c.reading.Join(ctx)
		}
		return c.book, nil
	case c.renewal != nil:
		return nil, c.renewal
	}
	c.renewal = make(chan struct{})
	return nil, nil
}

// Book returns the terms in memory. They are read from the tables at the first
// call and when they have changed; changes by other processes, of which the store
// does not tell, are seen within Options.Refresh.
func (d *Desk) Book(ctx context.Context) (*Book, error) {
	for {
		book, renewal := d.book.claim(ctx, d.o.Now(), d.o.Refresh)
		switch {
		case book != nil:
			return book, nil
		case renewal == nil:
			return d.renewBook(ctx)
		}
		select {
		case <-renewal:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// renewBook reads the terms again if they have changed.
func (d *Desk) renewBook(ctx context.Context) (*Book, error) {
	c := &d.book
	c.mu.Lock()
	book, changes, read, forgot := c.book, c.changes, c.read, c.forgot
	c.mu.Unlock()
	now := d.o.Now()
	var reading kept.Reading
	if d.o.Track != nil {
		ctx, reading = d.o.Track(ctx)
	}
	e, err := d.editions.Get(ctx, model.Values{})
	if errors.Is(err, model.ErrNotFound) {
		err = nil
	}
	if err == nil && (book == nil || reading != nil || e.Changes != changes || now.Sub(read) > bookMaxAge) {
		var terms []Term
		if terms, err = d.allTerms(ctx); err == nil {
			book, changes, read = NewBook(terms), e.Changes, now
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.renewal)
	c.renewal = nil
	if err != nil {
		return nil, failure(err)
	}
	c.book, c.reading, c.changes, c.read, c.looked, c.knows = book, reading, changes, read, now, forgot
	return book, nil
}

func (d *Desk) allTerms(ctx context.Context) ([]Term, error) {
	var all []Term
	for t, err := range d.AllTerms(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}
