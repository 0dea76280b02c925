// Package engine is the database behind package dynamo: DynamoDB's tables,
// items, indexes, transactions, streams and backups on one Pebble store.
//
// It promises that an answered write is on disk, that a write is visible
// whole or not at all, that every index equals its table at every moment,
// and that what is refused is refused with DynamoDB's own error.
//
// Values are kept in the stored form of package attr from one end to the
// other; the SDK's types and JSON are the business of dynamo and dynamo/wire.
// Operations without attribute values (tables, tags, backups) take the SDK's
// own inputs, since nothing is gained by a second set of structs.
//
// A file's name begins with the part that it belongs to:
//
//	store      what is on disk and how it is kept: rows, locks, the change log, expiry, checks, copies
//	table      what a table is, and the operations that make, describe, alter and delete one
//	index      how an index is declared, added to a table and filled
//	request    what the operations on items have in common: their inputs, validation, keys and cost
//	write      putting, deleting and updating items, alone and in batches
//	read       getting, querying and scanning, alone and in batches
//	txn        transactions
//	statement  PartiQL
//	stream     DynamoDB Streams, read from the change log
//	backup     backups, and the switch of point-in-time recovery
//	restore    tables made from backups and from earlier moments
//	job        exports, imports and bulk puts, between tables and a store of objects
//
// Start with store_layout.go (what is stored where), table.go and
// table_catalog.go (what a table is), then write.go (how a change is made
// durable) and one operation, write_put.go. The readers, read_query.go and
// read_page.go, come next. The other parts can then be read in any order.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/guard"
)

// Options tune an Engine. The zero value is usable.
type Options struct {
	// Now is the store's clock. Default time.Now.
	Now func() time.Time
	// FS is the file system. Default the operating system's; tests give
	// vfs.NewMem for memory only, or one that fails.
	FS vfs.FS
	// Keys encrypt the directory at rest. Default nil, not encrypted.
	Keys *atrest.Keys
	// CacheBytes bounds the block cache. Default 32 MB.
	CacheBytes int64
	// Reserve is how many bytes of the disk are left free: a write that
	// would leave less is refused before it starts, and one that only
	// removes when half of it is left. 0 means 64 MiB, negative none.
	Reserve int64
	// SweepEvery is the time between two looks for expired items and for
	// change records past their retention. Default one second; negative
	// turns the sweeper off, and only Sweep does its work.
	SweepEvery time.Duration
	// Region and Account appear in ARNs. Defaults us-east-1 and 000000000001.
	Region, Account string
	// Logger receives what happens in the background. Default slog.Default.
	Logger *slog.Logger
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Now == nil {
		out.Now = time.Now
	}
	if out.FS == nil {
		out.FS = vfs.Default
	}
	if out.CacheBytes == 0 {
		out.CacheBytes = 32 << 20
	}
	if out.SweepEvery == 0 {
		out.SweepEvery = time.Second
	}
	if out.Region == "" {
		out.Region = "us-east-1"
	}
	if out.Account == "" {
		out.Account = "000000000001"
	}
	if out.Logger == nil {
		out.Logger = slog.Default()
	}
	return out
}

// Engine is an open database. Its methods may be called from any number of
// goroutines.
type Engine struct {
	opts  Options
	lock  *pebble.Lock
	store *guard.Store
	locks stripes
	// editions say what was written since somebody read it.
	editions editions

	// What follows belongs to one opening of the store, and is read anew when
	// it is opened again after a fault of the disk.
	db       *pebble.DB
	readOnly bool
	catalog  catalog
	backups  backups
	jobs     jobs
	workers  sync.WaitGroup

	// damages counts the rows that could be read and are not what was written.
	damages atomic.Int64

	// tokensTrimmed is the minute in which request tokens were last trimmed.
	tokensTrimmed atomic.Int64

	stop    chan struct{}
	sweeper sync.WaitGroup
	closed  atomic.Bool
}

// ErrHeld says that another process has the directory open.
var ErrHeld = errors.New("the data directory is held by another process")

// Open opens or creates the database in dir. One process at a time may have
// a directory open; another gets ErrHeld.
func Open(dir string, o *Options) (*Engine, error) {
	opts := o.withDefaults()
	if err := opts.FS.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create data directory: %w", err)
	}
	lock, err := pebble.LockDirectory(dir, opts.FS)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (%w)", dir, ErrHeld, err)
	}
	fs, err := atrest.Open(opts.FS, dir, opts.Keys)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	e := &Engine{opts: opts, lock: lock, stop: make(chan struct{})}
	_, err = guard.Open(dir, guard.Options{
		FS: fs, Lock: lock, Pebble: e.pebbleOptions, Load: e.load, Stop: e.workers.Wait,
		Reserve: opts.Reserve, Logger: opts.Logger,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", dir, err), lock.Close())
	}
	if opts.SweepEvery > 0 {
		e.sweeper.Go(e.sweepLoop)
	}
	return e, nil
}

func (e *Engine) pebbleOptions() *pebble.Options {
	o := &pebble.Options{
		CacheSize:                   e.opts.CacheBytes,
		MemTableSize:                8 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       24,
		MaxOpenFiles:                1000,
		FormatMajorVersion:          pebble.FormatNewest,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return o
}

// load reads what the engine keeps in memory from a store that was opened,
// for the first time or again, and goes on with what was left undone.
func (e *Engine) load(s *guard.Store, db *pebble.DB, readOnly bool) error {
	if e.store == nil { // others may be reading it
		e.store = s
	}
	e.db, e.readOnly = db, readOnly
	e.editions.countAll() // what was not acknowledged may be gone
	for _, part := range []func() error{e.checkFormat, e.loadCatalog, e.loadBackups, e.loadCounts, e.loadJobs} {
		if err := part(); err != nil {
			return err
		}
	}
	if !readOnly {
		e.resumeBackfills()
		e.resumeRestores()
		e.resumeJobs()
	}
	return nil
}

// background runs fn until it returns, before the store is closed or opened
// again. fn asks goOn whether to go on.
func (e *Engine) background(fn func()) { e.workers.Go(fn) }

// Close stops the background work, waits for the operations under way and
// closes the store.
func (e *Engine) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	close(e.stop)
	e.sweeper.Wait()
	err := e.store.Close(func() error {
		// Flushing now saves the next Open from reading the log again.
		return errors.Join(e.saveCounts(), e.db.Flush())
	})
	return errors.Join(err, e.lock.Close())
}

// Healthy returns nil, or why the store refuses writes. It takes them again
// by itself when the disk does.
func (e *Engine) Healthy() error {
	if err := e.store.Err(); err != nil {
		return err
	}
	return e.store.Room(0, false)
}

// Damages returns a number that grows whenever a read or background work meets
// damaged data. It starts at 0 with each Open.
func (e *Engine) Damages() int64 { return e.store.Damages() + e.damages.Load() }

// enter begins an operation, which e.store.Leave ends. It refuses one on a
// closed or failed store, and one whose caller has gone.
func (e *Engine) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.closed.Load() {
		return errClosed
	}
	return e.store.Enter()
}

var errClosed = errors.New("the database is closed")

func (e *Engine) now() time.Time { return e.opts.Now() }
