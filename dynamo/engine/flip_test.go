package engine

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
)

var flips = flag.Int("flip.count", 240/raceFactor, "how many bits TestFlippedBit flips, each in a copy of its own")

// TestFlippedBit flips one bit at a time in every file of a directory, as a
// killed process or an orderly Close leaves it, plain and encrypted. Opening,
// reading or Verify notices it, or all that is stored is as it was.
func TestFlippedBit(t *testing.T) {
	for _, keys := range []*atrest.Keys{nil, newKeys(t)} {
		for _, closed := range []bool{false, true} {
			t.Run(fmt.Sprintf("encrypted=%t,closed=%t", keys != nil, closed), func(t *testing.T) {
				o := func(fs vfs.FS) *Options {
					opts := quietOptions(fs)
					opts.Keys = keys
					return opts
				}
				flipBits(t, flipImage(t, o, closed), o, *flips/4)
			})
		}
	}
}

// flipImage makes a directory with something of everything.
func flipImage(t *testing.T, o func(vfs.FS) *Options, closed bool) vfs.FS {
	t.Helper()
	mem := vfs.NewCrashableMem()
	e, err := Open("db", o(mem))
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(createCrashTable(e))
	put := func(n int) {
		t.Helper()
		_, err := e.PutItem(context.Background(), &PutItem{TableName: aws.String(crashTable), Item: itemOf(
			"pk", str(fmt.Sprint("p", n%7)), "sk", num(n), "n", num(-n), "text", str(strings.Repeat(fmt.Sprint("text ", n), 20)))})
		must(err)
	}
	for n := range 60 {
		put(n)
	}
	must(e.db.Flush())
	_, err = e.UpdateContinuousBackups(context.Background(), &dynamodb.UpdateContinuousBackupsInput{
		TableName: aws.String(crashTable), PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}})
	must(err)
	_, err = e.CreateBackup(context.Background(), &dynamodb.CreateBackupInput{TableName: aws.String(crashTable), BackupName: aws.String("saved")})
	must(err)
	must(compactAll(e))
	for n := 50; n < 90; n++ {
		put(n)
	}
	must(e.db.Flush())
	for w := range 3 {
		for n := range 4 {
			must(writeNext(e, w, n+1))
		}
	}
	for n := 85; n < 120; n++ {
		put(n)
	}
	if !closed {
		t.Cleanup(func() { _ = e.Close() })
		return mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	}
	must(e.Close())
	return mem
}

func flipBits(t *testing.T, image vfs.FS, o func(vfs.FS) *Options, count int) {
	e, err := Open("db", o(copyOf(t, image)))
	if err != nil {
		t.Fatal(err)
	}
	want, err := dump(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Verify(context.Background(), func(p Problem) { t.Fatal(p) }); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	places := flipPlaces(t, image, count)
	outcome := map[string]int{}
	for _, p := range places {
		fs := copyOf(t, image)
		flipBit(t, fs, p)
		how := afterFlip(t, o(fs), p, want)
		outcome[fileKind(p.file)+" "+how]++
	}
	for _, k := range slices.Sorted(maps.Keys(outcome)) {
		t.Logf("%6d %s", outcome[k], k)
	}
	t.Logf("%6d flips", len(places))
}

// afterFlip says how a flip was noticed.
func afterFlip(t *testing.T, o *Options, p flipped, want map[string]string) string {
	t.Helper()
	e, err := Open("db", o)
	if err != nil {
		return "noticed when opened"
	}
	defer func() { _ = e.Close() }()
	found := 0
	if err := e.Verify(context.Background(), func(Problem) { found++ }); err != nil {
		return "noticed by the check"
	}
	got, err := dump(e)
	switch {
	case err != nil && found == 0:
		t.Errorf("%v: reading notices what the check does not: %v", p, err)
	case err != nil:
		return "noticed when read"
	case found > 0:
		return "noticed by the check"
	case !maps.Equal(got, want):
		t.Errorf("%v: %d rows where %d were, and nobody notices", p, len(got), len(want))
	}
	return "without effect"
}

// dump reads all that is stored.
func dump(e *Engine) (map[string]string, error) {
	it, err := e.db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for ok := it.First(); ok; ok = it.Next() {
		all[string(it.Key())] = string(it.Value())
	}
	return all, it.Close()
}

// flipped is a bit of a file.
type flipped struct {
	file string
	at   int64
	bit  int
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

// flipPlaces spreads count places over all files: each gets a share, small
// ones every byte, and every file its first and last bytes.
func flipPlaces(t *testing.T, fs vfs.FS, count int) []flipped {
	t.Helper()
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(7, 7))
	var out []flipped
	for i, name := range names {
		info, err := fs.Stat("db/" + name)
		if err != nil {
			t.Fatal(err)
		}
		size := info.Size()
		share := int64(max(4, (count-len(out))/(len(names)-i)))
		if size == 0 {
			continue
		}
		for j := range min(share, size) {
			at := j * size / min(share, size)
			if j == share-1 {
				at = size - 1
			}
			out = append(out, flipped{name, at, rng.IntN(8)})
		}
	}
	return out
}

func copyOf(t *testing.T, from vfs.FS) vfs.FS {
	t.Helper()
	to := vfs.NewMem()
	if _, err := vfs.Clone(from, to, "db", "db"); err != nil {
		t.Fatal(err)
	}
	return to
}

func flipBit(t *testing.T, fs vfs.FS, p flipped) {
	t.Helper()
	f, err := fs.Open("db/" + p.file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	content[p.at] ^= 1 << p.bit
	w, err := fs.Create("db/"+p.file, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
