package atrest

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
)

func writeFile(t testing.TB, fs vfs.FS, name, text string) {
	t.Helper()
	if err := writeSynced(fs, name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, fs vfs.FS, name string) string {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func mustOpen(t testing.TB, fs vfs.FS, dir string, keys *Keys) vfs.FS {
	t.Helper()
	out, err := Open(fs, dir, keys)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// snapshot is a file system as text, to see that nothing was changed.
func snapshot(t testing.TB, fs *vfs.MemFS, dir string) string {
	t.Helper()
	s := fs.String()
	if text, err := readHeader(fs, fs.PathJoin(dir, markerName)); err == nil {
		s += string(text)
	}
	return s
}

func TestOpen(t *testing.T) {
	const dir = "data/db"
	encrypted := func(ns ...byte) func(*testing.T, vfs.FS) {
		return func(t *testing.T, fs vfs.FS) {
			for i, n := range ns { // one file under each key
				e := mustOpen(t, fs, dir, testKeys(t, append([]byte{n}, ns[:i]...)...))
				writeFile(t, e, e.PathJoin(dir, string('a'+rune(n))), "text")
			}
			if _, err := Open(fs, dir, testKeys(t, ns...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	plain := func(t *testing.T, fs vfs.FS) {
		if err := fs.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, fs, dir+"/000001.log", "plain text")
	}
	nothing := func(*testing.T, vfs.FS) {}
	empty := func(t *testing.T, fs vfs.FS) {
		if err := fs.MkdirAll(dir+"/lost+found", 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, fs, dir+"/LOCK", "")
		writeFile(t, fs, dir+"/"+markerTemp, "half a mark")
	}
	unmarked := func(t *testing.T, fs vfs.FS) {
		encrypted(1)(t, fs)
		if err := fs.Remove(dir + "/" + markerName); err != nil {
			t.Fatal(err)
		}
	}
	damaged := func(t *testing.T, fs vfs.FS) {
		encrypted(1)(t, fs)
		writeFile(t, fs, dir+"/"+markerName, markerTitle+"key 0011223344556677\n")
	}

	tests := []struct {
		name  string
		setup func(*testing.T, vfs.FS)
		keys  []byte // none: nil
		err   error
		says  string
		marks []byte // the keys in the marker after
	}{
		{name: "no keys, new", setup: nothing},
		{name: "no keys, plain", setup: plain},
		{name: "no keys, encrypted", setup: encrypted(1), err: ErrEncrypted, says: "with its key file"},
		{name: "no keys, encrypted, marker lost", setup: unmarked, err: ErrEncrypted},
		{name: "no keys, marker damaged", setup: damaged, err: ErrDamaged},
		{name: "new", setup: nothing, keys: []byte{1}, marks: []byte{1}},
		{name: "new, more than one key", setup: nothing, keys: []byte{2, 1}, marks: []byte{2}},
		{name: "empty", setup: empty, keys: []byte{1}, marks: []byte{1}},
		{name: "plain", setup: plain, keys: []byte{1}, err: ErrPlain, says: "into a new, empty directory"},
		{name: "the same key", setup: encrypted(1), keys: []byte{1}, marks: []byte{1}},
		{name: "another key", setup: encrypted(1), keys: []byte{2}, err: ErrKeyMissing, says: testKeys(t, 1).String() + " (1 files)"},
		{name: "rotated", setup: encrypted(1), keys: []byte{2, 1}, marks: []byte{2, 1}},
		{name: "rotated back", setup: encrypted(2, 1), keys: []byte{1, 2}, marks: []byte{1, 2}},
		{name: "old key gone too early", setup: encrypted(2, 1), keys: []byte{2}, err: ErrKeyMissing, says: "put the missing key back"},
		{name: "keys in reserve", setup: encrypted(1), keys: []byte{1, 2, 3}, marks: []byte{1}},
		{name: "marker lost", setup: unmarked, keys: []byte{2, 1}, marks: []byte{2, 1}},
		{name: "marker lost, another key", setup: unmarked, keys: []byte{2}, err: ErrKeyMissing},
		{name: "marker damaged", setup: damaged, keys: []byte{1}, err: ErrDamaged, says: "remove it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fs := vfs.NewMem()
			tt.setup(t, fs)
			before := snapshot(t, fs, dir)
			var keys *Keys
			if tt.keys != nil {
				keys = testKeys(t, tt.keys...)
			}
			got, err := Open(fs, dir, keys)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error = %v, want %v", err, tt.err)
			}
			if err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error = %v, want it to say %q", err, tt.says)
			}
			if err != nil || keys == nil {
				if after := snapshot(t, fs, dir); before != after {
					t.Errorf("something was changed:\n%s", cmp.Diff(before, after))
				}
			}
			if err == nil && (keys == nil) != (got == vfs.FS(fs)) {
				t.Error("wrong file system returned")
			}
			if tt.marks != nil {
				m, err := readMarker(fs, dir)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(testKeys(t, tt.marks...).IDs(), m.keys); d != "" {
					t.Errorf("marker: %s", d)
				}
			}
		})
	}
}

// An old key that no file uses any more may leave the key file, and then
// leaves the marker.
func TestRetiredKeyLeavesMarker(t *testing.T) {
	fs := vfs.NewMem()
	e := mustOpen(t, fs, "", testKeys(t, 1))
	writeFile(t, e, "a", "old")
	e = mustOpen(t, fs, "", testKeys(t, 2, 1))
	writeFile(t, e, "b", "new")
	if err := e.Remove("a"); err != nil {
		t.Fatal(err)
	}
	e = mustOpen(t, fs, "", testKeys(t, 2))
	if got := readFile(t, e, "b"); got != "new" {
		t.Errorf("b = %q", got)
	}
	m, err := readMarker(fs, "")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(testKeys(t, 2).IDs(), m.keys); d != "" {
		t.Error(d)
	}
}

func TestMarkerIsHidden(t *testing.T) {
	fs := vfs.NewMem()
	e := mustOpen(t, fs, "db", testKeys(t, 1))
	names, err := e.List("db/")
	if err != nil || len(names) != 0 {
		t.Errorf("list = %q, %v, want nothing", names, err)
	}
	if _, err := e.Stat("db/" + markerName); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat: error = %v, want not exist", err)
	}
	writeFile(t, e, "db/a", "text")
	if err := e.Rename("db/a", "db/"+markerName); !errors.Is(err, os.ErrPermission) {
		t.Errorf("rename over it: error = %v, want permission", err)
	}
	if err := e.Remove("db//" + markerName); !errors.Is(err, os.ErrPermission) {
		t.Errorf("remove: error = %v, want permission", err)
	}
	if _, err := e.Create("db/"+markerName, ""); !errors.Is(err, os.ErrPermission) {
		t.Errorf("create: error = %v, want permission", err)
	}
	mustOpen(t, fs, "db", testKeys(t, 1))
}

// The directory that Open makes survives a crash right after Open, and so
// does the marker in it.
func TestOpenIsDurable(t *testing.T) {
	fs := vfs.NewCrashableMem()
	mustOpen(t, fs, "a/b/c", testKeys(t, 1))
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	if m, err := readMarker(crashed, "a/b/c"); err != nil || m == nil {
		t.Fatalf("marker after the crash: %v, %v", m, err)
	}
	mustOpen(t, fs, "a/b/c", testKeys(t, 2, 1))
	crashed = fs.CrashClone(vfs.CrashCloneCfg{})
	if m, err := readMarker(crashed, "a/b/c"); err != nil || len(m.keys) != 2 {
		t.Fatalf("marker after rotation and crash: %v, %v", m, err)
	}
}
