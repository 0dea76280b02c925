package front

import (
	"hash/maphash"
	"math"
	"sync"
	"time"

	"pressroom/internal/errs"
)

// Rate is a token bucket: so many requests a second on average, and Burst at
// once, at least 1. A negative rate is no limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

const (
	limiterShards = 64
	// bucketsPerShard bounds the memory: about 65,000 callers at a time.
	bucketsPerShard = 1024
	sweepEvery      = time.Second
)

// limiter keeps a bucket for each caller. Its memory is bounded: callers for whom
// there is no room share one bucket of their shard, so that a crowd of addresses
// neither gets in uncounted nor keeps out those who were there before.
type limiter[K comparable] struct {
	rate   Rate
	seed   maphash.Seed
	shards [limiterShards]shard[K]
}

type shard[K comparable] struct {
	mu      sync.Mutex
	buckets map[K]*bucket
	others  bucket
	swept   time.Time
}

type bucket struct {
	tokens float64
	at     time.Time // zero for a bucket that was never used, which is full
}

func newLimiter[K comparable](r Rate) *limiter[K] {
	r.Burst = max(r.Burst, 1)
	return &limiter[K]{rate: r, seed: maphash.MakeSeed()}
}

// take takes one token from the caller's bucket. If there is none, it says how
// long until there is.
func (l *limiter[K]) take(who K, now time.Time) (after time.Duration, ok bool) {
	if l.rate.PerSecond < 0 {
		return 0, true
	}
	s := &l.shards[maphash.Comparable(l.seed, who)%limiterShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.bucket(s, who, now).take(l.rate, now)
}

func (l *limiter[K]) bucket(s *shard[K], who K, now time.Time) *bucket {
	if b, ok := s.buckets[who]; ok {
		return b
	}
	if len(s.buckets) >= bucketsPerShard && now.Sub(s.swept) >= sweepEvery {
		s.sweep(l.rate, now)
	}
	if len(s.buckets) >= bucketsPerShard {
		return &s.others
	}
	if s.buckets == nil {
		s.buckets = map[K]*bucket{}
	}
	b := &bucket{}
	s.buckets[who] = b
	return b
}

// sweep forgets callers whose buckets are full again: they would get the same
// new.
func (s *shard[K]) sweep(r Rate, now time.Time) {
	s.swept = now
	for who, b := range s.buckets {
		if b.filled(r, now) >= float64(r.Burst) {
			delete(s.buckets, who)
		}
	}
}

// filled is what the bucket holds now.
func (b *bucket) filled(r Rate, now time.Time) float64 {
	if b.at.IsZero() {
		return float64(r.Burst)
	}
	gained := max(0, now.Sub(b.at).Seconds()) * r.PerSecond
	return min(float64(r.Burst), b.tokens+gained)
}

func (b *bucket) take(r Rate, now time.Time) (after time.Duration, ok bool) {
	b.tokens = b.filled(r, now)
	if b.at.Before(now) {
		b.at = now
	}
	if b.tokens >= 1 {
		b.tokens--
		return 0, true
	}
	if r.PerSecond == 0 {
		return time.Hour, false
	}
	return time.Duration(math.Ceil((1 - b.tokens) / r.PerSecond * float64(time.Second))), false
}

// crowd counts who is inside a route.
type crowd struct {
	mu  sync.Mutex
	who map[string]int
}

// enter lets a caller into a route of which it may have AtOnce at a time.
func (e *entry) enter(q *request) (leave func(), err error) {
	if e.AtOnce <= 0 {
		return func() {}, nil
	}
	who := networkOf(q.peer.Addr).String()
	if q.account != nil {
		who = q.account.ID
	}
	c := &e.inside
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.who[who] >= e.AtOnce {
		return nil, errs.RateLimit(time.Second)
	}
	if c.who == nil {
		c.who = map[string]int{}
	}
	c.who[who]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.who[who]--; c.who[who] == 0 {
			delete(c.who, who)
		}
	}, nil
}
