package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
)

// Rewind is the recovery of a whole store, in place: where
// RestoreTableToPointInTime makes a new table beside the old one, Rewind sets
// every item of every table back to what it was. It does so by ordinary writes,
// so that indexes, expiry entries and the change log stay whole, and a store
// that was rewound too far can be rewound to a later second.

// Rewound is what Rewind did to a table.
type Rewound struct {
	Table string
	// Items is how many items were set back.
	Items int
	// Dropped says that the table did not exist at the moment.
	Dropped bool
	// Left says why the table was left as it is; empty if it was not.
	Left string
}

// Rewind sets all tables back to the end of a second. Tables that were made
// later are deleted. Tables that cannot be set back, because they have no
// recovery or their log does not reach that far, or because they were deleted
// since, make it refuse before it changes anything; if partial is set they are
// left as they are instead, and reported. Nobody else may write meanwhile.
func (e *Engine) Rewind(ctx context.Context, at time.Time, partial bool, report func(Rewound)) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.store.Leave()
	at = second(at)
	if at.After(e.now()) {
		return fmt.Errorf("%s is in the future", at.Format(time.RFC3339))
	}
	if err := e.restoresDone(ctx); err != nil {
		return err
	}
	tables := slices.SortedFunc(maps.Values(*e.catalog.tables.Load()), func(a, b *table) int { return strings.Compare(a.name, b.name) })
	left := e.lost(at)
	for _, t := range tables {
		if why := e.cannotRewind(t, at); why != "" {
			left = append(left, Rewound{Table: t.name, Left: why})
		}
	}
	if len(left) > 0 && !partial {
		return refuseRewind(at, left)
	}
	for _, t := range tables {
		if slices.ContainsFunc(left, func(r Rewound) bool { return r.Table == t.name }) {
			continue
		}
		done, err := e.rewind(ctx, t, at)
		if err != nil {
			return fmt.Errorf("rewind %s: %w", t.name, err)
		}
		report(done)
	}
	for _, r := range left {
		report(r)
	}
	return nil
}

func refuseRewind(at time.Time, left []Rewound) error {
	var all []string
	for _, r := range left {
		all = append(all, r.Table+" "+r.Left)
	}
	return fmt.Errorf("not every table can be set back to %s: %s", at.Format(time.RFC3339), strings.Join(all, "; "))
}

