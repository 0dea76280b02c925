package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/errs"
)

// add notes the documents that a change concerns.
func (w *work) add(sources []Source, table string, r types.Record) {
	for _, src := range sources {
		for _, own := range src.Tables() {
			if own != table {
				continue
			}
			for _, id := range src.Affected(table, r) {
				k := Key{Desk: src.Desk(), ID: id}
				if w.from[k] == nil {
					w.from[k] = src
					w.order = append(w.order, k)
				}
			}
		}
	}
}

// build makes the index again, and sees to it that it is tried again if that
// fails.
func (f *Feed) build(ctx context.Context) {
	_, err := f.BuildNow(ctx, nil)
	if err == nil || ctx.Err() != nil || errors.Is(err, errs.Conflict) { // another build mends as well
		return
	}
	f.log.Warn("the search index could not be built; it is tried again", "err", err)
	f.note(func(s *Status) { s.Err = err })
	pause(ctx, 10*f.poll)
	f.Rebuild()
}

// BuildNow makes the index again from all documents and returns how many they
// are when it has taken the old one's place. The old one is searched, and may be
// fed, meanwhile. Tell, if it is not nil, is told of the documents so far. It is
// errs.Conflict while this feed builds already.
//
// The positions in the streams are taken before the first document is read. What
// changes while documents are read is read again from there, so that it does not
// matter whether the reading saw it.
func (f *Feed) BuildNow(ctx context.Context, tell func(documents int)) (documents int, err error) {
	if !f.begin() {
		return 0, errs.New(errs.Conflict, "The search index is being built already.")
	}
	defer f.note(func(s *Status) { s.Rebuilding = false })
	points, err := f.startPoints(ctx)
	if err != nil {
		return 0, err
	}
	b, err := f.index.Rebuild(ctx)
	if err != nil {
		return 0, fmt.Errorf("begin a search index: %w", err)
	}
	defer func() { err = errors.Join(err, b.Abort()) }()
	for _, src := range f.sources {
		if err := f.copyAll(ctx, src, b, tell); err != nil {
			return 0, err
		}
	}
	w := &follower{feed: f, to: b, points: points}
	if err := b.Apply(ctx, Batch{Checkpoints: points}); err != nil {
		return 0, err
	}
	if err := w.catchUp(ctx); err != nil {
		return 0, err
	}
	return f.Status().Rebuilt, f.replace(ctx, b, points[builtMark])
}

// begin notes that an index is being made; false if one is already.
func (f *Feed) begin() (begun bool) {
	f.note(func(s *Status) {
		if begun = !s.Rebuilding; begun {
			s.Rebuilding, s.Rebuilt = true, 0
		}
	})
	return begun
}

// replace puts the new index in the place of the old one.
func (f *Feed) replace(ctx context.Context, b Build, built string) error {
	// From here on nobody else in this process writes: what the old index was fed
	// since is not in the new one, and is read again from the new one's positions.
	if err := f.take(ctx); err != nil {
		return err
	}
	defer f.release()
	f.live = nil
	if f.shared {
		// A process that feeds the old one may be about to write what it read a
		// moment ago, and would write it over what is newer here. What is read again
		// from before that moment puts it right.
		points, err := f.startPoints(ctx)
		if err != nil {
			return err
		}
		points[builtMark] = built
		if err := b.Apply(ctx, Batch{Checkpoints: points}); err != nil {
			return err
		}
	}
	return b.Commit(ctx)
}

// startPoints are the positions of all shards at this moment.
func (f *Feed) startPoints(ctx context.Context) (Checkpoints, error) {
	now := f.now().UTC().Format(time.RFC3339Nano)
	list, err := f.shards(ctx)
	if err != nil {
		return nil, err
	}
	points := Checkpoints{builtMark: now}
	for _, s := range list {
		points[s.name()] = sinceMark + now
	}
	return points, nil
}

// copyBatch is how many documents are written at once.
const copyBatch = 500

func (f *Feed) copyAll(ctx context.Context, src Source, to Writer, tell func(int)) error {
	var b Batch
	flush := func() error {
		if err := to.Apply(ctx, b); err != nil {
			return err
		}
		done := 0
		f.note(func(s *Status) {
			s.Rebuilt += len(b.Put)
			done = s.Rebuilt
		})
		if tell != nil {
			tell(done)
		}
		b.Put = b.Put[:0]
		return nil
	}
	for d, err := range src.All(ctx) {
		switch {
		case errors.Is(err, ErrUnreadable):
			f.note(func(s *Status) { s.Dropped++ })
			continue
		case err != nil:
			return fmt.Errorf("read all of %s: %w", src.Desk(), err)
		}
		d.Desk = src.Desk()
		b.Put = append(b.Put, d)
		if len(b.Put) == copyBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// maxCatchUp bounds how often the streams are read before a new index is used:
// under constant writing there is always something more.
const maxCatchUp = 1000

func (w *follower) catchUp(ctx context.Context) error {
	for range maxCatchUp {
		idle, err := w.step(ctx)
		if err != nil || idle {
			return err
		}
	}
	return nil
}
