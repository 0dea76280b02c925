package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/fault"
)

func (s *Store) openMeta() error {
	for _, d := range []string{s.dir, s.path("tmp"), s.path("data")} {
		if err := makeDir(s.fs, d); err != nil {
			return err
		}
	}
	// Made by an Open that crashed, it may not be safe yet.
	if err := syncDir(s.fs, s.fs.PathDir(s.dir)); err != nil {
		s.log.Warn("blob: sync the directory above the store", "error", err)
	}
	opts := &pebble.Options{
		Comparer:           comparer,
		FS:                 s.fs,
		FormatMajorVersion: pebble.FormatNewest,
		Logger:             metaLog{s},
		MemTableSize:       8 << 20,
		// A flush that is under way holds no writer up.
		MemTableStopWritesThreshold: 4,
		// Every put asks for the key's last version: the indexes and filters
		// that answer it stay in memory, beside the bodies that pass through.
		CacheSize: 16 << 20,
		// Bodies are up to 64 KiB each: a larger base keeps them from being
		// rewritten level by level while the store is small.
		LBaseMaxBytes: 256 << 20,
	}
	opts.Experimental.ValueSeparationPolicy = bodiesApart
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(s.path("meta"), opts)
	if err != nil {
		return err
	}
	s.db = db
	return nil
}

// bodiesApart has Pebble keep the bodies in files of their own, beside the rows that
// name them: they are written once more after the log, not at each level again, and
// the rows stay few enough to be looked up in memory. Files with much that was
// deleted are rewritten in the background.
func bodiesApart() pebble.ValueSeparationPolicy {
	return pebble.ValueSeparationPolicy{
		Enabled: true, MinimumSize: 2 << 10, MaxBlobReferenceDepth: 10,
		RewriteMinimumAge: 5 * time.Minute, TargetGarbageRatio: 0.2,
	}
}

// makeDir makes a directory and those above it that are missing, durably: a
// new name is only safe once the directory that it stands in is synced.
func makeDir(fs vfs.FS, dir string) error {
	parent := fs.PathDir(dir)
	if _, err := fs.Stat(dir); err == nil || parent == dir {
		return nil
	}
	if err := makeDir(fs, parent); err != nil {
		return err
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(fs, parent)
}

func (s *Store) path(elem ...string) string {
	return s.fs.PathJoin(append([]string{s.dir}, elem...)...)
}

// commit applies a batch durably: when it returns nil, the batch survives a
// crash. Concurrent commits share one sync of the log.
func (s *Store) commit(b *pebble.Batch) error { return s.apply(b, pebble.Sync) }

// apply hands a batch to Pebble and is the last to use it. Where Pebble's log fails, Pebble reports it
// to its logger and not to the caller; then the store takes no more writes.
func (s *Store) apply(b *pebble.Batch, o *pebble.WriteOptions) error {
	s.cut.RLock()
	defer s.cut.RUnlock()
	if err := s.broken.get(); err != nil {
		return err
	}
	if err := s.db.Apply(b, o); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if err := s.broken.get(); err != nil {
		return err
	}
	return b.Close()
}

// noSync applies a batch whose loss in a crash does no harm.
var noSync = pebble.NoSync

// flush makes durable what was applied without sync.
func (s *Store) flush() error {
	if err := s.broken.get(); err != nil {
		return err
	}
	if err := s.db.LogData(nil, pebble.Sync); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return s.broken.get()
}

// failure remembers the first error after which the database's memory and its
// disk may differ. From then on writes are refused until the store is opened
// again, which replays what did reach the disk.
type failure struct{ err atomic.Pointer[error] }

func (f *failure) set(err error) { f.err.CompareAndSwap(nil, &err) }

func (f *failure) get() error {
	if p := f.err.Load(); p != nil {
		return *p
	}
	return nil
}

// metaLog passes Pebble's messages on. Fatalf must not end the process: the
// store still answers reads, and says to writers what is wrong.
type metaLog struct{ s *Store }

func (l metaLog) Infof(format string, args ...any) {}

func (l metaLog) Errorf(format string, args ...any) {
	l.s.log.Error("blob metadata", slog.String("message", fmt.Sprintf(format, args...)))
}

func (l metaLog) Fatalf(format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	l.s.broken.set(fault.InternalError.Because(fmt.Errorf("the store was stopped by a failure of its disk, restart it: %s", msg)))
	l.s.log.Error("blob metadata: no more writes until restart", slog.String("message", msg))
}

// room refuses a write of n bytes that would eat into the reserve.
func (s *Store) room(n int64) error {
	if s.opt.Reserve < 0 {
		return nil
	}
	u, err := s.fs.GetDiskUsage(s.dir)
	if err != nil {
		return nil // not every file system can tell
	}
	if int64(u.AvailBytes)-max(n, 0) < s.opt.Reserve {
		return fault.InsufficientStorage
	}
	return nil
}

// diskError turns the errors of a full disk into S3's terms.
func diskError(op string, err error) error {
	if err == nil {
		return nil
	}
	if vfs.IsNoSpaceError(err) {
		return fault.InsufficientStorage.Because(fmt.Errorf("%s: %w", op, err))
	}
	return fmt.Errorf("%s: %w", op, err)
}

// get returns a copy of a row's value, or nil, false.
func (s *Store) get(row []byte) ([]byte, bool, error) {
	v, closer, err := s.db.Get(row)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read metadata: %w", err)
	}
	defer closer.Close()
	return append([]byte(nil), v...), true, nil
}

// rows calls f for every row that begins with prefix, in order. f must not
// keep its arguments.
func (s *Store) rows(prefix []byte, f func(row, value []byte) error) error {
	return s.scan(prefix, successor(prefix), f)
}

func (s *Store) scan(lower, upper []byte, f func(row, value []byte) error) error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return fmt.Errorf("read metadata: %w", err)
	}
	for it.First(); it.Valid(); it.Next() {
		v, err := it.ValueAndErr()
		if err == nil {
			err = f(it.Key(), v)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return it.Close()
}

// sequence hands out numbers that only grow, across restarts too. A block is
// reserved durably at a time; after a crash the rest of it is skipped.
type sequence struct {
	mu    sync.Mutex
	next  uint64
	limit uint64
}

const sequenceBlock = 1 << 20

func (s *Store) nextSeq() (uint64, error) {
	q := &s.seqs
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == q.limit {
		b := s.db.NewBatch()
		b.Set([]byte{spaceSeq}, binary.BigEndian.AppendUint64(nil, q.limit+sequenceBlock), nil)
		if err := s.commit(b); err != nil {
			return 0, err
		}
		q.limit += sequenceBlock
	}
	q.next++
	return q.next, nil
}

func (s *Store) loadSeq() error {
	v, ok, err := s.get([]byte{spaceSeq})
	if err != nil || !ok {
		return err
	}
	if len(v) != 8 {
		return errRecord
	}
	s.seqs.next = binary.BigEndian.Uint64(v)
	s.seqs.limit = s.seqs.next
	return nil
}

// stripes are locks for things too many to have one each.
type stripes struct {
	seed maphash.Seed
	mu   [1024]sync.Mutex
}

func (l *stripes) lock(bucket uint64, key string) *sync.Mutex {
	h := maphash.String(l.seed, key) ^ bucket*0x9e3779b97f4a7c15
	m := &l.mu[h%uint64(len(l.mu))]
	m.Lock()
	return m
}
