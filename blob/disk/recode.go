package disk

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/blob/fault"
)

// copied is a second copy of an object's bytes, compressed or not, that
// belongs to no object yet.
type copied struct {
	body   Body
	staged []*Staged
	parts  []*Object // of a segmented body, one for each staged
}

// recode copies the bytes of h for a storage class, segment by segment.
func (s *Store) recode(ctx context.Context, h *Handle, class string) (*copied, error) {
	c := new(copied)
	if h.source.Kind != bodySegments {
		st, err := s.restage(ctx, h, 0, h.Size, class, h.source.Kind == bodyFile)
		if err != nil {
			return nil, err
		}
		c.staged = append(c.staged, st)
		c.body = st.body
		return c, nil
	}
	id, err := s.nextSeq()
	if err != nil {
		return nil, err
	}
	c.body = Body{ID: id, Kind: bodySegments, Cold: Archive(class)}
	parts, _, err := h.partsOf(0, MaxPart)
	if err != nil {
		return nil, err
	}
	var off int64
	for _, p := range parts {
		st, err := s.restage(ctx, h, off, p.Size, class, true)
		if err != nil {
			c.discard()
			return nil, err
		}
		off += p.Size
		p.body = st.body
		c.body.Stored += st.stored
		c.staged = append(c.staged, st)
		c.parts = append(c.parts, p)
	}
	return c, nil
}

func (s *Store) restage(ctx context.Context, h *Handle, off, n int64, class string, file bool) (*Staged, error) {
	id, err := s.nextSeq()
	if err != nil {
		return nil, err
	}
	r := h.reader(off, n)
	defer r.Close()
	st, err := s.stage(ctx, patientReader{s, r}, StageOptions{Size: n, Class: class, File: file}, id)
	if err != nil {
		return nil, err
	}
	if err := st.place(); err != nil {
		st.discard()
		return nil, err
	}
	return st, nil
}

// patientReader ends when the store is to be opened again, for which long work
// must make way.
type patientReader struct {
	s *Store
	r io.Reader
}

func (p patientReader) Read(b []byte) (int, error) {
	if err := p.s.meta.GoOn(); err != nil {
		return 0, refused(err)
	}
	return p.r.Read(b)
}

func (c *copied) addTo(batch *pebble.Batch) {
	var end int64
	for i, st := range c.staged {
		st.addTo(batch)
		if c.parts != nil {
			end += c.parts[i].Size
			batch.Set(segmentRow(c.body.ID, end, c.parts[i].Parts), c.parts[i].encode(), nil)
		}
	}
}

func (c *copied) keep() {
	for _, st := range c.staged {
		st.keep()
	}
}

func (c *copied) discard() {
	for _, st := range c.staged {
		st.discard()
	}
}

// replace commits a change of one version's bytes: change gets the record and
// the copy, and returns the body that is no longer wanted. The version must
// still have the bytes that were copied; if not, nothing happens.
func (s *Store) replace(bucketName string, h *Handle, c *copied, change func(o *Object) (old Body)) (*Object, error) {
	b, err := s.hold(bucketName)
	if err != nil {
		return nil, err
	}
	defer b.mu.RUnlock()
	defer s.keys.lock(b.rec.ID, h.Key).Unlock()
	o, err := s.bySeq(b.rec.ID, h.Key, h.Seq)
	if err != nil {
		return nil, err
	}
	if o == nil || o.body.ID != h.body.ID || o.hot.ID != h.hot.ID {
		return nil, fault.NoSuchVersion.With("Key", h.Key).With("VersionId", h.VersionID())
	}
	batch := s.db.NewBatch()
	var scraps []scrap
	if old := change(o); old.Kind != bodyEmpty {
		sc, err := s.dropBody(batch, old)
		if err != nil {
			return nil, err
		}
		scraps = append(scraps, sc)
	}
	if c != nil {
		c.addTo(batch)
	}
	batch.Set(objectRow(b.rec.ID, o.Key, o.Seq), o.encode(), nil)
	if o.Restored() {
		batch.Set(restoreRow(b.rec.ID, o.Key, o.Seq), nil, nil)
	}
	if err := s.commit(batch); err != nil {
		return nil, err
	}
	if c != nil {
		c.keep()
	}
	s.reap(scraps)
	return o, nil
}

