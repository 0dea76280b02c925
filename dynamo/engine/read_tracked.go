package engine

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// editions count the writes of every partition, of tables and of indexes alike,
// and of every table as a whole. A write counts when readers can see it, and
// before it is answered: whoever noted a count, read, and finds the count
// unchanged has read what is still so.
//
// Partitions share counters by their hash. A write to another partition of the
// same counter makes a reading seem older than it is, never younger.
type editions struct {
	parts [editionSlots]atomic.Uint64
	all   atomic.Uint64 // of what concerns every reading: tables made, altered and deleted
	total atomic.Uint64 // counts after the others
}

// editionSlots is a power of two; 256 KB of counters.
const editionSlots = 1 << 15

// slot is the number of a counter.
type slot uint32

func slotOf(prefix []byte) slot { return slot(xxhash.Sum64(prefix) % editionSlots) }

// partitionSlot is the counter of the partition that a row's key, or the
// beginning of one, is in.
func partitionSlot(key []byte) slot { return slotOf(key[:rowPrefixLen+hashLen]) }

// tableSlot is the counter of a table as a whole.
func tableSlot(t tableID) slot { return slotOf(appendTable(make([]byte, 0, 8), spaceRow, t)) }

// count says that what the slots stand for was written.
func (e *editions) count(slots []slot) {
	for _, s := range slots {
		e.parts[s].Add(1)
	}
	if len(slots) > 0 {
		e.total.Add(1)
	}
}

// countAll says that anything may have changed.
func (e *editions) countAll() {
	e.all.Add(1)
	e.total.Add(1)
}

// Reading is what somebody has read of the tables: which partitions, and in which
// edition. It may be used from many goroutines.
type Reading struct {
	of    *editions
	outer *Reading // that sees what this one sees
	all   uint64
	held  atomic.Uint64 // the total at which it was last found to hold, and one more

	mu    sync.Mutex
	parts map[slot]uint64
}

type readingKey struct{}

// Track returns a context; what is read with it, of items and of streams, is noted
// in the reading, and in that of ctx if it has one. A stream that is read with it
// has every change that was answered before.
func (e *Engine) Track(ctx context.Context) (context.Context, *Reading) {
	r := &Reading{of: &e.editions, all: e.editions.all.Load(), parts: map[slot]uint64{}}
	r.outer, _ = ctx.Value(readingKey{}).(*Reading)
	return context.WithValue(ctx, readingKey{}, r), r
}

// Holds reports whether everything that was read is still as it was. It is false
// from before the answer to the write that changed something; it may be false
// though nothing was changed.
func (r *Reading) Holds() bool {
	total := r.of.total.Load()
	if r.held.Load() == total+1 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of.all.Load() != r.all {
		return false
	}
	for s, edition := range r.parts {
		if r.of.parts[s].Load() != edition {
			return false
		}
	}
	r.held.Store(total + 1)
	return true
}

// Join notes in the reading of ctx, if it has one, what r has read: for whoever
// uses what another made.
func (r *Reading) Join(ctx context.Context) {
	to, _ := ctx.Value(readingKey{}).(*Reading)
	if to == nil || to == r {
		return
	}
	r.mu.Lock()
	parts, all := maps.Clone(r.parts), r.all
	r.mu.Unlock()
	for ; to != nil && to != r; to = to.outer {
		to.add(parts, all)
	}
}

// add notes editions; of two, the older one counts.
func (r *Reading) add(parts map[slot]uint64, all uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = min(r.all, all)
	for s, edition := range parts {
		if known, ok := r.parts[s]; !ok || edition < known {
			r.parts[s] = edition
		}
	}
	r.held.Store(0)
}

// note notes slots that are about to be read.
func note(ctx context.Context, slots ...slot) {
	for r, _ := ctx.Value(readingKey{}).(*Reading); r != nil; r = r.outer {
		r.mu.Lock()
		for _, s := range slots {
			if _, known := r.parts[s]; !known {
				r.parts[s] = r.of.parts[s].Load()
			}
		}
		r.held.Store(0)
		r.mu.Unlock()
	}
}

// tracked reports whether what is read with ctx is noted.
func tracked(ctx context.Context) bool { return ctx.Value(readingKey{}) != nil }
