package disk

import (
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Checkpoint puts a copy of the store, as it is at one moment during the call,
// into dir, which must not exist and should be on the same disk: the database
// is cut there, and the files of large objects are hard-linked. Opening dir
// opens the copy.
//
// While during runs, if it is not nil, no object can change or appear, and the
// copy shows exactly that state. So whatever during copies of other stores is of
// the same moment as the objects. Writers wait for it, readers do not.
func (s *Store) Checkpoint(dir string, during func() error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	// From before the cut until all is linked, no file goes.
	s.kept.begin()
	defer func() { s.unlink(s.kept.end()) }()
	snap, err := s.cutMeta(dir, during)
	if err != nil {
		return fmt.Errorf("checkpoint of the objects: %w", err)
	}
	err = s.linkFiles(snap, dir)
	if closed := snap.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("checkpoint of the objects: %w", err)
	}
	return nil
}

// cutMeta copies the database while nobody writes to it, and returns the same
// state to read.
func (s *Store) cutMeta(dir string, during func() error) (*pebble.Snapshot, error) {
	for _, d := range []string{dir, s.fs.PathJoin(dir, "data"), s.fs.PathJoin(dir, "tmp")} {
		if err := makeDir(s.fs, d); err != nil {
			return nil, err
		}
	}
	// What is in the log already need not be synced while writers wait.
	if err := s.flush(); err != nil {
		return nil, err
	}
	s.cut.Lock()
	defer s.cut.Unlock()
	if during != nil {
		if err := during(); err != nil {
			return nil, err
		}
	}
	if err := s.meta.Checkpoint(s.fs.PathJoin(dir, "meta")); err != nil {
		return nil, refused(err)
	}
	return s.db.NewSnapshot(), nil
}

// linkFiles gives the copy every file that a body of the snapshot has.
func (s *Store) linkFiles(snap *pebble.Snapshot, dir string) error {
	prefix := []byte{spaceLive}
	it, err := snap.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: successor(prefix)})
	if err != nil {
		return err
	}
	defer it.Close()
	in := "" // the directory that is being filled: rows come in its order
	for it.First(); it.Valid(); it.Next() {
		f := parseFileRow(it.Key())
		to := s.fs.PathJoin(dir, "data", fmt.Sprintf("%08x", f.dir))
		if to != in {
			if err := s.finishDir(in); err != nil {
				return err
			}
			if err := s.fs.MkdirAll(to, 0o700); err != nil {
				return err
			}
			in = to
		}
		if err := vfs.LinkOrCopy(s.fs, s.filePath(f), s.fs.PathJoin(to, fmt.Sprintf("%016x", f.id))); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return err
	}
	if err := s.finishDir(in); err != nil {
		return err
	}
	return syncDir(s.fs, s.fs.PathJoin(dir, "data"))
}

func (s *Store) finishDir(dir string) error {
	if dir == "" {
		return nil
	}
	return syncDir(s.fs, dir)
}

// kept are files that go when no checkpoint needs them any more.
type kept struct {
	mu    sync.Mutex
	users int
	files []fileRef
}

func (k *kept) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.users++
}

// postpone takes files over if a checkpoint is under way.
func (k *kept) postpone(files []fileRef) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users == 0 {
		return false
	}
	k.files = append(k.files, files...)
	return true
}

// end returns what can go now.
func (k *kept) end() []fileRef {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return nil
	}
	files := k.files
	k.files = nil
	return files
}
