package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Row counts live in memory. An orderly Close stores them with the tables
// and leaves a mark; a store without the mark counts its rows again in the
// background, while it already answers with what it knew last.

var cleanKey = append([]byte{spaceMeta}, "clean"...)

func (e *Engine) loadCounts() error {
	for _, t := range *e.catalog.tables.Load() {
		s := t.shape.Load()
		for name, c := range s.counters(t) {
			c.add(s.def.Counts[name][0], s.def.Counts[name][1])
		}
	}
	_, closer, err := e.db.Get(cleanKey)
	if errors.Is(err, pebble.ErrNotFound) {
		e.recountAll()
		return nil
	}
	if err != nil {
		return fmt.Errorf("read clean mark: %w", err)
	}
	if err := closer.Close(); err != nil {
		return err
	}
	if e.readOnly {
		return nil
	}
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := b.Delete(cleanKey, nil); err != nil {
		return err
	}
	return e.remove(b)
}

// counters returns the counter of the table, under the empty name, and those
// of its indexes.
func (s *shape) counters(t *table) map[string]*counter {
	m := map[string]*counter{"": &t.counts}
	for _, ix := range s.indexes {
		m[ix.name] = ix.counts
	}
	return m
}

func (e *Engine) saveCounts() error {
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	for _, t := range *e.catalog.tables.Load() {
		s := t.shape.Load()
		def := s.def.clone()
		def.Counts = map[string][2]int64{}
		for name, c := range s.counters(t) {
			def.Counts[name] = [2]int64{c.items.Load(), c.bytes.Load()}
		}
		if err := stageDef(b, def); err != nil {
			return err
		}
	}
	if err := b.Set(cleanKey, nil, nil); err != nil {
		return err
	}
	return e.commit(b)
}

func (e *Engine) recountAll() {
	tables := *e.catalog.tables.Load()
	if len(tables) == 0 {
		return
	}
	e.background(func() {
		for _, t := range tables {
			if err := e.recount(t); err != nil && !errors.Is(err, errStopped) && e.store.GoOn() == nil {
				e.opts.Logger.Error("count rows", "table", t.name, "err", err)
			}
		}
	})
}

// recount counts the rows of one moment and corrects the counters by what
// they were wrong at that moment; what changes after it is counted by the
// writes themselves.
func (e *Engine) recount(t *table) error {
	ids := map[*counter]indexID{&t.counts: baseIndex}
	for _, ix := range t.shape.Load().indexes {
		ids[ix.counts] = ix.id
	}
	return e.recountOnly(t, ids)
}

// recountOnly counts the rows of the table or of indexes, each with its
// counter.
func (e *Engine) recountOnly(t *table, ids map[*counter]indexID) error {
	t.mu.Lock()
	snap := e.snapshot()
	was := map[*counter][2]int64{}
	for c := range ids {
		was[c] = [2]int64{c.items.Load(), c.bytes.Load()}
	}
	t.mu.Unlock()
	defer func() { _ = snap.Close() }()
	for c, id := range ids {
		var found counter
		if err := e.countRows(snap, t, id, &found); err != nil {
			return err
		}
		c.add(found.items.Load()-was[c][0], found.bytes.Load()-was[c][1])
	}
	return nil
}

func (e *Engine) countRows(snap *pebble.Snapshot, t *table, id indexID, c *counter) error {
	prefix := appendRowPrefix(nil, t.id, id)
	it, err := snap.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return err
	}
	defer func() { _ = it.Close() }()
	for ok := it.First(); ok; ok = it.Next() {
		if err := e.goOn(context.Background()); err != nil {
			return err
		}
		size, _, _ := splitRow(it.Value())
		c.add(1, int64(size))
	}
	return it.Error()
}
