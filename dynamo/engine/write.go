package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
	"pressroom/guard"
)

// change is what becomes of one item: new in place of old, either of which
// may be nil for none.
type change struct {
	t        *table
	s        *shape
	key      []byte // of the base row
	old, new attr.Item
	// oldSize and newSize are the items' sizes as DynamoDB counts them.
	oldSize, newSize int
	// expired says that the sweeper removes the item.
	expired bool
	// written are the counters of the partitions that the change is in.
	written []slot
	// cost, if set, receives what the change costs per index.
	cost *writeCost
}

// decision makes of the item that is there (nil for none) what shall be
// there. The old item is valid only until decision returns. Returning the
// old item leaves everything as it is, index entries included.
type decision func(s *shape, old attr.Item) (attr.Item, error)

// mutate lets decide change the item at key and returns when the change is
// on disk. It is the one way in which single items change.
func (e *Engine) mutate(t *table, key []byte, decide decision, cost *writeCost) error {
	c := change{t: t, key: key, cost: cost}
	b, first, err := e.apply(&c, decide)
	if err != nil {
		return err
	}
	err = e.settle(b)
	if first != 0 {
		t.seq.end(first)
	}
	return err
}

// apply reads, decides and hands the batch to Pebble under the item's lock.
// The sync is the caller's to wait for, without the lock.
func (e *Engine) apply(c *change, decide decision) (b *pebble.Batch, first uint64, err error) {
	c.t.mu.RLock()
	defer c.t.mu.RUnlock()
	if c.t.gone {
		return nil, 0, newError(NotFound, "Requested resource not found")
	}
	c.s = c.t.shape.Load()
	defer e.locks.lock(c.key)()
	row, err := e.read(e.db, c.key)
	if err != nil {
		return nil, 0, err
	}
	defer row.close()
	c.old, c.oldSize = row.item, row.size
	if c.new, err = decide(c.s, row.item); err != nil {
		return nil, 0, err
	}
	if err := e.store.Ready(int64(len(c.new)), c.new == nil); err != nil {
		return nil, 0, err
	}
	b = e.db.NewBatchWithSize(len(c.key) + 2*len(c.new) + 256)
	if c.s.logged {
		first = c.t.seq.begin(e.now(), 1)
	}
	if err = e.stage(b, c, first); err == nil {
		err = e.store.Apply(b, pebble.Sync)
	}
	if err != nil {
		_ = b.Close()
		if first != 0 {
			c.t.seq.end(first)
		}
		return nil, 0, err
	}
	e.editions.count(c.written)
	return b, first, nil
}

// commit applies a batch and waits until it is on disk.
func (e *Engine) commit(b *pebble.Batch) error {
	if b.Empty() {
		return nil
	}
	defer e.editions.countAll()
	return e.store.Commit(b, false)
}

// remove is commit for a batch that makes the store smaller, for which there
// is room when there is none for others.
func (e *Engine) remove(b *pebble.Batch) error {
	defer e.editions.countAll()
	return e.store.Commit(b, true)
}

// write applies a batch without waiting for a sync; a later commit's sync
// covers it. removes says that it makes the store smaller.
func (e *Engine) write(b *pebble.Batch, removes bool) error {
	if err := e.store.Ready(int64(b.Len()), removes); err != nil {
		return err
	}
	return e.store.Apply(b, pebble.NoSync)
}

