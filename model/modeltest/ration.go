package modeltest

import "sync"

// Ration is how many requests of a process are answered before it is killed. A test
// that kills processes by the clock depends on who is faster; one that gives out
// rations kills them in the middle of their work on any machine.
//
// The zero value answers nothing until Add is called.
type Ration struct {
	mu         sync.Mutex
	more       *sync.Cond
	given, all int
	due        int // how many are given when the time has come
	come       chan struct{}
}

// Take waits until a request may be answered. It reports false if it was gone by then.
func (r *Ration) Take(gone func() bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.given >= r.all {
		r.cond().Wait()
	}
	if gone() {
		return false
	}
	if r.given++; r.given == r.due {
		close(r.come)
	}
	return true
}

// Add lets n more requests be answered, and two more, so that what comes of the last
// is under way too. The channel closes when the n are.
func (r *Ration) Add(n int) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due, r.come = r.given+n, make(chan struct{})
	r.all = r.due + 2
	r.cond().Broadcast()
	return r.come
}

func (r *Ration) cond() *sync.Cond {
	if r.more == nil {
		r.more = sync.NewCond(&r.mu)
	}
	return r.more
}
