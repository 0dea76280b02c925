package engine

import (
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
		s := t.shape.Load()
		for _, ix := range s.indexes {
			if !ix.ready {
				e.startBackfill(t, ix.name)
			}
		}
		if s.def.TTL.Filling {
			e.startExpiryFill(t)
		}
	}
}

// startBackfill fills the index in the background and marks it active.
func (e *Engine) startBackfill(t *table, name string) {
	e.background(func() {
		if err := e.backfill(t, name); err != nil && !errors.Is(err, errStopped) && e.store.GoOn() == nil {
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
	// A write that removes an entry before the walk has made it counts one
	// that was never there.
	if ix := t.shape.Load().index(name); ix != nil {
		if err := e.recountOnly(t, map[*counter]indexID{ix.counts: ix.id}); err != nil {
			return err
		}
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
	if entry == nil {
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

// walkRows is how many rows one iterator walks: a longer life would keep the
// store from letting go of what has been overwritten.
const walkRows = 100_000

// eachRow calls fn for every row of the table as it is now, each under its
// lock, and commits what fn adds to the batch before the lock is let go.
func (e *Engine) eachRow(t *table, fn func(*pebble.Batch, *shape, []byte, attr.Item) error) error {
	prefix := appendRowPrefix(nil, t.id, baseIndex)
	for lower := prefix; lower != nil; {
		var err error
		if lower, err = e.eachRowFrom(t, lower, prefixEnd(prefix), fn); err != nil {
			return err
		}
	}
	return nil
}

// eachRowFrom walks up to walkRows rows and returns where to go on, nil at the
// end.
func (e *Engine) eachRowFrom(t *table, lower, upper []byte, fn func(*pebble.Batch, *shape, []byte, attr.Item) error) (next []byte, err error) {
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, fmt.Errorf("walk %s: %w", t.name, err)
	}
	defer func() { _ = it.Close() }()
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		if n++; n > walkRows {
			return append([]byte(nil), it.Key()...), nil
		}
		if err := e.await(); err != nil {
			return nil, err
		}
		if err := e.visitRow(t, it.Key(), fn); err != nil {
			return nil, err
		}
	}
	return nil, it.Error()
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
	return e.store.Apply(b, pebble.NoSync) // await has seen that there is room
}