// await lets work in the background wait, without locks, until there is room
// for it on the disk.
func (e *Engine) await() error {
	for {
		if err := e.goOn(context.Background()); err != nil {
			return err
		}
		if err := e.store.Ready(bulkBytes, false); !errors.Is(err, guard.ErrFull) {
			return err
		}
		select {
		case <-e.stop:
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// settle waits until an applied batch is on disk, and frees it.
func (e *Engine) settle(b *pebble.Batch) error {
	if err := e.store.Settle(b); err != nil {
		return err
	}
	return b.Close()
}

// row is a stored item; it is a view of Pebble's memory until closed.
type row struct {
	item   attr.Item // nil if there is none
	size   int
	closer interface{ Close() error }
}

func (r row) close() {
	if r.closer != nil {
		_ = r.closer.Close()
	}
}

// read gets the row at key from the store or a snapshot of it.
func (e *Engine) read(from pebble.Reader, key []byte) (row, error) {
	value, closer, err := from.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return row{}, nil
	}
	if err != nil {
		return row{}, e.unreadable(err)
	}
	size, it, ok := splitRow(value)
	if !ok {
		_ = closer.Close()
		return row{}, e.damagedRow()
	}
	return row{item: it, size: size, closer: closer}, nil
}

// stage adds the change to the batch: the row, its index entries, its expiry
// and its record.
func (e *Engine) stage(b *pebble.Batch, c *change, seq uint64) error {
	if c.old == nil && c.new == nil || sameItem(c.old, c.new) {
		return nil
	}
	if c.new != nil {
		c.newSize = c.new.Size()
	}
	if err := setOrDelete(b, c.key, c.new, c.newSize); err != nil {
		return err
	}
	c.written = append(make([]slot, 0, 4), tableSlot(c.t.id), partitionSlot(c.key))
	c.t.counts.add(delta(c.old, c.new), int64(c.newSize-c.oldSize))
	for _, ix := range c.s.indexes {
		if err := e.stageIndex(b, c, ix); err != nil {
			return err
		}
	}
	if c.s.ttl != "" {
		if err := stageExpiry(b, c); err != nil {
			return err
		}
	}
	if seq != 0 && !bytes.Equal(c.old, c.new) {
		record := appendChangeRecord(nil, baseKeyOf(c.key), c.old, c.new, c.expired)
		return b.Set(appendChange(nil, c.t.id, seq), record, nil)
	}
	return nil
}

// sameItem reports whether a decision returned the very item it was given.
func sameItem(a, b attr.Item) bool {
	return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0]
}

func setOrDelete(b *pebble.Batch, key []byte, it attr.Item, size int) error {
	if it == nil {
		return b.Delete(key, nil)
	}
	var head [10]byte
	prefix := appendRow(head[:0], size, nil)
	op := b.SetDeferred(len(key), len(prefix)+len(it))
	copy(op.Key, key)
	copy(op.Value[copy(op.Value, prefix):], it)
	return op.Finish()
}

func delta(old, new attr.Item) int64 {
	switch {
	case old == nil && new != nil:
		return 1
	case old != nil && new == nil:
		return -1
	}
	return 0
}

// stageIndex moves the item's entry in one index from what it was to what it
// shall be.
func (e *Engine) stageIndex(b *pebble.Batch, c *change, ix *index) error {
	base := baseKeyOf(c.key)
	oldKey, oldItem := ix.entry(c.t.id, c.old, base)
	newKey, newItem := ix.entry(c.t.id, c.new, base)
	if oldItem == nil && newItem == nil {
		return nil
	}
	moved := !bytes.Equal(oldKey, newKey)
	if !moved && bytes.Equal(oldItem, newItem) {
		return nil
	}
	var oldSize, newSize int
	if oldItem != nil {
		oldSize = oldItem.Size()
		c.written = append(c.written, partitionSlot(oldKey))
	}
	if newItem != nil {
		newSize = newItem.Size()
		c.written = append(c.written, partitionSlot(newKey))
	}
	if oldItem != nil && moved {
		if err := b.Delete(oldKey, nil); err != nil {
			return fmt.Errorf("index %s: %w", ix.name, err)
		}
	}
	if newItem != nil {
		if err := setOrDelete(b, newKey, newItem, newSize); err != nil {
			return fmt.Errorf("index %s: %w", ix.name, err)
		}
	}
	ix.counts.add(delta(oldItem, newItem), int64(newSize-oldSize))
	c.cost.index(ix, oldSize, newSize, moved)
	return nil
}

// entry returns the key and content of the item's entry in the index, or
// nils if it has none.
func (ix *index) entry(t tableID, it attr.Item, baseKey []byte) ([]byte, attr.Item) {
	if it == nil {
		return nil, nil
	}
	key, ok := ix.appendKey(nil, t, it, baseKey)
	if !ok {
		return nil, nil
	}
	return key, ix.project(it)
}

func stageExpiry(b *pebble.Batch, c *change) error {
	oldAt, oldOK := expiryOf(c.old, c.s.ttl)
	newAt, newOK := expiryOf(c.new, c.s.ttl)
	if oldOK == newOK && oldAt == newAt {
		return nil
	}
	base := baseKeyOf(c.key)
	if oldOK {
		if err := b.Delete(appendExpiry(nil, c.t.id, oldAt, base), nil); err != nil {
			return err
		}
	}
	if newOK {
		return b.Set(appendExpiry(nil, c.t.id, newAt, base), nil, nil)
	}
	return nil
}
