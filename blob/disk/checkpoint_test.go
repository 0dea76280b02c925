package disk

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
)

func withETag(data []byte) func(*Object) {
	sum := md5.Sum(data)
	return func(o *Object) { o.ETag = hex.EncodeToString(sum[:]) }
}

func problems(t *testing.T, s *Store) []string {
	t.Helper()
	var all []string
	if err := s.Verify(t.Context(), func(p Problem) { all = append(all, p.String()) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// While it is cut nothing changes, and afterwards the copy has every byte of
// that moment, whatever is deleted meanwhile.
func TestCheckpointUnderLoad(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{FS: fs, InlineLimit: 100, filesPerDir: 8, maxLitter: 4})
	data := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 50+50*(i%5)) }
	for i := range 40 {
		put(t, s, fmt.Sprintf("first/%02d", i), data(i), withETag(data(i)))
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				key := fmt.Sprintf("load/%d-%d", w, i%7)
				put(t, s, key, data(i), withETag(data(i)))
				if i%3 == 0 {
					if _, err := s.DeleteObjects(context.Background(), "bucket", []Deletion{{Key: key}, {Key: fmt.Sprintf("first/%02d", i%40)}}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for n := range 3 {
		var at []string
		list := func() []string {
			page, err := s.List("bucket", Query{Max: 1000})
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, o := range page.Objects {
				keys = append(keys, fmt.Sprint(o.Key, " ", o.Seq))
			}
			return keys
		}
		err := s.Checkpoint(fmt.Sprintf("copy%d", n), func() error {
			at = list()
			time.Sleep(5 * time.Millisecond)
			if diff := cmp.Diff(at, list()); diff != "" {
				t.Errorf("it changed during the cut:\n%s", diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		copied, err := Open(fmt.Sprintf("copy%d", n), Options{FS: fs, InlineLimit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		page, err := copied.List("bucket", Query{Max: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Objects {
			got = append(got, fmt.Sprint(o.Key, " ", o.Seq))
		}
		if diff := cmp.Diff(at, got); diff != "" {
			t.Errorf("the copy differs from the moment:\n%s", diff)
		}
		if found := problems(t, copied); found != nil {
			t.Errorf("the copy is not sound: %v", found)
		}
		if err := copied.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	all.Wait()
	if found := problems(t, s); found != nil {
		t.Errorf("the store is not sound: %v", found)
	}
	if s.kept.files != nil || s.kept.users != 0 {
		t.Errorf("files are still kept: %+v", s.kept.files)
	}
}

func TestCheckpointCut(t *testing.T) {
	s := open(t, Options{})
	want := errors.New("no tables")
	if err := s.Checkpoint("copy", func() error { return want }); !errors.Is(err, want) {
		t.Errorf("it says %v", err)
	}
	put(t, s, "after", []byte("x")) // writers are let go
}

func TestVerifyFinds(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{FS: fs, InlineLimit: 10})
	body := bytes.Repeat([]byte("x"), 1000)
	for _, key := range []string{"sound", "gone", "short", "changed"} {
		put(t, s, key, body, withETag(body))
	}
	put(t, s, "inline", []byte("tiny"), withETag([]byte("tiny")))
	put(t, s, "wrong", []byte("tiny"), withETag([]byte("other")))
	if found := problems(t, s); len(found) != 1 || found[0] != "bucket/wrong: its bytes are not those that were written" {
		t.Fatalf("found %q", found)
	}
	rewrite := func(key string, data []byte) {
		o, err := s.Head("bucket", key, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := fs.Remove(s.filePath(o.body.File)); err != nil || data == nil {
			return
		}
		f, err := fs.Create(s.filePath(o.body.File), vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	rewrite("gone", nil)
	rewrite("short", body[:10])
	rewrite("changed", bytes.Repeat([]byte("y"), 1000))
	b := s.db.NewBatch()
	b.Set(dataRow(999), []byte("lost"), nil)
	if err := s.commit(b); err != nil {
		t.Fatal(err)
	}
	found := strings.Join(problems(t, s), "\n")
	for _, want := range []string{
		"bucket/changed: its bytes after the first 0 are damaged: file store/data/00000001/0000000000000008: its bytes are not those that were written",
		"bucket/gone: its bytes after the first 0 are damaged: ",
		"bucket/short: its bytes after the first 0 are damaged: file store/data/00000001/0000000000000006: it has 10 bytes instead of 1000",
		"1 stored bodies belong to no object",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not among\n%s", want, found)
		}
	}
	if strings.Contains(found, "sound") || strings.Contains(found, "inline") {
		t.Errorf("it found too much:\n%s", found)
	}
}

// In a versioned bucket every second can be had again; in others what is newer
// is counted.
func TestRewind(t *testing.T) {
	c := &clock{time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	s := open(t, Options{Now: c.now})
	err := s.UpdateBucket("bucket", func(b *Bucket) error { b.Versioning = Enabled; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateBucket(Bucket{Name: "flat"}); err != nil {
		t.Fatal(err)
	}
	put(t, s, "same", []byte("1"))
	put(t, s, "replaced", []byte("old"))
	put(t, s, "deleted", []byte("old"))
	at := c.t
	c.t = c.t.Add(time.Second)
	put(t, s, "replaced", []byte("new"))
	put(t, s, "made", []byte("new"), func(o *Object) { o.Lock = Lock{Mode: Compliance, Until: c.t.Add(time.Hour), Hold: HoldOn} })
	if _, err := s.DeleteObjects(t.Context(), "bucket", []Deletion{{Key: "deleted"}}); err != nil {
		t.Fatal(err)
	}
	st, err := s.Stage(t.Context(), strings.NewReader("x"), StageOptions{Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutObject(t.Context(), "flat", &Object{Key: "k"}, st, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateBucket(Bucket{Name: "later"}); err != nil {
		t.Fatal(err)
	}
	got := map[string]Rewound{}
	if err := s.Rewind(t.Context(), at, func(r Rewound) { got[r.Bucket] = r }); err != nil {
		t.Fatal(err)
	}
	want := map[string]Rewound{
		"bucket": {Bucket: "bucket", Removed: 3}, "flat": {Bucket: "flat", Newer: 1}, "later": {Bucket: "later", Dropped: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	page, err := s.List("bucket", Query{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	state := map[string]string{}
	for _, o := range page.Objects {
		state[o.Key] = string(read(t, s, o.Key, ""))
	}
	if diff := cmp.Diff(map[string]string{"same": "1", "replaced": "old", "deleted": "old"}, state); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Bucket("later"); err == nil {
		t.Error("a bucket that was made later is there")
	}
	if found := problems(t, s); found != nil {
		t.Error(found)
	}
}
