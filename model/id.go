package model

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// IDs makes ULIDs: 26 characters that sort by the time they were made, and
// within a millisecond by the order in which this generator made them. The zero
// value is ready; it may be used from many goroutines.
type IDs struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	mu      sync.Mutex
	millis  uint64
	entropy *ulid.MonotonicEntropy
}

// New returns a new id.
func (g *IDs) New() string {
	now := time.Now
	if g.Now != nil {
		now = g.Now
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.entropy == nil {
		g.entropy = ulid.Monotonic(rand.Reader, 0)
	}
	// When the clock goes back, the ids go on from the last millisecond.
	g.millis = max(g.millis, uint64(max(0, now().UnixMilli())))
	id, err := ulid.New(g.millis, g.entropy)
	if err != nil {
		g.millis++ // this one has no ids left
		id = ulid.MustNew(g.millis, g.entropy)
	}
	return id.String()
}

// IDTime returns the time at which a ULID was made.
func IDTime(id string) (time.Time, error) {
	parsed, err := ulid.ParseStrict(id)
	if err != nil || parsed.String() != id { // the library takes small letters as well
		return time.Time{}, fmt.Errorf("%q is not a ULID", id)
	}
	return parsed.Timestamp().UTC(), nil
}
