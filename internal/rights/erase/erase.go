// Package erase forgets what must be forgotten: a story, a page, a site, or a person's
// name, wherever it is written.
//
// It promises that what is erased is out of sight when [Erasures.Begin] returns; that
// tables and objects are then searched to the last item, again and again until a whole
// search finds nothing, whichever process dies at whatever moment; and that the
// register of what was erased says nothing of it to whoever does not know it already.
// What recovery and backups hold goes with them, by a date that the receipt states; the
// register lies beside the backups, and whoever restores one applies it.
//
// A name is kept as a [Mark], which finds it and does not tell it. Start with
// [Erasures]; mark.go finds texts, walk.go goes through everything that is stored,
// register.go is the file, veil.go hides a name while it is being erased. How a desk's
// stories are taken away, and whose an object is, the desk declares in its [Traces].
package erase

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Kind is what is erased.
type Kind string

// What can be erased.
const (
	Story  Kind = "story"
	Page   Kind = "page"
	Site   Kind = "site"
	Person Kind = "person"
)

// The states of an erasure. It is hidden from the beginning.
const (
	Scrubbing = "scrubbing"
	Done      = "done"
)

// Subject says what to erase, in clear. It is not stored.
type Subject struct {
	Kind Kind
	Text string // "desk/id", an address, a host, or a name
}

// Entry is an erasure as the register has it: enough to do it again, and no more.
type Entry struct {
	ID    string `dynamodbav:"erasure" json:"id"`
	Kind  Kind   `dynamodbav:"kind" json:"kind"`
	At    string `dynamodbav:"at" json:"at"`
	Story string `dynamodbav:"story,omitempty" json:"story,omitempty"` // desk/id
	Page  string `dynamodbav:"page,omitempty" json:"page,omitempty"`   // SHA-256 of the canonical address
	Site  string `dynamodbav:"site,omitempty" json:"site,omitempty"`   // host
	Mark  *Mark  `dynamodbav:"mark,omitempty" json:"mark,omitempty"`
}

// Erasure is an entry, and what became of it.
type Erasure struct {
	Entry
	State   string `dynamodbav:"state" json:"state"`
	Who     string `dynamodbav:"who" json:"who"`
	Why     string `dynamodbav:"why,omitempty" json:"why,omitempty"`
	Changed int    `dynamodbav:"changed" json:"changed"` // items and objects that the search for it changed
	DoneAt  string `dynamodbav:"doneAt,omitempty" json:"doneAt,omitempty"`
	// Recovery and Backups are the days on which the last copies in recovery, and in
	// backups, are gone.
	Recovery string `dynamodbav:"recovery" json:"recovery"`
	Backups  string `dynamodbav:"backups" json:"backups"`
	Version  int    `dynamodbav:"version" json:"version"`
}

// RecoveryDays is how long tables and buckets can be set back.
const RecoveryDays = 35

// Traces is how a desk forgets. What it does not say is done in the one way for all:
// an item whose key holds what is erased goes, and texts are redacted where they stand.
type Traces struct {
	Desk    string
	Shelf   *story.Shelf
	Tables  []string
	Buckets []string
	// Take takes a story out of sight, with all that only the desk knows to be its. That
	// there is none, or that it was done in part, is no error.
	Take func(ctx context.Context, id string) error
	// Key is what the keys of a story's items and objects have in them, "" if Take leaves
	// none; ID is the story of an owner, "" if there is none. Nil if all are the same.
	Key func(id string) string
	ID  func(ctx context.Context, key string) (string, error)
	// OwnerOf is the owner of a story's items, as Owner says it; nil if it is the id.
	OwnerOf func(id string) string
	// Page and Site yield the stories of a page, by the hash of its address, and of a
	// site. Nil if the desk has none.
	Page func(ctx context.Context, hash string) iter.Seq2[string, error]
	Site func(ctx context.Context, host string) iter.Seq2[string, error]
	// Shun keeps a page from being kept at all.
	Shun func(ctx context.Context, hash string) error
	// Leave ends what a desk does with a site whose stories are gone.
	Leave func(ctx context.Context, host string) error
	// Address is the hash that names a page, and the host that names a site.
	Address func(text string) (hash, host string, err error)
	// Scrub redacts an item that the one way would harm, and reports whether it is such.
	Scrub func(ctx context.Context, table string, item model.Raw, marks *Marks) (bool, error)
	// Owner is the key of the story that an item is of, "" if none: it is told anew when
	// the item is redacted.
	Owner func(table string, item model.Raw) string
	// Object is that of an object, and whether it goes as a whole: a page as it was
	// fetched cannot be redacted.
	Object func(bucket, key string) (owner string, whole bool)
	// Dropped is called before such an object goes.
	Dropped func(ctx context.Context, bucket, key string) error
	// Known is an address that a story is known by elsewhere, "" if none.
	Known func(ctx context.Context, id string) (string, error)
	// After is called when something of the desk was scrubbed.
	After func(context.Context) error
}

