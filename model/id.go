package model

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"time"
)

// IDs makes ULIDs: 26 characters that sort by the time they were made, and
// within a millisecond by the order in which this generator made them. The zero
// value is ready; it may be used from many goroutines.
type IDs struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	mu     sync.Mutex
	millis uint64
	high   uint16 // the random part, as one number of 80 bits
	low    uint64
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// New returns a new id.
func (g *IDs) New() string {
	now := time.Now
	if g.Now != nil {
		now = g.Now
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	millis := uint64(now().UnixMilli())
	if millis > g.millis {
		g.millis = millis
		g.randomise()
	} else {
		// The same millisecond, or a clock that went back: count on.
		g.low++
		if g.low == 0 {
			g.high++
		}
	}
	return encodeULID(g.millis, g.high, g.low)
}

// randomise draws the random part, with its highest bit clear so that counting
// on from it does not overflow.
func (g *IDs) randomise() {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	g.high = binary.BigEndian.Uint16(b[:2]) &^ (1 << 15)
	g.low = binary.BigEndian.Uint64(b[2:])
}

// encodeULID writes 128 bits as 26 digits of 5 bits, the first of 3.
func encodeULID(millis uint64, high uint16, low uint64) string {
	var out [26]byte
	hi := millis<<16 | uint64(high)
	for i := 25; i >= 0; i-- {
		out[i] = crockford[low&31]
		low = low>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

// IDTime returns the time at which a ULID was made.
func IDTime(id string) (time.Time, error) {
	if len(id) != 26 || id[0] > '7' {
		return time.Time{}, fmt.Errorf("%q is no ULID", id)
	}
	var millis uint64
	for i := range 26 {
		digit := -1
		for d := range len(crockford) {
			if crockford[d] == id[i] {
				digit = d
			}
		}
		if digit < 0 {
			return time.Time{}, fmt.Errorf("%q is no ULID", id)
		}
		if i < 10 {
			millis = millis<<5 | uint64(digit)
		}
	}
	return time.UnixMilli(int64(millis)).UTC(), nil
}
