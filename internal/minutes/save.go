package minutes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// An article and its index items change together for every reader, however many
// they are.
//
// If they fit one transaction, that is all. Otherwise a save goes through these
// steps, and may be left in any of them by a crash:
//
//  1. parts: SAVE#… items list every index item that the save touches.
//  2. staging: each index item gets its next form beside the present one, under the
//     save's id. New ones are written with the id alone.
//  3. commit: the article is written with the save's id, if the save was not aborted.
//  4. tidying: next forms become present ones; then the parts go.
//
// A reader who meets an item under a save's id asks the article which form counts
// (settle). Whoever comes later finishes what was committed and undoes what was not
// (Recover). Undoing begins by marking the first part as aborted, which the commit
// checks: so a slow save cannot commit what was undone.

// savePart lists index items of a save.
type savePart struct {
	SaveID    string  `dynamodbav:"saveId"`
	Part      int     `dynamodbav:"part"`
	ID        string  `dynamodbav:"id"`
	CreatedAt string  `dynamodbav:"createdAt"`
	Keys      []entry `dynamodbav:"keys"`
	Aborted   bool    `dynamodbav:"aborted,omitempty"`
}

func (p *savePart) key() model.Values {
	return model.Values{"saveId": p.SaveID, "part": strconv.Itoa(p.Part)}
}

// partKeys is how many items one part lists: at most 800 bytes each.
const partKeys = 300

// errOtherSave is an index item that another save has under way.
var errOtherSave = fmt.Errorf("another save of the article is under way: %w", errs.Conflict)

// saveTries is how often a save is begun again behind others.
const saveTries = 5

// save writes an article and its index items in place of what is there, all or
// nothing.
func (d *Desk) save(ctx context.Context, a *Article) error {
	for try := 1; ; try++ {
		old, err := d.articles.Get(ctx, a.key())
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return fmt.Errorf("save article: %w", err)
		}
		a.Version = old.Version
		if err = d.finishLast(ctx, &old); err == nil {
			err = d.saveOver(ctx, a, &old)
		}
		lost := errors.Is(err, errOtherSave) || errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrExists) || errors.Is(err, model.ErrCondition)
		if err == nil || !lost || try == saveTries {
			return known(err, "save of article %s", a.ID)
		}
		if err := d.makeWay(ctx, a.ID, try); err != nil {
			return err
		}
	}
}

// makeWay ends saves of an article that were left behind, and waits for those that
// were not.
func (d *Desk) makeWay(ctx context.Context, id string, try int) error {
	if _, err := d.recover(ctx, func(p savePart) bool { return p.ID == id }); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(try) * 50 * time.Millisecond):
		return nil
	}
}

// finishLast sees to it that the last save of an article is tidied up: the items
// that it removed must be gone before the article forgets its id.
func (d *Desk) finishLast(ctx context.Context, a *Article) error {
	if a.SaveID == "" {
		return nil
	}
	first, err := d.parts.Get(ctx, model.Values{"saveId": a.SaveID, "part": "0"})
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.finish(ctx, first)
}

// saveOver saves over the version that was read; old is zero if there was none.
func (d *Desk) saveOver(ctx context.Context, a, old *Article) error {
	entries := a.entries()
	var leaving []entry
	if old.ID != "" {
		leaving = minus(old.entries(), entries)
	}
	if 1+len(entries)+len(leaving) <= model.MaxTransaction {
		return d.saveAtOnce(ctx, a, entries, leaving)
	}
	var present []entry
	if old.ID != "" {
		present = old.entries()
	}
	return d.saveStaged(ctx, a, entries, leaving, present)
}

// free is the condition that no save has an item.
func free() expression.ConditionBuilder {
	return expression.AttributeNotExists(expression.Name("saveId"))
}

func (d *Desk) saveAtOnce(ctx context.Context, a *Article, entries, leaving []entry) error {
	next := *a
	next.SaveID = ""
	pieces := []model.Piece{d.articles.PutPiece(&next)}
	for _, e := range entries {
		pieces = append(pieces, d.thins[e.Kind].put(e, a.thin(e), free()))
	}
	for _, e := range leaving {
		pieces = append(pieces, d.thins[e.Kind].delete(e, a.ID, free()))
	}
	if err := model.Transact(ctx, d.db, pieces...); err != nil {
		return err
	}
	*a = next
	return nil
}

