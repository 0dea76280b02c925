package disk

import (
	"context"
	"fmt"
	"time"
)

// Rewound is what Rewind did to a bucket.
type Rewound struct {
	Bucket string
	// Removed is how many versions and delete markers went, because they were
	// made after the moment.
	Removed int
	// Newer is how many objects are newer than the moment and were left,
	// because what they replaced, if anything, was not kept.
	Newer int
	// Dropped says that the bucket did not exist at the moment. It was
	// emptied and deleted.
	Dropped bool
}

// Rewind sets all buckets back to the end of a second, by removing every
// version and delete marker that was made after it: what they hid shows again.
// That is exact for buckets with versioning, as far back as old versions are
// kept. Where there is no versioning, what was replaced or deleted is gone: such
// a bucket is left as it is, and objects newer than the moment are counted.
// Tags that were changed in place are not set back. Nobody else may write
// meanwhile.
func (s *Store) Rewind(ctx context.Context, at time.Time, report func(Rewound)) error {
	end := at.UTC().Truncate(time.Second).Add(time.Second)
	for _, b := range s.Buckets() {
		done, err := s.rewindBucket(ctx, b, end)
		if err != nil {
			return fmt.Errorf("rewind bucket %s: %w", b.Name, err)
		}
		report(done)
	}
	return nil
}

func (s *Store) rewindBucket(ctx context.Context, b *Bucket, end time.Time) (Rewound, error) {
	r := Rewound{Bucket: b.Name, Dropped: !b.Created.Before(end)}
	remove := r.Dropped || b.Versioning != Unversioned
	q := Query{Max: sweepPage}
	for {
		page, err := s.ListVersions(b.Name, q)
		if err != nil {
			return r, err
		}
		var late []Deletion
		for _, o := range page.Objects {
			switch {
			case o.Modified.Before(end):
			case !remove:
				r.Newer++
			case b.Versioning == Unversioned:
				late = append(late, Deletion{Key: o.Key})
			default:
				late = append(late, Deletion{Key: o.Key, Version: o.VersionID(), rewinding: true})
			}
		}
		if err := s.removeAll(ctx, b.Name, late); err != nil {
			return r, err
		}
		r.Removed += len(late)
		if !page.Truncated {
			break
		}
		q.After, q.AfterID = page.Next, page.NextID
	}
	if !r.Dropped {
		return r, nil
	}
	return r, s.DeleteBucket(b.Name)
}

func (s *Store) removeAll(ctx context.Context, bucket string, list []Deletion) error {
	if len(list) == 0 {
		return nil
	}
	done, err := s.DeleteObjects(ctx, bucket, list)
	if err != nil {
		return err
	}
	for _, d := range done {
		if d.Err != nil {
			return d.Err
		}
	}
	return nil
}
