package engine

import "fmt"

// Checkpoint puts a copy of the store, as it is at one moment during the call,
// into dir, which must not exist and should be on the same disk: tables of
// rows are hard-linked there and only the log is copied, so that it takes
// little time and writers go on. Everything that was answered before the call
// is in the copy, and a write is in it whole or not at all. An encrypted store
// has an encrypted copy. Opening dir opens the copy.
func (e *Engine) Checkpoint(dir string) error {
	if err := e.store.Enter(); err != nil {
		return err
	}
	defer e.store.Leave()
	if err := e.store.Checkpoint(dir); err != nil {
		return fmt.Errorf("checkpoint of the tables: %w", err)
	}
	return nil
}

// LayoutFormat is the version of the layout that this program writes and the
// highest that it reads.
const LayoutFormat = format

// DiskUsage returns how many bytes the store takes on disk.
func (e *Engine) DiskUsage() int64 {
	if e.store.Enter() != nil {
		return 0
	}
	defer e.store.Leave()
	return int64(e.db.Metrics().DiskSpaceUsage())
}
