package blog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

// A body with more blocks than one transaction takes is saved through a journal:
//
//  1. The blocks are written as parts under SAVE#<saveId>. Nobody looks there.
//  2. One transaction writes metadata, state and tags, names the save in the
//     metadata and marks its first part as committed. This is the moment at
//     which the post is another one: readers take the body from the parts.
//  3. The parts are copied into the blocks, each transaction of which checks
//     that the metadata still names this save, so that a copier that slept
//     cannot write over a later save.
//  4. The metadata forget the save; the parts go, the first one last.
//
// Whoever dies in between leaves either parts that nobody names, or a save that
// anyone can finish. The first part stands in an index, where the sweep finds it.
// A part that is swept cannot be committed, and one that is committed cannot be
// swept: both change the same item under a condition.

// partItem is some of a journaled body. Blocks holds a partBody.
type partItem struct {
	SaveID    string `dynamodbav:"saveId"`
	Part      int    `dynamodbav:"part"`
	ID        string `dynamodbav:"id"`
	CreatedAt string `dynamodbav:"createdAt"`
	Blocks    []byte `dynamodbav:"blocks"`
	Committed *bool  `dynamodbav:"committed"`
}

// unfinishedItem is what the index holds of a save.
type unfinishedItem struct {
	SaveID    string `dynamodbav:"saveId"`
	CreatedAt string `dynamodbav:"createdAt"`
}

type partBody struct {
	Parts  int     `json:"parts"` // of the save, so that a reader knows it has all
	Blocks []Block `json:"blocks"`
}

// partBytes is how much a part holds; a single block may be more, and still fits
// into an item.
const partBytes = 300 << 10

// stage writes the blocks as parts of a new save, the first part first.
func (d *Desk) stage(ctx context.Context, id string, blocks []Block) (saveID string, err error) {
	saveID = d.ids.New()
	chunks := chunkBlocks(blocks)
	now := d.stamp()
	for i, chunk := range chunks {
		body, err := encodePart(partBody{Parts: len(chunks), Blocks: chunk})
		if err != nil {
			return "", fmt.Errorf("stage post %s: %w", id, err)
		}
		if err := d.parts.Create(ctx, &partItem{SaveID: saveID, Part: i, ID: id, CreatedAt: now, Blocks: body}); err != nil {
			return "", fmt.Errorf("stage post %s: %w", id, err)
		}
	}
	return saveID, nil
}

// chunkBlocks cuts a body into parts; an empty body is one empty part.
func chunkBlocks(blocks []Block) [][]Block {
	var chunks [][]Block
	begin, size := 0, 0
	for i := range blocks {
		// As JSON, text is at most twice as long: quotes and line ends.
		n := 2*(len(blocks[i].Content)+len(blocks[i].Alt)+len(blocks[i].Caption)) + 200
		if i > begin && size+n > partBytes {
			chunks = append(chunks, blocks[begin:i])
			begin, size = i, 0
		}
		size += n
	}
	return append(chunks, blocks[begin:])
}

