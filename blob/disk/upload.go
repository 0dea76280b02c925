package disk

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/blob/checksum"
	"pressroom/blob/fault"
)

// An UploadID names a multipart upload. Ids sort by when the upload began.
type UploadID [16]byte

// String returns the id as clients see it.
func (id UploadID) String() string { return hex.EncodeToString(id[:]) }

// ParseUploadID reads what String wrote, or answers NoSuchUpload.
func ParseUploadID(text string) (id UploadID, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return id, fault.NoSuchUpload.With("UploadId", text)
	}
	return UploadID(b), nil
}

// CreateUpload begins an upload of o.Key with o's attributes, of which
// Sum.Algorithm and Sum.Type say what checksum the object is to have.
func (s *Store) CreateUpload(bucketName string, o *Object) (UploadID, error) {
	var id UploadID
	if err := s.enter(); err != nil {
		return id, err
	}
	defer s.leave()
	if err := validKey(o.Key); err != nil {
		return id, err
	}
	if err := s.room(0); err != nil {
		return id, err
	}
	b, err := s.hold(bucketName)
	if err != nil {
		return id, err
	}
	defer b.mu.RUnlock()
	seq, err := s.nextSeq()
	if err != nil {
		return id, err
	}
	binary.BigEndian.PutUint64(id[:], seq)
	rand.Read(id[8:])
	o = o.clone()
	o.Modified = s.now()
	batch := s.db.NewBatch()
	batch.Set(uploadRow(b.rec.ID, o.Key, id), o.encode(), nil)
	return id, s.commit(batch)
}

// Upload returns the attributes of an upload under way, with Modified the
// time it began, or NoSuchUpload.
func (s *Store) Upload(bucketName, key, uploadID string) (*Object, error) {
	rec, err := s.enterRecord(bucketName)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	return s.upload(rec, key, uploadID)
}

func (s *Store) upload(rec *Bucket, key, uploadID string) (*Object, error) {
	id, err := ParseUploadID(uploadID)
	if err != nil {
		return nil, err
	}
	v, ok, err := s.get(uploadRow(rec.ID, key, id))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.NoSuchUpload.With("UploadId", uploadID)
	}
	o, err := decodeObject(v)
	if err != nil {
		return nil, err
	}
	o.Key, o.Upload = key, id
	return o, nil
}

// PutPart makes st part n of an upload, replacing any earlier one, and returns
// the part. It takes st over, which must have been staged as a file and with
// the checksum that PartAlgorithm names.
func (s *Store) PutPart(ctx context.Context, bucketName, key, uploadID string, n int, st *Staged) (*Object, error) {
	defer st.Discard()
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
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
	defer s.uploads.lock(0, uploadID).Unlock()
	u, err := s.upload(b.rec, key, uploadID)
	if err != nil {
		return nil, err
	}
	a := u.PartAlgorithm()
	part := &Object{
		Parts: n, Size: st.Size, ETag: hex.EncodeToString(st.MD5[:]), Modified: s.now(), body: st.body,
		Sum: Sum{Algorithm: a, Value: base64.StdEncoding.EncodeToString(st.Sums[a])},
	}
	batch := s.db.NewBatch()
	scraps, err := s.dropPart(batch, partRow(u.Upload, n))
	if err != nil {
		return nil, err
	}
	batch.Set(partRow(u.Upload, n), part.encode(), nil)
	st.addTo(batch)
	if err := s.commit(batch); err != nil {
		return nil, err
	}
	st.keep()
	s.reap(scraps)
	return part, nil
}

// dropPart drops the bytes of the part in a row, if there is one.
func (s *Store) dropPart(batch *pebble.Batch, row []byte) ([]scrap, error) {
	v, ok, err := s.get(row)
	if err != nil || !ok {
		return nil, err
	}
	old, err := decodeObject(v)
	if err != nil {
		return nil, err
	}
	return s.dropObject(batch, old)
}

// ListParts returns up to limit parts of an upload with numbers above after,
// whether there are more, and the upload.
func (s *Store) ListParts(bucketName, key, uploadID string, after, limit int) (parts []*Object, more bool, u *Object, err error) {
	u, err = s.Upload(bucketName, key, uploadID)
	if err != nil {
		return nil, false, nil, err
	}
	if err := s.enter(); err != nil {
		return nil, false, nil, err
	}
	defer s.leave()
	if after >= MaxPart {
		return nil, false, u, nil
	}
	prefix := partRows(u.Upload)
	err = s.scan(partRow(u.Upload, after+1), successor(prefix), func(_, value []byte) error {
		if len(parts) == limit {
			more = true
			return errStop
		}
		p, err := decodeObject(value)
		parts = append(parts, p)
		return err
	})
	return parts, more, u, stopped(err)
}

// AbortUpload ends an upload and removes its parts. check may be nil.
func (s *Store) AbortUpload(bucketName, key, uploadID string, check Check) error {
	b, err := s.enterBucket(bucketName)
	if err != nil {
		return err
	}
	defer s.leaveBucket(b)
	defer s.uploads.lock(0, uploadID).Unlock()
	u, err := s.upload(b.rec, key, uploadID)
	if err != nil {
		return err
	}
	if check != nil {
		if err := check(u); err != nil {
			return err
		}
	}
	batch := s.db.NewBatch()
	scraps, err := s.dropUpload(batch, uploadRow(b.rec.ID, key, u.Upload), u.Upload)
	if err != nil {
		return err
	}
	if err := s.remove(batch); err != nil {
		return err
	}
	s.reap(scraps)
	return nil
}

// dropUpload adds the removal of an upload and of all its parts.
func (s *Store) dropUpload(batch *pebble.Batch, row []byte, id UploadID) (scraps []scrap, err error) {
	batch.Delete(row, nil)
	prefix := partRows(id)
	err = s.rows(prefix, func(_, value []byte) error {
		p, err := decodeObject(value)
		if err != nil {
			return err
		}
		sc, err := s.dropObject(batch, p)
		scraps = append(scraps, sc...)
		return err
	})
	batch.DeleteRange(prefix, successor(prefix), nil)
	return scraps, err
}

// PartAlgorithm is the checksum that the parts of an upload have: the
// upload's own, or one that the object's default checksum can be made of.
func (o *Object) PartAlgorithm() checksum.Algorithm {
	if o.Sum.Algorithm != "" {
		return o.Sum.Algorithm
	}
	return checksum.CRC64NVME
}
