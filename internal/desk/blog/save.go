package blog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Create saves a new post as a draft and returns it. What is wrong with the
// content is an errs.Validation.
func (d *Desk) Create(ctx context.Context, c Content) (Post, error) {
	c = c.normal()
	if err := c.check(d.now()); err != nil {
		return Post{}, err
	}
	if err := d.linked(ctx, "", "", &c); err != nil {
		return Post{}, err
	}
	now := d.stamp()
	next := &stored{item: postItem{ID: d.ids.New(), Status: Draft, CreatedAt: now, UpdatedAt: now}}
	next.take(d.addressed(c))
	next.act.what = Created
	if err := d.replace(ctx, nil, next); err != nil {
		return Post{}, fmt.Errorf("create post: %w", err)
	}
	return next.item.post(next.blocks)
}

// Save replaces the content of a post, all of it or nothing, and returns the post
// as it then is; its state stays. version is the one that the editor began with:
// if it is not the present one, the answer is errs.Stale and nothing happens.
// A published post must keep at least one block.
func (d *Desk) Save(ctx context.Context, id string, version int, c Content) (Post, error) {
	return d.saveAs(ctx, id, version, c, act{what: Saved})
}

func (d *Desk) saveAs(ctx context.Context, id string, version int, c Content, a act) (Post, error) {
	c = c.normal()
	if err := c.check(d.now()); err != nil {
		return Post{}, err
	}
	for try := 1; ; try++ {
		p, err := d.save(ctx, id, version, c, a)
		if try == anyTries || !d.fenced(ctx, id, version, err) {
			return p, err
		}
	}
}

func (d *Desk) save(ctx context.Context, id string, version int, c Content, a act) (Post, error) {
	old, err := d.settled(ctx, id)
	if err != nil {
		return Post{}, err
	}
	if old.item.Version != version {
		return Post{}, stale(id)
	}
	if old.item.Status == Published && len(c.Blocks) == 0 {
		return Post{}, errs.Validation(needsBlock)
	}
	err = d.linked(ctx, id, old.item.Translates, &c)
	if a.what == Restored && errors.Is(err, errs.Invalid) { // what it translated is gone
		c.Translates, err = old.item.Translates, nil
	}
	if err != nil {
		return Post{}, err
	}
	next := &stored{item: old.item, act: a}
	next.item.UpdatedAt = d.stamp()
	next.take(d.addressed(c))
	if err := d.replace(ctx, &old, next); err != nil {
		return Post{}, fmt.Errorf("save post %s: %w", id, err)
	}
	return next.item.post(next.blocks)
}

var needsBlock = errs.Field{Name: "blocks", Message: "are missing; a published post has at least one"}

func stale(id string) error { return fmt.Errorf("post %s: %w", id, errs.Stale) }

// take puts content in normal form into the post.
func (s *stored) take(c Content) {
	p := &s.item
	slug := p.Slug
	p.Facts, p.Tags = c.Facts, c.Tags
	if p.Slug == "" {
		p.Slug = slug
	}
	if p.Tags == nil {
		p.Tags = []string{}
	}
	if !c.PublishedAt.IsZero() {
		p.PublishedAt = model.FormatTime(c.PublishedAt)
	}
	s.blocks = c.Blocks
	p.Digest = digest(c.Blocks)
}

