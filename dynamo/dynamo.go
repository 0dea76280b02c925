// Package dynamo is Amazon DynamoDB inside a Go program: durable, on local
// disk or in memory, with nothing to install.
//
// [Open] returns a [DB] with the method set of the AWS SDK's
// *dynamodb.Client: the same inputs, outputs and errors, without HTTP or
// JSON in between. Code that takes an [API] runs on either and cannot tell
// which it has; errors.As finds the SDK's error types, and the SDK's
// paginators, waiters and the packages attributevalue and expression work
// with a DB as they do with a client. What DynamoDB refuses is refused here,
// with its exception and its words.
//
// It promises that a write is on disk when its method returns, that a write
// is visible whole or not at all, and that every index equals its table at
// every moment.
//
// A few operations that only make sense in the cloud (global tables, import
// from S3, ...) answer UnknownOperationException; [Unsupported] lists them.
//
// dynamo/wire serves a DB over HTTP to programs in any language;
// dynamo/engine is the database itself. Read this file first, then getitem.go
// for how an operation passes through, and errors.go for how it fails.
package dynamo

import (
	"context"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/dynamo/engine"
)

// Options tune a DB. The zero value is usable.
type Options struct {
	// Memory keeps everything in memory; the directory is not touched, and
	// Close forgets all. Default false.
	Memory bool
	// Now is the store's clock, by which items expire and recovery counts.
	// Default time.Now.
	Now func() time.Time
	// FS is the file system. Default the operating system's. Memory wins.
	FS vfs.FS
	// Keys encrypt the directory at rest. Default nil, not encrypted.
	Keys *atrest.Keys
	// CacheBytes bounds the cache of blocks read. Default 32 MB.
	CacheBytes int64
	// Reserve is how many bytes of the disk are left free: a write that
	// would leave less is refused before it starts, and one that only
	// removes when half of it is left. 0 means 64 MiB, negative none.
	Reserve int64
	// SweepEvery is the time between two looks for expired items. Default
	// one second; negative turns them off.
	SweepEvery time.Duration
	// Region and Account appear in ARNs. Defaults us-east-1 and
	// 000000000001.
	Region, Account string
	// Logger receives what happens in the background. Default slog.Default.
	Logger *slog.Logger
}

func (o *Options) engine() *engine.Options {
	if o == nil {
		return nil
	}
	out := &engine.Options{
		Now: o.Now, FS: o.FS, Keys: o.Keys, CacheBytes: o.CacheBytes, Reserve: o.Reserve,
		SweepEvery: o.SweepEvery, Region: o.Region, Account: o.Account, Logger: o.Logger,
	}
	if o.Memory {
		out.FS = vfs.NewMem()
	}
	return out
}

// DB is an open database. Its methods may be called from any number of
// goroutines. The optFns of the SDK's methods are accepted and have no
// effect: there is no request that they could change.
type DB struct {
	engine *engine.Engine
	region string
}

// ErrHeld says that another process has the directory open.
var ErrHeld = engine.ErrHeld

// Open opens or creates the database in dir; nil options mean the defaults.
// One process at a time may have a directory open, another gets [ErrHeld].
// The caller closes the DB.
func Open(dir string, o *Options) (*DB, error) {
	e, err := engine.Open(dir, o.engine())
	if err != nil {
		return nil, err
	}
	db := &DB{engine: e, region: "us-east-1"}
	if o != nil && o.Region != "" {
		db.region = o.Region
	}
	return db, nil
}

// OpenMemory opens a new, empty database in memory, for tests.
func OpenMemory(o *Options) (*DB, error) {
	opts := Options{}
	if o != nil {
		opts = *o
	}
	opts.Memory = true
	return Open("memory", &opts)
}

// Close ends the background work, waits for the operations under way and
// closes the store.
func (db *DB) Close() error { return db.engine.Close() }

// Healthy returns nil, or why the store refuses writes: the disk is full or
// failed. It takes them again by itself when the disk does.
func (db *DB) Healthy() error { return db.engine.Healthy() }

// Damages returns a number that grows whenever a read or background work meets
// damaged data. It starts at 0 with each Open.
func (db *DB) Damages() int64 { return db.engine.Damages() }

// Reading is what somebody has read of the tables; see [engine.Reading]. It has no
// name of its own, so that a package need not know this one to take a reading.
type Reading = interface {
	Holds() bool
	Join(ctx context.Context)
}

// Track returns a context; what is read with it is noted in the reading, which
// tells whoever keeps what they made of it whether all of that is still so.
func (db *DB) Track(ctx context.Context) (context.Context, Reading) {
	return db.engine.Track(ctx)
}

// Region is the region that the database says it is in.
func (db *DB) Region() string { return db.region }

// Engine is the database below the SDK's types, for dynamo/wire and for tools
// that maintain a store.
func (db *DB) Engine() *engine.Engine { return db.engine }
