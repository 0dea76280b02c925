package blog

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/model"
)

// Traces is how the desk forgets a post or a name.
func (d *Desk) Traces() *erase.Traces {
	return &erase.Traces{
		Desk: Schema.Name, Shelf: d.Shelf(), Tables: []string{d.table.Name}, Buckets: []string{d.bucket.Name},
		Take: func(ctx context.Context, id string) error {
			if err := d.Delete(ctx, id, AnyVersion); !errors.Is(err, errs.NotFound) {
				return err
			}
			return nil
		},
		Scrub: d.scrub,
		Owner: func(_ string, item model.Raw) string {
			id, _ := d.changedPost(item)
			return id
		},
		Object: func(_, key string) (string, bool) {
			rest, ok := strings.CutPrefix(key, "autosaves/")
			if !ok {
				return "", false
			}
			id, _, _ := strings.Cut(rest, "/")
			return id, false
		},
	}
}

// scrub takes away a readable address that tells what is erased: redacted, it would lead
// nowhere. The post is read at its id until it is saved again.
func (d *Desk) scrub(ctx context.Context, _ string, item model.Raw, marks *erase.Marks) (bool, error) {
	slug, ok := item["slug"].(*types.AttributeValueMemberS)
	found, own := d.table.Identify(item)
	if !ok || !own || found.Entity.Name != "Post" && found.Entity.Name != "Revision" || !marks.In(slug.Value) {
		return false, nil
	}
	_, err := d.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &d.table.Name, Key: model.Raw{d.table.PK.Name: item[d.table.PK.Name], d.table.SK.Name: item[d.table.SK.Name]},
		UpdateExpression: aws.String("REMOVE slug"), ConditionExpression: aws.String("slug = :slug"), ExpressionAttributeValues: model.Raw{":slug": slug},
	})
	var other *types.ConditionalCheckFailedException
	if errors.As(err, &other) {
		return true, nil // the next pass meets it again
	}
	delete(item, "slug")
	return false, err
}
