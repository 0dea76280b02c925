package disk

import (
	"context"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/blob/fault"
)

// A Deletion names what to delete: a version, or with Version "" whatever the
// bucket's versioning makes of deleting the key.
type Deletion struct {
	Key     string
	Version string
	Check   Check // may be nil; sees the version that is to go
	Bypass  bool  // retention of governance does not matter

	rewinding bool // locks do not matter: the version was not there yet
}

// Deleted says what became of one deletion.
type Deleted struct {
	Marker  bool   // a delete marker was made, or the version that went was one
	Version string // of that marker, or of the version that went; "" in an unversioned bucket
	Err     error
}

// DeleteObjects carries out deletions in order and returns one result for
// each. All share one sync; when it returns nil, those without Err are durable.
func (s *Store) DeleteObjects(ctx context.Context, bucketName string, list []Deletion) ([]Deleted, error) {
	b, err := s.enterBucket(bucketName)
	if err != nil {
		return nil, err
	}
	defer s.leaveBucket(b)
	out := make([]Deleted, len(list))
	var scraps []scrap
	for i, d := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var sc []scrap
		out[i], sc = s.deleteOne(b.rec, d)
		scraps = append(scraps, sc...)
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	s.reap(scraps)
	return out, nil
}

// deleteOne applies one deletion, without sync.
func (s *Store) deleteOne(rec *Bucket, d Deletion) (Deleted, []scrap) {
	if err := validKey(d.Key); err != nil {
		return Deleted{Err: err}, nil
	}
	defer s.keys.lock(rec.ID, d.Key).Unlock()
	batch := s.db.NewBatch()
	var (
		done   Deleted
		scraps []scrap
		err    error
	)
	if d.Version != "" {
		done, scraps, err = s.deleteVersion(batch, rec, d)
	} else if rec.Versioning == Unversioned {
		scraps, err = s.deleteKey(batch, rec, d)
	} else {
		marker := &Object{Key: d.Key, Marker: true}
		scraps, err = s.supersede(batch, rec, marker, d.Check)
		done = Deleted{Marker: true, Version: marker.VersionID()}
	}
	if err == nil {
		err = s.apply(batch, noSync, true)
	}
	if err != nil {
		return Deleted{Err: err}, nil
	}
	return done, scraps
}

// deleteKey removes the only version of a key; none is fine.
func (s *Store) deleteKey(batch *pebble.Batch, rec *Bucket, d Deletion) ([]scrap, error) {
	o, err := s.latest(rec.ID, d.Key)
	if err != nil {
		return nil, err
	}
	if d.Check != nil {
		if err := d.Check(o); err != nil {
			return nil, err
		}
	}
	if o == nil {
		return nil, nil
	}
	return s.dropVersion(batch, rec, o)
}

// deleteVersion removes one version for good; none is fine.
func (s *Store) deleteVersion(batch *pebble.Batch, rec *Bucket, d Deletion) (Deleted, []scrap, error) {
	o, err := s.version(rec, d.Key, d.Version)
	if err != nil && !isNoSuch(err) {
		return Deleted{}, nil, err
	}
	if d.Check != nil {
		if err := d.Check(o); err != nil {
			return Deleted{}, nil, err
		}
	}
	done := Deleted{Version: d.Version}
	if o == nil {
		return done, nil, nil
	}
	if err := o.Lock.protects(s.now(), d.Bypass); err != nil && !d.rewinding {
		return Deleted{}, nil, err
	}
	done.Marker = o.Marker
	scraps, err := s.dropVersion(batch, rec, o)
	return done, scraps, err
}

func (s *Store) dropVersion(batch *pebble.Batch, rec *Bucket, o *Object) ([]scrap, error) {
	batch.Delete(objectRow(rec.ID, o.Key, o.Seq), nil)
	if o.Null {
		batch.Delete(nullRow(rec.ID, o.Key), nil)
	}
	return s.dropObject(batch, o)
}

func isNoSuch(err error) bool {
	e := fault.From(err)
	return e.Code == fault.NoSuchVersion.Code || e.Code == fault.NoSuchKey.Code
}
