package ops

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/internal/errs"
	"pressroom/model"
)

// get reads one item by the values of its key.
func get(ctx context.Context, db model.DB, t *model.Table, e *model.Entity, values model.Values) (model.Raw, error) {
	key, err := t.Key(e, values)
	if err != nil {
		return nil, errs.Wrap(err, errs.Invalid, "These values make no key: %v.", err)
	}
	out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.Name, Key: key})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", e.Name, err)
	}
	if out.Item == nil {
		return nil, fmt.Errorf("%s: %w", e.Name, errs.NotFound)
	}
	return out.Item, nil
}
