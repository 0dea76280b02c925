package disk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/guard/guardtest"
)

// TestFlippedBit flips one bit at a time in every file of a directory. Opening,
// reading or Verify notices it, or all that is stored is as it was.
func TestFlippedBit(t *testing.T) {
	guardtest.Flips[*Store]{
		Dir: "store",
		Open: func(fs vfs.FS, keys *atrest.Keys) (*Store, error) {
			sealed, err := atrest.Open(fs, "store", keys)
			if err != nil {
				return nil, err
			}
			return Open("store", Options{FS: sealed, Log: quiet, MinPartSize: 1})
		},
		Fill: fillForFlips,
		Verify: func(s *Store) (found []string, err error) {
			err = s.Verify(context.Background(), func(p Problem) { found = append(found, p.String()) })
			return found, err
		},
		Dump: dump,
	}.Run(t, guardtest.Few(200))
}

// fillForFlips makes something of everything.
func fillForFlips(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.CreateBucket(Bucket{Name: "bucket", Versioning: Enabled}); err != nil {
		t.Fatal(err)
	}
	fill := func(from int) {
		for i := from; i < from+4; i++ {
			for _, size := range []int{100 + i, 5000 + i, 80_000 + i} {
				data := noise(size)
				put(t, s, fmt.Sprint(size), data, withETag(data), func(o *Object) { o.Tags = Pairs{{"n", fmt.Sprint(i)}} })
			}
		}
	}
	fill(0)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	fill(2)
	text := []byte(strings.Repeat("all about whales and ships ", 4000))
	put(t, s, "cold", text, withETag(text), func(o *Object) { o.Class = Glacier })
	if err := putInParts(t.Context(), s, "parts", noise(100_000)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteObjects(t.Context(), "bucket", []Deletion{{Key: "101"}, {Key: "80001"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	putPart(t, s, "under way", noise(70_000))
	fill(3)
}

// dump reads all rows, and the bytes of all objects.
func dump(s *Store) (map[string]string, error) {
	all := map[string]string{}
	err := s.scan([]byte{0}, []byte{0xff}, func(row, value []byte) error {
		if row[0] != spaceSeq { // it grows when the store is opened
			all[string(row)] = string(value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	page, err := s.ListVersions("bucket", Query{Max: 1000})
	if err != nil {
		return nil, err
	}
	for _, o := range page.Objects {
		if o.Marker {
			continue
		}
		h, err := s.Open("bucket", o.Key, o.VersionID())
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		_, err = io.Copy(&b, h.reader(0, h.Size))
		h.Close()
		if err != nil {
			return nil, err
		}
		all[o.Key+" "+o.VersionID()] = b.String()
	}
	return all, nil
}
