package embedded

import (
	"context"
	"errors"

	"pressroom/internal/search"
)

// build is a generation that is not searched yet.
type build struct {
	index *Index
	g     *generation // nil after Commit or Abort
}

// Rebuild begins an empty index beside the one that is searched.
func (x *Index) Rebuild(context.Context) (search.Build, error) {
	g, err := newGeneration(x.dir)
	if err != nil {
		return nil, err
	}
	return &build{x, g}, nil
}

// Apply makes a change durable in the new index.
func (b *build) Apply(ctx context.Context, batch search.Batch) error { return b.g.apply(ctx, batch) }

// Commit waits for the searches under way, switches, and removes the old index
// when others search the new one already.
func (b *build) Commit(context.Context) error {
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
	return errors.Join(g.close(), g.remove())
}
