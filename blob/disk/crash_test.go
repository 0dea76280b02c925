package disk

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pressroom/blob/checksum"
	"pressroom/blob/fault"
	"pressroom/guard/guardtest"
)

// ledger remembers, for each key, what was begun and what was acknowledged.
// Bodies follow from key and number, so that a reader can tell which one it has.
type ledger struct {
	mu   sync.Mutex
	keys map[string]*entry
}

type entry struct {
	begun, acked int  // numbers of the writes of this key
	deleting     bool // a delete was begun after acked
}

func bodyOf(key string, n int) []byte {
	size := []int{10, 3000, 70_000, 200_000}[(len(key)+n)%4]
	line := fmt.Sprintf("%s#%d\n", key, n)
	return []byte(strings.Repeat(line, size/len(line)+1))
}

func (l *ledger) at(key string, f func(*entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys[key] == nil {
		l.keys[key] = new(entry)
	}
	f(l.keys[key])
}

// snapshot copies the ledger.
func (l *ledger) snapshot() map[string]entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := make(map[string]entry, len(l.keys))
	for k, e := range l.keys {
		m[k] = *e
	}
	return m
}

// write does one random thing to one key of a worker's own.
func (l *ledger) write(s *Store, key string, rnd *rand.Rand) error {
	var n int
	del := rnd.IntN(8) == 0
	l.at(key, func(e *entry) {
		e.begun++
		n, e.deleting = e.begun, del
	})
	err := l.do(s, key, n, del, rnd.IntN(4) == 0)
	if err == nil {
		l.at(key, func(e *entry) {
			e.acked = n
			if del {
				e.acked = -n
			}
			e.deleting = false
		})
	}
	return err
}

func (l *ledger) do(s *Store, key string, n int, del, parts bool) error {
	ctx := context.Background()
	if del {
		out, err := s.DeleteObjects(ctx, "bucket", []Deletion{{Key: key}})
		if err != nil {
			return err
		}
		return out[0].Err
	}
	body := bodyOf(key, n)
	if parts {
		return putInParts(ctx, s, key, body)
	}
	st, err := s.Stage(ctx, bytes.NewReader(body), StageOptions{Size: int64(len(body))})
	if err != nil {
		return err
	}
	_, err = s.PutObject(ctx, "bucket", &Object{Key: key, ETag: hex.EncodeToString(st.MD5[:])}, st, nil)
	return err
}

func putInParts(ctx context.Context, s *Store, key string, body []byte) error {
	id, err := s.CreateUpload("bucket", &Object{Key: key})
	if err != nil {
		return err
	}
	c := Completion{Size: -1}
	half := len(body) / 2
	for i, b := range [][]byte{body[:half], body[half:]} {
		st, err := s.Stage(ctx, bytes.NewReader(b), StageOptions{Size: -1, File: true, Sums: []checksum.Algorithm{checksum.CRC64NVME}})
		if err != nil {
			return err
		}
		p, err := s.PutPart(ctx, "bucket", key, id.String(), i+1, st)
		if err != nil {
			return err
		}
		c.Parts = append(c.Parts, CompletedPart{Number: i + 1, ETag: p.ETag})
	}
	_, err = s.CompleteUpload(ctx, "bucket", key, id.String(), c)
	return err
}

// check compares a store opened after a crash with the ledgers from before and
// after it: what was acknowledged before is there, or something begun later.
func check(t *testing.T, s *Store, before, after map[string]entry) {
	t.Helper()
	for key, acked := range before {
		begun := after[key].begun
		h, err := s.Open("bucket", key, "")
		if errors.Is(err, fault.NoSuchKey) {
			if acked.acked > 0 && !after[key].deleting && after[key].acked == acked.acked {
				t.Errorf("%s: write %d was acknowledged and is gone", key, acked.acked)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		var buf bytes.Buffer
		err = h.WriteRange(&buf, 0, h.Size)
		h.Close()
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		n := numberOf(buf.Bytes())
		if n < acked.acked || n > begun || !bytes.Equal(buf.Bytes(), bodyOf(key, n)) {
			t.Errorf("%s: reads as write %d of %d bytes; acknowledged was %d, begun %d", key, n, buf.Len(), acked.acked, begun)
		}
		if sum := md5.Sum(buf.Bytes()); !strings.Contains(h.ETag, "-") && h.ETag != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: the etag is not its own", key)
		}
	}
	checkFiles(t, s)
}

func numberOf(body []byte) (n int) {
	line, _, _ := bytes.Cut(body, []byte("\n"))
	_, num, _ := bytes.Cut(line, []byte("#"))
	fmt.Sscan(string(num), &n)
	return n
}

// checkFiles checks that the files on disk are exactly those that belong to an
// object or a part.
func checkFiles(t *testing.T, s *Store) {
	t.Helper()
	live := make(map[fileRef]bool)
	if err := s.rows([]byte{spaceLive}, func(row, _ []byte) error {
		live[parseFileRow(row)] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := files(t, s); n != len(live) {
		t.Errorf("%d files on disk, %d belong to something", n, len(live))
	}
	for f := range live {
		if _, err := s.fs.Stat(s.filePath(f)); err != nil {
			t.Error(err)
		}
	}
}

// crashOptions make small what a crash could leave in a mess.
func crashOptions(fs vfs.FS) Options {
	return Options{FS: fs, MinPartSize: 1, Log: quiet, filesPerDir: 5, maxLitter: 3}
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// TestPowerLoss cuts the power at random moments of many concurrent writes:
// what was not synced is lost, wholly or in part.
func TestPowerLoss(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			fs := vfs.NewCrashableMem()
			l := &ledger{keys: make(map[string]*entry)}
			for range 3 { // crash, go on from there, and crash again
				s, err := Open("store", crashOptions(fs))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.CreateBucket(Bucket{Name: "bucket"}); err != nil && !errors.Is(err, fault.BucketAlreadyOwnedByYou) {
					t.Fatal(err)
				}
				check(t, s, l.snapshot(), l.snapshot())
				if t.Failed() {
					s.Close()
					return
				}
				fs = crashDuring(t, s, fs, l, rnd)
			}
		})
	}
}

// crashDuring writes from many goroutines, takes what a power cut would leave
// at some moment, and returns that, with the ledger as it then was.
func crashDuring(t *testing.T, s *Store, fs *vfs.MemFS, l *ledger, rnd *rand.Rand) *vfs.MemFS {
	t.Helper()
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for w := range 8 {
		r := rand.New(rand.NewPCG(rnd.Uint64(), 2))
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := l.write(s, fmt.Sprintf("worker %d key %d", w, r.IntN(6)), r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	time.Sleep(time.Duration(5+rnd.IntN(40)) * time.Millisecond)
	before := l.snapshot()
	clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50, 90}[rnd.IntN(3)], RNG: rand.New(rand.NewPCG(rnd.Uint64(), 3))})
	after := l.snapshot()
	close(stop)
	wg.Wait()
	s.Close()

	copyOf := clone.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	c, err := Open("store", crashOptions(copyOf))
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, before, after)
	settle(t, c, l, after)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return copyOf
}

