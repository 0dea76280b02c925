package blog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"pressroom/model"
)

// countItem says how many published posts have a tag, or are of a month.
type countItem struct {
	Kind    string `dynamodbav:"kind"`
	Name    string `dynamodbav:"name"`
	Count   int    `dynamodbav:"count"`
	Version int    `dynamodbav:"version"`
}

// countKey names a count.
type countKey struct{ kind, name string }

func (k countKey) values() model.Values { return model.Values{"kind": k.kind, "name": k.name} }

// counted returns the counts that a post is part of; none if readers do not see
// it.
func (d *Desk) counted(s *stored) []countKey {
	if s == nil || s.item.Status != Published {
		return nil
	}
	var keys []countKey
	for _, tag := range s.item.Tags {
		keys = append(keys, countKey{"tag", tag})
	}
	if at, err := model.ParseTime(s.item.PublishedAt); err == nil {
		keys = append(keys, countKey{"month", d.monthOf(at)})
	}
	return keys
}

const monthLayout = "2006-01"

func (d *Desk) monthOf(t time.Time) string { return t.In(d.opt.Zone).Format(monthLayout) }

// countedItem says in which counts and groups a post is. Other programs publish and delete posts
// without a word about counts, so that the post itself cannot say it.
type countedItem struct {
	ID      string    `dynamodbav:"id"`
	Tags    []string  `dynamodbav:"tags"`
	Month   string    `dynamodbav:"month"`
	Groups  []inGroup `dynamodbav:"groups,omitempty"`
	Version int       `dynamodbav:"version"`
}

func (c *countedItem) keys() []countKey {
	var keys []countKey
	for _, tag := range c.Tags {
		keys = append(keys, countKey{"tag", tag})
	}
	if c.Month != "" {
		keys = append(keys, countKey{"month", c.Month})
	}
	return keys
}

// countedIn returns in which counts a post is. What an earlier version of this program
// counted, the post as it was read says.
func (d *Desk) countedIn(ctx context.Context, id string, old *stored) (countedItem, []countKey, error) {
	c, err := d.memberships.Get(ctx, key(id))
	switch {
	case errors.Is(err, model.ErrNotFound) && old != nil && old.item.Version > 0:
		return c, d.counted(old), nil
	case errors.Is(err, model.ErrNotFound):
		return c, nil, nil
	}
	return c, c.keys(), err
}

// countPieces change the counts by what differs between those that the post is in and
// those that it belongs into, each only from the number that was read.
func (d *Desk) countPieces(ctx context.Context, old, next *stored) ([]model.Piece, error) {
	member, was, err := d.countedIn(ctx, idOf(old, next), old)
	if err != nil {
		return nil, err
	}
	delta := map[countKey]int{}
	for _, k := range was {
		delta[k]--
	}
	wanted := d.counted(next)
	for _, k := range wanted {
		delta[k]++
	}
	maps.DeleteFunc(delta, func(_ countKey, n int) bool { return n == 0 })
	groups := groupsOf(next)
	pieces := append(d.memberPieces(member, old, next, wanted, groups), d.groupPieces(idOf(old, next), member.Groups, groups)...)
	if len(delta) == 0 {
		return pieces, nil
	}
	names := slices.SortedFunc(maps.Keys(delta), func(a, b countKey) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name))
	})
	var keys []model.Values
	for _, k := range names {
		keys = append(keys, k.values())
	}
	found, err := d.counts.BatchGet(ctx, keys)
	if err != nil {
		return nil, err
	}
	now := map[countKey]countItem{}
	for _, c := range found {
		now[countKey{c.Kind, c.Name}] = c
	}
	for _, k := range names {
		if piece, ok := d.countPiece(k, now[k], delta[k]); ok {
			pieces = append(pieces, piece)
		}
	}
	return pieces, nil
}

// memberPieces note in which counts and groups a post is, drafts too: of a post without a note
// nobody knows.
func (d *Desk) memberPieces(c countedItem, old, next *stored, wanted []countKey, groups []inGroup) []model.Piece {
	switch {
	case next == nil && c.Version == 0:
		return nil
	case next == nil:
		return []model.Piece{d.memberships.RemovePiece(&c)}
	case c.Version > 0 && slices.Equal(c.keys(), wanted) && slices.Equal(c.Groups, groups):
		return nil
	}
	c.ID, c.Tags, c.Month, c.Groups = idOf(old, next), []string{}, "", groups
	for _, k := range wanted {
		if k.kind == "tag" {
			c.Tags = append(c.Tags, k.name)
		} else {
			c.Month = k.name
		}
	}
	return []model.Piece{d.memberships.PutPiece(&c)}
}

// countPiece changes a count; one that falls to nothing is deleted, so that
// nobody sees a name that only drafts have.
func (d *Desk) countPiece(k countKey, c countItem, delta int) (model.Piece, bool) {
	version := c.Version
	c.Kind, c.Name, c.Count = k.kind, k.name, c.Count+delta
	switch {
	case c.Count > 0 && version == 0:
		return d.counts.CreatePiece(&c), true
	case c.Count > 0:
		return d.counts.PutPiece(&c), true
	case version == 0:
		return model.Piece{}, false
	}
	return d.counts.RemovePiece(&c), true
}

// Recount counts the tags and months of published posts again, and sets right
// what differs. It is for operators, after a change of the zone or of the table
// by other programs; posts that are published while it runs may be missed, so
// that it is best run twice or in a quiet hour.
func (d *Desk) Recount(ctx context.Context) error {
	want := map[countKey]int{}
	for card, err := range d.views.latest.All(ctx, nil, model.Window{}) {
		if err != nil {
			return fmt.Errorf("recount: %w", err)
		}
		item, err := d.posts.Get(ctx, key(card.ID))
		if err != nil {
			return fmt.Errorf("recount: %w", err)
		}
		for _, k := range d.counted(&stored{item: item}) {
			want[k]++
		}
	}
	for _, v := range []*model.View[countItem]{d.views.tags, d.views.months} {
		for c, err := range v.All(ctx, nil, model.Window{}) {
			if err != nil {
				return fmt.Errorf("recount: %w", err)
			}
			k := countKey{c.Kind, c.Name}
			if err := d.correct(ctx, k, c, want[k]); err != nil {
				return fmt.Errorf("recount: %w", err)
			}
			delete(want, k)
		}
	}
	for k, n := range want {
		if err := d.correct(ctx, k, countItem{}, n); err != nil {
			return fmt.Errorf("recount: %w", err)
		}
	}
	return nil
}

func (d *Desk) correct(ctx context.Context, k countKey, c countItem, want int) error {
	if c.Count == want {
		return nil
	}
	piece, ok := d.countPiece(k, c, want-c.Count)
	if !ok {
		return nil
	}
	return model.Transact(ctx, d.db, piece)
}

func randomDuration(limit time.Duration) time.Duration { return rand.N(limit + 1) }
