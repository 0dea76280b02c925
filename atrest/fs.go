package atrest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sealedFS is a [vfs.FS] whose files are encrypted. Every method is written out,
// none is inherited, so that a method which a later Pebble adds cannot
// reach plain files unnoticed.
type sealedFS struct {
	fs     vfs.FS
	dir    string // as PathJoin cleans it
	marker string
	temp   string
	keys   *Keys

	// creating is held for reading while a file exists and its header does not,
	// so that OpenReadWrite can tell a file being made from one that a crash
	// left without a header.
	creating sync.RWMutex
}

var _ vfs.FS = (*sealedFS)(nil)

func newFS(fs vfs.FS, dir string, keys *Keys) *sealedFS {
	return &sealedFS{
		fs:     fs,
		dir:    fs.PathJoin(dir),
		marker: fs.PathJoin(dir, markerName),
		temp:   fs.PathJoin(dir, markerTemp),
		keys:   keys,
	}
}

// Create makes a file with a new header, under the current key.
func (s *sealedFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := s.guard(name); err != nil {
		return nil, err
	}
	s.creating.RLock()
	defer s.creating.RUnlock()
	return s.create(name, category)
}

func (s *sealedFS) create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.fs.Create(name, category)
	if err != nil {
		return nil, err
	}
	h, c := newHeader(s.keys.list[0])
	if _, err := f.Write(h); err != nil {
		return nil, errors.Join(fmt.Errorf("write header of %s: %w", name, err), f.Close(), s.fs.Remove(name))
	}
	out := newFile(s, f, name)
	out.content.Store(c)
	return out, nil
}

// Open opens a file for reading. The file may have no header yet; then it is
// empty, until it has one.
func (s *sealedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := s.guard(name); err != nil {
		return nil, err
	}
	f, err := s.fs.Open(name, opts...)
	if err != nil {
		return nil, err
	}
	out := newFile(s, f, name)
	if _, err := out.load(); err != nil {
		if info, statErr := f.Stat(); statErr == nil && info.IsDir() {
			return f, nil
		}
		return nil, errors.Join(err, f.Close())
	}
	return out, nil
}

// OpenReadWrite opens a file for reading and writing, and makes it if there
// is none. If a crash left it without a header, it is made anew: what it
// holds cannot be read, and would be in the way of what is written.
func (s *sealedFS) OpenReadWrite(
	name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption,
) (vfs.File, error) {
	if err := s.guard(name); err != nil {
		return nil, err
	}
	s.creating.Lock()
	defer s.creating.Unlock()
	f, err := s.fs.OpenReadWrite(name, category, opts...)
	if err != nil {
		return nil, err
	}
	out := newFile(s, f, name)
	out.writeAt = true
	c, err := out.load()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if c != nil {
		return out, nil
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	made, err := s.create(name, category)
	if err != nil {
		return nil, err
	}
	for _, opt := range opts {
		opt.Apply(made)
	}
	return made, nil
}

// ReuseForWrite removes oldname and creates newname. To write over the old file
// would be to use its key stream twice.
func (s *sealedFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := s.guard(oldname, newname); err != nil {
		return nil, err
	}
	if err := s.fs.Remove(oldname); err != nil {
		return nil, err
	}
	return s.Create(newname, category)
}

// Stat describes a file as its callers see it, without the header.
func (s *sealedFS) Stat(name string) (vfs.FileInfo, error) {
	if s.hides(name) {
		return nil, &os.PathError{Op: "stat", Path: name, Err: os.ErrNotExist}
	}
	info, err := s.fs.Stat(name)
	if err != nil || info.IsDir() {
		return info, err
	}
	if info.Size() <= headerSize {
		return fileInfo{info, 0}, nil
	}
	h, err := readHeader(s.fs, name)
	if err != nil {
		return nil, err
	}
	if st, _, _ := classify(h); st == stateEmpty {
		return fileInfo{info, 0}, nil
	}
	return fileInfo{info, info.Size() - headerSize}, nil
}

// fileInfo is a file's description with another size.
type fileInfo struct {
	vfs.FileInfo
	size int64
}

func (i fileInfo) Size() int64 { return i.size }

// List leaves out the marker.
func (s *sealedFS) List(dir string) ([]string, error) {
	names, err := s.fs.List(dir)
	if err == nil && s.fs.PathJoin(dir) == s.dir {
		names = slices.DeleteFunc(names, func(n string) bool { return n == markerName || n == markerTemp })
	}
	return names, err
}

// hides reports whether name is the marker's, which is not the callers'.
func (s *sealedFS) hides(name string) bool {
	name = s.fs.PathJoin(name)
	return name == s.marker || name == s.temp
}

func (s *sealedFS) guard(names ...string) error {
	for _, name := range names {
		if s.hides(name) {
			return fmt.Errorf("%s is kept for encryption: %w", name, os.ErrPermission)
		}
	}
	return nil
}

// The methods below do not look into files.

func (s *sealedFS) Link(oldname, newname string) error {
	if err := s.guard(oldname, newname); err != nil {
		return err
	}
	return s.fs.Link(oldname, newname)
}

func (s *sealedFS) Rename(oldname, newname string) error {
	if err := s.guard(oldname, newname); err != nil {
		return err
	}
	return s.fs.Rename(oldname, newname)
}

func (s *sealedFS) Remove(name string) error {
	if err := s.guard(name); err != nil {
		return err
	}
	return s.fs.Remove(name)
}

func (s *sealedFS) RemoveAll(name string) error {
	if err := s.guard(name); err != nil {
		return err
	}
	return s.fs.RemoveAll(name)
}

func (s *sealedFS) Lock(name string) (io.Closer, error) {
	if err := s.guard(name); err != nil {
		return nil, err
	}
	return s.fs.Lock(name)
}

func (s *sealedFS) OpenDir(name string) (vfs.File, error)           { return s.fs.OpenDir(name) }
func (s *sealedFS) MkdirAll(dir string, perm os.FileMode) error     { return s.fs.MkdirAll(dir, perm) }
func (s *sealedFS) PathBase(path string) string                     { return s.fs.PathBase(path) }
func (s *sealedFS) PathJoin(elem ...string) string                  { return s.fs.PathJoin(elem...) }
func (s *sealedFS) PathDir(path string) string                      { return s.fs.PathDir(path) }
func (s *sealedFS) GetDiskUsage(path string) (vfs.DiskUsage, error) { return s.fs.GetDiskUsage(path) }
func (s *sealedFS) Unwrap() vfs.FS                                  { return s.fs }
