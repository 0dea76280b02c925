package story

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"pressroom/model"
)

// Consumer is somebody who wants to hear what happens to stories.
type Consumer struct {
	// Name is whose cursor it has. Of several processes that follow under one name,
	// one does.
	Name string
	// Handle is given entries of the log, in order. Whatever it was given before an
	// error or a crash, it may be given again. Its context ends when another process
	// takes over.
	Handle func(context.Context, []Entry) error
	// Rebuild replaces all that the consumer has by what [Stories.All] yields now. It is
	// called when the log no longer goes back to where the consumer stopped. If it is
	// nil, following ends with [ErrBehind].
	Rebuild func(context.Context) error
	// Look is called before each look at the log, also if nothing has happened: for
	// those who have something else to see to as well. It may be nil.
	Look func(context.Context) error
}

// perRead is how many entries are read at once.
const perRead = 100

// Follow gives a consumer all that happens, until ctx ends, which is no error. It ends
// with the first error of the consumer or of the store, and may be called again.
func (s *Stories) Follow(ctx context.Context, c Consumer) error {
	if err := c.check(); err != nil {
		return err
	}
	return s.run(ctx, c.Name, func(ctx context.Context, at *cursor) error { return s.catchUp(ctx, c, at) })
}

// CatchUp gives a consumer what has happened up to now, and answers [ErrHeld] if
// another process follows under its name.
func (s *Stories) CatchUp(ctx context.Context, c Consumer) error {
	if err := c.check(); err != nil {
		return err
	}
	return s.hold(ctx, c.Name, func(ctx context.Context, at *cursor) error { return s.catchUp(ctx, c, at) })
}

func (c *Consumer) check() error {
	if c.Name == "" || c.Name == relayName || c.Handle == nil {
		return fmt.Errorf("a consumer called %q cannot follow", c.Name)
	}
	return nil
}

func (s *Stories) catchUp(ctx context.Context, c Consumer, at *cursor) error {
	if c.Look != nil {
		if err := c.Look(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	end, err := s.End(ctx)
	if err != nil {
		return err
	}
	for at.Sequence != end {
		entries, err := s.read(ctx, at.Sequence, end)
		to := at.Sequence + int64(len(entries))
		switch {
		case errors.Is(err, ErrBehind) && c.Rebuild != nil:
			// What is in the log up to the end, the heads have: they were written before.
			// What comes into it later is told from there on.
			to, err = end, c.Rebuild(ctx)
		case err == nil:
			err = c.Handle(ctx, entries)
		}
		if err != nil {
			return fmt.Errorf("%s, after event %d: %w", c.Name, at.Sequence, err)
		}
		_, err = s.cursors.Update(ctx, at.key(), at.advance(to), at.unmoved())
		if errors.Is(err, model.ErrCondition) {
			err = model.ErrLost
		}
		if err != nil {
			return fmt.Errorf("%s, after event %d: %w", c.Name, to, err)
		}
		at.Sequence = to
	}
	return nil
}

// Heard tells whether a consumer has been given all that is in the log.
func (s *Stories) Heard(ctx context.Context, name string) (bool, error) {
	end, err := s.End(ctx)
	if err != nil {
		return false, err
	}
	at, err := s.cursors.Get(ctx, model.Values{"name": name})
	if errors.Is(err, model.ErrNotFound) {
		err = nil
	}
	return err == nil && at.Sequence >= end, err
}

// Since returns entries that follow a place in the log, in order, and where it ends. It
// is for those who keep their place themselves; if the log no longer goes back to it,
// the answer is [ErrBehind].
func (s *Stories) Since(ctx context.Context, after int64) (entries []Entry, end int64, err error) {
	if end, err = s.End(ctx); err != nil || after == end {
		return nil, end, err
	}
	entries, err = s.read(ctx, after, end)
	return entries, end, err
}

// read returns entries that follow a place in the log. As the sequence has no gaps,
// an entry that is missing was there once, and has expired. A log that ends before the
// place is another one, such as one that was restored.
func (s *Stories) read(ctx context.Context, after, end int64) ([]Entry, error) {
	if after > end {
		return nil, ErrBehind
	}
	keys := make([]model.Values, min(perRead, end-after))
	for i := range keys {
		keys[i] = model.Values{"sequence": strconv.FormatInt(after+int64(i)+1, 10)}
	}
	entries, err := s.entries.BatchGet(ctx, keys)
	if err == nil && len(entries) < len(keys) {
		err = ErrBehind
	}
	return entries, err
}
