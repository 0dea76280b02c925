package atrest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"
)

func TestReencrypt(t *testing.T) {
	dir := t.TempDir()
	db := openPebble(t, mustOpen(t, vfs.Default, dir, testKeys(t, 1)), dir)
	putRows(t, db, 0, 1000)
	closePebble(t, db)

	fs := mustOpen(t, vfs.Default, dir, testKeys(t, 2, 1))
	before, err := KeyUsage(fs, dir)
	if err != nil || len(before) != 1 || before[0].Current {
		t.Fatalf("usage = %v, %v, want only the old key", before, err)
	}
	writeFile(t, fs, dir+"/b"+reencryptTemp, "left by an interruption")
	done, err := Reencrypt(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	if done.Files != before[0].Files || done.Bytes != before[0].Bytes {
		t.Errorf("done %+v, want all of %+v", done, before[0])
	}
	after, err := KeyUsage(fs, dir)
	if d := cmp.Diff([]Use{done}, after); d != "" || err != nil {
		t.Errorf("usage: %s%v", d, err)
	}
	if again, err := Reencrypt(fs, dir); err != nil || again.Files != 0 {
		t.Errorf("again: %+v, %v, want nothing to do", again, err)
	}

	db = openPebble(t, mustOpen(t, vfs.Default, dir, testKeys(t, 2)), dir)
	checkRows(t, db, 1000)
	closePebble(t, db)
}

func TestReencryptPlain(t *testing.T) {
	if _, err := Reencrypt(vfs.NewMem(), ""); !errors.Is(err, ErrPlain) {
		t.Errorf("error = %v, want ErrPlain", err)
	}
}

// An interruption anywhere, with the machine's crash after it, leaves every
// file whole, and a second try ends what the first began.
func TestReencryptInterrupted(t *testing.T) {
	texts := map[string]string{"a": "", "b": "one", "c": string(make([]byte, 100_000))}
	for n := 0; ; n++ {
		mem := vfs.NewCrashableMem()
		e := mustOpen(t, mem, "db", testKeys(t, 1))
		for name, text := range texts {
			writeFile(t, e, "db/"+name, text)
		}
		if err := syncDir(mem, "db"); err != nil {
			t.Fatal(err)
		}
		countdown := n
		faulty := errorfs.Wrap(mem, errorfs.InjectorFunc(func(errorfs.Op) error {
			if countdown--; countdown < 0 {
				return errorfs.ErrInjected
			}
			return nil
		}))
		e, err := Open(faulty, "db", testKeys(t, 2, 1))
		if err == nil {
			_, err = Reencrypt(e, "db")
		}
		if err == nil && countdown >= 0 {
			if n < 20 {
				t.Errorf("only %d operations", n)
			}
			uses, err := KeyUsage(mem.CrashClone(vfs.CrashCloneCfg{}), "db")
			if err != nil || len(uses) != 1 || uses[0].Key != testKeys(t, 2).Current() {
				t.Errorf("after all was done, and a crash: %v, %v", uses, err)
			}
			return
		}
		crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100 * (n % 2), RNG: rand.New(rand.NewPCG(0, 0))})
		e = mustOpen(t, crashed, "db", testKeys(t, 2, 1))
		for range 2 {
			for name, text := range texts {
				if got := readFile(t, e, "db/"+name); got != text {
					t.Fatalf("interrupted at %d: %s has %d bytes, want %d", n, name, len(got), len(text))
				}
			}
			if _, err := Reencrypt(e, "db"); err != nil {
				t.Fatal(err)
			}
		}
		if names, err := e.List("db"); err != nil || len(names) != len(texts) {
			t.Fatalf("interrupted at %d: files %q, %v", n, names, err)
		}
	}
}
