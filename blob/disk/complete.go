package disk

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/blob/checksum"
	"pressroom/blob/fault"
)

// A Completion says what an upload is to become.
type Completion struct {
	Parts []CompletedPart

	// What the client claims of the whole; zero values claim nothing.
	Size int64 // -1 claims nothing
	Sum  Sum

	Check Check // as in PutObject; may be nil
}

// CompletedPart names a part as the client saw it.
type CompletedPart struct {
	Number int
	ETag   string // without quotes
	Sum    Sum    // compared if it is of the part's own algorithm
}

// CompleteUpload makes an object of the named parts of an upload and ends the
// upload. No bytes are copied: the parts' files become the object's. To
// complete an upload again that became the current object answers that object.
func (s *Store) CompleteUpload(ctx context.Context, bucketName, key, uploadID string, c Completion) (*Object, error) {
	b, err := s.enterBucket(bucketName)
	if err != nil {
		return nil, err
	}
	defer s.leaveBucket(b)
	defer s.keys.lock(b.rec.ID, key).Unlock()
	defer s.uploads.lock(0, uploadID).Unlock()
	u, err := s.upload(b.rec, key, uploadID)
	if err != nil {
		return s.completedBefore(b.rec, key, uploadID, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j := &join{s: s, u: u, c: c, batch: s.db.NewBatch()}
	o, err := j.object()
	if err != nil {
		return nil, err
	}
	scraps, err := s.supersede(j.batch, b.rec, o, c.Check)
	if err != nil {
		return nil, err
	}
	j.batch.Delete(uploadRow(b.rec.ID, key, u.Upload), nil)
	if err := s.commit(j.batch); err != nil {
		return nil, err
	}
	s.reap(append(scraps, j.scraps...))
	return o, nil
}

// completedBefore answers a repeated request, whose first answer got lost.
func (s *Store) completedBefore(rec *Bucket, key, uploadID string, noUpload error) (*Object, error) {
	if !errors.Is(noUpload, fault.NoSuchUpload) {
		return nil, noUpload
	}
	o, err := s.latest(rec.ID, key)
	if err != nil {
		return nil, err
	}
	if o == nil || o.Upload == (UploadID{}) || o.Upload.String() != uploadID {
		return nil, noUpload
	}
	return o, nil
}

// join makes one object of the parts of an upload.
type join struct {
	s      *Store
	u      *Object
	c      Completion
	batch  *pebble.Batch
	scraps []scrap

	o    *Object
	md5s []byte
	sums []checksum.Part
}

func (j *join) object() (*Object, error) {
	id, err := j.s.nextSeq()
	if err != nil {
		return nil, err
	}
	j.o = j.u.clone()
	j.o.Parts = len(j.c.Parts)
	j.o.body = Body{ID: id, Kind: bodySegments, Cold: Archive(j.u.Class)}
	if err := j.take(); err != nil {
		return nil, err
	}
	if j.c.Size >= 0 && j.c.Size != j.o.Size {
		return nil, fault.InvalidRequest.Say("The provided 'x-amz-mp-object-size' header value %d does not match what was computed: %d", j.c.Size, j.o.Size)
	}
	sum := md5.Sum(j.md5s)
	j.o.ETag = fmt.Sprintf("%s-%d", hex.EncodeToString(sum[:]), len(j.c.Parts))
	return j.o, j.checkSum()
}

// take moves the named parts to the object, in order, and drops the others.
func (j *join) take() error {
	for i := 1; i < len(j.c.Parts); i++ {
		if j.c.Parts[i].Number <= j.c.Parts[i-1].Number {
			return fault.InvalidPartOrder.With("UploadId", j.u.Upload.String())
		}
	}
	want := j.c.Parts
	prefix := partRows(j.u.Upload)
	err := j.s.rows(prefix, func(_, value []byte) error {
		p, err := decodeObject(value)
		if err != nil {
			return err
		}
		if len(want) == 0 || p.Parts < want[0].Number {
			sc, err := j.s.dropObject(j.batch, p)
			j.scraps = append(j.scraps, sc...)
			return err
		}
		if p.Parts > want[0].Number {
			return j.invalid(want[0])
		}
		last := len(want) == 1
		if err := j.add(p, want[0], last); err != nil {
			return err
		}
		want = want[1:]
		return nil
	})
	if err != nil {
		return err
	}
	if len(want) > 0 {
		return j.invalid(want[0])
	}
	j.batch.DeleteRange(prefix, successor(prefix), nil)
	return nil
}

func (j *join) invalid(p CompletedPart) error {
	return fault.InvalidPart.With("UploadId", j.u.Upload.String()).
		With("PartNumber", itoa(p.Number)).With("ETag", p.ETag)
}

// add appends one part.
func (j *join) add(p *Object, claim CompletedPart, last bool) error {
	if !strings.EqualFold(strings.Trim(claim.ETag, `"`), p.ETag) {
		return j.invalid(claim)
	}
	if claim.Sum.Algorithm == p.Sum.Algorithm && claim.Sum.Value != p.Sum.Value {
		return j.invalid(claim)
	}
	if !last && p.Size < j.s.opt.MinPartSize {
		return fault.EntityTooSmall.With("ProposedSize", fmt.Sprint(p.Size)).
			With("MinSizeAllowed", fmt.Sprint(j.s.opt.MinPartSize)).
			With("PartNumber", itoa(p.Parts)).With("ETag", p.ETag)
	}
	sum, err := hex.DecodeString(p.ETag)
	if err != nil {
		return errRecord
	}
	j.md5s = append(j.md5s, sum...)
	j.sums = append(j.sums, checksum.Part{Sum: decodeSum(p.Sum.Value), Size: p.Size})
	j.o.Size += p.Size
	if j.o.Size > MaxSize {
		return tooLarge(j.o.Size, MaxSize)
	}
	j.o.body.Stored += p.body.Stored
	j.batch.Set(segmentRow(j.o.body.ID, j.o.Size, p.Parts), p.encode(), nil)
	return nil
}

// checkSum computes the object's checksum from those of the parts, and
// compares it with the client's.
func (j *join) checkSum() error {
	a, t := j.u.Sum.Algorithm, j.u.Sum.Type
	if a == "" {
		a, t = checksum.CRC64NVME, checksum.FullObject // S3's default
	}
	for _, p := range j.sums {
		if len(p.Sum) != a.Size() {
			return errRecord
		}
	}
	sum := Sum{Algorithm: a, Type: t}
	if sum.Type == checksum.FullObject {
		sum.Value = base64.StdEncoding.EncodeToString(a.FullOf(j.sums))
	} else {
		sum.Value = fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(a.CompositeOf(j.sums)), len(j.sums))
	}
	j.o.Sum = sum
	claim := j.c.Sum
	if claim.Value == "" || claim.Algorithm != j.u.Sum.Algorithm {
		return nil
	}
	bare, _, _ := strings.Cut(sum.Value, "-")
	if claim.Value != sum.Value && (sum.Type == checksum.FullObject || claim.Value != bare) {
		return fault.BadDigest.Say("The %s you specified did not match the calculated checksum.", a)
	}
	return nil
}

func decodeSum(value string) []byte {
	b, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return nil
	}
	return b
}

// errStop ends a scan early.
var errStop = errors.New("stop")

func stopped(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// PartsOf returns up to limit parts of a completed multipart object with
// numbers above after, and whether there are more.
func (h *Handle) PartsOf(after, limit int) (parts []*Object, more bool, err error) {
	if err := h.s.enter(); err != nil {
		return nil, false, err
	}
	defer h.s.leave()
	return h.partsOf(after, limit)
}

// partsOf is PartsOf within an operation.
func (h *Handle) partsOf(after, limit int) (parts []*Object, more bool, err error) {
	if h.body.Kind != bodySegments {
		return nil, false, nil
	}
	err = h.s.rows(segmentRows(h.body.ID), func(_, value []byte) error {
		p, err := decodeObject(value)
		if err != nil || p.Parts <= after {
			return err
		}
		if len(parts) == limit {
			more = true
			return errStop
		}
		parts = append(parts, p)
		return nil
	})
	return parts, more, stopped(err)
}
