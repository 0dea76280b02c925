package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/blob"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// fence is the file system as one opening of the directory sees it. While it
// is open it passes everything on. The first write in the directory that fails
// shuts it: that write and all that follow do nothing and are told that they
// succeeded. What was written after the fence was shut cannot be read.
type fence struct {
	vfs.FS
	dir   string
	marks *marks // nil if this opening only reads
	shut  func(error)
	// damages counts the files that are not handed to Pebble, being damaged.
	damages *atomic.Int64

	failed atomic.Pointer[error]
	copy   atomic.Pointer[fence] // of the checkpoint that is being made
}

func newFence(s *Store, dir string, m *marks, shut func(error)) *fence {
	under := s.o.FS
	return &fence{FS: under, dir: under.PathDir(under.PathJoin(dir, "x")), marks: m, shut: shut, damages: &s.damages}
}

// fail shuts the fence, for good.
func (f *fence) fail(err error) {
	if f.failed.CompareAndSwap(nil, &err) {
		f.shut(err)
	}
}

// cause is the error that shut the fence, or nil.
func (f *fence) cause() error {
	if p := f.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// refusal is the cause as clients may see it.
func (f *fence) refusal() error {
	if err := f.cause(); err != nil {
		return public(err)
	}
	return nil
}

func public(err error) error {
	switch {
	case vfs.IsNoSpaceError(err):
		return ErrFull
	case errors.Is(err, ErrDamaged), pebble.IsCorruptionError(err):
		return ErrDamaged
	}
	return ErrFault
}

func (f *fence) isShut() bool { return f.failed.Load() != nil }

// ours reports whether the file is one of the directory's.
func (f *fence) ours(name string) bool { return f.FS.PathDir(name) == f.dir }

// around returns the fence of a file that is to be written: this one for the
// files of the directory, that of the checkpoint for its files. Others have
// none, and fail as they do for everybody.
func (f *fence) around(name string) *fence {
	if f.ours(name) {
		return f
	}
	if c := f.copy.Load(); c != nil && c.ours(name) {
		return c
	}
	return nil
}

// try does op, unless the fence is shut, and shuts it if op fails.
func (f *fence) try(op func() error) {
	if f.isShut() {
		return
	}
	if err := op(); err != nil {
		f.fail(err)
	}
}

func (f *fence) make(name string, open func() (vfs.File, error)) (vfs.File, error) {
	if f = f.around(name); f == nil {
		return open()
	}
	out := &file{fence: f, name: f.FS.PathBase(name)}
	f.try(func() (err error) {
		if out.under, err = open(); err != nil {
			return fmt.Errorf("create %s: %w", out.name, err)
		}
		out.tracked, err = f.marks.begin(out.name)
		return err
	})
	return out, nil
}

func (f *fence) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.make(name, func() (vfs.File, error) { return f.FS.Create(name, c) })
}

func (f *fence) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.make(name, func() (vfs.File, error) {
		f.marks.forget(f.FS.PathBase(old))
		return f.FS.ReuseForWrite(old, name, c)
	})
}

func (f *fence) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if f.ours(name) {
		return nil, fmt.Errorf("open %s to read and write: %w", name, errors.ErrUnsupported)
	}
	return f.FS.OpenReadWrite(name, c, opts...)
}

// OpenDir opens a directory, which is done to sync it.
func (f *fence) OpenDir(name string) (vfs.File, error) {
	around := f.around(f.FS.PathJoin(name, "x"))
	if around == nil {
		return f.FS.OpenDir(name)
	}
	out := &file{fence: around, name: "directory"}
	around.try(func() (err error) {
		out.under, err = f.FS.OpenDir(name)
		return err
	})
	return out, nil
}

// Open refuses a table that is not there in words that do not make Pebble end
// the process.
func (f *fence) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if errors.Is(err, fs.ErrNotExist) && f.ours(name) {
		if f.isShut() {
			return nil, fmt.Errorf("open %s: %w", f.FS.PathBase(name), ErrFault)
		}
		if strings.HasSuffix(name, ".sst") {
			return nil, fmt.Errorf("%w: %s is missing", pebble.ErrCorruption, f.FS.PathBase(name))
		}
	}
	if strings.HasSuffix(name, ".blob") && f.ours(name) {
		return f.openBlob(name, file, err)
	}
	return file, err
}

// openBlob is Open for a file of values. If that is missing, or its end is
// damaged, Pebble panics when it hears of corruption in its own words.
func (f *fence) openBlob(name string, file vfs.File, err error) (vfs.File, error) {
	if err == nil {
		err = checkBlob(f.FS, name)
	}
	if err == nil {
		return file, nil
	}
	if file != nil {
		_ = file.Close()
	}
	if errors.Is(err, fs.ErrNotExist) || pebble.IsCorruptionError(err) {
		f.damages.Add(1)
		return nil, fmt.Errorf("%w: %s: %v", ErrDamaged, f.FS.PathBase(name), err) //nolint:errorlint // it must not be unwrapped
	}
	return nil, err
}

