package engine

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
)

// expiryHorizon is how far in the past an expiry may lie: what is older is
// taken for a mistake and stays, as in the service.
const expiryHorizon = 5 * 365 * 24 * time.Hour

// expiryOf returns the second at which the item expires, if its TTL
// attribute is a number that a clock can reach.
func expiryOf(it attr.Item, ttl string) (second int64, ok bool) {
	if it == nil {
		return 0, false
	}
	v, ok := it.Get(ttl)
	if !ok || v.Kind() != attr.Number {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(v.Number())
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
			if err := e.Sweep(); err != nil {
				e.opts.Logger.Error("sweep", "err", err)
			}
		}
	}
}

// Sweep removes the items that have expired by the store's clock and trims
// what has passed its retention: change records, request tokens. The engine
// calls it every SweepEvery.
func (e *Engine) Sweep() error {
	if err := e.guard.failure(); err != nil {
		return nil // said once, where it happened
	}
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
	return e.trimTokens(now)
}

// sweepBatch bounds how many expiry entries are collected at a time.
const sweepBatch = 500

func (e *Engine) sweepTable(t *table, now time.Time) error {
	for {
		due, err := e.dueItems(t, now)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, key := range due {
			select {
			case <-e.stop:
				return nil
			default:
			}
			if err := e.expire(t, key, now); err != nil {
				return err
			}
		}
		if len(due) < sweepBatch {
			return nil
		}
	}
}

// dueItems returns the pk and sk bytes of items whose expiry has come.
func (e *Engine) dueItems(t *table, now time.Time) ([][]byte, error) {
	from := max(now.Add(-expiryHorizon).Unix(), 0)
	lower := appendExpiry(nil, t.id, from, nil)
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: appendExpiry(nil, t.id, now.Unix(), nil)})
	if err != nil {
		return nil, err
	}
	var due [][]byte
	for ok := it.First(); ok && len(due) < sweepBatch; ok = it.Next() {
		due = append(due, append([]byte(nil), it.Key()[1+4+8:]...))
	}
	return due, it.Close()
}

// expire removes one item unless its expiry has moved in the meantime.
func (e *Engine) expire(t *table, keyBytes []byte, now time.Time) error {
	s := t.shape.Load()
	_, rest, err := attr.DecodeKey(s.key.Partition[0].Kind, keyBytes)
	if err != nil {
		return err
	}
	c := change{t: t, key: appendBaseRow(nil, t.id, keyBytes, len(keyBytes)-len(rest)), expired: true}
	b, first, err := e.apply(&c, func(s *shape, old attr.Item) (attr.Item, error) {
		if at, ok := expiryOf(old, s.ttl); !ok || at >= now.Unix() {
			return old, nil
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	err = e.settle(b)
	if first != 0 {
		t.seq.end(first)
	}
	return err
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

func (e *Engine) trimLog(t *table, now time.Time) error {
	cut := now.Add(-t.shape.Load().def.logRetention()).UnixMicro()
	if cut <= 0 {
		return nil
	}
	lower, upper := appendChange(nil, t.id, 0), appendChange(nil, t.id, uint64(cut))
	return e.deleteIfAny(lower, upper)
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
	return e.guard.write(e.db, b)
}

// A request token's key ends in nothing that sorts by time, so its value
// begins with the second at which it lapses.
func (e *Engine) trimTokens(now time.Time) error {
	prefix := []byte{spaceToken}
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return err
	}
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	for ok := it.First(); ok; ok = it.Next() {
		if v := it.Value(); len(v) < 8 || int64(binary.BigEndian.Uint64(v)) < now.Unix() {
			if err := b.Delete(it.Key(), nil); err != nil {
				break
			}
		}
	}
	if err := it.Close(); err != nil || b.Empty() {
		return err
	}
	return e.guard.write(e.db, b)
}
