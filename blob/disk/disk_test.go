package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob/checksum"
	"pressroom/blob/fault"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// open opens a store in memory with a bucket "b".
func open(t *testing.T, opt Options) *Store {
	t.Helper()
	if opt.FS == nil {
		opt.FS = vfs.NewMem()
	}
	s, err := Open("store", opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.CreateBucket(Bucket{Name: "bucket"}); err != nil && !errors.Is(err, fault.BucketAlreadyOwnedByYou) {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *Store, key string, data []byte, more ...func(*Object)) *Object {
	t.Helper()
	o := &Object{Key: key}
	for _, f := range more {
		f(o)
	}
	st, err := s.Stage(context.Background(), bytes.NewReader(data), StageOptions{Size: int64(len(data)), Class: o.Class})
	if err != nil {
		t.Fatal(err)
	}
	o, err = s.PutObject(context.Background(), "bucket", o, st, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func read(t *testing.T, s *Store, key, version string) []byte {
	t.Helper()
	h, err := s.Open("bucket", key, version)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var buf bytes.Buffer
	if err := h.WriteRange(&buf, 0, h.Size); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)})
	b := make([]byte, n)
	r.Read(b)
	return b
}

func files(t *testing.T, s *Store) (n int) {
	t.Helper()
	dirs, err := s.fs.List(s.path("data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		names, err := s.fs.List(s.path("data", d))
		if err != nil {
			t.Fatal(err)
		}
		n += len(names)
	}
	tmp, err := s.fs.List(s.path("tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return n + len(tmp)
}

func TestPutAndGetAllSizes(t *testing.T) {
	s := open(t, Options{InlineLimit: 1000})
	for _, n := range []int{0, 1, 999, 1000, 1001, copyBuffer, copyBuffer + 1, 1 << 20} {
		key := fmt.Sprint(n)
		data := noise(n)
		o := put(t, s, key, data)
		if o.Size != int64(n) {
			t.Errorf("size %d, want %d", o.Size, n)
		}
		if !bytes.Equal(read(t, s, key, ""), data) {
			t.Errorf("%d bytes differ", n)
		}
		put(t, s, key, []byte("short"))
		if got := read(t, s, key, ""); string(got) != "short" {
			t.Errorf("after overwriting: %d bytes", len(got))
		}
	}
	if n := files(t, s); n != 0 {
		t.Errorf("%d files are left of overwritten objects", n)
	}
}

func TestReaderKeepsItsVersion(t *testing.T) {
	s := open(t, Options{})
	data := noise(1 << 20)
	put(t, s, "k", data)
	h, err := s.Open("bucket", "k", "")
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "k", []byte("new"))
	if _, err := s.DeleteObjects(context.Background(), "bucket", []Deletion{{Key: "k"}}); err != nil {
		t.Fatal(err)
	}
	r, err := h.Reader(100, h.Size-100)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, data[100:]) {
		t.Errorf("read %d bytes of a replaced version, %v", len(got), err)
	}
	r.Close()
	if n := files(t, s); n != 1 {
		t.Errorf("%d files while reading, want 1", n)
	}
	h.Close()
	if n := files(t, s); n != 0 {
		t.Errorf("%d files after the last reader, want 0", n)
	}
}

func TestListSkipsBySeeking(t *testing.T) {
	s := open(t, Options{})
	keys := []string{"a", "a/b", "a/c", "a//d", "../x", "/lead", "b\x00c", "b", "z/1", "z/2", strings.Repeat("é", 512)}
	for _, k := range keys {
		put(t, s, k, []byte(k))
	}
	page, err := s.List("bucket", Query{Delimiter: "/", Max: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range page.Objects {
		got = append(got, o.Key)
	}
	want := []string{"a", "b", "b\x00c", strings.Repeat("é", 512)}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"../", "/", "a/", "z/"}, page.Prefixes); d != "" {
		t.Error(d)
	}
}

// Pages of every size, with and without delimiter, together are the whole
// listing, in order, each entry once.
func TestPagesAddUp(t *testing.T) {
	s := open(t, Options{})
	for i := range 30 {
		put(t, s, fmt.Sprintf("%c/%02d", 'a'+i%5, i), nil)
		put(t, s, fmt.Sprintf("top%02d", i), nil)
	}
	for _, delim := range []string{"", "/", "0"} {
		whole, err := s.List("bucket", Query{Delimiter: delim, Max: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for size := 1; size < 9; size++ {
			var objects, prefixes []string
			q := Query{Delimiter: delim, Max: size}
			for {
				page, err := s.List("bucket", q)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range page.Objects {
					objects = append(objects, o.Key)
				}
				prefixes = append(prefixes, page.Prefixes...)
				if !page.Truncated {
					break
				}
				q.After = page.Next
			}
			var want []string
			for _, o := range whole.Objects {
				want = append(want, o.Key)
			}
			if d := cmp.Diff(want, objects) + cmp.Diff(whole.Prefixes, prefixes); d != "" {
				t.Errorf("delimiter %q, pages of %d: %s", delim, size, d)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	s := open(t, Options{})
	version := func(state string) {
		t.Helper()
		if err := s.UpdateBucket("bucket", func(b *Bucket) error { b.Versioning = state; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	del := func(key, v string) Deleted {
		t.Helper()
		out, err := s.DeleteObjects(context.Background(), "bucket", []Deletion{{Key: key, Version: v}})
		if err != nil || out[0].Err != nil {
			t.Fatal(err, out)
		}
		return out[0]
	}
	put(t, s, "k", []byte("before"))
	version(Enabled)
	v1 := put(t, s, "k", []byte("one"))
	v2 := put(t, s, "k", []byte("two"))
	if string(read(t, s, "k", v1.VersionID())) != "one" || string(read(t, s, "k", "null")) != "before" || string(read(t, s, "k", "")) != "two" {
		t.Error("a version reads as another")
	}
	version(Suspended)
	put(t, s, "k", []byte("null again"))
	if string(read(t, s, "k", "null")) != "null again" {
		t.Error("the null version was not replaced")
	}
	page, err := s.ListVersions("bucket", Query{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Objects) != 3 {
		t.Errorf("%d versions, want null, two, one", len(page.Objects))
	}
	if d := del("k", ""); !d.Marker || d.Version != "null" {
		t.Errorf("delete while suspended: %+v", d)
	}
	if _, err := s.Head("bucket", "k", ""); !errors.Is(err, fault.NoSuchKey) {
		t.Errorf("deleted key: %v", err)
	}
	if _, err := s.Head("bucket", "k", "null"); !errors.Is(err, fault.MethodNotAllowed) {
		t.Errorf("a delete marker by its id: %v", err)
	}
	del("k", "null")
	if string(read(t, s, "k", "")) != "two" {
		t.Error("without the marker, the version before it is current")
	}
	del("k", v2.VersionID())
	del("k", v1.VersionID())
	if err := s.DeleteBucket("bucket"); err != nil {
		t.Error(err)
	}
}

func TestRestartKeepsEverything(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open("store", Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateBucket(Bucket{Name: "bucket"}); err != nil {
		t.Fatal(err)
	}
	big := noise(300_000)
	put(t, s, "big", big)
	put(t, s, "small", []byte("small"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Head("bucket", "big", ""); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	s = open(t, Options{FS: fs})
	if !bytes.Equal(read(t, s, "big", ""), big) || string(read(t, s, "small", "")) != "small" {
		t.Error("objects changed over a restart")
	}
}

func TestSweep(t *testing.T) {
	c := &clock{time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: c.now})
	rules := `<LifecycleConfiguration>
		<Rule><ID>cold</ID><Status>Enabled</Status><Filter><Prefix>raw/</Prefix></Filter>
			<Transition><Days>30</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>
		<Rule><ID>gone</ID><Status>Enabled</Status><Filter><Tag><Key>keep</Key><Value>no</Value></Tag></Filter>
			<Expiration><Days>1</Days></Expiration></Rule>
		<Rule><ID>stale</ID><Status>Enabled</Status><Filter/>
			<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>
	</LifecycleConfiguration>`
	if err := s.UpdateBucket("bucket", func(b *Bucket) error {
		b.Docs[LifecycleDoc] = []byte(rules)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Repeat("the quick brown fox ", 20_000))
	put(t, s, "raw/page", text)
	put(t, s, "other", text)
	put(t, s, "tagged", text, func(o *Object) { o.Tags = Pairs{{"keep", "no"}} })
	if _, err := s.CreateUpload("bucket", &Object{Key: "never"}); err != nil {
		t.Fatal(err)
	}

	sweep := func(day time.Time, want Swept) {
		t.Helper()
		c.t = day
		got, err := s.Sweep(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("on %s: %s", day, d)
		}
	}
	sweep(c.t.AddDate(0, 0, 1), Swept{})                                      // S3 rounds up to midnight
	sweep(time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC), Swept{Expired: 1})     // tagged
	sweep(time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC), Swept{Aborted: 1})     // never
	sweep(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Swept{Transitions: 1}) // raw/page
	sweep(time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC), Swept{})               // and once only
	o, err := s.Head("bucket", "raw/page", "")
	if err != nil {
		t.Fatal(err)
	}
	if o.Class != Glacier || !o.Archived() || o.body.Stored > int64(len(text)/10) {
		t.Errorf("class %s, archived %v, %d bytes stored of %d", o.Class, o.Archived(), o.body.Stored, len(text))
	}
	h, err := s.Open("bucket", "raw/page", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.WriteRange(io.Discard, 0, 1); !errors.Is(err, fault.InvalidObjectState) {
		t.Errorf("reading an archived object: %v", err)
	}
	h.Close()
	if _, fresh, err := s.Restore(context.Background(), "bucket", "raw/page", "", 3); err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	if !bytes.Equal(read(t, s, "raw/page", ""), text) {
		t.Error("the restored object differs")
	}
	sweep(time.Date(2026, 2, 5, 0, 0, 0, 0, time.UTC), Swept{Unrestored: 1})
	if o, _ := s.Head("bucket", "raw/page", ""); !o.Archived() {
		t.Error("still readable after its days")
	}
	if n := files(t, s); n != 2 {
		t.Errorf("%d files, want 2", n)
	}
}

func TestMultipart(t *testing.T) {
	s := open(t, Options{MinPartSize: 10})
	ctx := context.Background()
	id, err := s.CreateUpload("bucket", &Object{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	var parts []CompletedPart
	var want []byte
	for _, n := range []int{1, 2, 5, 9} {
		data := noise(100_000 + n)
		for range 2 { // the second replaces the first
			st, err := s.Stage(ctx, bytes.NewReader(data), StageOptions{Size: -1, File: true, Sums: []checksum.Algorithm{checksum.CRC64NVME}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.PutPart(ctx, "bucket", "k", id.String(), n, st)
			if err != nil {
				t.Fatal(err)
			}
			if len(parts) == 0 || parts[len(parts)-1].Number != n {
				parts = append(parts, CompletedPart{Number: n, ETag: p.ETag})
			}
		}
		if n != 5 {
			want = append(want, data...)
		}
	}
	parts = append(parts[:2], parts[3])
	o, err := s.CompleteUpload(ctx, "bucket", "k", id.String(), Completion{Parts: parts, Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.CompleteUpload(ctx, "bucket", "k", id.String(), Completion{Parts: parts, Size: -1})
	if err != nil || again.ETag != o.ETag {
		t.Errorf("completing again: %v, %v", again, err)
	}
	if got := read(t, s, "k", ""); !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	h, err := s.Open("bucket", "k", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]int64{{0, 1}, {100_000, 2}, {100_001, 1}, {200_002, 5}, {o.Size - 1, 1}, {50, o.Size - 50}} {
		var buf bytes.Buffer
		if err := h.WriteRange(&buf, r[0], r[1]); err != nil || !bytes.Equal(buf.Bytes(), want[r[0]:r[0]+r[1]]) {
			t.Errorf("range %v: %d bytes, %v", r, buf.Len(), err)
		}
	}
	h.Close()
	if n := files(t, s); n != 3 {
		t.Errorf("%d files, want the 3 parts", n)
	}
	if _, err := s.DeleteObjects(ctx, "bucket", []Deletion{{Key: "k"}}); err != nil {
		t.Fatal(err)
	}
	if n := files(t, s); n != 0 {
		t.Errorf("%d files after deleting", n)
	}
}