func (d *Desk) saveStaged(ctx context.Context, a *Article, entries, leaving, present []entry) error {
	next := *a
	next.SaveID = d.ids.New()
	first, err := d.writeParts(ctx, &next, slices.Concat(entries, leaving))
	if err != nil {
		return err
	}
	if err := d.stage(ctx, &next, entries, leaving, present); err != nil {
		return errors.Join(err, d.undo(ctx, first))
	}
	commit := model.Transact(ctx, d.db,
		d.articles.PutPiece(&next),
		d.parts.CheckPiece(first.key(), expression.AttributeNotExists(expression.Name("aborted"))))
	if commit != nil {
		return errors.Join(commit, d.undo(ctx, first))
	}
	*a = next
	return d.finish(ctx, first)
}

// writeParts lists the items of a save and returns the first part.
func (d *Desk) writeParts(ctx context.Context, a *Article, entries []entry) (savePart, error) {
	var first savePart
	part, created := 0, d.now()
	for keys := range slices.Chunk(entries, partKeys) {
		p := savePart{SaveID: a.SaveID, Part: part, ID: a.ID, CreatedAt: created, Keys: keys}
		if err := d.parts.Create(ctx, &p); err != nil {
			return first, err
		}
		if part == 0 {
			first = p
		}
		part++
	}
	return first, nil
}

// stage puts the next forms beside the present ones.
func (d *Desk) stage(ctx context.Context, a *Article, entries, leaving, present []entry) error {
	created := minus(entries, present)
	var pieces []model.Piece
	for _, e := range entries {
		item := a.thin(e)
		item.SaveID = a.SaveID
		if slices.Contains(created, e) {
			pieces = append(pieces, d.thins[e.Kind].put(e, item, free()))
		} else {
			pieces = append(pieces, d.thins[e.Kind].update(e, a.ID, staged(a.SaveID, item.Light), free()))
		}
	}
	for _, e := range leaving {
		pieces = append(pieces, d.thins[e.Kind].update(e, a.ID, staged(a.SaveID, gone), free()))
	}
	return d.inBatches(ctx, pieces, errOtherSave)
}

func staged(saveID string, next Light) expression.UpdateBuilder {
	return expression.Set(expression.Name("saveId"), expression.Value(saveID)).Set(expression.Name("next"), expression.Value(next))
}

