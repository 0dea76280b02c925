package local

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/internal/ops/backup"
)

// state is what stores in memory hold, and what they go back to between tests.
type state struct {
	credentials map[string]string
	log         *slog.Logger
	end         *Endpoint

	mu     sync.Mutex
	fs     vfs.FS  // of the stores that are served
	stores *Stores // that are served
	saved  vfs.FS  // what was remembered; nil for nothing
	taken  int
}

// openState opens empty stores in memory.
func openState(credentials map[string]string, log *slog.Logger) (*state, error) {
	s := &state{credentials: credentials, log: log, fs: vfs.NewMem()}
	var err error
	s.stores, err = OpenMemory(s.fs, credentials, log)
	return s, err
}

// Snapshot remembers what the stores hold at one moment.
func (s *state) Snapshot() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken++
	dir := fmt.Sprint("snapshot-", s.taken)
	if err := s.fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tables, objects := s.fs.PathJoin(dir, backup.Tables), s.fs.PathJoin(dir, backup.Objects)
	err := s.stores.Objects.Checkpoint(objects, func() error { return s.stores.Tables.Checkpoint(tables) })
	saved := vfs.NewMem()
	if err == nil {
		err = errors.Join(clone(s.fs, tables, saved, backup.Tables), clone(s.fs, objects, saved, backup.Objects))
	}
	if err := errors.Join(err, s.fs.RemoveAll(dir)); err != nil {
		return err
	}
	s.saved = saved
	return nil
}

// Reset serves what was remembered last. Requests under way end on what was there
// before, and leave nothing.
func (s *state) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fs := vfs.NewMem()
	if s.saved != nil {
		if err := errors.Join(clone(s.saved, backup.Tables, fs, backup.Tables), clone(s.saved, backup.Objects, fs, backup.Objects)); err != nil {
			return err
		}
	}
	next, err := OpenMemory(fs, s.credentials, s.log)
	if err != nil {
		return err
	}
	s.end.swap(next)
	before := s.stores
	s.fs, s.stores = fs, next
	return before.Close()
}

// Close closes the stores that are served.
func (s *state) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stores.Close()
}

func clone(from vfs.FS, dir string, to vfs.FS, as string) error {
	_, err := vfs.Clone(from, to, dir, as)
	return err
}
