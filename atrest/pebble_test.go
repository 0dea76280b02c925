package atrest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
)

// quiet is a Pebble logger that only panics.
type quiet struct{}

func (quiet) Infof(string, ...any)           {}
func (quiet) Errorf(string, ...any)          {}
func (quiet) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

func openPebble(t testing.TB, fs vfs.FS, dir string) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{FS: fs, Logger: quiet{}, MemTableSize: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

const needle = "KLINGENDE-NADEL"

func rowKey(i int) []byte { return fmt.Appendf(nil, "%s-key-%06d", needle, i) }
func rowValue(i int) []byte {
	return fmt.Appendf(nil, "%s-value-%06d-%s", needle, i, strings.Repeat("x", i%500))
}

func putRows(t testing.TB, db *pebble.DB, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		opt := pebble.NoSync
		if i%100 == 0 {
			opt = pebble.Sync
		}
		if err := db.Set(rowKey(i), rowValue(i), opt); err != nil {
			t.Fatal(err)
		}
	}
}

func checkRows(t testing.TB, db *pebble.DB, n int) {
	t.Helper()
	it, err := db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	i := 0
	for it.First(); it.Valid(); it.Next() {
		if !bytes.Equal(it.Key(), rowKey(i)) || !bytes.Equal(it.Value(), rowValue(i)) {
			t.Fatalf("row %d is %s", i, it.Key())
		}
		i++
	}
	if err := it.Error(); err != nil {
		t.Fatal(err)
	}
	if i != n {
		t.Errorf("%d rows, want %d", i, n)
	}
}

func closePebble(t testing.TB, db *pebble.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// filesOf returns all files as they are on the disk below.
func filesOf(t testing.TB, fs vfs.FS, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := fs.PathJoin(dir, name)
		info, err := fs.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			for k, v := range filesOf(t, fs, path) {
				files[k] = v
			}
			continue
		}
		files[path] = []byte(readFile(t, fs, path))
	}
	return files
}

// checkNoPlain looks for what was written, and for words that Pebble itself
// writes into its files.
func checkNoPlain(t testing.TB, fs vfs.FS, dir string) {
	t.Helper()
	size := 0
	for name, b := range filesOf(t, fs, dir) {
		size += len(b)
		for _, word := range []string{needle, "pebble", "rocksdb", "leveldb", "comparer"} {
			if bytes.Contains(b, []byte(word)) {
				t.Errorf("%s contains %q", name, word)
			}
		}
	}
	if size == 0 {
		t.Error("there are no files to look into")
	}
}

func testPebble(t *testing.T, under vfs.FS, dir string) {
	keys := testKeys(t, 1)
	fs := mustOpen(t, under, dir, keys)
	db := openPebble(t, fs, dir)
	putRows(t, db, 0, 2000)
	checkRows(t, db, 2000)
	checkNoPlain(t, under, dir)
	closePebble(t, db)

	db = openPebble(t, mustOpen(t, under, dir, keys), dir)
	checkRows(t, db, 2000)
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := db.Compact(t.Context(), []byte("A"), []byte("Z"), true); err != nil {
		t.Fatal(err)
	}
	checkRows(t, db, 2000)
	checkNoPlain(t, under, dir)
	closePebble(t, db)

	for _, keys := range []*Keys{nil, testKeys(t, 2)} {
		if _, err := Open(under, dir, keys); err == nil {
			t.Error("opened without the key")
		}
	}
}

func TestPebbleInMemory(t *testing.T) { testPebble(t, vfs.NewMem(), "db") }
func TestPebbleAtRoot(t *testing.T)   { testPebble(t, vfs.NewMem(), "") }
func TestPebbleOnDisk(t *testing.T) {
	testPebble(t, vfs.Default, filepath.Join(t.TempDir(), "a", "db"))
}

// The words that checkNoPlain looks for are there when nothing is encrypted.
func TestNeedleIsFoundInPlain(t *testing.T) {
	fs := vfs.NewMem()
	db := openPebble(t, mustOpen(t, fs, "db", nil), "db")
	putRows(t, db, 0, 2000)
	closePebble(t, db)
	counts := make(map[string]int)
	for _, b := range filesOf(t, fs, "db") {
		for _, word := range []string{needle, "pebble", "rocksdb", "leveldb", "comparer"} {
			counts[word] += bytes.Count(b, []byte(word))
		}
	}
	if counts[needle] == 0 || counts["comparer"] == 0 {
		t.Errorf("found %v", counts)
	}
}

