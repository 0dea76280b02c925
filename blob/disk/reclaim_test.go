package disk

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// diskUse is the size of all files below a directory.
func diskUse(t *testing.T, fs vfs.FS, dir string) (total int64) {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		info, err := fs.Stat(fs.PathJoin(dir, name))
		switch {
		case errors.Is(err, os.ErrNotExist): // gone since it was listed
		case err != nil:
			t.Fatal(err)
		case info.IsDir():
			total += diskUse(t, fs, fs.PathJoin(dir, name))
		default:
			total += info.Size()
		}
	}
	return total
}

// Deleted objects give their space back without a restart, those in rows when it is
// reclaimed, those in files at once.
func TestDeletedObjectsGiveSpaceBack(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{FS: fs})
	// In a file of its own; those that are partly dead Pebble writes again later.
	put(t, s, "kept", noise(40_000))
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	s.db.TestOnlyWaitForCleaning()
	empty := diskUse(t, fs, "store")
	var all []Deletion
	for i := range 200 {
		key := fmt.Sprint(i)
		put(t, s, key, noise(40_000+i))
		all = append(all, Deletion{Key: key})
		if i%50 == 0 {
			key += " large"
			put(t, s, key, noise(1_000_000))
			all = append(all, Deletion{Key: key})
		}
		if i == 100 { // as in a store that is older than its log
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	full := diskUse(t, fs, "store")
	if full < 10_000_000 {
		t.Fatalf("only %d bytes are used", full)
	}
	if _, err := s.DeleteObjects(t.Context(), "bucket", all); err != nil {
		t.Fatal(err)
	}
	if err := s.Reclaim(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A merge that Pebble began by itself may hold old files until it is done.
	left := full
	for deadline := time.Now().Add(time.Minute); left > empty+500_000; time.Sleep(10 * time.Millisecond) {
		if s.db.TestOnlyWaitForCleaning(); time.Now().After(deadline) {
			t.Fatalf("%d bytes when empty, %d when full, %d when all were deleted", empty, full, left)
		}
		left = diskUse(t, fs, "store")
	}
	if got := read(t, s, "kept", ""); string(got) != string(noise(40_000)) {
		t.Error("what was not deleted is gone")
	}
}

// Little that is dead is left to the database.
func TestReclaimIsWorthIt(t *testing.T) {
	var d dead
	d.note(5, minDead-1)
	if _, _, ok := d.take(0); ok {
		t.Error("reclaimed less than the least")
	}
	d.note(3, 1)
	if _, _, ok := d.take(minDead*8 + 8); ok {
		t.Error("reclaimed less than an eighth")
	}
	if first, last, ok := d.take(minDead * 8); !ok || first != 3 || last != 5 {
		t.Error(first, last, ok)
	}
	if _, _, ok := d.take(0); ok {
		t.Error("reclaimed twice")
	}
}
