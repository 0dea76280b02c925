package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
)

// Problem is something that Verify found wrong.
type Problem struct {
	Table string
	// Index is empty for the table's own rows.
	Index string
	// Key is the key of the item, as far as it can be read.
	Key  attr.Item
	What string
}

func (p Problem) String() string {
	where := p.Table
	if p.Index != "" {
		where += "." + p.Index
	}
	if p.Key == nil {
		return where + ": " + p.What
	}
	return fmt.Sprintf("%s %s: %s", where, attr.AppendItemJSON(nil, p.Key), p.What)
}

// Verify reads everything and reports what contradicts: rows that cannot be
// decoded or are not under their key, sizes that are wrong, index and expiry
// entries that are missing, stale or without an item. Each table is looked at
// as it is at one moment; writes go on meanwhile.
func (e *Engine) Verify(ctx context.Context, report func(Problem)) error {
	for _, name := range e.catalog.names() {
		t := e.catalog.get(name)
		if t == nil {
			continue
		}
		t.mu.Lock()
		v := &verifier{e: e, t: t, s: t.shape.Load(), snap: e.snapshot(), report: report, entries: map[indexID]int64{}}
		t.mu.Unlock()
		err := v.run(ctx)
		if err := v.snap.Close(); err != nil {
			return fmt.Errorf("verify %s: %w", name, err)
		}
		if err != nil {
			return fmt.Errorf("verify %s: %w", name, err)
		}
	}
	return nil
}

// verifier looks at one table.
type verifier struct {
	e       *Engine
	t       *table
	s       *shape
	snap    *pebble.Snapshot
	report  func(Problem)
	entries map[indexID]int64 // that the rows say there are
	expiry  int64
}

func (v *verifier) run(ctx context.Context) error {
	err := v.walk(ctx, appendRowPrefix(nil, v.t.id, baseIndex), v.row)
	if err != nil {
		return err
	}
	for _, ix := range v.s.indexes {
		if !ix.ready {
			continue
		}
		if err := v.index(ctx, ix); err != nil {
			return err
		}
	}
	found := int64(0)
	err = v.walk(ctx, appendTable(nil, spaceExpiry, v.t.id), func(_, _ []byte) error { found++; return nil })
	if err == nil && found != v.expiry && !v.s.def.TTL.Filling {
		v.report(Problem{Table: v.t.name, What: fmt.Sprintf("%d expiry entries, the items have %d", found, v.expiry)})
	}
	return err
}

func (v *verifier) walk(ctx context.Context, prefix []byte, fn func(key, value []byte) error) error {
	it, err := v.snap.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return err
	}
	defer func() { _ = it.Close() }()
	for ok := it.First(); ok; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(it.Key(), it.Value()); err != nil {
			return err
		}
	}
	return it.Error()
}

// row checks a row of the table and that its entries are there.
func (v *verifier) row(key, value []byte) error {
	it, ok := v.decode("", value)
	if !ok {
		return nil
	}
	itemKey := v.s.keyOf(it, nil)
	if !bytes.Equal(key, v.t.rowKey(nil, v.s, it)) {
		v.report(Problem{Table: v.t.name, Key: itemKey, What: "the row is not under its item's key"})
		return nil
	}
	for _, ix := range v.s.indexes {
		if err := v.entry(ix, key, it, itemKey); err != nil {
			return err
		}
	}
	if at, ok := expiryOf(it, v.s.ttl); ok && v.s.ttl != "" && !v.s.def.TTL.Filling {
		v.expiry++
		return v.present(appendExpiry(nil, v.t.id, at, baseKeyOf(key)), Problem{Table: v.t.name, Key: itemKey, What: "no expiry entry"})
	}
	return nil
}

func (v *verifier) decode(index string, value []byte) (attr.Item, bool) {
	size, it, ok := splitRow(value)
	if !ok || attr.CheckItem(it) != nil {
		v.report(Problem{Table: v.t.name, Index: index, What: "a row cannot be decoded"})
		return nil, false
	}
	if size != it.Size() {
		v.report(Problem{Table: v.t.name, Index: index, Key: v.s.keyOf(it, nil), What: fmt.Sprintf("the row says %d bytes, the item has %d", size, it.Size())})
	}
	return it, true
}

// entry checks that the index has what it should have of the item.
func (v *verifier) entry(ix *index, key []byte, it, itemKey attr.Item) error {
	entryKey, want := ix.entry(v.t.id, it, baseKeyOf(key))
	if !ix.ready || want == nil {
		return nil
	}
	v.entries[ix.id]++
	p := Problem{Table: v.t.name, Index: ix.name, Key: itemKey, What: "the entry is missing"}
	got, closer, err := v.snap.Get(entryKey)
	if errors.Is(err, pebble.ErrNotFound) {
		v.report(p)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	if _, have, ok := splitRow(got); !ok || !bytes.Equal(have, want) {
		p.What = "the entry differs from the item"
		v.report(p)
	}
	return nil
}

func (v *verifier) present(key []byte, p Problem) error {
	_, closer, err := v.snap.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		v.report(p)
		return nil
	}
	if err != nil {
		return err
	}
	return closer.Close()
}

// index counts the entries: the right ones are known to be there, so more
// than those are stale.
func (v *verifier) index(ctx context.Context, ix *index) error {
	found := int64(0)
	err := v.walk(ctx, appendRowPrefix(nil, v.t.id, ix.id), func(_, value []byte) error {
		found++
		v.decode(ix.name, value)
		return nil
	})
	if err == nil && found > v.entries[ix.id] {
		v.report(Problem{Table: v.t.name, Index: ix.name, What: fmt.Sprintf("%d entries, the items have %d", found, v.entries[ix.id])})
	}
	return err
}