// Transition moves a version to another storage class.
func (s *Store) Transition(ctx context.Context, bucketName, key, version, class string) error {
	h, err := s.Open(bucketName, key, version)
	if err != nil {
		return err
	}
	defer h.Close()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if Archive(h.Class) == Archive(class) || h.Size == 0 {
		_, err := s.replace(bucketName, h, nil, func(o *Object) Body {
			o.Class = class
			return Body{}
		})
		return err
	}
	c, err := s.recode(ctx, h, class)
	if err != nil {
		return err
	}
	defer c.discard()
	_, err = s.replace(bucketName, h, c, func(o *Object) Body {
		old := o.body
		o.Class, o.body = class, c.body
		return old
	})
	return err
}

// Restore makes an archived version readable for a number of days, counted to
// the next midnight UTC as S3 does. If it is readable already, only the days
// change, and fresh is false. Other storage classes answer InvalidObjectState.
func (s *Store) Restore(ctx context.Context, bucketName, key, version string, days int) (o *Object, fresh bool, err error) {
	h, err := s.Open(bucketName, key, version)
	if err != nil {
		return nil, false, err
	}
	defer h.Close()
	if !Archive(h.Class) {
		return nil, false, fault.RestoreNotArchived
	}
	if err := s.enter(); err != nil {
		return nil, false, err
	}
	defer s.leave()
	until := Midnight(s.now().AddDate(0, 0, days))
	var c *copied
	if h.Archived() {
		if c, err = s.recode(ctx, h, ""); err != nil {
			return nil, false, err
		}
		defer c.discard()
	}
	fresh = !h.Restored()
	o, err = s.replace(bucketName, h, c, func(o *Object) Body {
		o.RestoredUntil = until
		if c != nil {
			o.hot = c.body
		}
		return Body{}
	})
	return o, fresh, err
}

// endRestores drops the readable copies in a bucket whose time is over.
func (s *Store) endRestores(rec *Bucket, now time.Time) (ended int, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.leave()
	type version struct {
		key string
		seq uint64
	}
	var list []version
	err = s.rows(bucketRows(spaceRestore, rec.ID), func(row, _ []byte) error {
		key, rest := splitRow(row)
		list = append(list, version{key, ^binary.BigEndian.Uint64(rest)})
		return nil
	})
	for _, v := range list {
		done, e := s.endRestore(rec.Name, v.key, v.seq, now)
		if done {
			ended++
		}
		err = errors.Join(err, e)
	}
	return ended, err
}

// endRestore drops the readable copy of one version if its time is over, or
// merely its row if the version has none any more.
func (s *Store) endRestore(bucketName, key string, seq uint64, now time.Time) (bool, error) {
	b, err := s.hold(bucketName)
	if err != nil {
		return false, err
	}
	defer b.mu.RUnlock()
	defer s.keys.lock(b.rec.ID, key).Unlock()
	o, err := s.bySeq(b.rec.ID, key, seq)
	if err != nil {
		return false, err
	}
	if o != nil && o.RestoredUntil.After(now) {
		return false, nil
	}
	batch := s.db.NewBatch()
	batch.Delete(restoreRow(b.rec.ID, key, seq), nil)
	var scraps []scrap
	ended := o != nil && o.Restored()
	if ended {
		sc, err := s.dropBody(batch, o.hot)
		if err != nil {
			return false, err
		}
		scraps = append(scraps, sc)
		o.hot, o.RestoredUntil = Body{}, time.Time{}
		batch.Set(objectRow(b.rec.ID, key, seq), o.encode(), nil)
	}
	if err := s.remove(batch); err != nil {
		return false, err
	}
	s.reap(scraps)
	return ended, nil
}

// Midnight returns the first midnight UTC at or after t.
func Midnight(t time.Time) time.Time {
	day := t.UTC().Truncate(24 * time.Hour)
	if day.Before(t) {
		day = day.Add(24 * time.Hour)
	}
	return day
}