// Options are what erasures are done with.
type Options struct {
	Table   string // default Rights
	Objects *s3.Client
	Stories *story.Stories
	Desks   []*Traces
	// Schemas are all tables and buckets. Leave reports items that are not touched.
	Schemas []model.Schema
	Leave   func(table string, item model.Raw) bool
	// Registers are the files that have a copy of every entry.
	Registers []string
	// BackupDays is how long backups are kept.
	BackupDays int
	// Forget forgets what is kept of a story beside the desks. It may be repeated.
	Forget func(context.Context, story.Ref) error
	// Settle returns when what follows stories has seen the scrubbed ones.
	Settle func(context.Context) error
	Log    *slog.Logger
	Now    func() time.Time
}

// Erasures are what was erased. They may be used from many goroutines.
type Erasures struct {
	db   model.DB
	o    Options
	ids  model.IDs
	repo *model.Repo[Erasure]
	list *model.View[Erasure]

	mu    sync.Mutex
	known known
	file  sync.Mutex // whoever writes the register
}

// New returns the erasures of a store.
func New(db model.DB, o Options) (*Erasures, error) {
	if o.Table == "" {
		o.Table = table.Name
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.BackupDays == 0 {
		o.BackupDays = RecoveryDays
	}
	t := table
	t.Name = o.Table
	e := &Erasures{db: db, o: o, ids: model.IDs{Now: o.Now}}
	var err error
	if e.repo, err = model.NewRepo[Erasure](db, &t, "Erasure", nil); err != nil {
		return nil, err
	}
	e.list, err = e.repo.View("Erasures")
	return e, err
}

// Add lets erasures reach a desk. Call it before anything is erased.
func (e *Erasures) Add(d *Traces) { e.o.Desks = append(e.o.Desks, d) }

// entry makes the entry of a subject.
func (e *Erasures) entry(ctx context.Context, s Subject) (Entry, error) {
	entry := Entry{ID: e.ids.New(), Kind: s.Kind, At: model.FormatTime(e.o.Now())}
	switch s.Kind {
	case Story:
		d, id := e.story(s.Text)
		if d == nil {
			return entry, errs.New(errs.Invalid, "%q is no story such as blog/01J8Z3", s.Text)
		}
		entry.Story = s.Text
		if d.Known == nil {
			return entry, nil
		}
		address, err := d.Known(ctx, id)
		if err != nil || address == "" {
			return entry, err
		}
		m, err := NewMark(address)
		entry.Mark = &m
		return entry, err
	case Person:
		m, err := NewMark(s.Text)
		entry.Mark = &m
		return entry, err
	case Page, Site:
		for _, d := range e.o.Desks {
			if d.Address == nil {
				continue
			}
			hash, host, err := d.Address(s.Text)
			if err != nil {
				return entry, errs.Wrap(err, errs.Invalid, "%q is no address such as https://news.example/a", s.Text)
			}
			if s.Kind == Site {
				entry.Site = host
				return entry, nil
			}
			entry.Page = hash
			m, err := NewMark(s.Text)
			entry.Mark = &m
			return entry, err
		}
	}
	return entry, errs.New(errs.Invalid, "%q cannot be erased: it is no story, page, site or person", s.Kind)
}

// story returns the desk of "desk/id", nil if there is none.
func (e *Erasures) story(text string) (*Traces, string) {
	for _, d := range e.o.Desks {
		if id, ok := cut(text, d.Desk+"/"); ok && id != "" {
			return d, id
		}
	}
	return nil, ""
}

// Begin hides something everywhere and has it scrubbed. It is recorded, here and in the
// register, before anything goes, so that it is done whatever happens then.
func (e *Erasures) Begin(ctx context.Context, s Subject, who, why string) (Erasure, error) {
	entry, err := e.entry(ctx, s)
	if err != nil {
		return Erasure{}, err
	}
	now := e.o.Now()
	one := Erasure{
		Entry: entry, State: Scrubbing, Who: clip(who, whoMax), Why: clip(why, whyMax),
		Recovery: model.FormatTime(now.AddDate(0, 0, RecoveryDays)), Backups: model.FormatTime(now.AddDate(0, 0, e.o.BackupDays+RecoveryDays)),
	}
	if err := e.repo.Create(ctx, &one); err != nil {
		return one, fmt.Errorf("record erasure: %w", err)
	}
	e.forget()
	if err := e.save(ctx); err != nil {
		return one, err
	}
	if err := e.hide(ctx, &entry); err != nil {
		// The job tries again until it is done.
		e.o.Log.ErrorContext(ctx, "hide what is being erased", "erasure", entry.ID, "error", err)
	}
	return one, nil
}

// hide takes away the stories that an entry is about. A name is hidden by the veil.
func (e *Erasures) hide(ctx context.Context, entry *Entry) error {
	switch entry.Kind {
	case Story:
		d, id := e.story(entry.Story)
		if d == nil {
			return nil // of a desk that is no more
		}
		return e.take(ctx, d, id)
	case Page:
		err := e.takeAll(ctx, func(d *Traces) iter.Seq2[string, error] {
			if d.Page == nil {
				return nil
			}
			return d.Page(ctx, entry.Page)
		})
		for _, d := range e.o.Desks {
			if err == nil && d.Shun != nil {
				err = d.Shun(ctx, entry.Page)
			}
		}
		return err
	case Site:
		err := e.takeAll(ctx, func(d *Traces) iter.Seq2[string, error] {
			if d.Site == nil {
				return nil
			}
			return d.Site(ctx, entry.Site)
		})
		for _, d := range e.o.Desks {
			if err == nil && d.Leave != nil {
				err = d.Leave(ctx, entry.Site)
			}
		}
		return err
	}
	return nil
}

func (e *Erasures) takeAll(ctx context.Context, of func(*Traces) iter.Seq2[string, error]) error {
	for _, d := range e.o.Desks {
		ids := of(d)
		if ids == nil {
			continue
		}
		for id, err := range ids {
			if err == nil {
				err = e.take(ctx, d, id)
			}
			if err != nil {
				return fmt.Errorf("take a story of %s away: %w", d.Desk, err)
			}
		}
	}
	return nil
}

// take takes a story away, and what others keep of it: before, because nobody knows the
// stories of a page or a site afterwards, and once more for what came meanwhile.
func (e *Erasures) take(ctx context.Context, d *Traces, id string) error {
	if err := e.forgetStory(ctx, d, id); err != nil {
		return err
	}
	if err := d.Take(ctx, id); err != nil {
		return err
	}
	return e.forgetStory(ctx, d, id)
}

func (e *Erasures) forgetStory(ctx context.Context, d *Traces, id string) error {
	ref := story.Ref{Desk: d.Desk, ID: id}
	if err := e.o.Stories.Forget(ctx, ref); err != nil || e.o.Forget == nil {
		return err
	}
	return e.o.Forget(ctx, ref)
}

// Get returns an erasure, or errs.NotFound.
func (e *Erasures) Get(ctx context.Context, id string) (Erasure, error) {
	one, err := e.repo.Get(ctx, model.Values{"erasure": id})
	if errors.Is(err, model.ErrNotFound) {
		err = errs.New(errs.NotFound, "there is no erasure %s", id)
	}
	return one, err
}

// All yields all erasures, the newest first.
func (e *Erasures) All(ctx context.Context) iter.Seq2[Erasure, error] {
	return e.list.All(ctx, nil, model.Window{})
}

// Run scrubs what is not scrubbed yet, and returns when nothing is left of it. It may be
// cut off anywhere, and called again. One process at a time should.
func (e *Erasures) Run(ctx context.Context, tell func(items, changed int)) error {
	var open []Erasure
	for one, err := range e.All(ctx) {
		if err != nil {
			return err
		}
		if one.State != Done {
			open = append(open, one)
		}
	}
	if len(open) == 0 {
		return nil
	}
	entries := make([]Entry, len(open))
	for i := range open {
		entries[i] = open[i].Entry
	}
	if err := e.save(ctx); err != nil { // the process may have died before
		return err
	}
	changed, err := e.Apply(ctx, entries, tell)
	if err != nil {
		return err
	}
	for i := range open {
		_, err := e.repo.Modify(ctx, model.Values{"erasure": open[i].ID}, func(one *Erasure) error {
			one.State, one.DoneAt, one.Changed = Done, model.FormatTime(e.o.Now()), changed[one.ID]
			return nil
		})
		if err != nil {
			return fmt.Errorf("record that %s is erased: %w", open[i].ID, err)
		}
	}
	e.forget()
	return nil
}

// Apply does what entries say, until nothing is found any more, and tells how many
// items and objects each has changed. A restore calls it with all of the register.
func (e *Erasures) Apply(ctx context.Context, entries []Entry, tell func(items, changed int)) (map[string]int, error) {
	changed := map[string]int{}
	if len(entries) == 0 {
		return changed, nil
	}
	for i := range entries {
		if err := e.hide(ctx, &entries[i]); err != nil {
			return changed, err
		}
	}
	for pass := 1; ; pass++ {
		w := newWalk(e, entries, tell)
		if err := w.all(ctx); err != nil {
			return changed, err
		}
		found := 0
		for id, n := range w.changed {
			changed[id] += n
			found += n
		}
		if found == 0 {
			break
		}
		if pass == maxPasses {
			return changed, errs.New(errs.Unavailable, "what is being erased is written again and again by others; it is tried again later")
		}
	}
	if e.o.Settle != nil {
		return changed, e.o.Settle(ctx)
	}
	return changed, nil
}

// maxPasses is how often everything is searched before somebody should hear of it. What
// was under way when it began may write what it had read before.
const maxPasses = 10
