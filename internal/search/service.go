package search

import (
	"context"
	"errors"
	"fmt"
	"html"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"

	"pressroom/internal/errs"
	"pressroom/internal/kept"
)

// Service is search as pages and handlers see it: an index, and the desks' last
// word on each hit.
type Service struct {
	index   Index
	sources map[string]Source
	current func(context.Context) bool
}

// NewService returns search over an index of these sources.
func NewService(index Index, sources ...Source) *Service {
	s := &Service{index: index, sources: map[string]Source{}, current: func(context.Context) bool { return false }}
	for _, src := range sources {
		s.sources[src.Desk()] = src
	}
	return s
}

// Desks returns the names of the desks that can be searched.
func (s *Service) Desks() []string { return slices.Sorted(maps.Keys(s.sources)) }

// Follow makes every search ask first whether the index has all that the desks have,
// as [Feed.Current] tells. Without it, or while it says no, what the index says is
// compared with the desks: what is not as it was indexed is left out.
func (s *Service) Follow(current func(context.Context) bool) { s.current = current }

// Search finds a page. It may hold fewer hits than asked for, also when there
// are more pages: what the caller may no longer see has been taken out.
func (s *Service) Search(ctx context.Context, q Query) (*Results, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	current := s.current(ctx)
	res, err := s.found(ctx, q, current)
	if err != nil || current {
		return res, err
	}
	kept.Unsure(ctx)
	return res, s.doubt(ctx, q, res)
}

// found asks the index, and the desks about what it found.
func (s *Service) found(ctx context.Context, q Query, current bool) (*Results, error) {
	res, err := s.index.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	keep, err := s.visible(ctx, len(res.Hits), func(i int) (bool, error) {
		h := &res.Hits[i]
		if current {
			return s.mayRead(ctx, h.Key, q.Level)
		}
		return s.isSo(ctx, h.Key, q.Level, h.shows)
	})
	if err != nil {
		return nil, err
	}
	res.Hits = pick(res.Hits, keep)
	return res, nil
}

// doubt takes out of the results of an index that may be behind what no hit bears
// out: a tag that none of them has, a word that finds nothing any more.
func (s *Service) doubt(ctx context.Context, q Query, res *Results) error {
	res.Facets.Tags = slices.DeleteFunc(res.Facets.Tags, func(c Count) bool {
		return !slices.ContainsFunc(res.Hits, func(h Hit) bool { return slices.Contains(h.Tags, c.Value) })
	})
	if res.DidYouMean == "" {
		return nil
	}
	q.Text, q.Cursor = res.DidYouMean, ""
	meant, err := s.found(ctx, q, false)
	if err == nil && len(meant.Hits) == 0 {
		res.DidYouMean = ""
	}
	return err
}

// Suggest completes a prefix with at most limit titles.
func (s *Service) Suggest(ctx context.Context, prefix string, level Level, limit int) ([]Suggestion, error) {
	if limit < 1 || limit > MaxLimit {
		return nil, errs.Validation(errs.Field{Name: "limit", Message: "must be from 1 to 100"})
	}
	current := s.current(ctx)
	if !current {
		kept.Unsure(ctx)
	}
	found, err := s.index.Suggest(ctx, prefix, level, limit)
	if err != nil {
		return nil, err
	}
	keep, err := s.visible(ctx, len(found), func(i int) (bool, error) {
		f := &found[i]
		if current {
			return s.mayRead(ctx, f.Key, level)
		}
		return s.isSo(ctx, f.Key, level, func(d *Document) bool { return d.Title == f.Title && d.URL == f.URL })
	})
	if err != nil {
		return nil, err
	}
	return pick(found, keep), nil
}

// askAtOnce is how many documents are asked for side by side.
const askAtOnce = 8

// visible asks about n documents whether they are to be seen.
func (s *Service) visible(ctx context.Context, n int, ask func(int) (bool, error)) ([]bool, error) {
	keep, failed := make([]bool, n), make([]error, n)
	var wg sync.WaitGroup
	gate := make(chan struct{}, askAtOnce)
	for i := range n {
		gate <- struct{}{}
		wg.Go(func() {
			defer func() { <-gate }()
			keep[i], failed[i] = ask(i)
		})
	}
	wg.Wait()
	return keep, errors.Join(failed...)
}

// mayRead asks the desk whether a caller may see a document now.
func (s *Service) mayRead(ctx context.Context, k Key, level Level) (bool, error) {
	src := s.sources[k.Desk]
	if src == nil {
		return false, nil
	}
	found, err := levelOf(ctx, src, k.ID)
	return err == nil && found <= level, looked(k, err)
}

// isSo reads a document, and reports whether a caller may see it now and it shows
// what the index says of it.
func (s *Service) isSo(ctx context.Context, k Key, level Level, shows func(*Document) bool) (bool, error) {
	src := s.sources[k.Desk]
	if src == nil {
		return false, nil
	}
	d, err := src.Load(ctx, k.ID)
	return err == nil && d.Level <= level && shows(d), looked(k, err)
}

// looked is what went wrong when a document was looked at; that there is none to be
// seen is nothing wrong.
func looked(k Key, err error) error {
	if err == nil || errors.Is(err, errs.NotFound) || errors.Is(err, ErrUnreadable) {
		return nil
	}
	return fmt.Errorf("look at %s: %w", k, err)
}

// shows reports whether all that the hit says stands in the document.
func (h *Hit) shows(d *Document) bool {
	if h.Title != d.Title || h.URL != d.URL || h.Kind != d.Kind || h.Language != d.Language || !slices.Equal(h.Tags, d.Tags) {
		return false
	}
	all := flat(d.Summary + "\n" + d.Body)
	for part := range strings.SplitSeq(unmark(h.ExcerptHTML), "…") {
		if !strings.Contains(all, flat(part)) {
			return false
		}
	}
	return true
}

// unmark is a text as it was before it was marked and escaped.
func unmark(s template.HTML) string {
	return html.UnescapeString(strings.NewReplacer("<mark>", "", "</mark>", "").Replace(string(s)))
}

// flat is a text without what an excerpt changes of it: white space, and the sign
// for what was left out.
func flat(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "…", " ")), " ")
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
