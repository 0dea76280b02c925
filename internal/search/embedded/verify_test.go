package embedded

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/search"
)

var flips = flag.Int("flips", 60, "bits to flip in TestFlippedBits")

// makeIndex writes an index with updated and deleted documents and returns what
// it finds.
func makeIndex(t *testing.T, dir string) []string {
	t.Helper()
	x, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		var put []search.Document
		for j := range 10 {
			put = append(put, doc(fmt.Sprintf("blog/%d", i*5+j), fmt.Sprint("whale ", i, " ", j), "all about whales and ships", level(search.Level(j%3/2*2))))
		}
		apply(t, x, search.Batch{Put: put, Delete: []search.Key{{Desk: "blog", ID: fmt.Sprint(i)}}, Checkpoints: search.Checkpoints{"built/": "now", "n": fmt.Sprint(i)}})
	}
	want, err := answers(t, x)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return want
}

// answers is all that an index says.
func answers(t *testing.T, x *Index) ([]string, error) {
	t.Helper()
	points, err := x.Checkpoints(t.Context())
	if err != nil {
		return nil, err
	}
	out := []string{fmt.Sprint(points)}
	for _, text := range []string{"whale", "ships", "whale 3"} {
		r, err := x.Search(t.Context(), search.Query{Text: text, Level: search.MaxLevel, Limit: 100})
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprint(text, r.Total))
		for _, h := range r.Hits {
			out = append(out, h.ID+h.Title+string(h.ExcerptHTML))
		}
	}
	return out, nil
}

func indexFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestFlippedBits flips one bit after the other, anywhere in the files of an index:
// either it says what it said before, or it says that it is to be made again. What
// verifying finds beforehand is the damage, if there is any.
func TestFlippedBits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "search")
	want := makeIndex(t, dir)
	if err := VerifyDir(dir, func(err error) { t.Errorf("a sound index: %v", err) }); err != nil {
		t.Fatal(err)
	}
	names := indexFiles(t, dir)
	rng := rand.New(rand.NewPCG(uint64(*flips), 1))
	found, verified := 0, 0
	for n := range *flips {
		name := names[n%len(names)]
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 {
			continue
		}
		bit := rng.IntN(len(b) * 8)
		copied := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		b[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(filepath.Join(copied, rel), b, 0o600); err != nil {
			t.Fatal(err)
		}
		damaged := false
		if err := VerifyDir(copied, func(error) { damaged = true }); err != nil {
			t.Errorf("%s bit %d: %v", rel, bit, err)
		}
		if damaged {
			verified++
		}
		if lost := askDamaged(t, copied, want); lost != damaged && lost {
			t.Errorf("%s bit %d: it is to be made again, which verifying did not find", rel, bit)
		} else if lost {
			found++
		}
		if t.Failed() {
			t.Fatalf("%s bit %d", rel, bit)
		}
		if err := os.RemoveAll(copied); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d bits flipped: %d found when opened, %d by verifying, the others without effect", *flips, found, verified)
	if found == 0 || verified < found {
		t.Error("damage was not found")
	}
}

// askDamaged reports whether an index says that it is to be made again; else it
// must say what is wanted.
func askDamaged(t *testing.T, dir string, want []string) bool {
	t.Helper()
	x, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	got, err := answers(t, x)
	if errors.Is(err, errs.Unavailable) {
		points, err := x.Checkpoints(t.Context())
		if err != nil || len(points) != 0 {
			t.Errorf("damaged, and it would not be made again: %v, %v", points, err)
		}
		return true
	}
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("another answer (-want +got):\n%s", diff)
	}
	return false
}

// An index in use that is damaged is found by Verify, and is then no longer
// searched.
func TestVerifyWhileInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "search")
	x, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	// One segment, which is merged with no other.
	apply(t, x, search.Batch{Put: []search.Document{doc("blog/a", "whale", "all about whales")}, Checkpoints: search.Checkpoints{"built/": "now"}})
	if err := x.Verify(t.Context(), func(err error) { t.Errorf("sound: %v", err) }); err != nil {
		t.Fatal(err)
	}
	for _, name := range indexFiles(t, dir) {
		if strings.HasSuffix(name, ".zap") {
			b, err := os.ReadFile(name)
			if err != nil || len(b) == 0 {
				t.Fatal(name, len(b), err)
			}
			b[len(b)/2] ^= 1
			// The same file, as the index has it mapped.
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt(b, 0); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
	found := 0
	if err := x.Verify(t.Context(), func(error) { found++ }); err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("nothing was found")
	}
	if _, err := x.Search(t.Context(), search.Query{Text: "whale", Limit: 1}); !errors.Is(err, errs.Unavailable) {
		t.Errorf("search: %v", err)
	}
	if points, err := x.Checkpoints(t.Context()); err != nil || len(points) != 0 {
		t.Errorf("checkpoints %v, %v", points, err)
	}
}
