package atrest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var errShort = errors.New("no more space")

// shortFS is a file system whose files take only part of a write, now and
// then.
type shortFS struct {
	vfs.FS
	fail *bool
}

type shortFile struct {
	vfs.File
	fail *bool
}

func (s shortFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, c)
	return shortFile{f, s.fail}, err
}

func (f shortFile) Write(p []byte) (int, error) {
	if !*f.fail {
		return f.File.Write(p)
	}
	*f.fail = false
	n, err := f.File.Write(p[:len(p)/2])
	if err == nil {
		err = errShort
	}
	return n, err
}

// What was written before a failure counts, and what is written after it
// follows on.
func TestShortWrite(t *testing.T) {
	fail := false
	fs := mustOpen(t, shortFS{vfs.NewMem(), &fail}, "", testKeys(t, 1))
	f, err := fs.Create("a", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("01234567")); err != nil {
		t.Fatal(err)
	}
	fail = true
	n, err := f.Write([]byte("89abcdef"))
	if n != 4 || !errors.Is(err, errShort) {
		t.Fatalf("wrote %d, %v, want 4 and the error", n, err)
	}
	if _, err := f.Write([]byte("cdefghij")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, want := readFile(t, fs, "a"), "0123456789abcdefghij"; got != want {
		t.Errorf("read %q, want %q", got, want)
	}
}

// A file without its header is not left behind.
func TestShortHeader(t *testing.T) {
	fail := false
	mem := vfs.NewMem()
	fs := mustOpen(t, shortFS{mem, &fail}, "", testKeys(t, 1))
	fail = true
	if _, err := fs.Create("a", ""); !errors.Is(err, errShort) {
		t.Errorf("error = %v, want %v", err, errShort)
	}
	if _, err := mem.Stat("a"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat: error = %v, want not exist", err)
	}
}

func TestOffsets(t *testing.T) {
	fs := mustOpen(t, vfs.NewMem(), "", testKeys(t, 1))
	f, err := fs.OpenReadWrite("a", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, off := range []int64{-1, -headerSize, 1<<63 - 1, 1<<63 - headerSize} {
		if _, err := f.ReadAt(make([]byte, 1), off); !errors.Is(err, errOffset) {
			t.Errorf("read at %d: error = %v", off, err)
		}
		if _, err := f.WriteAt(make([]byte, 1), off); !errors.Is(err, errOffset) {
			t.Errorf("write at %d: error = %v", off, err)
		}
	}
}

// Some programs open a directory like a file, to sync it.
func TestOpenDirectory(t *testing.T) {
	dir := t.TempDir()
	fs := mustOpen(t, vfs.Default, dir, testKeys(t, 1))
	f, err := fs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		t.Errorf("stat = %v, %v, want a directory", info, err)
	}
}

func TestNoFileLeft(t *testing.T) {
	const fds = "/proc/self/fd"
	if _, err := os.Stat(fds); err != nil {
		t.Skip("cannot count open files here:", err)
	}
	count := func() int {
		names, err := os.ReadDir(fds)
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	dir := t.TempDir()
	fs := mustOpen(t, vfs.Default, dir, testKeys(t, 1))
	before := count()
	for range 50 {
		name := filepath.Join(dir, "torn")
		if err := os.WriteFile(name, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := fs.OpenReadWrite(name, "")
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if err := os.WriteFile(name, []byte("plain"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := fs.Open(name); err == nil {
			t.Fatal("opened a plain file")
		}
		if _, err := fs.OpenReadWrite(name, ""); err == nil {
			t.Fatal("opened a plain file")
		}
		if _, err := fs.Stat(name); err != nil {
			t.Fatal(err)
		}
		if _, err := KeyUsage(fs, dir); err == nil {
			t.Fatal("a plain file was not reported")
		}
	}
	if after := count(); after > before+10 {
		t.Errorf("%d files open, %d before", after, before)
	}
}
