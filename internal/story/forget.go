package story

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

// Forget removes what people wrote about a story that is erased: corrections, reasons and
// readers' reports. That it was there, and is withdrawn, stays on record. It may be cut
// off and repeated.
func (s *Stories) Forget(ctx context.Context, ref Ref) error {
	if s == nil {
		return nil
	}
	if err := s.forgetReasons(ctx, ref); err != nil {
		return fmt.Errorf("forget what was said of story %s: %w", ref, err)
	}
	for n, err := range s.notes.All(ctx, "NotesOf", ref.key()) {
		if err == nil {
			key := ref.key()
			key["revision"] = strconv.Itoa(n.Revision)
			err = s.notes.Delete(ctx, key)
		}
		if err != nil {
			return fmt.Errorf("forget the notes of story %s: %w", ref, err)
		}
	}
	if err := s.reports.Delete(ctx, ref.key()); err != nil {
		return fmt.Errorf("forget the reports of story %s: %w", ref, err)
	}
	return nil
}

// forgetReasons takes the reasons from a story's head and events, and from the log. The
// events go last: they tell whoever repeats this that the log has some.
func (s *Stories) forgetReasons(ctx context.Context, ref Ref) error {
	if err := s.clear(ctx, "Head", ref.key(), "heldFor"); err != nil {
		return err
	}
	var said []model.Values
	for e, err := range s.story.All(ctx, ref.key(), model.Window{}) {
		if err != nil {
			return err
		}
		if e.Reason != "" {
			key := ref.key()
			key["revision"] = strconv.Itoa(e.Revision)
			said = append(said, key)
		}
	}
	if len(said) == 0 {
		return nil
	}
	end, err := s.End(ctx)
	if err != nil {
		return err
	}
	for after := int64(0); after < end; after += perRead {
		entries, err := s.read(ctx, after, end)
		if err != nil && !errors.Is(err, ErrBehind) { // the first ones have expired
			return err
		}
		for _, e := range entries {
			if e.Ref != ref || e.Reason == "" {
				continue
			}
			if err := s.clear(ctx, "Entry", model.Values{"sequence": strconv.FormatInt(e.Sequence, 10)}, "reason"); err != nil {
				return err
			}
		}
	}
	for _, key := range said {
		if err := s.clear(ctx, "Event", key, "reason"); err != nil {
			return err
		}
	}
	return nil
}

// clear takes an attribute from an item, without another revision: nothing happened to
// the story. It goes past the repository for that.
func (s *Stories) clear(ctx context.Context, entity string, values model.Values, attribute string) error {
	t := table
	t.Name = s.o.Table
	e, ok := t.Entity(entity)
	if !ok {
		return fmt.Errorf("the schema has no %s", entity)
	}
	key, err := t.Key(e, values)
	if err != nil {
		return err
	}
	_, err = s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.Name, Key: key, UpdateExpression: aws.String("REMOVE #a"), ConditionExpression: aws.String("attribute_exists(#a)"),
		ExpressionAttributeNames: map[string]string{"#a": attribute},
	})
	var none *types.ConditionalCheckFailedException
	if errors.As(err, &none) {
		return nil
	}
	return err
}
