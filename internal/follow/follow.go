// Package follow is who wants to hear of what. Readers follow subjects: a person, a
// committee, a bill, a topic, a site, an author, a term, or a search that they saved.
//
// It promises that what a story costs grows with those who are told of it, not with all
// who follow something: the card of a story says its subjects, and each is looked up by
// itself. Saved searches are matched the other way round, by the terms of the story
// (percolate.go), with the same analysis of text as search has, readings included; equal
// searches are one. What the search page makes of words by the names that there are at that
// moment is no part of a saved search: a word for a desk or a source, other names of a term,
// corrections. It would change under its reader's hands; a term, a site or a person can be
// followed as such.
// Nobody follows by an address that its owner has not confirmed (confirm.go), and whoever
// has a link to leave can leave and nothing else.
//
// The flow is: [Matcher.Handle] reads what happens to stories and writes down what is to
// be sent, at once or in a digest (match.go); when the ledger sends it, [Composer.Compose]
// says what the letter says, of the story as it is then (compose.go).
//
// Start with this file and schema.go.
package follow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
	"pressroom/model"
)

// The kinds of subjects.
const (
	Person    = "person"
	Party     = "party"
	Committee = "committee"
	Assembly  = "assembly"
	Bill      = "bill"
	Topic     = "topic" // also tags and keywords
	Site      = "site"
	Author    = "author"
	Term      = "term"
	Thread    = "thread"
	Saved     = "search" // its name is a search's id
)

// Kinds are all kinds of subjects.
var Kinds = []string{Person, Party, Committee, Assembly, Bill, Topic, Site, Author, Term, Thread, Saved, Newsletter}

// Subject is something that can be followed. Its name is compared by its letters alone:
// case, width and spaces around do not count.
type Subject = story.Subject

// normal is the subject as it is looked up.
func normal(s Subject) Subject {
	return Subject{Kind: s.Kind, Name: strings.Join(strings.Fields(string(text.Fold(s.Name).Runes)), " ")}
}

