// Package guard keeps a Pebble directory open across the faults of its disk.
//
// Pebble ends the process, or waits without end, when it cannot write its log,
// its manifest or a table. A [Store] sees to it that Pebble never meets such an
// error. It promises that no error of the file system ends the process; that
// no batch is acknowledged that is not on disk; that reads go on, and writes
// resume by themselves as soon as the disk takes them; that writes are refused
// before the disk is full; and that no flipped bit in a log or a manifest goes
// unnoticed, up to the last byte that was synced.
//
// It works like this. Each opening of the directory sees the disk through a
// fence (fence.go). The first write that fails shuts the fence: from then on
// nothing that this opening writes, renames or removes reaches the disk, and
// Pebble is told that all went well. Nobody else is: a commit is acknowledged
// only if the fence still stands open after its sync. Then the operations
// under way leave, the opening is closed, and the directory is opened again,
// as after a crash: to read and write if that works, else to read only until
// it does (reopen.go).
//
// Callers enter the store for each operation and leave it after, read through
// the *pebble.DB that Load was given last, and write through [Store.Apply] and
// [Store.Settle]. Start reading at [Open], then fence.go, reopen.go and, for
// the checksums of logs and manifests, mark.go.
package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Why a write, or any operation, is refused. The errors that wrap these name
// no files and may be shown to clients; what happened is in the log.
var (
	// ErrFull: the disk is full, or nearly so. Writing resumes by itself.
	ErrFull = errors.New("the disk is full: writes are refused until there is space, reads go on")
	// ErrFault: the disk failed. The store is opened again by itself.
	ErrFault = errors.New("the disk failed: the store tries to open again by itself")
	// ErrDamaged: what is on disk is not what was written.
	ErrDamaged = errors.New("a file is damaged")
	// ErrClosed: the store has been closed.
	ErrClosed = errors.New("the store is closed")
)

// Options say how a Store opens its directory.
type Options struct {
	// FS is the file system, encrypted or not. Default the operating system's.
	FS vfs.FS
	// Lock is the lock of the directory, if the caller has it. Default nil:
	// Open takes it.
	Lock *pebble.Lock
	// Pebble returns Pebble's options for an opening. FS, Lock, Logger,
	// EventListener and ReadOnly are the store's to set.
	Pebble func() *pebble.Options
	// Load is given every opening before an operation enters it, the first
	// by Open, and reads what the caller keeps in memory. If readOnly, it
	// must not write.
	Load func(s *Store, db *pebble.DB, readOnly bool) error
	// Stop ends the caller's background work on the opening, which is about to
	// be closed. Operations have left by then. Default nil.
	Stop func()
	// Reserve is how many bytes of the disk are left free: a write that
	// would leave less is refused, and one that only removes is at half of
	// it. 0 means 64 MiB, negative none.
	Reserve int64
	// Logger receives what an operator should know. Default slog.Default.
	Logger *slog.Logger
}

func (o *Options) fill() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Stop == nil {
		o.Stop = func() {}
	}
	if o.Reserve == 0 {
		o.Reserve = 64 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
}

// Store is an open directory. Its methods may be called from any number of
// goroutines.
type Store struct {
	dir     string
	o       Options
	lock    *pebble.Lock
	ownLock bool

	gate    sync.RWMutex // read-held by operations, write-held to change gen
	gen     *generation  // nil if nothing is open
	closed  bool
	trouble atomic.Pointer[error] // why writes are refused
	leave   atomic.Bool           // long operations should leave
	damages atomic.Int64          // how often a damaged file was met

	copying sync.Mutex // held while a checkpoint is made

	kick chan struct{} // told when a fence shuts
	stop chan struct{}
	done chan struct{}
}

// generation is one opening of the directory.
type generation struct {
	fence    *fence
	db       *pebble.DB
	readOnly bool
	stuck    atomic.Bool   // Pebble holds locks that it will not let go
	over     chan struct{} // closed when it is
}

