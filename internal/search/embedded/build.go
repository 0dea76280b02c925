package embedded

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"pressroom/internal/search"
)

// build is a generation that is not searched yet. Nobody needs its documents
// before Commit, so that they are written in pieces of a good size, whatever the
// size of the batches, and several at a time. The order in which two forms of a
// document are written that follow each other closely is then open: who builds
// reads changes again, after a batch with checkpoints, which waits for all before.
type build struct {
	index   *Index
	g       *generation       // nil after Commit or Abort
	waiting []search.Document // to be written, their text less than batchText
	size    int

	gate    chan struct{} // has room for as many as may write at once
	writers sync.WaitGroup
	mu      sync.Mutex
	failed  error // of the writers so far
}

// Rebuild begins an empty index beside the one that is searched.
func (x *Index) Rebuild(context.Context) (search.Build, error) {
	g, err := newGeneration(x.dir)
	if err != nil {
		return nil, err
	}
	return &build{index: x, g: g, gate: make(chan struct{}, min(runtime.GOMAXPROCS(0), maxWriters))}, nil
}

// maxWriters bounds the memory that writing takes.
const maxWriters = 4

// Apply makes a change in the new index; it is durable when Commit returns.
func (b *build) Apply(ctx context.Context, batch search.Batch) error {
	for i := range batch.Put {
		b.waiting = append(b.waiting, batch.Put[i])
		if b.size += textSize(&batch.Put[i]); b.size >= batchText {
			b.flush(ctx)
		}
	}
	if batch.Delete == nil && batch.Checkpoints == nil {
		return ctx.Err()
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	return b.g.apply(ctx, search.Batch{Delete: batch.Delete, Checkpoints: batch.Checkpoints})
}

// flush has what is waiting written, if need be after others. Errors are those of
// settle.
func (b *build) flush(ctx context.Context) {
	list, g := b.waiting, b.g
	b.waiting, b.size = nil, 0
	if list == nil {
		return
	}
	b.gate <- struct{}{}
	b.writers.Go(func() {
		defer func() { <-b.gate }()
		if err := g.apply(ctx, search.Batch{Put: list}); err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.failed = errors.Join(b.failed, err)
		}
	})
}

// settle waits until everything is written.
func (b *build) settle(ctx context.Context) error {
	b.flush(ctx)
	b.writers.Wait()
	return b.failed
}

// Commit waits for the searches under way, switches, and removes the old index
// when others search the new one already.
func (b *build) Commit(ctx context.Context) error {
	if err := b.settle(ctx); err != nil {
		return err
	}
	old, err := b.take()
	if err != nil {
		return err
	}
	return errors.Join(old.close(), old.remove())
}

// take puts the new index in the place of the old one, which it returns.
func (b *build) take() (*generation, error) {
	x := b.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, errors.Join(errors.New("the search index is closed"), b.Abort())
	}
	if err := b.g.makeCurrent(); err != nil {
		return nil, err
	}
	old := x.current
	x.current, b.g = b.g, nil
	return old, nil
}

// Abort removes the new index.
func (b *build) Abort() error {
	if b.g == nil {
		return nil
	}
	g := b.g
	b.g = nil
	b.writers.Wait()
	return errors.Join(g.close(), g.remove())
}
