// Package kept keeps answers for as long as they are true.
//
// It promises that what is kept carries what was read for it, and that whoever
// asks after a write was answered never gets what was made of the tables as they
// were before: the store itself says what was written, whoever wrote it, so that no
// desk, page or job has to say so. What a store cannot vouch for is not kept at all.
//
// An answer that was being made when the write came is kept only if it read what is
// written now. What is made of something kept, of a book of terms for example, has
// read what that was made of.
//
// Start with Store. Nothing in it needs to be cleared by hand.
package kept

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Reading is what was read of the tables, as the store hands it out.
type Reading = interface {
	// Holds reports whether all of it is still so. It is false from before the
	// answer to the write that changed something.
	Holds() bool
	// Join notes in the reading of ctx what this one has read.
	Join(ctx context.Context)
}

// Track returns a context, and the reading of what is read with it. Nil is a store
// that cannot tell what others write into it: nothing made of it is kept.
type Track func(ctx context.Context) (context.Context, Reading)

// Options tune a Store. The zero value keeps nothing.
type Options struct {
	Track Track
	For   time.Duration    // how long an answer is kept at most
	Most  int              // how many are kept; default 1
	Now   func() time.Time // default time.Now
}

// Store keeps answers by key. It may be used from many goroutines.
type Store[T any] struct {
	o Options

	mu      sync.Mutex
	answers map[string]*answer[T]
}

// answer is one that is being made, or was.
type answer[T any] struct {
	made    chan struct{} // closed when the rest is set
	until   time.Time
	good    bool
	value   T
	reading Reading
}

// New returns an empty store.
func New[T any](o Options) *Store[T] {
	o.Most = max(o.Most, 1)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store[T]{o: o, answers: map[string]*answer[T]{}}
}

// Len returns how many answers there are.
func (s *Store[T]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.answers)
}

// Get returns the answer that is kept, or has it made: by one caller for all who
// ask meanwhile. Make says whether its answer is good for others; mine tells that
// this caller made it. Without either, ok is false: the answer is not to be had
// from here, and the caller must do without. An error is that of ctx.
func (s *Store[T]) Get(ctx context.Context, key string, make func(ctx context.Context) (value T, good bool)) (value T, mine, ok bool, err error) {
	if s.o.Track == nil || s.o.For <= 0 {
		value, ok = make(ctx)
		return value, true, ok, nil
	}
	for {
		a, first := s.claim(key)
		if first {
			s.make(ctx, key, a, make)
			return a.value, true, a.good, nil
		}
		select {
		case <-a.made:
		case <-ctx.Done():
			return value, false, false, context.Cause(ctx)
		}
		switch {
		case !a.good:
			return value, false, false, nil
		case a.reading.Holds():
			a.reading.Join(ctx)
			return a.value, false, true, nil
		}
		s.drop(key, a)
	}
}

// claim returns the answer to a key, and whether the caller is to make it. Its age
// counts from when its making began.
func (s *Store[T]) claim(key string) (a *answer[T], first bool) {
	now := s.o.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.answers[key]; ok && now.Before(a.until) && a.until.Sub(now) <= s.o.For {
		return a, false
	}
	if len(s.answers) >= s.o.Most {
		s.sweep(now)
	}
	a = &answer[T]{made: make(chan struct{}), until: now.Add(s.o.For)}
	s.answers[key] = a
	return a, true
}

// sweep makes room: what is over goes, and if all of it is fresh, all of it goes.
// Those who hold an answer still have it.
func (s *Store[T]) sweep(now time.Time) {
	for key, a := range s.answers {
		if !now.Before(a.until) {
			delete(s.answers, key)
		}
	}
	if len(s.answers) >= s.o.Most {
		clear(s.answers)
	}
}

func (s *Store[T]) make(ctx context.Context, key string, a *answer[T], make func(context.Context) (T, bool)) {
	// Whatever happens, those who wait must be told.
	defer func() {
		if !a.good {
			s.drop(key, a)
		}
		close(a.made)
	}()
	ctx, reading := s.o.Track(ctx)
	ctx, mark := marked(ctx)
	a.reading = reading
	a.value, a.good = make(ctx)
	a.good = a.good && !mark.unsure.Load()
}

// drop removes an answer, unless another one has its place.
func (s *Store[T]) drop(key string, a *answer[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers[key] == a {
		delete(s.answers, key)
	}
}

// mark is what is said about an answer while it is made.
type mark struct {
	unsure atomic.Bool
	outer  *mark
}

type markKey struct{}

func marked(ctx context.Context) (context.Context, *mark) {
	m := &mark{}
	m.outer, _ = ctx.Value(markKey{}).(*mark)
	return context.WithValue(ctx, markKey{}, m), m
}

// Unsure says that what is being made with ctx has something in it for which the
// store cannot vouch. It is not kept.
func Unsure(ctx context.Context) {
	for m, _ := ctx.Value(markKey{}).(*mark); m != nil; m = m.outer {
		m.unsure.Store(true)
	}
}