// inBatches does pieces in as few transactions as they fit into. If a condition
// does not hold, the answer is lost.
func (d *Desk) inBatches(ctx context.Context, pieces []model.Piece, lost error) error {
	for some := range slices.Chunk(pieces, model.MaxTransaction) {
		err := model.Transact(ctx, d.db, some...)
		if errors.Is(err, model.ErrCondition) {
			return errors.Join(lost, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// RecoverReport says what Recover found.
type RecoverReport struct {
	Finished, Undone int
}

// Recover ends saves that a crash interrupted, if they are older than the options'
// SaveAge: what was committed is finished, what was not is undone. Readers see the
// same before and after.
func (d *Desk) Recover(ctx context.Context) (RecoverReport, error) {
	return d.recover(ctx, func(savePart) bool { return true })
}

func (d *Desk) recover(ctx context.Context, which func(savePart) bool) (RecoverReport, error) {
	var report RecoverReport
	old := model.FormatTime(d.o.Now().Add(-d.o.SaveAge))
	for p, err := range d.parts.All(ctx, "UnfinishedSaves", nil) {
		if err != nil {
			return report, fmt.Errorf("unfinished saves: %w", err)
		}
		if p.CreatedAt > old {
			break
		}
		if !which(p) {
			continue
		}
		committed, err := d.end(ctx, p)
		if err != nil {
			return report, fmt.Errorf("recover save %s of article %s: %w", p.SaveID, p.ID, err)
		}
		if committed {
			report.Finished++
		} else {
			report.Undone++
		}
	}
	return report, nil
}

// end finishes a save or undoes it, whichever the article says.
func (d *Desk) end(ctx context.Context, p savePart) (committed bool, err error) {
	mark := expression.Set(expression.Name("aborted"), expression.Value(true))
	abort := d.parts.UpdatePiece(p.key(), mark)
	// From here on it cannot be committed any more, if it was not.
	if err := model.Transact(ctx, d.db, abort); err != nil {
		if errors.Is(err, model.ErrCondition) {
			return true, nil // its own process has finished it in the meantime
		}
		return false, err
	}
	a, err := d.articles.Get(ctx, model.Values{"id": p.ID})
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return false, err
	}
	if a.SaveID == p.SaveID {
		return true, d.finish(ctx, p)
	}
	return false, d.undo(ctx, p)
}

// finish makes next forms the present ones. It may be done again, and by several at
// once.
func (d *Desk) finish(ctx context.Context, first savePart) error {
	a, err := d.articles.Get(ctx, model.Values{"id": first.ID})
	if err != nil {
		return err
	}
	if a.SaveID != first.SaveID {
		return nil // a later save has seen to it
	}
	keep := a.entries()
	return d.tidy(ctx, first, func(e entry) model.Piece {
		ours := expression.Name("saveId").Equal(expression.Value(first.SaveID))
		for _, k := range keep {
			if k.Kind == e.Kind && k.Value == e.Value && k.Date == e.Date {
				return d.thins[e.Kind].put(k, a.thin(k), ours)
			}
		}
		return d.thins[e.Kind].delete(e, a.ID, ours)
	})
}

// undo takes back what a save that was not committed has staged.
func (d *Desk) undo(ctx context.Context, first savePart) error {
	ours := expression.Name("saveId").Equal(expression.Value(first.SaveID))
	isNew := expression.AttributeNotExists(expression.Name("next"))
	// An item is either new with the save and goes, or loses its next form.
	err := d.eachPart(ctx, first, func(e entry) error {
		err := model.Transact(ctx, d.db, d.thins[e.Kind].delete(e, first.ID, ours, isNew))
		if !errors.Is(err, model.ErrCondition) {
			return err
		}
		u := expression.Remove(expression.Name("saveId")).Remove(expression.Name("next"))
		err = model.Transact(ctx, d.db, d.thins[e.Kind].update(e, first.ID, u, ours))
		if errors.Is(err, model.ErrCondition) {
			return nil // never staged, or undone already
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.dropParts(ctx, first)
}

// tidy does a piece for every item of a save, then removes the save's parts. A
// piece whose condition does not hold was done before.
func (d *Desk) tidy(ctx context.Context, first savePart, piece func(entry) model.Piece) error {
	var batch []entry
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		var pieces []model.Piece
		for _, e := range batch {
			pieces = append(pieces, piece(e))
		}
		err := model.Transact(ctx, d.db, pieces...)
		if errors.Is(err, model.ErrCondition) { // someone was here before: one by one
			err = nil
			for _, e := range batch {
				if one := model.Transact(ctx, d.db, piece(e)); one != nil && !errors.Is(one, model.ErrCondition) {
					err = one
				}
			}
		}
		batch = batch[:0]
		return err
	}
	err := d.eachPart(ctx, first, func(e entry) error {
		if batch = append(batch, e); len(batch) < model.MaxTransaction {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	return d.dropParts(ctx, first)
}

func (d *Desk) eachPart(ctx context.Context, first savePart, do func(entry) error) error {
	for p, err := range d.parts.All(ctx, "PartsOfSave", model.Values{"saveId": first.SaveID}) {
		if err != nil {
			return err
		}
		for _, e := range p.Keys {
			if err := do(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropParts removes a save's parts, the first one last: as long as it is there, the
// save is found.
func (d *Desk) dropParts(ctx context.Context, first savePart) error {
	var parts []savePart
	for p, err := range d.parts.All(ctx, "PartsOfSave", model.Values{"saveId": first.SaveID}) {
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	for _, p := range slices.Backward(parts) {
		if err := d.parts.Delete(ctx, p.key()); err != nil {
			return err
		}
	}
	return nil
}

// settle decides what of index items counts for a reader, by the articles behind
// those that are under a save's id.
func (d *Desk) settle(ctx context.Context, items []thinItem) ([]Light, error) {
	saves := map[string]string{}
	var keys []model.Values
	for _, item := range items {
		if _, asked := saves[item.ID]; item.SaveID != "" && !asked {
			saves[item.ID] = ""
			keys = append(keys, model.Values{"id": item.ID})
		}
	}
	if len(keys) > 0 {
		articles, err := d.articles.BatchGet(ctx, keys)
		if err != nil {
			return nil, fmt.Errorf("articles of saves under way: %w", err)
		}
		for _, a := range articles {
			saves[a.ID] = a.SaveID
		}
	}
	var out []Light
	for _, item := range items {
		if light, ok := item.settled(saves[item.ID]); ok {
			out = append(out, light)
		}
	}
	return out, nil
}

// settled is what an item is, given the last save of its article; false if it is
// not there.
func (t *thinItem) settled(committed string) (Light, bool) {
	switch {
	case t.SaveID == "":
		return t.Light, true
	case t.SaveID != committed:
		return t.Light, t.Next != nil
	case t.Next == nil:
		return t.Light, true
	}
	return *t.Next, t.Next.ID != ""
}
