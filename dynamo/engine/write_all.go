package engine

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// action is one item's part in a write of several items.
type action struct {
	change
	prepared *prepared
	decide   decision
	row      row
	err      error
}

// mutateAll changes several items in one batch: all of them or, if decide or
// the store refuses one, none. Refusals are left in the actions' err. extra
// runs under the locks, before anything is decided; it may lock rows of its
// own by naming their keys, add to the batch, or end the write by done.
func (e *Engine) mutateAll(actions []*action, extraKey []byte, extra func(b *pebble.Batch) (done bool, err error)) error {
	b, ends, err := e.applyAll(actions, extraKey, extra)
	if err != nil || b == nil {
		return err
	}
	err = e.settle(b)
	for t, first := range ends {
		t.seq.end(first)
	}
	return err
}

// errRefused says that at least one action has an err of its own.
var errRefused = newError(TransactionCancelled, "refused")

func (e *Engine) applyAll(actions []*action, extraKey []byte, extra func(*pebble.Batch) (bool, error)) (*pebble.Batch, map[*table]uint64, error) {
	tables := tablesOf(actions)
	for _, t := range tables {
		t.mu.RLock()
		defer t.mu.RUnlock()
		if t.gone {
			return nil, nil, newError(NotFound, "Requested resource not found")
		}
	}
	defer e.locks.lockAll(keysOf(actions, extraKey))()
	b := e.db.NewBatch()
	if extra != nil {
		if done, err := extra(b); done || err != nil {
			_ = b.Close()
			return nil, nil, err
		}
	}
	defer closeRows(actions)
	if err := e.decideAll(actions); err != nil {
		_ = b.Close()
		return nil, nil, err
	}
	if err := e.store.Ready(bytesOf(actions)); err != nil {
		_ = b.Close()
		return nil, nil, err
	}
	ends, err := e.stageAll(b, actions)
	if err == nil {
		err = e.store.Apply(b, pebble.Sync)
	}
	if err != nil {
		_ = b.Close()
		for t, first := range ends {
			t.seq.end(first)
		}
		return nil, nil, err
	}
	for _, a := range actions {
		e.editions.count(a.written)
	}
	return b, ends, nil
}

// bytesOf returns how many bytes the actions write, and whether they only
// remove.
func bytesOf(actions []*action) (n int64, removes bool) {
	removes = true
	for _, a := range actions {
		n += int64(len(a.new))
		removes = removes && a.new == nil
	}
	return n, removes
}

// tablesOf returns the tables of the actions in one order, in which everyone
// takes their locks.
func tablesOf(actions []*action) []*table {
	var tables []*table
	for _, a := range actions {
		if !slices.Contains(tables, a.t) {
			tables = append(tables, a.t)
		}
	}
	slices.SortFunc(tables, func(a, b *table) int { return cmp.Compare(a.id, b.id) })
	return tables
}

func keysOf(actions []*action, extra []byte) [][]byte {
	keys := make([][]byte, 0, len(actions)+1)
	for _, a := range actions {
		keys = append(keys, a.key)
	}
	if extra != nil {
		keys = append(keys, extra)
	}
	return keys
}

func closeRows(actions []*action) {
	for _, a := range actions {
		a.row.close()
	}
}

func (e *Engine) decideAll(actions []*action) error {
	refused := false
	for _, a := range actions {
		a.s = a.t.shape.Load()
		var err error
		if a.row, err = e.read(e.db, a.key); err != nil {
			return err
		}
		a.old, a.oldSize = a.row.item, a.row.size
		if a.new, a.err = a.decide(a.s, a.old); a.err != nil {
			refused = true
		}
	}
	if refused {
		return errRefused
	}
	return nil
}

// stageAll stages every action. The changes of one table get numbers in a
// row, within one second: a restore never cuts a transaction.
func (e *Engine) stageAll(b *pebble.Batch, actions []*action) (map[*table]uint64, error) {
	count := map[*table]int{}
	for _, a := range actions {
		if a.s.logged {
			count[a.t]++
		}
	}
	first, next := map[*table]uint64{}, map[*table]uint64{}
	now := e.now()
	for t, n := range count {
		first[t] = t.seq.begin(now, n)
		next[t] = first[t]
	}
	for _, a := range actions {
		if err := e.stage(b, &a.change, next[a.t]); err != nil {
			return first, err
		}
		if a.s.logged {
			next[a.t]++
		}
	}
	return first, nil
}
