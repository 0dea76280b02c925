package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
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

// build makes the index again and tells how it went.
func (f *Feed) build(ctx context.Context) {
	f.note(func(s *Status) { s.Rebuilding, s.Rebuilt = true, 0 })
	err := f.BuildNow(ctx)
	f.note(func(s *Status) { s.Rebuilding = false })
	if err != nil && ctx.Err() == nil {
		f.log.Warn("the search index could not be built; it is tried again", "err", err)
		f.note(func(s *Status) { s.Err = err })
		pause(ctx, 10*f.poll)
		f.Rebuild()
	}
}

// BuildNow makes the index again from all documents and returns when it has
// taken the old one's place. The old one is searched, and may be fed, meanwhile.
//
// The positions in the streams are taken before the first document is read. What
// changes while documents are read is read again from there, so that it does not
// matter whether the reading saw it.
func (f *Feed) BuildNow(ctx context.Context) (err error) {
	points, err := f.startPoints(ctx)
	if err != nil {
		return err
	}
	b, err := f.index.Rebuild(ctx)
	if err != nil {
		return fmt.Errorf("begin a search index: %w", err)
	}
	defer func() { err = errors.Join(err, b.Abort()) }()
	for _, src := range f.sources {
		if err := f.copyAll(ctx, src, b); err != nil {
			return err
		}
	}
	w := &follower{feed: f, to: b, points: points}
	if err := b.Apply(ctx, Batch{Checkpoints: points}); err != nil {
		return err
	}
	if err := w.catchUp(ctx); err != nil {
		return err
	}
	// From here on nobody else writes: what the old index was fed since is not in
	// the new one, and is read again from the new one's positions.
	f.turn.Lock()
	defer f.turn.Unlock()
	f.live = nil
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

func (f *Feed) copyAll(ctx context.Context, src Source, to Writer) error {
	var b Batch
	flush := func() error {
		if err := to.Apply(ctx, b); err != nil {
			return err
		}
		f.note(func(s *Status) { s.Rebuilt += len(b.Put) })
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
