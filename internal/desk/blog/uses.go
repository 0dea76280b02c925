package blog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/model"
)

// useItem notes that a post shows an image, or once did. A note is made before
// the post is saved and goes with the post or the image, never with an edit: an
// editor who takes an image out could not know of another who puts it back. So
// there may be notes too many, never too few, and who reads them looks behind
// each.
type useItem struct {
	MediaID string `dynamodbav:"mediaId"`
	ID      string `dynamodbav:"id"`
}

func (u useItem) key() model.Values { return model.Values{"mediaId": u.MediaID, "id": u.ID} }

// refs returns the images of the library that a post shows, each with the field
// that names it first.
func (s *stored) refs() map[string]string {
	found := map[string]string{}
	if s == nil {
		return found
	}
	if id, ok := mediaRef(s.item.Thumbnail); ok {
		found[id] = "thumbnail"
	}
	for i := range s.blocks {
		if s.blocks[i].Type == Code {
			continue
		}
		for _, m := range mediaRefs.FindAllStringSubmatch(s.blocks[i].Content, -1) {
			if id := cmp.Or(m[1], m[2]); found[id] == "" {
				found[id] = fmt.Sprintf("blocks[%d].content", i)
			}
		}
	}
	return found
}

// noteUses notes the images that next shows and old did not. That they are in the
// library is asked before, to leave no notes of what never was, and after: an
// image that was deleted in between has not seen the note.
func (d *Desk) noteUses(ctx context.Context, old, next *stored) error {
	was, fields := old.refs(), next.refs()
	var added []useItem
	for _, id := range slices.Sorted(maps.Keys(fields)) {
		if _, before := was[id]; !before {
			added = append(added, useItem{id, next.item.ID})
		}
	}
	if len(added) == 0 {
		return nil
	}
	if err := d.wantMedia(ctx, added, fields); err != nil {
		return err
	}
	if err := d.uses.BatchPut(ctx, added); err != nil {
		return err
	}
	return d.wantMedia(ctx, added, fields)
}

// wantMedia reports the images that are not in the library, by field.
func (d *Desk) wantMedia(ctx context.Context, uses []useItem, fields map[string]string) error {
	keys := make([]model.Values, len(uses))
	for i, u := range uses {
		keys[i] = mediaKey(u.MediaID)
	}
	found, err := d.media.BatchGet(ctx, keys)
	if err != nil {
		return err
	}
	ready := map[string]bool{}
	for _, m := range found {
		ready[m.MediaID] = m.State == mediaReady
	}
	var p problems
	for _, u := range uses {
		if !ready[u.MediaID] {
			p.add(fields[u.MediaID], "names no image of the library")
		}
	}
	return p.err()
}

// dropUses forgets the notes of a deleted post, those that its last body had. If
// that fails there is a note too many.
func (d *Desk) dropUses(ctx context.Context, deleted *stored) {
	var gone []useItem
	for id := range deleted.refs() {
		gone = append(gone, useItem{id, deleted.item.ID})
	}
	if err := d.forgetUses(context.WithoutCancel(ctx), gone); err != nil {
		d.opt.Log.Warn("blog: uses of images are left behind", "post", deleted.item.ID, "err", err)
	}
}

func (d *Desk) forgetUses(ctx context.Context, uses []useItem) error {
	keys := make([]model.Values, len(uses))
	for i, u := range uses {
		keys[i] = u.key()
	}
	return d.uses.BatchDelete(ctx, keys)
}

