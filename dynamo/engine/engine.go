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
// Read layout.go (what is stored where), catalog.go and table.go (what a
// table is), write.go (how a change is made durable), then one operation,
// putitem.go, and the readers, query.go and page.go.
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
	// SweepEvery is the time between two looks for expired items and for
	// change records past their retention. Default one second; negative
	// turns the sweeper off, and only Sweep does its work.
	SweepEvery time.Duration
	// Region and Account appear in ARNs. Defaults us-east-1 and 000000000000.
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
		out.Account = "000000000000"
	}
	if out.Logger == nil {
		out.Logger = slog.Default()
	}
	return out
}

// Engine is an open database. Its methods may be called from any number of
// goroutines.
type Engine struct {
	opts    Options
	db      *pebble.DB
	lock    *pebble.Lock
	guard   *guardFS
	locks   stripes
	catalog catalog
	backups backups
	// editions say what was written since somebody read it.
	editions editions

	// tokensTrimmed is the minute in which request tokens were last trimmed.
	tokensTrimmed atomic.Int64

	stop    chan struct{}
	workers sync.WaitGroup
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
	e := &Engine{opts: opts, lock: lock, guard: newGuardFS(fs), stop: make(chan struct{})}
	if e.db, err = pebble.Open(dir, e.pebbleOptions()); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", dir, err), lock.Close())
	}
	if err := e.start(); err != nil {
		return nil, errors.Join(err, e.db.Close(), lock.Close())
	}
	return e, nil
}

func (e *Engine) pebbleOptions() *pebble.Options {
	o := &pebble.Options{
		FS:                          e.guard,
		Lock:                        e.lock,
		CacheSize:                   e.opts.CacheBytes,
		MemTableSize:                8 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       24,
		MaxOpenFiles:                1000,
		FormatMajorVersion:          pebble.FormatNewest,
		Logger:                      pebbleLog{e.opts.Logger, e.guard},
		EventListener:               &pebble.EventListener{BackgroundError: e.guard.backgroundError},
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return o
}

func (e *Engine) start() error {
	if err := e.checkFormat(); err != nil {
		return err
	}
	if err := e.loadCatalog(); err != nil {
		return err
	}
	if err := e.loadBackups(); err != nil {
		return err
	}
	if err := e.loadCounts(); err != nil {
		return err
	}
	e.resumeBackfills()
	e.resumeRestores()
	if e.opts.SweepEvery > 0 {
		e.background(e.sweepLoop)
	}
	return nil
}

// background runs fn until it returns; Close waits for it after closing
// e.stop.
func (e *Engine) background(fn func()) {
	e.workers.Add(1)
	go func() {
		defer e.workers.Done()
		fn()
	}()
}

// Close stops the background work and closes the store. Operations that are
// under way must have ended.
func (e *Engine) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	close(e.stop)
	e.workers.Wait()
	var saveErr error
	if e.guard.failure() == nil {
		// Flushing now saves the next Open from reading the log again.
		saveErr = errors.Join(e.saveCounts(), e.db.Flush())
	}
	if e.guard.stuck.Load() {
		return fmt.Errorf("the store stopped, its directory stays locked until the program ends: %w", e.guard.failure())
	}
	return errors.Join(saveErr, e.db.Close(), e.lock.Close())
}

// Healthy returns nil, or the I/O error after which the store refuses all
// work until it is opened again.
func (e *Engine) Healthy() error { return e.guard.failure() }

// ready refuses work on a closed or failed store, and work whose caller has
// gone.
func (e *Engine) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.closed.Load() {
		return errClosed
	}
	if err := e.guard.failure(); err != nil {
		return internalError("the store stopped after an I/O error: %v; free space or mend the disk, then open it again", err)
	}
	return nil
}

var errClosed = errors.New("the database is closed")

func (e *Engine) now() time.Time { return e.opts.Now() }

// pebbleLog hands Pebble's messages to slog, its routine ones at debug level.
type pebbleLog struct {
	log   *slog.Logger
	guard *guardFS
}

func (l pebbleLog) Infof(format string, args ...any)  { l.log.Debug(fmt.Sprintf(format, args...)) }
func (l pebbleLog) Errorf(format string, args ...any) { l.log.Error(fmt.Sprintf(format, args...)) }

// Fatalf is called when Pebble cannot go on.
func (l pebbleLog) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	l.log.Error("storage cannot go on", "err", err)
	l.guard.fatal(err)
}
