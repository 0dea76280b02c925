package dynamo

import (
	"context"
	"time"

	"pressroom/dynamo/engine"
)

// Checkpoint puts a copy of the database, as it is at one moment during the
// call, into dir, which must not exist and should be on the same disk. Writers
// go on; what was answered before the call is in the copy. Open opens it.
func (db *DB) Checkpoint(dir string) error { return db.engine.Checkpoint(dir) }

// Rewound is what Rewind did to a table.
type Rewound = engine.Rewound

// Rewind sets all tables back to what they were at the end of a second, in
// place, from the log that point-in-time recovery keeps. See
// [engine.Engine.Rewind] for what makes it refuse.
func (db *DB) Rewind(ctx context.Context, at time.Time, partial bool, report func(Rewound)) error {
	return db.engine.Rewind(ctx, at, partial, report)
}

// Problem is something that Verify found wrong.
type Problem = engine.Problem

// Verify reads everything and reports what contradicts; see
// [engine.Engine.Verify].
func (db *DB) Verify(ctx context.Context, report func(Problem)) error {
	return db.engine.Verify(ctx, report)
}

// DiskUsage returns how many bytes the database takes on disk.
func (db *DB) DiskUsage() int64 { return db.engine.DiskUsage() }

// Format is the version of the layout on disk that this program writes, and
// the highest that it reads.
const Format = engine.LayoutFormat
