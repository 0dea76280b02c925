package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/checksum"
	"pressroom/blob/fault"
	"pressroom/guard/guardtest"
)

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte {
		b[at] ^= 1
		return b
	}
}

// Ranges of every kind read what was written, however the file ends.
func TestRangesAcrossBlocks(t *testing.T) {
	s := open(t, Options{InlineLimit: -1})
	for _, size := range []int{1, blockSize - 1, blockSize, blockSize + 1, 3*blockSize + 17} {
		data := noise(size)
		put(t, s, "k", data, withETag(data))
		h, err := s.Open("bucket", "k", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range []int{0, 1, blockSize - 1, blockSize, 2*blockSize + 5} {
			for _, n := range []int{1, 100, blockSize, 2*blockSize + 1, size} {
				if off >= size {
					continue
				}
				n = min(n, size-off)
				var got bytes.Buffer
				if err := h.WriteRange(&got, int64(off), int64(n)); err != nil || !bytes.Equal(got.Bytes(), data[off:off+n]) {
					t.Errorf("%d bytes from %d of %d: %d bytes, %v", n, off, size, got.Len(), err)
				}
			}
		}
		h.Close()
	}
	if s.Damages() != 0 {
		t.Errorf("%d damages of sound files", s.Damages())
	}
}

// A file that was written before files had checksums is compared with its MD5,
// once, and so is one whose checksums are damaged.
func TestFilesWithoutChecksums(t *testing.T) {
	for _, class := range []string{"", Glacier} {
		data := noise(5 * blockSize / 2)
		for _, tc := range []struct {
			name   string
			change func([]byte) []byte
			sound  bool
		}{
			{"older", func(b []byte) []byte { return b[:len(b)-3*sumSize] }, true},
			{"older, damaged", func(b []byte) []byte { return flip(100)(b[:len(b)-3*sumSize]) }, false},
			{"damaged checksum", func(b []byte) []byte { return flip(len(b) - 1)(b) }, true},
			{"cut off", func(b []byte) []byte { return b[:blockSize] }, false},
			{"emptied", func([]byte) []byte { return nil }, false},
		} {
			t.Run(fmt.Sprint(class, tc.name), func(t *testing.T) {
				fs := vfs.NewMem()
				s := open(t, Options{FS: fs, InlineLimit: -1})
				o := put(t, s, "k", data, withETag(data), func(o *Object) { o.Class = class })
				guardtest.Rewrite(t, fs, s.filePath(o.body.File), tc.change)
				for range 2 {
					h, err := s.Open("bucket", "k", "")
					if err != nil {
						t.Fatal(err)
					}
					var got bytes.Buffer
					_, err = io.Copy(&got, h.reader(0, h.Size))
					h.Close()
					if tc.sound && (err != nil || !bytes.Equal(got.Bytes(), data)) {
						t.Errorf("%d bytes, %v", got.Len(), err)
					}
					if !tc.sound && (!errors.Is(err, fault.ObjectDamaged) || got.Len() > 0 && !bytes.Equal(got.Bytes(), data[:got.Len()])) {
						t.Errorf("%d bytes, %v", got.Len(), err)
					}
				}
				if found := problems(t, s); (len(found) == 0) != tc.sound {
					t.Errorf("problems: %q", found)
				}
			})
		}
	}
}

// Verify reads what no reader would: parts of uploads, and the compressed bytes
// of an object that was restored.
func TestVerifyReadsEveryBody(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{FS: fs, InlineLimit: -1, MinPartSize: 1})
	data := noise(100_000)
	put(t, s, "cold", data, withETag(data), func(o *Object) { o.Class = Glacier })
	o, _, err := s.Restore(t.Context(), "bucket", "cold", "", 1)
	if err != nil {
		t.Fatal(err)
	}
	p := putPart(t, s, "up", data)
	if found := problems(t, s); found != nil {
		t.Fatalf("sound: %q", found)
	}
	guardtest.Rewrite(t, fs, s.filePath(o.body.File), flip(5))
	guardtest.Rewrite(t, fs, s.filePath(p.body.File), flip(5))
	found := problems(t, s)
	for _, want := range []string{"bucket/cold: its bytes after the first", "part 1 of an upload under way: its bytes after the first"} {
		if !slices.ContainsFunc(found, func(p string) bool { return strings.HasPrefix(p, want) }) {
			t.Errorf("%q is not among %q", want, found)
		}
	}
	if got := read(t, s, "cold", ""); !bytes.Equal(got, data) {
		t.Error("the restored copy is not what is read")
	}
}

// Damage of the records is counted as that of the files is, whichever file of the
// database it is in.
func TestDamagedRecords(t *testing.T) {
	mem := vfs.NewMem()
	open := func(fs vfs.FS) *Store {
		s, err := Open("store", Options{FS: fs, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s := open(mem)
	if _, err := s.CreateBucket(Bucket{Name: "bucket"}); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		data := noise(5000 + i)
		put(t, s, fmt.Sprint("row ", i), data, withETag(data))
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := mem.List("store/meta")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, name := range names {
		if !strings.HasSuffix(name, ".blob") {
			continue
		}
		path := "store/meta/" + name
		info, err := mem.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for what, at := range map[string]int64{"values": info.Size() / 2, "end": info.Size() - 1} {
			fs := guardtest.Copy(t, mem, "store")
			guardtest.Flip(t, fs, path, at, 3)
			s := open(fs)
			if n := s.Damages(); n != 0 {
				t.Errorf("%s: %d damages before anything is read", what, n)
			}
			if _, err := dump(s); err == nil {
				t.Errorf("%s: damaged records can be read", what)
			}
			if s.Damages() == 0 {
				t.Errorf("%s: a read that met damage is not counted", what)
			}
			tried++
		}
	}
	if tried == 0 {
		t.Errorf("no file of values among %q", names)
	}
}

// putPart begins an upload and puts its first part.
func putPart(t *testing.T, s *Store, key string, data []byte) *Object {
	t.Helper()
	id, err := s.CreateUpload("bucket", &Object{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Stage(t.Context(), bytes.NewReader(data), StageOptions{Size: -1, File: true, Sums: []checksum.Algorithm{checksum.CRC64NVME}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.PutPart(t.Context(), "bucket", key, id.String(), 1, st)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