// checkBlob reads the end of a file of values.
func checkBlob(under vfs.FS, name string) error {
	f, err := under.Open(name)
	if err != nil {
		return err
	}
	from, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := blob.NewFileReader(context.Background(), from, blob.FileReaderOptions{})
	if err != nil {
		return errors.Join(err, from.Close())
	}
	return r.Close()
}

func (f *fence) Rename(old, name string) error {
	around := f.around(name)
	if around == nil {
		return f.FS.Rename(old, name)
	}
	around.try(func() error { return f.FS.Rename(old, name) })
	return nil
}

func (f *fence) Link(old, name string) error {
	if !f.ours(name) {
		return f.FS.Link(old, name) // a checkpoint on another disk is copied then
	}
	f.try(func() error { return f.FS.Link(old, name) })
	return nil
}

// Remove is the one write that may fail: Pebble tries again when it opens.
func (f *fence) Remove(name string) error {
	if !f.ours(name) {
		return f.FS.Remove(name)
	}
	if f.isShut() {
		return nil
	}
	f.marks.forget(f.FS.PathBase(name))
	return f.FS.Remove(name)
}

func (f *fence) RemoveAll(name string) error {
	if f.ours(name) && f.isShut() {
		return nil
	}
	return f.FS.RemoveAll(name)
}

func (f *fence) Unwrap() vfs.FS { return f.FS }

// file is a file of the directory that is being written, or the directory.
type file struct {
	fence   *fence
	name    string
	under   vfs.File // nil if it could not be made
	tracked *tracked // nil unless it is a log or a manifest

	allocated int64
}

var errShut = errors.New("the file was not written")

func (f *file) try(what string, op func() error) {
	f.fence.try(func() error {
		if f.under == nil {
			return errShut
		}
		if err := op(); err != nil {
			return fmt.Errorf("%s %s: %w", what, f.name, err)
		}
		return nil
	})
}

func (f *file) Write(p []byte) (int, error) {
	f.try("write", func() error {
		f.allocate(int64(len(p)))
		f.tracked.wrote(p) // first: a file may do with the bytes what it likes
		n, err := f.under.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		return err
	})
	return len(p), nil
}

// allocationStep is how far ahead of its end a log is allocated. Pebble would
// allocate as much as the largest log takes, of which a small store has several.
const allocationStep = 256 << 10

func (f *file) allocate(n int64) {
	if f.tracked == nil || !f.tracked.log {
		return
	}
	if end := f.tracked.written + n; end > f.allocated {
		step := (end - f.allocated + allocationStep - 1) / allocationStep * allocationStep
		_ = f.under.Preallocate(f.allocated, step) // only a matter of speed
		f.allocated += step
	}
}

func (f *file) Preallocate(offset, length int64) error {
	if f.tracked == nil {
		f.try("allocate", func() error { return f.under.Preallocate(offset, length) })
	}
	return nil
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	f.try("write", func() error { _, err := f.under.WriteAt(p, off); return err })
	return len(p), nil
}

func (f *file) sync(op func() error) {
	f.try("sync", func() error {
		if err := op(); err != nil {
			return err
		}
		return f.tracked.synced()
	})
}

func (f *file) Sync() error {
	f.sync(func() error { return f.under.Sync() })
	return nil
}

func (f *file) SyncData() error {
	f.sync(func() error { return f.under.SyncData() })
	return nil
}

func (f *file) SyncTo(length int64) (full bool, err error) {
	f.try("sync", func() (err error) { full, err = f.under.SyncTo(length); return err })
	return full, nil
}

func (f *file) Close() error {
	if f.under == nil {
		return nil
	}
	if err := f.under.Close(); err != nil {
		f.fence.fail(fmt.Errorf("close %s: %w", f.name, err))
	}
	return nil
}

func (f *file) Stat() (info vfs.FileInfo, err error) {
	f.try("stat", func() (err error) { info, err = f.under.Stat(); return err })
	if info == nil {
		return noInfo{f.name}, nil
	}
	return info, nil
}

func (f *file) Read(p []byte) (int, error) {
	if f.under == nil {
		return 0, errShut
	}
	return f.under.Read(p)
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if f.under == nil {
		return 0, errShut
	}
	return f.under.ReadAt(p, off)
}

func (f *file) Prefetch(offset, length int64) error { return nil }

func (f *file) Fd() uintptr {
	if f.under == nil {
		return vfs.InvalidFd
	}
	return f.under.Fd()
}

// noInfo describes a file that does not exist.
type noInfo struct{ name string }

func (i noInfo) Name() string           { return i.name }
func (i noInfo) Size() int64            { return 0 }
func (i noInfo) Mode() os.FileMode      { return 0 }
func (i noInfo) ModTime() time.Time     { return time.Time{} }
func (i noInfo) IsDir() bool            { return false }
func (i noInfo) Sys() any               { return nil }
func (i noInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }
