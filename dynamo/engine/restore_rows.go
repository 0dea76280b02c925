package engine

import (
	"context"
	"fmt"

	"pressroom/dynamo/attr"
)

// undo takes back the changes that the source has seen after the moment, the
// newest first: each sets its item to what it was before. So nothing has to
// be remembered, however much has changed.
func (e *Engine) undo(w *bulk, t *table, src *restoreSource) error {
	it, err := src.log.NewIter(changeBounds(src.table, src.until+1, src.issued))
	if err != nil {
		return err
	}
	defer func() { _ = it.Close() }()
	kind := t.shape.Load().key.Partition[0].Kind
	var key, row []byte
	for ok := it.Last(); ok; ok = it.Prev() {
		if err := e.goOn(context.Background()); err != nil {
			return err
		}
		c, err := parseChangeRecord(sequenceOf(it.Key()), it.Value())
		if err != nil {
			return err
		}
		_, rest, err := attr.DecodeKey(kind, c.Key)
		if err != nil {
			return fmt.Errorf("change record %d: %w", c.Seq, err)
		}
		key = appendBaseRow(key[:0], t.id, c.Key, len(c.Key)-len(rest))
		if c.Old == nil {
			err = w.delete(key)
		} else {
			row = appendRow(row[:0], c.Old.Size(), c.Old)
			err = w.set(key, row)
		}
		if err != nil {
			return err
		}
	}
	return it.Error()
}

// enterRows makes the index entries of a filled table and counts what it has.
func (e *Engine) enterRows(w *bulk, t *table) error {
	s := t.shape.Load()
	for _, c := range s.counters(t) {
		c.items.Store(0)
		c.bytes.Store(0)
	}
	prefix := appendRowPrefix(nil, t.id, baseIndex)
	var row []byte
	err := e.eachStored(context.Background(), e.db, prefix, func(key, value []byte) error {
		size, item, ok := splitRow(value)
		if !ok {
			return fmt.Errorf("a stored row is damaged")
		}
		t.counts.add(1, int64(size))
		for _, ix := range s.indexes {
			entryKey, entry := ix.entry(t.id, item, key[hashLen:])
			if entry == nil {
				continue
			}
			size := entry.Size()
			ix.counts.add(1, int64(size))
			row = appendRow(row[:0], size, entry)
			if err := w.set(entryKey, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("make index entries: %w", err)
	}
	return w.flush()
}