// Pebble's lock is lost on Unix if the lock file is opened and closed again.
func TestKeyUsageKeepsLock(t *testing.T) {
	dir := t.TempDir()
	keys := testKeys(t, 1)
	fs := mustOpen(t, vfs.Default, dir, keys)
	db := openPebble(t, fs, dir)
	defer closePebble(t, db)
	if _, err := KeyUsage(fs, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(filepath.Join(dir, "LOCK")); err != nil {
		t.Fatal(err)
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip("no /proc/locks here:", err)
	}
	if !strings.Contains(string(locks), fmt.Sprintf(" %d ", os.Getpid())) {
		t.Error("the lock is gone")
	}
}

func TestRotation(t *testing.T) {
	const dir = "db"
	under := vfs.NewMem()
	one, two := testKeys(t, 1).Current(), testKeys(t, 2).Current()
	used := func(fs vfs.FS) map[KeyID]bool {
		uses, err := KeyUsage(fs, dir)
		if err != nil {
			t.Fatal(err)
		}
		m := make(map[KeyID]bool)
		for _, u := range uses {
			if u.Files == 0 {
				t.Errorf("key %s is listed without files", u.Key)
			}
			m[u.Key] = u.Current
		}
		return m
	}

	fs := mustOpen(t, under, dir, testKeys(t, 1))
	db := openPebble(t, fs, dir)
	putRows(t, db, 0, 1000)
	if d := cmp.Diff(map[KeyID]bool{one: true}, used(fs)); d != "" {
		t.Error(d)
	}
	closePebble(t, db)

	fs = mustOpen(t, under, dir, testKeys(t, 2, 1))
	db = openPebble(t, fs, dir)
	putRows(t, db, 1000, 2000)
	checkRows(t, db, 2000)
	if d := cmp.Diff(map[KeyID]bool{two: true, one: false}, used(fs)); d != "" {
		t.Error(d)
	}
	if _, err := Open(under, dir, testKeys(t, 2)); !errors.Is(err, ErrKeyMissing) {
		t.Errorf("old key gone too early: error = %v, want ErrKeyMissing", err)
	}
	putRows(t, db, 0, 1000) // newer data over all of the old
	if err := db.Compact(t.Context(), []byte("A"), []byte("Z"), true); err != nil {
		t.Fatal(err)
	}
	closePebble(t, db)

	// Opening removes what the compaction made obsolete.
	db = openPebble(t, fs, dir)
	closePebble(t, db)
	if d := cmp.Diff(map[KeyID]bool{two: true}, used(fs)); d != "" {
		t.Errorf("after compaction: %s", d)
	}
	if d := cmp.Diff(map[KeyID]bool{two: false}, used(under)); d != "" {
		t.Errorf("without the keys: %s", d)
	}

	fs = mustOpen(t, under, dir, testKeys(t, 2))
	db = openPebble(t, fs, dir)
	checkRows(t, db, 2000)
	closePebble(t, db)
}

// A checkpoint is made of links and copies, in another directory; it can be
// opened like any encrypted directory, and only so.
func TestCheckpoint(t *testing.T) {
	dir := t.TempDir()
	keys := testKeys(t, 1)
	fs := mustOpen(t, vfs.Default, dir+"/db", keys)
	db := openPebble(t, fs, dir+"/db")
	putRows(t, db, 0, 1000)
	if err := db.Checkpoint(dir+"/copy", pebble.WithFlushedWAL()); err != nil {
		t.Fatal(err)
	}
	putRows(t, db, 1000, 1100)
	closePebble(t, db)

	checkNoPlain(t, vfs.Default, dir+"/copy")
	if _, err := Open(vfs.Default, dir+"/copy", nil); !errors.Is(err, ErrEncrypted) {
		t.Errorf("without keys: error = %v, want ErrEncrypted", err)
	}
	db = openPebble(t, mustOpen(t, vfs.Default, dir+"/copy", keys), dir+"/copy")
	checkRows(t, db, 1000)
	closePebble(t, db)
}

func TestKeyUsageNamesDamage(t *testing.T) {
	fs := vfs.NewMem()
	e := mustOpen(t, fs, "", testKeys(t, 1))
	writeFile(t, e, "good", "0123456789")
	writeFile(t, e, "empty", "")
	writeFile(t, fs, "plain", "plain")
	uses, err := KeyUsage(e, "")
	if !errors.Is(err, ErrPlain) || !strings.Contains(err.Error(), "plain") {
		t.Errorf("plain file: error = %v", err)
	}
	want := []Use{{Key: testKeys(t, 1).Current(), Current: true, Files: 1, Bytes: 10}}
	if d := cmp.Diff(want, uses); d != "" {
		t.Error(d)
	}
	b := []byte(readFile(t, fs, "good"))
	b[offSalt] ^= 1
	writeFile(t, fs, "good", string(b))
	if _, err := KeyUsage(e, ""); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "good") {
		t.Errorf("damaged file: error = %v", err)
	}
	if _, err := e.Open("good"); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "good") {
		t.Errorf("open damaged: error = %v", err)
	}
	if _, err := e.OpenReadWrite("plain", ""); !errors.Is(err, ErrDamaged) {
		t.Errorf("open plain: error = %v", err)
	}
	if got := readFile(t, fs, "plain"); got != "plain" {
		t.Errorf("the plain file was changed to %q", got)
	}
}

