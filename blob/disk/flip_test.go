package disk

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
)

var flips = flag.Int("flip.count", 200, "how many bits TestFlippedBit flips, each in a copy of its own")

// TestFlippedBit flips one bit at a time in every file of a directory, as a killed
// process or an orderly Close leaves it, plain and encrypted. Opening, reading or
// Verify notices it, or all that is stored is as it was.
func TestFlippedBit(t *testing.T) {
	keys, err := atrest.NewKeys([]byte("0123456789abcdefghijklmnopqrstuv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range []*atrest.Keys{nil, keys} {
		for _, closed := range []bool{false, true} {
			t.Run(fmt.Sprintf("encrypted=%t,closed=%t", keys != nil, closed), func(t *testing.T) {
				f := &flipper{keys: keys, outcome: map[string]int{}}
				f.image(t, closed)
				f.run(t, *flips/4)
			})
		}
	}
}

type flipper struct {
	keys    *atrest.Keys
	from    vfs.FS
	want    map[string]string
	outcome map[string]int
}

func (f *flipper) open(fs vfs.FS) (*Store, error) {
	sealed, err := atrest.Open(fs, "store", f.keys)
	if err != nil {
		return nil, err
	}
	return Open("store", Options{FS: sealed, Log: quiet, MinPartSize: 1})
}

// image makes a directory with something of everything.
func (f *flipper) image(t *testing.T, closed bool) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	s, err := f.open(mem)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateBucket(Bucket{Name: "bucket", Versioning: Enabled}); err != nil {
		t.Fatal(err)
	}
	fill := func(from int) {
		for i := from; i < from+4; i++ {
			for _, size := range []int{100 + i, 5000 + i, 80_000 + i} {
				data := noise(size)
				put(t, s, fmt.Sprint(size), data, withETag(data), func(o *Object) { o.Tags = Pairs{{"n", fmt.Sprint(i)}} })
			}
		}
	}
	fill(0)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	fill(2)
	text := []byte(strings.Repeat("all about whales and ships ", 4000))
	put(t, s, "cold", text, withETag(text), func(o *Object) { o.Class = Glacier })
	if err := putInParts(t.Context(), s, "parts", noise(100_000)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteObjects(t.Context(), "bucket", []Deletion{{Key: "101"}, {Key: "80001"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	putPart(t, s, "under way", noise(70_000))
	fill(3)
	f.from = mem
	if closed {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Cleanup(func() { _ = s.Close() })
	f.from = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
}

func (f *flipper) run(t *testing.T, count int) {
	t.Helper()
	s, err := f.open(copyOf(t, f.from))
	if err != nil {
		t.Fatal(err)
	}
	if f.want, err = dump(s); err != nil {
		t.Fatal(err)
	}
	if found := problems(t, s); found != nil {
		t.Fatalf("sound: %q", found)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, name := range allFiles(t, f.from, "store") {
		total += f.file(t, name, count)
	}
	for _, k := range slices.Sorted(maps.Keys(f.outcome)) {
		t.Logf("%6d %s", f.outcome[k], k)
	}
	t.Logf("%6d flips", total)
}

// file flips bits of one file: its share of count, its first and last bytes
// among them.
func (f *flipper) file(t *testing.T, name string, count int) (n int) {
	t.Helper()
	info, err := f.from.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	share := min(info.Size(), int64(max(2, count/len(allFiles(t, f.from, "store")))))
	rng := rand.New(rand.NewPCG(7, uint64(len(name))))
	for i := range share {
		at := i * info.Size() / share
		if i == share-1 {
			at = info.Size() - 1
		}
		fs := copyOf(t, f.from)
		rewriteFile(t, fs, name, func(b []byte) []byte {
			b[at] ^= 1 << rng.IntN(8)
			return b
		})
		how := f.after(t, fs, fmt.Sprintf("%s byte %d", name, at))
		f.outcome[fileKind(name)+" "+how]++
		n++
	}
	return n
}

// after says how a flip was noticed.
func (f *flipper) after(t *testing.T, fs vfs.FS, where string) string {
	t.Helper()
	s, err := f.open(fs)
	if err != nil {
		return "noticed when opened"
	}
	defer func() { _ = s.Close() }()
	found := 0
	if err := s.Verify(t.Context(), func(Problem) { found++ }); err != nil {
		found++
	}
	got, err := dump(s)
	switch {
	case err != nil && found == 0:
		t.Errorf("%s: reading notices what the check does not: %v", where, err)
	case err != nil:
		return "noticed when read"
	case found > 0:
		return "noticed by the check"
	case !maps.Equal(got, f.want):
		t.Errorf("%s: something else is stored, and nobody notices", where)
	}
	return "without effect"
}

// dump reads all rows, and the bytes of all objects.
func dump(s *Store) (map[string]string, error) {
	all := map[string]string{}
	err := s.scan([]byte{0}, []byte{0xff}, func(row, value []byte) error {
		if row[0] != spaceSeq { // it grows when the store is opened
			all[string(row)] = string(value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	page, err := s.ListVersions("bucket", Query{Max: 1000})
	if err != nil {
		return nil, err
	}
	for _, o := range page.Objects {
		if o.Marker {
			continue
		}
		h, err := s.Open("bucket", o.Key, o.VersionID())
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		_, err = io.Copy(&b, h.reader(0, h.Size))
		h.Close()
		if err != nil {
			return nil, err
		}
		all[o.Key+" "+o.VersionID()] = b.String()
	}
	return all, nil
}

// allFiles lists the files below a directory.
func allFiles(t *testing.T, fs vfs.FS, dir string) (out []string) {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		path := fs.PathJoin(dir, name)
		info, err := fs.Stat(path)
		switch {
		case err != nil:
			t.Fatal(err)
		case info.IsDir():
			out = append(out, allFiles(t, fs, path)...)
		case info.Size() > 0:
			out = append(out, path)
		}
	}
	return out
}

// fileKind is a file's name without its number.
func fileKind(file string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, file)
}

func copyOf(t *testing.T, from vfs.FS) vfs.FS {
	t.Helper()
	to := vfs.NewMem()
	if _, err := vfs.Clone(from, to, "store", "store"); err != nil {
		t.Fatal(err)
	}
	return to
}
