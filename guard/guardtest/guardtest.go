// Package guardtest proves stores on disks that fail. [EveryFault] fails one
// call to the file system in each run of a script, [Flips] flips one bit at a
// time of what a store leaves on disk. Both do so plain and encrypted.
//
// A test of either is a sample. The flags -fault.every and -flip.count, of every
// test binary that imports this package, make a proof of it.
package guardtest

import (
	"flag"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
)

var (
	everyFault = flag.Bool("fault.every", false, "TestEveryFault fails every call to the file system, not a sample")
	flipCount  = flag.Int("flip.count", 0, "how many bits TestFlippedBit flips, each in a copy of its own; 0 for a sample")
)

// Keys encrypt a directory.
func Keys(t testing.TB) *atrest.Keys {
	t.Helper()
	keys, err := atrest.NewKeys([]byte("0123456789abcdefghijklmnopqrstuv"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// Rewrite changes the bytes of a file.
func Rewrite(t testing.TB, fs vfs.FS, name string, change func([]byte) []byte) {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if f, err = fs.Create(name, vfs.WriteCategoryUnspecified); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(change(content)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Flip flips a bit of a file.
func Flip(t testing.TB, fs vfs.FS, name string, at int64, bit int) {
	t.Helper()
	Rewrite(t, fs, name, func(b []byte) []byte {
		b[at] ^= 1 << bit
		return b
	})
}

// Copy returns a copy of a directory.
func Copy(t testing.TB, from vfs.FS, dir string) vfs.FS {
	t.Helper()
	to := vfs.NewMem()
	if _, err := vfs.Clone(from, to, dir, dir); err != nil {
		t.Fatal(err)
	}
	return to
}

// Few is how often a long test does what it repeats: n times, and a part of that under
// the race detector, but not less than three times.
func Few(n int) int { return max(n/raceFactor, min(n, 3)) }
