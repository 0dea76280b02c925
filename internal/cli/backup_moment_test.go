package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A backup that is made while others write holds the writes of one moment: of each
// writer, who writes one thing after the other, all up to some number and nothing
// after it. What was acknowledged before the backup began is in it, and every item
// and object has the hash of what was written.
func TestBackupIsOfOneMoment(t *testing.T) {
	const writers = 3
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	d := openDesk(t, data, "")
	d.set()
	var acknowledged [writers]atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				d.put(fmt.Sprintf("%d-%d", w, i), fmt.Sprintf("words %d of %d", i, w), i)
				acknowledged[w].Store(int64(i + 1))
			}
		})
	}
	defer func() { stop(); all.Wait() }()
	for n := range 3 {
		for w := range writers {
			eventually(t, "the writers write", func() bool { return acknowledged[w].Load() > int64(5*(n+1)) })
		}
		var before, after [writers]int64
		for w := range writers {
			before[w] = acknowledged[w].Load()
		}
		place, back := filepath.Join(dir, fmt.Sprint("backup", n)), filepath.Join(dir, fmt.Sprint("back", n))
		ok(t, "backup", place, "--data", data)
		for w := range writers {
			after[w] = acknowledged[w].Load() + 1 // one more may have been under way
		}
		ok(t, "restore", place, "--data", back)
		r := openDesk(t, back, "")
		got := r.state()
		var counts [writers]int64
		for key := range got {
			var w, i int
			if _, err := fmt.Sscanf(key, "item %d-%d", &w, &i); err == nil {
				counts[w]++
			}
		}
		want := map[string]string{}
		for w := range writers {
			if counts[w] < before[w] || counts[w] > after[w] {
				t.Errorf("backup %d has %d items of writer %d; %d were acknowledged before it, %d after", n, counts[w], w, before[w], after[w])
			}
			for i := range counts[w] {
				written(want, w, int(i))
			}
			// An object is written before the item that names it.
			next := map[string]string{}
			written(next, w, int(counts[w]))
			key := fmt.Sprintf("object %d-%d", w, counts[w])
			if got[key] != "" {
				want[key] = next[key]
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("backup %d (-written +restored):\n%.2000s", n, diff)
		}
	}
}

// written is what [newsdesk.put] makes of number i of a writer, by its hash.
func written(state map[string]string, w, i int) {
	id, text := fmt.Sprintf("%d-%d", w, i), fmt.Sprintf("words %d of %d", i, w)
	size := 200
	if i%3 == 0 {
		size = 100 << 10
	}
	body := strings.Repeat(text+" ", size/(len(text)+1)+1)
	item := fmt.Sprintf(`{"body":%q,"by":%q,"pk":%q,"text":%q}`, id, text[:1], id, text)
	state["item "+id] = fmt.Sprintf("%x", sha256.Sum256([]byte(item)))
	state["object "+id] = fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
}
