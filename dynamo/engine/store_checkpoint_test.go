package engine

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
)

// A checkpoint under load is the store of one moment: of each writer's
// numbered items it has a beginning, with all that were answered before.
func TestCheckpointUnderLoad(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, simpleTable("load"))
	stop := make(chan struct{})
	var all sync.WaitGroup
	var mu sync.Mutex
	answered := map[int]int{}
	for w := range 4 {
		all.Go(func() {
			for i := range 2000 {
				select {
				case <-stop:
					return
				default:
				}
				put(t, e, "load", item("pk", fmt.Sprintf("%d-%04d", w, i)))
				mu.Lock()
				answered[w] = i
				mu.Unlock()
			}
		})
	}
	for n := range 3 {
		eventually(t, "the writers to write", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(answered) == 4 && answered[n] >= 10*(n+1)
		})
		mu.Lock()
		before := map[int]int{}
		for w, i := range answered {
			before[w] = i
		}
		mu.Unlock()
		if err := e.Checkpoint(fmt.Sprintf("copy%d", n)); err != nil {
			t.Fatal(err)
		}
		copied, err := Open(fmt.Sprintf("copy%d", n), &Options{FS: fs, Now: c.now, SweepEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		verified(t, copied)
		got := map[string]bool{}
		for text := range scan(t, copied, "load", "") {
			got[regexp.MustCompile(`\d-\d{4}`).FindString(text)] = true
		}
		for w := range 4 {
			have, count := 0, 0
			for got[fmt.Sprintf("%d-%04d", w, have)] {
				have++
			}
			for pk := range got {
				if strings.HasPrefix(pk, fmt.Sprintf("%d-", w)) {
					count++
				}
			}
			if have != count {
				t.Errorf("writer %d: %d items, of which only %d are the first ones", w, count, have)
			}
			if last, wrote := before[w]; wrote && have <= last {
				t.Errorf("writer %d: item %d was answered before, the copy ends at %d", w, last, have-1)
			}
		}
		if err := copied.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	all.Wait()
}

// Rewind gives the state that was recorded at each second, forwards and
// backwards, with indexes and expiry entries.
func TestRewind(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, richTable())
	recovery(t, e, "rich", true, 0)
	rnd := rand.New(rand.NewPCG(1, 2))
	states := map[time.Time]map[string]int{}
	start := c.now()
	for i := range 12 {
		for range 20 {
			pk, sk := rnd.IntN(4), rnd.IntN(6)
			if rnd.IntN(3) == 0 {
				_, err := e.DeleteItem(ctx, &DeleteItem{Keyed: Keyed{TableName: aws.String("rich"), Key: item("pk", fmt.Sprint(pk), "sk", sk)}})
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			put(t, e, "rich", item("pk", fmt.Sprint(pk), "sk", sk, "n", rnd.IntN(100), "i", i))
		}
		states[c.now()] = scan(t, e, "rich", "")
		if i == 8 {
			create(t, e, simpleTable("later"))
			recovery(t, e, "later", true, 0)
			put(t, e, "later", item("pk", "x"))
		}
		c.move(time.Second)
	}
	for _, second := range []int{9, 3, 7, 0, 11} {
		at := start.Add(time.Duration(second) * time.Second)
		if err := e.Rewind(ctx, at, true, func(Rewound) {}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(states[at], scan(t, e, "rich", "")); diff != "" {
			t.Errorf("second %d (-then +now):\n%s", second, diff)
		}
		verified(t, e)
		if exists := e.catalog.get("later") != nil; exists != (second >= 9) && second == 9 {
			t.Errorf("second %d: the later table exists: %v", second, exists)
		}
		c.move(time.Second)
	}
	if e.catalog.get("later") != nil {
		t.Error("a table that was made later is there at second 0")
	}
}

// What cannot be set back exactly is refused before anything changes.
func TestRewindRefuses(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	create(t, e, simpleTable("plain"))
	create(t, e, simpleTable("gone"))
	create(t, e, simpleTable("kept"))
	recovery(t, e, "gone", true, 0)
	recovery(t, e, "kept", true, 0)
	put(t, e, "kept", item("pk", "then"))
	at := c.now()
	c.move(time.Minute)
	put(t, e, "kept", item("pk", "now"))
	if _, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("gone")}); err != nil {
		t.Fatal(err)
	}
	before := scan(t, e, "kept", "")
	err := e.Rewind(ctx, at, false, func(r Rewound) { t.Errorf("%+v", r) })
	if err == nil || !strings.Contains(err.Error(), "gone was deleted at 2026-11-15T09:31:00Z") || !strings.Contains(err.Error(), "plain has no point-in-time recovery") {
		t.Errorf("it says %v", err)
	}
	if diff := cmp.Diff(before, scan(t, e, "kept", "")); diff != "" {
		t.Errorf("it changed something:\n%s", diff)
	}
	if err := e.Rewind(ctx, c.now().Add(time.Hour), true, func(Rewound) {}); err == nil {
		t.Error("it went to the future")
	}
	var done []Rewound
	if err := e.Rewind(ctx, at, true, func(r Rewound) { done = append(done, r) }); err != nil {
		t.Fatal(err)
	}
	want := []Rewound{
		{Table: "kept", Items: 1},
		{Table: "gone", Left: "was deleted at 2026-11-15T09:31:00Z, and its changes with it"},
		{Table: "plain", Left: "has no point-in-time recovery"},
	}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(1, len(scan(t, e, "kept", ""))); diff != "" {
		t.Error(diff)
	}
}