// restoresDone waits until no table is being restored any more.
func (e *Engine) restoresDone(ctx context.Context) error {
	for {
		e.catalog.mu.Lock()
		busy := len(e.catalog.restoring)
		e.catalog.mu.Unlock()
		if busy == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// endOf is the last number that belongs to the second.
func endOf(at time.Time) uint64 { return uint64(at.Add(time.Second).UnixMicro()) - 1 }

// lost returns the tables that existed at the moment and were deleted since.
func (e *Engine) lost(at time.Time) []Rewound {
	e.backups.mu.Lock()
	defer e.backups.mu.Unlock()
	var lost []Rewound
	for _, b := range e.backups.all {
		d := b.Desc.BackupDetails
		if d.BackupType != types.BackupTypeSystem {
			continue
		}
		gone := aws.ToTime(d.BackupCreationDateTime)
		if gone.Before(at.Add(time.Second)) || e.madeAfter(&b.Source, at) {
			continue
		}
		lost = append(lost, Rewound{
			Table: aws.ToString(b.Source.TableName),
			Left:  fmt.Sprintf("was deleted at %s, and its changes with it", gone.UTC().Format(time.RFC3339)),
		})
	}
	slices.SortFunc(lost, func(a, b Rewound) int { return strings.Compare(a.Table, b.Table) })
	return lost
}

// madeAfter reports whether the table did not exist at the end of the second.
func (e *Engine) madeAfter(d *types.TableDescription, at time.Time) bool {
	return !aws.ToTime(d.CreationDateTime).Before(at.Add(time.Second))
}

// cannotRewind says why the table cannot be set back, if it cannot.
func (e *Engine) cannotRewind(t *table, at time.Time) string {
	def := t.shape.Load().def
	if e.madeAfter(&def.Desc, at) {
		return ""
	}
	switch earliest := def.Recovery.earliest(e.now()); {
	case !def.Recovery.Enabled:
		return "has no point-in-time recovery"
	case at.Before(earliest):
		return "can be set back to " + earliest.Format(time.RFC3339) + " at the earliest"
	}
	return ""
}

func (e *Engine) rewind(ctx context.Context, t *table, at time.Time) (Rewound, error) {
	if e.madeAfter(&t.shape.Load().def.Desc, at) {
		return Rewound{Table: t.name, Dropped: true}, e.dropTable(t)
	}
	n, err := e.undoInPlace(ctx, t, endOf(at))
	return Rewound{Table: t.name, Items: n}, err
}

// dropTable deletes a table, protected or not.
func (e *Engine) dropTable(t *table) error {
	err := e.alter(t, func(def *tableDef) error {
		def.Desc.DeletionProtectionEnabled = aws.Bool(false)
		return nil
	}, nil)
	if err != nil {
		return err
	}
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	_, err = e.deleteTable(t)
	return err
}

// rewindBatch is how many writes share a sync.
const rewindBatch = 500

// undoInPlace sets back every item that changed after the number. The first
// change of an item after it tells what the item was; later ones are passed
// over, so that keys are all that has to be remembered.
func (e *Engine) undoInPlace(ctx context.Context, t *table, until uint64) (int, error) {
	src, err := e.sourceNow(t)
	if err != nil {
		return 0, err
	}
	defer src.close()
	it, err := src.log.NewIter(changeBounds(t.id, until+1, src.issued))
	if err != nil {
		return 0, err
	}
	defer func() { _ = it.Close() }()
	w := &rewinder{e: e, t: t}
	seen := map[string]struct{}{}
	for ok := it.First(); ok; ok = it.Next() {
		if err := e.goOn(ctx); err != nil {
			return 0, w.fail(err)
		}
		c, err := parseChangeRecord(sequenceOf(it.Key()), it.Value())
		if err != nil {
			return 0, w.fail(err)
		}
		if _, done := seen[string(c.Key)]; done {
			continue
		}
		seen[string(c.Key)] = struct{}{}
		if err := w.set(c); err != nil {
			return 0, w.fail(err)
		}
	}
	if err := it.Error(); err != nil {
		return 0, w.fail(err)
	}
	return len(seen), w.settle()
}

// rewinder writes items as they were, many to a sync.
type rewinder struct {
	e    *Engine
	t    *table
	open []*pebble.Batch
	nums []uint64
}

// set makes the item of a change what it was before it.
func (w *rewinder) set(c changeRecord) error {
	_, rest, err := attr.DecodeKey(w.t.shape.Load().key.Partition[0].Kind, c.Key)
	if err != nil {
		return fmt.Errorf("change record %d: %w", c.Seq, err)
	}
	one := change{t: w.t, key: appendBaseRow(nil, w.t.id, c.Key, len(c.Key)-len(rest))}
	b, first, err := w.e.apply(&one, func(*shape, attr.Item) (attr.Item, error) { return c.Old, nil })
	if err != nil {
		return err
	}
	w.open, w.nums = append(w.open, b), append(w.nums, first)
	if len(w.open) < rewindBatch {
		return nil
	}
	return w.settle()
}

// settle waits until all that was written is on disk.
func (w *rewinder) settle() error {
	var failed error
	for i, b := range w.open {
		if err := w.e.settle(b); failed == nil {
			failed = err
		}
		if w.nums[i] != 0 {
			w.t.seq.end(w.nums[i])
		}
	}
	w.open, w.nums = nil, nil
	return failed
}

// fail ends the work early.
func (w *rewinder) fail(err error) error {
	_ = w.settle() // the first error is the one to tell
	return err
}
