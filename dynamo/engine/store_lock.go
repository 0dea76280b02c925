package engine

import (
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// stripes are the locks under which an item is read, changed and handed to
// Pebble. A lock is let go before the sync, so that writers of one item share
// a sync as writers of different items do: the log keeps their order.
type stripes struct {
	mu [4096]struct {
		sync.Mutex
		_ [56]byte // a cache line each
	}
}

func (s *stripes) of(rowKey []byte) int {
	return int(xxhash.Sum64(rowKey) % uint64(len(s.mu)))
}

func (s *stripes) lock(rowKey []byte) (unlock func()) {
	m := &s.mu[s.of(rowKey)]
	m.Lock()
	return m.Unlock
}

// lockAll locks the stripes of several rows in one order, so that two
// transactions cannot wait for each other.
func (s *stripes) lockAll(rowKeys [][]byte) (unlock func()) {
	nums := make([]int, 0, len(rowKeys))
	for _, k := range rowKeys {
		nums = append(nums, s.of(k))
	}
	slices.Sort(nums)
	nums = slices.Compact(nums)
	for _, n := range nums {
		s.mu[n].Lock()
	}
	return func() {
		for _, n := range nums {
			s.mu[n].Unlock()
		}
	}
}
