package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/fault"
	"pressroom/guard"
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
	// Each opening sets meta and db.
	_, err := guard.Open(s.path("meta"), guard.Options{
		FS: s.fs, Pebble: metaOptions, Load: s.load, Reserve: s.opt.Reserve, Logger: s.log,
	})
	return err
}

func metaOptions() *pebble.Options {
	opts := &pebble.Options{
		Comparer:           comparer,
		FormatMajorVersion: pebble.FormatNewest,
		MemTableSize:       8 << 20,
		// A flush that is under way holds no writer up.
		MemTableStopWritesThreshold: 4,
		// Every put asks for the key's last version: the indexes and filters
		// that answer it stay in memory, beside the bodies that pass through.
		CacheSize: 16 << 20,
		// Bodies are up to 64 KiB each: a larger base keeps them from being
		// rewritten level by level while the store is small.
		LBaseMaxBytes: 256 << 20,
		Cleaner:       deletes{},
	}
	opts.Experimental.ValueSeparationPolicy = bodiesApart
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return opts
}

// deletes removes files that are done with. To Pebble it looks as if it wanted to
// see their content, so that logs are not kept to be written again: it would keep
// five, as large as the bodies that were ever in them.
type deletes struct {
	pebble.DeleteCleaner
	needs
}

type needs struct{ pebble.ArchiveCleaner }

// bodiesApart has Pebble keep the bodies in files of their own, beside the rows that
// name them: they are written once more after the log, not at each level again, and
// the rows stay few enough to be looked up in memory. Files with much that was
// deleted are rewritten in the background.
func bodiesApart() pebble.ValueSeparationPolicy {
	return pebble.ValueSeparationPolicy{
		Enabled: true, MinimumSize: 2 << 10, MaxBlobReferenceDepth: 10,
		RewriteMinimumAge: time.Minute, TargetGarbageRatio: 0.2,
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
// crash. If it fails, the batch may appear when the database is opened again, as
// it is by itself after a fault. Concurrent commits share one sync of the log.
func (s *Store) commit(b *pebble.Batch) error { return s.apply(b, pebble.Sync, false) }

// remove is commit for a batch that makes the store smaller.
func (s *Store) remove(b *pebble.Batch) error { return s.apply(b, pebble.Sync, true) }

// apply hands a batch to Pebble and is the last to use it.
func (s *Store) apply(b *pebble.Batch, o *pebble.WriteOptions, removes bool) error {
	s.cut.RLock()
	defer s.cut.RUnlock()
	err := s.meta.Ready(int64(b.Len()), removes)
	if err == nil {
		err = s.meta.Apply(b, o)
	}
	if err == nil && o.Sync {
		err = s.meta.Settle(b)
	}
	if err != nil {
		return refused(err)
	}
	return b.Close()
}

// noSync applies a batch whose loss in a crash does no harm.
var noSync = pebble.NoSync

// flush makes durable what was applied without sync.
func (s *Store) flush() error {
	b := s.db.NewBatch()
	b.LogData(nil, nil)
	return s.remove(b)
}

// room refuses a write of n bytes that would eat into the reserve.
func (s *Store) room(n int64) error { return refused(s.meta.Room(max(n, 0), false)) }

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
		return nil, false, s.unread(err)
	}
	defer closer.Close()
	return append([]byte(nil), v...), true, nil
}

// unread says that a row could not be read, and counts it if it is damaged. Pebble
// reports a damaged table, which is counted by guard, but no damaged value.
func (s *Store) unread(err error) error {
	if pebble.IsCorruptionError(err) {
		s.damages.Add(1)
	}
	return fmt.Errorf("read metadata: %w", err)
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
		if err != nil {
			return errors.Join(s.unread(err), it.Close())
		}
		if err := f(it.Key(), v); err != nil {
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