// Open opens or creates the Pebble directory. An error means that nothing is
// open. One that wraps [ErrDamaged] says which file is not what was written.
func Open(dir string, o Options) (*Store, error) {
	o.fill()
	s := &Store{dir: dir, o: o, lock: o.Lock, kick: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	if s.lock == nil {
		if err := o.FS.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if s.lock, err = pebble.LockDirectory(dir, o.FS); err != nil {
			return nil, err
		}
		s.ownLock = true
	}
	if err := s.open(false); err != nil {
		return nil, errors.Join(err, s.unlock())
	}
	go s.watch()
	return s, nil
}

func (s *Store) unlock() error {
	if !s.ownLock {
		return nil
	}
	return s.lock.Close()
}

// Close waits for the operations under way and closes the directory. save, if
// not nil, may still write; it is not called if writes are refused.
func (s *Store) Close(save func() error) error {
	s.leave.Store(true)
	s.gate.Lock()
	if s.closed {
		s.gate.Unlock()
		return nil
	}
	s.closed = true
	s.gate.Unlock()
	close(s.stop)
	<-s.done
	s.o.Stop()
	var saveErr error
	if save != nil && s.Err() == nil && s.gen != nil {
		saveErr = save()
	}
	return errors.Join(saveErr, s.shut(), s.unlock())
}

// Enter begins an operation, which Leave ends. An operation must not enter
// twice. It waits while the directory is opened again after a fault, and
// refuses if that did not work.
func (s *Store) Enter() error {
	for {
		s.gate.RLock()
		if s.closed { // gen is Close's then
			s.gate.RUnlock()
			return ErrClosed
		}
		g := s.gen
		switch {
		case g == nil:
			s.gate.RUnlock()
			return s.Err()
		case !g.fence.isShut():
			return nil
		}
		s.gate.RUnlock()
		select {
		case <-g.over:
		case <-s.stop:
			return ErrClosed
		}
	}
}

// Leave ends an operation.
func (s *Store) Leave() { s.gate.RUnlock() }

// GoOn returns an error when a long operation should leave: the disk failed,
// or the store is to be opened again or closed.
func (s *Store) GoOn() error {
	if s.leave.Load() {
		return ErrFault
	}
	if s.gen.readOnly {
		return nil
	}
	return s.gen.fence.refusal()
}

// Err returns nil, or why writes are refused.
func (s *Store) Err() error {
	if p := s.trouble.Load(); p != nil {
		return *p
	}
	return nil
}

// Damages returns a number that grows whenever Pebble meets a damaged file, in a
// read or in the background. It starts at 0 with each Open.
func (s *Store) Damages() int64 { return s.damages.Load() }

// Ready returns an error if a write of n bytes is refused. The caller, which
// is inside, asks before it changes anything in memory; what follows a failed
// Apply or Settle is that Load is called again. removes says that the write
// makes the store smaller.
func (s *Store) Ready(n int64, removes bool) error {
	if err := s.refusal(); err != nil {
		return err
	}
	return s.Room(n, removes)
}

// refusal says why nothing can be written, if that is so.
func (s *Store) refusal() error {
	if s.gen.readOnly {
		return s.Err()
	}
	return s.gen.fence.refusal()
}

// Apply hands a batch to Pebble and does not wait for its sync. The caller is
// inside, and has asked Ready.
func (s *Store) Apply(b *pebble.Batch, o *pebble.WriteOptions) (err error) {
	if err := s.refusal(); err != nil {
		return err
	}
	// A panic in a commit is a failure of the store, not of the program.
	defer func() {
		if p := recover(); p != nil {
			s.gen.stuck.Store(true)
			s.gen.fence.fail(fmt.Errorf("commit: %v", p))
			err = ErrFault
		}
	}()
	if o.Sync {
		return s.gen.db.ApplyNoSyncWait(b, o)
	}
	return s.gen.db.Apply(b, o)
}

// Settle waits until an applied batch is on disk. An error means that it is
// not known to be there: it may appear when the directory is opened again.
func (s *Store) Settle(b *pebble.Batch) error {
	err := b.SyncWait()
	if err != nil {
		s.gen.fence.fail(err)
	}
	return s.gen.fence.refusal()
}

// Commit applies a batch, if the store is ready for it, and waits until it is
// on disk.
func (s *Store) Commit(b *pebble.Batch, removes bool) error {
	if b.Empty() {
		return nil
	}
	if err := s.Ready(int64(b.Len()), removes); err != nil {
		return err
	}
	if err := s.Apply(b, pebble.Sync); err != nil {
		return err
	}
	return s.Settle(b)
}

// Room returns an error that wraps [ErrFull] if a write of n bytes would leave
// less than the reserve.
func (s *Store) Room(n int64, removes bool) error {
	if s.o.Reserve < 0 {
		return nil
	}
	free, known := s.free()
	floor := s.o.Reserve
	if removes {
		floor /= 2
	}
	if known && free-n < floor {
		return ErrFull
	}
	return nil
}

// free is how many bytes the disk has; not every file system can tell.
func (s *Store) free() (bytes int64, known bool) {
	u, err := s.o.FS.GetDiskUsage(s.dir)
	return int64(u.AvailBytes), err == nil
}

// Checkpoint puts a copy of the store into dir, which must not exist. The
// caller is inside.
func (s *Store) Checkpoint(dir string) error {
	s.copying.Lock()
	defer s.copying.Unlock()
	f := s.gen.fence
	around := newFence(s, dir, nil, func(error) {})
	f.copy.Store(around)
	defer f.copy.Store(nil)
	err := s.gen.db.Checkpoint(dir, pebble.WithFlushedWAL())
	if err := errors.Join(err, around.cause(), f.refusal()); err != nil {
		return err
	}
	return markAll(s.o.FS, dir)
}
