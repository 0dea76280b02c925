package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
	"pressroom/guard"
)

// Problem is something that Verify found wrong.
type Problem struct {
	Table string
	// Index is empty for the table's own rows.
	Index string
	// Key is the key of the item, as far as it can be read.
	Key  attr.Item
	What string
	// Fix says what to do, if that is known.
	Fix string
}

func (p Problem) String() string {
	if p.Table == "" {
		return p.What
	}
	where := p.Table
	if p.Index != "" {
		where += "." + p.Index
	}
	if p.Key == nil {
		return where + ": " + p.What
	}
	return fmt.Sprintf("%s %s: %s", where, attr.AppendItemJSON(nil, p.Key), p.What)
}

// restoreFix is what is left to do when stored bytes are not what was written.
const restoreFix = "keep a copy of the data directory, then restore the last backup that verifies; what is not named here can be read and exported before"

// Verify reads everything that is stored and reports what is damaged, and what
// contradicts: blocks of files that are not what was written, logs and
// manifest included; rows, change records and rows of backups that cannot be
// decoded or are not under their key, sizes that are wrong, index and expiry
// entries that are missing, stale or without an item. Damage ends neither
// Verify nor the store. Each table is looked at as it is at one moment; writes
// go on meanwhile.
func (e *Engine) Verify(ctx context.Context, report func(Problem)) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.store.Leave()
	err := e.store.Verify(ctx, func(d guard.Damage) {
		report(Problem{What: fmt.Sprintf("the file %s is damaged: %s%s", d.File, d.What, e.holds(d.First, d.Last)), Fix: restoreFix})
	})
	if err != nil {
		return fmt.Errorf("verify files: %w", err)
	}
	for _, name := range e.catalog.names() {
		t := e.catalog.get(name)
		if t == nil {
			continue
		}
		t.mu.Lock()
		v := &verifier{e: e, t: t, s: t.shape.Load(), snap: e.snapshot(), report: report, entries: map[indexID]int64{}}
		t.mu.Unlock()
		err := v.run(ctx)
		if closeErr := v.snap.Close(); err == nil {
			err = closeErr
		}
		if err := e.goOn(ctx); err != nil {
			return fmt.Errorf("verify %s: %w", name, err)
		}
		if err != nil {
			report(Problem{Table: name, What: fmt.Sprintf("the table cannot be read to its end: %v", err), Fix: restoreFix})
		}
	}
	return e.verifyRest(ctx, report)
}

// verifyRest looks at what belongs to no table that is open: the change logs
// of all tables, those that are deleted included, and the rows of backups.
func (e *Engine) verifyRest(ctx context.Context, report func(Problem)) error {
	snap := e.snapshot()
	defer func() { _ = snap.Close() }()
	v := &verifier{e: e, snap: snap, report: report}
	spaces := []struct {
		space byte
		name  string
		check func(key, value []byte) error
	}{
		{spaceChange, "change log", func(key, value []byte) error { _, err := parseChangeRecord(sequenceOf(key), value); return err }},
		{spaceSaved, "backups", func(_, value []byte) error {
			_, it, ok := splitRow(value)
			if !ok {
				return errors.New("a row cannot be decoded")
			}
			return attr.CheckItem(it)
		}},
		{spaceToken, "request tokens", func(_, _ []byte) error { return nil }},
		{spaceJob, "exports and imports", func(_, value []byte) error { return json.Unmarshal(value, new(jobDef)) }},
		{spaceMeta, "format", func(_, _ []byte) error { return nil }},
	}
	for _, s := range spaces {
		err := v.walk(ctx, []byte{s.space}, func(key, value []byte) error {
			if err := s.check(key, value); err != nil {
				report(Problem{What: fmt.Sprintf("%s: %x: %v", s.name, key, err), Fix: restoreFix})
			}
			return nil
		})
		if err := e.goOn(ctx); err != nil {
			return fmt.Errorf("verify %s: %w", s.name, err)
		}
		if err != nil {
			report(Problem{What: fmt.Sprintf("the %s cannot be read to its end: %v", s.name, err), Fix: restoreFix})
		}
	}
	return nil
}

// holds says in words which tables a file with keys from first to last has
// something of.
func (e *Engine) holds(first, last []byte) string {
	if first == nil {
		return ""
	}
	within := func(space byte, t *table) bool {
		prefix := appendTable(nil, space, t.id)
		return bytes.Compare(prefixEnd(prefix), first) > 0 && bytes.Compare(prefix, last) <= 0
	}
	var parts []string
	for _, name := range e.catalog.names() {
		t := e.catalog.get(name)
		if within(spaceRow, t) {
			parts = append(parts, "rows of "+name)
		}
		if within(spaceChange, t) {
			parts = append(parts, "the change log of "+name)
		}
	}
	if len(parts) == 0 {
		return "; it holds no rows of a table"
	}
	return "; it holds some of " + strings.Join(parts, ", ")
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
		if err := v.e.goOn(ctx); err != nil {
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
