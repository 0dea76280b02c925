// Package disk is the storage engine of the blob store: buckets, versioned
// objects, multipart uploads, tags and lifecycle on a local directory. It
// knows what S3 means and nothing of HTTP.
//
// It promises that what it acknowledged survives kill -9 and power loss; that
// no reader ever sees half an object, or a mixture of two; that a reader goes
// on reading the version it opened while that is replaced or deleted; that no
// key, however hostile, names a file; that no byte is handed out which is not the
// one that was written; and that what a crash leaves behind is
// removed by the next Open in time that depends on the crash, not on the store.
//
// Metadata live in Pebble (key.go has the rows, record.go their encoding).
// Bodies up to Options.InlineLimit are rows too, and so share Pebble's group
// commit; larger ones are files (files.go) that end with checksums (sums.go). A write goes through three steps:
// Stage reads the body and hashes it, place makes it durable, and one
// batch, committed with sync, makes it visible. Deleting goes the other way:
// one batch makes it invisible and notes the files as garbage; then they are
// removed (garbage.go).
//
// Start reading at [Store.PutObject] in put.go, then get.go, delete.go, list.go
// and upload.go.
package disk

import (
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/fault"
	"pressroom/guard"
)

// Limits of S3 that the engine keeps.
const (
	MaxKey      = 1024     // bytes of a key
	MaxPart     = 10_000   // the highest part number
	MinPartSize = 5 << 20  // of every part but the last
	MaxPartSize = 5 << 30  // of a part, and of an object put whole
	MaxSize     = 50 << 40 // of an object put in parts
	maxInline   = copyBuffer - 1
)

// Options adjust a store. The zero value is usable.
type Options struct {
	// Now is the store's clock; nil means time.Now. Lifecycle rules and
	// modification times follow it.
	Now func() time.Time

	// FS is where the store's directory lives; nil means the disk. A
	// vfs.NewMem() keeps everything in memory.
	FS vfs.FS

	// InlineLimit is the largest body in bytes that is kept in the metadata
	// database; 0 means 64 KiB, negative none, and never more than 127 KiB.
	InlineLimit int

	// MinPartSize is the smallest size that a part other than the last may
	// have; 0 means S3's 5 MiB. Tests lower it.
	MinPartSize int64

	// Reserve is how many bytes of the disk are left free: a write that
	// would leave less is refused before it starts. 0 means 64 MiB, negative
	// none.
	Reserve int64

	// Log receives what an operator should know; nil means slog.Default.
	Log *slog.Logger

	// Tests lower these to see what happens beyond them.
	filesPerDir int
	maxLitter   int
}

func (o *Options) fill() {
	if o.filesPerDir == 0 {
		o.filesPerDir = filesPerDir
	}
	if o.maxLitter == 0 {
		o.maxLitter = maxLitter
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	switch {
	case o.InlineLimit == 0:
		o.InlineLimit = 64 << 10
	case o.InlineLimit < 0:
		o.InlineLimit = -1
	}
	o.InlineLimit = min(o.InlineLimit, maxInline)
	if o.MinPartSize == 0 {
		o.MinPartSize = MinPartSize
	}
	if o.Reserve == 0 {
		o.Reserve = 64 << 20
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

// ErrClosed is what every method answers after Close.
var ErrClosed = errors.New("blob store is closed")

// A Store is an open directory. Its methods may be called from many
// goroutines. Errors that a client may see are [*fault.Error]s.
type Store struct {
	dir string
	opt Options
	fs  vfs.FS
	log *slog.Logger

	meta   *guard.Store
	db     *pebble.DB // its current opening, for operations that have entered
	opened bool       // db is not the first

	cut     sync.RWMutex // read-held by every commit, write-held while a checkpoint is cut
	seqs    sequence
	dirs    dirs
	pins    pins
	litter  litter
	dead    dead
	kept    kept
	counted counted
	damages atomic.Int64
	buckets catalog
	keys    stripes // one key of one bucket: whoever reads and then writes it
	uploads stripes // one upload: its parts, or its end; taken after keys
}

// Open opens the store in dir, creating it if need be. Only one process may
// have it open. What a crash left behind is removed before Open returns.
func Open(dir string, opt Options) (*Store, error) {
	opt.fill()
	s := &Store{dir: dir, opt: opt, fs: opt.FS, log: opt.Log}
	s.keys.seed = maphash.MakeSeed()
	s.uploads.seed = s.keys.seed
	if err := s.openMeta(); err != nil {
		return nil, fmt.Errorf("open blob store %s: %w", dir, err)
	}
	return s, nil
}

// Close waits for the operations under way and closes the store. Objects that
// are still open for reading can be read to their end.
func (s *Store) Close() error {
	return s.meta.Close(func() error {
		s.forget(s.litter.take())
		s.dirs.reset()
		return nil
	})
}

// enter begins an operation, and leave ends it. An operation must not enter
// twice.
func (s *Store) enter() error { return refused(s.meta.Enter()) }

func (s *Store) leave() { s.meta.Leave() }

// refused turns what keeps the database from working into what clients see.
func refused(err error) error {
	switch {
	case errors.Is(err, guard.ErrFull):
		return fault.InsufficientStorage.Because(err)
	case errors.Is(err, guard.ErrFault):
		return fault.ServiceUnavailable.Because(err)
	case errors.Is(err, guard.ErrClosed):
		return ErrClosed
	}
	return err
}

// now is the store's clock with the precision that records keep.
func (s *Store) now() time.Time { return s.opt.Now().UTC().Truncate(time.Millisecond) }

// Now returns the time by the store's clock.
func (s *Store) Now() time.Time { return s.now() }