// settle makes the ledger say what the store has, so that the next round can
// go on from there.
func settle(t *testing.T, s *Store, l *ledger, after map[string]entry) {
	t.Helper()
	l.keys = make(map[string]*entry)
	for key, e := range after {
		now := &entry{begun: e.begun}
		h, err := s.Open("bucket", key, "")
		if err == nil {
			var buf bytes.Buffer
			if err := h.WriteRange(&buf, 0, h.Size); err != nil {
				t.Error(err)
			}
			h.Close()
			now.acked = numberOf(buf.Bytes())
		}
		l.keys[key] = now
	}
}

// TestDiskErrors fails every write operation in turn, once: the write that
// meets it answers an error or not, but nothing acknowledged is lost.
func TestDiskErrors(t *testing.T) {
	for _, full := range []bool{false, true} {
		failAt := int32(0)
		for done := false; !done && failAt < 4000; failAt += 1 + failAt/int32(guardtest.Few(15)) {
			done = diskErrorAt(t, failAt, full)
			if t.Failed() {
				t.Fatalf("operation %d, disk full %v", failAt, full)
			}
		}
	}
}

// diskErrorAt fails the n-th write operation, and if full, all after it too.
// It reports whether there was no such operation.
func diskErrorAt(t *testing.T, n int32, full bool) (done bool) {
	mem := vfs.NewCrashableMem()
	s, err := Open("store", Options{FS: mem, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateBucket(Bucket{Name: "bucket"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	count, armed := int32(0), false
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if !armed || op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Kind == errorfs.OpRemove || op.Kind == errorfs.OpFileClose {
			return nil
		}
		count++
		if count == n+1 || full && count > n {
			return &vfsError{op}
		}
		return nil
	})
	s, err = Open("store", crashOptions(errorfs.Wrap(mem, inject)))
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{keys: make(map[string]*entry)}
	mu.Lock()
	armed = true
	mu.Unlock()
	rnd := rand.New(rand.NewPCG(7, 7))
	failures := 0
	for i := range 40 {
		if err := l.write(s, fmt.Sprint("key ", i%5), rnd); err != nil {
			failures++
		}
	}
	mu.Lock()
	armed, done = false, count <= n
	mu.Unlock()
	if full && !done && failures == 0 {
		t.Error("a full disk, and nobody was told")
	}
	// The process dies; what the disk has is what counts.
	after := l.snapshot()
	c, err := Open("store", crashOptions(mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0})))
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, after, after)
	if err := l.write(c, "one more", rnd); err != nil {
		t.Errorf("after the disk was well again: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return done
}

// vfsError is a full disk as an operating system reports it.
type vfsError struct{ op errorfs.Op }

func (e *vfsError) Error() string { return "no space left on device" }
func (e *vfsError) Unwrap() error { return syscall.ENOSPC }

// TestReserve refuses writes before the disk is full, and takes them again
// once there is room.
func TestReserve(t *testing.T) {
	fs := &smallDisk{FS: vfs.NewMem(), avail: 1 << 30}
	s := open(t, Options{FS: fs, Reserve: 1 << 20})
	put(t, s, "k", []byte("v"))
	fs.avail = 1 << 20
	_, err := s.Stage(context.Background(), strings.NewReader("more"), StageOptions{Size: 4})
	if !errors.Is(err, fault.InsufficientStorage) {
		t.Errorf("got %v", err)
	}
	if string(read(t, s, "k", "")) != "v" {
		t.Error("what was there is not")
	}
	if _, err := s.DeleteObjects(context.Background(), "bucket", []Deletion{{Key: "k"}}); err != nil {
		t.Errorf("deleting makes room: %v", err)
	}
	fs.avail = 1 << 30
	put(t, s, "k", []byte("again"))
}

type smallDisk struct {
	vfs.FS
	avail uint64
}

func (d *smallDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: d.avail, TotalBytes: 1 << 40}, nil
}
