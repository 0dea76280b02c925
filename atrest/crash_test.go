package atrest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// crashes takes pictures of a file system as a power failure could leave it,
// one before every operation that changes something.
type crashes struct {
	mu       sync.Mutex
	fs       *vfs.MemFS
	rng      *rand.Rand
	acked    int // rows that Pebble has promised to keep
	pictures []picture
}

type picture struct {
	fs    *vfs.MemFS
	acked int
	op    string
}

func (c *crashes) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, percent := range []int{0, 50, 100} {
		clone := c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: c.rng})
		c.pictures = append(c.pictures, picture{clone, c.acked, fmt.Sprintf("%d%% before %d on %s", percent, op.Kind, op.Path)})
	}
	return nil
}

func (c *crashes) String() string { return "crashes" }

func (c *crashes) ack(n int) {
	c.mu.Lock()
	c.acked = n
	c.mu.Unlock()
}

// work opens a database and writes rows from n on, so that logs and tables
// come and go.
func (c *crashes) work(t *testing.T, keys *Keys, n int) {
	under := errorfs.Wrap(c.fs, c)
	fs := mustOpen(t, under, "data/db", keys)
	db := openPebble(t, fs, "data/db")
	for i := n; i < n+12; i++ {
		if err := db.Set(rowKey(i), rowValue(i), pebble.Sync); err != nil {
			t.Fatal(err)
		}
		c.ack(i + 1)
		if i%5 == 4 {
			if err := db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	closePebble(t, db)
}

// check opens what a crash left. A row more than promised may be there.
func (p *picture) check(t *testing.T, keys *Keys) (rows int) {
	t.Helper()
	fs, err := Open(p.fs, "data/db", keys)
	if err != nil {
		t.Fatalf("%s: %v", p.op, err)
	}
	db, err := pebble.Open("data/db", &pebble.Options{FS: fs, Logger: quiet{}})
	if errors.Is(err, os.ErrNotExist) && strings.Contains(err.Error(), "could not open manifest") {
		// Pebble itself cannot stand that the crash keeps its marker of the
		// new manifest, made last, and not the manifest, made before it. File
		// systems with a journal do not do this; the simulation does.
		return -1
	}
	if err != nil {
		t.Fatalf("%s: %v", p.op, err)
	}
	defer closePebble(t, db)
	for {
		v, closer, err := db.Get(rowKey(rows))
		if err == pebble.ErrNotFound {
			break
		}
		if err != nil {
			t.Fatalf("%s: row %d: %v", p.op, rows, err)
		}
		if string(v) != string(rowValue(rows)) {
			t.Fatalf("%s: row %d differs", p.op, rows)
		}
		closer.Close()
		rows++
	}
	if rows < p.acked || rows > p.acked+1 {
		t.Fatalf("%s: %d rows, %d were promised", p.op, rows, p.acked)
	}
	return rows
}

// A crash before any operation, of Open's or of Pebble's, the first time and
// while keys are rotated, loses nothing that was promised.
func TestCrashAnywhere(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	first := &crashes{fs: vfs.NewCrashableMem(), rng: rng}
	first.work(t, testKeys(t, 1), 0)
	if len(first.pictures) < 100 {
		t.Fatalf("only %d pictures", len(first.pictures))
	}
	skipped := 0
	for _, p := range first.pictures {
		if p.check(t, testKeys(t, 1)) < 0 {
			skipped++
		}
	}
	if skipped > len(first.pictures)/20 {
		t.Errorf("%d of %d pictures could not be checked", skipped, len(first.pictures))
	}

	// Go on from some of them with a new key, and crash again.
	for _, i := range rng.Perm(len(first.pictures))[:3] { // each once: it has the new key then
		p := first.pictures[i]
		rows := p.check(t, testKeys(t, 1))
		if rows < 0 {
			continue
		}
		second := &crashes{fs: p.fs, rng: rng, acked: rows}
		second.work(t, testKeys(t, 2, 1), rows)
		for _, p := range second.pictures {
			p.check(t, testKeys(t, 3, 2, 1))
		}
	}
}

// A file whose header was lost reads as empty, by every way of reading it,
// whatever of its content was kept.
func TestTornFile(t *testing.T) {
	for _, kept := range []int{0, 1, headerSize - 1, headerSize, headerSize + 1, 9000} {
		t.Run(fmt.Sprint(kept), func(t *testing.T) {
			fs := vfs.NewMem()
			e := mustOpen(t, fs, "", testKeys(t, 1))
			b := make([]byte, kept)
			for i := headerSize; i < len(b); i++ {
				b[i] = byte(i)
			}
			writeFile(t, fs, "a", string(b))
			if got := readFile(t, e, "a"); got != "" {
				t.Errorf("read %d bytes", len(got))
			}
			if info, err := e.Stat("a"); err != nil || info.Size() != 0 {
				t.Errorf("stat = %v, %v, want size 0", info, err)
			}
			f, err := e.Open("a")
			if err != nil {
				t.Fatal(err)
			}
			if n, err := f.ReadAt(make([]byte, 10), 0); n != 0 || err != io.EOF {
				t.Errorf("read at = %d, %v, want EOF", n, err)
			}
			if _, err := f.Write([]byte("x")); err == nil {
				t.Error("wrote to a file opened for reading")
			}
			f.Close()
			if uses, err := KeyUsage(e, ""); err != nil || len(uses) != 0 {
				t.Errorf("usage = %v, %v, want none", uses, err)
			}

			f, err = e.OpenReadWrite("a", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte("anew")); err != nil {
				t.Fatal(err)
			}
			f.Close()
			if got := readFile(t, e, "a"); got != "anew" {
				t.Errorf("after writing anew: %q", got)
			}
		})
	}
}

// Whichever operation of Open and Create a disk fails at, what was there
// still is, and the next try finds nothing in its way.
func TestFaultsInOpen(t *testing.T) {
	for rotate := range 2 {
		for n := 0; ; n++ {
			mem := vfs.NewMem()
			old := testKeys(t, 1)
			keys := old
			if rotate == 1 {
				e := mustOpen(t, mem, "db", old)
				writeFile(t, e, "db/a", "text")
				keys = testKeys(t, 2, 1)
			}
			countdown := n
			fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(errorfs.Op) error {
				countdown--
				if countdown == -1 {
					return errorfs.ErrInjected
				}
				return nil
			}))
			if e, err := Open(fs, "db", keys); err == nil {
				if f, err := e.Create("db/b", ""); err == nil {
					f.Close()
				}
			}
			if countdown >= 0 {
				if n < 5 {
					t.Errorf("only %d operations", n)
				}
				break // no more operations to fail
			}
			e := mustOpen(t, mem, "db", keys)
			if rotate == 1 {
				if got := readFile(t, e, "db/a"); got != "text" {
					t.Errorf("fault at %d: a = %q", n, got)
				}
			}
			if _, err := e.Stat("db/b"); err == nil {
				if got := readFile(t, e, "db/b"); got != "" {
					t.Errorf("fault at %d: b = %q", n, got)
				}
			}
		}
	}
}
