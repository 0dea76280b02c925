package disk

import (
	"context"
	"encoding/binary"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/blob/fault"
)

// A Check decides whether a write may go on, given the version that a reader
// would get now, nil if none. It runs while no one else can write the key.
type Check func(current *Object) error

// PutObject makes st the current version of o.Key in the bucket, with o's
// attributes, and returns o with what the store added. When it returns, the
// object is durable. check may be nil.
//
// It takes st over: whether it fails or not, st is used up.
func (s *Store) PutObject(ctx context.Context, bucketName string, o *Object, st *Staged, check Check) (*Object, error) {
	defer st.Discard()
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	if err := validKey(o.Key); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := st.place(); err != nil {
		return nil, err
	}
	b, err := s.hold(bucketName)
	if err != nil {
		return nil, err
	}
	defer b.mu.RUnlock()
	defer s.keys.lock(b.rec.ID, o.Key).Unlock()

	o = o.clone()
	o.Size = st.Size
	o.body = st.body
	batch := s.db.NewBatchWithSize(len(st.inline) + 1024)
	scraps, err := s.supersede(batch, b.rec, o, check)
	if err != nil {
		return nil, err
	}
	st.addTo(batch)
	if err := s.commit(batch); err != nil {
		return nil, err
	}
	st.keep()
	s.reap(scraps)
	return o, nil
}

// addTo adds the rows that own the placed bytes.
func (st *Staged) addTo(batch *pebble.Batch) {
	switch st.body.Kind {
	case bodyInline:
		batch.Set(dataRow(st.body.ID), st.inline, nil)
	case bodyFile:
		batch.Set(fileRow(spaceLive, st.body.File), nil, nil)
	}
}

// supersede adds to the batch that o is now its key's current version: the
// heart of every write. It numbers and dates o, and drops what o replaces by
// the bucket's versioning. The key is locked.
func (s *Store) supersede(batch *pebble.Batch, rec *Bucket, o *Object, check Check) ([]scrap, error) {
	cur, err := s.latest(rec.ID, o.Key)
	if err != nil {
		return nil, err
	}
	if check != nil {
		visible := cur
		if cur != nil && cur.Marker {
			visible = nil
		}
		if err := check(visible); err != nil {
			return nil, err
		}
	}
	if o.Seq, err = s.nextSeq(); err != nil {
		return nil, err
	}
	o.Modified = s.now()
	o.Null = rec.Versioning != Enabled
	o.Latest = true
	if rec.Lock != nil && rec.Lock.Mode != "" && o.Lock.Mode == "" && !o.Marker {
		o.Lock.Mode, o.Lock.Until = rec.Lock.Mode, rec.Lock.until(o.Modified)
	}

	var scraps []scrap
	if o.Null {
		old := cur
		if rec.Versioning == Suspended {
			if old, err = s.nullVersion(rec.ID, o.Key); err != nil {
				return nil, err
			}
			batch.Set(nullRow(rec.ID, o.Key), binary.BigEndian.AppendUint64(nil, o.Seq), nil)
		}
		if old != nil {
			batch.Delete(objectRow(rec.ID, o.Key, old.Seq), nil)
			if scraps, err = s.dropObject(batch, old); err != nil {
				return nil, err
			}
		}
	}
	batch.Set(objectRow(rec.ID, o.Key, o.Seq), o.encode(), nil)
	return scraps, nil
}

func validKey(key string) error {
	switch {
	case len(key) > MaxKey:
		return fault.KeyTooLong.With("Size", itoa(len(key))).With("MaxSizeAllowed", itoa(MaxKey))
	case key == "" || !utf8.ValidString(key):
		return fault.InvalidURI
	}
	return nil
}

// SetTags replaces the tags of one version ("" is the current one) and
// returns that version.
func (s *Store) SetTags(bucketName, key, version string, tags Pairs) (*Object, error) {
	return s.amend(bucketName, key, version, func(o *Object) error {
		o.Tags = tags
		return nil
	})
}

// amend rewrites the record of a version in place.
func (s *Store) amend(bucketName, key, version string, change func(*Object) error) (*Object, error) {
	b, err := s.enterBucket(bucketName)
	if err != nil {
		return nil, err
	}
	defer s.leaveBucket(b)
	defer s.keys.lock(b.rec.ID, key).Unlock()
	o, err := s.lookup(b.rec, key, version)
	if err != nil {
		return nil, err
	}
	if err := change(o); err != nil {
		return nil, err
	}
	batch := s.db.NewBatch()
	batch.Set(objectRow(b.rec.ID, key, o.Seq), o.encode(), nil)
	return o, s.commit(batch)
}