// Two encrypted directories in one, each with its marker, as the database and
// the objects are in the data directory.
func TestKeyUsageOfParent(t *testing.T) {
	fs := vfs.NewMem()
	writeFile(t, mustOpen(t, fs, "data/db", testKeys(t, 1)), "data/db/a", "1")
	writeFile(t, mustOpen(t, fs, "data/objects", testKeys(t, 2)), "data/objects/a", "22")
	uses, err := KeyUsage(fs, "data")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[KeyID]int64)
	for _, u := range uses {
		got[u.Key] = u.Bytes
	}
	want := map[KeyID]int64{testKeys(t, 1).Current(): 1, testKeys(t, 2).Current(): 2}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// An empty file needs no key, so it does not keep one in use.
func TestEmptyFileOfRetiredKey(t *testing.T) {
	fs := vfs.NewMem()
	e := mustOpen(t, fs, "", testKeys(t, 1))
	writeFile(t, e, "marker", "")
	e = mustOpen(t, fs, "", testKeys(t, 2))
	if got := readFile(t, e, "marker"); got != "" {
		t.Errorf("read %q", got)
	}
	f, err := e.OpenReadWrite("marker", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := readFile(t, e, "marker"); got != "text" {
		t.Errorf("read %q", got)
	}
}

// A reader that was there before the header sees the file when it is.
func TestReaderBeforeHeader(t *testing.T) {
	fs := vfs.NewMem()
	e := mustOpen(t, fs, "", testKeys(t, 1))
	writeFile(t, e, "other", "evening edition")
	sealed := readFile(t, fs, "other")

	raw, err := fs.Create("a", "")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	r, err := e.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, part := range []string{sealed[:20], sealed[20:headerSize]} {
		if n, err := r.Read(make([]byte, 5)); n != 0 || err != io.EOF {
			t.Errorf("read = %d, %v, want EOF", n, err)
		}
		if info, err := r.Stat(); err != nil || info.Size() != 0 {
			t.Errorf("stat = %v, %v, want size 0", info, err)
		}
		if _, err := raw.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := raw.Write([]byte(sealed[headerSize:])); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); err != nil || string(b) != "evening edition" {
		t.Errorf("read = %q, %v", b, err)
	}
}

func TestConcurrency(t *testing.T) {
	under := vfs.NewMem()
	fs := mustOpen(t, under, "", testKeys(t, 1))
	var wg sync.WaitGroup
	start := func(f func(i int)) {
		for i := range 4 {
			wg.Go(func() { f(i) })
		}
	}
	start(func(i int) { // writers of files of their own, and readers of them
		name := fmt.Sprintf("own-%d", i)
		for n := range 50 {
			want := strings.Repeat(fmt.Sprint(i), n*100)
			writeFile(t, fs, name+".tmp", want)
			if err := fs.Rename(name+".tmp", name); err != nil {
				t.Error(err)
			}
			if got := readFile(t, fs, name); got != want {
				t.Errorf("%s differs", name)
			}
		}
	})
	text := strings.Repeat("0123456789abcdef", 4096)
	writeFile(t, fs, "shared", text)
	shared, err := fs.Open("shared")
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	start(func(i int) { // readers of one open file
		b := make([]byte, 999)
		for n := range 200 {
			off := (n*7919 + i) % (len(text) - len(b))
			if _, err := shared.ReadAt(b, int64(off)); err != nil || string(b) != text[off:off+len(b)] {
				t.Errorf("read at %d differs, error %v", off, err)
			}
		}
	})
	start(func(i int) { // all open one new file, and must get the same
		for n := range 20 {
			f, err := fs.OpenReadWrite(fmt.Sprintf("new-%d", n), "")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := f.WriteAt([]byte{byte('a' + i)}, 0); err != nil {
				t.Error(err)
			}
			f.Close()
		}
	})
	start(func(int) { // and a report meanwhile
		if _, err := KeyUsage(fs, ""); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	for n := range 20 {
		if got := readFile(t, fs, fmt.Sprintf("new-%d", n)); len(got) != 1 || got[0] < 'a' || got[0] > 'd' {
			t.Errorf("new-%d = %q", n, got)
		}
	}
}
