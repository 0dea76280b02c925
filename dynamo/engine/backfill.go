package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
)

// An index, or TTL, that is added to a table with items is filled while the
// table goes on being used. From the moment the shape names it, every write
// keeps it; a walk over the table then adds the entries of the items that
// nobody writes, each under its item's lock. Both write the same entry for
// the same item, so it does not matter who comes first, and a walk that a
// crash cut short is simply begun again.

// resumeBackfills goes on with what was being filled when the store closed.
func (e *Engine) resumeBackfills() {
	for _, t := range *e.catalog.tables.Load() {
		for _, ix := range t.shape.Load().indexes {
			if !ix.ready {
				e.startBackfill(t, ix.name)
			}
		}
	}
}

// startBackfill fills the index in the background and marks it active.
func (e *Engine) startBackfill(t *table, name string) {
	e.background(func() {
		if err := e.backfill(t, name); err != nil && !errors.Is(err, errStopped) {
			e.opts.Logger.Error("fill index", "table", t.name, "index", name, "err", err)
		}
	})
}

var errStopped = errors.New("the store is closing")

func (e *Engine) backfill(t *table, name string) error {
	err := e.eachRow(t, func(b *pebble.Batch, s *shape, key []byte, it attr.Item) error {
		ix := s.index(name)
		if ix == nil {
			return errStopped // removed again
		}
		return e.fillEntry(b, t, ix, key, it)
	})
	if err != nil {
		return err
	}
	return e.alter(t, func(def *tableDef) error {
		for i := range def.Desc.GlobalSecondaryIndexes {
			if g := &def.Desc.GlobalSecondaryIndexes[i]; aws.ToString(g.IndexName) == name {
				g.IndexStatus = types.IndexStatusActive
				g.Backfilling = nil
			}
		}
		return nil
	}, nil)
}

// fillEntry adds the item's entry unless a write has put it there already.
func (e *Engine) fillEntry(b *pebble.Batch, t *table, ix *index, key []byte, it attr.Item) error {
	entryKey, entry := ix.entry(t.id, it, baseKeyOf(key))
	if entry == nil || !validIndexKey(ix, it) {
		return nil
	}
	if _, closer, err := e.db.Get(entryKey); err == nil {
		return closer.Close()
	} else if !errors.Is(err, pebble.ErrNotFound) {
		return err
	}
	size := entry.Size()
	ix.counts.add(1, int64(size))
	return setOrDelete(b, entryKey, entry, size)
}

// backfillExpiry writes the expiry entries of items that were there before
// TTL was turned on.
func (e *Engine) backfillExpiry(t *table) error {
	return e.eachRow(t, func(b *pebble.Batch, s *shape, key []byte, it attr.Item) error {
		at, ok := expiryOf(it, s.ttl)
		if !ok || s.ttl == "" {
			return nil
		}
		return b.Set(appendExpiry(nil, t.id, at, baseKeyOf(key)), nil, nil)
	})
}

// eachRow calls fn for every row of the table as it is now, each under its
// lock, and commits what fn adds to the batch before the lock is let go.
func (e *Engine) eachRow(t *table, fn func(*pebble.Batch, *shape, []byte, attr.Item) error) error {
	prefix := appendRowPrefix(nil, t.id, baseIndex)
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return fmt.Errorf("walk %s: %w", t.name, err)
	}
	defer func() { _ = it.Close() }()
	for ok := it.First(); ok; ok = it.Next() {
		select {
		case <-e.stop:
			return errStopped
		default:
		}
		if err := e.ready(context.Background()); err != nil {
			return err
		}
		if err := e.visitRow(t, it.Key(), fn); err != nil {
			return err
		}
	}
	return it.Error()
}

func (e *Engine) visitRow(t *table, key []byte, fn func(*pebble.Batch, *shape, []byte, attr.Item) error) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.gone {
		return errStopped
	}
	defer e.locks.lock(key)()
	r, err := e.read(e.db, key)
	if err != nil || r.item == nil {
		return err
	}
	defer r.close()
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := fn(b, t.shape.Load(), key, r.item); err != nil || b.Empty() {
		return err
	}
	return e.guard.write(e.db, b)
}
