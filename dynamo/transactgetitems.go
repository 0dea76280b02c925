package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/engine"
)

// TransactGetItems reads up to 100 items as they were at one moment.
func (db *DB) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	if in == nil {
		in = &dynamodb.TransactGetItemsInput{}
	}
	if in.TransactItems == nil || getless(in.TransactItems) {
		return nil, sound(ctx, (*dynamodb.Client).TransactGetItems, in)
	}
	r := engine.TransactGet{
		Gets:                   make([]*engine.GetItem, len(in.TransactItems)),
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
	}
	for i, t := range in.TransactItems {
		g := &engine.GetItem{
			TableName: t.Get.TableName,
			Projected: projected(t.Get.ProjectionExpression, nil, t.Get.ExpressionAttributeNames, nil),
		}
		g.Key = itemFromSDK(t.Get.Key, &g.Invalid)
		r.Gets[i] = g
	}
	a, err := db.engine.TransactGet(ctx, &r)
	if err != nil {
		return nil, fail("TransactGetItems", err)
	}
	return gotten(a.Items, a.Capacity, r.ReturnConsumedCapacity), nil
}

func getless(list []types.TransactGetItem) bool {
	for _, t := range list {
		if t.Get == nil || t.Get.Key == nil || t.Get.TableName == nil {
			return true
		}
	}
	return false
}
