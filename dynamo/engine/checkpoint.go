package engine

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Checkpoint puts a copy of the store, as it is at one moment during the call,
// into dir, which must not exist and should be on the same disk: tables of
// rows are hard-linked there and only the log is copied, so that it takes
// little time and writers go on. Everything that was answered before the call
// is in the copy, and a write is in it whole or not at all. An encrypted store
// has an encrypted copy. Opening dir opens the copy.
func (e *Engine) Checkpoint(dir string) error {
	if e.closed.Load() {
		return errClosed
	}
	err := e.guard.enter(func() error { return e.db.Checkpoint(dir, pebble.WithFlushedWAL()) })
	if err != nil {
		return fmt.Errorf("checkpoint of the tables: %w", err)
	}
	return nil
}

// LayoutFormat is the version of the layout that this program writes and the
// highest that it reads.
const LayoutFormat = format

// DiskUsage returns how many bytes the store takes on disk.
func (e *Engine) DiskUsage() int64 {
	if e.closed.Load() || e.guard.failure() != nil {
		return 0
	}
	return int64(e.db.Metrics().DiskSpaceUsage())
}
