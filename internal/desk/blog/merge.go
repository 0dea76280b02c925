package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Clash is where two people changed the same thing. The merged content has Theirs;
// who decides takes that, or Mine, or both.
type Clash struct {
	Name   string `json:"name" doc:"a fact, or blocks"`
	At     int    `json:"at" doc:"with blocks, the place in the merged blocks: of theirs, or where it would be"`
	Mine   string `json:"mine,omitempty" doc:"of a fact"`
	Theirs string `json:"theirs,omitempty"`
	// Of a block; nil if it was deleted.
	MyBlock    *Block `json:"my_block,omitempty"`
	TheirBlock *Block `json:"their_block,omitempty"`
}

// ClashError says that nothing was saved because two people changed the same things. It
// is an errs.Stale.
type ClashError struct {
	Version int     // the present one, which a decision is about
	By      string  // who saved it, "" if nobody knows
	Merged  Content // what both wrote, with theirs in each clash
	Clashes []Clash
}

func (e *ClashError) Error() string {
	return fmt.Sprintf("%d clashes with version %d", len(e.Clashes), e.Version)
}

// Unwrap makes it an errs.Stale.
func (e *ClashError) Unwrap() error { return errs.Stale }

// SaveMerged is [Desk.Save] for an editor who may not be alone: what others saved since
// the version that the editor began with stays, block by block. Where both changed the
// same, nothing is saved and the error is a [*ClashError]. It reports who else saved,
// nobody if the post is what was sent. A version that the history does not have is
// errs.Stale.
func (d *Desk) SaveMerged(ctx context.Context, id string, version int, c Content) (p Post, with []string, err error) {
	for try := 1; ; try++ {
		p, err = d.Save(ctx, id, version, c)
		if !errors.Is(err, errs.Stale) {
			return p, nil, err
		}
		p, with, err = d.merge(ctx, id, version, c)
		var clash *ClashError
		if try == anyTries || !errors.Is(err, errs.Stale) || errors.As(err, &clash) {
			return p, with, err
		}
	}
}

func (d *Desk) merge(ctx context.Context, id string, version int, mine Content) (Post, []string, error) {
	theirs, err := d.Get(ctx, id)
	if err != nil {
		return Post{}, nil, err
	}
	base, with, err := d.since(ctx, id, version)
	if err != nil {
		return Post{}, nil, err
	}
	mine = d.addressed(mine.normal())
	if mine.PublishedAt.IsZero() {
		mine.PublishedAt = base.PublishedAt
	}
	merged, clashes := merge3(base, mine, theirs.Content)
	if len(clashes) > 0 {
		e := &ClashError{Version: theirs.Version, Merged: merged, Clashes: clashes}
		if len(with) > 0 {
			e.By = with[0]
		}
		return Post{}, nil, e
	}
	p, err := d.saveAs(ctx, id, theirs.Version, merged, act{what: Merged})
	return p, with, err
}

// since returns the content of a version, and who saved after it, the last first.
func (d *Desk) since(ctx context.Context, id string, version int) (Content, []string, error) {
	var with []string
	for r, err := range d.views.revisions.All(ctx, key(id), model.Window{}) {
		switch {
		case err != nil:
			return Content{}, nil, err
		case r.Of == version:
			c, err := d.contentOf(ctx, &r)
			return c, with, err
		case r.Of < version:
			return Content{}, nil, stale(id)
		}
		if !slices.Contains(with, r.By) {
			with = append(with, r.By)
		}
	}
	return Content{}, nil, stale(id)
}

// merge3 puts together what two people made of the same content.
func merge3(base, mine, theirs Content) (Content, []Clash) {
	var clashes []Clash
	merged := Content{PublishedAt: theirs.PublishedAt, Tags: mergeTags(base.Tags, mine.Tags, theirs.Tags)}
	if theirs.PublishedAt.Equal(base.PublishedAt) {
		merged.PublishedAt = mine.PublishedAt
	} else if !mine.PublishedAt.Equal(base.PublishedAt) && !mine.PublishedAt.Equal(theirs.PublishedAt) {
		clashes = append(clashes, Clash{Name: "published_at", Mine: mine.PublishedAt.UTC().Format(time.RFC3339), Theirs: theirs.PublishedAt.UTC().Format(time.RFC3339)})
	}
	was, my := map[string]string{}, map[string]string{}
	for f, text := range base.Facts.All {
		was[f.Name] = *text
	}
	for f, text := range mine.Facts.All {
		my[f.Name] = *text
	}
	merged.Facts = theirs.Facts
	for f, text := range merged.Facts.All {
		switch m := my[f.Name]; {
		case m == was[f.Name], m == *text:
		case *text == was[f.Name]:
			*text = m
		default:
			clashes = append(clashes, Clash{Name: f.Name, Mine: m, Theirs: *text})
		}
	}
	blocks, more := mergeBlocks(base.Blocks, mine.Blocks, theirs.Blocks)
	merged.Blocks = blocks
	return merged, append(clashes, more...)
}

// mergeTags are theirs, with those that I added and without those that I took away.
func mergeTags(base, mine, theirs []string) []string {
	tags := []string{}
	for _, t := range theirs {
		if slices.Contains(mine, t) || !slices.Contains(base, t) {
			tags = append(tags, t)
		}
	}
	for _, t := range mine {
		if !slices.Contains(base, t) && !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// mergeBlocks goes through the blocks that both began with. What each wrote between two
// of them stands there, theirs first.
func mergeBlocks(base, mine, theirs []Block) ([]Block, []Clash) {
	my, their := match(base, mine), match(base, theirs)
	merged := []Block{}
	var clashes []Clash
	i, j := 0, 0 // next of mine, of theirs
	between := func(toMine, toTheirs int) {
		fresh := theirs[j:toTheirs]
		merged = append(merged, fresh...)
		for ; i < toMine; i++ {
			if !slices.Contains(fresh, mine[i]) { // both wrote the same
				merged = append(merged, mine[i])
			}
		}
		i, j = toMine, toTheirs
	}
	for k, b := range base {
		toMine, toTheirs := i, j
		var m, t *Block
		if my[k] >= 0 {
			toMine, m = my[k], &mine[my[k]]
		}
		if their[k] >= 0 {
			toTheirs, t = their[k], &theirs[their[k]]
		}
		between(toMine, toTheirs)
		if m != nil {
			i++
		}
		if t != nil {
			j++
		}
		keep := t
		switch {
		case same(m, t), same(m, &b):
		case same(t, &b):
			keep = m
		default:
			clashes = append(clashes, Clash{Name: "blocks", At: len(merged), MyBlock: m, TheirBlock: t})
		}
		if keep != nil {
			merged = append(merged, *keep)
		}
	}
	between(len(mine), len(theirs))
	return merged, clashes
}

func same(a, b *Block) bool { return a == b || a != nil && b != nil && *a == *b }
