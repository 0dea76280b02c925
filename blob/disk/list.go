package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// A Query asks for one page of a listing. Keys come in UTF-8 binary order.
type Query struct {
	Prefix    string
	Delimiter string // "" lists every key by itself
	Max       int    // entries on the page, keys and common prefixes together

	// After is where the page begins: after this key, or after all keys
	// under it if it is itself a common prefix.
	After string

	// AfterID makes the page begin within the entries of the key After:
	// after this version, or this upload.
	AfterID string
}

// A Page is one page of a listing.
type Page struct {
	Objects   []*Object
	Prefixes  []string // common prefixes
	Truncated bool
	Next      string // the After of the next page
	NextID    string // its AfterID, where entries have ids
}

// List returns the current objects of a bucket.
func (s *Store) List(bucketName string, q Query) (*Page, error) {
	return s.list(bucketName, q, walk{
		space:  spaceObject,
		perKey: true,
		want:   func(o *Object) bool { return !o.Marker },
	})
}

// ListVersions returns all versions, newest first within a key, delete
// markers among them.
func (s *Store) ListVersions(bucketName string, q Query) (*Page, error) {
	return s.list(bucketName, q, walk{
		space: spaceObject,
		want:  func(*Object) bool { return true },
		id:    (*Object).VersionID,
	})
}

// ListUploads returns the uploads under way, oldest first within a key.
func (s *Store) ListUploads(bucketName string, q Query) (*Page, error) {
	return s.list(bucketName, q, walk{
		space: spaceUpload,
		want:  func(*Object) bool { return true },
		id:    func(o *Object) string { return o.Upload.String() },
	})
}

func (s *Store) list(bucketName string, q Query, w walk) (*Page, error) {
	rec, err := s.enterRecord(bucketName)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	w.s, w.rec, w.Query, w.page = s, rec, q, new(Page)
	if q.Max <= 0 {
		return w.page, nil
	}
	w.it, err = s.db.NewIter(&pebble.IterOptions{
		LowerBound: prefixRows(w.space, rec.ID, q.Prefix),
		UpperBound: successor(prefixRows(w.space, rec.ID, q.Prefix)),
	})
	if err != nil {
		return nil, fmt.Errorf("read metadata: %w", err)
	}
	if err := w.run(); err != nil {
		return nil, errors.Join(err, w.it.Close())
	}
	return w.page, w.it.Close()
}

// walk goes through the rows of one listing. It costs what the page holds,
// not what the bucket does: a common prefix is passed with one seek.
type walk struct {
	Query
	s      *Store
	rec    *Bucket
	space  byte
	perKey bool                 // only the first row of a key counts
	want   func(*Object) bool   // rows that are not wanted are as if they were not there
	id     func(*Object) string // tells the entries of one key apart; nil if perKey

	it   *pebble.Iterator
	page *Page
	prev string // key of the row before, if any
	any  bool
}

func (w *walk) run() error {
	ok, err := w.start()
	for ; ok && err == nil; ok, err = w.step() {
	}
	if err != nil {
		return err
	}
	return w.it.Error()
}

// start moves to the first row of the page.
func (w *walk) start() (bool, error) {
	if w.After == "" {
		return w.it.First(), nil
	}
	if w.AfterID != "" {
		from, err := w.afterID()
		if err != nil {
			return false, err
		}
		w.prev, w.any = w.After, true
		return w.it.SeekGE(from), nil
	}
	if cp, ok := w.common(w.After); ok && cp == w.After {
		return w.it.SeekGE(successor(prefixRows(w.space, w.rec.ID, cp))), nil
	}
	return w.it.SeekGE(pastKey(w.space, w.rec.ID, w.After)), nil
}

// afterID returns the row to begin with after the entry AfterID of After.
func (w *walk) afterID() ([]byte, error) {
	if w.space == spaceUpload {
		id, err := ParseUploadID(w.AfterID)
		if err != nil {
			return nil, err
		}
		return append(uploadRow(w.rec.ID, w.After, id), 0), nil
	}
	o, err := w.s.version(w.rec, w.After, w.AfterID)
	if err != nil && !isNoSuch(err) {
		return nil, err
	}
	if o == nil {
		return pastKey(w.space, w.rec.ID, w.After), nil
	}
	return append(objectRow(w.rec.ID, o.Key, o.Seq), 0), nil
}

// step handles the row under the iterator and moves to the next.
func (w *walk) step() (bool, error) {
	o, err := w.decode()
	if err != nil {
		return false, err
	}
	if !w.want(o) {
		return w.next(), nil
	}
	if len(w.page.Objects)+len(w.page.Prefixes) == w.Max {
		w.page.Truncated = true
		return false, nil
	}
	if cp, ok := w.common(o.Key); ok {
		w.page.Prefixes = append(w.page.Prefixes, cp)
		w.page.Next, w.page.NextID = cp, ""
		return w.it.SeekGE(successor(prefixRows(w.space, w.rec.ID, cp))), nil
	}
	w.page.Objects = append(w.page.Objects, o)
	w.page.Next = o.Key
	if w.id != nil {
		w.page.NextID = w.id(o)
	}
	return w.next(), nil
}

func (w *walk) decode() (*Object, error) {
	v, err := w.it.ValueAndErr()
	if err != nil {
		return nil, w.s.unread(err)
	}
	o, err := decodeObject(v)
	if err != nil {
		return nil, err
	}
	var rest []byte
	o.Key, rest = splitRow(w.it.Key())
	if w.space == spaceUpload {
		o.Upload = UploadID(rest)
	} else {
		o.Seq = ^binary.BigEndian.Uint64(rest)
	}
	o.Latest = !w.any || w.prev != o.Key
	w.prev, w.any = o.Key, true
	return o, nil
}

// next moves on: to the next row, or to the next key.
func (w *walk) next() bool {
	if !w.perKey {
		return w.it.Next()
	}
	// Most keys have one row, so try the neighbour before seeking.
	row := w.it.Key()
	key := append([]byte(nil), row[:len(row)-8]...)
	if !w.it.Next() {
		return false
	}
	if !bytes.HasPrefix(w.it.Key(), key) {
		return true
	}
	key[len(key)-1] = afterKey
	return w.it.SeekGE(key)
}

// common returns the common prefix that a key is listed under, if any.
func (w *walk) common(key string) (string, bool) {
	if w.Delimiter == "" || !strings.HasPrefix(key, w.Prefix) {
		return "", false
	}
	i := strings.Index(key[len(w.Prefix):], w.Delimiter)
	if i < 0 {
		return "", false
	}
	return key[:len(w.Prefix)+i+len(w.Delimiter)], true
}
