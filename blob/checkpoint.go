package blob

import (
	"context"
	"time"

	"pressroom/blob/disk"
)

// Checkpoint puts a copy of the store, as it is at one moment during the call,
// into dir, which must not exist and should be on the same disk. While during
// runs, if it is not nil, no object changes, and the copy shows that state: so a
// copy of another store that during makes is of the same moment. Writers wait
// for during, readers do not. Open opens the copy.
func (s *Store) Checkpoint(dir string, during func() error) error {
	return s.disk.Checkpoint(dir, during)
}

// Rewound is what Rewind did to a bucket.
type Rewound = disk.Rewound

// Rewind sets all buckets back to the end of a second, as far as old versions
// are kept; see [disk.Store.Rewind].
func (s *Store) Rewind(ctx context.Context, at time.Time, report func(Rewound)) error {
	return s.disk.Rewind(ctx, at, report)
}

// Problem is something that Verify found wrong.
type Problem = disk.Problem

// Verify reads every object and reports what is damaged or missing.
func (s *Store) Verify(ctx context.Context, report func(Problem)) error {
	return s.disk.Verify(ctx, report)
}

// Usage is what a bucket holds.
type Usage = disk.Usage

// Usage counts what every bucket holds, by reading all records.
func (s *Store) Usage(ctx context.Context) ([]Usage, error) { return s.disk.Usage(ctx) }

// Healthy returns nil, or the failure after which the store takes no writes
// until it is opened again.
func (s *Store) Healthy() error { return s.disk.Healthy() }

// Damages returns a number that grows whenever a read or background work meets a
// damaged object or record. It starts at 0 with each Open.
func (s *Store) Damages() int64 { return s.disk.Damages() }

// Free returns how many bytes of the disk are free beyond the reserve, and
// false if the file system cannot tell.
func (s *Store) Free() (int64, bool) { return s.disk.Free() }
