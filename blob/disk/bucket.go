package disk

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"pressroom/blob/fault"
)

// The states of a bucket's versioning. A bucket starts Unversioned and can
// not go back there.
const (
	Unversioned = ""
	Enabled     = "Enabled"
	Suspended   = "Suspended"
)

// A Bucket is a bucket's record. It is immutable; UpdateBucket changes the
// one that the store keeps.
type Bucket struct {
	ID         uint64            `json:"id"`
	Name       string            `json:"name"`
	Created    time.Time         `json:"created"`
	Region     string            `json:"region,omitempty"`
	Versioning string            `json:"versioning,omitempty"`
	Lock       *Retention        `json:"lock,omitempty"` // what Object Lock gives to new versions; nil if the bucket has it not
	Docs       map[string][]byte `json:"docs,omitempty"` // configurations, as the client sent them

	memo *sync.Map // what Docs were parsed to
}

// Memo returns what parse makes of a configuration, nil if there is none. The
// result is kept with the record, and shared: it must not be changed.
func Memo[T any](b *Bucket, doc string, parse func([]byte) (T, error)) (T, error) {
	var none T
	raw, ok := b.Docs[doc]
	if !ok {
		return none, nil
	}
	if v, ok := b.memo.Load(doc); ok {
		return v.(T), nil
	}
	v, err := parse(raw)
	if err != nil {
		return none, fmt.Errorf("bucket %s: stored %s: %w", b.Name, doc, err)
	}
	b.memo.Store(doc, v)
	return v, nil
}

// catalog holds all bucket records in memory.
type catalog struct {
	mu sync.RWMutex
	m  map[string]*bucket
}

// bucket is one entry. mu is read-held by writers of objects and uploads for
// the length of their batch, and write-held by whoever changes or deletes the
// bucket itself.
type bucket struct {
	mu   sync.RWMutex
	rec  *Bucket
	gone bool
}

func (s *Store) loadBuckets() error {
	s.buckets.mu.Lock()
	defer s.buckets.mu.Unlock()
	s.buckets.m = make(map[string]*bucket)
	return s.rows([]byte{spaceBucket}, func(row, value []byte) error {
		rec := &Bucket{memo: new(sync.Map)}
		if err := json.Unmarshal(value, rec); err != nil {
			return fmt.Errorf("bucket %q: %w", row[1:], err)
		}
		s.buckets.m[rec.Name] = &bucket{rec: rec}
		return nil
	})
}

func noSuchBucket(name string) error { return fault.NoSuchBucket.With("BucketName", name) }

func (s *Store) find(name string) (*bucket, error) {
	s.buckets.mu.RLock()
	defer s.buckets.mu.RUnlock()
	if b := s.buckets.m[name]; b != nil {
		return b, nil
	}
	return nil, noSuchBucket(name)
}

// hold returns the bucket with mu read-held.
func (s *Store) hold(name string) (*bucket, error) {
	b, err := s.find(name)
	if err != nil {
		return nil, err
	}
	b.mu.RLock()
	if b.gone {
		b.mu.RUnlock()
		return nil, noSuchBucket(name)
	}
	return b, nil
}

// enterBucket begins an operation that writes in a bucket, which is held until
// leaveBucket.
func (s *Store) enterBucket(name string) (*bucket, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	b, err := s.hold(name)
	if err != nil {
		s.leave()
		return nil, err
	}
	return b, nil
}

func (s *Store) leaveBucket(b *bucket) {
	b.mu.RUnlock()
	s.leave()
}

// enterRecord begins an operation that reads in a bucket. It ends with leave.
func (s *Store) enterRecord(name string) (*Bucket, error) {
	b, err := s.enterBucket(name)
	if err != nil {
		return nil, err
	}
	defer b.mu.RUnlock()
	return b.rec, nil
}

// enterAlone begins an operation that changes a bucket itself. Nobody writes in it
// until leaveAlone.
func (s *Store) enterAlone(name string) (*bucket, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	b, err := s.find(name)
	if err != nil {
		s.leave()
		return nil, err
	}
	b.mu.Lock()
	if b.gone {
		s.leaveAlone(b)
		return nil, noSuchBucket(name)
	}
	return b, nil
}

func (s *Store) leaveAlone(b *bucket) {
	b.mu.Unlock()
	s.leave()
}

// Bucket returns a bucket's record, or NoSuchBucket.
func (s *Store) Bucket(name string) (*Bucket, error) {
	b, err := s.hold(name)
	if err != nil {
		return nil, err
	}
	defer b.mu.RUnlock()
	return b.rec, nil
}

