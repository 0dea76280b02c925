package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pressroom/internal/errs"
)

func TestDataDirIsMadeAndPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, error %v; want 0700", info.Mode(), err)
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 1 || entries[0].Name() != LockName {
		t.Errorf("a new directory holds %v, error %v", entries, err)
	}
	if err := dir.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
}

// In a directory that everyone may enter, what holds data is for one user: what is
// made, and what a program made that did not see to it.
func TestDataArePrivate(t *testing.T) {
	path := t.TempDir()
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"tables/deep", "objects/data/00000001", "search", "mine"} {
		if err := os.MkdirAll(filepath.Join(path, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"tables", "tables/deep", "objects", "objects/data", "objects/data/00000001", "search", "mine"} {
		if err := os.Chmod(filepath.Join(path, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"tables/deep/old", "objects/data/00000001/old", "mine/notes"} {
		write(t, filepath.Join(path, name), "x")
		if err := os.Chmod(filepath.Join(path, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The stores look into their directories: these files are nothing of theirs.
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	checkPrivate(t, path)
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(path, "objects")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(path, "tables")); err != nil {
		t.Fatal(err)
	}
	st, err := Open(StoreSettings{Data: path}, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	checkPrivate(t, path)
	if info, err := os.Stat(filepath.Join(path, "mine", "notes")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("a file that is not ours: %v, %v", info.Mode(), err)
	}
}

func checkPrivate(t *testing.T, path string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err != nil || file == path {
			return err
		}
		if e.Name() == "mine" {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", file, info.Mode())
		}
		seen++
		return err
	})
	if err != nil || seen < 3 {
		t.Errorf("%d files, %v", seen, err)
	}
}

func TestDataDirIsHeldByOne(t *testing.T) {
	path := t.TempDir()
	first, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = OpenDir(path)
	want := fmt.Sprintf("data directory %s is in use by another pressroom (process %d); stop that one, or choose another directory with --data", path, os.Getpid())
	if !errors.Is(err, ErrHeld) || errs.Message(err) != want || errs.KindOf(err).Exit() != 1 {
		t.Errorf("second open: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := OpenDir(path)
	if err != nil {
		t.Fatalf("open after close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// The lock of a process that was killed is free, whatever its file still says.
func TestStaleLockFileIsNoLock(t *testing.T) {
	path := t.TempDir()
	write(t, filepath.Join(path, LockName), "4194304999\nmore\n")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	data, err := os.ReadFile(filepath.Join(path, LockName))
	if want := fmt.Sprintln(os.Getpid()); err != nil || string(data) != want {
		t.Errorf("lock file holds %q, error %v; want %q", data, err, want)
	}
}

func TestDataDirThatIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "mine")
	for _, path := range []string{file, filepath.Join(file, "below")} {
		_, err := OpenDir(path)
		want := "data directory " + path + " is not a directory; move that file away, or choose another with --data"
		if err == nil || errs.Message(err) != want {
			t.Errorf("open %s: %v", path, err)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("the file is now %q, error %v", data, err)
	}
}

func TestDirErrorSaysWhatElse(t *testing.T) {
	cause := &os.PathError{Op: "open", Path: "d/.probe-1", Err: errors.New("no space left on device")}
	err := dirError("d", cause)
	want := "data directory d cannot be used: no space left on device; mend that, or choose another with --data"
	if errs.Message(err) != want || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestCheckFindsTheDirectoryGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.Rename(path, path+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := dir.Check(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Check of a moved directory: %v", err)
	}
	other, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := dir.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("Check of a replaced directory: %v", err)
	}
}
