package disk

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/blob/fault"
	"pressroom/guard/guardtest"
)

// faultRun is one run of a script on a disk that fails once.
type faultRun struct {
	t    *testing.T
	disk *guardtest.Disk
	fs   vfs.FS
	s    *Store
	acks map[string][]byte // by key; nil for deleted
	busy []string          // keys whose last operation has not worked yet
}

// TestEveryFault runs a script of everything that writes and fails one call to the
// file system in each run: the process lives, reads go on when the disk is full,
// the script comes to its end without a restart, and nothing that was acknowledged
// is lost, even if the power fails then.
func TestEveryFault(t *testing.T) { guardtest.EveryFault(t, 12, runScript) }

func runScript(t *testing.T, disk *guardtest.Disk, keys *atrest.Keys) {
	mem := vfs.NewCrashableMem()
	r := &faultRun{t: t, disk: disk, acks: map[string][]byte{}}
	r.do("open", func() (err error) {
		if r.fs, err = atrest.Open(disk.Wrap(mem), "store", keys); err == nil {
			r.s, err = Open("store", crashOptions(r.fs))
		}
		return err
	})
	defer func() { disk.Mend(); _ = r.s.Close() }()
	r.script()
	if t.Failed() {
		return
	}
	// The power fails.
	fs, err := atrest.Open(mem.CrashClone(vfs.CrashCloneCfg{}), "store", keys)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open("store", crashOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	r.compare(s)
	checkFiles(t, s)
	if found := problems(t, s); found != nil {
		t.Errorf("after the loss of power: %q", found)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// do does something until it works. A full disk is asked for what it has, and
// mended then.
func (r *faultRun) do(what string, op func() error) {
	r.t.Helper()
	r.disk.Until(r.t, what, op, func(error) {
		if r.disk.Full() && r.s != nil {
			r.compare(r.s)
		}
	})
}

func (r *faultRun) script() {
	ctx := context.Background()
	r.do("create bucket", func() error {
		_, err := r.s.CreateBucket(Bucket{Name: "bucket"})
		if errors.Is(err, fault.BucketAlreadyOwnedByYou) {
			err = nil
		}
		return err
	})
	for i := range 7 { // more than a directory takes
		r.put(fmt.Sprint("file ", i%6), noise(70_000+i))
		r.put(fmt.Sprint("row ", i%6), noise(5000+i))
	}
	r.parts("parts", noise(150_000))
	r.flush()
	r.remove("file 1", "row 1", "parts")
	r.put("file 2", noise(90_000))
	r.do("transition", func() error { return r.s.Transition(ctx, "bucket", "file 3", "", Glacier) })
	r.do("restore", func() error { _, _, err := r.s.Restore(ctx, "bucket", "file 3", "", 1); return err })
	r.do("tags", func() error {
		_, err := r.s.SetTags("bucket", "row 3", "", Pairs{{"a", "b"}})
		return err
	})
	copies := 0
	r.do("checkpoint", func() error {
		copies++
		return r.s.Checkpoint(fmt.Sprint("copy ", copies), nil)
	})
	r.remove("file 4", "row 4")
	r.flush()
	r.s.dead.note(1, minDead)
	r.do("reclaim", func() error { return r.s.Reclaim(ctx) })
	r.put("last", noise(100_000))
	r.compare(r.s)
}

func (r *faultRun) put(key string, data []byte) {
	r.busy = []string{key}
	r.do("put "+key, func() error {
		st, err := r.s.Stage(context.Background(), bytes.NewReader(data), StageOptions{Size: int64(len(data))})
		if err != nil {
			return err
		}
		_, err = r.s.PutObject(context.Background(), "bucket", &Object{Key: key, ETag: hex.EncodeToString(st.MD5[:])}, st, nil)
		return err
	})
	r.acks[key], r.busy = data, nil
}

func (r *faultRun) parts(key string, data []byte) {
	r.busy = []string{key}
	r.do("put "+key, func() error { return putInParts(context.Background(), r.s, key, data) })
	r.acks[key], r.busy = data, nil
}

func (r *faultRun) remove(keys ...string) {
	r.busy = keys
	var list []Deletion
	for _, k := range keys {
		list = append(list, Deletion{Key: k})
	}
	r.do("delete", func() error {
		out, err := r.s.DeleteObjects(context.Background(), "bucket", list)
		for _, d := range out {
			err = errors.Join(err, d.Err)
		}
		return err
	})
	for _, k := range keys {
		r.acks[k] = nil
	}
	r.busy = nil
}

func (r *faultRun) flush() {
	r.do("flush", func() error {
		if err := r.s.enter(); err != nil {
			return err
		}
		defer r.s.leave()
		return r.s.db.Flush()
	})
}

// compare reads everything that was acknowledged, and is not being changed: what
// failed may have happened.
func (r *faultRun) compare(s *Store) {
	r.t.Helper()
	for key, want := range r.acks {
		if slices.Contains(r.busy, key) {
			continue
		}
		read := func() error {
			h, err := s.Open("bucket", key, "")
			if want == nil && errors.Is(err, fault.NoSuchKey) {
				return nil
			}
			if err != nil {
				return err
			}
			defer h.Close()
			var got bytes.Buffer
			if _, err := io.Copy(&got, h.reader(0, h.Size)); err != nil {
				return err
			}
			if !bytes.Equal(got.Bytes(), want) {
				return fmt.Errorf("%d bytes instead of %d", got.Len(), len(want))
			}
			return nil
		}
		err := read()
		if err != nil && r.disk.Passing() {
			err = read() // the one call that failed may have been in the first
		}
		if err != nil {
			r.t.Errorf("%s: %v", key, err)
		}
	}
}