// replace puts the post next in the place of old, whole or not at all. Without
// old it is created; without next it is deleted. What was written by someone
// else since old was read is errs.Stale. It tells listeners if readers see a
// difference.
func (d *Desk) replace(ctx context.Context, old, next *stored) error {
	if err := d.noteUses(ctx, old, next); err != nil {
		return err
	}
	if old != nil && next != nil && next.item.Slug == old.item.Slug && next.item.Title != old.item.Title && strings.HasPrefix(old.item.Slug, Slug(old.item.Title)) {
		next.item.Slug = "" // it was made from words that are taken back, and leads on to another
	}
	for try := 1; ; try++ {
		named, err := d.readable(ctx, next)
		if err != nil {
			return err
		}
		history, err := d.revise(ctx, old, next)
		if err != nil {
			return err
		}
		err = d.write(ctx, old, next, history)
		if named && errors.Is(err, errTaken) && try < anyTries { // by another post, in this moment
			next.item.Slug = ""
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	if next == nil {
		d.dropUses(ctx, old)
		if err := d.dropHistory(context.WithoutCancel(ctx), old.item.ID); err != nil { // what came while it was deleted
			d.opt.Log.Warn("blog: some history of a deleted post is left", "post", old.item.ID, "err", err)
		}
	}
	for _, s := range []*stored{old, next} {
		if s != nil && s.item.Status == Published {
			d.changed(s.item.ID)
			break
		}
	}
	return nil
}

// headPieces is the most that a transaction has beside blocks: metadata, states, tags,
// counts, groups, what it tells, and its address, plan, proposal and schedule.
const headPieces = 1 + 2 + 2*MaxTags + 2*(MaxTags+1) + 1 + 2*maxGroups + story.MaxPieces + 4

func (d *Desk) write(ctx context.Context, old, next *stored, history []model.Change) error {
	id, last := idOf(old, next), ""
	if old != nil {
		last = old.item.SaveID
	}
	err := d.saver.Retry(ctx, id, func() error {
		return d.saver.Save(ctx, id, last, d.ids.New(), append(d.bodyChanges(old, next), history...), func(saveID string, also []model.Piece) error {
			return d.commit(ctx, old, next, saveID, also)
		})
	})
	switch {
	case errors.Is(err, model.ErrUntidied):
		d.opt.Log.Warn("blog: a save is left to be finished", "post", id, "err", err)
		return nil
	case errors.Is(err, model.ErrSaving), errors.Is(err, model.ErrGivenUp):
		return errs.Wrap(err, errs.Unavailable, "Others are saving the post all the time. Try again shortly.")
	}
	return err
}

func idOf(old, next *stored) string {
	if next != nil {
		return next.item.ID
	}
	return old.item.ID
}

// commitTries is how often a post is written again because a count of its tags
// or its month changed in between.
const commitTries = 40

// commit is the transaction in which a post becomes another one.
func (d *Desk) commit(ctx context.Context, old, next *stored, saveID string, also []model.Piece) error {
	for try := 1; ; try++ {
		head, err := d.headPieces(ctx, old, next, saveID)
		if err != nil {
			return err
		}
		err = model.Transact(ctx, d.db, slices.Concat(head, also)...)
		var refused *model.TransactionError
		switch {
		case err == nil, errors.Is(err, model.ErrSaving), errors.Is(err, model.ErrGivenUp):
			return err
		case errors.As(err, &refused) && slices.Contains(refused.Pieces, 0):
			return stale(idOf(old, next))
		case refused != nil && d.refusal(old, next, refused.Pieces) != nil:
			return d.refusal(old, next, refused.Pieces)
		case !errors.Is(err, model.ErrConflict) && !errors.As(err, &refused):
			return err
		case try == commitTries:
			return errs.Wrap(err, errs.Unavailable, "Too many posts are being saved at once. Try again shortly.")
		}
		if err := wait(ctx, jitter(try)); err != nil {
			return err
		}
	}
}

// headPieces are all writes of a commit beside blocks, the metadata first.
func (d *Desk) headPieces(ctx context.Context, old, next *stored, saveID string) ([]model.Piece, error) {
	var pieces []model.Piece
	switch {
	case next == nil:
		pieces = append(pieces, d.posts.RemovePiece(&old.item))
	case old == nil:
		next.item.Version, next.item.SaveID = 0, saveID
		pieces = append(pieces, d.posts.CreatePiece(&next.item))
	default:
		next.item.Version, next.item.SaveID = old.item.Version, saveID
		pieces = append(pieces, d.posts.PutPiece(&next.item, fenceIs(old.item.Fence)))
	}
	for _, g := range d.guards(old, next) {
		pieces = append(pieces, g.piece)
	}
	pieces = append(pieces, d.listPieces(old, next)...)
	counts, err := d.countPieces(ctx, old, next)
	if err != nil {
		return nil, err
	}
	told, err := d.tell(ctx, old, next)
	return slices.Concat(pieces, counts, told), err
}

// guarded is a write that must hold together with a save, and what is wrong if it does
// not.
type guarded struct {
	piece model.Piece
	fails error
}

// guards are what a save writes beside the post itself: they follow the metadata in the
// transaction.
func (d *Desk) guards(old, next *stored) []guarded {
	if next == nil {
		return []guarded{{d.plans.DeletePiece(key(old.item.ID)), nil}, {d.proposals.DeletePiece(key(old.item.ID)), nil}}
	}
	all := slices.Clone(next.with)
	if next.item.Slug != "" && (old == nil || old.item.Slug != next.item.Slug) {
		all = append(all, d.claimAddress(next))
	}
	if old != nil && old.item.Status != Published && next.item.Status == Published {
		all = append(all, guarded{d.proposals.DeletePiece(key(next.item.ID)), nil})
	}
	return all
}

// refusal is the error of the first guard that did not hold, if any.
func (d *Desk) refusal(old, next *stored, pieces []int) error {
	for i, g := range d.guards(old, next) {
		if slices.Contains(pieces, i+1) && g.fails != nil {
			return g.fails
		}
	}
	return nil
}

// listPieces write and delete the items that stand for the post in lists.
func (d *Desk) listPieces(old, next *stored) []model.Piece {
	var pieces []model.Piece
	if old != nil {
		for _, state := range old.states {
			if next == nil || state != next.item.Status {
				pieces = append(pieces, d.states.DeletePiece(model.Values{"id": old.item.ID, "status": string(state)}))
			}
		}
		for _, tag := range old.tagged {
			if next == nil || !slices.Contains(next.item.Tags, tag) {
				pieces = append(pieces, d.tags.DeletePiece(model.Values{"id": old.item.ID, "tagName": tag}))
			}
		}
	}
	if next != nil {
		card := next.item.card()
		pieces = append(pieces, d.states.PutPiece(&card))
		for _, tag := range next.item.Tags {
			pieces = append(pieces, d.tags.PutPiece(&tagItem{TagName: tag, cardItem: card}))
		}
	}
	return pieces
}

// bodyChanges leads from the blocks of old to those of next.
func (d *Desk) bodyChanges(old, next *stored) []model.Change {
	var was map[int]Block
	if old != nil {
		was = old.orders
	}
	if next == nil {
		return d.differences(old.item.ID, was, nil)
	}
	return d.differences(next.item.ID, was, next.blocks)
}

// differences leads from stored blocks to others: what is the same is not
// written, and what is too many goes.
func (d *Desk) differences(id string, old map[int]Block, blocks []Block) []model.Change {
	var changes []model.Change
	for _, b := range blockItems(id, blocks) {
		if was, there := old[b.Order]; !there || was != b.block() {
			changes = append(changes, d.blocks.Becomes(&b))
		}
	}
	for _, order := range slices.Sorted(maps.Keys(old)) {
		if order < 1 || order > len(blocks) {
			changes = append(changes, d.blocks.Goes(blockKey(id, order)))
		}
	}
	return changes
}

func blockKey(id string, order int) model.Values {
	return model.Values{"id": id, "order": strconv.Itoa(order)}
}

// jitter is how long to wait before another try: longer each time, and never the
// same as others who wait.
func jitter(try int) time.Duration {
	limit := min(time.Duration(try)*2*time.Millisecond, 40*time.Millisecond)
	return limit/2 + randomDuration(limit/2)
}
