package engine

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// bulkBytes is how much a bulk write gathers before it hands it over.
const bulkBytes = 1 << 20

// bulk writes many rows in batches of bounded size, without waiting for a
// sync: the commit that makes use of the rows brings them to disk with it.
type bulk struct {
	e *Engine
	b *pebble.Batch
	// patient says that it waits until the disk has room, which work in the
	// background does.
	patient bool
}

func (e *Engine) newBulk() *bulk { return &bulk{e: e, b: e.db.NewBatch()} }

func (w *bulk) set(key, value []byte) error {
	if err := w.b.Set(key, value, nil); err != nil {
		return err
	}
	return w.room()
}

func (w *bulk) delete(key []byte) error {
	if err := w.b.Delete(key, nil); err != nil {
		return err
	}
	return w.room()
}

// room hands the batch over if it is full.
func (w *bulk) room() error {
	if w.b.Len() < bulkBytes {
		return nil
	}
	return w.flush()
}

// flush hands over what has been gathered.
func (w *bulk) flush() error {
	if w.b.Empty() {
		return nil
	}
	if w.patient {
		if err := w.e.await(); err != nil {
			return err
		}
	}
	if err := w.e.write(w.b, false); err != nil {
		return err
	}
	_ = w.b.Close()
	w.b = w.e.db.NewBatch()
	return nil
}

func (w *bulk) close() { _ = w.b.Close() }

// eachStored calls fn for what is stored under the prefix, with keys without
// it, until the caller or the store goes away. Key and value are valid only
// during the call.
func (e *Engine) eachStored(ctx context.Context, from pebble.Reader, prefix []byte, fn func(key, value []byte) error) error {
	it, err := from.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return fmt.Errorf("walk: %w", err)
	}
	defer func() { _ = it.Close() }()
	for ok := it.First(); ok; ok = it.Next() {
		if err := e.goOn(ctx); err != nil {
			return err
		}
		if err := fn(it.Key()[len(prefix):], it.Value()); err != nil {
			return err
		}
	}
	return it.Error()
}

// goOn returns an error when long work should end: its caller has gone, or
// the store is closing, or has failed and is to be opened again.
func (e *Engine) goOn(ctx context.Context) error {
	select {
	case <-e.stop:
		return errStopped
	default:
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.store.GoOn()
}
