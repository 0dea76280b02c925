package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
)

// The change log of a table holds what every write did: the item's key, the
// item before and after. It is written in the same batch as the row and
// serves streams, recovery to a moment, and whoever follows the table.
//
// A record's sequence number is the microsecond of the write, or one more
// than the last where two writes fall into one; so the log is ordered both by
// number and by time, and a moment is found by seeking.

// sequencer hands out sequence numbers and knows which of them are still on
// their way to disk: a reader that went past those would miss them.
type sequencer struct {
	mu   sync.Mutex
	last uint64
	// nums are the first numbers that were handed out, oldest first; open[i]
	// says that nums[i] has not ended.
	nums []uint64
	open []bool
	// ended is closed when numbers end; nil if nobody waits for that.
	ended chan struct{}
}

// begin hands out n numbers in a row that all fall into one second, so that
// a transaction is never cut by a restore.
func (q *sequencer) begin(now time.Time, n int) uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := max(q.last+1, uint64(max(now.UnixMicro(), 0)))
	if end := first + uint64(n) - 1; end/1e6 != first/1e6 {
		first = end / 1e6 * 1e6
	}
	q.last = first + uint64(n) - 1
	q.nums = append(q.nums, first)
	q.open = append(q.open, true)
	return first
}

// end says that the numbers from first on are on disk, or never will be.
func (q *sequencer) end(first uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended != nil {
		close(q.ended)
		q.ended = nil
	}
	for i := len(q.nums) - 1; i >= 0; i-- {
		if q.nums[i] == first {
			q.open[i] = false
			break
		}
	}
	done := 0
	for done < len(q.open) && !q.open[done] {
		done++
	}
	if done > 0 {
		n := copy(q.nums, q.nums[done:])
		copy(q.open, q.open[done:])
		q.nums, q.open = q.nums[:n], q.open[:n]
	}
}

// settled returns the number up to which, inclusive, the log is complete.
func (q *sequencer) settled() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.nums) > 0 {
		return q.nums[0] - 1
	}
	return q.last
}

// settle waits until the log is complete up to the last number that was handed out
// before the call.
func (q *sequencer) settle(ctx context.Context) error {
	for last := q.issued(); ; {
		q.mu.Lock()
		if len(q.nums) == 0 || q.nums[0] > last {
			q.mu.Unlock()
			return nil
		}
		if q.ended == nil {
			q.ended = make(chan struct{})
		}
		ended := q.ended
		q.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// issued returns the last number that was handed out.
func (q *sequencer) issued() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.last
}

// atLeast makes all numbers to come greater than n.
func (q *sequencer) atLeast(n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = max(q.last, n)
}

// lastSequence returns the last number that the definition knows to be taken,
// by the bounds of the table's streams. The log itself may be trimmed, and the
// clock may go back.
func (d *tableDef) lastSequence() uint64 {
	last := uint64(0)
	for _, st := range d.Streams {
		last = max(last, st.From-1, st.To)
	}
	return last
}

// loadSequence finds the last number that the table has used.
func (e *Engine) loadSequence(t *table) error {
	prefix := appendTable(nil, spaceChange, t.id)
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return fmt.Errorf("read change log of %s: %w", t.name, err)
	}
	if it.Last() {
		t.seq.atLeast(sequenceOf(it.Key()))
	}
	t.seq.atLeast(t.shape.Load().def.lastSequence())
	return it.Close()
}

func sequenceOf(changeKey []byte) uint64 {
	return binary.BigEndian.Uint64(changeKey[len(changeKey)-8:])
}

func sequenceTime(seq uint64) time.Time { return time.UnixMicro(int64(seq)).UTC() }

// changeRecord is one entry of the log. Old is nil for an insert, New for a
// removal.
type changeRecord struct {
	Seq      uint64
	Key      []byte // pk and sk bytes
	Old, New attr.Item
	// Expired says that the sweeper removed the item.
	Expired bool
}

const (
	changeHasOld = 1 << iota
	changeHasNew
	changeExpired
)

func appendChangeRecord(dst []byte, key []byte, old, new attr.Item, expired bool) []byte {
	var flags byte
	if old != nil {
		flags |= changeHasOld
	}
	if new != nil {
		flags |= changeHasNew
	}
	if expired {
		flags |= changeExpired
	}
	dst = append(dst, flags)
	for _, part := range [][]byte{key, old, new} {
		dst = binary.AppendUvarint(dst, uint64(len(part)))
		dst = append(dst, part...)
	}
	return dst
}

// parseChangeRecord reads a record; its parts are views of value.
func parseChangeRecord(seq uint64, value []byte) (changeRecord, error) {
	r := changeRecord{Seq: seq}
	if len(value) == 0 {
		return r, fmt.Errorf("change record %d is empty", seq)
	}
	flags, rest := value[0], value[1:]
	var parts [3][]byte
	for i := range parts {
		n, w := binary.Uvarint(rest)
		if w <= 0 || n > uint64(len(rest)-w) {
			return r, fmt.Errorf("change record %d is damaged", seq)
		}
		parts[i], rest = rest[w:w+int(n)], rest[w+int(n):]
	}
	r.Key = parts[0]
	if flags&changeHasOld != 0 {
		r.Old = attr.Item(parts[1])
	}
	if flags&changeHasNew != 0 {
		r.New = attr.Item(parts[2])
	}
	r.Expired = flags&changeExpired != 0
	return r, nil
}
