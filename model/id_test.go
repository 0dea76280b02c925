package model

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
)

func TestIDs(t *testing.T) {
	at := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	ids := &IDs{Now: func() time.Time { return at }}
	var all []string
	for i := range 2000 {
		if i == 1000 {
			at = at.Add(-time.Second) // a clock that goes back
		}
		all = append(all, ids.New())
	}
	if !slices.IsSorted(all) || len(slices.Compact(all)) != 2000 {
		t.Error("ids of one generator are not ascending")
	}
	made, err := IDTime(all[0])
	if err != nil || !made.Equal(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)) {
		t.Errorf("IDTime(%s) = %v, %v", all[0], made, err)
	}
}

// Ids that were stored before the library came are read as they always were.
func TestIDTime(t *testing.T) {
	for id, millis := range map[string]int64{
		"00000000000000000000000321": 0,
		"00000000011000000000000000": 1,
		"01ARZ3NDEKTSV4RRFFQ69G5FAV": 1469922850259,
		"7ZZZZZZZZZZZZZZZZZZZZZZZZZ": 1<<48 - 1,
	} {
		if made, err := IDTime(id); err != nil || made.UnixMilli() != millis || made.Location() != time.UTC {
			t.Errorf("IDTime(%s) = %v, %v; want %d", id, made, err, millis)
		}
	}
	for _, bad := range []string{"", "01JCQ", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "01arz3ndektsv4rrffq69g5fav"} {
		if _, err := IDTime(bad); err == nil {
			t.Errorf("%q is taken for a ULID", bad)
		}
	}
}

// ones is a source whose first number has no successor.
type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 0xff
	}
	return len(p), nil
}

// A millisecond without ids left, and a clock before 1970, give ids all the same.
func TestIDLimits(t *testing.T) {
	ids := &IDs{Now: func() time.Time { return time.Time{} }, entropy: ulid.Monotonic(ones{}, 1)}
	for _, want := range []string{"0000000000ZZZZZZZZZZZZZZZZ", "0000000001ZZZZZZZZZZZZZZZZ", "0000000002ZZZZZZZZZZZZZZZZ"} {
		if got := ids.New(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestIDsConcurrently(t *testing.T) {
	var ids IDs
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				id := ids.New()
				mu.Lock()
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 4000 {
		t.Errorf("%d ids differ of 4000", len(seen))
	}
}

func TestTimes(t *testing.T) {
	at := time.Date(2026, 11, 15, 18, 30, 0, 123456789, time.FixedZone("JST", 9*3600))
	if got := FormatTime(at); got != "2026-11-15T09:30:00.123Z" {
		t.Error(got)
	}
	for _, text := range []string{"2026-11-15T09:30:00Z", "2026-11-15T09:30:00.000Z", "2026-11-15T18:30:00+09:00"} {
		got, err := ParseTime(text)
		if err != nil || FormatTime(got) != "2026-11-15T09:30:00.000Z" {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := ParseTime("yesterday"); err == nil {
		t.Error("yesterday is a time")
	}
}
