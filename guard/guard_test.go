package guard_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pressroom/guard"
)

// store is a Store with the opening that its operations use.
type store struct {
	*guard.Store
	db *pebble.DB
}

func open(fs vfs.FS) (*store, error) {
	s := &store{}
	g, err := guard.Open("db", guard.Options{
		FS:     fs,
		Pebble: func() *pebble.Options { return &pebble.Options{FormatMajorVersion: pebble.FormatNewest} },
		Load:   func(_ *guard.Store, db *pebble.DB, _ bool) error { s.db = db; return nil },
		Logger: slog.New(slog.DiscardHandler),
	})
	s.Store = g
	return s, err
}

func mustOpen(t *testing.T, fs vfs.FS) *store {
	t.Helper()
	s, err := open(fs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(nil) })
	return s
}

func (s *store) put(key, value string) error {
	if err := s.Enter(); err != nil {
		return err
	}
	defer s.Leave()
	b := s.db.NewBatch()
	defer b.Close()
	if err := b.Set([]byte(key), []byte(value), nil); err != nil {
		return err
	}
	return s.Commit(b, false)
}

func (s *store) remove(key string) error {
	if err := s.Enter(); err != nil {
		return err
	}
	defer s.Leave()
	b := s.db.NewBatch()
	defer b.Close()
	if err := b.Delete([]byte(key), nil); err != nil {
		return err
	}
	return s.Commit(b, true)
}

func (s *store) get(key string) (string, error) {
	if err := s.Enter(); err != nil {
		return "", err
	}
	defer s.Leave()
	v, closer, err := s.db.Get([]byte(key))
	if err != nil {
		return "", err
	}
	defer closer.Close()
	return string(v), nil
}

// logs returns the names of the logs, the oldest first.
func logs(t *testing.T, fs vfs.FS) []string {
	t.Helper()
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".log") })
	slices.Sort(names)
	return names
}

// flip flips one bit of a file.
func flip(t *testing.T, fs vfs.FS, name string, at int64) {
	t.Helper()
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x10
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, fs vfs.FS, name string) int64 {
	t.Helper()
	info, err := fs.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestFlippedLog flips a bit in the first log of a directory, from its
// beginning to its last block, as a process that was killed leaves it: opening
// it refuses, and says which file it is. Without damage nothing is lost.
func TestFlippedLog(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := mustOpen(t, mem)
	for i := range 200 {
		if err := s.put(fmt.Sprint("key", i), strings.Repeat("v", 1000)); err != nil {
			t.Fatal(err)
		}
	}
	for _, place := range []float64{0.001, 0.3, 0.6, 0.9, 0.999} {
		killed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
		names := logs(t, killed)
		name := "db/" + names[len(names)-1]
		flip(t, killed, name, int64(place*float64(size(t, killed, name))))
		_, err := open(killed)
		if !errors.Is(err, guard.ErrDamaged) || !strings.Contains(err.Error(), ".log") {
			t.Errorf("flipped at %v of the log: %v", place, err)
		}
	}
	after := mustOpen(t, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))}))
	if v, err := after.get("key199"); err != nil || len(v) != 1000 {
		t.Errorf("the last record: %d bytes, %v", len(v), err)
	}
}

// TestOlderMarks opens a directory whose note is older than its log, as after
// a loss of power: all that was synced is there.
func TestOlderMarks(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := mustOpen(t, mem)
	for i := range 50 {
		if err := s.put(fmt.Sprint("key", i), "value"); err != nil {
			t.Fatal(err)
		}
	}
	after := mustOpen(t, mem.CrashClone(vfs.CrashCloneCfg{}))
	if v, err := after.get("key49"); err != nil || v != "value" {
		t.Errorf("the last record: %q, %v", v, err)
	}
}

// smallDisk is a file system that says how much room it has.
type smallDisk struct {
	vfs.FS
	free atomic.Int64
}

func (d *smallDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: uint64(d.free.Load()), TotalBytes: 1 << 40}, nil
}

// TestEnterWhileClosing enters from many goroutines while the store is closed;
// the race detector is the judge.
func TestEnterWhileClosing(t *testing.T) {
	s := mustOpen(t, vfs.NewMem())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for s.Enter() == nil {
				s.Leave()
			}
			for range 1000 {
				if err := s.Enter(); !errors.Is(err, guard.ErrClosed) {
					t.Errorf("a closed store says %v", err)
				}
			}
		})
	}
	if err := s.Close(nil); err != nil {
		t.Error(err)
	}
	all.Wait()
}