// UsedBy returns the posts that show an image, in any state, by id.
func (d *Desk) UsedBy(ctx context.Context, id string) ([]Card, error) {
	if _, err := d.readyMedia(ctx, id); err != nil {
		return nil, err
	}
	posts, err := d.usedBy(ctx, id, d.glance)
	if err != nil {
		return nil, fmt.Errorf("uses of image %s: %w", id, err)
	}
	cards := make([]Card, 0, len(posts))
	for _, p := range posts {
		card := p.item.card()
		c, err := d.toCard(&card)
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	return cards, nil
}

// usedBy looks behind every note and returns the posts that show the image.
func (d *Desk) usedBy(ctx context.Context, id string, look func(context.Context, useItem) (stored, error)) ([]stored, error) {
	var posts []stored
	for use, err := range d.views.usesOf.All(ctx, mediaKey(id), model.Window{}) {
		if err != nil {
			return nil, err
		}
		s, err := look(ctx, use)
		if errors.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if _, used := s.refs()[id]; used {
			posts = append(posts, s)
		}
	}
	return posts, nil
}

// glance reads the post behind a note.
func (d *Desk) glance(ctx context.Context, use useItem) (stored, error) {
	return d.load(ctx, use.ID, d.views.edit)
}

// newborn is how long a note may be older than its post: a post that is not there
// after that was never saved.
const newborn = time.Hour

// stop reads the post behind a note after making sure that no save which is on
// its way, and asked for the image before it was marked, can still happen: it
// counts up the post's fence, which every save finds as it read it. A post that
// is not there, and was begun lately, may come.
func (d *Desk) stop(ctx context.Context, use useItem) (stored, error) {
	err := d.raiseFence(ctx, use.ID)
	if err == nil {
		return d.glance(ctx, use)
	}
	begun, idErr := model.IDTime(use.ID)
	if errors.Is(err, errs.NotFound) && idErr == nil && d.now().Sub(begun) < newborn {
		err = errs.New(errs.Conflict, "A new post with the image may be on its way. Try again in an hour.")
	}
	return stored{}, err
}

func (d *Desk) raiseFence(ctx context.Context, id string) error {
	err := d.updatePost(ctx, id, "ADD fence :one", "attribute_exists(pk)", model.Raw{":one": &types.AttributeValueMemberN{Value: "1"}})
	if errors.Is(err, model.ErrCondition) {
		return noPost(id)
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

// fenceIs holds for a post whose fence is as it was read.
func fenceIs(n int) expression.ConditionBuilder {
	same := expression.Name("fence").Equal(expression.Value(n))
	if n == 0 {
		return same.Or(expression.AttributeNotExists(expression.Name("fence")))
	}
	return same
}

// DeleteMedia removes an image from the library and the store. If a post shows
// it, the answer is errs.Conflict and nothing happens; [Desk.UsedBy] names them.
func (d *Desk) DeleteMedia(ctx context.Context, id string) error {
	m, err := d.anyMedia(ctx, id)
	if err != nil {
		return err
	}
	if m.State == mediaPending {
		return noMedia(id)
	}
	if err := d.setMediaState(ctx, id, mediaDeleting); err != nil {
		return err
	}
	posts, err := d.usedBy(ctx, id, d.stop)
	if err == nil && len(posts) > 0 {
		err = errs.New(errs.Conflict, "The image is shown by %d posts. Take it out of them first.", len(posts))
	}
	if err != nil {
		return errors.Join(err, d.setMediaState(context.WithoutCancel(ctx), id, mediaReady))
	}
	return d.removeMedia(ctx, m)
}

func (d *Desk) setMediaState(ctx context.Context, id, state string) error {
	_, err := d.media.Update(ctx, mediaKey(id), expression.Set(expression.Name("state"), expression.Value(state)))
	if errors.Is(err, model.ErrNotFound) {
		return noMedia(id)
	}
	return err
}

// removeMedia deletes the objects, then the item: if it is cut short, the image
// is still there to be deleted again.
func (d *Desk) removeMedia(ctx context.Context, m mediaItem) error {
	for _, s := range m.Sizes {
		key, err := d.imageKey(m.MediaID, s.Name)
		if err != nil {
			return err
		}
		if _, err := d.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &d.bucket.Name, Key: &key}); err != nil {
			return fmt.Errorf("delete image %s: %w", m.MediaID, err)
		}
	}
	var notes []useItem
	for use, err := range d.views.usesOf.All(ctx, mediaKey(m.MediaID), model.Window{}) {
		if err != nil {
			return err
		}
		notes = append(notes, use)
	}
	if err := d.forgetUses(ctx, notes); err != nil {
		return err
	}
	return d.media.Delete(ctx, mediaKey(m.MediaID))
}

// unusedLooks is how many images one page of [Desk.Unused] looks at.
const unusedLooks = 200

// Unused lists images that no post shows, the newest first. A page may hold fewer
// than asked for and still have a next one.
func (d *Desk) Unused(ctx context.Context, o PageOptions) (Page[Media], error) {
	found := Page[Media]{Items: []Media{}, Next: o.Cursor}
	want := o.limit()
	for looked := 0; looked < unusedLooks; {
		page, err := d.views.library.Page(ctx, nil, model.PageOptions{Limit: want - len(found.Items), Cursor: found.Next})
		if err != nil {
			return found, listError(err)
		}
		looked += len(page.Items)
		for _, item := range page.Items {
			if err := d.addUnused(ctx, item, &found); err != nil {
				return found, err
			}
		}
		if found.Next = page.Next; page.Next == "" || len(found.Items) == want {
			break
		}
	}
	return found, nil
}

func (d *Desk) addUnused(ctx context.Context, item mediaItem, found *Page[Media]) error {
	if item.State != mediaReady {
		return nil
	}
	posts, err := d.usedBy(ctx, item.MediaID, d.glance)
	if err != nil || len(posts) > 0 {
		return err
	}
	m, err := d.toMedia(item)
	found.Items = append(found.Items, m)
	return err
}
