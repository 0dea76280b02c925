package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS watches the write-ahead log. When the log cannot be written or
// synced, what is in memory is ahead of what is on disk, and Pebble's commit
// pipeline can neither go on nor give up: it panics while it holds its lock.
// So the guard closes the gate to new commits first, lets those inside leave,
// and only then lets Pebble see the error. The waiters for a sync get it as
// their answer; everyone after them is told that the store has stopped.
type guardFS struct {
	vfs.FS
	failed atomic.Pointer[error]
	stuck  atomic.Bool  // Pebble holds locks that it will not let go
	mu     sync.RWMutex // held for reading while a commit is inside Pebble
}

func newGuardFS(fs vfs.FS) *guardFS { return &guardFS{FS: fs} }

func (g *guardFS) failure() error {
	if p := g.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// commit applies the batch and returns without waiting for its sync.
func (g *guardFS) commit(db *pebble.DB, b *pebble.Batch) error {
	return g.enter(func() error { return db.ApplyNoSyncWait(b, pebble.Sync) })
}

// write applies the batch without asking for a sync; a later commit's sync
// covers it.
func (g *guardFS) write(db *pebble.DB, b *pebble.Batch) error {
	return g.enter(func() error { return db.Apply(b, pebble.NoSync) })
}

// enter lets a commit into Pebble unless the store has failed. Pebble panics
// when it cannot write; that too is a failure of the store, not of the
// program that embeds it.
func (g *guardFS) enter(apply func() error) (err error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if err := g.failure(); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("commit: %v", p)
			g.stuck.Store(true)
			g.fail(err)
		}
	}()
	return apply()
}

// fatal is Pebble's word that it cannot go on. It must not return: within a
// commit it ends the commit; a background job is left standing where it is.
// The store answers errors from then on, and its directory can be opened by
// another process once this one has ended.
func (g *guardFS) fatal(err error) {
	g.stuck.Store(true)
	g.fail(err)
	if inCommit() {
		panic(err)
	}
	select {}
}

// inCommit reports whether enter is on the caller's stack.
func inCommit() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "(*guardFS).enter") {
			return true
		}
		if !more {
			return false
		}
	}
}

// fail records the first error and waits for the commits inside Pebble to
// leave. They may themselves be waiting for room in the log that only the
// caller of fail can make, hence the limit.
func (g *guardFS) fail(err error) {
	if !g.failed.CompareAndSwap(nil, &err) {
		return
	}
	left := make(chan struct{})
	go func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(time.Second):
	}
}

// backgroundError is told of failed flushes and compactions. Pebble tries
// them again, so only a full disk, which would end in writers waiting
// without end, stops the store.
func (g *guardFS) backgroundError(err error) {
	if isNoSpace(err) {
		g.fail(err)
	}
}

func (g *guardFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.watch(name)(g.FS.Create(name, c))
}

func (g *guardFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.watch(name)(g.FS.ReuseForWrite(old, name, c))
}

func (g *guardFS) Unwrap() vfs.FS { return g.FS }

func (g *guardFS) watch(name string) func(vfs.File, error) (vfs.File, error) {
	return func(f vfs.File, err error) (vfs.File, error) {
		if err != nil || !isLog(name) {
			if err != nil && !errors.Is(err, fs.ErrNotExist) && isLog(name) {
				g.fail(err)
			}
			return f, err
		}
		return &guardFile{File: f, guard: g}, nil
	}
}

func isLog(name string) bool { return len(name) > 4 && name[len(name)-4:] == ".log" }

type guardFile struct {
	vfs.File
	guard *guardFS
}

func (f *guardFile) note(err error) error {
	if err != nil {
		f.guard.fail(err)
	}
	return err
}

func (f *guardFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.note(err)
}

func (f *guardFile) Sync() error     { return f.note(f.File.Sync()) }
func (f *guardFile) SyncData() error { return f.note(f.File.SyncData()) }

func (f *guardFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	return full, f.note(err)
}

func isNoSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) }
