package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
	"pressroom/guard"
)

// expiryHorizon is how far in the past an expiry may lie: what is older is
// taken for a mistake and stays, as in the service.
const expiryHorizon = 5 * 365 * 24 * time.Hour

// expiryOf returns the second at which the item expires, if its TTL
// attribute is a number that a clock can reach.
func expiryOf(it attr.Item, ttl string) (second int64, ok bool) {
	if it == nil || ttl == "" {
		return 0, false
	}
	v, ok := it.Get(ttl)
	if !ok || v.Kind() != attr.Number {
		return 0, false
	}
	text := v.Number()
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, n >= 0
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() < 0 {
		return 0, false
	}
	q := new(big.Int).Quo(r.Num(), r.Denom())
	if !q.IsInt64() {
		return 0, false
	}
	return q.Int64(), true
}

func (e *Engine) sweepLoop() {
	tick := time.NewTicker(e.opts.SweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-tick.C:
			if err := e.Sweep(); err != nil && !errors.Is(err, guard.ErrFull) {
				e.opts.Logger.Error("sweep", "err", err)
			}
		}
	}
}

// Sweep removes the items that have expired by the store's clock and trims
// what has passed its retention: change records, streams of deleted tables,
// system backups, request tokens. The engine calls it every SweepEvery.
func (e *Engine) Sweep() error {
	if e.store.Err() != nil {
		return nil // said once, where it happened
	}
	if err := e.store.Enter(); err != nil {
		return nil
	}
	defer e.store.Leave()
	now := e.now()
	for _, t := range *e.catalog.tables.Load() {
		if t.shape.Load().ttl != "" {
			if err := e.sweepTable(t, now); err != nil {
				return fmt.Errorf("expire items of %s: %w", t.name, err)
			}
		}
		if err := e.trimLog(t, now); err != nil {
			return fmt.Errorf("trim change log of %s: %w", t.name, err)
		}
	}
	if err := e.forgetDeleted(); err != nil {
		return fmt.Errorf("forget deleted tables: %w", err)
	}
	if err := e.dropLapsed(); err != nil {
		return fmt.Errorf("remove system backups: %w", err)
	}
	if minute := now.Unix() / 60; e.tokensTrimmed.Swap(minute) != minute {
		return e.trimTokens(now)
	}
	return nil
}

// sweepBatch bounds how many expiry entries are collected at a time.
const sweepBatch = 500

func (e *Engine) sweepTable(t *table, now time.Time) error {
	for {
		due, err := e.dueItems(t, now)
		if err != nil || len(due) == 0 {
			return err
		}
		if err := e.expireAll(t, due, now); err != nil {
			return err
		}
		if len(due) < sweepBatch {
			return nil
		}
	}
}

// dueItems returns the expiry entries of items whose time has come.
func (e *Engine) dueItems(t *table, now time.Time) ([][]byte, error) {
	from := max(now.Add(-expiryHorizon).Unix(), 0)
	lower := appendExpiry(nil, t.id, from, nil)
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: appendExpiry(nil, t.id, now.Unix(), nil)})
	if err != nil {
		return nil, err
	}
	var due [][]byte
	for ok := it.First(); ok && len(due) < sweepBatch; ok = it.Next() {
		due = append(due, append([]byte(nil), it.Key()...))
	}
	return due, it.Close()
}

// expireAll removes items and waits for all of them together, so that they
// share syncs.
func (e *Engine) expireAll(t *table, due [][]byte, now time.Time) error {
	type applied struct {
		b     *pebble.Batch
		first uint64
	}
	var list []applied
	var failed error
	for _, entry := range due {
		if failed = e.goOn(context.Background()); failed != nil {
			break
		}
		b, first, err := e.expire(t, entry, now)
		if b != nil {
			list = append(list, applied{b, first})
		}
		if failed = err; failed != nil {
			break
		}
	}
	for _, a := range list {
		if err := e.settle(a.b); failed == nil {
			failed = err
		}
		if a.first != 0 {
			t.seq.end(a.first)
		}
	}
	if own, ok := AsError(failed); errors.Is(failed, errStopped) || ok && own.Type == NotFound {
		return nil // the store is closing, or the table was deleted
	}
	return failed
}

// expire removes the item of an expiry entry unless its expiry has moved in
// the meantime. An entry that its item does not have goes by itself.
func (e *Engine) expire(t *table, entry []byte, now time.Time) (*pebble.Batch, uint64, error) {
	const head = 1 + 4 + 8
	second, keyBytes := int64(binary.BigEndian.Uint64(entry[1+4:])), entry[head:]
	_, rest, err := attr.DecodeKey(t.shape.Load().key.Partition[0].Kind, keyBytes)
	if err != nil {
		return nil, 0, err
	}
	c := change{t: t, key: appendBaseRow(nil, t.id, keyBytes, len(keyBytes)-len(rest)), expired: true}
	stale := false
	b, first, err := e.apply(&c, func(s *shape, old attr.Item) (attr.Item, error) {
		at, ok := expiryOf(old, s.ttl)
		if stale = !ok || at != second; stale || at >= now.Unix() {
			return old, nil
		}
		return nil, nil
	})
	if err == nil && stale {
		err = e.dropEntry(t, entry)
	}
	return b, first, err
}

// dropEntry removes an expiry entry that no item has, if that is still so
// under the item's lock.
func (e *Engine) dropEntry(t *table, entry []byte) error {
	const head = 1 + 4 + 8
	second, keyBytes := int64(binary.BigEndian.Uint64(entry[1+4:])), entry[head:]
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := t.shape.Load()
	_, rest, err := attr.DecodeKey(s.key.Partition[0].Kind, keyBytes)
	if err != nil {
		return err
	}
	key := appendBaseRow(nil, t.id, keyBytes, len(keyBytes)-len(rest))
	defer e.locks.lock(key)()
	row, err := e.read(e.db, key)
	if err != nil {
		return err
	}
	defer row.close()
	if at, ok := expiryOf(row.item, s.ttl); ok && at == second {
		return nil
	}
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := b.Delete(entry, nil); err != nil {
		return err
	}
	return e.write(b, true)
}

const (
	streamRetention = 24 * time.Hour
	maxRecoveryDays = 35
)

// logRetention is how long the table's changes are kept.
func (d *tableDef) logRetention() time.Duration {
	if d.Recovery.Enabled {
		days := d.Recovery.Days
		if days == 0 {
			days = maxRecoveryDays
		}
		return time.Duration(days) * 24 * time.Hour
	}
	return streamRetention
}

// trimLog removes the change records that are out of retention, a minute's
// worth at a time: what readers may see is cut to the microsecond anyway.
func (e *Engine) trimLog(t *table, now time.Time) error {
	cut := now.Add(-t.shape.Load().def.logRetention()).Truncate(time.Minute).UnixMicro()
	if cut <= 0 {
		return nil
	}
	return e.deleteIfAny(appendChange(nil, t.id, 0), appendChange(nil, t.id, uint64(cut)))
}

// deleteIfAny removes a range of keys, writing nothing if there are none.
func (e *Engine) deleteIfAny(lower, upper []byte) error {
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return err
	}
	found := it.First()
	if err := it.Close(); err != nil || !found {
		return err
	}
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := b.DeleteRange(lower, upper, nil); err != nil {
		return err
	}
	return e.write(b, true)
}

// trimTokens removes the request tokens that have lapsed. A token's key is no
// time, so its value begins with the second at which it lapses.
func (e *Engine) trimTokens(now time.Time) error {
	prefix := []byte{spaceToken}
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return err
	}
	defer func() { _ = it.Close() }()
	for ok := it.First(); ok; ok = it.Next() {
		if !lapsed(it.Value(), now) {
			continue
		}
		if err := e.dropToken(it.Key(), now); err != nil {
			return err
		}
	}
	return it.Error()
}

func lapsed(token []byte, now time.Time) bool {
	return len(token) < 8 || int64(binary.BigEndian.Uint64(token)) < now.Unix()
}

// dropToken removes a token unless a request has used it again meanwhile.
func (e *Engine) dropToken(key []byte, now time.Time) error {
	defer e.locks.lock(key)()
	value, closer, err := e.db.Get(key)
	if err != nil {
		return err
	}
	again := !lapsed(value, now)
	if err := closer.Close(); err != nil || again {
		return err
	}
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := b.Delete(key, nil); err != nil {
		return err
	}
	return e.write(b, true)
}