// Buckets returns all records, by name.
func (s *Store) Buckets() []*Bucket {
	s.buckets.mu.RLock()
	all := slices.Collect(maps.Values(s.buckets.m))
	s.buckets.mu.RUnlock()
	var out []*Bucket
	for _, b := range all {
		b.mu.RLock()
		if !b.gone {
			out = append(out, b.rec)
		}
		b.mu.RUnlock()
	}
	slices.SortFunc(out, func(a, b *Bucket) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// CreateBucket makes a bucket of the given name, region, versioning and
// configurations; its id and date are the store's. If there is one already it
// returns that with BucketAlreadyOwnedByYou.
func (s *Store) CreateBucket(want Bucket) (*Bucket, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	if !ValidBucketName(want.Name) {
		return nil, fault.InvalidBucketName.With("BucketName", want.Name)
	}
	s.buckets.mu.Lock()
	defer s.buckets.mu.Unlock()
	if b := s.buckets.m[want.Name]; b != nil {
		return b.rec, fault.BucketAlreadyOwnedByYou.With("BucketName", want.Name)
	}
	id, err := s.nextSeq()
	if err != nil {
		return nil, err
	}
	rec := want
	rec.ID, rec.Created = id, s.now()
	rec.memo = new(sync.Map)
	if err := s.saveBucket(&rec); err != nil {
		return nil, err
	}
	s.buckets.m[rec.Name] = &bucket{rec: &rec}
	return &rec, nil
}

func (s *Store) saveBucket(rec *Bucket) error {
	v, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encode bucket: %w", err)
	}
	b := s.db.NewBatch()
	b.Set(bucketRow(rec.Name), v, nil)
	return s.commit(b)
}

// UpdateBucket replaces a bucket's record with what change makes of a copy.
// While change runs, nothing is written in the bucket.
func (s *Store) UpdateBucket(name string, change func(*Bucket) error) error {
	b, err := s.enterAlone(name)
	if err != nil {
		return err
	}
	defer s.leaveAlone(b)
	rec := *b.rec
	rec.Docs = maps.Clone(rec.Docs)
	if rec.Docs == nil {
		rec.Docs = make(map[string][]byte)
	}
	rec.memo = new(sync.Map)
	if err := change(&rec); err != nil {
		return err
	}
	if err := s.saveBucket(&rec); err != nil {
		return err
	}
	b.rec = &rec
	return nil
}

// DeleteBucket removes a bucket without objects, versions and delete markers.
// Uploads under way do not keep it, as in S3; they go with it.
func (s *Store) DeleteBucket(name string) error {
	b, err := s.enterAlone(name)
	if err != nil {
		return err
	}
	defer s.leaveAlone(b)
	if err := s.mustBeEmpty(b.rec); err != nil {
		return err
	}
	if err := s.dropBucket(b.rec); err != nil {
		return err
	}
	b.gone = true
	s.buckets.mu.Lock()
	delete(s.buckets.m, name)
	s.buckets.mu.Unlock()
	return nil
}

func (s *Store) mustBeEmpty(rec *Bucket) error {
	notEmpty := fault.BucketNotEmpty
	if rec.Versioning != Unversioned {
		notEmpty = fault.BucketVersionsNotEmpty
	}
	return s.rows(bucketRows(spaceObject, rec.ID), func(_, _ []byte) error {
		return notEmpty.With("BucketName", rec.Name)
	})
}

// dropBucket removes the record and the uploads that are left.
func (s *Store) dropBucket(rec *Bucket) error {
	batch := s.db.NewBatch()
	batch.Delete(bucketRow(rec.Name), nil)
	var scraps []scrap
	err := s.rows(bucketRows(spaceUpload, rec.ID), func(row, _ []byte) error {
		_, rest := splitRow(row)
		sc, err := s.dropUpload(batch, append([]byte(nil), row...), UploadID(rest))
		scraps = append(scraps, sc...)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.remove(batch); err != nil {
		return err
	}
	s.reap(scraps)
	return nil
}

// ValidBucketName follows "Bucket naming rules" of the S3 User Guide.
func ValidBucketName(name string) bool {
	if len(name) < 3 || len(name) > 63 {
		return false
	}
	for i, c := range []byte(name) {
		alnum := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		edge := i == 0 || i == len(name)-1
		switch {
		case alnum:
		case edge || c != '-' && c != '.':
			return false
		case c == '.' && name[i-1] == '.':
			return false
		}
	}
	return !looksLikeIP(name) && !reservedName(name)
}

func looksLikeIP(name string) bool {
	return strings.Count(name, ".") == 3 && strings.Trim(name, "0123456789.") == ""
}

func reservedName(name string) bool {
	for _, p := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	for _, x := range []string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"} {
		if strings.HasSuffix(name, x) {
			return true
		}
	}
	return false
}
