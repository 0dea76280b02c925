package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/guard"
)

// load is given every opening of the database while no operation is inside. It
// brings the directory back to what the database says: temporary files, files
// whose batch was never committed, and files whose object was deleted are
// removed. It looks at tmp, at the directories that were open, and at the garbage
// rows, all of which are bounded by what was under way.
//
// Opened again after a fault, it leaves bodies alone that are being staged or
// read, and with them all that is merely garbage.
func (s *Store) load(meta *guard.Store, db *pebble.DB, readOnly bool) error {
	if s.meta == nil { // later openings are of the same store, which operations look at
		s.meta = meta
	}
	s.db = db
	s.dirs.reset()
	steps := []func() error{s.loadSeq, s.loadBuckets}
	if !readOnly {
		steps = append(steps, s.clearOpenDirs)
	}
	if !readOnly && !s.opened {
		steps = append(steps, s.clearTmp, s.clearGarbage)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	s.opened = true
	return nil
}

func (s *Store) clearTmp() error {
	names, err := s.fs.List(s.path("tmp"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.fs.Remove(s.path("tmp", name)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) clearGarbage() error {
	var files []fileRef
	err := s.rows([]byte{spaceGarbage}, func(row, _ []byte) error {
		f := parseFileRow(row)
		if err := s.fs.Remove(s.filePath(f)); err != nil && !notExist(err) {
			return err
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return err
	}
	s.forget(files)
	return nil
}

// clearOpenDirs removes the files without owner from the directories that
// were being filled, and goes on filling the newest.
func (s *Store) clearOpenDirs() error {
	var open []uint32
	err := s.rows([]byte{spaceOpenDir}, func(row, _ []byte) error {
		open = append(open, binary.BigEndian.Uint32(row[1:]))
		return nil
	})
	if err != nil {
		return err
	}
	b := s.db.NewBatch()
	for i, no := range open {
		files, err := s.clearDir(no)
		if err != nil {
			return err
		}
		s.dirs.last = no
		if i == len(open)-1 && files < s.opt.filesPerDir {
			d, err := s.newDir(no)
			if err != nil {
				return err
			}
			d.files = files
			s.dirs.setCurrent(d)
			break
		}
		b.Delete(dirRow(no), nil)
	}
	if err := s.commit(b); err != nil {
		return err
	}
	return s.findLastDir()
}

// clearDir removes the files of a directory that belong to no body, and
// returns how many are left.
func (s *Store) clearDir(no uint32) (left int, err error) {
	names, err := s.fs.List(s.dirPath(no))
	if notExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		id, err := strconv.ParseUint(name, 16, 64)
		if err != nil {
			return 0, fmt.Errorf("%s/%s is no file of the store", s.dirPath(no), name)
		}
		_, live, err := s.get(fileRow(spaceLive, fileRef{no, id}))
		if err != nil {
			return 0, err
		}
		if live {
			left++
		} else if err := s.fs.Remove(s.filePath(fileRef{no, id})); err != nil {
			return 0, err
		}
	}
	return left, syncDir(s.fs, s.dirPath(no))
}

// findLastDir makes sure that a new directory gets a new number.
func (s *Store) findLastDir() error {
	it, err := s.db.NewIter(nil)
	if err != nil {
		return err
	}
	if it.SeekLT([]byte{spaceLive + 1}) && it.Key()[0] == spaceLive {
		s.dirs.last = max(s.dirs.last, parseFileRow(it.Key()).dir)
	}
	return it.Close()
}

func notExist(err error) bool { return errors.Is(err, os.ErrNotExist) }
