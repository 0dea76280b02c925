package expr

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// Programs send the same few expressions over and over with other values, and
// parsing costs more than binding. So trees of short expressions are kept in a
// table of fixed size, in which a newer one takes the place of an older one.
const (
	cacheSlots  = 512 // a power of two
	cacheSource = 256 // bytes of the longest source kept
)

var (
	cache     [cacheSlots]atomic.Pointer[tree]
	cacheSeed = maphash.MakeSeed()
)

// parsed is the checked tree of an expression, from the cache or made.
func parsed(kind Kind, src string) (*tree, error) {
	if len(src) > cacheSource {
		return parse(kind, src)
	}
	h := maphash.String(cacheSeed, src) + uint64(kind)
	first, second := &cache[h%cacheSlots], &cache[h%cacheSlots^1]
	if t := first.Load(); t.is(kind, src) {
		return t, nil
	}
	if t := second.Load(); t.is(kind, src) {
		return t, nil
	}
	// The tree must not keep the memory of a request.
	t, err := parse(kind, strings.Clone(src))
	if err != nil {
		return nil, err
	}
	if old := first.Swap(t); old != nil {
		second.Store(old)
	}
	return t, nil
}

// is tells whether t is the tree of that expression.
func (t *tree) is(kind Kind, src string) bool {
	return t != nil && t.kind == kind && t.src == src
}
