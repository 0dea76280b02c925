package search

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pressroom/internal/errs"
)

// Service is search as pages and handlers see it: an index, and the desks' last
// word on each hit.
type Service struct {
	index   Index
	sources map[string]Source
}

// NewService returns search over an index of these sources.
func NewService(index Index, sources ...Source) *Service {
	s := &Service{index: index, sources: map[string]Source{}}
	for _, src := range sources {
		s.sources[src.Desk()] = src
	}
	return s
}

// Search finds a page. It may hold fewer hits than asked for, also when there
// are more pages: what the caller may no longer see has been taken out.
func (s *Service) Search(ctx context.Context, q Query) (*Results, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	res, err := s.index.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	keep, err := s.visible(ctx, q.Level, len(res.Hits), func(i int) Key { return res.Hits[i].Key })
	if err != nil {
		return nil, err
	}
	res.Hits = pick(res.Hits, keep)
	return res, nil
}

// Suggest completes a prefix with at most limit titles.
func (s *Service) Suggest(ctx context.Context, prefix string, level Level, limit int) ([]Suggestion, error) {
	if limit < 1 || limit > MaxLimit {
		return nil, errs.Validation(errs.Field{Name: "limit", Message: "must be from 1 to 100"})
	}
	found, err := s.index.Suggest(ctx, prefix, level, limit)
	if err != nil {
		return nil, err
	}
	keep, err := s.visible(ctx, level, len(found), func(i int) Key { return found[i].Key })
	if err != nil {
		return nil, err
	}
	return pick(found, keep), nil
}

// askAtOnce is how many documents are asked for side by side.
const askAtOnce = 8

// visible asks the desks which of n documents a caller may see now.
func (s *Service) visible(ctx context.Context, level Level, n int, key func(int) Key) ([]bool, error) {
	keep, failed := make([]bool, n), make([]error, n)
	var wg sync.WaitGroup
	gate := make(chan struct{}, askAtOnce)
	for i := range n {
		gate <- struct{}{}
		wg.Go(func() {
			defer func() { <-gate }()
			keep[i], failed[i] = s.mayRead(ctx, key(i), level)
		})
	}
	wg.Wait()
	return keep, errors.Join(failed...)
}

func (s *Service) mayRead(ctx context.Context, k Key, level Level) (bool, error) {
	src := s.sources[k.Desk]
	if src == nil {
		return false, nil
	}
	found, err := levelOf(ctx, src, k.ID)
	if errors.Is(err, errs.NotFound) || errors.Is(err, ErrUnreadable) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", k, err)
	}
	return found <= level, nil
}

// levelOf asks a source who may see a document now.
func levelOf(ctx context.Context, src Source, id string) (Level, error) {
	if judge, ok := src.(Judge); ok {
		return judge.LevelOf(ctx, id)
	}
	d, err := src.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	return d.Level, nil
}

func pick[T any](list []T, keep []bool) []T {
	out := list[:0]
	for i, v := range list {
		if keep[i] {
			out = append(out, v)
		}
	}
	return out
}
