package blog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

// An earlier version saved a long body in a journal: the parts of a save held the
// blocks themselves, and a post named the save until they were copied. What such a
// version left behind when it was killed is taken over here.

// journalBody is what a part of a journal holds.
type journalBody struct {
	Parts  int     `json:"parts"`
	Blocks []Block `json:"blocks"`
}

// journaled returns the body in the parts of a save, and false if they hold none.
func (d *Desk) journaled(ctx context.Context, saveID string) ([]Block, bool, error) {
	if saveID == "" {
		return nil, false, nil
	}
	var blocks []Block
	seen, want := 0, 0
	for part, err := range d.views.parts.All(ctx, model.Values{"saveId": saveID}, model.Window{}) {
		if err != nil {
			return nil, false, err
		}
		text, ok := part.Raw["blocks"].(*types.AttributeValueMemberB)
		if !ok {
			return nil, false, nil
		}
		var body journalBody
		if err := json.Unmarshal(text.Value, &body); err != nil {
			return nil, false, fmt.Errorf("part of save %s: %w", saveID, err)
		}
		blocks = append(blocks, body.Blocks...)
		seen, want = seen+1, body.Parts
	}
	return blocks, want > 0 && seen == want, nil
}

// unjournal saves a body that a post has in a journal as its blocks, and reports
// whether there was one.
func (d *Desk) unjournal(ctx context.Context, item postItem) (bool, error) {
	blocks, found, err := d.journaled(ctx, item.SaveID)
	if err != nil || !found {
		return false, err
	}
	old := map[int]Block{}
	for b, err := range d.views.edit.All(ctx, key(item.ID), model.Window{}) {
		var block blockItem
		if err == nil && b.Entity.Name == "Block" {
			err = b.As(&block)
			old[block.Order] = block.block()
		}
		if err != nil {
			return true, err
		}
	}
	journal := item.SaveID
	err = d.saver.Save(ctx, item.ID, "", d.ids.New(), d.differences(item.ID, old, blocks), func(saveID string, also []model.Piece) error {
		item.SaveID = saveID
		return model.Transact(ctx, d.db, append([]model.Piece{d.posts.PutPiece(&item)}, also...)...)
	})
	if err != nil && !errors.Is(err, model.ErrUntidied) {
		return true, fmt.Errorf("save the journal of post %s: %w", item.ID, err)
	}
	return true, d.dropJournal(ctx, journal)
}

// dropJournal deletes the parts of a journal, the first one last.
func (d *Desk) dropJournal(ctx context.Context, saveID string) error {
	var keys []model.Values
	for part, err := range d.views.parts.All(ctx, model.Values{"saveId": saveID}, model.Window{}) {
		if err != nil {
			return err
		}
		var p model.SavePart
		if err := part.As(&p); err != nil {
			return err
		}
		keys = append([]model.Values{{"saveId": saveID, "part": fmt.Sprint(p.Part)}}, keys...)
	}
	for _, k := range keys {
		if err := d.parts.Delete(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// SweepSaves finishes the saves and deletions that a crash cut short, and removes
// what was staged and never committed, if they began before the given age. It
// returns how many it dealt with. Operators' jobs call it from time to time;
// posts are right without it.
func (d *Desk) SweepSaves(ctx context.Context, age time.Duration) (int, error) {
	n, err := d.sweepJournals(ctx)
	if err != nil {
		return n, fmt.Errorf("sweep saves: %w", err)
	}
	r, err := d.saver.RecoverOlder(ctx, age)
	return n + r.Finished + r.Undone, err
}

func (d *Desk) sweepJournals(ctx context.Context) (int, error) {
	open, err := d.saver.Open(ctx, 1000)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range open {
		if len(p.Items) > 0 {
			continue
		}
		n++
		item, err := d.posts.Get(ctx, key(p.ID))
		if err == nil && item.SaveID == p.SaveID {
			_, err = d.unjournal(ctx, item)
		} else if err == nil || errors.Is(err, model.ErrNotFound) {
			err = d.dropJournal(ctx, p.SaveID) // never committed, or of a post that is gone
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
