package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/story"
)

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
// The place in the log is taken before the first story is read. What happens while
// stories are read is read again from there, so that it does not matter whether the
// reading saw it.
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
	for _, shelf := range f.shelves {
		if err := f.copyAll(ctx, shelf, b, tell); err != nil {
			return 0, err
		}
	}
	w := &follower{feed: f, to: b, points: points, early: map[story.Ref]int{}}
	if err := b.Apply(ctx, Batch{Checkpoints: points}); err != nil {
		return 0, err
	}
	if err := w.catchUp(ctx); err != nil {
		return 0, err
	}
	return f.Status().Rebuilt, f.replace(ctx, b, points)
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
func (f *Feed) replace(ctx context.Context, b Build, points Checkpoints) error {
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
		begun, err := strconv.ParseInt(points[logMark], 10, 64)
		if err != nil {
			return err
		}
		points[logMark] = strconv.FormatInt(max(0, begun-again), 10)
		if err := b.Apply(ctx, Batch{Checkpoints: points}); err != nil {
			return err
		}
	}
	return b.Commit(ctx)
}

// again is how many events are read again when an index takes the place of another that
// somebody else may be feeding.
const again = 1000

// startPoints is the end of the log at this moment.
func (f *Feed) startPoints(ctx context.Context) (Checkpoints, error) {
	end, err := f.stories.End(ctx)
	return Checkpoints{builtMark: f.now().UTC().Format(time.RFC3339Nano), logMark: strconv.FormatInt(end, 10)}, err
}

// copyBatch is how many documents are written at once.
const copyBatch = 500

// copyAll writes the stories of a desk. One that has no card yet is told of when it has.
func (f *Feed) copyAll(ctx context.Context, shelf *story.Shelf, to Writer, tell func(int)) error {
	var texts []story.Text
	flush := func() error {
		var b Batch
		for some := range slices.Chunk(texts, perCards) {
			refs := make([]story.Ref, len(some))
			for i := range some {
				refs[i] = some[i].Ref
			}
			cards, err := f.cards(ctx, refs)
			if err != nil {
				return err
			}
			for i := range some {
				if card, ok := cards[some[i].Ref]; ok && !card.Unfound {
					b.Put = append(b.Put, documentOf(&card, &some[i]))
				}
			}
		}
		texts = texts[:0]
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
		return nil
	}
	for text, err := range shelf.All(ctx) {
		switch {
		case errors.Is(err, story.ErrUnreadable):
			f.note(func(s *Status) { s.Dropped++ })
			continue
		case err != nil:
			return fmt.Errorf("read all of %s: %w", shelf.Desk, err)
		}
		text.Desk = shelf.Desk
		if texts = append(texts, text); len(texts) == copyBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// maxCatchUp bounds how often the log is read before a new index is used:
// under constant writing there is always something more.
const maxCatchUp = 1000

func (w *follower) catchUp(ctx context.Context) error {
	for range maxCatchUp {
		idle, _, err := w.step(ctx, false)
		if err != nil || idle {
			return err
		}
	}
	return nil
}
