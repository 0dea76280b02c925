package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
)

// GetItem reads one item.
func (db *DB) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if in == nil {
		in = &dynamodb.GetItemInput{}
	}
	if in.TableName == nil || in.Key == nil {
		return nil, sound(ctx, (*dynamodb.Client).GetItem, in)
	}
	r := engine.GetItem{
		TableName:              in.TableName,
		ConsistentRead:         aws.ToBool(in.ConsistentRead),
		Projected:              projected(in.ProjectionExpression, in.AttributesToGet, in.ExpressionAttributeNames, nil),
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
	}
	r.Key = itemFromSDK(in.Key, &r.Invalid)
	out := new(dynamodb.GetItemOutput)
	err := db.engine.ViewItem(ctx, &r, func(it attr.Item, c *engine.Capacity) error {
		out.Item = itemToSDK(it)
		out.ConsumedCapacity = consumed(c, r.ReturnConsumedCapacity)
		return nil
	})
	if err != nil {
		return nil, fail("GetItem", err)
	}
	return out, nil
}
