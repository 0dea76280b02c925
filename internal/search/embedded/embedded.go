// Package embedded is a search index in this process, on disk or in memory:
// bleve's segments underneath, and an evaluation of queries of its own on top.
//
// It promises what search.Index asks for, and that a search costs by what is
// shown rather than by what is found. Which documents fit is decided on whole
// segments at once, with the bitmaps that bleve keeps for every term; totals and
// facets are counted on them, and so are scores: what a term weighs in a document
// was decided when the document was written. Only candidates (the newest few
// thousand of those that fit, titles first) are put in order, and only what is
// shown is read. Public documents and the others are in two indexes, and a search
// for everyone opens only the first.
//
// Memory is bounded: a change is written in pieces of half a megabyte of text,
// segments are mapped from their files, and beside them only dates and tags are
// kept, some 20 bytes a document.
//
// Start with Open; fields.go says what is kept of a document and content.go of its
// text, view.go is a moment of the index, match.go decides which documents fit,
// rank.go in which order, and search.go puts it together. generation.go has the
// files and how a new index takes the place of an old one, verify.go how damage to
// them is noticed.
package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// Options of an index; the zero value and nil are the defaults.
type Options struct {
	Now func() time.Time // default time.Now
	Log *slog.Logger     // default none
}

// Index is a search.Index in this process.
type Index struct {
	dir string
	now func() time.Time
	log *slog.Logger
	limits

	mu      sync.RWMutex // held for reading as long as current is used
	current *generation
	closed  bool

	checked chan struct{} // closed when the index that was there has been verified
	stop    context.CancelFunc
}

var _ search.Index = (*Index)(nil)

// Open opens the index in a directory, or makes an empty one; "" is in memory.
// An index that is damaged, or of another version, is put away: the new one has
// no checkpoints, which tells the feed to build it again, and refuses searches until
// then.
func Open(dir string, o *Options) (*Index, error) {
	if o == nil {
		o = &Options{}
	}
	x := &Index{dir: dir, now: o.Now, log: o.Log, limits: defaultLimits}
	if x.now == nil {
		x.now = time.Now
	}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	x.checked = make(chan struct{})
	g, err := openCurrent(dir)
	if err != nil {
		x.log.Warn("the search index cannot be used and is made again", "dir", dir, "err", err)
	}
	if damage := err; g == nil {
		if g, err = newGeneration(dir); err != nil {
			return nil, errs.Wrap(err, errs.Unavailable, "cannot make the search index in %s: %v", dir, err)
		}
		if err := g.makeCurrent(); err != nil {
			return nil, errors.Join(err, g.close())
		}
		g.damaged.Store(damage != nil)
	}
	x.current = g
	var ctx context.Context
	ctx, x.stop = context.WithCancel(context.Background())
	go x.verifyFirst(ctx, g)
	return x, removeOthers(dir, g.name)
}

// use runs do on the current generation. A panic out of a segment is damage: the
// index has no checkpoints from then on and is built again.
func (x *Index) use(do func(g *generation) error) error {
	return x.useAny(func(g *generation) error {
		if g.damaged.Load() {
			return errRepair
		}
		return do(g)
	})
}

var errRepair = errs.New(errs.Unavailable, "The search index is being repaired. Try again shortly.")

// useAny is use for a damaged one too.
func (x *Index) useAny(do func(g *generation) error) (err error) {
	<-x.checked
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return errs.New(errs.Unavailable, "The search index is closed.")
	}
	g := x.current
	defer func() {
		if p := recover(); p != nil {
			g.damaged.Store(true)
			err = errors.Join(errRepair, fmt.Errorf("search index: %v", p))
		}
	}()
	return do(g)
}

// Apply makes a change durable. Where a document moves between the indexes, it
// leaves before it enters, so that it is never in both for longer than the call.
func (x *Index) Apply(ctx context.Context, b search.Batch) error {
	return x.use(func(g *generation) error { return g.apply(ctx, b) })
}

// Checkpoints returns the last ones that were applied.
func (x *Index) Checkpoints(context.Context) (search.Checkpoints, error) {
	var out search.Checkpoints
	err := x.useAny(func(g *generation) error {
		if g.damaged.Load() {
			return nil
		}
		b, err := g.public.GetInternal(checkpointsKey)
		if err != nil || b == nil {
			return err
		}
		return json.Unmarshal(b, &out)
	})
	return out, err
}

// Counts returns the size of the index.
func (x *Index) Counts(context.Context) (search.Counts, error) {
	var out search.Counts
	err := x.use(func(g *generation) (err error) {
		v, err := g.view(search.MaxLevel)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.close()) }()
		private, err := g.private.DocCount()
		out = search.Counts{Documents: v.docs, Private: int(private), Bytes: g.size(), Segments: len(v.segs)} //nolint:gosec // a count of documents
		return err
	})
	return out, err
}

// Close ends the index after the searches under way.
func (x *Index) Close() error {
	x.stop()
	<-x.checked
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return x.current.close()
}

// prepare loads what the analysis of documents needs, while errors can still be
// returned.
func prepare(docs []search.Document) error {
	for i := range docs {
		if text.Loaded() {
			return nil
		}
		if d := &docs[i]; japanese(*d) {
			_, err := text.Bases(d.Title + d.Summary + d.Body + d.Hidden)
			return err
		}
	}
	return nil
}
