package disk

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/blob/checksum"
)

func TestRecordRoundTrip(t *testing.T) {
	o := &Object{
		Null: true, Marker: true, Modified: time.UnixMilli(1_790_000_000_123).UTC(), Size: 1 << 40, ETag: "abc-2", Class: Glacier,
		Sum:    Sum{checksum.CRC32, checksum.Composite, "AAAA-2"},
		Header: Pairs{{"Content-Type", "text/html"}, {"Expires", ""}}, Meta: Pairs{{"a", "日本"}, {"", "x"}}, Tags: Pairs{{"t", "v"}},
		Parts: 2, Upload: UploadID{1, 2, 3}, RestoredUntil: time.UnixMilli(1_800_000_000_000).UTC(),
		body: Body{7, bodyFile, true, 99, fileRef{3, 4}}, hot: Body{8, bodySegments, false, 5, fileRef{}},
	}
	got, err := decodeObject(o.encode())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(o, got, cmp.AllowUnexported(Object{}, Body{}, fileRef{})); d != "" {
		t.Error(d)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add((&Object{Size: 1, ETag: "x", Meta: Pairs{{"a", "b"}}, body: Body{ID: 1}}).encode())
	f.Add([]byte{fieldMeta, 200, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := decodeObject(b)
		if err != nil {
			return
		}
		// Once written by us, a record does not change any more.
		written := o.encode()
		for range 2 {
			if o, err = decodeObject(written); err != nil {
				t.Fatal(err)
			}
			written = o.encode()
		}
		again, err := decodeObject(written)
		if err != nil || !bytes.Equal(written, again.encode()) {
			t.Errorf("%+v comes back as %+v, %v", o, again, err)
		}
	})
}

// Rows sort as keys do, and give their key back.
func FuzzKeyOrder(f *testing.F) {
	f.Add("a", "a/b")
	f.Add("a", "a\x00")
	f.Add("", "\x00")
	f.Add("a\x00b", "a\x00\x00b")
	f.Fuzz(func(t *testing.T, a, b string) {
		ra, rb := objectRow(1, a, 5), objectRow(1, b, 6)
		if a != b && (bytes.Compare(ra, rb) < 0) != (a < b) {
			t.Errorf("%q and %q sort otherwise than their rows", a, b)
		}
		pa, pb := ra[:splitKey(ra)], rb[:splitKey(rb)]
		if !bytes.Equal(pa, keyRows(spaceObject, 1, a)) || a != b && (bytes.Compare(pa, pb) < 0) != (a < b) {
			t.Errorf("%q and %q are split as %x and %x", a, b, pa, pb)
		}
		if next := nextKey(nil, pa); splitKey(next) != len(next) || bytes.Compare(next, pa) <= 0 || a < b && bytes.Compare(next, pb) > 0 {
			t.Errorf("after %x comes %x, but %x is there", pa, next, pb)
		}
		for _, k := range []string{a, b} {
			got, rest := splitRow(objectRow(9, k, 7))
			if got != k || len(rest) != 8 {
				t.Errorf("%q comes back as %q", k, got)
			}
		}
		if strings.HasPrefix(b, a) {
			p := prefixRows(spaceObject, 1, a)
			if !bytes.HasPrefix(rb, p) || bytes.Compare(rb, successor(p)) >= 0 {
				t.Errorf("%q is not among the rows of prefix %q", b, a)
			}
		}
	})
}

func TestVersionIDs(t *testing.T) {
	at := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	var ids []string
	for i := range 5 {
		o := &Object{Seq: uint64(i), Modified: at.Add(time.Duration(i) * time.Millisecond)}
		id := o.VersionID()
		if seq, ok := parseVersion(id); !ok || seq != uint64(i) {
			t.Errorf("%s: %d, %v", id, seq, ok)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Error("ids do not sort by time")
	}
	for _, bad := range []string{"", "null", "x", strings.Repeat("U", 26), strings.Repeat("0", 27)} {
		if _, ok := parseVersion(bad); ok {
			t.Errorf("%q is taken for a version", bad)
		}
	}
}
