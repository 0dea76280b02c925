package atrest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Use is what one key still has to decrypt.
type Use struct {
	Key     KeyID
	Current bool  // new files use it
	Files   int   // that are not empty
	Bytes   int64 // of content, without headers
}

// KeyUsage reports which keys the files in dir and below are under: the
// current one first, if any file uses it, then the others by id. A key that
// is not listed is no longer needed, and its line may go from the key file.
// The directory may be in use meanwhile.
//
// fs may be what [Open] returned, or a file system around it, or the one
// below it; in the last case no key is known as current. A file that is
// damaged, or not encrypted, is reported by an error that names it, beside
// the uses of the others.
func KeyUsage(fs vfs.FS, dir string) ([]Use, error) {
	var current KeyID
	if e := sealedUnder(fs); e != nil {
		fs, current = e.fs, e.keys.Current()
	}
	s, err := surveyDir(fs, dir)
	if err != nil {
		return nil, err
	}
	uses := make([]Use, 0, len(s.uses))
	for id, u := range s.uses {
		u.Key, u.Current = id, id == current
		uses = append(uses, *u)
	}
	slices.SortFunc(uses, func(a, b Use) int {
		if a.Current != b.Current {
			if a.Current {
				return -1
			}
			return 1
		}
		return bytes.Compare(a.Key[:], b.Key[:])
	})
	return uses, s.problem()
}

// survey is what the files of a directory are encrypted with.
type survey struct {
	uses    map[KeyID]*Use
	foreign string // the first file found that is not encrypted
	damaged error  // the first damaged header found
}

func surveyDir(fs vfs.FS, dir string) (*survey, error) {
	s := &survey{uses: make(map[KeyID]*Use)}
	err := walk(fs, dir, func(f found) error {
		switch {
		case f.state == stateSealed:
			u := s.uses[f.key]
			if u == nil {
				u = new(Use)
				s.uses[f.key] = u
			}
			u.Files++
			u.Bytes += f.size - headerSize
		case f.state == stateDamaged && s.damaged == nil:
			s.damaged = fmt.Errorf("file %s: %w", f.name, f.err)
		case f.state == stateForeign && s.foreign == "":
			s.foreign = f.name
		}
		return nil
	})
	return s, err
}

func (s *survey) problem() error {
	if s.damaged == nil && s.foreign != "" {
		return fmt.Errorf("file %s: %w", s.foreign, ErrPlain)
	}
	return s.damaged
}

// keyIDs returns the keys in use, in order of id.
func (s *survey) keyIDs() []KeyID {
	ids := make([]KeyID, 0, len(s.uses))
	for id := range s.uses {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b KeyID) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

// found is a file as it is on disk.
type found struct {
	name  string
	size  int64
	state state
	key   KeyID // of stateSealed
	err   error // of stateDamaged
}

var errStopWalk = errors.New("stop")

// walk calls visit for the files in dir and below it, other than markers: a
// directory in it may have one of its own. A directory that does not exist
// has no files.
func walk(fs vfs.FS, dir string, visit func(found) error) error {
	err := walkDir(fs, dir, true, visit)
	if errors.Is(err, errStopWalk) {
		return nil
	}
	return err
}

func walkDir(fs vfs.FS, dir string, top bool, visit func(found) error) error {
	names, err := fs.List(dir)
	if err != nil {
		return skipGone(err)
	}
	slices.Sort(names)
	for _, name := range names {
		// A fresh volume has a lost+found that only root may look into.
		if name == markerName || name == markerTemp || top && name == "lost+found" {
			continue
		}
		if err := walkFile(fs, fs.PathJoin(dir, name), visit); err != nil {
			return err
		}
	}
	return nil
}

func walkFile(fs vfs.FS, name string, visit func(found) error) error {
	info, err := fs.Stat(name)
	if err != nil {
		return skipGone(err)
	}
	if info.IsDir() {
		return walkDir(fs, name, false, visit)
	}
	f := found{name: name, size: info.Size()}
	// An empty file may be Pebble's lock, which on Unix is lost when any
	// other descriptor of the file is closed: it must not be opened.
	if f.size > 0 {
		h, err := readHeader(fs, name)
		if err != nil {
			return skipGone(err)
		}
		f.state, f.key, f.err = classify(h)
	}
	if f.state == stateSealed && f.size == headerSize {
		f.state = stateEmpty // nothing to decrypt
	}
	return visit(f)
}

// skipGone forgives that a file was removed since it was listed.
func skipGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// readHeader returns the first headerSize bytes of a file, or all that it has.
func readHeader(fs vfs.FS, name string) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return headerOf(f)
}

func headerOf(f vfs.File) ([]byte, error) {
	h := make([]byte, headerSize)
	n, err := f.ReadAt(h, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return h[:n], err
}
