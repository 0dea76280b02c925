// Package blob is S3, embedded: buckets and objects on a local directory,
// served as an [http.Handler], and, in process, to the AWS SDK's own client.
// Code written for Amazon S3 runs on it unchanged, and the other way round.
//
//	store, err := blob.Open("data", nil)
//	client := blob.Client(store) // *s3.Client, without a socket
//	http.Serve(l, store.Handler())
//
// It promises that what it acknowledged survives kill -9 and power loss, that
// no half object is ever seen, and that no key names a file of the machine.
//
// To read on: blob/wire speaks HTTP and XML, blob/disk keeps buckets and
// objects, blob/lifecycle and blob/policy hold rules, blob/checksum and
// blob/fault are S3's checksums and errors. blob/blobtest is the conformance
// suite, which also runs against any other S3.
package blob

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/blob/disk"
	"pressroom/blob/wire"
)

// Options adjust a store. The zero value, and nil, are usable.
type Options struct {
	// Now is the store's clock; nil means time.Now. Lifecycle rules, dates
	// and the age of signatures follow it.
	Now func() time.Time

	// FS is where the directory lives; nil means the disk. With
	// vfs.NewMem() everything is kept in memory.
	FS vfs.FS

	// Keys encrypt all that is written; nil means no encryption. A
	// directory is encrypted from its beginning or not at all.
	Keys *atrest.Keys

	// Credentials map access key ids to secrets. If there are none, only
	// programs on this machine are served, no web pages, and no signature is
	// checked; the in-process client needs none either way.
	Credentials map[string]string

	// Region is the region that the store is in. "" accepts any region in
	// signatures and location constraints.
	Region string

	// Domains are the host names whose subdomains are buckets (virtual-host
	// style); nil means localhost and the names that local programs use, see
	// wire.DefaultDomains.
	Domains []string

	// InlineLimit is the largest object in bytes that is kept in the metadata
	// database, where small objects share syncs; 0 means 64 KiB, negative
	// none, and never more than 127 KiB.
	InlineLimit int

	// MinPartSize is the least that a part of a multipart upload other than
	// the last may have; 0 means S3's 5 MiB.
	MinPartSize int64

	// Reserve is how many bytes of the disk are left free; writes beyond
	// answer InsufficientStorage. 0 means 64 MiB, negative none.
	Reserve int64

	// SweepEvery is how often lifecycle rules are carried out; 0 means every
	// hour, negative never: then call Sweep.
	SweepEvery time.Duration

	// Log receives what an operator should know; nil means slog.Default.
	Log *slog.Logger
}

// A Store is an open blob store. It may be used from many goroutines.
type Store struct {
	disk    *disk.Store
	handler *wire.Handler
	opt     Options
	owner   string

	stop context.CancelFunc
	done sync.WaitGroup
}

// Open opens the store in dir, creating it if need be. Only one process may
// have it open. What a crash left behind is cleared before Open returns.
func Open(dir string, o *Options) (*Store, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	if opt.FS == nil {
		opt.FS = vfs.Default
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	fs, err := atrest.Open(opt.FS, dir, opt.Keys)
	if err != nil {
		return nil, fmt.Errorf("open blob store %s: %w", dir, err)
	}
	d, err := disk.Open(dir, disk.Options{
		Now: opt.Now, FS: fs, InlineLimit: opt.InlineLimit, MinPartSize: opt.MinPartSize, Reserve: opt.Reserve, Log: opt.Log,
	})
	if err != nil {
		return nil, err
	}
	s := &Store{disk: d, opt: opt, owner: ownerOf(opt.Credentials)}
	s.handler = wire.New(d, wire.Options{
		Secret: s.secrets(), Owner: s.owner, Region: opt.Region, Domains: opt.Domains,
		Encrypted: opt.Keys != nil, Log: opt.Log,
	})
	s.startSweeping()
	return s, nil
}

// ownerOf names the owner of all buckets: the first access key, if any.
func ownerOf(credentials map[string]string) string {
	owner := ""
	for id := range credentials {
		if owner == "" || id < owner {
			owner = id
		}
	}
	if owner == "" {
		return "pressroom"
	}
	return owner
}

func (s *Store) secrets() func(string) (string, bool) {
	if len(s.opt.Credentials) == 0 {
		return nil
	}
	return func(id string) (string, bool) {
		secret, ok := s.opt.Credentials[id]
		return secret, ok
	}
}

// Handler returns the S3 endpoint. It must see request paths as they came:
// mount it directly, or behind a handler that does not clean them.
func (s *Store) Handler() http.Handler { return s.handler }

// Owner returns the id of the owner of all buckets, as S3 answers show it.
func (s *Store) Owner() string { return s.owner }

// NeedsLoopback reports whether only this machine may be served, because there
// are no credentials. A server must then not listen on other addresses.
func (s *Store) NeedsLoopback() bool { return len(s.opt.Credentials) == 0 }

// Swept counts what a sweep did.
type Swept = disk.Swept

// Sweep carries out the lifecycle rules of all buckets now, by the store's
// clock.
func (s *Store) Sweep(ctx context.Context) (Swept, error) { return s.disk.Sweep(ctx) }

// reclaimEvery is how often the disk is given back what deleted objects took.
const reclaimEvery = 30 * time.Second

func (s *Store) startSweeping() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() {
		s.loop(ctx, reclaimEvery, "blob: reclaim space", s.disk.Reclaim)
	})
	every := s.opt.SweepEvery
	if every < 0 {
		return
	}
	if every == 0 {
		every = time.Hour
	}
	s.done.Go(func() {
		s.loop(ctx, every, "blob lifecycle", func(ctx context.Context) error {
			_, err := s.Sweep(ctx)
			return err
		})
	})
}

// loop does something again and again until the store is closed.
func (s *Store) loop(ctx context.Context, every time.Duration, what string, do func(context.Context) error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := do(ctx); err != nil && ctx.Err() == nil {
				s.opt.Log.Error(what, "error", err)
			}
		}
	}
}

// Close waits for the requests under way and closes the store. It may be
// called more than once.
func (s *Store) Close() error {
	s.stop()
	s.done.Wait()
	return s.disk.Close()
}
