package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Damage is a file that is not what was written.
type Damage struct {
	File string // its name in the directory
	What string
	// First and Last bound the keys that the file holds, if it is a table.
	First, Last []byte
}

// Verify reads every block of every table from disk, and the logs and the
// manifest as far as they are synced, and reports what is damaged. Values that
// Pebble keeps in files of their own are checked when they are read. The caller
// is inside.
func (s *Store) Verify(ctx context.Context, report func(Damage)) error {
	g := s.gen
	if m := g.fence.marks; m != nil {
		m.mu.Lock()
		entries := maps.Clone(m.entries)
		m.mu.Unlock()
		err := checkMarks(s.o.FS, s.dir, m.seed, entries, func(file, what string) { report(Damage{File: file, What: what}) })
		if err != nil {
			return err
		}
	}
	levels, err := g.db.SSTables()
	if err != nil {
		return err
	}
	o := s.o.Pebble()
	o.EnsureDefaults()
	for _, level := range levels {
		for _, t := range level {
			if err := errors.Join(ctx.Err(), s.GoOn()); err != nil {
				return err
			}
			d := Damage{File: tableName(t), First: t.Smallest.UserKey, Last: t.Largest.UserKey}
			err := verifyTable(s.o.FS, s.o.FS.PathJoin(s.dir, d.File), o.MakeReaderOptions())
			switch {
			case err == nil || errors.Is(err, fs.ErrNotExist) && !s.holds(d.File):
			default:
				d.What = err.Error()
				report(d)
			}
		}
	}
	return nil
}

func tableName(t pebble.SSTableInfo) string { return fmt.Sprintf("%06d.sst", uint64(t.BackingSSTNum)) }

// holds reports whether the table is still part of the store: it may have been
// merged into another and removed since it was listed.
func (s *Store) holds(name string) bool {
	levels, err := s.gen.db.SSTables()
	if err != nil {
		return true
	}
	for _, level := range levels {
		for _, t := range level {
			if tableName(t) == name {
				return true
			}
		}
	}
	return false
}

// verifyTable reads all blocks of a table. Parts of a damaged table may make
// the reader panic.
func verifyTable(under vfs.FS, name string, o sstable.ReaderOptions) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be read: %v", p)
		}
	}()
	f, err := under.Open(name, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	from, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(context.Background(), from, o)
	if err != nil {
		return errors.Join(err, from.Close())
	}
	return errors.Join(r.ValidateBlockChecksums(), r.Close())
}
