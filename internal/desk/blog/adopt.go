package blog

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Adopt takes over a post as other programs left it: its items in lists say what the
// post says and no others stand beside them, its tags and its body's digest are noted,
// its places by date are there, and it is counted. A post that has all that is not
// touched. Of a post that is gone, what is left goes too.
func (d *Desk) Adopt(ctx context.Context, id string) error {
	if !plausible(id) {
		return nil
	}
	for try := 1; ; try++ {
		err := d.adopt(ctx, id)
		if try == anyTries || !errors.Is(err, errs.Stale) {
			return err
		}
		if err := wait(ctx, jitter(try)); err != nil {
			return err
		}
	}
}

func (d *Desk) adopt(ctx context.Context, id string) error {
	s, err := d.settled(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return d.clear(ctx, id)
	}
	if err != nil {
		return err
	}
	if _, err := parseTimes(s.item.CreatedAt, s.item.UpdatedAt, s.item.PublishedAt); err != nil || !slices.Contains(states, string(s.item.Status)) {
		return nil // nobody here knows what it means; it is left alone
	}
	item, err := d.posts.Get(ctx, key(id))
	if err != nil || item.Version != s.item.Version {
		return err // who changed it will be heard of
	}
	next := s
	next.item.Digest = digest(s.blocks)
	lists, err := d.wrongLists(ctx, &s)
	if err != nil {
		return err
	}
	member, counted, err := d.countedIn(ctx, id, &s)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(item, next.item) && len(lists) == 0 && slices.Equal(counted, d.counted(&next)) && slices.Equal(member.Groups, groupsOf(&next)) {
		return nil
	}
	counts, err := d.countPieces(ctx, &s, &next)
	if err != nil {
		return err
	}
	if err := d.adoptUses(ctx, &s); err != nil {
		return err
	}
	pieces := slices.Concat([]model.Piece{d.posts.AdoptPiece(&next.item, fenceIs(s.item.Fence))}, lists, counts)
	err = model.Transact(ctx, d.db, pieces...)
	var refused *model.TransactionError
	if errors.As(err, &refused) || errors.Is(err, model.ErrConflict) {
		return fmt.Errorf("adopt post %s: %w", id, errors.Join(errs.Stale, err))
	}
	if err == nil && next.item.Status == Published {
		d.changed(id)
	}
	return err
}

// adoptUses notes the images of the library that a post shows. References to what the
// library does not have are left alone.
func (d *Desk) adoptUses(ctx context.Context, s *stored) error {
	var keys []model.Values
	for id := range s.refs() {
		keys = append(keys, mediaKey(id))
	}
	if len(keys) == 0 {
		return nil
	}
	found, err := d.media.BatchGet(ctx, keys)
	if err != nil {
		return err
	}
	var notes []useItem
	for _, m := range found {
		if m.State == mediaReady {
			notes = append(notes, useItem{m.MediaID, s.item.ID})
		}
	}
	return d.uses.BatchPut(ctx, notes)
}

// wrongLists are the writes that make a post's items in lists what they should be.
func (d *Desk) wrongLists(ctx context.Context, s *stored) ([]model.Piece, error) {
	found := map[string]cardItem{}
	for item, err := range d.views.edit.All(ctx, key(s.item.ID), model.Window{}) {
		if err != nil {
			return nil, err
		}
		switch item.Entity.Name {
		case "Status", "Tag":
			var scratch stored
			if err := scratch.lay(item, found); err != nil {
				continue // it is written anew
			}
		}
	}
	card := s.item.card()
	var pieces []model.Piece
	if found["state "+string(s.item.Status)] != card {
		pieces = append(pieces, d.states.PutPiece(&card))
	}
	for _, tag := range s.item.Tags {
		if found["tag "+tag] != card {
			pieces = append(pieces, d.tags.PutPiece(&tagItem{TagName: tag, cardItem: card}))
		}
	}
	for _, state := range s.states {
		if state != s.item.Status {
			pieces = append(pieces, d.states.DeletePiece(model.Values{"id": s.item.ID, "status": string(state)}))
		}
	}
	return pieces, nil
}

// clear takes a post out of the counts, and forgets its history, if another program
// deleted it.
func (d *Desk) clear(ctx context.Context, id string) error {
	if err := d.dropHistory(ctx, id); err != nil {
		return err
	}
	gone := &stored{item: postItem{ID: id}}
	pieces, err := d.countPieces(ctx, gone, nil)
	if err != nil || len(pieces) == 0 {
		return err
	}
	err = model.Transact(ctx, d.db, pieces...)
	var refused *model.TransactionError
	if errors.As(err, &refused) || errors.Is(err, model.ErrConflict) {
		return fmt.Errorf("forget post %s: %w", id, errors.Join(errs.Stale, err))
	}
	return err
}