// Subjects are what a story is about, each once, as they are looked up.
func Subjects(st *story.Story) []Subject {
	var all []Subject
	add := func(kind string, names ...string) {
		for _, name := range names {
			s := normal(Subject{Kind: kind, Name: name})
			if s.Name != "" && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	add(Person, st.People...)
	add(Topic, st.Topics...)
	add(Author, st.Provenance.Author)
	for _, s := range st.Subjects {
		add(s.Kind, s.Name)
	}
	return all
}

// Search is a search that can be followed. Stories fit it that have its words and pass
// all filters; an empty filter lets everything pass.
type Search struct {
	Text      string   `dynamodbav:"text" json:"text"`
	Desks     []string `dynamodbav:"desks" json:"desks,omitempty"`
	Kinds     []string `dynamodbav:"kinds" json:"kinds,omitempty"`
	Languages []string `dynamodbav:"languages" json:"languages,omitempty"`
	Topics    []string `dynamodbav:"topics" json:"topics,omitempty"` // all of them
}

// ID names the search. Equal searches have the same.
func (s *Search) ID() string {
	n := *s
	n.Text = strings.Join(strings.Fields(s.Text), " ")
	for _, list := range []*[]string{&n.Desks, &n.Kinds, &n.Languages, &n.Topics} {
		*list = slices.Compact(slices.Sorted(slices.Values(*list)))
	}
	raw, err := json.Marshal(n)
	if err != nil {
		panic(err) // texts always can be written
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// admits reports whether a story passes the filters.
func (s *Search) admits(st *story.Story) bool {
	one := func(of []string, is string) bool { return len(of) == 0 || slices.Contains(of, is) }
	if !one(s.Desks, st.Desk) || !one(s.Kinds, st.Kind) || !one(s.Languages, st.Language) {
		return false
	}
	return !slices.ContainsFunc(s.Topics, func(want string) bool {
		return !slices.ContainsFunc(st.Topics, func(has string) bool {
			return normal(Subject{Name: has}) == normal(Subject{Name: want})
		})
	})
}

// Pace is how soon a reader is told.
type Pace string

// The paces.
const (
	AtOnce Pace = "once"
	Daily  Pace = "daily"
	Weekly Pace = "weekly"
)

// Reader is somebody who follows.
type Reader struct {
	ID       string   `dynamodbav:"reader"`
	Address  string   `dynamodbav:"address"` // for mail, confirmed
	Language string   `dynamodbav:"language"`
	Zone     string   `dynamodbav:"zone"`           // of the clock by which digests come; UTC if empty
	Pace     Pace     `dynamodbav:"pace"`           // of mail
	Ways     []string `dynamodbav:"ways,stringset"` // channels
	Hook     string   `dynamodbav:"hook"`           // the address of webhooks
	Feed     string   `dynamodbav:"feed"`           // part of the address of the private feed; "" for none
	Secret   []byte   `dynamodbav:"secret"`         // signs webhooks, and what is in links
	Created  string   `dynamodbav:"created"`
	Version  int      `dynamodbav:"version"`
}

// Follow is a subject that a reader follows.
type Follow struct {
	Subject
	Reader string  `dynamodbav:"reader"`
	Label  string  `dynamodbav:"label"` // the form to show
	Search *Search `dynamodbav:"search,omitempty"`
	Since  string  `dynamodbav:"since"`
}

// MostFollows is how many subjects a reader follows at most.
const MostFollows = 500

// Options adjust Follows. The zero value, and nil, are usable.
type Options struct {
	Table string           // default Follows
	Now   func() time.Time // default time.Now
}

// Follows is the table of readers and of what they follow. It may be used from many
// goroutines.
type Follows struct {
	db        model.DB
	now       func() time.Time
	ids       model.IDs
	readers   *model.Repo[Reader]
	addresses *model.Repo[addressed]
	follows   *model.Repo[Follow]
	searches  *model.Repo[stored]
	shelf     *model.Repo[generation]
	asked     *model.Repo[request]
	throttles *model.Repo[throttled]
	browsers  *model.Repo[Browser]
	letters   *model.Repo[Letter]
	followers *model.View[follower]

	mu   sync.Mutex // of what follows
	perc *percolator
	gen  int64
}

// follower is what the index has of a follow.
type follower struct {
	Reader string `dynamodbav:"reader"`
}

// stored is a search in the table, and generation counts how many there are.
type stored struct {
	Search
	Name  string `dynamodbav:"name"`
	Shard string `dynamodbav:"shard"`
}

type generation struct {
	All   string `dynamodbav:"all"`
	Count int64  `dynamodbav:"count"`
}

// New returns the follows in a table of that [Schema].
func New(db model.DB, o *Options) (*Follows, error) {
	if o == nil {
		o = &Options{}
	}
	f := &Follows{db: db, now: o.Now, gen: -1}
	if f.now == nil {
		f.now = time.Now
	}
	f.ids.Now = f.now
	t := table
	if o.Table != "" {
		t.Name = o.Table
	}
	var all [10]error
	f.readers, all[0] = model.NewRepo[Reader](db, &t, "Reader", nil)
	f.addresses, all[1] = model.NewRepo[addressed](db, &t, "Address", nil)
	f.follows, all[2] = model.NewRepo[Follow](db, &t, "Follow", nil)
	f.searches, all[3] = model.NewRepo[stored](db, &t, "Search", nil)
	f.shelf, all[4] = model.NewRepo[generation](db, &t, "Searches", nil)
	f.asked, all[5] = model.NewRepo[request](db, &t, "Request", nil)
	f.throttles, all[7] = model.NewRepo[throttled](db, &t, "Throttle", nil)
	f.followers, all[6] = model.NewView[follower](db, &t, "Followers", nil)
	f.browsers, all[8] = model.NewRepo[Browser](db, &t, "Browser", nil)
	f.letters, all[9] = model.NewRepo[Letter](db, &t, "Letter", nil)
	return f, errors.Join(all[:]...)
}

// Follow lets a reader follow a subject; doing so twice is no error. A search is given
// with the subject, whose name it makes.
func (f *Follows) Follow(ctx context.Context, reader string, s Subject, label string, q *Search) error {
	if q != nil {
		s = Subject{Kind: Saved, Name: q.ID()}
	}
	s = normal(s)
	switch {
	case !slices.Contains(Kinds, s.Kind) || s.Name == "" || len(s.Name) > nameMax || len(label) > nameMax:
		return errs.Validation(errs.Field{Name: "subject", Message: "cannot be followed"})
	case s.Kind == Saved && q == nil:
		return errs.Validation(errs.Field{Name: "q", Message: "is missing"})
	case q != nil && (len(q.Text) > queryMax || len(text.Parse(q.Text)) == 0):
		return errs.Validation(errs.Field{Name: "q", Message: "has no words to look for"})
	}
	count := 0
	for one, err := range f.Following(ctx, reader) {
		if err != nil {
			return err
		}
		if one.Subject == s {
			return nil
		}
		count++
	}
	if count >= MostFollows {
		return errs.New(errs.Invalid, "You follow %d subjects, which is the most there can be.", count)
	}
	if q != nil {
		if err := f.keep(ctx, q); err != nil {
			return err
		}
	}
	return f.follows.Put(ctx, &Follow{Subject: s, Reader: reader, Label: label, Search: q, Since: model.FormatTime(f.now())})
}

// keep puts a search where matching finds it, and counts it, so that whoever has the
// searches in memory reads them again.
func (f *Follows) keep(ctx context.Context, q *Search) error {
	id := q.ID()
	if _, err := f.shelf.Upsert(ctx, model.Values{"all": "all"}, expression.Add(expression.Name("count"), expression.Value(0))); err != nil {
		return err
	}
	err := model.Transact(ctx, f.db,
		f.searches.CreatePiece(&stored{Search: *q, Name: id, Shard: id[:1]}),
		f.shelf.UpdatePiece(model.Values{"all": "all"}, expression.Add(expression.Name("count"), expression.Value(1))))
	if errors.Is(err, model.ErrExists) {
		return nil
	}
	return err
}

// Unfollow ends a follow; that there is none is no error.
func (f *Follows) Unfollow(ctx context.Context, reader string, s Subject) error {
	s = normal(s)
	return f.follows.Delete(ctx, model.Values{"reader": reader, "kind": s.Kind, "name": s.Name})
}

// Following yields what a reader follows.
func (f *Follows) Following(ctx context.Context, reader string) iter.Seq2[Follow, error] {
	return f.follows.All(ctx, "Following", model.Values{"reader": reader})
}

// Reader returns a reader, or [errs.NotFound].
func (f *Follows) Reader(ctx context.Context, id string) (Reader, error) {
	r, err := f.readers.Get(ctx, model.Values{"reader": id})
	if errors.Is(err, model.ErrNotFound) {
		err = fmt.Errorf("reader %s: %w", id, errs.NotFound)
	}
	return r, err
}

// Change changes how a reader wants to be told. Id and address stay.
func (f *Follows) Change(ctx context.Context, id string, change func(*Reader) error) (Reader, error) {
	r, err := f.readers.Modify(ctx, model.Values{"reader": id}, func(r *Reader) error {
		was := *r
		if err := change(r); err != nil {
			return err
		}
		r.ID, r.Address, r.Secret = was.ID, was.Address, was.Secret
		return r.check()
	})
	if errors.Is(err, model.ErrNotFound) {
		err = fmt.Errorf("reader %s: %w", id, errs.NotFound)
	}
	return r, err
}

func (r *Reader) check() error {
	if _, err := time.LoadLocation(r.Zone); err != nil || r.Zone == "Local" {
		return errs.Validation(errs.Field{Name: "zone", Message: "is not a time zone such as Asia/Tokyo"})
	}
	if !slices.Contains([]Pace{AtOnce, Daily, Weekly}, r.Pace) {
		return errs.Validation(errs.Field{Name: "pace", Message: "is not once, daily or weekly"})
	}
	return nil
}

// Leave ends all that a reader follows, and forgets the reader.
func (f *Follows) Leave(ctx context.Context, id string) error {
	var keys []model.Values
	for one, err := range f.Following(ctx, id) {
		if err != nil {
			return err
		}
		keys = append(keys, model.Values{"reader": id, "kind": one.Kind, "name": one.Name})
	}
	if err := f.follows.BatchDelete(ctx, keys); err != nil {
		return err
	}
	browsers, err := f.Browsers(ctx, id)
	if err != nil {
		return err
	}
	for _, b := range browsers {
		if err := f.browsers.Delete(ctx, model.Values{"reader": id, "browser": b.ID}); err != nil {
			return err
		}
	}
	r, err := f.readers.Get(ctx, model.Values{"reader": id})
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	pieces := []model.Piece{f.readers.DeletePiece(model.Values{"reader": id})}
	if r.Address != "" {
		pieces = append(pieces, f.addresses.DeletePiece(model.Values{"address": r.Address}))
	}
	return model.Transact(ctx, f.db, pieces...)
}
