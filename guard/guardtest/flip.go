package guardtest

import (
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

// Flips are the ways of a store whose bits are flipped.
type Flips[S io.Closer] struct {
	// Dir is the store's directory.
	Dir string
	// Open opens the store; keys may be nil.
	Open func(fs vfs.FS, keys *atrest.Keys) (S, error)
	// Fill puts something of everything into a new store.
	Fill func(t *testing.T, s S)
	// Verify checks the store and returns what it finds.
	Verify func(s S) (problems []string, err error)
	// Dump reads all that is stored.
	Dump func(s S) (map[string]string, error)
}

// Run flips one bit at a time, sample of them or as many as -flip.count says, in
// every file of a directory, as a killed process or an orderly Close leaves it,
// plain and encrypted. Opening, reading or Verify notices it, or all that is
// stored is as it was.
func (f Flips[S]) Run(t *testing.T, sample int) {
	count := *flipCount
	if count == 0 {
		count = sample
	}
	for _, keys := range []*atrest.Keys{nil, Keys(t)} {
		for _, closed := range []bool{false, true} {
			t.Run(fmt.Sprintf("encrypted=%t,closed=%t", keys != nil, closed), func(t *testing.T) {
				f.flip(t, f.image(t, keys, closed), keys, count/4)
			})
		}
	}
}

// image is the directory of a store that was filled.
func (f Flips[S]) image(t *testing.T, keys *atrest.Keys, closed bool) vfs.FS {
	mem := vfs.NewCrashableMem()
	s, err := f.Open(mem, keys)
	if err != nil {
		t.Fatal(err)
	}
	f.Fill(t, s)
	if !closed {
		t.Cleanup(func() { _ = s.Close() })
		return mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return mem
}

func (f Flips[S]) flip(t *testing.T, image vfs.FS, keys *atrest.Keys, count int) {
	s, err := f.Open(Copy(t, image, f.Dir), keys)
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Dump(s)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := f.Verify(s); err != nil || found != nil {
		t.Fatalf("sound: %q, %v", found, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	places := flipPlaces(t, image, f.Dir, count)
	outcome := map[string]int{}
	for _, p := range places {
		fs := Copy(t, image, f.Dir)
		Flip(t, fs, p.file, p.at, p.bit)
		outcome[fileKind(p.file)+" "+f.after(t, fs, keys, p, want)]++
	}
	for _, k := range slices.Sorted(maps.Keys(outcome)) {
		t.Logf("%6d %s", outcome[k], k)
	}
	t.Logf("%6d flips", len(places))
}

// after says how a flip was noticed.
func (f Flips[S]) after(t *testing.T, fs vfs.FS, keys *atrest.Keys, p place, want map[string]string) string {
	t.Helper()
	s, err := f.Open(fs, keys)
	if err != nil {
		return "noticed when opened"
	}
	defer func() { _ = s.Close() }()
	problems, err := f.Verify(s)
	checked := err != nil || problems != nil
	got, err := f.Dump(s)
	switch {
	case err != nil && !checked:
		t.Errorf("%v: reading notices what the check does not: %v", p, err)
	case err != nil:
		return "noticed when read"
	case checked:
		return "noticed by the check"
	case !maps.Equal(got, want):
		t.Errorf("%v: %d entries where %d were, or others, and nobody notices", p, len(got), len(want))
	}
	return "without effect"
}

// place is a bit of a file.
type place struct {
	file string
	at   int64
	bit  int
}

// flipPlaces spreads count places over all files: each gets a share, small ones
// every byte, and every file its first and last bytes.
func flipPlaces(t *testing.T, fs vfs.FS, dir string, count int) []place {
	t.Helper()
	files := allFiles(t, fs, dir)
	rng := rand.New(rand.NewPCG(7, 7))
	var out []place
	for i, name := range files {
		info, err := fs.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size := info.Size()
		share := min(size, int64(max(2, (count-len(out))/(len(files)-i))))
		for j := range share {
			at := j * size / share
			if j == share-1 {
				at = size - 1
			}
			out = append(out, place{name, at, rng.IntN(8)})
		}
	}
	return out
}

// allFiles lists the files below a directory that are not empty.
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