func encodePart(p partBody) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // it would make text six times as long
	if err := e.Encode(p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// journaled returns the body of a save; errTorn if some of it is gone, because
// the save was finished in the meantime.
func (d *Desk) journaled(ctx context.Context, saveID string) ([]Block, error) {
	var blocks []Block
	seen, want := 0, -1
	for part, err := range d.views.partsOf.All(ctx, model.Values{"saveId": saveID}, model.Window{}) {
		if err != nil {
			return nil, err
		}
		var body partBody
		if err := json.Unmarshal(part.Blocks, &body); err != nil {
			return nil, fmt.Errorf("part %d of save %s: %w", part.Part, saveID, err)
		}
		blocks = append(blocks, body.Blocks...)
		seen, want = seen+1, body.Parts
	}
	if seen != want {
		return nil, errTorn
	}
	return blocks, nil
}

// undecided holds for a save that is neither committed nor abandoned.
var undecided = expression.AttributeNotExists(expression.Name("committed"))

func decide(committed bool) expression.UpdateBuilder {
	return expression.Set(expression.Name("committed"), expression.Value(committed))
}

// commitPiece marks a save as committed, in the transaction that names it.
func (d *Desk) commitPiece(saveID string) model.Piece {
	return d.parts.UpdatePiece(firstPart(saveID), decide(true), undecided)
}

func firstPart(saveID string) model.Values { return model.Values{"saveId": saveID, "part": "0"} }

// finish takes a committed save to its end. If others are at it as well, or have
// done it, that is fine.
func (d *Desk) finish(ctx context.Context, id, saveID string) error {
	blocks, err := d.journaled(ctx, saveID)
	switch {
	case errors.Is(err, errTorn):
		return nil // someone else is at the last step
	case err != nil:
		return err
	}
	if err := d.spread(ctx, id, saveID, blocks); err != nil {
		return err
	}
	if err := d.forget(ctx, id, saveID); err != nil {
		return err
	}
	return d.discard(ctx, saveID)
}

// spread copies the body of a save into the post's blocks: those that differ,
// for as long as the metadata name the save.
func (d *Desk) spread(ctx context.Context, id, saveID string, blocks []Block) error {
	old, err := d.blocksOf(ctx, id)
	if err != nil {
		return err
	}
	named := d.posts.CheckPiece(key(id), expression.Name("saveId").Equal(expression.Value(saveID)))
	for _, chunk := range d.differences(id, old, blocks).chunks(model.MaxTransaction-1, transactionBytes) {
		err := model.Transact(ctx, d.db, append([]model.Piece{named}, chunk...)...)
		if errors.Is(err, model.ErrCondition) {
			return nil // finished by someone else
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blocksOf returns the blocks that lie under a post, by their order.
func (d *Desk) blocksOf(ctx context.Context, id string) (map[int]Block, error) {
	found := map[int]Block{}
	for item, err := range d.views.edit.All(ctx, key(id), model.Window{}) {
		if err != nil {
			return nil, err
		}
		if item.Entity.Name != "Block" {
			continue
		}
		var b blockItem
		if err := item.As(&b); err != nil {
			return nil, err
		}
		found[b.Order] = b.block()
	}
	return found, nil
}

// clear deletes the blocks of a post that is deleted. Ids are never used again,
// so that there is nothing to check.
func (d *Desk) clear(ctx context.Context, id string) error {
	found, err := d.blocksOf(ctx, id)
	if err != nil {
		return err
	}
	var keys []model.Values
	for order := range found {
		keys = append(keys, blockKey(id, order))
	}
	return d.blocks.BatchDelete(ctx, keys)
}

// forget takes the name of a finished save out of the metadata. The version
// stays: nothing that an editor sees has changed.
func (d *Desk) forget(ctx context.Context, id, saveID string) error {
	err := d.updatePost(ctx, id, "REMOVE saveId", "saveId = :save", model.Raw{":save": &types.AttributeValueMemberS{Value: saveID}})
	if errors.Is(err, model.ErrCondition) {
		return nil
	}
	return err
}

// updatePost changes metadata that no editor sees, and so not the version, which
// is why it does not go through the repository. What the condition refuses is
// model.ErrCondition.
func (d *Desk) updatePost(ctx context.Context, id, update, condition string, values model.Raw) error {
	entity, ok := d.table.Entity("Post")
	if !ok {
		return errors.New("the schema has no Post")
	}
	k, err := d.table.Key(entity, key(id))
	if err != nil {
		return err
	}
	_, err = d.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &d.table.Name, Key: k, UpdateExpression: aws.String(update), ConditionExpression: aws.String(condition), ExpressionAttributeValues: values,
	})
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return model.ErrCondition
	}
	return err
}

// discard deletes the parts of a save, the first one last: it is what the sweep
// finds the others by.
func (d *Desk) discard(ctx context.Context, saveID string) error {
	var keys []model.Values
	for part, err := range d.views.partsOf.All(ctx, model.Values{"saveId": saveID}, model.Window{}) {
		if err != nil {
			return err
		}
		if part.Part > 0 {
			keys = append(keys, model.Values{"saveId": saveID, "part": fmt.Sprint(part.Part)})
		}
	}
	if err := d.parts.BatchDelete(ctx, keys); err != nil {
		return err
	}
	return d.parts.Delete(ctx, firstPart(saveID))
}

// SweepSaves finishes the saves and deletions that a crash cut short, and removes
// what was staged and never committed, if they began before the given age. It
// returns how many it dealt with. Operators' jobs call it from time to time;
// posts are right without it.
func (d *Desk) SweepSaves(ctx context.Context, age time.Duration) (int, error) {
	before := model.FormatTime(d.now().Add(-age))
	n := 0
	for save, err := range d.views.unfinished.All(ctx, nil, model.Window{}) {
		if err != nil {
			return n, fmt.Errorf("sweep saves: %w", err)
		}
		if save.CreatedAt > before {
			break
		}
		if err := d.sweep(ctx, save.SaveID); err != nil {
			return n, fmt.Errorf("sweep save %s: %w", save.SaveID, err)
		}
		n++
	}
	return n, nil
}

func (d *Desk) sweep(ctx context.Context, saveID string) error {
	part, err := d.parts.Get(ctx, firstPart(saveID))
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err == nil && part.Committed == nil {
		part, err = d.parts.Update(ctx, firstPart(saveID), decide(false), undecided)
		if errors.Is(err, model.ErrCondition) {
			return nil // committed just now, by someone who is alive
		}
	}
	if err == nil && *part.Committed {
		return d.complete(ctx, &part)
	}
	if err != nil {
		return err
	}
	return d.discard(ctx, saveID)
}

// complete does what is left to do of a committed save or deletion.
func (d *Desk) complete(ctx context.Context, part *partItem) error {
	item, err := d.posts.Get(ctx, key(part.ID))
	switch {
	case errors.Is(err, model.ErrNotFound):
		err = d.clear(ctx, part.ID) // a deletion
	case err == nil && item.SaveID == part.SaveID:
		return d.finish(ctx, part.ID, part.SaveID)
	}
	if err != nil {
		return err
	}
	return d.discard(ctx, part.SaveID)
}