// TestReserve makes a disk smaller than the reserve and larger again.
func TestReserve(t *testing.T) {
	disk := &smallDisk{FS: vfs.NewMem()}
	disk.free.Store(1 << 30)
	s := mustOpen(t, disk)
	if err := s.put("a", "1"); err != nil {
		t.Fatal(err)
	}
	disk.free.Store(63 << 20)
	if err := s.put("b", "2"); !errors.Is(err, guard.ErrFull) {
		t.Errorf("a write below the reserve: %v", err)
	}
	if v, err := s.get("a"); err != nil || v != "1" {
		t.Errorf("a read below the reserve: %q, %v", v, err)
	}
	if err := s.remove("a"); err != nil {
		t.Errorf("a removal below the reserve: %v", err)
	}
	disk.free.Store(31 << 20)
	if err := s.remove("b"); !errors.Is(err, guard.ErrFull) {
		t.Errorf("a removal below half of the reserve: %v", err)
	}
	disk.free.Store(65 << 20)
	if err := s.put("b", "2"); err != nil {
		t.Errorf("a write with room again: %v", err)
	}
}

// TestRotation breaks the disk at the moment when Pebble makes its next log,
// where it would end the process.
func TestRotation(t *testing.T) {
	var broken atomic.Bool
	fs := errorfs.Wrap(vfs.NewCrashableMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken.Load() && strings.HasSuffix(op.Path, ".log") && (op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpReuseForWrite) {
			return syscall.ENOSPC
		}
		return nil
	}))
	s := mustOpen(t, fs)
	if err := s.put("before", "1"); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	if err := s.Enter(); err != nil {
		t.Fatal(err)
	}
	_ = s.db.Flush()
	s.Leave()
	if err := s.put("during", "2"); !errors.Is(err, guard.ErrFull) {
		t.Errorf("a write without a log: %v", err)
	}
	if v, err := s.get("before"); err != nil || v != "1" {
		t.Errorf("a read meanwhile: %q, %v", v, err)
	}
	broken.Store(false)
	for s.put("after", "3") != nil { // until the test's own deadline
	}
	if err := s.Err(); err != nil {
		t.Errorf("recovered, but: %v", err)
	}
}

// TestVerify damages a table: reads that need the block fail and end nothing,
// Verify names the file, and the rest can be read and written.
func TestVerify(t *testing.T) {
	mem := vfs.NewMem()
	s := mustOpen(t, mem)
	for i := range 2000 {
		if err := s.put(fmt.Sprintf("key%04d", i), strings.Repeat("v", i%100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(func() error { return s.db.Flush() }); err != nil {
		t.Fatal(err)
	}
	names, _ := mem.List("db")
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, ".sst") })
	name := "db/" + names[i]
	for what, at := range map[string]int64{"first block": 10, "footer": size(t, mem, name) - 10} {
		flip(t, mem, name, at)
		s, err := open(mem)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Enter(); err != nil {
			t.Fatal(err)
		}
		var found []guard.Damage
		if err := s.Verify(context.Background(), func(d guard.Damage) { found = append(found, d) }); err != nil {
			t.Fatal(err)
		}
		s.Leave()
		if len(found) != 1 || "db/"+found[0].File != name || string(found[0].First) != "key0000" {
			t.Errorf("%s flipped: found %v", what, found)
		}
		if _, err := s.get("key0001"); err == nil || errors.Is(err, pebble.ErrNotFound) {
			t.Errorf("%s flipped: a read says %v", what, err)
		}
		if err := s.put("new", "1"); err != nil {
			t.Errorf("%s flipped: a write says %v", what, err)
		}
		if err := s.Close(nil); err != nil {
			t.Error(err)
		}
		flip(t, mem, name, at)
	}
}

// allocations counts the bytes that files are allocated ahead.
type allocations struct {
	vfs.FS
	bytes atomic.Int64
}

func (a *allocations) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := a.FS.Create(name, c)
	return allocating{f, a}, err
}

func (a *allocations) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := a.FS.ReuseForWrite(old, name, c)
	return allocating{f, a}, err
}

type allocating struct {
	vfs.File
	a *allocations
}

func (f allocating) Preallocate(offset, length int64) error {
	f.a.bytes.Add(length)
	return f.File.Preallocate(offset, length)
}

// TestAllocation writes little to a disk: little is allocated. Pebble itself
// allocates each log as large as a log can become.
func TestAllocation(t *testing.T) {
	disk := &allocations{FS: vfs.Default}
	t.Chdir(t.TempDir())
	s := mustOpen(t, disk)
	for i := range 100 {
		if err := s.put(fmt.Sprint("key", i), strings.Repeat("v", 1000)); err != nil {
			t.Fatal(err)
		}
	}
	if n := disk.bytes.Load(); n == 0 || n > 1<<20 {
		t.Errorf("%d bytes are allocated for 100 KB", n)
	}
}
